# Reads the output of `go test -v` and prints what matters of it: skipped tests with their reasons, failed tests with
# what they logged, and all that is not about a single test: compiler errors, panics, the closing line of each package.

# The lines that follow belong to this test.
/^=== (RUN|NAME|CONT|PAUSE) / { test = $3; next }

/^ *--- (PASS|SKIP|FAIL): / {
	sub(/^ */, "")
	if ($2 != "PASS:") printf "%s\n%s", $0, notes[$3]
	delete notes[$3]
	next
}

/^PASS$/ { next }

/^    / && test != "" { notes[test] = notes[test] $0 "\n"; next }

/^(ok|FAIL|\?|panic:|#)/ { test = "" }

{ print; fflush() }
