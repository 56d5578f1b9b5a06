package app_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestAnEraseNamesTheLogThatAReaderKeeps(t *testing.T) {
	t.Parallel()
	a := newApp(t, t.TempDir())
	m := save(t, a, "to be gone")
	held := func() (kinds []string) {
		t.Helper()
		d, err := a.Engine.Delete(t.Context(), true, engram.ByNum(m.Num))
		if err != nil {
			t.Fatal(err)
		}
		for _, trace := range d.HeldBy {
			kinds = append(kinds, string(trace.Kind)+" "+trace.Where)
		}
		return kinds
	}
	err := a.View(t.Context(), func(r engram.Reader) error {
		if _, err := r.Memory(t.Context(), engram.ByNum(m.Num)); err != nil {
			return err
		}
		if got := held(); len(got) != 1 || !strings.HasPrefix(got[0], "log ") {
			t.Errorf("with a reader in the way: got %q, want the log alone", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m = save(t, a, "to be gone as well")
	if got := held(); len(got) != 0 {
		t.Errorf("without a reader: got %q, want nobody", got)
	}
}
