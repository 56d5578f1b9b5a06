package engine

import (
	"context"
	"fmt"
	"strconv"

	"github.com/alanbuscaglia/engram"
)

// Keys of metadata by which agents of the remember dialect tell how memories hang
// together, because there they have no other way.
const (
	metaSupersedes       = "supersedes"        // a memory that this one replaces, or a list of them
	metaSupersedesReason = "supersedes_reason" // why
	metaRelatedTo        = "related_to"        // a list of memories, or one
)

// heedMetadata makes relations of what the metadata of a save say of other memories. They
// stay metadata, too: that is how they are asked for. A memory that is not there is a
// warning, not an error: ids in metadata are old, and the save is worth more.
func (o *op) heedMetadata(ctx context.Context, m engram.Memory, metadata map[string]any) (warnings []string, err error) {
	heed := func(key string, tie func(engram.Ref) error) error {
		for _, name := range named(metadata[key]) {
			ref, err := engram.ParseRef(name)
			if err == nil {
				err = tie(besideOf(ref, m))
			}
			switch engram.CodeOf(err) {
			case "":
			case engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict:
				warnings = append(warnings, fmt.Sprintf("metadata %s is no relation: %s", key, sayingOf(err)))
			default:
				return err
			}
		}
		return nil
	}
	reason, _ := metadata[metaSupersedesReason].(string)
	kind := KindAgent
	if m.Origin == engram.OriginHuman {
		kind = KindHuman
	}
	err = heed(metaSupersedes, func(ref engram.Ref) error { return o.supersede(ctx, m, ref, reason, kind) })
	if err != nil {
		return nil, err
	}
	err = heed(metaRelatedTo, func(ref engram.Ref) error { return o.relate(ctx, m, []engram.Ref{ref}) })
	return warnings, err
}

// supersede records that m takes another memory's place, unless that is known.
func (o *op) supersede(ctx context.Context, m engram.Memory, ref engram.Ref, reason, kind string) error {
	old, err := o.live(ctx, ref)
	if err != nil {
		return err
	}
	if old.Num == m.Num {
		return engram.Errorf(engram.CodeInvalid, "memory %s cannot supersede itself", ref)
	}
	pair, err := o.tx.RelationsBetween(ctx, m.Num, old.Num)
	if err != nil {
		return err
	}
	for _, r := range pair {
		if r.Supersedes() && r.Source == m.Num {
			return nil // an exact repeat says so again
		}
	}
	v, err := o.verdict(JudgeInput{Verb: engram.VerbSupersedes, Reason: reason, SessionID: m.SessionID, ActorKind: kind})
	if err != nil {
		return err
	}
	v.source, v.target = m.Num, old.Num
	_, err = o.settle(ctx, v, nil)
	return err
}

// named are the memories that a value of metadata names: a text, a number, or a list of
// these. What is neither names none.
func named(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		var all []string
		for _, item := range v {
			if _, nested := item.([]any); !nested {
				all = append(all, named(item)...)
			}
		}
		return all
	}
	return nil
}
