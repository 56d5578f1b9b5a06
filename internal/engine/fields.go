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

// memoryTable has all fields but the texts, which revisions keep.
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

// projectTable has the fields of a project, without its content.
func projectTable(p *engram.Project) fieldTable {
	return fieldTable{"aliases": &p.Aliases, "root": &p.Root, "remote": &p.Remote, "decay": &p.Decay, "created_at": &p.CreatedAt}
}

func memoryFields(m engram.Memory) map[string]any     { return memoryTable(&m).values() }
func sessionFields(s engram.Session) map[string]any   { return sessionTable(&s).values() }
func relationFields(r engram.Relation) map[string]any { return relationTable(&r).values() }
func promptFields(p engram.Prompt) map[string]any     { return promptTable(&p).values() }

func projectFields(p engram.Project) map[string]any {
	p.Aliases = append([]string{}, p.Aliases...) // never null: an undo must see that there was no alias
	return projectTable(&p).values()
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
