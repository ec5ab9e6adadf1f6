package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// peer is another program, or why there is none.
type peer struct {
	name, version string
	path          string
	missing       error
}

func (p *peer) String() string {
	if p.missing != nil {
		return fmt.Sprintf("%s: missing (%v)", p.name, p.missing)
	}
	return p.name + ": " + p.version
}

type peers struct {
	tar, zstd, xz peer
	otf2print     peer
	otf2read      peer // bench/otf2read
	duckDB        *duckDB
}

func (p *peers) all() []*peer {
	return []*peer{&p.tar, &p.zstd, &p.xz, &p.otf2print, &p.otf2read, &p.duckDB.peer}
}

func (b *bench) findPeers() peers {
	return peers{
		tar:       findProgram("tar"),
		zstd:      findProgram("zstd"),
		xz:        findProgram("xz"),
		otf2print: findProgram("otf2-print"),
		otf2read:  b.buildReader(),
		duckDB:    b.startDuckDB(),
	}
}

// findProgram looks for a program that tells its version.
func findProgram(name string) (p peer) {
	p.name = name
	if p.path, p.missing = exec.LookPath(name); p.missing != nil {
		return p
	}
	out, err := exec.Command(p.path, "--version").Output()
	if err != nil {
		p.missing = err
		return p
	}
	line, _, _ := strings.Cut(string(out), "\n")
	p.version = strings.Trim(line, "* ")
	return p
}

// buildReader builds the program that reads with OTF2's own library.
func (b *bench) buildReader() peer {
	p := peer{name: "OTF2's C library", path: filepath.Join(b.work, "otf2read")}
	source := filepath.Join(b.root, "bench", "otf2read", "otf2read.c")
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		p.missing = err
		return p
	}
	if err := exec.Command(gcc, "-O2", "-o", p.path, source, "-lopen-trace-format2").Run(); err != nil {
		p.missing = errors.New("bench/otf2read does not build; Debian: libopen-trace-format2-dev")
		return p
	}
	p.version = "bench/otf2read, every event read on one thread and nothing done with it"
	return p
}
