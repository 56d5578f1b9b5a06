package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

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

// Agreed reports whether the person agreed to them as they are. No recipients need no
// agreement where nothing was ever encrypted; beside encrypted chunks they do, for the file
// may have been taken away.
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

// MayPush is CodeForbidden where the repository's recipients are others than those that the
// person agreed to: whoever may push to it could have added themselves, or removed all, and
// read what is written next.
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

// ChangeRecipients adds some and removes some, and agrees to just that: what somebody else
// changed meanwhile stays in the file and is not agreed to (Recipients.Agreed), so that a
// stranger can be taken out without agreeing to them first. CodeInvalid for what is no
// recipient, CodeNotFound for one to remove that is not there.
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
