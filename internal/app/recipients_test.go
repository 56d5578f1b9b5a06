package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
)

// key makes a key in a data directory of its own and returns its public part.
func key(t *testing.T) string {
	t.Helper()
	k, err := newApp(t, t.TempDir()).Keygen()
	if err != nil || !k.New {
		t.Fatalf("keygen: got %+v, %v; want a new key", k, err)
	}
	return k.Recipient
}

func TestAKeyIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	a := newApp(t, dir)
	first, err := a.Keygen()
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Keygen()
	if err != nil || second.New || second.Recipient != first.Recipient {
		t.Errorf("once more: got %+v, %v; want the same recipient, not new", second, err)
	}
	info, err := os.Stat(first.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of %s: got %v, %v; want 0600", first.File, info, err)
	}
	if err := os.WriteFile(first.File, []byte("AGE-SECRET-KEY-1NONSENSE"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Keygen(); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a file that has no key: got %v, want invalid", err)
	}
}

// Anyone with push access can change the file of recipients: nothing is written before the person
// agrees to what it says, be it more, fewer or none.
func TestNothingIsWrittenForRecipientsThatNobodyAgreedTo(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, dir := newApp(t, t.TempDir()), t.TempDir()
	mine, theirs := key(t), key(t)
	may := func(why string, want engram.Code) {
		t.Helper()
		place, err := a.Repository(ctx, dir, "p")
		if err == nil {
			err = a.MayPush(ctx, place)
		}
		if engram.CodeOf(err) != want {
			t.Errorf("%s: got %v, want code %q", why, err, want)
		}
	}
	may("without recipients", "")
	r, err := a.ChangeRecipients(ctx, dir, []string{mine}, nil)
	if err != nil || !r.Agreed() || !slices.Equal(r.Now, []string{mine}) {
		t.Fatalf("add: got %+v, %v; want one that was agreed to", r, err)
	}
	may("with those that the person added", "")

	file := r.File
	for _, tt := range []struct {
		name, text     string
		added, removed int
	}{
		{"somebody added themselves", mine + "\n" + theirs + "\n", 1, 0},
		{"somebody put themselves in the place", theirs + "\n", 1, 1},
		{"somebody emptied it", "", 0, 1},
	} {
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		may(tt.name, engram.CodeForbidden)
		r, err := a.Recipients(ctx, dir)
		if err != nil || r.Agreed() || len(r.Added()) != tt.added || len(r.Removed()) != tt.removed {
			t.Errorf("%s: got %+v, %v; want %d new and %d gone", tt.name, r, err, tt.added, tt.removed)
		}
		third := key(t)
		if r, err := a.ChangeRecipients(ctx, dir, []string{third}, nil); err != nil || r.Agreed() {
			t.Errorf("%s: to add one agrees to nothing that is there: got %+v, %v; want one not agreed to", tt.name, r, err)
		}
		may(tt.name+", and one was added", engram.CodeForbidden)
		if _, err := a.ChangeRecipients(ctx, dir, nil, []string{third}); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove(file) // with the last one it was removed already
	may("somebody removed it", engram.CodeForbidden)
	if _, err := a.TrustRecipients(ctx, dir); err != nil {
		t.Fatal(err)
	}
	may("after agreeing to none", "")
}

func TestRecipientsAreChecked(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, dir, mine := newApp(t, t.TempDir()), t.TempDir(), key(t)
	for _, tt := range []struct {
		name        string
		add, remove []string
		want        engram.Code
	}{
		{"one that is no recipient", []string{"age1nonsense"}, nil, engram.CodeInvalid},
		{"a secret key", []string{"AGE-SECRET-KEY-1QQQ"}, nil, engram.CodeInvalid},
		{"removing one that is not there", nil, []string{mine}, engram.CodeNotFound},
	} {
		if _, err := a.ChangeRecipients(ctx, dir, tt.add, tt.remove); engram.CodeOf(err) != tt.want {
			t.Errorf("%s: got %v, want code %s", tt.name, err, tt.want)
		}
	}
	var r app.Recipients
	var err error
	for range 2 { // adding one that is there changes nothing
		if r, err = a.ChangeRecipients(ctx, dir, []string{mine}, nil); err != nil || len(r.Now) != 1 {
			t.Fatalf("add: got %+v, %v; want one", r, err)
		}
	}
	if r, err = a.ChangeRecipients(ctx, dir, nil, []string{mine}); err != nil || len(r.Now) != 0 || !r.Agreed() {
		t.Errorf("remove: got %+v, %v; want none, agreed", r, err)
	}
}

// A stranger in the file is taken out without being agreed to first.
func TestAStrangerIsTakenOut(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, dir, mine, theirs := newApp(t, t.TempDir()), t.TempDir(), key(t), key(t)
	r, err := a.ChangeRecipients(ctx, dir, []string{mine}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.File, []byte(mine+"\n"+theirs+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = a.ChangeRecipients(ctx, dir, nil, []string{theirs}); err != nil || !r.Agreed() || !slices.Equal(r.Now, []string{mine}) {
		t.Errorf("remove the stranger: got %+v, %v; want what was agreed to before", r, err)
	}
}

// Where a chunk is encrypted nothing is written that is not, unless somebody says so: the
// file of recipients may have been lost, or never looked at here.
func TestEncryptionIsNotLostWithTheFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, dir := newApp(t, t.TempDir()), t.TempDir()
	chunks := filepath.Join(dir, ".engram", "chunks")
	if err := os.MkdirAll(chunks, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(chunks, "0123abcd.jsonl.gz.age"), []byte("sealed"), 0o600); err != nil {
		t.Fatal(err)
	}
	place, err := a.Repository(ctx, dir, "p")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.MayPush(ctx, place); engram.CodeOf(err) != engram.CodeForbidden {
		t.Errorf("an encrypted chunk and no recipients: got %v, want forbidden", err)
	}
	if _, err := a.TrustRecipients(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if err := a.MayPush(ctx, place); err != nil {
		t.Errorf("after agreeing to none: got %v, want no error", err)
	}
}

// An agreement is about a repository, not about a folder: it holds in every clone.
func TestAnAgreementHoldsInEveryClone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, mine := newApp(t, t.TempDir()), key(t)
	clone := func() string {
		dir := t.TempDir()
		for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "git@example.com:team/shop.git"}} {
			if out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
		}
		return dir
	}
	first, second := clone(), clone()
	if _, err := a.ChangeRecipients(ctx, first, []string{mine}, nil); err != nil {
		t.Fatal(err)
	}
	place, err := a.Repository(ctx, second, "shop")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.MayPush(ctx, place); engram.CodeOf(err) != engram.CodeForbidden {
		t.Errorf("a clone where the file of recipients is gone: got %v, want forbidden", err)
	}
	text, err := os.ReadFile(filepath.Join(first, ".engram", "recipients.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(second, ".engram"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(second, ".engram", "recipients.txt"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.MayPush(ctx, place); err != nil {
		t.Errorf("a clone with the recipients that were agreed to: got %v, want no error", err)
	}
}

func TestAKeyThatOthersCanReadIsRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // which has no modes
	}
	dir := t.TempDir()
	a := newApp(t, dir)
	k, err := a.Keygen()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(k.File, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Keygen(); engram.CodeOf(err) != engram.CodeForbidden || !strings.Contains(engram.HintOf(err), "chmod 600") {
		t.Errorf("mode 0644: got %v, want forbidden with the remedy", err)
	}
	elsewhere := filepath.Join(t.TempDir(), "key")
	if err := os.Chmod(k.File, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(k.File, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, k.File); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Keygen(); engram.CodeOf(err) != engram.CodeForbidden {
		t.Errorf("a link: got %v, want forbidden", err)
	}
}
