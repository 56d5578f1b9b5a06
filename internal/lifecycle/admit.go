package lifecycle

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Action is what becomes of something that is saved.
type Action string

// The actions.
const (
	Insert Action = "inserted" // it is new
	Revise Action = "revised"  // the topic's memory now says this
	Repeat Action = "repeated" // it was said before, word for word; counted
)

// Decision is what a save does, to which memory, and why.
type Decision struct {
	Action Action
	Target engram.Memory // the memory that is revised or repeated
	Reason string        // for a person
}

// Admit decides what saving m does. topic is the live memory with m's topic
// key, project and scope, repeat the live memory that IsRepeat found; nil for none.
func Admit(m engram.Memory, topic, repeat *engram.Memory) Decision {
	switch {
	case topic != nil && topic.NormalizedHash == m.NormalizedHash && topic.Title == m.Title && topic.Type == m.Type:
		return Decision{Repeat, *topic, "the topic says this already"}
	case topic != nil:
		return Decision{Revise, *topic, "same topic key"}
	case repeat != nil:
		return Decision{Repeat, *repeat, "exact repeat"}
	case m.TopicKey != "":
		return Decision{Action: Insert, Reason: "first of its topic"}
	}
	return Decision{Action: Insert, Reason: "new"}
}

// IsRepeat reports whether saving m at now repeats old, which has the same
// NormalizedHash and project: same scope, type and title, made within the window. A
// clock that was set back meanwhile shows old as made in the future; within the
// window that is a repeat too.
func IsRepeat(m, old engram.Memory, now time.Time, p Policy) bool {
	return old.Scope == m.Scope && old.Type == m.Type && old.Title == m.Title && m.TopicKey == "" &&
		now.Sub(old.CreatedAt).Abs() <= p.RepeatWindow
}

// Revised is old saying what m says, at now. What m leaves open stays: tags and
// metadata are added to, a permanent memory stays permanent.
func Revised(old, m engram.Memory, now time.Time, p Policy) engram.Memory {
	r := old
	r.Type, r.Title, r.Content, r.NormalizedHash, r.Summary = m.Type, m.Title, m.Content, m.NormalizedHash, m.Summary
	r.ToolName, r.Origin = m.ToolName, m.Origin
	r.Tags = union(old.Tags, m.Tags)
	r.Metadata = merged(old.Metadata, m.Metadata)
	r.Importance = m.Importance
	r.Permanent = old.Permanent || m.Permanent
	r.RevisionCount++
	r.UpdatedAt = now
	r.Strength, r.TouchedAt = 1, now
	r.ReviewAfter = ReviewAfter(r, now, p)
	return r
}

// Repeated is old after m said the same once more at now. What m adds beside the
// text (tags, metadata, that it must not fade) is kept.
func Repeated(old, m engram.Memory, now time.Time) engram.Memory {
	r := old
	r.Tags = union(old.Tags, m.Tags)
	r.Metadata = merged(old.Metadata, m.Metadata)
	r.Permanent = old.Permanent || m.Permanent
	r.DuplicateCount++
	r.LastSeenAt, r.UpdatedAt = now, now
	return r
}

func union(a, b []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, list := range [][]string{a, b} {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	slices.Sort(all) // as stores give them back
	return all
}

func merged(a, b map[string]any) map[string]any {
	if len(b) == 0 {
		return a
	}
	all := make(map[string]any, len(a)+len(b))
	for _, m := range []map[string]any{a, b} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}
