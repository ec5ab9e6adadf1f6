package attack

import "strings"

var valueKinds = []kind{
	{"command line", "times, percentages and numbers out of range, selectors and patterns of any bytes", 900, oddValue},
}

var (
	oddTimes = []string{"1e400s", "-1e400s", "1e-400s", "NaN", "nan%", "Inf", "+Inf%", "infs", "101%", "-1%", "1e9%", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "9223372036854775807s", "9223372036854775807h", "+9223372036854775807", "+-1s", "--1s", "1ss", "s", "%", "+", "+%", "-", "", " ", "1 s", "0x10", "1_000", "1e3",
		"１s", "1µs", "1μs", "\xff", "\x001s", "1s\n", "1h1m", "0", "-0", "00000000000000000001s", ".5s", "5.s", ".s", "1e308h", "1e18s", "99999999999999999999999999s"}
	oddSelectors = []string{"\xff", "\xff*", "*\xff", "\xc3\x28?", "", " ", "*", "?", "[", "[a", "a]", "[]", "[^]", "\\", "\\*", "a\x00b"[:1], "18446744073709551615", "18446744073709551616", "-1", "+1", "01", "0x1", "1e3",
		strings.Repeat("*a", 40) + "*b", strings.Repeat("?", 10000), strings.Repeat("*", 10000), strings.Repeat("**?", 3000), strings.Repeat("a*", 5000), "\x1b[31m", "a\nb", "\u202e", "{a,b}", "(a+)+$", "--json", "-1", strings.Repeat("é", 20000)}
	oddNumbers = []string{"0", "-1", "1", "2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "1e9", "NaN", "", " ", "0x7fffffff", "\xff", "1000000"}
	oddSizes   = []string{"0", "-1", "1", "1B", "1KiB", "8EiB", "16EiB", "1e400", "NaN", "9223372036854775808", "1YiB", "GiB", "", "\xff", "-1MiB", "1.5GiB", "0.0001KiB", "99999999TiB"}
)

func oddValue(a *Attack, d dice, dir string) (*try, error) {
	args := line(pick(d, valued), file)
	for i, arg := range args {
		switch arg {
		case "TIME":
			args[i] = pick(d, oddTimes)
		case "SELECT":
			args[i] = pick(d, oddSelectors)
		case "N":
			args[i] = pick(d, oddNumbers)
		case "SIZE":
			args[i] = pick(d, oddSizes)
		}
	}
	t := &try{args: args}
	if args[0] == "timeline" || strings.Contains(strings.Join(args, " "), "--memory") {
		t.memory = 1 << 30 // was asked for
	}
	return t, put(dir, file, pick(d, a.bases.pando))
}

var valued = split("window IN --from TIME", "window IN --from TIME --to TIME", "window IN --to TIME --min-duration TIME", "summary IN --from TIME --to TIME", "cat IN --from TIME --to TIME", "stack IN --at TIME --location SELECT",
	"find IN --after TIME --limit N", "find IN --before TIME --region SELECT", "find IN --longest N", "window IN --location SELECT", "window IN --region SELECT --limit N", "cat IN --kind SELECT", "cat IN --location SELECT --kind SELECT",
	"timeline IN --json --pixels N", "timeline IN -o OUT.svg --width N", "timeline IN -o OUT.png --from TIME --to TIME", "timeline IN -o OUT.svg --title SELECT", "export IN --format csv -o OUT --from TIME --to TIME",
	"export IN --format csv -o OUT --partition TIME", "export IN --format SELECT -o OUT", "export IN --format csv -o OUT --tables SELECT", "convert IN OUT.pando --from TIME --to TIME", "convert IN OUT.pando --slice-events N",
	"convert IN OUT.pando --fanout N --epoch-slices N", "convert IN OUT.pando --lane-locations N --workers N", "convert IN OUT.pando --memory SIZE", "convert IN OUT/t.otf2 --event-chunk SIZE --definition-chunk SIZE",
	"convert IN OUT.pando --location SELECT --region SELECT", "verify IN --sample TIME", "merge IN IN -o OUT.pando --align SELECT", "SELECT IN", "info IN SELECT", "help SELECT", "summary IN --part SELECT --limit N", "find IN --kind SELECT --after TIME")
