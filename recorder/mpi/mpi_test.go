package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// implementations of MPI, and how their programs are called on Debian.
var implementations = []struct {
	name string
	run  []string
}{
	{"openmpi", []string{"--oversubscribe"}},
	{"mpich", nil},
}

// notWrapped says which functions of mpi.h have no wrapper, and why.
var notWrapped = []struct {
	names *regexp.Regexp
	why   string
}{
	{regexp.MustCompile(`^MPIX_|^MPI_T_`), "interfaces of tools, and extensions of an implementation"},
	{regexp.MustCompile(`_(c2f|f2c|c2f08|f082c|f082f|f2f08)$`), "handles of the other language; many are macros"},
	{regexp.MustCompile(`^MPI_(Wtime|Wtick|Aint_add|Aint_diff)$`), "they take less time than an event"},
	{regexp.MustCompile(`^MPI_Pcontrol$`), "its arguments are the program's own"},
	{regexp.MustCompile(`_FN$|^MPI_CONVERSION_`), "passed to MPI, not called"},
	{regexp.MustCompile(`^MPI_(Address|Errhandler_(create|get|set)|Type_(extent|hindexed|hvector|lb|struct|ub))$`), "removed by MPI 3.0"},
	{regexp.MustCompile(`_c$|^MPI_Session_|_from_(session_pset|groups?)$|^MPI_P(arrived|ready\w*|recv_init|send_init)$|` +
		`^MPI_(Neighbor_)?(All|Barrier_|Bcast_|Exscan_|Gatherv?_|[Aa]lltoall|Reduce_|Scan_|Scatterv?_)\w*init$|^MPI_Isendrecv|` +
		`^MPI_(Comm_idup_with_info|Info_create_env|Info_get_string)$`), "of MPI 4"},
	{regexp.MustCompile(`^MPI_Neighbor_\w*_init$`), "of MPI 4"},
}

func why(name string) string {
	for _, n := range notWrapped {
		if n.names.MatchString(name) {
			return n.why
		}
	}
	return ""
}

// Every function that mpi.h declares has a wrapper, or there is a reason why not; and there is no reason for one that has.
func TestEveryFunctionHasAWrapper(t *testing.T) {
	functions, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	wrapped := map[string]bool{}
	for _, f := range functions {
		wrapped["MPI_"+f.name] = true
		if reason := why("MPI_" + f.name); reason != "" {
			t.Errorf("MPI_%s has a wrapper, in spite of: %s", f.name, reason)
		}
	}
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			names := declaredBy(t, m.name)
			if len(names) < 300 {
				t.Fatalf("mpi.h declares %d functions only", len(names))
			}
			for _, name := range names {
				if reason := why(name); !wrapped[name] && reason == "" {
					t.Errorf("%s has no wrapper", name)
				}
			}
			for name := range wrapped {
				if !slices.Contains(names, name) {
					t.Errorf("%s is not in mpi.h", name)
				}
			}
		})
	}
}

// Every function of MPICH's module mpi_f08 has a wrapper, which calls the function that MPICH has for tools, or there is a reason why not. Functions with counts of 8 bytes are of MPI 4.
func TestEveryFunctionOfMPICHInFortran2008(t *testing.T) {
	lib, program := library(t, "mpich", "mpif90", "ring08.f90")
	linked, err := exec.Command("ldd", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(`\S*/libmpichfort\S*`).Find(linked)
	ours, theirs := exported(t, lib), exported(t, string(path))
	functions, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, f := range functions {
		names["mpi_"+strings.ToLower(f.name)] = f.name
	}
	wrapped := 0
	for symbol := range theirs {
		m := regexp.MustCompile(`^(mpi_\w+)_f08(ts)?_$`).FindStringSubmatch(symbol)
		switch {
		case m == nil:
		case names[m[1]] == "":
			if _, late := names[strings.TrimSuffix(m[1], "_init")]; !late && !ofMPI4OrTypes.MatchString(m[1]) {
				t.Errorf("%s has no wrapper", symbol)
			}
		case !ours[symbol] || !theirs["pmpir"+symbol[3:]]:
			t.Errorf("%s: wrapped %v, for tools %v", symbol, ours[symbol], theirs["pmpir"+symbol[3:]])
		default:
			wrapped++
		}
	}
	if wrapped < 300 {
		t.Errorf("%d functions are wrapped", wrapped)
	}
}

var ofMPI4OrTypes = regexp.MustCompile(`^mpi_(session_\w+|\w+_from_(session_pset|groups?)|p(arrived|ready\w*|recv_init|send_init)|isendrecv\w*|comm_idup_with_info|info_create_env|info_get_string|pcontrol|delete_error_\w+|f_sync_reg|status_f2f08|status_f082f|\w*wtime|\w*wtick|aint_\w+)$`)

// exported lists the functions of a library.
func exported(t *testing.T, path string) map[string]bool {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for _, s := range symbols {
		list[s.Name] = s.Section != elf.SHN_UNDEF || list[s.Name]
	}
	return list
}

// declaredBy lists the functions that an implementation's mpi.h declares.
func declaredBy(t *testing.T, implementation string) []string {
	t.Helper()
	compiler := program(t, "mpicc."+implementation)
	file := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(file, []byte("#include <mpi.h>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(compiler, "-E", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?:int|double|MPI_Aint|MPI_Fint|MPI_\w+) +(MPIX?_\w+) *\(`).FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// program finds a program, and skips the test without it.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// Parameters that an action names are those of its function: else the wrapper would give other arguments than it gets.
func TestActionsFitTheTable(t *testing.T) {
	functions, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*function{}
	acting := 0
	for i := range functions {
		f := &functions[i]
		byName[f.name] = f
		a := f.action()
		if a == nil {
			continue
		}
		acting++
		for replaced := range a.replace {
			if !slices.ContainsFunc(f.params, func(p param) bool { return p.name == replaced }) {
				t.Errorf("%s has no parameter %s", f.name, replaced)
			}
		}
	}
	for name := range actions {
		if byName[name] == nil {
			t.Errorf("there is no function %s", name)
		}
	}
	if want := len(actions) + 2*len(collectives); acting != want {
		t.Errorf("%d functions have an action, not %d", acting, want)
	}
	var text bytes.Buffer
	if err := source(&text); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"int MPI_Send(const void *buf, int count, ", "void mpi_send__(void *f_buf, ", "extern void PMPI_FILE_OPEN("} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("the source lacks %s", line)
		}
	}
}

func TestTableThatIsNone(t *testing.T) {
	for _, text := range []string{"Send", "Send(int)", "Send(void (*f)(int))"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s is taken for a declaration", text)
		}
	}
}
