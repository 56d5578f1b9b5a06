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

// chunkVersion is the newest version of what Engram adds to the format. A field that is
// added does not make a new version; one that means something else does.
const chunkVersion = 1

// head is what a chunk says of itself, before its lists, so that a look at its beginning is
// enough.
type head struct {
	Version  int       `json:"version"`
	By       string    `json:"by,omitempty"`
	At       wire.Time `json:"at,omitzero"`
	Sessions int       `json:"sessions"`
	Memories int       `json:"memories"`
	Prompts  int       `json:"prompts"`
	// Records is the SHA-256 of the lists: by it the same records are known again, whoever
	// pushed them and when.
	Records string `json:"records"`
	// Salt is counted up where another chunk has the ID that would come out.
	Salt int `json:"salt,omitempty"`
}

// The lists of a chunk, in their order. The first three are those of every program of the
// format, who also read mutations; projects are Engram's.
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

// required is how many lists are there even when they are empty.
const required = 3

// bodyOf are the lists of a chunk, from the first quote to the brace that closes it. The
// same records give the same bytes, in whatever order they come.
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

// chunkOf is the JSON of a chunk.
func chunkOf(h head, body []byte) ([]byte, error) {
	text, err := wire.Marshal(h)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"`+wire.Extra+`":`), text, []byte(","), body), nil
}

// headOf is the head of a chunk of these records.
func headOf(b engram.Batch, body []byte) head {
	sum := sha256.Sum256(body)
	return head{Version: chunkVersion, By: b.By, At: wire.At(b.At), Sessions: b.Sessions, Memories: b.Memories, Prompts: b.Prompts,
		Records: hex.EncodeToString(sum[:])}
}

// counted is a batch with how many of what are in it.
func counted(b engram.Batch, records []engram.Record) engram.Batch {
	b.Sessions, b.Memories, b.Prompts = 0, 0, 0
	for _, r := range records {
		switch {
		case r.Session != nil:
			b.Sessions++
		case r.Memory != nil:
			b.Memories++
		case r.Prompt != nil:
			b.Prompts++
		}
	}
	return b
}

// sorted are records in one order: by kind, then by name.
func sorted(records []engram.Record) []engram.Record {
	type named struct {
		engram.Record
		section int
		name    string
	}
	all := make([]named, len(records))
	for i, r := range records {
		all[i] = named{r, sectionOf(r), nameOf(r)}
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

// sectionOf is the place of a record's kind: what others refer to comes first.
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

func nameOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return r.Project.Name
	case r.Session != nil:
		return r.Session.ID
	case r.Memory != nil:
		return cmp.Or(string(r.Memory.Memory.ID), r.Memory.Memory.SyncID)
	case r.Prompt != nil:
		return r.Prompt.SyncID
	case r.Relation != nil:
		return r.Relation.Relation.ID
	case r.Erased != nil:
		return string(r.Erased.Entity) + " " + r.Erased.ID
	}
	return ""
}

// itemOf is a record as an item, and its list; nil for a record that is nothing. What the
// format would take for alive, such as a prompt that was deleted, is a mutation.
func itemOf(r engram.Record, known syncIDs) (list int, item []byte, err error) {
	r = portable(r)
	if r.Project != nil {
		_, shape := wire.Encode(r)
		item, err = wire.Marshal(shape)
		return listProjects, item, err
	}
	if list, item, err = wire.EncodeExtended(r); item != nil || err != nil {
		return list, item, err // the first lists of a chunk are those of the dialect
	}
	item, err = mutationOf(r, known)
	return listMutations, item, err
}

// portable is a record without what means nothing elsewhere.
func portable(r engram.Record) engram.Record {
	switch {
	case r.Memory != nil:
		m := *r.Memory
		m.Memory.Num, m.Vectors = 0, nil
		r.Memory = &m
	case r.Prompt != nil:
		p := *r.Prompt
		p.Num = 0
		r.Prompt = &p
	}
	return r
}
