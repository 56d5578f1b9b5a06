package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/alanbuscaglia/engram"
)

func (u *undoing) takeRelation(ctx context.Context, entry engram.Mutation) error {
	num, err := strconv.ParseInt(entry.Key, 10, 64)
	if err != nil {
		return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
	}
	r, err := u.tx.Relation(ctx, engram.RelationRef{Num: num})
	if engram.CodeOf(err) == engram.CodeNotFound {
		u.leave("relation %d was erased with a memory", num)
		return nil
	}
	if err != nil {
		return err
	}
	what := fmt.Sprintf("relation %d", num)
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	made := was == nil
	if made {
		was = map[string]json.RawMessage{}
		for name, c := range since {
			was[name] = c.left
		}
	}
	names, err := u.restorable(what, was, relationFields(r), since)
	if err != nil {
		return err
	}
	now := r
	switch {
	case made && r.Removed():
		return nil
	case made:
		now.RemovedAt, now.UpdatedAt = u.at, u.at
		u.changed(entry, "removed: #%d %s #%d", r.Source, r.Verb, r.Target)
	default:
		for _, name := range names {
			if err := json.Unmarshal(was[name], relationField(&now, name)); err != nil {
				return fmt.Errorf("journal entry %d: %s: %w", entry.Seq, name, err)
			}
		}
		u.changed(entry, "restored: #%d %s #%d", now.Source, now.Verb, now.Target)
	}
	return u.replaceRelation(ctx, r, now, entry.Project, u.reason())
}

// read reads the old values of an entry, nil when the thing did not exist, and what
// became of the thing since.
func (u *undoing) read(ctx context.Context, entry engram.Mutation) (was map[string]json.RawMessage, since fieldsSince, err error) {
	if entry.Was != nil {
		if err := json.Unmarshal(entry.Was, &was); err != nil {
			return nil, nil, fmt.Errorf("journal entry %d: %w", entry.Seq, err)
		}
	}
	later, err := u.since(ctx, entry)
	if err != nil {
		return nil, nil, err
	}
	since, err = sinceOf(later)
	return was, since, err
}

// relationField points to the field that relationFields journals by a name.
func relationField(r *engram.Relation, name string) any {
	switch name {
	case "verb":
		return &r.Verb
	case "status":
		return &r.Status
	case "strength":
		return &r.Strength
	case "reason":
		return &r.Reason
	case "evidence":
		return &r.Evidence
	case "confidence":
		return &r.Confidence
	case "actor":
		return &r.Actor
	case "actor_kind":
		return &r.ActorKind
	case "model":
		return &r.Model
	case "session_id":
		return &r.SessionID
	case "updated_at":
		return &r.UpdatedAt
	case "removed_at":
		return &r.RemovedAt
	}
	return nil
}
