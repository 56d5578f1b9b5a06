// Package foreign reads the memory of other programs: databases, JSON lines, folders of Markdown. A
// package for each program describes its format and what becomes of it; docs/migrate.md describes
// it for users. Here is what they are (Open) and where they are found (Places, Usual).
//
// Nothing of theirs is changed, and no file appears beside it: a database in use is copied first.
// Names are derived from the system and its own ids, so that repeated imports match; the source is
// kept in metadata (source, source_id, source_path). The engine checks the values.
//
// Input may come from anywhere: sizes are limited, links out of a folder are not followed, and an
// invalid item is passed on with the reason.
package foreign

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/basicmemory"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/claudecode"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/claudemem"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/earlier"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/instructions"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/markdown"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/mcpmemory"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/pages"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Systems lists the systems in the order of the help.
func Systems() []source.System {
	return []source.System{source.Markdown, source.Engram, source.ClaudeMem, source.MCPMemory, source.BasicMemory, source.MemoryMD, source.ClaudeCode}
}

// Open opens the memory of a system at path, a file or a folder. CodeInvalid for an unknown system
// or another format, CodeNotFound if nothing is there.
func Open(ctx context.Context, s source.System, path string, o source.Options) (engram.Source, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, engram.Errorf(engram.CodeNotFound, "%s does not exist", path)
	case err != nil:
		return nil, source.Unreadable(path, err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, engram.Errorf(engram.CodeInvalid, "%s is neither a file nor a folder", path)
	case !info.IsDir() && info.Size() == 0:
		return nil, engram.Errorf(engram.CodeInvalid, "%s is empty", path).WithHint("copy it again")
	case !info.IsDir():
		f, err := os.Open(path) // report an unreadable file at once
		if err != nil {
			return nil, source.Unreadable(path, err)
		}
		_ = f.Close() // nothing was written
	}
	switch s {
	case source.Engram:
		return earlier.Open(ctx, path, info, o)
	case source.ClaudeMem:
		return claudemem.Open(ctx, path, info, o)
	case source.MCPMemory:
		return mcpmemory.Open(path, info, o)
	case source.BasicMemory:
		return basicmemory.Open(path, info, o)
	case source.ClaudeCode:
		return claudecode.Open(path, info, o)
	case source.MemoryMD:
		return instructions.Open(path, info, o)
	case source.Markdown:
		return markdown.Open(path, info, o)
	}
	var names []string
	for _, known := range Systems() {
		names = append(names, string(known))
	}
	return nil, engram.Errorf(engram.CodeInvalid, "system %q does not exist", string(s)).WithHint("use one of %s", strings.Join(names, ", "))
}

// Where locates the usual places of other systems.
type Where struct {
	Home string // the user's; "" for none
	Dir  string // the working folder
	// Env looks a variable up; nil finds nothing.
	Env func(name string) (string, bool)
}

// Places returns the existing usual places of a system: paths for Open, each once, best first.
func Places(s source.System, w Where) []string {
	var out []string
	for _, p := range Usual(s, w) {
		if there(s, p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// Usual returns the usual places of a system, existing or not. A * in a path matches any name.
func Usual(s source.System, w Where) []string {
	switch s {
	case source.Engram:
		return append(w.files(earlier.File, w.env("ENGRAM_DATA_DIR"), w.home(".engram")), w.earlier()...)
	case source.ClaudeMem:
		return w.files(claudemem.File, w.env("CLAUDE_MEM_DATA_DIR"), w.home(".claude-mem"))
	case source.MCPMemory:
		return append(some(w.expanded(w.env("MEMORY_FILE_PATH"))),
			w.glob(".npm", "_npx", "*", "node_modules", "@modelcontextprotocol", "server-memory", "dist", "memory.json*")...)
	case source.BasicMemory:
		return append(append(some(w.expanded(w.env("BASIC_MEMORY_HOME"))), w.basicProjects()...), some(w.home("basic-memory"))...)
	case source.ClaudeCode:
		return w.slugs()
	case source.MemoryMD, source.Markdown:
		return some(w.Dir)
	}
	return nil
}

// there reports whether a place has a system's memory. Our own database has the same name as those
// of the mem_* dialect, and an application ID that they lack.
func there(s source.System, p string) bool {
	info, err := os.Stat(p)
	if err != nil {
		return false
	}
	switch s {
	case source.Engram:
		return !info.IsDir() && database.Check(p, p) == nil && applicationID(p) == 0
	case source.ClaudeMem:
		return !info.IsDir() && database.Check(p, p) == nil
	case source.MCPMemory:
		return info.Mode().IsRegular()
	case source.MemoryMD:
		return anyIn(p, func(name string) bool { return instructions.Names(name) || name == ".cursor" || name == ".windsurf" })
	case source.Markdown:
		return anyIn(p, func(name string) bool { return markdown.IsPage(name) })
	case source.BasicMemory:
		return info.IsDir() && anyIn(p, func(name string) bool { return pages.IsMarkdown(name) || !pages.Hidden(name) })
	}
	return info.IsDir()
}

func anyIn(dir string, want func(name string) bool) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return want(e.Name()) })
}

// applicationID returns the application ID of a database, at byte 68.
func applicationID(path string) uint32 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 72)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0
	}
	return binary.BigEndian.Uint32(head[68:])
}

// earlier returns places of earlier Engrams: their configured database, and the data folders of
// operating systems.
func (w Where) earlier() []string {
	out := some(w.expanded(w.env("ENGRAM_DB_PATH")))
	for _, data := range []string{w.env("XDG_DATA_HOME"), w.home(".local", "share"), w.home("Library", "Application Support"), w.env("APPDATA"), w.env("LOCALAPPDATA")} {
		if data == "" {
			continue
		}
		found, err := filepath.Glob(filepath.Join(w.expanded(data), "engram", "*.db"))
		if err != nil || len(found) == 0 {
			found = []string{filepath.Join(w.expanded(data), "engram", earlier.File)}
		}
		out = append(out, found...)
	}
	return out
}

func some(p string) []string {
	if p == "" {
		return nil
	}
	return []string{p}
}

func (w Where) env(name string) string {
	if w.Env == nil {
		return ""
	}
	v, _ := w.Env(name)
	return v
}

func (w Where) home(parts ...string) string {
	if w.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{w.Home}, parts...)...)
}

func (w Where) expanded(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return w.home(rest)
	}
	return p
}

func (w Where) files(name string, dirs ...string) []string {
	var out []string
	for _, d := range dirs {
		if d != "" {
			out = append(out, filepath.Join(w.expanded(d), name))
		}
	}
	return out
}

func (w Where) glob(parts ...string) []string {
	pattern := w.home(parts...)
	if pattern == "" {
		return nil
	}
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return []string{pattern}
	}
	return found
}

// basicProjects returns the folders in basic-memory's settings: a path or an object per project.
func (w Where) basicProjects() []string {
	name := w.home(".basic-memory", "config.json")
	info, err := os.Stat(name)
	if err != nil || info.Size() > pages.MaxFile {
		return nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	var config struct {
		Projects map[string]json.RawMessage `json:"projects"`
	}
	if json.Unmarshal(b, &config) != nil {
		return nil
	}
	var out []string
	for _, raw := range config.Projects {
		var dir string
		var object struct {
			Path string `json:"path"`
		}
		if json.Unmarshal(raw, &dir) != nil && json.Unmarshal(raw, &object) == nil {
			dir = object.Path
		}
		if dir != "" {
			out = append(out, w.expanded(dir))
		}
	}
	slices.Sort(out)
	return out
}

// slugs returns Claude Code's memory folders for the working folder and those above it.
func (w Where) slugs() []string {
	base := cmp.Or(w.expanded(w.env("CLAUDE_CONFIG_DIR")), w.home(".claude"))
	if base == "" || w.Dir == "" {
		return nil
	}
	var out []string
	for dir := filepath.Clean(w.Dir); ; dir = filepath.Dir(dir) {
		out = append(out, filepath.Join(base, "projects", claudecode.Slug(dir), "memory"))
		if dir == filepath.Dir(dir) {
			return out
		}
	}
}
