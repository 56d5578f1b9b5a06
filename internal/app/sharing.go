package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/project"
)

// MayShare is CodeForbidden where nothing but .engram/config.json says that the repository is
// of this project: whoever may push writes that file, and would choose which of the person's
// memories go there. Once the person has named it themselves (named) it stays allowed; keep
// remembers that.
func (a *App) MayShare(ctx context.Context, place Repository, name string, named, keep bool) error {
	if place.facts.ConfigName == "" || project.Normalize(place.facts.ConfigName) != name {
		return nil
	}
	own := place.facts
	own.ConfigDir, own.ConfigName, own.ConfigErr = "", "", ""
	if d, err := project.Detect(own); err == nil && d.Name == name {
		return nil
	}
	for _, key := range place.keys {
		names, err := a.Engine.NamedProjects(ctx, key)
		if err != nil {
			return err
		}
		if slices.Contains(strings.Fields(names), name) {
			return nil
		}
		if named && keep {
			if err := a.Engine.NameProject(ctx, key, strings.TrimSpace(names+"\n"+name)); err != nil {
				return err
			}
		}
	}
	if named {
		return nil
	}
	return engram.Errorf(engram.CodeForbidden, "this repository's .engram/config.json says that it is of project %q, and neither its name nor its remote does", name).
		WithHint("whoever may push can write that file; if it is right, name the project once: --project %s", name)
}

// Sound is the repository without the chunks that nobody can use any more, so that what was in
// them counts as not there, and notes on these. whole reads every chunk to its end, and finds
// those whose content was replaced, too.
func (r Repository) Sound(ctx context.Context, whole bool) (engram.Remote, []engram.ImportNote, error) {
	damaged, err := r.chunks.Damaged(ctx, whole)
	if err != nil {
		return nil, nil, err
	}
	return sound{r.Remote, damaged}, damaged, nil
}

// sound is a remote without some batches.
type sound struct {
	engram.Remote
	without []engram.ImportNote
}

// Batches implements engram.Remote.
func (s sound) Batches(ctx context.Context) ([]engram.Batch, error) {
	all, err := s.Remote.Batches(ctx)
	return slices.DeleteFunc(all, func(b engram.Batch) bool {
		return slices.ContainsFunc(s.without, func(n engram.ImportNote) bool { return n.Item == b.ID })
	}), err
}

// shareWait is how long one sync waits for another.
const shareWait = 30 * time.Second

// Alone does something while no other process of this data directory syncs: two at once would
// both find the same memories missing, and write them twice. CodeUnavailable after 30 seconds.
func (a *App) Alone(ctx context.Context, do func() error) error {
	if a.opts.Try {
		return do() // it writes nothing that another sync could meet, and leaves no lock behind
	}
	path := filepath.Join(a.opts.Config.DataDir, "sync.lock")
	if err := os.MkdirAll(a.opts.Config.DataDir, 0o700); err != nil {
		return unreachable(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return unreachable(path, err)
	}
	defer func() { _ = f.Close() }() // which unlocks it
	for until := time.Now().Add(shareWait); ; {
		held, err := daemon.TryLock(f)
		switch {
		case err != nil:
			return unreachable(path, err)
		case held:
			return do()
		case time.Now().After(until):
			return engram.Errorf(engram.CodeUnavailable, "another sync is at work").WithHint("try again when it is done").WithCause(errors.New(path + " is locked"))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
