package foreign_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// fileTime is the time of the files of these tests.
func fileTime() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// folder writes files to a new folder, all of the same time.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, fileTime(), fileTime()); err != nil {
		t.Fatal(err)
	}
}

// everything is the content of a source.
type everything struct {
	head     engram.Snapshot
	records  []engram.Record
	memories []engram.Memory
	notes    []engram.ImportNote
}

// open reads a whole source and checks that its folder is unchanged.
func open(t *testing.T, s source.System, path string, o source.Options) (everything, error) {
	t.Helper()
	before := look(t, path)
	defer func() {
		if after := look(t, path); !slices.Equal(before, after) {
			t.Errorf("reading %s as %s changed what is there:\nbefore %v\nafter  %v", path, s, before, after)
		}
	}()
	src, err := foreign.Open(t.Context(), s, path, o)
	if err != nil {
		return everything{}, err
	}
	defer func() {
		if err := src.Close(); err != nil {
			t.Errorf("close %s: %v", path, err)
		}
	}()
	var all everything
	head, records, err := src.Read(t.Context())
	if err != nil {
		return all, err
	}
	all.head = head
	for r, err := range records {
		if err != nil {
			return all, err
		}
		all.records = append(all.records, r)
		if r.Memory != nil {
			all.memories = append(all.memories, r.Memory.Memory)
		}
	}
	all.notes = src.Notes()
	return all, nil
}

func must(t *testing.T, s source.System, path string, o source.Options) everything {
	t.Helper()
	all, err := open(t, s, path, o)
	if err != nil {
		t.Fatalf("read %s as %s: %v", path, s, err)
	}
	return all
}

// look lists a folder, or the files beside a file: names, sizes and times.
func look(t *testing.T, path string) []string {
	t.Helper()
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	var seen []string
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			seen = append(seen, fmt.Sprint(p, " ", info.Size(), " ", info.ModTime().UnixNano()))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return seen
}

// memory returns the one memory of that title.
func (e everything) memory(t *testing.T, title string) engram.Memory {
	t.Helper()
	var found []engram.Memory
	for _, m := range e.memories {
		if m.Title == title {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d memories are called %q, want one; there are %q", len(found), title, e.titles())
	}
	return found[0]
}

func (e everything) titles() []string {
	var out []string
	for _, m := range e.memories {
		out = append(out, m.Title)
	}
	return out
}

// relations formats relations as "A verb B: reason", by titles.
func (e everything) relations() []string {
	name := map[string]string{}
	for _, m := range e.memories {
		name[m.SyncID] = m.Title
	}
	var out []string
	for _, r := range e.records {
		if r.Relation != nil {
			out = append(out, fmt.Sprintf("%s %s %s: %s", name[r.Relation.Source.SyncID], r.Relation.Relation.Verb, name[r.Relation.Target.SyncID], r.Relation.Relation.Reason))
		}
	}
	return out
}

// flaws formats flaws as "item: reason".
func (e everything) flaws() []string {
	var out []string
	for _, r := range e.records {
		if r.Flaw != nil {
			out = append(out, r.Item+": "+r.Flaw.Error())
		}
	}
	return out
}

func (e everything) noted() []string {
	var out []string
	for _, n := range e.notes {
		out = append(out, n.Item+": "+n.Reason)
	}
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	dir := folder(t, map[string]string{"notes/a.md": "a", "text.db": strings.Repeat("no database ", 20), "empty.db": "", "empty.jsonl": "", "other.jsonl": `{"a":1}` + "\n"})
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		system source.System
		path   string
		want   engram.Code
	}{
		{"a path at which nothing is", source.ClaudeMem, "away", engram.CodeNotFound},
		{"a system that nobody knows", "memex", "notes", engram.CodeInvalid},
		{"a text that is called a database", source.ClaudeMem, "text.db", engram.CodeInvalid},
		{"an empty database", source.Engram, "empty.db", engram.CodeInvalid},
		{"a folder without the database", source.ClaudeMem, "nothing", engram.CodeNotFound},
		{"a folder without notes", source.BasicMemory, "nothing", engram.CodeNotFound},
		{"a folder without instructions", source.MemoryMD, "notes", engram.CodeNotFound},
		{"a folder without pages", source.Markdown, "nothing", engram.CodeNotFound},
		{"a folder without auto memory", source.ClaudeCode, "nothing", engram.CodeNotFound},
		{"a folder without a graph", source.MCPMemory, "nothing", engram.CodeNotFound},
		{"lines that are no graph", source.MCPMemory, "other.jsonl", engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.system, filepath.Join(dir, tt.path), source.Options{})
			if engram.CodeOf(err) != tt.want {
				t.Errorf("open %s as %s: %v (%s), want %s", tt.path, tt.system, err, engram.CodeOf(err), tt.want)
			}
		})
	}
}

func TestAnEmptyGraphIsOne(t *testing.T) {
	dir := folder(t, map[string]string{"memory.jsonl": "\n"})
	if all := must(t, source.MCPMemory, filepath.Join(dir, "memory.jsonl"), source.Options{}); len(all.records) != 0 {
		t.Errorf("got %+v, want nothing", all.records)
	}
}

// Reading twice gives the same names, wherever the source is.
func TestNamesAreTheSameEachTime(t *testing.T) {
	files := map[string]string{
		"memory.jsonl": `{"type":"entity","name":"Ana","entityType":"person","observations":["a"]}` + "\n", "AGENTS.md": "# A\n\n## B\n\ntext\n\n## B\n\nother\n",
		"reflexes.md": "- one\n- two\n"}
	for _, tt := range []struct {
		system source.System
		path   string
	}{{source.MCPMemory, "memory.jsonl"}, {source.MemoryMD, ""}, {source.Markdown, ""}, {source.BasicMemory, ""}} {
		names := func(project string) (ids []string) {
			for _, m := range must(t, tt.system, filepath.Join(folder(t, files), tt.path), source.Options{Here: project}).memories {
				ids = append(ids, m.SyncID)
			}
			return ids
		}
		first, again, other := names("shop"), names("shop"), names("blog")
		same(t, string(tt.system), again, first)
		for _, id := range other {
			if slices.Contains(first, id) {
				t.Errorf("%s: %s names something in two projects", tt.system, id)
			}
		}
		if unique := slices.Compact(slices.Sorted(slices.Values(first))); len(unique) != len(first) || len(first) == 0 {
			t.Errorf("%s: names %q, want each once", tt.system, first)
		}
	}
}
