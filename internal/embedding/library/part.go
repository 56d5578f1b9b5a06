package library

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/hub"
)

// A part is a file that is being downloaded, beside its final name, with the hashes of what is there. It implements
// hub.Part. The tag has a file of its own, so that another process can continue.
type part struct {
	target string // final name
	file   *os.File
	want   hub.File
	n      int64
	sha256 hash.Hash
	sha1   hash.Hash // of a blob of git; of no use for large files, which have the other
	tag    string
	count  func(n int64) // called with the bytes that are there
}

func (p *part) path() string    { return p.target + ".part" }
func (p *part) tagPath() string { return p.target + ".etag" }

// openPart opens a part and reads what is there.
func openPart(ctx context.Context, target string, want hub.File, count func(n int64)) (*part, error) {
	p := &part{target: target, want: want, count: count}
	file, err := os.OpenFile(p.path(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, p.unwritable(err)
	}
	p.file = file
	p.reset()
	stop := func(int64) error { return ctx.Err() }
	if _, err := io.Copy(counter{p}, &counted{Reader: file, count: stop}); err != nil {
		file.Close()
		return nil, fmt.Errorf("read what was downloaded of %s: %w", want.Path, err)
	}
	if tag, err := os.ReadFile(p.tagPath()); err == nil && len(tag) < 1<<10 {
		p.tag = string(tag)
	}
	return p, nil
}

// counter takes bytes that are in the file.
type counter struct{ *part }

func (c counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	c.sha256.Write(b)
	if c.want.SHA1 != "" {
		c.sha1.Write(b)
	}
	c.part.count(c.n)
	return len(b), nil
}

func (p *part) reset() {
	p.n, p.sha256, p.sha1 = 0, sha256.New(), sha1.New()
	fmt.Fprintf(p.sha1, "blob %d\x00", p.want.Size)
}

// Len is the bytes that are there.
func (p *part) Len() int64 { return p.n }

// Tag is the ETag with which they came.
func (p *part) Tag() string { return p.tag }

// Begin forgets them.
func (p *part) Begin(tag string) error {
	p.reset()
	p.tag = tag
	err := p.file.Truncate(0)
	if err == nil {
		_, err = p.file.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = os.WriteFile(p.tagPath(), []byte(tag), 0o600)
	}
	if err != nil {
		return p.unwritable(err)
	}
	return nil
}

// Write appends.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	counter{p}.Write(b[:n])
	if err != nil {
		return n, p.unwritable(err)
	}
	return n, nil
}

func (p *part) unwritable(err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot write the model's %s", p.want.Path).
		WithHint("make room on the disk, or make its folder writable, and run the command again: it continues").WithCause(err)
}

// Close closes the file and keeps what is there.
func (p *part) Close() error { return p.file.Close() }

// finish gives a whole file its name, if its content is what the hub says and what is known of it; known is the zero
// value where nothing is. Otherwise the part is removed. It closes the part.
func (p *part) finish(known File) (File, error) {
	f := File{Path: p.want.Path, Size: p.n, SHA256: hex.EncodeToString(p.sha256.Sum(nil))}
	if err := p.check(f, known); err != nil {
		p.file.Close()
		_, _ = os.Remove(p.path()), os.Remove(p.tagPath()) // the error says more
		return f, err
	}
	err := p.file.Sync()
	if closed := p.file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(p.path(), p.target)
	}
	if err != nil {
		return f, p.unwritable(err)
	}
	if err := os.Remove(p.tagPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f, p.unwritable(err)
	}
	return f, nil
}

// check returns in what a content differs.
func (p *part) check(f, known File) error {
	for _, c := range []struct{ name, whose, got, want string }{
		{"SHA-256", "this version of Engram knows", f.SHA256, known.SHA256},
		{"SHA-256", "the hub announced", f.SHA256, p.want.SHA256},
		{"SHA-1 as a blob of git", "the hub announced", hex.EncodeToString(p.sha1.Sum(nil)), p.want.SHA1},
	} {
		if c.want != "" && c.got != c.want {
			return engram.Errorf(engram.CodeInvalid, "the %s that was downloaded is not what %s: its %s is %s, and should be %s", f.Path, c.whose, c.name, c.got, c.want).
				WithHint("it was removed; pull again, without HF_ENDPOINT and proxies if that does not help")
		}
	}
	return nil
}
