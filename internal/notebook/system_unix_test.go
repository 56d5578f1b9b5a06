//go:build unix

package notebook_test

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/notebook"
)

func TestOnlyTheUserMayReadNotes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data", "notes")
	n := open(dir)
	if err := errors.Join(n.Add("s", attend.Note{Kind: attend.KindAsked}), n.AddPending(attend.Pending{Key: "k", Session: "s"}), n.AddPending(attend.Pending{Key: "l", Session: "s"}), n.Written("s", []string{"k"})); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// What a full disk took of a line is given back, and the next line that fits is kept.
func TestWhatDoesNotFitOnTheDiskLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	n := open(dir)
	if err := n.AddPending(attend.Pending{Key: "k0", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	path := files(t, dir)[0]
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	full := func(n *notebook.Notebook) error {
		signal.Ignore(syscall.SIGXFSZ)
		defer signal.Reset(syscall.SIGXFSZ)
		var was syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
		small := was
		small.Cur = 4096
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
				t.Fatal(err)
			}
		}()
		return n.AddPending(attend.Pending{Key: "k1", Session: "s", Text: strings.Repeat("word ", 2000)})
	}
	if err := full(n); engram.CodeOf(err) != engram.CodeUnavailable || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v, want unavailable", err)
	}
	if after, err := os.Stat(path); err != nil || after.Size() != before.Size() {
		t.Errorf("there are %d bytes, %v, want %d", after.Size(), err, before.Size())
	}
	if err := n.AddPending(attend.Pending{Key: "k2", Session: "s"}); err != nil {
		t.Error(err)
	}
	if all, err := n.Pending("s"); err != nil || len(all) != 2 || all[1].Key != "k2" {
		t.Errorf("got %+v, %v", all, err)
	}
}
