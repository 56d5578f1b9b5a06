package gitchunks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
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
	whole   bool // it was as it has to be
	version int
	entries map[string]manifestEntry // by ID
}

// readManifest reads the manifest. What a merge has spoilt, or anybody else, is read as far
// as it goes: the error is about the file alone.
func readManifest(ctx context.Context, folder *os.Root) (manifest, error) {
	b, err := readFile(ctx, folder, manifestName, maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manifest{}, nil
	case engram.CodeOf(err) == engram.CodeInvalid: // too large
		return manifest{exists: true}, nil
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
	m := manifest{exists: true, entries: map[string]manifestEntry{}}
	if json.Unmarshal(b, &file) == nil {
		m.version = file.Version
	}
	var entries []json.RawMessage
	if json.Unmarshal(file.Chunks, &entries) != nil {
		m.scan(b)
		return m
	}
	m.whole = file.Version == manifestVersion
	for _, object := range entries {
		m.whole = m.add(object) && m.whole
	}
	return m
}

// add takes an entry that is whole by itself, says each thing once and was not there before.
// A merge line by line likes to put two entries into one, which may even be JSON; then nobody
// knows what is of which.
func (m *manifest) add(object []byte) bool {
	var e manifestEntry
	if json.Unmarshal(object, &e) != nil || inspect(object) != nil || !isID(e.ID) {
		return false
	}
	if _, twice := m.entries[e.ID]; twice {
		return false
	}
	m.entries[e.ID] = e
	return true
}

// scan takes the entries out of what is no JSON as a whole.
func (m *manifest) scan(b []byte) {
	for {
		open := bytes.IndexByte(b, '{')
		if open < 0 {
			return
		}
		b = b[open+1:]
		end := bytes.IndexAny(b, "{}")
		if end < 0 {
			return
		}
		if b[end] == '{' {
			continue // it opens something else first, as the manifest itself does
		}
		m.add(append([]byte("{"), b[:end+1]...))
		b = b[end+1:]
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

// fits reports whether the manifest lists just these chunks.
func (m manifest) fits(batches []engram.Batch) bool {
	if !m.exists {
		return len(batches) == 0
	}
	if !m.whole || len(m.entries) != len(batches) {
		return false
	}
	for _, b := range batches {
		if _, ok := m.entries[b.ID]; !ok {
			return false
		}
	}
	return true
}

// manifestOf is the manifest of these chunks. The same chunks give the same bytes, so that
// two clones which have made it anew have nothing to merge.
func manifestOf(batches []engram.Batch) ([]byte, error) {
	entries := make([]manifestEntry, len(batches))
	for i, b := range batches {
		at := "" // nobody said, which is not the year 1
		if !b.At.IsZero() {
			at = b.At.UTC().Format(time.RFC3339)
		}
		entries[i] = manifestEntry{b.ID, b.By, at, b.Sessions, b.Memories, b.Prompts}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(struct {
		Version int             `json:"version"`
		Chunks  []manifestEntry `json:"chunks"`
	}{manifestVersion, entries})
	return out.Bytes(), err
}
