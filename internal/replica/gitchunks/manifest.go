package gitchunks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

const (
	manifestVersion = 1
	maxManifest     = 16 << 20 // 100,000 chunks
)

type manifestEntry struct {
	ID        string `json:"id"`
	CreatedBy string `json:"created_by"`
	CreatedAt string `json:"created_at"` // "" if unknown
	Sessions  int    `json:"sessions"`
	Memories  int    `json:"memories"`
	Prompts   int    `json:"prompts"`
}

// manifest is the readable content of the manifest.
type manifest struct {
	exists  bool
	flaw    string // why it is invalid; "" if it is valid
	version int
	entries map[string]manifestEntry // by ID
	order   []string                 // IDs in order, each once
	lines   bool                     // in the form of encodeManifest
	text    []byte                   // all of it
}

// readManifest reads the manifest, a damaged one as far as possible: an error only concerns reading
// the file.
func readManifest(ctx context.Context, folder *os.Root) (manifest, error) {
	b, err := readFile(ctx, folder, manifestName, maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manifest{}, nil
	case engram.CodeOf(err) == engram.CodeInvalid: // too large
		return manifest{exists: true, flaw: "it is too large"}, nil
	case err != nil:
		return manifest{}, failed("cannot read "+manifestName, err)
	}
	return parseManifest(b), nil
}

func parseManifest(b []byte) manifest {
	var file struct {
		Version int             `json:"version"`
		Chunks  json.RawMessage `json:"chunks"`
	}
	m := manifest{exists: true, entries: map[string]manifestEntry{}, text: b}
	if json.Unmarshal(b, &file) == nil {
		m.version = file.Version
	}
	var entries []json.RawMessage
	if json.Unmarshal(file.Chunks, &entries) != nil {
		m.flaw = "it is not a JSON list of chunks"
		if markers().Match(b) {
			m.flaw = "it has conflict markers of a merge"
		}
		m.scan(b)
		return m
	}
	if file.Version != manifestVersion {
		m.flaw = "its version is unknown"
	}
	for _, object := range entries {
		if flaw := m.add(object); flaw != "" {
			m.flaw = flaw
		}
	}
	if again, err := encodeManifest(m.inOrder()); err == nil {
		m.lines = m.flaw == "" && bytes.Equal(b, again)
	}
	return m
}

// markers are git's conflict markers.
var markers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(<{7}|={7}|>{7})(\s|$)`) })

// idNamed finds IDs in a manifest, also where entries are garbled.
var idNamed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"id"\s*:\s*"([0-9a-f]{8})"`) })

// mentioned returns all IDs that the manifest contains, sorted.
func (m manifest) mentioned() (ids []string) {
	for _, id := range idNamed().FindAllSubmatch(m.text, -1) {
		ids = append(ids, string(id[1]))
	}
	return setSorted(ids)
}

// add adds a valid, new entry, or returns what is wrong with it. A merge of multi-line entries can
// mix two into one, which may even be valid JSON; then its fields cannot be attributed.
func (m *manifest) add(object []byte) (flaw string) {
	var e manifestEntry
	if json.Unmarshal(object, &e) != nil || wire.Inspect(object) != nil || !isID(e.ID) {
		return "an entry is invalid or has a field twice, as after a merge"
	}
	if _, twice := m.entries[e.ID]; twice {
		return "it has an entry twice"
	}
	m.entries[e.ID] = e
	m.order = append(m.order, e.ID)
	return ""
}

// scan finds entries in an invalid manifest: each runs from a brace to the next one outside of a
// string. It is linear.
func (m *manifest) scan(b []byte) {
	open, quoted := -1, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n': // JSON strings do not span lines: the quote was never closed
			quoted = false
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			open = i // what encloses it, such as the manifest itself, is not an entry
		case c == '}' && open >= 0:
			m.add(b[open : i+1])
			open = -1
		}
	}
}

// batch returns what the manifest knows about a chunk.
func (m manifest) batch(id string) (b engram.Batch, inList bool) {
	e, inList := m.entries[id]
	var at wire.Time
	if text, err := json.Marshal(e.CreatedAt); err == nil && at.UnmarshalJSON(text) != nil {
		at = wire.Time{}
	}
	return engram.Batch{ID: id, By: e.CreatedBy, At: at.Time, Sessions: e.Sessions, Memories: e.Memories, Prompts: e.Prompts}, inList
}

func (m manifest) inOrder() []manifestEntry {
	all := make([]manifestEntry, len(m.order))
	for i, id := range m.order {
		all[i] = m.entries[id]
	}
	return all
}

// fits reports whether the manifest lists exactly these chunks.
func (m manifest) fits(batches []engram.Batch) bool {
	if !m.exists {
		return len(batches) == 0
	}
	unlisted := func(b engram.Batch) bool { _, ok := m.entries[b.ID]; return !ok }
	return m.flaw == "" && len(m.entries) == len(batches) && !slices.ContainsFunc(batches, unlisted)
}

// of returns the manifest of these chunks, newest on top. A valid manifest keeps its lines and new
// entries go above them, whatever their time: otherwise two clones could change the same line. Any
// other is rebuilt, to the same bytes in every clone.
func (m manifest) of(batches []engram.Batch) ([]byte, error) {
	var entries []manifestEntry
	there := map[string]bool{}
	for _, b := range slices.Backward(batches) {
		there[b.ID] = true
		if _, inList := m.entries[b.ID]; !m.lines || !inList {
			entries = append(entries, entryOf(b))
		}
	}
	if m.lines {
		entries = append(entries, slices.DeleteFunc(m.inOrder(), func(e manifestEntry) bool { return !there[e.ID] })...)
	}
	return encodeManifest(entries)
}

func entryOf(b engram.Batch) manifestEntry {
	at := "" // unknown, not the year 1
	if !b.At.IsZero() {
		at = b.At.UTC().Format(time.RFC3339)
	}
	return manifestEntry{b.ID, b.By, at, b.Sessions, b.Memories, b.Prompts}
}

// encodeManifest writes an entry per line. Each line but the last ends in a comma, so the lines of
// two manifests with the same last line make a manifest again.
func encodeManifest(entries []manifestEntry) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(`{"version":1,"chunks":[` + "\n")
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for i, entry := range entries {
		if err := e.Encode(entry); err != nil {
			return nil, err
		}
		if i < len(entries)-1 {
			out.Truncate(out.Len() - 1)
			out.WriteString(",\n")
		}
	}
	out.WriteString("]}\n")
	return out.Bytes(), nil
}

// ManifestFaults reports faults of the manifest by its name, and entries without a file and files
// without an entry by chunk ID. Settle repairs them. Unusable chunks (Damaged) need no entry.
func (r *Repository) ManifestFaults(ctx context.Context) ([]engram.ImportNote, error) {
	folder, err := r.folder(false, folderName)
	if err != nil || folder == nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	said, err := readManifest(ctx, folder)
	if err != nil {
		return nil, err
	}
	usable, _, err := r.listed(ctx, folder, said, engram.Batch{})
	if err != nil || said.fits(usable) {
		return nil, err
	}
	there, err := r.batches(ctx, folder, every)
	if err != nil {
		return nil, err
	}
	var notes []engram.ImportNote
	switch {
	case !said.exists:
		notes = append(notes, engram.ImportNote{Item: manifestName, Reason: "it is missing"})
	case said.flaw != "":
		notes = append(notes, engram.ImportNote{Item: manifestName, Reason: said.flaw})
	}
	listed, files := setOf(said.mentioned()), map[string]bool{}
	for _, b := range there {
		files[b.ID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(listed)) {
		if !files[id] {
			notes = append(notes, engram.ImportNote{Item: id, Reason: "the manifest lists it, but its file is missing; it may be missing from a commit"})
		}
	}
	for _, b := range usable {
		if !listed[b.ID] && said.exists {
			notes = append(notes, engram.ImportNote{Item: b.ID, Reason: "the manifest does not list it"})
		}
	}
	return notes, nil
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
