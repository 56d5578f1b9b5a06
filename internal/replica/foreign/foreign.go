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
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/basicmemory"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/claudecode"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/claudemem"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/earlier"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/instructions"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/markdown"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/mcpmemory"
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
