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
