package notebook_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/notebook"
)

// Wherever in a text a secret stands, no half of it reaches the disk: at the edge of what is
// kept, of what is looked through, and in the middle of an error of which only the ends are.
func TestNoSecretIsHalvedByACut(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("QmFzZTY0", 8)
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(line+"\n", 49) + "-----END RSA PRIVATE KEY-----\n"
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a" //nolint:gosec // not a real key
	const private = "<private>the code\nis 4711</private>"
	fill := func(size int) string { return strings.Repeat("--- FAIL: TestCart\n", size/19+1)[:size] }
	for _, secret := range []string{key, "the token is " + token, private} {
		dir := t.TempDir()
		n := open(dir)
		for _, edge := range []int{4 << 10, 32 << 10, 64 << 10} {
			for _, inside := range []int{10, len(secret) / 2, len(secret) - 10} {
				for _, text := range []string{
					fill(edge-inside) + secret + fill(70<<10), // the edge of a head
					fill(70<<10) + secret + fill(edge-inside), // of a tail
					fill(edge-inside) + secret + fill(edge),   // and both
					strings.Repeat(key, 20) + secret,          // of which most is cut out
				} {
					if err := n.Add("s", attend.Note{Kind: attend.KindPrompt, Command: text, Error: text}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		b, err := os.ReadFile(files(t, dir)[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range []string{line[:16], token[:12], token[len(token)-12:], "the code", "4711"} {
			if strings.Contains(string(b), left) {
				t.Errorf("%.40q: %q is on the disk", secret, left)
			}
		}
	}
}

// The lock of a file that was replaced or removed while it was waited for is worth nothing:
// what is appended then goes to the one that has its name.
func TestTheLockOfAFileThatIsGoneCountsForNothing(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*notebook.Notebook) error{
		"replaced": func(n *notebook.Notebook) error { return n.Written("s", []string{"k0"}) },
		"removed":  func(n *notebook.Notebook) error { return n.Written("s", []string{"k0", "k1"}) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			other := open(dir)
			for _, key := range []string{"k0", "k1"} {
				if err := other.AddPending(attend.Pending{Key: key, Session: "s"}); err != nil {
					t.Fatal(err)
				}
			}
			tries := 0
			n := notebook.New(notebook.Options{Dir: dir, LockTimeout: time.Minute, Lock: func(f *os.File) (bool, error) {
				if tries++; tries == 1 {
					if err := meanwhile(other); err != nil {
						t.Error(err)
					}
				}
				return lock(f)
			}})
			if err := n.AddPending(attend.Pending{Key: "k2", Session: "s"}); err != nil {
				t.Fatal(err)
			}
			all, err := n.Pending("s")
			if err != nil || len(all) == 0 || all[len(all)-1].Key != "k2" {
				t.Errorf("got %+v, %v, want k2 in the end", all, err)
			}
		})
	}
}
