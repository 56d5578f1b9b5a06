package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
)

// What is brought in at the start of a session: so much as costs nobody the time of the start. More
// than that waits for somebody to ask for it.
const (
	startChunks = 16        // new ones
	startBytes  = 128 << 10 // of all of them, packed
	startChunk  = 256 << 10 // of one, unpacked
)

// broughtIn says what is in the repository around a folder that was not here, in one line; "" for
// nothing. What may come in, and is little, has come in by then; for the rest the line
// has the command.
//
// Nothing of what a stranger wrote stands in the line.
func (a *App) broughtIn(ctx context.Context, name, dir string) (string, error) {
	facts, err := git.Folders{}.Facts(ctx, dir)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cmp.Or(facts.Root, facts.Dir), ".engram")
	if !exists(filepath.Join(folder, "chunks")) && !exists(filepath.Join(folder, "memories.json")) {
		return "", nil // as in most folders
	}
	place, err := a.repositoryOf(ctx, facts, name, startChunk)
	if err != nil {
		return "", err
	}
	files, err := place.chunks.Files(ctx)
	if err != nil {
		return "", err
	}
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	known, err := a.Engine.KnownBatches(ctx, name, ids)
	if err != nil {
		return "", err
	}
	var fresh []string
	var size int64
	for _, f := range files {
		if !known[f.ID] {
			fresh, size = append(fresh, f.ID), size+f.Size
		}
	}
	pending := func(why, command string) (string, error) {
		return pendingChunks(len(fresh), why, command), nil
	}
	if len(fresh) == 0 {
		return "", nil
	}
	if !a.opts.Config.ImportAtStart {
		return pending("import_at_start is off", "engram sync --import")
	}
	if err := a.MayShare(ctx, place, name, false, false); engram.CodeOf(err) == engram.CodeForbidden {
		return pending("nobody has confirmed the name of the project in .engram/config.json", "engram sync --import --project "+name)
	} else if err != nil {
		return "", err
	}
	if len(known) == 0 {
		if strange, err := a.workedElsewhere(ctx, name, facts); err != nil {
			return "", err
		} else if strange {
			return pending("the memories of this project are from work in another repository", "engram sync --import")
		}
	}
	if len(fresh) > startChunks || size > startBytes {
		return pending("too much to bring in at a start", "engram sync --import")
	}
	var res engine.Pulled
	err = a.atOnce(func() (err error) {
		res, err = a.Engine.Pull(ctx, place.chunks.Some(fresh), engine.PullInput{Project: name})
		return err
	})
	parts := cameIn(res)
	why := ""
	switch {
	case err == nil:
		return strings.Join(parts, "; "), nil
	case ctx.Err() != nil:
		why = "there was no time to bring them in"
	case engram.CodeOf(err) == engram.CodeUnavailable:
		why = "somebody else is writing"
	default:
		return strings.Join(parts, "; "), err
	}
	left := len(fresh) - len(res.Batches) - len(res.Refused)
	return strings.Join(append(parts, pendingChunks(left, why, "engram sync --import")), "; "), nil
}

// pendingChunks says that chunks did not come in, why, and how they do.
func pendingChunks(n int, why, command string) string {
	return fmt.Sprintf("%s in .engram %s pending, %s: %s", howMany(n, "new chunk", "new chunks"), are(n), why, command)
}

// cameIn says what a pull brought, part by part.
func cameIn(res engine.Pulled) (parts []string) {
	if n := res.Imported.Memories.Added + res.Imported.Memories.Changed; n > 0 {
		parts = append(parts, fmt.Sprintf("Imported %s from %s in .engram", howMany(n, "memory", "memories"), howMany(len(res.Batches), "chunk", "chunks")))
	}
	if res.Review > 0 {
		parts = append(parts, fmt.Sprintf("%s for the person's review: engram sync deferred", howMany(res.Review, "thing waits", "things wait")))
	}
	others := 0
	for _, o := range res.Others {
		others += o.Memories
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%s of other projects %s pending: engram sync --import --all", howMany(others, "memory", "memories"), are(others)))
	}
	if n := len(res.Refused); n > 0 {
		parts = append(parts, fmt.Sprintf("%s in .engram could not be read here: engram sync --import says why", howMany(n, "chunk", "chunks")))
	}
	return parts
}

// workedElsewhere reports whether the memories of a project were saved in sessions that worked in
// other repositories, and none in this one: then it only has the same name.
func (a *App) workedElsewhere(ctx context.Context, name string, here project.Facts) (bool, error) {
	const most = 20 // of the latest sessions
	sessions, err := a.Engine.Sessions(ctx, name, engram.Page{Limit: most})
	if err != nil {
		return false, err
	}
	root, seen := cmp.Or(here.Root, here.Dir), map[string]bool{}
	for _, s := range sessions {
		if s.Memories == 0 || s.Directory == "" || seen[s.Directory] {
			continue
		}
		seen[s.Directory] = true
		there, err := git.Folders{}.Facts(ctx, s.Directory)
		if err != nil {
			continue // it is not there any more, and says nothing
		}
		if cmp.Or(there.Root, there.Dir) == root || here.Main != "" && there.Main == here.Main || sameRemote(there.Remote, here.Remote) {
			return false, nil
		}
	}
	return len(seen) > 0, nil
}

// sameRemote reports whether two repositories are fetched from the same place.
func sameRemote(a, b string) bool {
	identity := project.RemoteIdentity(a)
	return a != "" && a == b || identity != "" && identity == project.RemoteIdentity(b)
}

// atOnce does something while no other process of this data directory syncs, and waits for none:
// CodeUnavailable.
func (a *App) atOnce(do func() error) error {
	path := filepath.Join(a.opts.Config.DataDir, "sync.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return unreachable(path, err)
	}
	defer func() { _ = f.Close() }() // which unlocks it
	held, err := daemon.TryLock(f)
	if err != nil {
		return unreachable(path, err)
	}
	if !held {
		return engram.Errorf(engram.CodeUnavailable, "another sync is at work").WithHint("try again when it is done")
	}
	return do()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func howMany(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// startShare is how much of the time of an event the import at a start may take: the rest is the
// brief's.
const startShare = 2

// bringIn is broughtIn within its share of the time of a hook.
func (a *App) bringIn(ctx context.Context, name, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, a.opts.Config.HookWithin/startShare)
	defer cancel()
	return a.broughtIn(ctx, name, dir)
}
