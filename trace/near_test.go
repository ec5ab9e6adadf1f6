package trace

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNear(t *testing.T) {
	names := []string{"MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Recv", "MPI_Allreduce", "MPI_Allreduce", "main", "solve", strings.Repeat("x", 200)}
	for word, want := range map[string][]string{
		"MPI_Sned": {"MPI_Send", "MPI_Isend", "MPI_Ssend"}, "mpi_recv": {"MPI_Recv", "MPI_Send"}, "Allreduce": {"MPI_Allreduce"}, "mian": {"main"},
		"slove": {"solve"}, "q": nil, "": nil, "somethingelse": nil, strings.Repeat("x", 199): nil,
	} {
		if got := Near(word, slices.Values(names)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

// TestEdits holds the distance against its definition: no fewer edits lead from one word to the other.
func TestEdits(t *testing.T) {
	words := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(words.Draw(t, "a")), []rune(words.Draw(t, "b"))
		if got, want := edits(a, b), editsByDefinition(a, b); got != want || got != edits(b, a) {
			t.Fatalf("%q to %q: %d, want %d", string(a), string(b), got, want)
		}
	})
}

func editsByDefinition(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	last := one(a[len(a)-1] != b[len(b)-1])
	n := min(editsByDefinition(a[:len(a)-1], b)+1, editsByDefinition(a, b[:len(b)-1])+1, editsByDefinition(a[:len(a)-1], b[:len(b)-1])+last)
	if len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-2] && a[len(a)-2] == b[len(b)-1] {
		n = min(n, editsByDefinition(a[:len(a)-2], b[:len(b)-2])+1)
	}
	return n
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
