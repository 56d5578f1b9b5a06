package gitchunks_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// A chunk kept by a git filter is intact in another clone: it is reported, and not written again.
func TestAChunkThatGitKeepsInAnotherForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want, hint string }{
		{"a pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "Git LFS", "run git lfs pull"},
		{"locked by git-crypt", "\x00GITCRYPT\x00\x01\x02", "git-crypt", "run git-crypt unlock"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := open(t, gitchunks.Options{Dir: dir})
			b := keep(t, r, engram.Batch{At: at(1)}, memory(1, "a"))
			writeText(t, filepath.Join(dir, ".engram", "chunks", b.ID+".jsonl.gz"), tt.text)
			_, err := readAll(t, open(t, gitchunks.Options{Dir: dir}), b.ID)
			told, _ := errors.AsType[*engram.Error](err)
			if told == nil || told.Code != engram.CodeForbidden || !strings.Contains(told.Msg, tt.want) || told.Hint != tt.hint {
				t.Errorf("read: got %v, want forbidden: %s, with the hint %s", err, tt.want, tt.hint)
			}
			for _, whole := range []bool{false, true} {
				if notes, err := r.Damaged(t.Context(), whole); err != nil || len(notes) > 0 {
					t.Errorf("damaged (whole: %v): got %+v, %v; want none", whole, notes, err)
				}
			}
		})
	}
}

// What a merge or a person damaged and Settle rebuilt has to be committed, so it is reported.
func TestWhatWasMadeAnewIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	keep(t, r, engram.Batch{At: at(1)}, memory(1, "a"))
	keep(t, r, engram.Batch{At: at(2)}, memory(2, "b"))
	settled := func(r *gitchunks.Repository, want ...string) {
		t.Helper()
		if err := r.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.Anew(); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	settled(r)
	writeText(t, manifestPath(dir), "<<<<<<< HEAD\n")
	settled(open(t, gitchunks.Options{Dir: dir}), "manifest.json")
	settled(open(t, gitchunks.Options{Dir: dir}))
	for _, name := range []string{".gitattributes", "manifest.json"} {
		if err := os.Remove(filepath.Join(dir, ".engram", name)); err != nil {
			t.Fatal(err)
		}
	}
	settled(open(t, gitchunks.Options{Dir: dir}), ".gitattributes", "manifest.json")
	// A push that finds the damage reports it as well.
	writeText(t, manifestPath(dir), "{}")
	r = open(t, gitchunks.Options{Dir: dir})
	keep(t, r, engram.Batch{At: at(3)}, memory(3, "c"))
	settled(r, "manifest.json")
}

func TestAFolderThatCannotBeMadeDurable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"the file system knows no such thing", &os.PathError{Op: "sync", Path: ".", Err: syscall.EINVAL}, true},
		{"it says that it is not supported", &os.PathError{Op: "sync", Path: ".", Err: syscall.ENOTSUP}, true},
		{"the disk is broken", &os.PathError{Op: "sync", Path: ".", Err: syscall.EIO}, false},
		{"the disk is full", &os.PathError{Op: "sync", Path: ".", Err: syscall.ENOSPC}, false},
	} {
		if got := gitchunks.CannotSync(tt.err); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A foreign key is reported by its kind, without quoting a secret.
func TestKeysOfOtherKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"an SSH key, with a passphrase or without", "-----BEGIN OPENSSH PRIVATE KEY-----\nSECRET\n", "line 1 begins an SSH or PEM key"},
		{"a plugin's identity", "# mine\nAGE-PLUGIN-YUBIKEY-1SECRET\n", "line 2 is an identity of an age plugin"},
		{"a file with a passphrase, armoured", "-----BEGIN AGE ENCRYPTED FILE-----\nSECRET\n", "line 1 begins a file protected by a passphrase"},
		{"a file with a passphrase", "age-encryption.org/v1\n-> scrypt SECRET\n", "line 1 begins a file protected by a passphrase"},
		{"anything else", "SECRET", "line 1 is not an age identity"},
	} {
		if _, err := gitchunks.RecipientsOf(tt.text); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		"ssh-ed25519 AAAAC3Nz ana@host": "is an SSH key",
		"age1yubikey1qwt50d05nh5vutpdz": "is a recipient of an age plugin",
		"age1bad":                       "is not an age recipient",
		"":                              "is not an age recipient",
	} {
		if _, err := gitchunks.Open(gitchunks.Options{Dir: t.TempDir(), Recipients: []string{text}}); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
