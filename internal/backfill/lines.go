package backfill

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/backfill/transcript"
	"github.com/alanbuscaglia/engram/internal/capture"
)

// maxLine is the longest line of a transcript, in bytes. Longer ones hold pictures and files.
const maxLine = 16 << 20

// format decodes the lines of one kind of transcript.
type format interface {
	// Line decodes one line. It may fill the head, and passes the line's turns to hear. skip
	// means that the whole transcript is not a conversation with a person. An error describes what
	// is wrong with the line.
	Line(line []byte, s *transcript.Head, hear func(capture.Turn)) (skip bool, err error)
}

type file struct {
	path string
	at   time.Time
}

func readLines(ctx context.Context, o Options, find func(o Options, r *Read) ([]file, error), form func() format) (Read, error) {
	var r Read
	files, err := find(o, &r)
	if err != nil {
		return r, err
	}
	slices.SortFunc(files, func(a, b file) int { return byAge(a.at, b.at, a.path, b.path) })
	for _, f := range files {
		if f.at.Before(o.Since) {
			continue
		}
		if o.Progress != nil {
			o.Progress(r.Bytes)
		}
		more, err := r.file(ctx, o, f, form())
		if err != nil || !more {
			return r, err
		}
	}
	return r, nil
}

// These errors end the reading of a transcript.
var (
	errNotWanted = errors.New("not wanted")
	errEnough    = errors.New("enough")
)

// file reads one transcript. An unreadable one is noted, without an error.
func (r *Read) file(ctx context.Context, o Options, f file, form format) (more bool, err error) {
	in, err := openPlain(f.path)
	if err != nil {
		r.note(f.path, err.Error())
		return true, nil
	}
	defer func() { _ = in.Close() }()
	l := o.listen(Session{ID: strings.TrimSuffix(filepath.Base(f.path), ".jsonl"), Path: f.path, ChangedAt: f.at})
	head := transcript.Head{ID: l.session.ID}
	good, broken, bad, refused := 0, 0, error(nil), error(nil)
	long, err := eachLine(ctx, in, func(line []byte) error {
		r.Bytes += int64(len(line)) + 1
		skip, err := form.Line(line, &head, l.hear)
		l.session.ID, l.session.Directory = head.ID, head.Directory
		if err != nil {
			broken, bad = broken+1, err
		} else {
			good++
		}
		if skip {
			return errNotWanted
		}
		if l.session.Directory != "" { // before, its project is unknown
			var wanted bool
			if wanted, refused = l.wants(); !wanted {
				return errNotWanted
			}
		}
		var more bool
		if more, refused = l.full(); !more {
			return errEnough
		}
		return nil
	})
	switch {
	case refused != nil:
		return false, refused
	case errors.Is(err, errNotWanted):
		return true, nil
	case errors.Is(err, errEnough):
		r.Transcripts++
		return false, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		r.note(f.path, "cannot be read to its end")
	}
	if broken > 0 {
		r.note(f.path, fmt.Sprintf("%s could not be read: %v", counted(broken, "line", "lines"), bad))
	}
	if long > 0 {
		r.note(f.path, fmt.Sprintf("%s of more than %d MiB left out", counted(long, "line", "lines"), maxLine>>20))
	}
	if good == 0 { // not a transcript
		return true, nil
	}
	if wanted, err := l.wants(); err != nil || !wanted {
		return err == nil, err
	}
	r.Transcripts++
	return l.end()
}

// openPlain opens a regular file: not a link, which may lead anywhere, nor a pipe, which may block.
func openPlain(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() { // it was replaced meanwhile
		_ = f.Close()
		return nil, errors.New("is not a regular file")
	}
	return f, nil
}

// eachLine calls fn with each nonempty line, without its end. It counts and skips too long ones.
func eachLine(ctx context.Context, r io.Reader, fn func([]byte) error) (long int, err error) {
	in := bufio.NewReaderSize(r, 256<<10)
	var buffer []byte
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return long, ctx.Err()
		}
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if buffer, err = readLong(in, append(buffer[:0], line...)); len(buffer) > maxLine {
				buffer = nil
				long++
			}
			line = buffer
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return long, err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			if err := fn(line); err != nil {
				return long, err
			}
		}
		if err != nil {
			return long, nil
		}
	}
}

// readLong reads on a line that began with buffer, keeping just enough to see that it is too long.
func readLong(in *bufio.Reader, buffer []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(buffer) <= maxLine {
			buffer = append(buffer, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buffer, err
		}
	}
}

// filesBelow returns the files below a folder whose names pass, down to so many levels, without
// following links. If Path is a file, it returns that.
func filesBelow(o Options, r *Read, deep int, pass func(slashed string) bool) ([]file, error) {
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, engram.Errorf(engram.CodeNotFound, "%s does not exist", o.Path).WithHint("name the folder of the transcripts, or one of them")
	case err != nil:
		return nil, engram.Errorf(engram.CodeUnavailable, "%s cannot be read", o.Path).WithCause(err)
	case !info.IsDir():
		return []file{{o.Path, info.ModTime()}}, nil
	}
	root, err := filepath.EvalSymlinks(o.Path) // a link given explicitly is followed
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "%s cannot be read", o.Path).WithCause(err)
	}
	var all []file
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			r.note(path, "cannot be read")
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if strings.Count(rel, "/") >= deep {
				return fs.SkipDir
			}
			return nil
		}
		if !pass(rel) {
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			r.note(path, "is not a regular file")
			return nil
		}
		all = append(all, file{path, info.ModTime()})
		return nil
	})
	return all, err
}

func claudeFiles(o Options, r *Read) ([]file, error) {
	return filesBelow(o, r, 3, func(slashed string) bool {
		return strings.HasSuffix(slashed, ".jsonl") && !strings.HasPrefix(path.Base(slashed), "agent-") && !strings.Contains(slashed, "/subagents/")
	})
}

func codexFiles(o Options, r *Read) ([]file, error) {
	return filesBelow(o, r, 6, func(slashed string) bool {
		name := path.Base(slashed)
		return strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl")
	})
}
