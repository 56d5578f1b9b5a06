// Package markdown keeps memories as notes in a folder: a Markdown file with YAML front matter per
// memory, and notes that link to them, readable in Obsidian and any editor (note.go). It
// records what it wrote (state.go), so that it writes nothing twice and finds edits (edit.go).
//
// Everything is under engram/ in the vault. Whatever the names of memories, nothing is read or
// written outside of it except Obsidian's graph settings (graph.go); symbolic links are not
// followed; and files that Engram did not write, or that were edited since, are not overwritten.
package markdown

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/alanbuscaglia/engram"
)

// GraphMode says how .obsidian/graph.json is treated.
type GraphMode string

// The modes.
const (
	GraphPreserve GraphMode = "preserve" // written if it does not exist
	GraphForce    GraphMode = "force"    // Engram sets the color groups, the rest stays
	GraphSkip     GraphMode = "skip"     // ignored
)

// Options locate a vault and configure its notes.
type Options struct {
	Dir string // absolute; created if missing
	// PlainLinks writes plain Markdown links instead of [[links]].
	PlainLinks bool
	Graph      GraphMode // "" is GraphSkip
}

// Vault is a folder of notes.
type Vault struct{ opts Options }

// New returns the vault of a folder, without accessing it.
func New(o Options) *Vault { return &Vault{o} }

// folderName is Engram's folder in the vault.
const folderName = "engram"

// Begin implements engram.Vault.
func (v *Vault) Begin(ctx context.Context, how engram.VaultMode) (engram.VaultNotes, error) {
	n := &notes{opts: v.opts, how: how, places: map[engram.ID]string{}, holders: map[string]engram.ID{}, folders: map[string]bool{}, asRead: map[string]asRead{}}
	if err := n.open(ctx); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

// open opens the folder; a missing one is treated as empty in a dry run.
func (n *notes) open(ctx context.Context) error {
	root, err := os.OpenRoot(n.opts.Dir)
	if errors.Is(err, fs.ErrNotExist) && !n.how.DryRun {
		if err = os.MkdirAll(n.opts.Dir, 0o700); err == nil {
			root, err = os.OpenRoot(n.opts.Dir)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		n.state = newState()
		return n.look(ctx)
	case err != nil && (isFile(n.opts.Dir) || errors.Is(err, syscall.ENOTDIR)):
		return engram.Errorf(engram.CodeInvalid, "%s cannot be a vault: it is a file or inside a file", n.opts.Dir).WithHint("name a folder")
	case err != nil:
		return engram.Errorf(engram.CodeUnavailable, "cannot open %s", n.opts.Dir).WithCause(err)
	}
	n.vault = root
	info, err := root.Lstat(folderName)
	switch {
	case errors.Is(err, fs.ErrNotExist) && n.how.DryRun:
		n.state = newState()
		return n.look(ctx)
	case errors.Is(err, fs.ErrNotExist):
		if err := root.Mkdir(folderName, 0o700); err != nil {
			return unwritten(folderName, err)
		}
	case err != nil:
		return unwritten(folderName, err)
	case !info.IsDir():
		return engram.Errorf(engram.CodeInvalid, "%s in the vault is a link or a file", folderName).
			WithHint("move it out of the way; links are not followed")
	}
	if n.root, err = root.OpenRoot(folderName); err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot open %s in the vault", folderName).WithCause(err)
	}
	if n.state, err = n.readState(); err != nil {
		return err
	}
	for id, x := range n.state.Notes {
		n.holders[sameFile(x.Path)] = id
	}
	return n.look(ctx)
}

// isFile reports whether dir exists and is not a folder.
func isFile(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && !info.IsDir()
}

func (n *notes) close() error {
	var err error
	for _, r := range []*os.Root{n.root, n.vault} {
		if r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return err
}

// shown returns the reported path of a file in Engram's folder.
func shown(name string) string { return path.Join(folderName, name) }

// unwritten reports a refused write with its reason. The temporary file is not named: it is removed
// by then.
func unwritten(name string, err error) error {
	refused := engram.Errorf(engram.CodeUnavailable, "cannot write %s", name)
	reason, ok := errors.AsType[syscall.Errno](err)
	switch {
	case !ok:
		return refused.WithCause(err)
	case reason == syscall.ENOSPC || reason == syscall.EDQUOT:
		refused = refused.WithHint("free space on the disk and try again; the notes written so far are complete")
	case reason == syscall.EACCES || reason == syscall.EPERM || reason == syscall.EROFS:
		refused = refused.WithHint("make the vault writable and try again")
	}
	return refused.WithCause(reason)
}
