package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/backfill"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	engineprojects "github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/opencode"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// Limits of the import at a session's start, so that it does not delay the start.
const (
	startChunks = 16        // new chunks
	startBytes  = 128 << 10 // packed size of all of them
	startChunk  = 256 << 10 // unpacked size of one
)

// bringIn imports a few permitted new chunks of the repository around a folder, within its share of a
// hook's time, and returns a line that reports them, with the command for the rest; "" if there is
// nothing new. The line quotes no foreign text.
func (a *App) bringIn(ctx context.Context, name, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, a.opts.Config.HookWithin/startShare)
	defer cancel()
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
	known, err := a.Engine.KnownBatches(ctx, name, document.Each(files, func(f gitchunks.File) string { return f.ID }))
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
		return pending("the project name in .engram/config.json is not confirmed", "engram sync --import --project "+name)
	} else if err != nil {
		return "", err
	}
	if len(known) == 0 {
		if strange, err := a.workedElsewhere(ctx, name, facts); err != nil {
			return "", err
		} else if strange {
			return pending("the project's memories come from another repository", "engram sync --import")
		}
	}
	if len(fresh) > startChunks || size > startBytes {
		return pending("too much to import at a start", "engram sync --import")
	}
	var res sync.Pulled
	err = a.syncAlone(ctx, 0, func() (err error) {
		res, err = a.Engine.Pull(ctx, place.chunks.Some(fresh), sync.PullInput{Project: name})
		return err
	})
	parts := cameIn(res)
	why := ""
	switch {
	case err == nil:
		return strings.Join(parts, "; "), nil
	case ctx.Err() != nil:
		why = "there was not enough time to import them"
	case engram.CodeOf(err) == engram.CodeUnavailable:
		why = "another program is writing"
	default:
		return strings.Join(parts, "; "), err
	}
	left := len(fresh) - len(res.Batches) - len(res.Refused)
	return strings.Join(append(parts, pendingChunks(left, why, "engram sync --import")), "; "), nil
}

// pendingChunks reports chunks that were not imported, why, and the command that imports them.
func pendingChunks(n int, why, command string) string {
	return fmt.Sprintf("%s in .engram %s pending, %s: %s", howMany(n, "new chunk", "new chunks"), are(n), why, command)
}

func cameIn(res sync.Pulled) (parts []string) {
	if n := res.Imported.Memories.Added + res.Imported.Memories.Changed; n > 0 {
		parts = append(parts, fmt.Sprintf("Imported %s from %s in .engram", howMany(n, "memory", "memories"), howMany(len(res.Batches), "chunk", "chunks")))
	}
	if res.Review > 0 {
		parts = append(parts, fmt.Sprintf("%s for review: engram sync deferred", howMany(res.Review, "item waits", "items wait")))
	}
	others := 0
	for _, o := range res.Others {
		others += o.Memories
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%s of other projects %s pending: engram sync --import --all", howMany(others, "memory", "memories"), are(others)))
	}
	if n := len(res.Refused); n > 0 {
		parts = append(parts, fmt.Sprintf("%s in .engram cannot be read: engram sync --import shows why", howMany(n, "chunk", "chunks")))
	}
	return parts
}

// workedElsewhere reports whether all known sessions of a project worked in other repositories, so
// that this one only has the same name.
func (a *App) workedElsewhere(ctx context.Context, name string, here project.Facts) (bool, error) {
	const most = 20 // latest sessions to look at
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
			continue // it no longer exists, so it proves nothing
		}
		if cmp.Or(there.Root, there.Dir) == root || here.Main != "" && there.Main == here.Main || sameRemote(there.Remote, here.Remote) {
			return false, nil
		}
	}
	return len(seen) > 0, nil
}

func sameRemote(a, b string) bool {
	identity := project.RemoteIdentity(a)
	return a != "" && a == b || identity != "" && identity == project.RemoteIdentity(b)
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

// startShare is the divisor of a start's time for the import: the rest is for the session brief.
const startShare = 2

// spool holds the records of an import in a temporary file that only the user may read. Where the
// system allows it, the file has no name, so it vanishes however the program ends.
type spool struct {
	file  *os.File
	named bool // it must be removed at the end
}

// newSpool creates a spool; CodeUnavailable if there is no room.
func newSpool() (exchange.Spool, error) {
	f, err := os.CreateTemp("", "engram-import-")
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "cannot create a temporary file for the import").
			WithHint("set TMPDIR to a writable folder").WithCause(err)
	}
	return spool{f, os.Remove(f.Name()) != nil}, nil // Windows cannot remove an open file
}

// Write implements engine.Spool.
func (s spool) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		err = engram.Errorf(engram.CodeUnavailable, "cannot write the temporary file of the import").WithHint("make room in %s; nothing was changed", os.TempDir()).WithCause(err)
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

// Scratch is an empty temporary store, removed by Close, for experiments without real memories.
type Scratch struct {
	engram.Store

	app *App
	dir string

	other         bool // the embedding models are not those of the App
	beside, asked engram.Embedder
}

// Scratch creates one; CodeUnavailable if there is no place for it.
func (a *App) Scratch(ctx context.Context) (*Scratch, error) {
	dir, err := os.MkdirTemp("", "engram-scratch-")
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "cannot create a temporary folder").WithCause(err)
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "engram.db"), Now: time.Now, Log: a.opts.Log})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Scratch{Store: s, app: a, dir: dir}, nil
}

// ScratchWith is Scratch with another embedding model than the configured one, named as in settings, unless model is "";
// CodeInvalid for one that is not installed.
func (a *App) ScratchWith(ctx context.Context, model string) (*Scratch, error) {
	if model == "" {
		return a.Scratch(ctx)
	}
	c, err := a.opts.Config.WithEmbeddingModel(model)
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "embedding model %s: %v", model, err)
	}
	s, err := a.Scratch(ctx)
	if err == nil {
		s.other = true
		s.beside, s.asked = embeddersOf(c)
	}
	return s, err
}

// orScratch returns open, replaced by Scratch if the database does not exist.
func (a *App) orScratch(open func(context.Context) (engram.Store, error)) func(context.Context) (engram.Store, error) {
	return func(ctx context.Context) (engram.Store, error) {
		if Exists(a.opts.Config) {
			return open(ctx)
		}
		s, err := a.Scratch(ctx)
		if err != nil {
			return nil, err // not s: a nil *Scratch would be a non-nil store
		}
		return s, nil
	}
}

// Engine returns an engine over store with the clock now and otherwise the App's options.
func (s *Scratch) Engine(store engram.Store, now func() time.Time) *engine.Engine {
	o := s.app.engineOptions(store, now)
	if s.other {
		o.Embedder, o.Asked, o.Former = s.beside, s.asked, nil
	}
	return engine.New(o)
}

// Close closes the store and removes it.
func (s *Scratch) Close() error {
	err := errors.Join(s.Store.Close(), os.RemoveAll(s.dir))
	if s.other {
		err = errors.Join(err, closeModels(s.beside, s.asked))
	}
	return err
}

// View reads the App's store on one snapshot, for what no operation returns.
func (a *App) View(ctx context.Context, fn func(engram.Reader) error) error {
	return a.store.View(ctx, fn)
}

// Changelog reads the changelog of the App's repository. CodeUnavailable if git fails; found is
// false if there is no changelog.
func (a *App) Changelog(ctx context.Context) (c git.Changelog, found bool, err error) {
	return git.Folders{}.Changelog(ctx, a.opts.Dir)
}

// BackfillGit is the source that is not an agent: a repository's log.
const BackfillGit = "git"

// BackfillSources returns the names of the sources of proposals.
func BackfillSources() []string {
	return []string{string(backfill.ClaudeCode), string(backfill.Codex), string(backfill.OpenCode), BackfillGit}
}

// BackfillPlace returns the default place of a source: the folder of the agent's transcripts, or
// for git the working folder. "" if the home folder is unknown.
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

// BackfillOptions configure what is read and proposed.
type BackfillOptions struct {
	Source  string
	Path    string    // absolute
	Since   time.Time // the zero time means everything
	Limit   int       // limit of new proposals
	DryRun  bool
	Project string // only this project; "" means all
	Into    string // project of commits; "": that of their repository
	// Progress receives the number of bytes read; may be nil.
	Progress func(read int64)
}

// Backfilled is the result.
type Backfilled struct {
	review.Proposed
	Transcripts int   // transcripts read
	Elsewhere   int   // transcripts of other projects
	Commits     int   // commits read
	Bytes       int64 // of the transcripts
	More        bool  // the limit was reached, and the rest was not read
	Notes       []BackfillNote
}

// BackfillNote is about a skipped file.
type BackfillNote = backfill.Note

// Backfill reads transcripts or a repository's log and proposes memories for review. Errors are
// those of package backfill, git.Folders.Log and engine.Proposer.
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

type filling struct {
	*App
	o        BackfillOptions
	res      Backfilled
	proposer *review.Proposer
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
			return f.propose(ctx, review.ProposeInput{Place: s.ID, Session: s.ID, Project: name, Found: all})
		}})
	f.res.Transcripts, f.res.Bytes, f.res.Notes = read.Transcripts, read.Bytes, read.Notes
	return err
}

// openCodeDatabase adapts foreign.OpenCode to package backfill, which does not know databases.
func openCodeDatabase(ctx context.Context, path string, wants func(id, directory string, changed time.Time) bool, part func(message, part string, at time.Time) bool) error {
	return opencode.Read(ctx, path, "", func(s opencode.Session) bool { return wants(s.ID, s.Directory, s.UpdatedAt) },
		func(_ opencode.Session, p opencode.Part) bool { return part(p.Message, p.Part, p.At) })
}

// projectOf returns the project of a folder; the folder's name if it no longer exists or has no
// project. Other failures are errors, so that proposals never go to a wrong project.
func (f *filling) projectOf(ctx context.Context, dir string) (string, error) {
	if name, known := f.projects[dir]; known || dir == "" {
		return name, nil
	}
	in, err := f.Engine.ProjectFor(ctx, engineprojects.ProjectRequest{Dir: dir, Lenient: true})
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

// propose proposes the findings of one place.
func (f *filling) propose(ctx context.Context, in review.ProposeInput) (more bool, err error) {
	in.Source = f.o.Source
	left := f.o.Limit - len(f.res.New)
	res, err := f.proposer.Propose(ctx, in, left)
	f.res.New = append(f.res.New, res.New...)
	f.res.Known, f.res.Said, f.res.Refused = f.res.Known+res.Known, f.res.Said+res.Said, f.res.Refused+res.Refused
	f.res.More = len(f.res.New) >= f.o.Limit
	return !f.res.More, err
}

// git proposes memories from commits.
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
		// Private text to be cut may span subject and body.
		text.Subject, text.Body, _ = strings.Cut(f.Engine.CleanText(c.Subject+"\n\n"+c.Body), "\n\n")
		p, ok := capture.OfCommit(text)
		if !ok {
			return true
		}
		var more bool
		more, failed = f.propose(ctx, review.ProposeInput{Place: c.Hash, Session: "git:" + name, Project: name, Found: []capture.Proposal{p}})
		return more && failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
