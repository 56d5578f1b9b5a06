// Package source is what the readers of other programs' memory share: Source, whose records come from a
// function, their stable names, and the meaning of times, words for relations and lines.
package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
)

// SQLiteMagic opens every SQLite database.
const SQLiteMagic = "SQLite format 3\x00"

// Missing is CodeNotFound if nothing is at path, else CodeUnavailable.
func Missing(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return engram.Errorf(engram.CodeNotFound, "%s does not exist", path)
	}
	return Unreadable(path, err)
}

// System is another program, or a kind of files.
type System string

// The systems.
const (
	Engram      System = "engram"       // database or JSON export of a program of the mem_* or memory_* dialect
	ClaudeMem   System = "claude-mem"   // its SQLite database
	MCPMemory   System = "mcp-memory"   // JSON lines of the reference memory server of the Model Context Protocol
	BasicMemory System = "basic-memory" // its folder of notes
	ClaudeCode  System = "claude-code"  // the folder of its auto memory
	MemoryMD    System = "memory-md"    // instructions for agents: AGENTS.md, CLAUDE.md, rules
	Markdown    System = "markdown"     // reflexes.md, episodes.md, preferences.md, project_graph.md, or any other
)

// Options configure reading.
type Options struct {
	// Here is the project of items without one; "" for none.
	Here string
	// HereDir is the folder of the project Here; "" if unknown.
	HereDir string
	// Project overrides all projects; "" keeps them.
	Project string
	// ProjectOf returns the project of a local folder; nil or "" means the folder's name.
	ProjectOf func(ctx context.Context, dir string) string
	// Temp is the folder for copies of databases in use; "" is the system's.
	Temp string
}

// Home returns the project of items without one.
func (o Options) Home() string {
	if o.Project != "" {
		return project.Normalize(o.Project)
	}
	return project.Normalize(o.Here)
}

// Inside returns the system's file in a folder, or path itself if it is a file.
func Inside(path string, info fs.FileInfo, name string) string {
	if info.IsDir() {
		return filepath.Join(path, name)
	}
	return path
}

// Unreadable is CodeUnavailable for a path.
func Unreadable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot read %s", path).WithCause(err)
}

// Source is an engram.Source whose records come from a function.
type Source struct {
	Head engram.Snapshot
	// Each passes the records to yield until it returns false.
	Each  func(ctx context.Context, yield func(engram.Record) bool) error
	Done  func() error // called by Close; may be nil
	notes []engram.ImportNote
}

// Read implements engram.Source.
func (s *Source) Read(ctx context.Context) (engram.Snapshot, iter.Seq2[engram.Record, error], error) {
	return s.Head, func(yield func(engram.Record, error) bool) {
		stopped := false
		err := s.Each(ctx, func(r engram.Record) bool {
			stopped = !yield(r, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(engram.Record{}, err)
		}
	}, nil
}

// Notes implements engram.Source.
func (s *Source) Notes() []engram.ImportNote { return slices.Clone(s.notes) }

// Close implements engram.Source.
func (s *Source) Close() error {
	if s.Done == nil {
		return nil
	}
	return s.Done()
}

// Note notes something about an item, up to a limit.
func (s *Source) Note(item, reason string) {
	if len(s.notes) < engram.MostImportNotes {
		s.notes = append(s.notes, engram.ImportNote{Item: item, Reason: reason})
	}
}

// Naming derives stable names. space separates equal ids in two stores of one system: a project, or
// "" if ids are unique.
type Naming struct {
	System System
	Space  string
}

// Digest returns 16 hex digits, like the ids that stores create.
func (n Naming) Digest(kind string, id []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{"foreign", kind, string(n.System), n.Space}, id...), "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Memory returns the name of the memory with an id there.
func (n Naming) Memory(id ...string) string { return "obs-" + n.Digest("memory", id) }

// Prompt returns the name of the prompt with an id there.
func (n Naming) Prompt(id ...string) string { return "prompt-" + n.Digest("prompt", id) }

// Relation returns the name of the relation with an id there.
func (n Naming) Relation(id ...string) string {
	return engram.RelationIDPrefix + n.Digest("relation", id)
}

// Origin returns the metadata about the source of a memory: the system, its id there, the relative
// file ("" for none), and more. It has no local path, because memories are shared. A single-file
// store has the name its program uses, so a renamed copy imports the same.
func (n Naming) Origin(id, path string, more map[string]any) map[string]any {
	m := map[string]any{"source": string(n.System), "source_id": id}
	if path != "" {
		m["source_path"] = path
	}
	maps.Copy(m, more)
	return m
}

// Dated is origin for items that only have the time of their file.
func (n Naming) Dated(id, path string, more map[string]any) map[string]any {
	m := n.Origin(id, path, more)
	m[engram.SourceDated] = "file"
	return m
}

// MostListed is the most entries of a list in metadata.
const MostListed = 100

// Listed returns a list for metadata.
func Listed(list []string) []any {
	out := make([]any, 0, min(len(list), MostListed))
	for _, s := range list[:min(len(list), MostListed)] {
		out = append(out, s)
	}
	return out
}

// NewMemory returns a memory without ratings.
func NewMemory(m engram.Memory) engram.Record {
	m.Importance, m.Strength = engram.DefaultImportance, 1
	m.Scope, m.UpdatedAt = cmp.Or(m.Scope, engram.ScopeProject), cmp.Or(m.UpdatedAt, m.CreatedAt)
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
}

// Reading is the meaning of a word for a relation.
type Reading struct {
	Verb    engram.Verb
	inverse bool // the word is seen from the other end
}

// Ends returns the ends of a relation in the direction of its verb.
func (r Reading) Ends(from, to string) (string, string) {
	if r.inverse {
		return to, from
	}
	return from, to
}

// readings are words of other systems that match a verb better than relates_to. Only unambiguous
// words become judgments, which replace or contradict a memory.
func readings() map[string]Reading {
	words := map[string]Reading{}
	for verb, said := range map[engram.Verb]struct{ same, inverse string }{
		engram.VerbSupersedes:  {"supersedes replaces obsoletes", "superseded_by replaced_by obsoleted_by"},
		engram.VerbContradicts: {"contradicts conflicts_with refutes disproves", "contradicted_by refuted_by"},
		engram.VerbDerivedFrom: {"derived_from based_on builds_on extends inspired_by adapted_from refines", "basis_of extended_by inspired inspires refined_by"},
		engram.VerbEvolvedFrom: {"evolved_from continues follows follows_from successor_of", "continued_by evolved_into predecessor_of"},
		engram.VerbCausedBy:    {"caused_by because_of due_to results_from result_of triggered_by", "causes caused leads_to led_to triggers results_in"},
	} {
		for _, w := range strings.Fields(said.same) {
			words[w] = Reading{verb, false}
		}
		for _, w := range strings.Fields(said.inverse) {
			words[w] = Reading{verb, true}
		}
	}
	return words
}

// ReadingOf returns the nearest verb.
func ReadingOf(name string) Reading {
	word := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '\t' }), "_")
	if r, known := readings()[word]; known {
		return r
	}
	return Reading{engram.VerbRelatesTo, false}
}

// Relation is a relation as another system has it.
type Relation struct {
	From, To string // names of memories, made by naming
	Word     string // the system's word for it
	About    string // its remark; "" for none
	Item     string
	At       time.Time
}

// Relations merges relations between the same two memories whose words are one verb here; the reason
// keeps all words.
type Relations struct {
	Naming
	order []string
	known map[string]*merged
}

type merged struct {
	Relation
	verb    engram.Verb
	reasons []string
}

// Add adds a relation to those of the same memories and verb.
func (t *Relations) Add(x Relation) {
	r := ReadingOf(x.Word)
	reason := x.Word
	if x.About != "" {
		reason += " (" + x.About + ")"
	}
	other := r.inverse
	x.From, x.To = r.Ends(x.From, x.To)
	pair := func(a, b string) string { return a + "\x00" + string(r.Verb) + "\x00" + b }
	k := pair(x.From, x.To)
	// relates_to is symmetric: it is one relation, from whichever end.
	if back := pair(x.To, x.From); r.Verb == engram.VerbRelatesTo && back != k && t.known[back] != nil {
		k, other = back, true
	}
	if other {
		reason += ", said from the other end"
	}
	was := t.known[k]
	if was == nil {
		was = &merged{Relation: x, verb: r.Verb}
		if t.known == nil {
			t.known = map[string]*merged{}
		}
		t.known[k], t.order = was, append(t.order, k)
	}
	if x.At.After(was.At) {
		was.At = x.At
	}
	if !slices.Contains(was.reasons, reason) {
		was.reasons = append(was.reasons, reason)
	}
}

// Each yields the relations in the order of their first mention.
func (t *Relations) Each(yield func(engram.Record) bool) {
	for _, k := range t.order {
		x := t.known[k]
		r := engram.Relation{ID: t.Relation(k), Verb: x.verb, Status: engram.RelationJudged, Strength: 1, Reason: strings.Join(x.reasons, "; "),
			Actor: string(t.System), ActorKind: "agent", CreatedAt: x.At, UpdatedAt: x.At}
		record := engram.Record{Item: x.Item, Relation: &engram.RelationRecord{Relation: r, Source: engram.Ref{SyncID: x.From}, Target: engram.Ref{SyncID: x.To}}}
		if !yield(record) {
			return
		}
	}
}
