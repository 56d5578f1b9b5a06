package gitchunks_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// open opens the memory in a repository, which may be empty.
func open(t testing.TB, o gitchunks.Options) *gitchunks.Repository {
	t.Helper()
	r, err := gitchunks.Open(o)
	if err != nil {
		t.Fatalf("open %+v: %v", o, err)
	}
	return r
}

// identity writes an identity to a file, and returns its path and its recipient.
func identity(t testing.TB) (path, recipient string) {
	t.Helper()
	secret, recipient, err := gitchunks.GenerateIdentity()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "identity.txt")
	if err := os.WriteFile(path, []byte("# mine\n"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, recipient
}

func TestARepositoryIsARemote(t *testing.T) {
	t.Parallel()
	replicatest.Run(t, func(t *testing.T, dir string) engram.Remote {
		return open(t, gitchunks.Options{Dir: dir, Project: "shop"})
	})
}

func TestASealedRepositoryIsARemote(t *testing.T) {
	t.Parallel()
	path, recipient := identity(t)
	replicatest.Run(t, func(t *testing.T, dir string) engram.Remote {
		r := open(t, gitchunks.Options{Dir: dir, Project: "shop", Recipients: []string{recipient}, IdentityFile: path})
		if err := r.SetRecipients([]string{recipient}); err != nil {
			t.Fatal(err)
		}
		return r
	})
}
