package library

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

func TestMarksAreKept(t *testing.T) {
	l := Library{Dir: filepath.Join(t.TempDir(), "models")}
	if _, ok, err := l.Marks("a"); ok || err != nil {
		t.Fatalf("without a file: %v, %v", ok, err)
	}
	one := Marks{Related: 0.5, Duplicate: 0.9, Noise: -0.1, Answer: 0.4, Memories: 60, Fitted: time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)}
	two := Marks{Related: 0.7, Duplicate: 0.7, Memories: 50}
	for name, m := range map[string]Marks{"a@1": one, "b@2": two} {
		if err := l.SetMarks(name, m); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok, err := l.Marks("a@1"); got != one || !ok || err != nil {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	of := engram.Model{Name: "a", Related: 2, Duplicate: 2, Noise: 0.1, Answer: 0.2, Weight: 0.5}
	if got := one.Apply(of); got.Related != 0.5 || got.Duplicate != 0.9 || got.Noise != -0.1 || got.Answer != 0.4 || got.Weight != 0.5 {
		t.Errorf("%+v", got)
	}
	if got := two.Apply(of); got.Related != 0.7 || got.Noise != 0.1 || got.Answer != 0.2 {
		t.Errorf("without questions: %+v", got)
	}
	if err := l.SetMarks("c", Marks{Related: 0.9, Duplicate: 0.5}); err == nil {
		t.Error("marks out of order are kept")
	}
	// A damaged file is reported, and replaced by new marks.
	if err := os.WriteFile(filepath.Join(l.Dir, marksFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Marks("a@1"); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a damaged file: %v", err)
	}
	if err := l.SetMarks("b@2", two); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := l.Marks("b@2"); got != two || !ok || err != nil {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if names, err := l.names(); err != nil || len(names) > 0 {
		t.Errorf("listed as models: %v, %v", names, err)
	}
}

func FuzzParseMarks(f *testing.F) {
	f.Add([]byte(`{"a@1":{"related":0.5,"duplicate":0.9,"noise":0.1,"answer":0.4,"memories":60,"fitted":"2026-11-27T00:00:00Z"}}`))
	f.Add([]byte(`{"a":{"related":1e999}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := parseMarks(b)
		for name, m := range all {
			if err != nil || !m.sound() {
				t.Errorf("%s gives %s %+v, %v", b, name, m, err)
			}
		}
	})
}
