// Package foreign reads what other programs remember: databases, files of JSON lines,
// folders of Markdown. It has a file for each of them, which says in what form that
// program keeps it and what becomes of it here; docs/migrate.md says the same to people.
//
// Nothing of theirs is written, nor is a file left beside it: a database that is in use is
// copied first. Whatever is read has a name that is made of the system and of its own id
// there, so that it is known again; where it came from stands in its metadata (source,
// source_id, source_path). What a record says is for the engine to check.
//
// What is read may come from anywhere: sizes have limits, links that lead out of a folder
// are not followed, and an item that makes no sense is handed on with the reason.
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
	Engram      System = "engram"       // the database or the JSON export of a program of the mem_* or memory_* dialect
	ClaudeMem   System = "claude-mem"   // its SQLite database
	MCPMemory   System = "mcp-memory"   // the JSON lines of the reference memory server of the Model Context Protocol
	BasicMemory System = "basic-memory" // its folder of notes
	ClaudeCode  System = "claude-code"  // the folder of its auto memory
	MemoryMD    System = "memory-md"    // instructions for agents: AGENTS.md, CLAUDE.md, rules
	Markdown    System = "markdown"     // reflexes.md, episodes.md, preferences.md, project_graph.md, or any other
)

// Systems lists the systems in the order in which help shows them.
func Systems() []System {
	return []System{Markdown, Engram, ClaudeMem, MCPMemory, BasicMemory, MemoryMD, ClaudeCode}
}

// Options say how a source is read.
type Options struct {
	// Here is the project of what does not say to which it belongs; "" for none.
	Here string
	// HereDir is the folder of which Here is the project; "" when that is not known.
	HereDir string
	// Project is what everything is to go into; "": where it was.
	Project string
	// ProjectOf is the project of a folder of this machine; nil, and "", are the folder's name.
	ProjectOf func(ctx context.Context, dir string) string
	// Temp is the folder for copies of databases that are in use; "" is the system's own.
	Temp string
}

// home is the project of what does not say to which it belongs.
func (o Options) home() string {
	if o.Project != "" {
		return project.Normalize(o.Project)
	}
	return project.Normalize(o.Here)
}

// Open opens what a system keeps at path, a file or a folder. CodeInvalid for a system that
// does not exist and for what is not of its kind, CodeNotFound where nothing is.
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
		return nil, engram.Errorf(engram.CodeInvalid, "%s is empty", path).WithHint("copy it once more: nothing was written into it, or it was cut off")
	case !info.IsDir():
		f, err := os.Open(path) // who names a file that may not be read is told so at once
		if err != nil {
			return nil, unreadable(path, err)
		}
		_ = f.Close() // nothing was written to it
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
	return nil, engram.Errorf(engram.CodeInvalid, "system %q does not exist", string(s)).WithHint("one of %s", strings.Join(names, ", "))
}

// inside is the file that a system keeps in its folder, where the folder was named.
func inside(path string, info fs.FileInfo, name string) string {
	if info.IsDir() {
		return filepath.Join(path, name)
	}
	return path
}

func unreadable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be read", path).WithCause(err)
}

// source is a Source whose records are made by a function.
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
