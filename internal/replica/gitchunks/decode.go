package gitchunks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// Limits of a chunk, checked before memory is allocated.
const (
	maxItems  = 100_000 // of all lists together
	maxFields = 1000    // of the chunk itself
)

// chunk is a chunk whose items are not decoded yet.
type chunk struct {
	head  head
	own   bool // Engram wrote it
	items []item
}

type item struct {
	list  int
	place int
	raw   []byte
}

// open parses a chunk, which takes ownership of the bytes.
func open(plain []byte) (chunk, error) {
	if err := wire.WellFormed(plain); err != nil {
		return chunk{}, err
	}
	fields, ok := wire.FieldsOf(plain, maxFields)
	if !ok {
		return chunk{}, engram.Errorf(engram.CodeInvalid, "it is not an object with the lists of a chunk")
	}
	var c chunk
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			return chunk{}, engram.Errorf(engram.CodeInvalid, "it has %.40q twice", f.Name)
		}
		seen[f.Name] = true
		list := slices.Index(lists(), f.Name)
		switch {
		case f.Name == wire.Extra:
			c.own = true
			if err := c.readHead(f.Value); err != nil {
				return chunk{}, err
			}
		case list >= 0:
			raws, ok := wire.ItemsOf(f.Value, maxItems-len(c.items))
			if !ok {
				return chunk{}, engram.Errorf(engram.CodeInvalid, "%s is not a list, or has more than %d items", f.Name, maxItems)
			}
			for i, raw := range raws {
				c.items = append(c.items, item{list, i, raw})
			}
		}
	}
	if !slices.ContainsFunc(lists()[:required+1], func(name string) bool { return seen[name] }) {
		return chunk{}, engram.Errorf(engram.CodeInvalid, "it has none of the lists of a chunk")
	}
	return c, nil
}

// readHead reads the head and checks its version.
func (c *chunk) readHead(raw []byte) error {
	if err := wire.Inspect(raw); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &c.head); err != nil {
		return wire.Misfit(err)
	}
	if c.head.Version > chunkVersion {
		return engram.Errorf(engram.CodeConflict, "it has version %d of the format, and this program reads up to %d", c.head.Version, chunkVersion).
			WithHint("pull it with a newer engram")
	}
	return nil
}

// inOrder returns the items with referenced things first.
func (c chunk) inOrder() []item {
	byRank := make([][]item, wire.Erasures+1)
	for _, i := range c.items {
		rank := wire.Relations
		switch list := i.list; {
		case list == listProjects:
			rank = wire.Projects
		case list != listMutations:
			rank = nativeOf(list)
		default:
			if list = listOf(entityIn(i.raw)); list >= 0 {
				rank = nativeOf(list)
			}
		}
		byRank[rank] = append(byRank[rank], i)
	}
	return slices.Concat(byRank...)
}

// entityIn returns the entity of a mutation; "" for none.
func entityIn(raw []byte) string {
	fields, _ := wire.FieldsOf(raw, maxFields)
	for _, f := range fields {
		if f.Name == "entity" && f.Value[0] == '"' {
			return wire.Unquote(f.Value)
		}
	}
	return ""
}

// listOf returns the list of the things that a mutation of an entity is about; -1 for none.
func listOf(entity string) int {
	return slices.Index([]string{"session", "observation", "prompt"}, entity)
}

// nativeOf returns the native list of the things in one of the dialect's lists.
func nativeOf(list int) int { return []int{wire.Sessions, wire.Memories, wire.Prompts}[list] }

// record decodes an item; a fault of the item is its Flaw.
func (c chunk) record(i item, project string) engram.Record {
	r, err := c.read(i)
	if err != nil {
		r = engram.Record{Flaw: err}
	} else if !c.own {
		inProject(&r, project)
	}
	r.Item = fmt.Sprintf("%s[%d]", lists()[i.list], i.place)
	return r
}

func (c chunk) read(i item) (engram.Record, error) {
	if err := wire.Inspect(i.raw); err != nil {
		return engram.Record{}, err
	}
	switch i.list {
	case listProjects:
		return wire.Decode(wire.Projects, i.raw)
	case listMutations:
		return c.readMutation(i.raw)
	}
	return wire.DecodeExtended(i.list, i.raw)
}

func (c chunk) readMutation(raw []byte) (engram.Record, error) {
	var m mutation
	if err := json.Unmarshal(raw, &m); err != nil {
		return engram.Record{}, wire.Misfit(err)
	}
	if err := wire.WellFormed(m.Payload); err != nil {
		return engram.Record{}, engram.Errorf(engram.CodeInvalid, "payload: %v", err)
	}
	if err := wire.Inspect(m.Payload); err != nil {
		return engram.Record{}, engram.Errorf(engram.CodeInvalid, "payload: %v", err)
	}
	if len(m.Extra) > 0 {
		return m.own()
	}
	return m.foreign(c.head.At.Time)
}

// own reads a mutation that Engram wrote.
func (m mutation) own() (engram.Record, error) {
	layers := [][]byte{m.Payload, m.Extra}
	if m.Entity == "relation" {
		return wire.Decode(wire.Relations, layers...)
	}
	list := listOf(m.Entity)
	if list < 0 {
		return engram.Record{}, m.unknown()
	}
	var said goodbye
	if err := json.Unmarshal(m.Payload, &said); err != nil {
		return engram.Record{}, wire.Misfit(err)
	}
	if said.HardDelete {
		return erasureIn(layers)
	}
	return wire.Decode(nativeOf(list), layers...)
}

func (m mutation) unknown() error {
	return engram.Errorf(engram.CodeInvalid, "unknown entity %.40q", m.Entity)
}

// erasureIn reads an erasure; Engram's field has its kind.
func erasureIn(layers [][]byte) (engram.Record, error) {
	r, err := wire.Decode(wire.Erasures, layers...)
	if err != nil {
		return r, err
	}
	switch r.Erased.Entity {
	case engram.EntityMemory, engram.EntityPrompt, engram.EntitySession:
		return r, nil
	}
	return engram.Record{}, engram.Errorf(engram.CodeInvalid, "unknown erased entity %.40q", string(r.Erased.Entity))
}

// foreign reads a mutation of another program. A hard delete becomes an erasure at its time, or at
// the time of the chunk.
func (m mutation) foreign(at time.Time) (engram.Record, error) {
	var said goodbye
	if err := json.Unmarshal(m.Payload, &said); err != nil {
		return engram.Record{}, wire.Misfit(err)
	}
	switch {
	case m.Entity == "relation":
		var p relationPayload
		if err := json.Unmarshal(m.Payload, &p); err != nil {
			return engram.Record{}, wire.Misfit(err)
		}
		for _, f := range []struct{ name, value string }{{"sync_id", p.SyncID}, {"source_id", p.SourceID}, {"target_id", p.TargetID}, {"relation", p.Relation}} {
			if f.value == "" {
				return engram.Record{}, engram.Errorf(engram.CodeInvalid, "the payload of the relation has no %s", f.name)
			}
		}
		return p.record(), nil
	case m.Op == "delete" && (said.HardDelete || m.Entity != "observation"):
		return m.erased(said, at)
	case m.Op == "delete" && said.Content == "":
		return engram.Record{}, engram.Errorf(engram.CodeInvalid, "it deletes %.80q without its content", m.EntityKey)
	case listOf(m.Entity) < 0:
		return engram.Record{}, m.unknown()
	}
	r, err := wire.DecodeDialect(listOf(m.Entity), m.Payload)
	if err == nil {
		inProject(&r, m.Project)
	}
	return r, err
}

func (m mutation) erased(said goodbye, at time.Time) (engram.Record, error) {
	list := listOf(m.Entity)
	if list < 0 {
		return engram.Record{}, m.unknown()
	}
	entity := []engram.Entity{engram.EntitySession, engram.EntityMemory, engram.EntityPrompt}[list]
	x := engram.Erased{Entity: entity, ID: cmp.Or(m.EntityKey, said.SyncID, said.ID), Project: cmp.Or(said.Project, m.Project)}
	if entity != engram.EntitySession {
		x.SyncID = x.ID
	}
	if said.DeletedAt != nil {
		at = said.DeletedAt.Time.Time
	} else if when := (wire.Time{}); when.UnmarshalJSON([]byte(`"`+m.OccurredAt+`"`)) == nil && !when.IsZero() {
		at = when.Time
	}
	if !at.IsZero() {
		x.At = engram.Clock(0).Tick(at)
	}
	return engram.Record{Erased: &x}, nil
}

// inProject sets the project of a record without one.
func inProject(r *engram.Record, project string) {
	var of *string
	switch {
	case r.Session != nil:
		of = &r.Session.Project
	case r.Memory != nil:
		of = &r.Memory.Memory.Project
	case r.Prompt != nil:
		of = &r.Prompt.Project
	case r.Erased != nil:
		of = &r.Erased.Project
	default:
		return
	}
	*of = cmp.Or(*of, project)
}
