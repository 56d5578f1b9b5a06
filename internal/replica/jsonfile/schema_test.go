package jsonfile_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

const docs = "../../../docs"

// published is the schema in the documents.
func published(t testing.TB) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile("export.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatalf("export.schema.json: %v", err)
	}
	return &s
}

func checker(t testing.TB) func(file string) error {
	t.Helper()
	r, err := published(t).Resolve(nil)
	if err != nil {
		t.Fatalf("export.schema.json: %v", err)
	}
	return func(file string) error {
		var v any
		if err := json.Unmarshal([]byte(file), &v); err != nil {
			return err
		}
		return r.Validate(v)
	}
}

// exampleOfTheDocuments is the file in docs/moving.md.
func exampleOfTheDocuments(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(docs, "moving.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```json\n(\\{\"format\".*?)```").FindSubmatch(b)
	if example == nil {
		t.Fatal("docs/moving.md has no example of a file")
	}
	return string(example[1])
}

func TestExportsAreAsTheSchemaSays(t *testing.T) {
	t.Parallel()
	check := checker(t)
	for name, file := range map[string]string{
		"one of everything":          write(t, jsonfile.Native{}, engram.Snapshot{At: instant(0), Program: "1.2.3", Project: "shop", Memories: 1}, everything()),
		"nothing":                    write(t, jsonfile.Native{}, engram.Snapshot{}, nil),
		"everything, plain":          write(t, jsonfile.Plain{}, engram.Snapshot{At: instant(0)}, everything()),
		"nothing, plain":             write(t, jsonfile.Plain{}, engram.Snapshot{}, nil),
		"the example":                exampleOfTheDocuments(t),
		"times as others write them": `{"format":"engram","version":1,"memories":[{"content":"a","created_at":1767323045,"updated_at":"2026-06-12 09:00:00"}]}`,
	} {
		if err := check(file); err != nil {
			t.Errorf("%s: %v\n%s", name, err, file)
		}
	}
}

func TestTheSchemaRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	check := checker(t)
	for _, file := range []string{`[]`, `{}`, `{"format":"engram","version":2}`, `{"format":"engram","version":1,"format_version":2}`, `{"format":"engram","version":"0.1.0","format_version":2,"observations":[{"id":"mem_1","content":"a"}]}`, `{"format":"engram","version":1,"memories":{}}`,
		`{"format":"engram","version":1,"memories":[{"title":"a"}]}`, `{"format":"engram","version":1,"memories":[{"content":"a","created_at":"soon"}]}`,
		`{"format":"engram","version":1,"memories":[{"content":"a","lineage":{"base":"yesterday"}}]}`, `{"format":"engram","version":1,"erased":[{"kind":"project","id":"a"}]}`} {
		if err := check(file); err == nil {
			t.Errorf("%s is not an export, and fits the schema", file)
		}
	}
}

// Shapes and the schema have the same fields.
func TestTheSchemaHasEveryField(t *testing.T) {
	t.Parallel()
	defs := published(t).Defs
	shapeOf := func(r engram.Record) any { _, item := wire.Encode(r); return item }
	project, session := shapeOf(engram.Record{Project: new(engram.Project)}), shapeOf(engram.Record{Session: new(engram.Session)})
	memory, prompt := shapeOf(engram.Record{Memory: new(engram.MemoryRecord)}), shapeOf(engram.Record{Prompt: new(engram.Prompt)})
	for name, shape := range map[string]any{"project": project, "session": session, "memory": memory, "revision": wire.Revision{},
		"vector": wire.Vector{}, "mem_session": wire.MemSession{}, "observation": wire.Observation{}, "mem_prompt": wire.MemPrompt{}, "prompt": prompt, "relation": wire.Relation{}, "erased": wire.Erased{}, "lineage": engram.CausalMetadata{}} {
		want, got := fieldsOf(reflect.Indirect(reflect.ValueOf(shape)).Type()), slices.Sorted(maps.Keys(defs[name].Properties))
		got = slices.DeleteFunc(got, func(field string) bool { return field == wire.Extra })
		if !slices.Equal(got, want) {
			t.Errorf("$defs/%s\n got %v\nwant %v", name, got, want)
		}
	}
	for name, head := range map[string][]string{"file": {"version", "format_version"}, "plain": {"version"}} {
		lists := wire.Sections()
		if name == "file" {
			lists = jsonfile.Lists()
		}
		want := slices.Sorted(slices.Values(slices.Concat(lists, head, []string{"format", "exported_at", "program", "project", "count"})))
		if got := slices.Sorted(maps.Keys(defs[name].Properties)); !slices.Equal(got, want) {
			t.Errorf("$defs/%s\n got %v\nwant %v", name, got, want)
		}
	}
}

// fieldsOf returns the names of a shape's JSON fields, sorted.
func fieldsOf(shape reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(shape) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
