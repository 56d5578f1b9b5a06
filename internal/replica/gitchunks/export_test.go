package gitchunks

import (
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// ReadPlain reads the JSON of a chunk as Repository.Read does once it was unpacked: a fuzzer
// has no time for files.
func ReadPlain(plain []byte, project string) ([]engram.Record, error) {
	c, err := open(plain)
	if err != nil {
		return nil, err
	}
	records := []engram.Record{}
	for _, i := range c.inOrder() {
		records = append(records, c.record(i, project))
	}
	return records, nil
}

// WritePlain is the JSON of a chunk of these records.
func WritePlain(b engram.Batch, records []engram.Record) ([]byte, error) {
	body, err := bodyOf(records)
	if err != nil {
		return nil, err
	}
	return chunkOf(headOf(wire.Counted(b, records), body), body)
}

// ManifestTwice reads a manifest, and returns what is made of it and of the same again.
func ManifestTwice(text []byte) (once, twice []byte, err error) {
	made := func(m manifest) ([]byte, error) {
		var batches []engram.Batch
		for id := range m.entries {
			b, _ := m.batch(id)
			batches = append(batches, b)
		}
		slices.SortFunc(batches, older)
		return m.of(batches)
	}
	if once, err = made(parseManifest(text)); err != nil {
		return nil, nil, err
	}
	twice, err = made(parseManifest(once))
	return once, twice, err
}

// CannotSync is what a write goes by when a folder cannot be made durable.
func CannotSync(err error) bool { return cannotSync(err) }

// ManifestOf is what becomes of a manifest once these chunks are the ones that are there.
func ManifestOf(text []byte, batches []engram.Batch) ([]byte, error) {
	var m manifest
	if len(text) > 0 {
		m = parseManifest(text)
	}
	if m.fits(batches) {
		return text, nil
	}
	return m.of(slices.SortedFunc(slices.Values(batches), older))
}

// ManifestIDs are those that are read out of a manifest, in whatever state.
func ManifestIDs(text []byte) []string {
	return slices.Sorted(slices.Values(parseManifest(text).order))
}
