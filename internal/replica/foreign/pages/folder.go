// Package pages reads folders of Markdown as other programs write it: the files (folder.go), their
// sections and wiki links (sections.go), and memories made of them (papers.go).
//
// Input may come from anywhere: sizes are limited, and links out of a folder are not followed.
package pages

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Limits of a folder.
const (
	MaxFile    = 16 << 20 // bytes of a text file
	mostFiles  = 50_000
	deepest    = 32      // nested folders
	mostLooked = 500_000 // entries examined, wanted or not
)

// Folder is a folder of text files, or one such file. It follows neither links that lead out of it
// nor links to folders, which could be cyclic.
type Folder struct {
	Root *os.Root
	only string // the one file to read; "" for all
}

// OpenFolder opens a folder, or the folder of the named file.
func OpenFolder(name string, info fs.FileInfo) (*Folder, error) {
	// A link named by the user is followed.
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, source.Missing(name, err)
	}
	only := ""
	if !info.IsDir() {
		real, only = filepath.Dir(real), filepath.Base(real)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, source.Unreadable(name, err)
	}
	return &Folder{Root: root, only: only}, nil
}

// Page is a text file.
type Page struct {
	Path    string // relative, with slashes
	Text    string // with \n as line ends
	At      time.Time
	missing error // why there is no text
}

// Stem is the file name without its extension.
func (p Page) Stem() string { return strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path)) }

// Find returns the paths of the wanted files, sorted.
func (f *Folder) Find(ctx context.Context, enter func(dir string) bool, want func(file string) bool) ([]string, error) {
	if f.only != "" {
		return []string{f.only}, nil
	}
	var found []string
	looked := 0
	err := fs.WalkDir(f.Root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if looked++; looked > mostLooked || len(found) > mostFiles {
			return engram.Errorf(engram.CodeInvalid, "the folder has more than %d files", mostFiles).WithHint("name a folder further inside")
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && p == ".":
			return source.Unreadable("the folder", err)
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir // skip what may not be read
		case err != nil:
			return nil
		case d.IsDir() && p != "." && (strings.Count(p, "/") >= deepest || !enter(p)):
			return fs.SkipDir
		case !d.IsDir() && want(p):
			found = append(found, p)
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

func (f *Folder) text(name string) (string, time.Time, error) {
	flaw := func(format string, args ...any) (string, time.Time, error) {
		return "", time.Time{}, engram.Errorf(engram.CodeInvalid, format, args...)
	}
	info, err := f.Root.Stat(filepath.FromSlash(name))
	if err != nil {
		if at, linked := f.Root.Lstat(filepath.FromSlash(name)); linked == nil && at.Mode()&fs.ModeSymlink != 0 {
			return flaw("it is a link out of the folder, or to nothing")
		}
		return flaw("cannot read it: %v", errors.Unwrap(err))
	}
	switch {
	case info.IsDir():
		return flaw("it is a folder, or a link to one")
	case !info.Mode().IsRegular(): // opening a pipe would block
		return flaw("it is not a file")
	case info.Size() > MaxFile:
		return flaw("it has %d bytes, the limit is %d", info.Size(), MaxFile)
	}
	file, err := f.Root.Open(filepath.FromSlash(name))
	if err != nil {
		return flaw("cannot read it: %v", errors.Unwrap(err))
	}
	defer func() { _ = file.Close() }()
	b, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	switch {
	case err != nil:
		return flaw("cannot read it: %v", errors.Unwrap(err))
	case len(b) > MaxFile:
		return flaw("it is longer than %d bytes", MaxFile)
	case notMarkdown(b) != "":
		return flaw("it is %s, not Markdown", notMarkdown(b))
	case !utf8.Valid(b):
		return flaw("it is not valid UTF-8")
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	return strings.ReplaceAll(text, "\r\n", "\n"), info.ModTime().UTC(), nil
}

// notMarkdown names the kind of a file that is not Markdown; "" if it may be. It would become one
// long, unreadable memory.
func notMarkdown(b []byte) string {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), " \t\r\n")
	open, after := byte(0), []byte(nil)
	if len(trimmed) > 0 {
		open, after = trimmed[0], bytes.TrimLeft(trimmed[1:], " \t\r\n")
	}
	switch {
	case bytes.HasPrefix(b, []byte(source.SQLiteMagic)):
		return "a SQLite database"
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		return "a gzip file"
	case bytes.IndexByte(b, 0) >= 0:
		return "binary data"
	case open == '{' && (bytes.HasPrefix(after, []byte(`"`)) || bytes.HasPrefix(after, []byte("}"))), open == '[' && bytes.HasPrefix(after, []byte("{")):
		return "JSON"
	}
	return ""
}

// Hidden reports whether a file or folder has a dot name.
func Hidden(p string) bool { return strings.HasPrefix(path.Base(p), ".") }

// IsMarkdown reports whether a file is named like Markdown.
func IsMarkdown(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".mdc", ".markdown":
		return true
	}
	return false
}

// Borrowed reports whether a folder holds third-party or generated files.
func Borrowed(dir string) bool {
	switch path.Base(dir) {
	case "node_modules", "vendor", "third_party", "target", "dist", "build", "venv", "__pycache__", "bower_components":
		return true
	}
	return false
}

// Ordinary reports whether a folder may have pages: neither hidden nor third-party.
func Ordinary(dir string) bool { return !Hidden(dir) && !Borrowed(dir) }
