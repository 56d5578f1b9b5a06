package gitchunks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// chunkVersion is the newest version of Engram's additions to the format. A new field does not make
// a new version, a changed meaning does.
const chunkVersion = 1

// head describes a chunk and precedes its lists, so reading the beginning is enough.
type head struct {
	Version  int       `json:"version"`
	By       string    `json:"by,omitempty"`
	At       wire.Time `json:"at,omitzero"`
	Sessions int       `json:"sessions"`
	Memories int       `json:"memories"`
	Prompts  int       `json:"prompts"`
	// Records is the SHA-256 of the lists. It identifies the same records in any chunk.
	Records string `json:"records"`
	// Salt is incremented while the resulting ID is taken.
	Salt int `json:"salt,omitempty"`
}

// Lists of a chunk, in order. All programs of the format have the first three and read mutations;
// projects are Engram's.
const (
	listSessions     = wire.MemSessions
	listObservations = wire.Observations
	listPrompts      = wire.MemPrompts
	listMutations    = iota
	listProjects
)

func lists() []string {
	return []string{"sessions", "observations", "prompts", "mutations", "projects"}
}

// required is the number of lists that are written even if empty.
const required = 3

// bodyOf returns the lists of a chunk, from the first quote to the closing brace. The same records
// give the same bytes, in any order.
func bodyOf(records []engram.Record) ([]byte, error) {
	var items [5][][]byte
	known := syncIDs{}
	for _, r := range records {
		known.add(r)
	}
	for _, r := range sorted(records) {
		list, item, err := itemOf(r, known)
		if err != nil {
			return nil, err
		}
		if item != nil {
			items[list] = append(items[list], item)
		}
	}
	var b bytes.Buffer
	for list, name := range lists() {
		if list >= required && len(items[list]) == 0 {
			continue
		}
		if list > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		if len(items[list]) == 0 {
			b.WriteString("null")
			continue
		}
		b.WriteByte('[')
		b.Write(bytes.Join(items[list], []byte(",")))
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// chunkOf returns the JSON of a chunk.
func chunkOf(h head, body []byte) ([]byte, error) {
	text, err := wire.Marshal(h)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"`+wire.Extra+`":`), text, []byte(","), body), nil
}

// headOf returns the head of a chunk.
func headOf(b engram.Batch, body []byte) head {
	sum := sha256.Sum256(body)
	return head{Version: chunkVersion, By: b.By, At: wire.At(b.At), Sessions: b.Sessions, Memories: b.Memories, Prompts: b.Prompts,
		Records: hex.EncodeToString(sum[:])}
}

// sorted sorts records by kind and name.
func sorted(records []engram.Record) []engram.Record {
	type named struct {
		engram.Record
		section int
		name    string
	}
	all := make([]named, len(records))
	for i, r := range records {
		all[i] = named{r, sectionOf(r), wire.KeyOf(r)}
	}
	slices.SortStableFunc(all, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.name, b.name))
	})
	out := make([]engram.Record, len(all))
	for i, r := range all {
		out[i] = r.Record
	}
	return out
}

// sectionOf returns the rank of a record's kind: referenced things first.
func sectionOf(r engram.Record) int {
	switch {
	case r.Project != nil:
		return wire.Projects
	case r.Session != nil:
		return wire.Sessions
	case r.Memory != nil:
		return wire.Memories
	case r.Prompt != nil:
		return wire.Prompts
	case r.Relation != nil:
		return wire.Relations
	}
	return wire.Erasures
}

// itemOf returns a record as an item, and its list; nil for an empty record. What the format would
// misread as live, such as a deleted prompt, is a mutation.
func itemOf(r engram.Record, known syncIDs) (list int, item []byte, err error) {
	r = wire.Portable(r)
	if r.Project != nil {
		_, shape := wire.Encode(r)
		item, err = wire.Marshal(shape)
		return listProjects, item, err
	}
	if list, item, err = wire.EncodeExtended(r); item != nil || err != nil {
		return list, item, err // a chunk begins with the dialect's lists
	}
	item, err = mutationOf(r, known)
	return listMutations, item, err
}
