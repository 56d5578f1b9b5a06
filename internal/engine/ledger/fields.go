package ledger

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// FieldTable points to the fields of a thing that can change, by their names in the journal (Mutation.Was).
// Journal, undo and as-of reader use it.
type FieldTable map[string]any

// TableOf returns the journaled fields of a thing. Those of a memory lack its texts, which revisions keep.
func TableOf[T any](thing *T) FieldTable {
	all := engram.Fields[T]()
	t := make(FieldTable, len(all))
	for _, f := range all {
		if f.Journal {
			t[f.Name] = f.Of(thing)
		}
	}
	return t
}

// MemoryFields returns the journaled fields of a memory.
func MemoryFields(m engram.Memory) map[string]any { return TableOf(&m).Values() }

// SessionFields returns the journaled fields of a session.
func SessionFields(s engram.Session) map[string]any { return TableOf(&s).Values() }

// RelationFields returns the journaled fields of a relation.
func RelationFields(r engram.Relation) map[string]any { return TableOf(&r).Values() }

// PromptFields returns the journaled fields of a prompt.
func PromptFields(p engram.Prompt) map[string]any { return TableOf(&p).Values() }

// ProjectFields returns the journaled fields of a project.
func ProjectFields(p engram.Project) map[string]any {
	p.Aliases = append([]string{}, p.Aliases...) // never null: an undo must see that there was no alias
	return TableOf(&p).Values()
}

// PartOf returns the part that a field of T belongs to; "" for none.
func PartOf[T any](field string) engram.Part {
	for _, f := range engram.Fields[T]() {
		if f.Name == field {
			return f.Part
		}
	}
	return ""
}

// Values returns the values of the fields.
func (t FieldTable) Values() map[string]any {
	values := make(map[string]any, len(t))
	for name, field := range t {
		values[name] = reflect.ValueOf(field).Elem().Interface()
	}
	return values
}

// OldFields are the old values of a journal entry, by field.
type OldFields map[string]json.RawMessage

// Restore sets named fields to their old values. It skips names that the table lacks: a later version may journal
// more.
func (t FieldTable) Restore(was OldFields, names ...string) error {
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

// ReadWas decodes the old values of an entry into was; it leaves was alone when the thing did not exist.
func ReadWas(entry engram.Mutation, was any) error {
	if entry.Was == nil {
		return nil
	}
	return InEntry(entry, json.Unmarshal(entry.Was, was))
}

// InEntry says in which journal entry an error is; nil for nil.
func InEntry(entry engram.Mutation, err error) error {
	if err != nil {
		return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
	}
	return nil
}

// TakeBack sets the fields that an entry changed to their old values.
func (t FieldTable) TakeBack(entry engram.Mutation) error {
	_, err := t.TakeBackWith(entry, "")
	return err
}

// TakeBackWith is takeBack, and reports whether the entry has a field.
func (t FieldTable) TakeBackWith(entry engram.Mutation, field string) (noted bool, err error) {
	var was OldFields
	if err := ReadWas(entry, &was); err != nil {
		return false, err
	}
	_, noted = was[field]
	return noted, InEntry(entry, t.Restore(was, slices.Collect(maps.Keys(was))...))
}
