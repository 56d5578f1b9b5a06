package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// A field table points to the fields of a thing that can change, by their names in the journal
// (Mutation.Was). The journal, undo and the reader of a past time all go by it.
type fieldTable map[string]any

// memoryTable has all but the texts, which revisions hold.
func memoryTable(m *engram.Memory) fieldTable {
	return fieldTable{
		"project": &m.Project, "scope": &m.Scope, "type": &m.Type, "summary": &m.Summary, "tags": &m.Tags, "metadata": &m.Metadata, "anchors": &m.Anchors,
		"topic_key": &m.TopicKey, "session_id": &m.SessionID, "tool_name": &m.ToolName, "origin": &m.Origin,
		"importance": &m.Importance, "strength": &m.Strength, "touched_at": &m.TouchedAt, "permanent": &m.Permanent,
		"access_count": &m.AccessCount, "last_accessed_at": &m.LastAccessedAt, "updated_at": &m.UpdatedAt,
		"review_after": &m.ReviewAfter, "valid_from": &m.ValidFrom, "valid_to": &m.ValidTo, "revision_count": &m.RevisionCount,
		"duplicate_count": &m.DuplicateCount, "last_seen_at": &m.LastSeenAt, "deleted_at": &m.DeletedAt,
	}
}

func sessionTable(s *engram.Session) fieldTable {
	return fieldTable{"project": &s.Project, "directory": &s.Directory, "started_at": &s.StartedAt, "ended_at": &s.EndedAt, "summary": &s.Summary}
}

func relationTable(r *engram.Relation) fieldTable {
	return fieldTable{"verb": &r.Verb, "status": &r.Status, "strength": &r.Strength, "reason": &r.Reason, "evidence": &r.Evidence,
		"confidence": &r.Confidence, "actor": &r.Actor, "actor_kind": &r.ActorKind, "model": &r.Model, "session_id": &r.SessionID,
		"updated_at": &r.UpdatedAt, "removed_at": &r.RemovedAt}
}

func promptTable(p *engram.Prompt) fieldTable {
	return fieldTable{"project": &p.Project, "session_id": &p.SessionID, "deleted_at": &p.DeletedAt}
}

// projectTable is what a project is, but for what is in it.
func projectTable(p *engram.Project) fieldTable {
	return fieldTable{"aliases": &p.Aliases, "root": &p.Root, "remote": &p.Remote, "decay": &p.Decay, "created_at": &p.CreatedAt}
}

func memoryFields(m engram.Memory) map[string]any     { return memoryTable(&m).values() }
func sessionFields(s engram.Session) map[string]any   { return sessionTable(&s).values() }
func relationFields(r engram.Relation) map[string]any { return relationTable(&r).values() }
func promptFields(p engram.Prompt) map[string]any     { return promptTable(&p).values() }

func projectFields(p engram.Project) map[string]any {
	p.Aliases = append([]string{}, p.Aliases...) // never null: an undo must see that there were none
	return projectTable(&p).values()
}

// values returns the values of the fields.
func (t fieldTable) values() map[string]any {
	values := make(map[string]any, len(t))
	for name, field := range t {
		values[name] = reflect.ValueOf(field).Elem().Interface()
	}
	return values
}

// oldFields are old values of fields, as a journal entry notes them.
type oldFields map[string]json.RawMessage

// restore sets the fields of some names to their old values. It skips names that the table lacks: a
// later version may journal more.
func (t fieldTable) restore(was oldFields, names ...string) error {
	for _, name := range names {
		field, known := t[name]
		if !known {
			continue
		}
		reflect.ValueOf(field).Elem().SetZero() // or old members would be added to those of now
		if err := json.Unmarshal(was[name], field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readWas reads into was what an entry notes of its thing; it leaves was when the thing did not exist.
func readWas(entry engram.Mutation, was any) error {
	if entry.Was == nil {
		return nil
	}
	return inEntry(entry, json.Unmarshal(entry.Was, was))
}

// inEntry says in which journal entry an error is.
func inEntry(entry engram.Mutation, err error) error {
	if err != nil {
		return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
	}
	return nil
}

// takeBack restores all that an entry notes of its thing.
func (t fieldTable) takeBack(entry engram.Mutation) error {
	_, err := t.takeBackWith(entry, "")
	return err
}

// takeBackWith is takeBack, and reports whether the entry notes a field.
func (t fieldTable) takeBackWith(entry engram.Mutation, field string) (noted bool, err error) {
	var was oldFields
	if err := readWas(entry, &was); err != nil {
		return false, err
	}
	_, noted = was[field]
	return noted, inEntry(entry, t.restore(was, slices.Collect(maps.Keys(was))...))
}
