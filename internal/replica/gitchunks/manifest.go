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

// manifestEntry is a chunk in the manifest.
type manifestEntry struct {
	ID        string `json:"id"`
	CreatedBy string `json:"created_by"`
	CreatedAt string `json:"created_at"` // "" when nobody said
	Sessions  int    `json:"sessions"`
	Memories  int    `json:"memories"`
	Prompts   int    `json:"prompts"`
}

// manifest is what the manifest said, as far as it could be read.
type manifest struct {
	exists  bool
	flaw    string // why it is not as it has to be; "" when it is
	version int
	entries map[string]manifestEntry // by ID
	order   []string                 // IDs of entries as they stood, each once
	lines   bool                     // it is written as encodeManifest writes it
	text    []byte                   // all of it
}

// readManifest reads the manifest. What a merge has spoilt, or anybody else, is read as far
// as it goes: the error is about the file alone.
func readManifest(ctx context.Context, folder *os.Root) (manifest, error) {
	b, err := readFile(ctx, folder, manifestName, maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manifest{}, nil
	case engram.CodeOf(err) == engram.CodeInvalid: // too large
		return manifest{exists: true, flaw: "it is larger than any list of chunks"}, nil
	case err != nil:
		return manifest{}, failed(manifestName+" cannot be read", err)
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
		m.flaw = "it is no list of chunks as JSON"
		if markers().Match(b) {
			m.flaw = "a merge has left its conflict markers in it"
		}
		m.scan(b)
		return m
	}
	if file.Version != manifestVersion {
		m.flaw = "it has no version that is known"
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

// markers are lines that git leaves in a file of which two sides changed the same place.
var markers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(<{7}|={7}|>{7})(\s|$)`) })

// idNamed finds IDs that a manifest names, also where nobody knows what is of which entry.
var idNamed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"id"\s*:\s*"([0-9a-f]{8})"`) })

// mentioned are the IDs that the manifest names anywhere, sorted.
func (m manifest) mentioned() (ids []string) {
	for _, id := range idNamed().FindAllSubmatch(m.text, -1) {
		ids = append(ids, string(id[1]))
	}
	return setSorted(ids)
}

// add takes an entry that is whole by itself, says each thing once and was not there before,
// and says else why not. A merge of entries over several lines puts two of them into one, which
// may even be JSON; then nobody knows what is of which.
func (m *manifest) add(object []byte) (flaw string) {
	var e manifestEntry
	if json.Unmarshal(object, &e) != nil || wire.Inspect(object) != nil || !isID(e.ID) {
		return "an entry says something twice, as a merge leaves it, or is no entry"
	}
	if _, twice := m.entries[e.ID]; twice {
		return "an entry stands in it twice"
	}
	m.entries[e.ID] = e
	m.order = append(m.order, e.ID)
	return ""
}

// scan takes the entries out of what is no JSON as a whole: each runs from a brace to the next
// one outside of a text. It looks at each byte once, whatever is there.
func (m *manifest) scan(b []byte) {
	open, quoted := -1, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n': // no text of JSON goes over a line: the quote was never closed
			quoted = false
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			open = i // what it may have been in, such as the manifest itself, is no entry
		case c == '}' && open >= 0:
			m.add(b[open : i+1])
			open = -1
		}
	}
}

// batch is what the manifest tells of a chunk.
func (m manifest) batch(id string) (b engram.Batch, told bool) {
	e, told := m.entries[id]
	var at wire.Time
	if text, err := json.Marshal(e.CreatedAt); err == nil && at.UnmarshalJSON(text) != nil {
		at = wire.Time{}
	}
	return engram.Batch{ID: id, By: e.CreatedBy, At: at.Time, Sessions: e.Sessions, Memories: e.Memories, Prompts: e.Prompts}, told
}

// inOrder are the entries as they stood.
func (m manifest) inOrder() []manifestEntry {
	all := make([]manifestEntry, len(m.order))
	for i, id := range m.order {
		all[i] = m.entries[id]
	}
	return all
}

// fits reports whether the manifest lists just these chunks.
func (m manifest) fits(batches []engram.Batch) bool {
	if !m.exists {
		return len(batches) == 0
	}
	if m.flaw != "" || len(m.entries) != len(batches) {
		return false
	}
	for _, b := range batches {
		if _, ok := m.entries[b.ID]; !ok {
			return false
		}
	}
	return true
}

// of is the manifest of these chunks, oldest first, newest on top. A manifest that is in order
// keeps the lines that it has, and what is new goes above them whatever its time is: only so do
// two clones never change the same line. Any other is made anew, in the same bytes in every
// clone.
func (m manifest) of(batches []engram.Batch) ([]byte, error) {
	var entries []manifestEntry
	there := map[string]bool{}
	for _, b := range slices.Backward(batches) {
		there[b.ID] = true
		if _, told := m.entries[b.ID]; !m.lines || !told {
			entries = append(entries, entryOf(b))
		}
	}
	if m.lines {
		entries = append(entries, slices.DeleteFunc(m.inOrder(), func(e manifestEntry) bool { return !there[e.ID] })...)
	}
	return encodeManifest(entries)
}

func entryOf(b engram.Batch) manifestEntry {
	at := "" // nobody said, which is not the year 1
	if !b.At.IsZero() {
		at = b.At.UTC().Format(time.RFC3339)
	}
	return manifestEntry{b.ID, b.By, at, b.Sessions, b.Memories, b.Prompts}
}

// encodeManifest writes a line for each entry, so that each line but that of the last ends in a
// comma, and the lines of two manifests that have the last one in common are a manifest again.
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

// ManifestFaults says what is wrong with the manifest, by its name; and of an entry without a
// file, and of a file without an entry, by the ID of the chunk. Settle repairs it.
// Chunks that nobody can use (Damaged) need no entry.
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
			notes = append(notes, engram.ImportNote{Item: id, Reason: "the manifest lists it, and its file is not there: whoever wrote it may have left it out of a commit"})
		}
	}
	for _, b := range usable {
		if !listed[b.ID] && said.exists {
			notes = append(notes, engram.ImportNote{Item: b.ID, Reason: "its file is there, and the manifest does not list it"})
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
