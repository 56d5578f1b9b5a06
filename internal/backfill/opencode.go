package backfill

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/backfill/transcript"
)

// readOpenCode reads the database if there is one, and the files of older versions.
func readOpenCode(ctx context.Context, o Options) (Read, error) {
	var r Read
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, engram.Errorf(engram.CodeNotFound, "%s does not exist", o.Path).WithHint("name OpenCode's data folder, or its opencode.db")
	case err != nil:
		return r, engram.Errorf(engram.CodeUnavailable, "%s cannot be read", o.Path).WithCause(err)
	case !info.IsDir():
		_, err := r.database(ctx, o, o.Path)
		return r, err
	}
	if db := filepath.Join(o.Path, "opencode.db"); o.Database != nil {
		if _, err := os.Stat(db); err == nil {
			if more, err := r.database(ctx, o, db); err != nil || !more {
				return r, err
			}
		}
	}
	root, err := os.OpenRoot(filepath.Join(o.Path, "storage")) // no link leads out of it
	if err != nil {
		return r, nil // only a database, or nothing yet
	}
	defer func() { _ = root.Close() }()
	return r, r.storage(ctx, o, root.FS())
}

// database reads the sessions of opencode.db in turn.
func (r *Read) database(ctx context.Context, o Options, file string) (more bool, err error) {
	if o.Database == nil {
		return false, engram.Errorf(engram.CodeInvalid, "%s is not a folder", file)
	}
	var l *listener
	more, broken := true, 0
	flush := func() {
		if l != nil && err == nil && more {
			more, err = l.end()
		}
		l = nil
	}
	read := o.Database(ctx, file, func(id, dir string, changed time.Time) bool {
		flush()
		if err != nil || !more || changed.Before(o.Since) {
			return false
		}
		next := o.listen(Session{ID: id, Directory: dir, Path: file, ChangedAt: changed})
		var wanted bool
		if wanted, err = next.wants(); wanted && err == nil {
			r.Transcripts++
			l = next
			return true
		}
		return false
	}, func(message, part string, at time.Time) bool {
		r.Bytes += int64(len(part))
		var m transcript.Message
		if json.Unmarshal([]byte(message), &m) != nil || (transcript.OpenCode{Dir: l.session.Directory}).Hear(m, []byte(part), at, l.hear) != nil {
			broken++
		}
		more, err = l.full()
		return more && err == nil
	})
	if err == nil && read != nil {
		return false, read
	}
	flush()
	if broken > 0 {
		r.note(file, counted(broken, "part", "parts")+" could not be read")
	}
	return more, err
}

// storage reads the files of versions before the database.
func (r *Read) storage(ctx context.Context, o Options, root fs.FS) error {
	files, err := fs.Glob(root, "session/*/*.json")
	if err != nil {
		return err
	}
	var all []Session
	for _, name := range files {
		var s struct {
			ID        string           `json:"id"`
			Directory string           `json:"directory"`
			ParentID  string           `json:"parentID"`
			Time      transcript.Times `json:"time"`
		}
		if err := readJSON(root, name, &s); err != nil || s.ID == "" || strings.ContainsAny(s.ID, "*?[/\\") {
			r.note("storage/"+name, "is not a session")
			continue
		}
		if s.ParentID == "" {
			all = append(all, Session{ID: s.ID, Directory: s.Directory, Path: "storage/" + name, ChangedAt: time.UnixMilli(s.Time.Updated).UTC()})
		}
	}
	slices.SortFunc(all, func(a, b Session) int { return byAge(a.ChangedAt, b.ChangedAt, a.ID, b.ID) })
	for _, s := range all {
		if s.ChangedAt.Before(o.Since) {
			continue
		}
		if more, err := r.stored(ctx, o, root, s); err != nil || !more {
			return err
		}
	}
	return nil
}

// stored reads one session from files.
func (r *Read) stored(ctx context.Context, o Options, root fs.FS, s Session) (more bool, err error) {
	l := o.listen(s)
	if wanted, err := l.wants(); err != nil || !wanted {
		return err == nil, err
	}
	r.Transcripts++
	messages, err := fs.Glob(root, "message/"+s.ID+"/*.json") // sorted by name, hence by time
	if err != nil {
		return false, err
	}
	broken := 0
	for _, name := range messages {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		var m transcript.Message
		if readJSON(root, name, &m) != nil {
			broken++
			continue
		}
		parts, err := fs.Glob(root, "part/"+strings.TrimSuffix(path.Base(name), ".json")+"/*.json")
		if err != nil {
			broken++
			continue
		}
		for _, part := range parts {
			b, err := readBounded(root, part)
			r.Bytes += int64(len(b))
			if err != nil || (transcript.OpenCode{Dir: s.Directory}).Hear(m, b, time.UnixMilli(m.Time.Created).UTC(), l.hear) != nil {
				broken++
			}
			if more, err := l.full(); err != nil || !more {
				return more, err
			}
		}
	}
	if broken > 0 {
		r.note(s.Path, counted(broken, "part", "parts")+" of it could not be read")
	}
	return l.end()
}

func readJSON(root fs.FS, name string, into any) error {
	b, err := readBounded(root, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// readBounded reads a regular file that is at most as long as a line may be.
func readBounded(root fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(root, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxLine {
		return nil, errors.New("is not a regular file, or too large")
	}
	return fs.ReadFile(root, name)
}
