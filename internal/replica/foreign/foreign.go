// Package foreign reads the memory of other programs: databases, JSON lines, folders of Markdown. A
// file for each program describes its format and what becomes of it; docs/migrate.md describes it
// for users.
//
// Nothing of theirs is changed, and no file appears beside it: a database in use is copied first.
// Names are derived from the system and its own ids, so that repeated imports match; the source is
// kept in metadata (source, source_id, source_path). The engine checks the values.
//
// Input may come from anywhere: sizes are limited, links out of a folder are not followed, and an
// invalid item is passed on with the reason.
package foreign

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
)

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

// Systems lists the systems in the order of the help.
func Systems() []System {
	return []System{Markdown, Engram, ClaudeMem, MCPMemory, BasicMemory, MemoryMD, ClaudeCode}
}

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

// home returns the project of items without one.
func (o Options) home() string {
	if o.Project != "" {
		return project.Normalize(o.Project)
	}
	return project.Normalize(o.Here)
}

// Open opens the memory of a system at path, a file or a folder. CodeInvalid for an unknown system
// or another format, CodeNotFound if nothing is there.
func Open(ctx context.Context, s System, path string, o Options) (engram.Source, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, engram.Errorf(engram.CodeNotFound, "%s does not exist", path)
	case err != nil:
		return nil, unreadable(path, err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, engram.Errorf(engram.CodeInvalid, "%s is neither a file nor a folder", path)
	case !info.IsDir() && info.Size() == 0:
		return nil, engram.Errorf(engram.CodeInvalid, "%s is empty", path).WithHint("copy it again")
	case !info.IsDir():
		f, err := os.Open(path) // report an unreadable file at once
		if err != nil {
			return nil, unreadable(path, err)
		}
		_ = f.Close() // nothing was written
	}
	switch s {
	case Engram:
		return openEngram(ctx, path, info, o)
	case ClaudeMem:
		return openClaudeMem(ctx, path, info, o)
	case MCPMemory:
		return openGraph(path, info, o)
	case BasicMemory:
		return openNotes(path, info, o)
	case ClaudeCode:
		return openClaudeCode(path, info, o)
	case MemoryMD:
		return openInstructions(path, info, o)
	case Markdown:
		return openMarkdown(path, info, o)
	}
	var names []string
	for _, known := range Systems() {
		names = append(names, string(known))
	}
	return nil, engram.Errorf(engram.CodeInvalid, "system %q does not exist", string(s)).WithHint("use one of %s", strings.Join(names, ", "))
}

// inside returns the system's file in a folder, or path itself if it is a file.
func inside(path string, info fs.FileInfo, name string) string {
	if info.IsDir() {
		return filepath.Join(path, name)
	}
	return path
}

func unreadable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot read %s", path).WithCause(err)
}

// source is a Source whose records come from a function.
type source struct {
	head  engram.Snapshot
	each  func(ctx context.Context, yield func(engram.Record) bool) error
	close func() error
	notes []engram.ImportNote
}

// Read implements engram.Source.
func (s *source) Read(ctx context.Context) (engram.Snapshot, iter.Seq2[engram.Record, error], error) {
	return s.head, func(yield func(engram.Record, error) bool) {
		stopped := false
		err := s.each(ctx, func(r engram.Record) bool {
			stopped = !yield(r, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(engram.Record{}, err)
		}
	}, nil
}

// Notes implements engram.Source.
func (s *source) Notes() []engram.ImportNote { return slices.Clone(s.notes) }

// Close implements engram.Source.
func (s *source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

func (s *source) note(item, reason string) {
	if len(s.notes) < engram.MostImportNotes {
		s.notes = append(s.notes, engram.ImportNote{Item: item, Reason: reason})
	}
}
