package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	had := []answer{
		{Set: "talk", Question: "q1", Asked: "who?", Found: []string{"a", "b"}},
		{Set: "talk", Question: "q2", Asked: "when?", Found: []string{"a", "b"}},
		{Set: "talk", Question: "context of talk", Context: "A note."},
	}
	if got, want := differences(had, had), "0 of 3 answers differ\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	order, weak, text := had[0], had[1], had[2]
	order.Found, weak.Found, text.Context = []string{"b", "a"}, []string{"a", "b?"}, "A word."
	for _, changed := range []answer{order, weak, text} {
		got := append([]answer(nil), had...)
		for i := range got {
			if got[i].Question == changed.Question {
				got[i] = changed
			}
		}
		if said := differences(got, had); !strings.HasPrefix(said, "1 of 3 answers differ\nthe first is talk "+changed.Question) {
			t.Errorf("%+v: got %q", changed, said)
		}
	}
}

func TestLabelSets(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := readLabels(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of an empty folder: %v, want that there is none", err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("talk/corpus.jsonl", `{"id":"t1","text":"hello","group":"g","session":"s"}`+"\n")
	write("talk/queries.jsonl", `{"id":"q1","text":"who?","group":"g"}`+"\n"+`{"id":"q2","text":"when?","group":"g"}`+"\n")
	write("code/corpus.jsonl", `{"id":"c1","text":"func","group":"h"}`+"\n"+`{"id":"c2","text":"type","group":"h"}`+"\n")
	write("code/queries.jsonl", `{"id":"q3","text":"what?","group":"h"}`+"\n")
	documents, questions, err := readLabels(dir)
	if err != nil || len(documents) != 3 || len(questions) != asks {
		t.Fatalf("%d documents, %d questions, %v; want 3 and %d", len(documents), len(questions), err, asks)
	}
	if d, first, last := documents[2], questions[0], questions[asks-1]; d.project() != "talk-g" || d.ID != "t1" || first.ID != "q3" || last.ID != "q2" {
		t.Errorf("got %+v, questions from %+v to %+v; want those of all sets in order", d, first, last)
	}
	write("talk/corpus.jsonl", `{"id":`)
	if _, _, err := readLabels(dir); err == nil || !strings.Contains(err.Error(), "corpus.jsonl") {
		t.Errorf("of a damaged set: %v, want its name", err)
	}
}
