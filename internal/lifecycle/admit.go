package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Action is what becomes of something that is saved.
type Action string

// The actions.
const (
	Insert Action = "inserted" // it is new
	Revise Action = "revised"  // the topic's memory now says this
	Repeat Action = "repeated" // it was said before, word for word or in other words; counted
	Absorb Action = "merged"   // another memory now says this too
)

// AdmitMode says what a save may do to memories that it does not name.
type AdmitMode string

// The modes.
const (
	// AdmitApart, the default, leaves them alone: only a topic is revised, and only an exact
	// repeat within the window is counted.
	AdmitApart AdmitMode = ""
	// AdmitMerging also recognises the same type and title, and makes one of near-duplicates.
	AdmitMerging AdmitMode = "merge"
)

// Known is what a store knows when something is saved.
type Known struct {
	Topic *engram.Memory // the live memory of its topic key, project and scope; nil for none
	// TopicSaid says that Topic said this before, and that what it says now, or is about to say,
	// comes after it in the same input.
	TopicSaid bool
	Repeat    *engram.Memory // the live memory that IsRepeat found, or the summary of the same session that says this; nil for none
	Standing  *engram.Memory // the summary of the same session in whose place this one comes; nil for none
	Titled    *Near          // the newest live memory of its project, scope, type and title; nil for none
	// Said is the newest live memory of its project and scope with the same content, of
	// whatever type and time; nil for none.
	Said *engram.Memory
	// Near are live memories of its project and scope that are near to it, the nearest first;
	// behind them, with a cosine of 0, may be others that perhaps have its text.
	Near []Near
	// Duplicate is the mark of the embedding model: the cosine from which on two texts say
	// the same. 0 for no model.
	Duplicate float64
}

// Near is a memory that is near to another in meaning.
type Near struct {
	Memory engram.Memory
	Cosine float64
	// Differs says in what the two contradict each other; "" when they do not.
	Differs string
}

// Decision is what a save does, to which memory, and why.
type Decision struct {
	Action Action
	Target engram.Memory // the memory that is revised, repeated or merged with
	Reason string        // for a person
	// Adds is what is said now adds to Target, where that was asked: AddsWording and AddsLess
	// are other words than its own, which are to be kept, be it as a revision.
	Adds Addition
}

// Admit decides what saving m does, of what the store knows. In this order: the topic's
// memory is revised, an exact repeat is counted; and merging, what another memory says
// already, of whatever type, is counted there, the memory of the same type and title
// takes m up, or the nearest one of the same type from the duplicate mark on. The type
// manual says that nobody named one: it goes with any. What is taken up says all that the
// memory says, and more. What has a topic key of its own, contradicts, or has something in
// the place of what the memory says is not merged, nor what would be too much for one
// memory.
func Admit(m engram.Memory, k Known, mode AdmitMode, p Policy) Decision {
	switch {
	case k.Topic != nil && k.Topic.NormalizedHash == m.NormalizedHash && k.Topic.Title == m.Title && k.Topic.Type == m.Type:
		return Decision{Action: Repeat, Target: *k.Topic, Reason: "the topic says this already"}
	case k.Topic != nil && k.TopicSaid:
		return Decision{Action: Repeat, Target: *k.Topic, Reason: "the topic said this before, and a later one of these has it"}
	case k.Topic != nil:
		return Decision{Action: Revise, Target: *k.Topic, Reason: "same topic key"}
	case k.Repeat != nil:
		return Decision{Action: Repeat, Target: *k.Repeat, Reason: "exact repeat"}
	case k.Standing != nil:
		return Decision{Action: Revise, Target: *k.Standing, Reason: "in place of the summary that the session had"}
	case m.TopicKey != "":
		return Decision{Action: Insert, Reason: "first of its topic"}
	case mode != AdmitMerging:
		return Decision{Action: Insert, Reason: "new"}
	}
	return admitMerging(m, k, p)
}

func admitMerging(m engram.Memory, k Known, p Policy) Decision {
	type likeness struct {
		Near
		how string // "" where it is not enough to take m up
	}
	var alike []likeness
	if k.Titled != nil {
		alike = append(alike, likeness{*k.Titled, fmt.Sprintf("same type and title as #%d", k.Titled.Memory.Num)})
	}
	near := k.Near
	if k.Said != nil {
		near = append([]Near{{Memory: *k.Said}}, near...)
	}
	for _, n := range near {
		how := ""
		if k.Duplicate > 0 && n.Cosine >= k.Duplicate {
			how = fmt.Sprintf("near-duplicate of #%d, cosine %.2f", n.Memory.Num, n.Cosine)
		}
		alike = append(alike, likeness{n, how})
	}
	why := "new"
	for _, l := range alike {
		adds, as := Adds(l.Memory, m), typed(l.Memory, m)
		if adds == AddsNothing {
			as = ofTypeOf(l.Memory, m) // the same words, whatever they are called
		}
		_, may := MayMerge(l.Memory, as)
		if may && (adds == AddsNothing || (adds == AddsWording || adds == AddsLess) && l.Differs == "") {
			return known(l.Memory, m, adds)
		}
	}
	for _, l := range alike {
		against, may := MayMerge(l.Memory, typed(l.Memory, m))
		adds := Adds(l.Memory, m)
		switch {
		case l.how == "":
			continue
		case l.Differs != "":
			why = l.how + ", which it may contradict"
		case !may:
			why = l.how + ", but " + against
		case adds != AddsAround:
			why = l.how + ", but " + SaysElse
		case !fits(Merged(l.Memory, m, l.Memory.UpdatedAt, p)):
			why = l.how + ", but too much together"
		default:
			return Decision{Action: Absorb, Target: l.Memory, Reason: l.how}
		}
	}
	return Decision{Action: Insert, Reason: why}
}

// SaysElse is why two that are near do not become one.
const SaysElse = "each says what the other does not"

// known is what becomes of m, which old says: it is counted there. Where m says of what type
// it is and old did not, old has a type from then on.
func known(old, m engram.Memory, adds Addition) Decision {
	d := Decision{Action: Repeat, Target: old, Adds: adds, Reason: fmt.Sprintf("#%d has this text already", old.Num)}
	if adds != AddsNothing {
		d.Reason = fmt.Sprintf("#%d says this already, in other words", old.Num)
	}
	if old.Type == engram.TypeManual && m.Type != engram.TypeManual {
		d.Action, d.Reason = Absorb, fmt.Sprintf("%s, and is of type %s now", d.Reason, m.Type)
	}
	return d
}

// ofTypeOf is m as if it were of old's type. The summary of a session is never anything
// else.
func ofTypeOf(old, m engram.Memory) engram.Memory {
	if m.Type != engram.TypeSessionSummary {
		m.Type = old.Type
	}
	return m
}

// typed is m as if it were of old's type, where one of the two says none. A learning that
// was taken out of a text on its own is not joined with what somebody said.
func typed(old, m engram.Memory) engram.Memory {
	if old.Type == engram.TypePassive || m.Type == engram.TypePassive {
		return m
	}
	if old.Type == engram.TypeManual || m.Type == engram.TypeManual {
		return ofTypeOf(old, m)
	}
	return m
}

// TagMadeSummary is on the summary of a session that nobody wrote: it was made of the session's
// memories.
const TagMadeSummary = "auto-summary"

// IsMadeSummary reports whether a memory is the summary of a session that nobody wrote.
func IsMadeSummary(m engram.Memory) bool {
	return m.Type == engram.TypeSessionSummary && slices.Contains(m.Tags, TagMadeSummary)
}

// Hash is the NormalizedHash of a content.
func Hash(content string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(strings.ToLower(content)), " ")))
	return hex.EncodeToString(sum[:])
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
	if m.Summary != "" || m.Content != old.Content { // else it still sums up what is said
		r.Summary = m.Summary
	}
	r.Type, r.Title, r.Content, r.NormalizedHash = m.Type, m.Title, m.Content, m.NormalizedHash
	r.ToolName, r.Origin = m.ToolName, m.Origin
	r.Tags = union(old.Tags, m.Tags)
	if IsMadeSummary(old) && !IsMadeSummary(m) { // somebody has written one
		r.Tags = slices.DeleteFunc(r.Tags, func(t string) bool { return t == TagMadeSummary })
	}
	r.Metadata = merged(old.Metadata, m.Metadata)
	r.Anchors = anchorsAfter(old.Anchors, m.Anchors)
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
	r.Anchors = anchorsOfBoth(old.Anchors, m.Anchors)
	r.Permanent = old.Permanent || m.Permanent
	r.DuplicateCount++
	r.LastSeenAt, r.UpdatedAt = now, now
	return r
}

// union is in the order in which stores give tags back.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

func merged(a, b map[string]any) map[string]any {
	if len(b) == 0 {
		return a
	}
	all := make(map[string]any, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
