package gitchunks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// chunkVersion is the newest version of what Engram adds to the format. A field that is
// added does not make a new version; one that means something else does.
const chunkVersion = 1

// extra is the field that Engram adds: to a chunk its head, to an item what the format has
// no word for, in the native shape of package wire and without what the item says already.
// Programs of the format read over it.
const extra = "engram"

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
	listSessions = iota
	listObservations
	listPrompts
	listMutations
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
	text, err := marshal(h)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"`+extra+`":`), text, []byte(","), body), nil
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
	switch {
	case r.Project != nil:
		_, shape := wire.Encode(r)
		item, err = marshal(shape)
		return listProjects, item, err
	case r.Session != nil && !r.Gone:
		item, err = extended(wire.MemSessionOf(*r.Session), r)
		return listSessions, item, err
	case r.Memory != nil && !r.Gone:
		o := wire.ObservationOf(r.Memory.Memory)
		if o.SessionID == "" { // the format has no memory without a session
			o.SessionID = "manual-save-" + r.Memory.Memory.Project
		}
		item, err = extended(o, r)
		return listObservations, item, err
	case r.Prompt != nil && !r.Prompt.Deleted() && !r.Gone:
		item, err = extended(wire.MemPromptOf(*r.Prompt), r)
		return listPrompts, item, err
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

// extended is an item of the format with the field that Engram adds.
func extended(said any, r engram.Record) ([]byte, error) {
	item, err := marshal(said)
	if err != nil {
		return nil, err
	}
	rest, err := restOf(r, item)
	if err != nil {
		return nil, err
	}
	return slices.Concat(item[:len(item)-1], []byte(`,"`+extra+`":`), rest, []byte("}")), nil
}

// restOf is the native item of a record without the fields that said has with the same
// value: what has to be laid over said so that the record comes back.
func restOf(r engram.Record, said []byte) ([]byte, error) {
	_, shape := wire.Encode(r)
	native, err := marshal(shape)
	if err != nil {
		return nil, err
	}
	there := map[string][]byte{}
	fields, _ := fieldsOf(said, maxFields)
	for _, f := range fields {
		there[f.name] = f.value
	}
	var b bytes.Buffer
	b.WriteByte('{')
	put := func(name string, value []byte) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		b.Write(value)
	}
	fields, _ = fieldsOf(native, maxFields)
	for _, f := range fields {
		if old, ok := there[f.name]; !ok || !same(old, f.value) {
			put(f.name, f.value)
		}
	}
	// What the format needs and the record lacks must not come back with it.
	if r.Memory != nil && r.Memory.Memory.SessionID == "" {
		put("session_id", []byte(`""`))
	}
	if r.Erased != nil && r.Erased.SyncID == "" {
		put("sync_id", []byte(`""`))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// same reports whether two values mean the same to a reader: times may be spelt in two ways.
func same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if a[0] != '"' || b[0] != '"' {
		return false
	}
	var s, t wire.Time
	return s.UnmarshalJSON(a) == nil && t.UnmarshalJSON(b) == nil && !s.IsZero() && s.Equal(t.Time)
}

// marshal is JSON with letters as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "a record cannot be written").WithCause(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
