package claudecode

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// projectOf returns the project of a memory folder: that of the repository its slug stands for.
func (c *claudeCode) projectOf(ctx context.Context, dir string) string {
	if c.options.Project != "" {
		return c.options.Home()
	}
	slug, above := c.slug, "."
	if up := path.Dir(dir); dir != "." && up != "." {
		slug, above = path.Base(up), up
	}
	if !strings.HasPrefix(slug, "-") && !windowsSlug(slug) {
		return c.options.Home() // a custom folder
	}
	if c.options.HereDir != "" && Slug(filepath.Clean(c.options.HereDir)) == slug {
		return c.options.Home()
	}
	if cwd := c.workedIn(above, slug); cwd != "" {
		if c.options.ProjectOf != nil {
			if name := c.options.ProjectOf(ctx, cwd); name != "" {
				return project.Normalize(name)
			}
		}
		return project.Normalize(path.Base(strings.ReplaceAll(cwd, `\`, "/")))
	}
	name := project.Normalize(strings.Trim(slug, "-"))
	c.Note(path.Join(dir, "MEMORY.md"), fmt.Sprintf("its project is named %s after the folder: its real name is unknown", name))
	return name
}

// windowsSlug reports whether a slug is that of a path with a drive: C--Users-ana.
func windowsSlug(slug string) bool { return len(slug) > 3 && slug[1] == '-' && slug[2] == '-' }

// Slug returns Claude Code's name for the folder of a path.
func Slug(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

// workedIn returns the folder that a slug stands for, according to the transcripts beside the
// memory: several paths may have the same slug.
func (c *claudeCode) workedIn(dir, slug string) string {
	const mostTranscripts, mostLines = 8, 200
	paths, err := fs.Glob(c.Folder.Root.FS(), path.Join(dir, "*.jsonl"))
	if err != nil {
		return ""
	}
	for _, p := range paths[:min(len(paths), mostTranscripts)] {
		info, err := c.Folder.Root.Lstat(filepath.FromSlash(p))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		file, err := c.Folder.Root.Open(filepath.FromSlash(p))
		if err != nil {
			continue
		}
		found := ""
		// An unreadable transcript does not matter: the slug is the fallback.
		_ = source.EachLine(file, func(number int, line []byte, _ bool) error {
			var said struct {
				CWD string `json:"cwd"`
			}
			if json.Unmarshal(line, &said) == nil && said.CWD != "" && Slug(said.CWD) == slug {
				found = said.CWD
			}
			if found != "" || number >= mostLines {
				return source.ErrEnough
			}
			return nil
		})
		_ = file.Close()
		if found != "" {
			return found
		}
	}
	return ""
}
