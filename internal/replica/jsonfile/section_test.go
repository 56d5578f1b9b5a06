package jsonfile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// An unreadable list says nothing about missing items.
func TestAListThatIsNone(t *testing.T) {
	t.Parallel()
	const native = `{"format":"engram","version":1,"project":"",`
	for _, tt := range []struct{ name, file, want string }{
		{"an object", native + `"memories":{}}`, "memories is an object"},
		{"a text", native + `"memories":"x"}`, "memories is a text"},
		{"null", native + `"memories":null}`, "memories is null"},
		{"a number behind another list", native + `"sessions":[],"relations":7}`, "relations is a number"},
		{"true in the dialect", `{"version":"0.1.0","exported_at":"2026-01-02 03:04:05","observations":true}`, "observations is true or false"},
		{"an object in a graph", `{"memories":[],"relationships":{}}`, "relationships is an object"},
		{"capital letters", native + `"sessions":[],"Memories":[{"content":"a"}]}`, `has "Memories", which is not the name of a list`},
		{"one for many", native + `"memory":[{"content":"a"}]}`, `has "memory", which is not the name of a list`},
		{"a number of something else", `{"name":"x","projects":7}`, "not a known export"},
		{"a version of another file before an object", `{"format":"csv","memories":{}}`, `the unknown format "csv"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := read(strings.NewReader(tt.file))
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("read %s\n got %v\nwant %s", tt.file, err, tt.want)
			}
		})
	}
}

func TestAFileWithoutLists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		lacks      bool
	}{
		{"a native one has no memories to tell of", `{"format":"engram","version":1,"project":""}`, true},
		{"a field that is not known yet is none of them", `{"format":"engram","version":1,"project":"","notes":[1]}`, true},
		{"an empty list tells that there are none", `{"format":"engram","version":1,"project":"","memories":[]}`, false},
		{"nulls of the dialect tell it, too", `{"version":"0.1.0","exported_at":"2026-01-02 03:04:05","sessions":null,"observations":null,"prompts":null}`, false},
		{"vectors of a graph are read over", `{"memories":[],"relationships":null,"embeddings":{}}`, false},
		{"a list of the dialect has no place in a native one", `{"format":"engram","version":1,"observations":[{"id":1}],"memories":[]}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head, all, err := read(strings.NewReader(tt.file))
			if err != nil || len(all) > 0 || slices.Contains(head.Lacks, engram.EntityMemory) != tt.lacks {
				t.Errorf("read %s\n got it lacks %v, %d records, %v\nwant that it lacks memories: %v", tt.file, head.Lacks, len(all), err, tt.lacks)
			}
		})
	}
}

func TestTheDialectOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		version string
		code    engram.Code
	}{{"0.1.0", ""}, {"0.9", ""}, {"v0.1.0", ""}, {"99", engram.CodeConflict}, {"1", ""}, {"2.0.0", engram.CodeConflict}, {"x", engram.CodeConflict}} {
		for _, lists := range []string{`"observations":[]`, `"sessions":null,"observations":null`} {
			file := `{"version":"` + tt.version + `","exported_at":"2026-01-02 03:04:05",` + lists + `}`
			_, _, err := read(strings.NewReader(file))
			if (err == nil) != (tt.code == "") || err != nil && engram.CodeOf(err) != tt.code {
				t.Errorf("read %s\n got %v\nwant code %q", file, err, tt.code)
			}
		}
	}
}

func TestWhatCannotBeReadHasAHint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, want string }{
		{"an archive", "PK\x03\x04\x14\x00\x00\x00", "zip archive"},
		{"another format", `{"format":"other","memories":[]}`, `the unknown format "other"`},
		{"nothing", "", "the file is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := read(strings.NewReader(tt.file))
			told, ok := errors.AsType[*engram.Error](err)
			if !ok || !strings.Contains(told.Msg, tt.want) || told.Hint == "" {
				t.Errorf("read %q\n got %+v\nwant %s, with a hint", tt.file, err, tt.want)
			}
		})
	}
}
