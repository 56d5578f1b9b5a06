package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/alanbuscaglia/engram"
)

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
	return n.writeGraph(append(text, '\n'))
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

func (n *notes) writeGraph(text []byte) error {
	if err := n.vault.Mkdir(graphFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return unwritten(graphFolder, err)
	}
	_, err := writeWhole(n.vault, graphName, graphName, text, false)
	return err
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
