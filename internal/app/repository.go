package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// Repository is where the memories of a project lie among its files.
type Repository struct {
	Root   string        // absolute; the folder itself where it is in no repository
	Folder string        // .engram in it
	Remote engram.Remote // the chunks in that
	By     string        // who this person is, for those who read what they wrote; "" when nobody knows

	chunks *gitchunks.Repository
	facts  project.Facts
	keys   []string // by what agreements about it are remembered, the widest first
}

// Anew returns the names of files beside the chunks that were made anew, for they did not fit
// them: they have to be committed, too.
func (r Repository) Anew() []string { return r.chunks.Anew() }

// Strange returns notes on what lies among the chunks and is none, by name.
func (r Repository) Strange(ctx context.Context) ([]engram.ImportNote, error) {
	return r.chunks.Notes(ctx)
}

// ManifestFaults returns notes on what the list of chunks says that is not so.
func (r Repository) ManifestFaults(ctx context.Context) ([]engram.ImportNote, error) {
	return r.chunks.ManifestFaults(ctx)
}

// Ignored returns the rule by which git leaves chunks that are written now out of the
// repository, as FILE:LINE:PATTERN, so that nobody gets them; "" when there is none.
func (r Repository) Ignored(ctx context.Context) string {
	if !r.InGit() {
		return ""
	}
	return git.Folders{}.Ignored(ctx, r.Root, r.chunks.Example())
}

// InGit reports whether it is a git repository, and no mere folder.
func (r Repository) InGit() bool { return r.facts.Root != "" }

// Repository finds the repository that dir lies in and opens its chunks, if any. What names no
// project, as chunks of other programs, is of project.
func (a *App) Repository(ctx context.Context, dir, project string) (Repository, error) {
	facts, err := git.Folders{}.Facts(ctx, dir)
	if err != nil {
		return Repository{}, err
	}
	return a.repositoryOf(ctx, facts, project, 0)
}

// repositoryOf is Repository in a folder of which these facts are known; most is how many bytes a
// chunk may have to be read, 0: what any may have.
func (a *App) repositoryOf(ctx context.Context, facts project.Facts, name string, most int64) (Repository, error) {
	root := cmp.Or(facts.Root, facts.Dir)
	keys := agreementKeys(facts)
	agreed, err := a.agreed(ctx, keys)
	if err != nil {
		return Repository{}, err
	}
	chunks, err := gitchunks.Open(gitchunks.Options{Dir: root, Project: name, Recipients: trustedIn(agreed), IdentityFile: a.identityFile(), Now: time.Now, Most: most})
	if err != nil {
		return Repository{}, err
	}
	return Repository{Root: root, Folder: chunks.Name(), Remote: chunks, By: author(), chunks: chunks, facts: facts, keys: keys}, nil
}

// ownChunks opens the chunks of the repository that the program works in, to look at their list: for
// that nobody is asked to whom they are encrypted.
func (a *App) ownChunks(ctx context.Context) (*gitchunks.Repository, error) {
	facts, err := git.Folders{}.Facts(ctx, a.opts.Dir)
	if err != nil {
		return nil, err
	}
	return gitchunks.Open(gitchunks.Options{Dir: cmp.Or(facts.Root, facts.Dir), IdentityFile: a.identityFile(), Now: time.Now})
}

// chunks are those of the repository that the program works in.
func (a *App) chunks(ctx context.Context, project string) (engram.Remote, error) {
	r, err := a.Repository(ctx, a.opts.Dir, project)
	return r.Remote, err
}

// author is what the system calls the person, else the machine.
func author() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	name, _ := os.Hostname() // "" where nobody knows
	return name
}

// identityName is the file in the data directory that has the secret part of keys.
const identityName = "identity.txt"

// Key is what somebody reads encrypted chunks with.
type Key struct {
	Recipient string // its public part
	File      string // that has the secret part
	New       bool   // it was made now
}

// Keygen makes a key where there is none, in a file of the data directory that only its
// owner may read.
func (a *App) Keygen() (Key, error) {
	k := Key{File: a.identityFile()}
	if err := gitchunks.OnlyMine(k.File); err != nil {
		return k, err
	}
	text, err := os.ReadFile(k.File)
	if errors.Is(err, fs.ErrNotExist) {
		k.New = true
		text, err = makeIdentity(k.File)
	}
	if err != nil {
		return k, unreachable(k.File, err)
	}
	all, err := gitchunks.RecipientsOf(string(text))
	switch {
	case err != nil:
		return k, fmt.Errorf("%s: %w", k.File, err)
	case len(all) == 0:
		return k, engram.Errorf(engram.CodeInvalid, "%s has no key", k.File).WithHint("remove the file, and run this again")
	}
	k.Recipient = all[0]
	return k, nil
}

// makeIdentity writes a new key into a file that is not there.
func makeIdentity(path string) ([]byte, error) {
	identity, _, err := gitchunks.GenerateIdentity()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	text := []byte("# The secret part of your key. Whoever has it can read what was encrypted to you.\n" + identity + "\n")
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // half of a key opens nothing, and would be taken for one
		return nil, err
	}
	return text, nil
}

// unreachable is an error of the file system.
func unreachable(path string, err error) error {
	if _, told := errors.AsType[*engram.Error](err); told {
		return err
	}
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be read or written", path).WithCause(err)
}

func (a *App) identityFile() string { return filepath.Join(a.opts.Config.DataDir, identityName) }

// Recipients are to whom the chunks of a repository are encrypted.
type Recipients struct {
	File    string
	Now     []string // as the repository has them, sorted; empty: chunks are not encrypted
	trusted []string // as the person agreed to them, sorted
	open    bool     // the person agreed to chunks that everybody can read
	Sealed  bool     // there are encrypted chunks
}

// Agreed reports whether the person agreed to the recipients as they are. None need no agreement
// unless there are encrypted chunks: the file may have been taken away.
func (r Recipients) Agreed() bool {
	return slices.Equal(r.Now, r.trusted) && (len(r.Now) > 0 || r.open || !r.Sealed)
}

// Added are those that are new since then.
func (r Recipients) Added() []string { return without(r.Now, r.trusted) }

// Removed are those that are gone since then.
func (r Recipients) Removed() []string { return without(r.trusted, r.Now) }

// without is list without what others have.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// Recipients reads to whom the chunks of the repository around dir are encrypted.
func (a *App) Recipients(ctx context.Context, dir string) (Recipients, error) {
	place, err := a.Repository(ctx, dir, "")
	if err != nil {
		return Recipients{}, err
	}
	return a.recipientsOf(ctx, place)
}

func (a *App) recipientsOf(ctx context.Context, place Repository) (Recipients, error) {
	r := Recipients{File: filepath.Join(place.Folder, "recipients.txt")}
	var err error
	if r.Now, err = place.chunks.Recipients(); err != nil {
		return r, err
	}
	if r.Sealed, err = place.chunks.Sealed(); err != nil {
		return r, err
	}
	agreed, err := a.agreed(ctx, place.keys)
	r.trusted, r.open = trustedIn(agreed), agreed == agreedToNone
	return r, err
}

// agreedToNone is what is remembered of who agreed that chunks are not encrypted. It is no
// recipient.
const agreedToNone = "-"

func trustedIn(agreed string) []string {
	if agreed == agreedToNone {
		return nil
	}
	return strings.Fields(agreed)
}

// agreementKeys are by what an agreement about a repository is remembered: where git fetches
// it from, so that it holds in every clone and after a move; the main worktree; the folder.
func agreementKeys(f project.Facts) []string {
	keys := []string{cmp.Or(f.Root, f.Dir)}
	if f.Main != "" && f.Main != keys[0] {
		keys = append([]string{f.Main}, keys...)
	}
	if f.Remote != "" {
		keys = append([]string{"remote " + f.Remote}, keys...)
	}
	return keys
}

// agreed is what was agreed about a repository; "" when nothing was.
func (a *App) agreed(ctx context.Context, keys []string) (string, error) {
	for _, key := range keys {
		if agreed, err := a.Engine.AgreedRecipients(ctx, key); agreed != "" || err != nil {
			return agreed, err
		}
	}
	return "", nil
}

func (a *App) agree(ctx context.Context, keys, recipients []string) error {
	text := strings.Join(recipients, "\n")
	if text == "" {
		text = agreedToNone
	}
	for _, key := range keys {
		if err := a.Engine.AgreeRecipients(ctx, key, text); err != nil {
			return err
		}
	}
	return nil
}

// MayPush is CodeForbidden where the recipients are not those that the person agreed to, since anyone
// who may push could have added themselves or removed all.
func (a *App) MayPush(ctx context.Context, place Repository) error {
	r, err := a.recipientsOf(ctx, place)
	if err != nil || r.Agreed() {
		return err
	}
	return changedRecipients(r)
}

func changedRecipients(r Recipients) error {
	what := "the recipients in " + r.File + " are not those that you agreed to"
	switch {
	case len(r.Now) == 0 && len(r.trusted) > 0:
		what = r.File + " has no recipients any more, and chunks would not be encrypted"
	case len(r.Now) == 0:
		return engram.Errorf(engram.CodeForbidden, "there are encrypted chunks, but no recipients in %s: what is written now could be read by everybody", r.File).
			WithHint("bring the file back, or name them: {sync recipients add RECIPIENT}; to write for everybody: {sync recipients trust}")
	}
	return engram.Errorf(engram.CodeForbidden, "%s", what).
		WithHint("{sync recipients} shows them; if they are right: {sync recipients trust}; {sync recipients remove RECIPIENT} takes one out")
}

// TrustRecipients agrees to the recipients that the repository around dir has.
func (a *App) TrustRecipients(ctx context.Context, dir string) (Recipients, error) {
	place, err := a.Repository(ctx, dir, "")
	if err != nil {
		return Recipients{}, err
	}
	r, err := a.recipientsOf(ctx, place)
	if err != nil {
		return r, err
	}
	r.trusted, r.open = r.Now, len(r.Now) == 0
	return r, a.agree(ctx, place.keys, r.Now)
}

// ChangeRecipients adds and removes recipients and agrees to just that change: what others changed
// meanwhile stays unagreed. CodeInvalid for an invalid recipient, CodeNotFound for an absent one.
func (a *App) ChangeRecipients(ctx context.Context, dir string, add, remove []string) (Recipients, error) {
	place, err := a.Repository(ctx, dir, "")
	if err != nil {
		return Recipients{}, err
	}
	r, err := a.recipientsOf(ctx, place)
	if err != nil {
		return r, err
	}
	for _, s := range add {
		if strings.HasPrefix(strings.ToUpper(s), "AGE-SECRET-KEY-") { // which no message may repeat
			return r, engram.Errorf(engram.CodeInvalid, "that is the secret part of a key, and goes to nobody").WithHint("its recipient begins with age1: {sync keygen} prints yours")
		}
	}
	for _, s := range remove {
		if !slices.Contains(r.Now, s) {
			return r, engram.Errorf(engram.CodeNotFound, "%q is no recipient of this repository", s).WithHint("{sync recipients} shows those there are")
		}
	}
	changed := func(list []string) []string {
		return slices.Compact(slices.Sorted(slices.Values(append(without(list, remove), add...))))
	}
	next := changed(r.Now)
	if err := place.chunks.SetRecipients(next); err != nil {
		return r, err
	}
	r.Now, r.trusted = next, changed(r.trusted)
	if len(next) > 0 && len(r.trusted) == 0 { // only strangers are left, which is no agreement to none
		return r, nil
	}
	r.open = len(r.trusted) == 0
	return r, a.agree(ctx, place.keys, r.trusted)
}

// MayShare is CodeForbidden where only .engram/config.json says that the repository is this
// project's, since anyone who may push writes that file. Naming it once (named) allows it; keep
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
		WithHint("Anyone with push access can change that file. If it is correct, confirm with --project %s.", name)
}

// Sound is the repository without unusable chunks, whose content counts as not there, and notes on
// those. whole reads every chunk to its end, and so finds replaced content too.
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

// alone tries until it is held, for so long at most; then it is CodeUnavailable, with busy as
// what others are doing. What tries again does so often enough for nobody to notice.
func alone(ctx context.Context, within time.Duration, busy string, try func() (held bool, err error)) error {
	for until := time.Now().Add(within); ; {
		held, err := try()
		switch {
		case err != nil || held:
			return err
		case time.Now().After(until):
			return engram.Errorf(engram.CodeUnavailable, "%s", busy).WithHint("try again when it is done")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}
