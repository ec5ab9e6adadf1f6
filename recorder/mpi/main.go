package main

import (
	"bufio"
	_ "embed" // of the table and the header
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pandotrace/pando/recorder"
)

//go:embed functions.txt
var table string

//go:embed pando_mpi.h
var header string

//go:embed pando_mpi_requests.h
var requestsHeader string

//go:embed pando_mpi_windows.h
var windowsHeader string

//go:embed pando_mpi_files.h
var filesHeader string

//go:embed pando_mpi_clocks.h
var clocksHeader string

func main() {
	if err := source(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mpi:", err)
		os.Exit(1)
	}
}

// source writes the library's source: headers, then the wrappers.
func source(to io.Writer) error {
	functions, err := parse(table)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "/* Made by \"go run ./recorder/mpi\" of the table of MPI functions there. Translate it with: mpicc -shared -fPIC -O2 -o libpando-mpi.so pando_mpi.c */")
	for i, header := range []string{recorder.Header, header, requestsHeader, windowsHeader, filesHeader, clocksHeader} {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, strings.TrimSpace(header))
	}
	for i := range functions {
		f := &functions[i]
		fmt.Fprintf(w, "\n/* ---- MPI_%s ---- */\n\n", f.name)
		fmt.Fprintf(w, "static pando_region pando_mpi_region_%s = {\"MPI_%s\", \"\", 0, %d, 4, 0, 0};\n\n", f.name, f.name, f.role())
		f.writeC(w)
		f.writeFortran(w)
	}
	return w.Flush()
}
