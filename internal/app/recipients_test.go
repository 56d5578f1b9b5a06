package app_test

import (
	"os"
	"path/filepath"
	"slices"
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

// Whoever may push can change the file of recipients: nothing is written before the person
// agrees to what it says, be it more, fewer or none.
func TestNothingIsWrittenForRecipientsThatNobodyAgreedTo(t *testing.T) {
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
		if _, err := a.ChangeRecipients(ctx, dir, []string{theirs}, nil); engram.CodeOf(err) != engram.CodeForbidden {
			t.Errorf("%s: to add one agrees to nothing that is there: got %v, want forbidden", tt.name, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	may("somebody removed it", engram.CodeForbidden)
	if _, err := a.TrustRecipients(ctx, dir); err != nil {
		t.Fatal(err)
	}
	may("after agreeing to none", "")
}

func TestRecipientsAreChecked(t *testing.T) {
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
