package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// suspicious says what in a record reads like an order to an agent; "" when nothing does.
// Every text that anybody may come to see is looked at, but for those that the thing has
// here already: a person let them in, or wrote them.
func (b *receivingBatch) suspicious(ctx context.Context, r incoming) (string, error) {
	var here map[string]bool
	for _, p := range textsOf(r.Record) {
		reasons := suspicion.Of(p.text)
		if len(reasons) == 0 {
			continue
		}
		if here == nil {
			known, err := b.stateHere(ctx, r.Record)
			if err != nil {
				return "", err
			}
			here = map[string]bool{}
			for _, p := range textsOf(known) {
				here[p.text] = true
			}
		}
		if !here[p.text] {
			return whyAndWhere(reasons[0]), nil
		}
	}
	return "", nil
}

// stateHere is what the store has of a record's thing: the empty record when it has nothing.
func (b *receivingBatch) stateHere(ctx context.Context, r engram.Record) (here engram.Record, err error) {
	switch {
	case r.Memory != nil:
		m, found, err := b.find(ctx, r.Memory.Memory.ID, r.Memory.Memory.SyncID)
		if err != nil || !found {
			return here, err
		}
		here.Memory = &engram.MemoryRecord{Memory: m}
		here.Memory.Revisions, err = b.tx.Revisions(ctx, m.Num)
		return here, err
	case r.Prompt != nil:
		p, found, err := b.tx.PromptBySyncID(ctx, r.Prompt.SyncID)
		if found {
			here.Prompt = &p
		}
		return here, err
	case r.Session != nil:
		s, err := b.tx.Session(ctx, r.Session.ID)
		if err == nil {
			here.Session = &s
		}
		return here, unlessMissing(err)
	case r.Relation != nil:
		rel, err := b.tx.Relation(ctx, engram.RelationRef{ID: r.Relation.Relation.ID})
		if err == nil {
			here.Relation = &engram.RelationRecord{Relation: rel}
		}
		return here, unlessMissing(err)
	}
	return here, nil
}

// unlessMissing is an error, unless it says that something is not there.
func unlessMissing(err error) error {
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil
	}
	return err
}

// textsOf are the texts of a record that somebody chose.
func textsOf(r engram.Record) (all []passage) {
	var texts []string
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		all = append(shownTexts(m), passages([]string{m.SessionID, m.Project})...)
		for _, a := range m.Anchors {
			texts = append(texts, a.Repository)
		}
		for _, rev := range r.Memory.Revisions {
			all = append(all, typedTexts(rev.Title, rev.Content)...)
			texts = append(texts, rev.Reason)
		}
	case r.Session != nil:
		texts = append(texts, r.Session.ID, r.Session.Summary, r.Session.Directory, r.Session.Project)
	case r.Prompt != nil:
		texts = append(texts, r.Prompt.Content, r.Prompt.SessionID, r.Prompt.Project)
	case r.Relation != nil:
		rel := r.Relation.Relation
		texts = append(texts, rel.Reason, rel.Evidence, rel.Actor, rel.ActorKind, rel.Model, rel.SessionID)
	}
	if r.Lineage != nil {
		for _, member := range slices.Sorted(maps.Keys(r.Lineage.Sets)) {
			if r.Memory == nil || !slices.Contains(r.Memory.Memory.Tags, member) {
				texts = append(texts, member)
			}
		}
	}
	return append(all, passages(texts)...)
}

// textsIn appends the texts of a value of JSON, the keys of objects among them.
func textsIn(texts []string, v any) []string {
	switch v := v.(type) {
	case string:
		texts = append(texts, v)
	case []any:
		for _, one := range v {
			texts = textsIn(texts, one)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = textsIn(append(texts, key), v[key])
		}
	}
	return texts
}
