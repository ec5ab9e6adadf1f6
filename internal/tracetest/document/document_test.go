package document

import "testing"

func TestPut(t *testing.T) {
	l := List{Name: "import rules", Package: "./internal/lint"}
	begin, end := l.marks()
	got, err := l.Put([]byte("head\n"+begin+"old\n"+end+"tail\n"), "new\n")
	if want := "head\n" + begin + "new\n" + end + "tail\n"; string(got) != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := l.Put([]byte("head\n"+begin), "new\n"); err == nil {
		t.Error("a document without marks was accepted")
	}
}
