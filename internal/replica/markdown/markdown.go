// Package markdown keeps memories as notes in a folder: a Markdown file with YAML front matter per
// memory, and notes that link to them, readable in Obsidian and any editor (note.go). It
// records what it wrote (state.go), so that it writes nothing twice and finds edits (edit.go).
//
// Everything is under engram/ in the vault. Whatever the names of memories, nothing is read or
// written outside of it except Obsidian's graph settings; symbolic links are not
// followed; and files that Engram did not write, or that were edited since, are not overwritten.
package markdown

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
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

// Obsidian's settings of a vault's graph.
const (
	graphFolder = ".obsidian"
	graphName   = graphFolder + "/graph.json"
	maxGraph    = 1 << 20
)

// Dress implements engram.VaultNotes: the graph gets a color per type of memory and kind of hub.
func (n *notes) Dress() error {
	if n.opts.Graph == "" || n.opts.Graph == GraphSkip || n.how.DryRun || n.vault == nil {
		return nil
	}
	was, err := n.readGraph()
	if err != nil && n.opts.Graph == GraphPreserve && engram.CodeOf(err) == engram.CodeInvalid {
		n.remarks = append(n.remarks, engram.NoteRemark{Path: graphName, Reason: err.Error() + "; it was not changed"})
		return nil
	}
	if err != nil {
		return err
	}
	if was != nil && n.opts.Graph == GraphPreserve {
		return nil
	}
	if was == nil {
		was = map[string]any{"showArrow": true, "collapse-color-groups": false}
	}
	was["colorGroups"] = colours()
	text, err := json.MarshalIndent(was, "", "  ")
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "cannot write %s", graphName).WithCause(err)
	}
	if err := n.vault.Mkdir(graphFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return unwritten(graphFolder, err)
	}
	_, err = writeWhole(n.vault, graphName, graphName, append(text, '\n'), false)
	return err
}

// readGraph reads the settings; nil for none. CodeInvalid if they are not an object.
func (n *notes) readGraph() (map[string]any, error) {
	for _, part := range []string{graphFolder, graphName} {
		info, err := n.vault.Lstat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, engram.Errorf(engram.CodeUnavailable, "cannot read %s", part).WithCause(err)
		case info.IsDir() != (part == graphFolder), info.Mode().Type() != 0 && !info.IsDir():
			return nil, engram.Errorf(engram.CodeInvalid, "%s is a link, or a folder in place of a file, or a file in place of a folder", part).
				WithHint("move it out of the way, or use --graph-config skip")
		case info.Size() > maxGraph && !info.IsDir():
			return nil, engram.Errorf(engram.CodeInvalid, "%s has %d bytes, the limit is %d", part, info.Size(), maxGraph).WithHint("use --graph-config skip")
		}
	}
	f, err := n.vault.Open(graphName)
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "cannot read %s", graphName).WithCause(err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxGraph))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "cannot read %s", graphName).WithCause(err)
	}
	was := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber() // keeps 0.1 as 0.1
	if err := dec.Decode(&was); err != nil || was == nil {
		return nil, engram.Errorf(engram.CodeInvalid, "%s is not a JSON object", graphName).
			WithHint("remove it, or use --graph-config skip")
	}
	return was, nil
}

// colourGroup is a group of the graph in Obsidian's format.
type colourGroup struct {
	Query string `json:"query"`
	Color colour `json:"color"`
}

type colour struct {
	A   int `json:"a"`
	RGB int `json:"rgb"`
}

// colours returns the groups: hubs first, because the first match counts. Types take turns in the
// colors, so neighbors differ.
func colours() []colourGroup {
	wheel := []int{0xE15759, 0x4E79A7, 0xF28E2B, 0x59A14F, 0xB07AA1, 0x76B7B2, 0xEDC948, 0xFF9DA7, 0x9C755F}
	groups := []colourGroup{}
	for i, k := range []engram.HubKind{engram.HubSession, engram.HubTopic, engram.HubCluster} {
		groups = append(groups, colourGroup{"path:" + folderName + "/" + hubFolder(k), colour{1, []int{0x8C8C8C, 0xFFFFFF, 0xD4A6C8}[i]}})
	}
	for i, t := range engram.KnownTypes() {
		groups = append(groups, colourGroup{`["type":` + string(t) + `]`, colour{1, wheel[i%len(wheel)]}})
	}
	return groups
}
