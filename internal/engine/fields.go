package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// A field table points to the fields of a thing that can change, by their names in the journal (Mutation.Was).
// Journal, undo and as-of reader use it.
type fieldTable map[string]any

// tableOf returns the journaled fields of a thing. Those of a memory lack its texts, which revisions keep.
func tableOf[T any](thing *T) fieldTable {
	all := engram.Fields[T]()
	t := make(fieldTable, len(all))
	for _, f := range all {
		if f.Journal {
			t[f.Name] = f.Of(thing)
		}
	}
	return t
}

func memoryFields(m engram.Memory) map[string]any     { return tableOf(&m).values() }
func sessionFields(s engram.Session) map[string]any   { return tableOf(&s).values() }
func relationFields(r engram.Relation) map[string]any { return tableOf(&r).values() }
func promptFields(p engram.Prompt) map[string]any     { return tableOf(&p).values() }

func projectFields(p engram.Project) map[string]any {
	p.Aliases = append([]string{}, p.Aliases...) // never null: an undo must see that there was no alias
	return tableOf(&p).values()
}

// partOf returns the part that a field of T belongs to; "" for none.
func partOf[T any](field string) engram.Part {
	for _, f := range engram.Fields[T]() {
		if f.Name == field {
			return f.Part
		}
	}
	return ""
}

func (t fieldTable) values() map[string]any {
	values := make(map[string]any, len(t))
	for name, field := range t {
		values[name] = reflect.ValueOf(field).Elem().Interface()
	}
	return values
}

type oldFields map[string]json.RawMessage

// restore sets named fields to their old values. It skips names that the table lacks: a later version may journal
// more.
func (t fieldTable) restore(was oldFields, names ...string) error {
	for _, name := range names {
		field, known := t[name]
		if !known {
			continue
		}
		reflect.ValueOf(field).Elem().SetZero() // or old members would be merged into the current ones
		if err := json.Unmarshal(was[name], field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readWas decodes the old values of an entry into was; it leaves was alone when the thing did not exist.
func readWas(entry engram.Mutation, was any) error {
	if entry.Was == nil {
		return nil
	}
	return inEntry(entry, json.Unmarshal(entry.Was, was))
}

func inEntry(entry engram.Mutation, err error) error {
	if err != nil {
		return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
	}
	return nil
}

func (t fieldTable) takeBack(entry engram.Mutation) error {
	_, err := t.takeBackWith(entry, "")
	return err
}

// takeBackWith is takeBack, and reports whether the entry has a field.
func (t fieldTable) takeBackWith(entry engram.Mutation, field string) (noted bool, err error) {
	var was oldFields
	if err := readWas(entry, &was); err != nil {
		return false, err
	}
	_, noted = was[field]
	return noted, inEntry(entry, t.restore(was, slices.Collect(maps.Keys(was))...))
}
