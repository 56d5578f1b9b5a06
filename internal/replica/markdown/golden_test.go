package markdown

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

var update = flag.Bool("update", false, "write the golden files anew")

// begin opens a vault for a test.
func begin(t *testing.T, o Options, how engram.VaultMode) *notes {
	t.Helper()
	v, err := New(o).Begin(t.Context(), how)
	if err != nil {
		t.Fatalf("begin %+v: %v", o, err)
	}
	return v.(*notes)
}

// story is a vault of three memories and what links to them.
func story() (all []engram.VaultNote, hubs []engram.Hub) {
	day := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	auth := engram.Memory{ID: "mem_01m806jkpqhmcmj478e3cqpkg0", SyncID: "obs-1e778c7086a98ef9", Project: "shop", Scope: engram.ScopeProject,
		Type: engram.TypeDecision, Title: `Auth: "JWT" | [draft] <b>`, Content: "# Tokens\n\nThey live 15 minutes.\n---\nid: other\n", Tags: []string{"auth", "true", "a: b"},
		TopicKey: "architecture/auth-model", SessionID: "s1", Origin: engram.OriginAgent, Importance: 0.75, Permanent: true,
		CreatedAt: day, UpdatedAt: day.Add(time.Hour), ReviewAfter: day.AddDate(0, 6, 0), ValidFrom: day, ValidTo: day.AddDate(1, 0, 0), RevisionCount: 3}
	pool := engram.Memory{ID: "mem_01m806jkqe0364cf297dkbdxsc", SyncID: "obs-0123456789abcdef", Project: "shop", Scope: engram.ScopeGlobal,
		Type: "fact", Title: "Pool size", Content: "The pool has 20 connections", TopicKey: "architecture/pool", Origin: engram.OriginHuman,
		Importance: 0.5, CreatedAt: day, UpdatedAt: day, RevisionCount: 1}
	bare := engram.Memory{ID: "mem_01m806jkrjy4h96ewm5785rw78", Scope: engram.ScopePersonal, Type: engram.TypeManual, Title: "…", Content: marker, Importance: 0.5,
		CreatedAt: day, UpdatedAt: day}
	place := func(m engram.Memory) engram.NotePlace {
		return engram.NotePlace{ID: m.ID, Project: m.Project, Type: m.Type, Title: m.Title}
	}
	topic := engram.Hub{Kind: engram.HubTopic, Key: "shop/architecture", Project: "shop", Title: "architecture", Members: []engram.NotePlace{place(auth), place(pool)}}
	session := engram.Hub{Kind: engram.HubSession, Key: "s1", Project: "shop", Title: "s1", Text: "Started 2026-06-12T09:00:00Z\n\nTokens were moved.", Members: []engram.NotePlace{place(auth)}}
	all = []engram.VaultNote{
		{Memory: auth, Hubs: []engram.Hub{session, topic}, Links: []engram.NoteLink{
			{Verb: engram.VerbSupersedes, Outgoing: true, ID: pool.ID, Title: pool.Title, Reason: "newer\n## and louder [[x]]"},
			{Verb: engram.VerbContradicts, Pending: true, ID: bare.ID, Title: bare.Title},
			{Verb: engram.VerbRelatesTo, ID: "mem_01m806jkrjy4h96ewm5785rw79", Title: "In no vault"}}},
		{Memory: pool, Hubs: []engram.Hub{topic}, Links: []engram.NoteLink{{Verb: engram.VerbSupersedes, ID: auth.ID, Title: auth.Title}}},
		{Memory: bare},
	}
	return all, []engram.Hub{session, topic}
}

// report writes the story to a vault, and returns the result for each note.
func report(t *testing.T, n *notes) (done []engram.NoteDone) {
	t.Helper()
	all, hubs := story()
	for _, v := range all {
		n.Place(engram.NotePlace{ID: v.Memory.ID, Project: v.Memory.Project, Type: v.Memory.Type, Title: v.Memory.Title})
	}
	for _, v := range all {
		d, err := n.Put(v)
		if err != nil {
			t.Fatalf("put %s: %v", v.Memory.ID, err)
		}
		done = append(done, d)
	}
	if _, err := n.PutHubs(hubs, []string{"shop", ""}); err != nil {
		t.Fatal(err)
	}
	if err := n.Dress(); err != nil {
		t.Fatal(err)
	}
	return done
}

// A note is a format that scripts and queries read. A change here changes every vault.
func TestNotesLookAsTheyDid(t *testing.T) {
	for _, tt := range []struct {
		golden string
		opts   Options
	}{
		{"obsidian", Options{Graph: GraphPreserve}},
		{"markdown", Options{PlainLinks: true}},
	} {
		t.Run(tt.golden, func(t *testing.T) {
			tt.opts.Dir = t.TempDir()
			n := begin(t, tt.opts, engram.VaultMode{})
			report(t, n)
			if err := n.End(); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			files := filesOf(t, tt.opts.Dir)
			for _, name := range slices.Sorted(func(yield func(string) bool) {
				for k := range files {
					if !yield(k) {
						return
					}
				}
			}) {
				if !strings.HasSuffix(name, stateName) {
					fmt.Fprintf(&got, "=== %s\n%s\n", name, files[name])
				}
			}
			golden := filepath.Join("testdata", tt.golden+".golden")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the vault is not %s; go test -update writes it anew\n got %s\nwant %s", golden, got.Bytes(), want)
			}
		})
	}
}

func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
