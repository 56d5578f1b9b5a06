package notebook

import (
	"os"
	"path/filepath"
	"testing"
)

// Where an open file cannot be replaced, its content is, through the file as it is open.
func TestAFileThatCannotBeReplacedIsWrittenOver(t *testing.T) {
	t.Parallel()
	n := New(Options{Dir: t.TempDir(), Lock: func(*os.File) (bool, error) { return true, nil }})
	path := filepath.Join(n.Dir, "a.wait")
	for _, text := range []string{"one\ntwo\n", "two\n", "two\nthree\nfour\n"} {
		if err := n.change(path, true, func(f *os.File) error { return take(f, []byte(text)) }); err != nil {
			t.Fatal(err)
		}
		if err := n.append(path, []byte("end\n"), 100, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text+"end\n" {
			t.Errorf("got %q, %v, want %q", got, err, text+"end\n")
		}
	}
}
