package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/backfill"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// What is brought in at the start of a session: so much as costs nobody the time of the start. More
// than that waits for somebody to ask for it.
const (
	startChunks = 16        // new ones
	startBytes  = 128 << 10 // of all of them, packed
	startChunk  = 256 << 10 // of one, unpacked
)

// broughtIn says in one line what the repository around a folder has that was not here; "" for
// nothing. What may come in and is little has come in; for the rest the line has the command. It
// quotes nothing that a stranger wrote.
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

// spool keeps what an import has read in a temporary file that only the user may read. Where the
// system allows it the file has no name, so nothing stays of it however the program ends.
type spool struct {
	file  *os.File
	named bool // it has to be removed at the end
}

// newSpool makes one; without room for it the error is CodeUnavailable.
func newSpool() (engine.Spool, error) {
	f, err := os.CreateTemp("", "engram-import-")
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "no place for what is imported").
			WithHint("set TMPDIR to a folder that can be written").WithCause(err)
	}
	return spool{f, os.Remove(f.Name()) != nil}, nil // Windows removes no open file
}

// Write implements engine.Spool.
func (s spool) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		err = engram.Errorf(engram.CodeUnavailable, "what is imported cannot be kept").WithHint("make room in %s; nothing was changed", os.TempDir()).WithCause(err)
	}
	return n, err
}

// Rewind implements engine.Spool.
func (s spool) Rewind() (io.Reader, error) {
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

// Close implements engine.Spool.
func (s spool) Close() error {
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// Scratch is an empty store in a folder of its own, which is removed by Close, for
// trying things out that must not touch anybody's memories.
type Scratch struct {
	engram.Store

	app *App
	dir string
}

// Scratch makes one. Without a place for it the error is CodeUnavailable.
func (a *App) Scratch(ctx context.Context) (*Scratch, error) {
	dir, err := os.MkdirTemp("", "engram-scratch-")
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "no folder for the throw-away database").WithCause(err)
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "engram.db"), Now: time.Now, Log: a.opts.Log})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Scratch{Store: s, app: a, dir: dir}, nil
}

// orScratch is open where there is a database, else Scratch.
func (a *App) orScratch(open func(context.Context) (engram.Store, error)) func(context.Context) (engram.Store, error) {
	return func(ctx context.Context) (engram.Store, error) {
		if _, err := os.Stat(a.opts.Config.DBPath); !errors.Is(err, fs.ErrNotExist) {
			return open(ctx)
		}
		s, err := a.Scratch(ctx)
		if err != nil {
			return nil, err // not s: a nil *Scratch is a store that is there
		}
		return s, nil
	}
}

// Engine returns an engine over store, which tells the time by now and is otherwise
// what the App's own is.
func (s *Scratch) Engine(store engram.Store, now func() time.Time) *engine.Engine {
	return engine.New(s.app.engineOptions(store, now))
}

// Close closes the store and removes it.
func (s *Scratch) Close() error { return errors.Join(s.Store.Close(), os.RemoveAll(s.dir)) }

// View reads the App's own store on one snapshot: what is kept, for what no verb tells.
func (a *App) View(ctx context.Context, fn func(engram.Reader) error) error {
	return a.store.View(ctx, fn)
}

// Changelog reads the changelog of the repository the App works in. The error is
// CodeUnavailable when git does not answer; found is false when there is none.
func (a *App) Changelog(ctx context.Context) (c git.Changelog, found bool, err error) {
	return git.Folders{}.Changelog(ctx, a.opts.Dir)
}

// BackfillGit is the source that is no agent: the log of a repository.
const BackfillGit = "git"

// BackfillSources are the names of what proposals can be read out of.
func BackfillSources() []string {
	return []string{string(backfill.ClaudeCode), string(backfill.Codex), string(backfill.OpenCode), BackfillGit}
}

// BackfillPlace is where a source is by itself: the folder of the agent's transcripts, or
// for git the folder in which somebody works. "" when the home folder is not known.
func BackfillPlace(source string, w ForeignWhere) string {
	env := func(name string) string {
		if w.Env == nil {
			return ""
		}
		v, _ := w.Env(name)
		return v
	}
	folder := func(variable, beside, name string) string {
		base := env(variable)
		if base == "" && w.Home != "" {
			base = filepath.Join(w.Home, filepath.FromSlash(beside))
		}
		if base == "" {
			return ""
		}
		return filepath.Join(base, name)
	}
	switch source {
	case string(backfill.ClaudeCode):
		return folder("CLAUDE_CONFIG_DIR", ".claude", "projects")
	case string(backfill.Codex):
		return folder("CODEX_HOME", ".codex", "sessions")
	case string(backfill.OpenCode):
		return folder("XDG_DATA_HOME", ".local/share", "opencode")
	}
	return w.Dir
}

// BackfillOptions say what is read, and what of it is proposed.
type BackfillOptions struct {
	Source  string
	Path    string    // absolute
	Since   time.Time // the zero time is everything
	Limit   int       // of new proposals
	DryRun  bool
	Project string // only what belongs to it; "" is every one
	Into    string // the project of commits; "": that of their repository
	// Progress is told how many bytes were read; nil: nobody is.
	Progress func(read int64)
}

// Backfilled says what came of it.
type Backfilled struct {
	engine.Proposed
	Transcripts int   // that were read
	Elsewhere   int   // transcripts of other projects
	Commits     int   // that were read
	Bytes       int64 // of the transcripts
	More        bool  // the limit was reached, and the rest was not looked at
	Notes       []BackfillNote
}

// BackfillNote is about a file that was passed over.
type BackfillNote = backfill.Note

// Backfill reads transcripts or a repository's log and proposes memories for a person to review.
// Errors are those of package backfill, of git.Folders.Log and of engine.Proposer.
func (a *App) Backfill(ctx context.Context, o BackfillOptions) (Backfilled, error) {
	f := &filling{App: a, o: o, proposer: a.Engine.Proposer(o.DryRun), projects: map[string]string{}}
	var err error
	if o.Source == BackfillGit {
		err = f.git(ctx)
	} else {
		err = f.transcripts(ctx)
	}
	return f.res, err
}

// filling is a Backfill at work.
type filling struct {
	*App
	o        BackfillOptions
	res      Backfilled
	proposer *engine.Proposer
	projects map[string]string // by folder
}

func (f *filling) transcripts(ctx context.Context) error {
	read, err := backfill.Run(ctx, backfill.Source(f.o.Source), backfill.Options{Path: f.o.Path, Since: f.o.Since, Clean: f.Engine.CleanText, Database: openCodeDatabase,
		Progress: f.o.Progress,
		Wants: func(s backfill.Session) (bool, error) {
			name, err := f.projectOf(ctx, s.Directory)
			if err != nil {
				return false, err
			}
			if f.o.Project != "" && name != f.o.Project {
				f.res.Elsewhere++
				return false, nil
			}
			return true, nil
		},
		Found: func(s backfill.Session, all []capture.Proposal) (bool, error) {
			name, err := f.projectOf(ctx, s.Directory)
			if err != nil {
				return false, err
			}
			return f.propose(ctx, engine.ProposeInput{Place: s.ID, Session: s.ID, Project: name, Found: all})
		}})
	f.res.Transcripts, f.res.Bytes, f.res.Notes = read.Transcripts, read.Bytes, read.Notes
	return err
}

// openCodeDatabase is foreign.OpenCode as package backfill, which knows no database, asks it.
func openCodeDatabase(ctx context.Context, path string, wants func(id, directory string, changed time.Time) bool, part func(message, part string, at time.Time) bool) error {
	return foreign.OpenCode(ctx, path, "", func(s foreign.OpenCodeSession) bool { return wants(s.ID, s.Directory, s.UpdatedAt) },
		func(_ foreign.OpenCodeSession, p foreign.OpenCodePart) bool { return part(p.Message, p.Part, p.At) })
}

// projectOf is the project of a folder; of one that is gone, or names no project, its name. What
// could not be looked at is an error, so that its proposals go to no wrong project.
func (f *filling) projectOf(ctx context.Context, dir string) (string, error) {
	if name, known := f.projects[dir]; known || dir == "" {
		return name, nil
	}
	in, err := f.Engine.ProjectFor(ctx, engine.ProjectRequest{Dir: dir, Lenient: true})
	if _, is := errors.AsType[*project.Problem](err); err != nil && !is {
		return "", err
	}
	name := in.Name
	if err != nil || name == "" {
		name = project.Normalize(filepath.Base(dir))
	}
	f.projects[dir] = name
	return name, nil
}

// propose proposes what was found in one place.
func (f *filling) propose(ctx context.Context, in engine.ProposeInput) (more bool, err error) {
	in.Source = f.o.Source
	left := f.o.Limit - len(f.res.New)
	res, err := f.proposer.Propose(ctx, in, left)
	f.res.New = append(f.res.New, res.New...)
	f.res.Known, f.res.Said, f.res.Refused = f.res.Known+res.Known, f.res.Said+res.Said, f.res.Refused+res.Refused
	f.res.More = len(f.res.New) >= f.o.Limit
	return !f.res.More, err
}

// git proposes what commits say.
func (f *filling) git(ctx context.Context) error {
	name := f.o.Into
	if name == "" {
		var err error
		if name, err = f.projectOf(ctx, f.o.Path); err != nil {
			return err
		}
	}
	var failed error
	_, err := git.Folders{}.Log(ctx, f.o.Path, f.o.Since, func(c git.LoggedCommit) bool {
		f.res.Commits++
		text := capture.Commit{Hash: c.Hash, Subject: c.Subject, Body: c.Body, Author: c.Author, At: c.At}
		if _, ok := capture.OfCommit(text); !ok {
			return true
		}
		// What is to be cut may reach from the subject into the body.
		text.Subject, text.Body, _ = strings.Cut(f.Engine.CleanText(c.Subject+"\n\n"+c.Body), "\n\n")
		p, ok := capture.OfCommit(text)
		if !ok {
			return true
		}
		var more bool
		more, failed = f.propose(ctx, engine.ProposeInput{Place: c.Hash, Session: "git:" + name, Project: name, Found: []capture.Proposal{p}})
		return more && failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
