package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// writeC writes the wrapper for C.
func (f *function) writeC(w io.Writer) {
	var declarations, arguments []string
	for _, p := range f.params {
		declarations, arguments = append(declarations, p.text), append(arguments, p.name)
	}
	fmt.Fprintf(w, "int MPI_%s(%s) {\n", f.name, orVoid(declarations))
	fmt.Fprintf(w, "\tint outcome;\n\tif (!pando_mpi_begin(&pando_mpi_region_%s)) return PMPI_%s(%s);\n", f.name, f.name, strings.Join(arguments, ", "))
	f.writeBody(w, "0", fmt.Sprintf("outcome = PMPI_%s(%s);", f.name, f.arguments("")))
	fmt.Fprint(w, "\treturn outcome;\n}\n\n")
}

// writeBody writes the call with what is to be done before and after it.
func (f *function) writeBody(w io.Writer, language, call string) {
	a := f.action()
	if a == nil {
		a = &action{}
	}
	line := func(code string) {
		if code != "" {
			fmt.Fprintf(w, "\t%s\n", strings.ReplaceAll(code, "LANGUAGE", language))
		}
	}
	line(a.before)
	line(call)
	switch {
	case a.after == "":
	case a.always:
		line(a.after)
	default:
		line("if (outcome == MPI_SUCCESS) {")
		line("\t" + a.after)
		line("}")
	}
	line("pando_mpi_end();")
}

// arguments lists what the call gets.
func (f *function) arguments(prefix string) string {
	var list []string
	for _, p := range f.params {
		name := prefix + p.name
		if a := f.action(); a != nil && a.replace[p.name] != "" {
			name = a.replace[p.name]
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

func orVoid(list []string) string {
	if len(list) == 0 {
		return "void"
	}
	return strings.Join(list, ", ")
}

// writeFortran writes the wrapper for Fortran, in which all arguments are addresses, and the lengths of texts follow. It calls the function of Fortran, and not that of C, so that nothing has to be
// translated but what is recorded.
func (f *function) writeFortran(w io.Writer) {
	g := *f
	if g.name == "Init" || g.name == "Init_thread" {
		g.params = g.params[2:] // Fortran's have no argc and argv
	}
	var declarations, lengths []string
	for _, p := range g.params {
		declarations = append(declarations, "void *f_"+p.name)
		if p.textual() {
			lengths = append(lengths, "l_"+p.name)
		}
	}
	declarations = append(declarations, "MPI_Fint *ierror")
	for _, l := range lengths {
		declarations = append(declarations, "size_t "+l)
	}
	lower, upper := "mpi_"+strings.ToLower(g.name), "MPI_"+strings.ToUpper(g.name)
	list := strings.Join(declarations, ", ")
	g.writeNames(w, naming{language: "1", names: []string{lower + "_", lower + "__", lower, upper}}, list, lengths)
	// The module mpi_f08 has functions of its own, with the same arguments, of which ierror may be missing.
	fmt.Fprintln(w, "#ifdef OPEN_MPI")
	g.writeNames(w, naming{language: "2", names: []string{lower + "_f08_"}}, list, lengths)
	fmt.Fprintln(w, "#elif defined MPICH_NAME")
	g.writeNames(w, naming{language: "2", names: []string{lower + "_f08ts_", lower + "_f08_"}, r: "r", described: true}, list, lengths)
	fmt.Fprintln(w, "#endif")
}

// naming is how an interface of Fortran names a function, and passes buffers.
type naming struct {
	language  string // LANGUAGE in actions
	names     []string
	r         string // behind the prefix pmpi
	described bool   // buffers come as descriptors, which begin with the address
}

// writeNames writes a wrapper of Fortran that has several names.
func (f *function) writeNames(w io.Writer, n naming, list string, lengths []string) {
	names := n.names
	for _, name := range names {
		fmt.Fprintf(w, "extern void %s(%s) __attribute__((weak));\n", n.profiled(name), list)
	}
	call := f.fortranCall(n, lengths)
	fmt.Fprintf(w, "void %s(%s) {\n\tif (!pando_mpi_begin(&pando_mpi_region_%s)) {\n\t\t%s\n\t\treturn;\n\t}\n", names[0], list, f.name, call(f.fortranArguments(false)))
	fmt.Fprint(w, "\tMPI_Fint code;\n\tif (!ierror) ierror = &code;\n")
	f.writeLocals(w, n.described)
	body := call(f.fortranArguments(true))
	if a := f.action(); a != nil && a.after != "" && (!a.always || strings.Contains(a.after, "outcome")) {
		body += "\n\tint outcome = *ierror;"
	}
	f.writeBody(w, n.language, body)
	fmt.Fprint(w, "}\n")
	for _, name := range names[1:] {
		fmt.Fprintf(w, "void %s(%s) __attribute__((alias(\"%s\")));\n", name, list, names[0])
	}
}

// profiled is the name under which a tool calls a function of Fortran.
func (n naming) profiled(name string) string {
	if strings.HasPrefix(name, "MPI_") {
		return "P" + name
	}
	return "pmpi" + n.r + strings.TrimPrefix(name, "mpi")
}

// fortranCall returns how the function is called with some arguments, by the name that MPI has: compilers of Fortran do not agree on names.
func (f *function) fortranCall(n naming, lengths []string) func(arguments string) string {
	var which strings.Builder
	last := len(n.names) - 1
	for _, name := range n.names[:last] {
		fmt.Fprintf(&which, "%s ? %s : ", n.profiled(name), n.profiled(name))
	}
	which.WriteString(n.profiled(n.names[last]))
	return func(arguments string) string {
		list := append([]string{}, arguments, "ierror")
		if arguments == "" {
			list = list[1:]
		}
		return fmt.Sprintf("(%s)(%s);", which.String(), strings.Join(append(list, lengths...), ", "))
	}
}

func (f *function) fortranArguments(replaced bool) string {
	if replaced {
		return f.arguments("f_")
	}
	var list []string
	for _, p := range f.params {
		list = append(list, "f_"+p.name)
	}
	return strings.Join(list, ", ")
}

// writeLocals writes what the code of the action calls the arguments: values of C.
func (f *function) writeLocals(w io.Writer, described bool) {
	a := f.action()
	if a == nil {
		return
	}
	for _, p := range f.params {
		if !regexp.MustCompile(`\b` + p.name + `\b`).MatchString(a.before + a.after) {
			continue
		}
		switch {
		case p.textual():
			fmt.Fprintf(w, "\tchar t_%s[4096];\n\tconst char *%s = pando_mpi_path(t_%s, sizeof t_%s, f_%s, l_%s);\n", p.name, p.name, p.name, p.name, p.name, p.name)
		case p.pointer && p.base == "int":
			fmt.Fprintf(w, "\tint *%s = (int *)f_%s;\n", p.name, p.name)
		case described && p.base == "void":
			fmt.Fprintf(w, "\tvoid *%s = *(void **)f_%s;\n", p.name, p.name)
		case p.pointer:
			fmt.Fprintf(w, "\tvoid *%s = f_%s;\n", p.name, p.name)
		case p.base == "MPI_Offset":
			fmt.Fprintf(w, "\tMPI_Offset %s = *(MPI_Offset *)f_%s;\n", p.name, p.name)
		case strings.HasPrefix(p.base, "MPI_"):
			fmt.Fprintf(w, "\t%s %s = %s_f2c(*(MPI_Fint *)f_%s);\n", p.base, p.name, strings.Replace(p.base, "MPI_Datatype", "MPI_Type", 1), p.name)
		default:
			fmt.Fprintf(w, "\t%s %s = *(MPI_Fint *)f_%s;\n", p.base, p.name, p.name)
		}
	}
}
