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
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// Repository is the place of a project's shared memories among its files.
type Repository struct {
	Root   string        // absolute; the folder itself if it is in no repository
	Folder string        // .engram in it
	Remote engram.Remote // its chunks
	By     string        // this person's name for readers of what they wrote; "" if unknown

	chunks *gitchunks.Repository
	facts  project.Facts
	keys   []string // keys of agreements about it, the widest first
}

// Anew returns the files beside the chunks that were regenerated and must be committed too.
func (r Repository) Anew() []string { return r.chunks.Anew() }

// Strange returns notes on files among the chunks that are not chunks, by name.
func (r Repository) Strange(ctx context.Context) ([]engram.ImportNote, error) {
	return r.chunks.Notes(ctx)
}

// ManifestFaults returns notes on errors in the list of chunks.
func (r Repository) ManifestFaults(ctx context.Context) ([]engram.ImportNote, error) {
	return r.chunks.ManifestFaults(ctx)
}

// Ignored returns the rule by which git would ignore new chunks, as FILE:LINE:PATTERN, so that
// others never get them, or "".
func (r Repository) Ignored(ctx context.Context) string {
	if !r.InGit() {
		return ""
	}
	return git.Folders{}.Ignored(ctx, r.Root, r.chunks.Example())
}

// InGit reports whether it is a git repository, not just a folder.
func (r Repository) InGit() bool { return r.facts.Root != "" }

// Repository finds the repository that contains dir and opens its chunks, if any. Records without a
// project, as in other programs' chunks, belong to project.
func (a *App) Repository(ctx context.Context, dir, project string) (Repository, error) {
	facts, err := git.Folders{}.Facts(ctx, dir)
	if err != nil {
		return Repository{}, err
	}
	return a.repositoryOf(ctx, facts, project, 0)
}

// repositoryOf is Repository for a folder whose facts are known; most limits the bytes of a chunk,
// 0 is the usual limit.
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

// ownChunks opens the chunks of the working folder's repository to check their list, which needs no
// recipients.
func (a *App) ownChunks(ctx context.Context) (*gitchunks.Repository, error) {
	facts, err := git.Folders{}.Facts(ctx, a.opts.Dir)
	if err != nil {
		return nil, err
	}
	return gitchunks.Open(gitchunks.Options{Dir: cmp.Or(facts.Root, facts.Dir), IdentityFile: a.identityFile(), Now: time.Now})
}

func (a *App) chunks(ctx context.Context, project string) (engram.Remote, error) {
	r, err := a.Repository(ctx, a.opts.Dir, project)
	return r.Remote, err
}

// author returns the person's user name, else the machine's name.
func author() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	name, _ := os.Hostname() // "" if unknown
	return name
}

// identityName is the file in the data directory with the secret keys.
const identityName = "identity.txt"

// Key is a person's key for reading encrypted chunks.
type Key struct {
	Recipient string // public part
	File      string // file with the secret part
	New       bool   // it was created now
}

// Keygen creates a key, readable only by its owner, in the data directory unless there is one.
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
	text := []byte("# The secret part of your key. Anyone who has it can read what was encrypted to you.\n" + identity + "\n")
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // an incomplete key would be taken for a whole one
		return nil, err
	}
	return text, nil
}

// unreachable wraps an error of the file system.
func unreachable(path string, err error) error {
	if _, hasCode := errors.AsType[*engram.Error](err); hasCode {
		return err
	}
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be read or written", path).WithCause(err)
}

func (a *App) identityFile() string { return filepath.Join(a.opts.Config.DataDir, identityName) }

// Recipients are the keys that a repository's chunks are encrypted to.
type Recipients struct {
	File    string
	Now     []string // current ones in the repository, sorted; empty: chunks are not encrypted
	trusted []string // those that the person agreed to, sorted
	open    bool     // the person agreed to unencrypted chunks
	Sealed  bool     // there are encrypted chunks
}

// Agreed reports whether the person agreed to the current recipients. An empty list needs agreement
// only if there are encrypted chunks, since the file may have been deleted.
func (r Recipients) Agreed() bool {
	return slices.Equal(r.Now, r.trusted) && (len(r.Now) > 0 || r.open || !r.Sealed)
}

// Added returns recipients that are new since then.
func (r Recipients) Added() []string { return without(r.Now, r.trusted) }

// Removed returns recipients that are missing since then.
func (r Recipients) Removed() []string { return without(r.trusted, r.Now) }

// without returns list without the elements of others.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// Recipients returns the recipients of the repository around dir.
func (a *App) Recipients(ctx context.Context, dir string) (Recipients, error) {
	_, r, err := a.recipientsAt(ctx, dir)
	return r, err
}

func (a *App) recipientsAt(ctx context.Context, dir string) (place Repository, r Recipients, err error) {
	if place, err = a.Repository(ctx, dir, ""); err == nil {
		r, err = a.recipientsOf(ctx, place)
	}
	return place, r, err
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

// agreedToNone is stored for an agreement that chunks are not encrypted. It cannot be a recipient.
const agreedToNone = "-"

func trustedIn(agreed string) []string {
	if agreed == agreedToNone {
		return nil
	}
	return strings.Fields(agreed)
}

// agreementKeys returns the keys of agreements about a repository: its remote, so that they hold in
// every clone and after a move; the main worktree; the folder.
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

// agreed returns what was agreed about a repository; "" if nothing was.
func (a *App) agreed(ctx context.Context, keys []string) (string, error) {
	for _, key := range keys {
		if agreed, err := a.Engine.Consent(ctx, sync.AgreedRecipients, key); agreed != "" || err != nil {
			return agreed, err
		}
	}
	return "", nil
}

func (a *App) agree(ctx context.Context, keys, recipients []string) error {
	text := cmp.Or(strings.Join(recipients, "\n"), agreedToNone)
	for _, key := range keys {
		if err := a.Engine.PutConsent(ctx, sync.AgreedRecipients, key, text); err != nil {
			return err
		}
	}
	return nil
}

// MayPush returns CodeForbidden if the recipients are not those that the person agreed to: anyone
// with push access could have added themselves or removed all.
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
		what = r.File + " has no recipients any more, so chunks would not be encrypted"
	case len(r.Now) == 0:
		return engram.Errorf(engram.CodeForbidden, "there are encrypted chunks, but no recipients in %s: new chunks would be readable by everyone", r.File).
			WithHint("restore the file, or add recipients: {sync recipients add RECIPIENT}; to write without encryption: {sync recipients trust}")
	}
	return engram.Errorf(engram.CodeForbidden, "%s", what).
		WithHint("check them with {sync recipients}; if they are correct: {sync recipients trust}; to remove one: {sync recipients remove RECIPIENT}")
}

// TrustRecipients agrees to the current recipients of the repository around dir.
func (a *App) TrustRecipients(ctx context.Context, dir string) (Recipients, error) {
	place, r, err := a.recipientsAt(ctx, dir)
	if err != nil {
		return r, err
	}
	r.trusted, r.open = r.Now, len(r.Now) == 0
	return r, a.agree(ctx, place.keys, r.Now)
}

// ChangeRecipients adds and removes recipients and agrees to just that change: changes by others
// remain to be agreed to. CodeInvalid for an invalid recipient, CodeNotFound for a missing one.
func (a *App) ChangeRecipients(ctx context.Context, dir string, add, remove []string) (Recipients, error) {
	place, r, err := a.recipientsAt(ctx, dir)
	if err != nil {
		return r, err
	}
	for _, s := range add {
		if strings.HasPrefix(strings.ToUpper(s), "AGE-SECRET-KEY-") { // no message may repeat it
			return r, engram.Errorf(engram.CodeInvalid, "that is the secret part of a key, which must not be shared").WithHint("its recipient begins with age1: {sync keygen} prints yours")
		}
	}
	for _, s := range remove {
		if !slices.Contains(r.Now, s) {
			return r, engram.Errorf(engram.CodeNotFound, "%q is not a recipient of this repository", s).WithHint("{sync recipients} lists them")
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
	if len(next) > 0 && len(r.trusted) == 0 { // only recipients that others added are left, which is not an agreement to none
		return r, nil
	}
	r.open = len(r.trusted) == 0
	return r, a.agree(ctx, place.keys, r.trusted)
}

// MayShare returns CodeForbidden if only .engram/config.json connects the repository with this
// project: anyone with push access can write that file. Naming the project once (named) allows it;
// keep remembers that.
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
		names, err := a.Engine.Consent(ctx, sync.NamedProjects, key)
		if err != nil {
			return err
		}
		if slices.Contains(strings.Fields(names), name) {
			return nil
		}
		if named && keep {
			if err := a.Engine.PutConsent(ctx, sync.NamedProjects, key, strings.TrimSpace(names+"\n"+name)); err != nil {
				return err
			}
		}
	}
	if named {
		return nil
	}
	return engram.Errorf(engram.CodeForbidden, "only .engram/config.json says that this repository belongs to project %q", name).
		WithHint("Anyone with push access can change that file. If it is correct, confirm with --project %s.", name)
}

// Sound returns the repository's remote without unusable chunks, and notes on those. whole reads
// every chunk to its end, which also finds replaced content.
func (r Repository) Sound(ctx context.Context, whole bool) (engram.Remote, []engram.ImportNote, error) {
	damaged, err := r.chunks.Damaged(ctx, whole)
	if err != nil {
		return nil, nil, err
	}
	return sound{r.Remote, damaged}, damaged, nil
}

// sound is a remote that hides some batches.
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

// shareWait limits how long one sync waits for another.
const shareWait = 30 * time.Second

// Alone calls do while no other process of this data directory syncs: two at once would write the
// same memories twice. CodeUnavailable after 30 seconds.
func (a *App) Alone(ctx context.Context, do func() error) error {
	if a.opts.Try {
		return do() // a dry run writes nothing that another sync could see, and leaves no lock file behind
	}
	return a.syncAlone(ctx, shareWait, do)
}

// syncAlone is Alone that waits at most within.
func (a *App) syncAlone(ctx context.Context, within time.Duration, do func() error) error {
	f, err := hold(ctx, filepath.Join(a.opts.Config.DataDir, "sync.lock"), within, "another sync is running")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // closing unlocks it
	return do()
}

// hold takes the lock file at path and returns it; closing it unlocks it. CodeUnavailable after
// within; busy describes the holder's work.
func hold(ctx context.Context, path string, within time.Duration, busy string) (f *os.File, err error) {
	err = alone(ctx, within, busy, func() (held bool, err error) {
		if f, held, err = tryLock(path); err != nil {
			err = unreachable(path, err)
		}
		return held, err
	})
	return f, err
}

// alone calls try until it holds the lock, or returns CodeUnavailable after within; busy describes
// the holder's work.
func alone(ctx context.Context, within time.Duration, busy string, try func() (held bool, err error)) error {
	for until := time.Now().Add(within); ; {
		held, err := try()
		switch {
		case err != nil || held:
			return err
		case !time.Now().Before(until):
			return engram.Errorf(engram.CodeUnavailable, "%s", busy).WithHint("try again when it is done")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(10*time.Millisecond, within/100)):
		}
	}
}
