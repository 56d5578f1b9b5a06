package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Action is the outcome of a save.
type Action string

// The actions.
const (
	Insert Action = "inserted" // a new memory
	Revise Action = "revised"  // the topic's memory was revised
	Repeat Action = "repeated" // already known, in the same or other words; counted
	Absorb Action = "merged"   // merged into another memory
)

// AdmitMode says which memories a save may change besides the one it names.
type AdmitMode string

// The modes.
const (
	// AdmitSeparately, the default, changes no others: it revises a topic and counts an exact repeat
	// within the window.
	AdmitSeparately AdmitMode = ""
	// AdmitMerging also recognizes the same type and title, and merges near-duplicates.
	AdmitMerging AdmitMode = "merge"
)

// Known is what the store found for a save. Memories are live and of the same project and scope; a
// missing one is nil.
type Known struct {
	Topic *engram.Memory // with the same topic key
	// TopicSaid reports that Topic had this text before and that its present or next text comes
	// later in the same input.
	TopicSaid bool
	Repeat    *engram.Memory // found by IsRepeat, or the summary of the same session with this text
	Standing  *engram.Memory // the summary of the same session that this one replaces
	Titled    *Near          // the newest with the same type and title
	// Said is the newest with the same content, of any type and time.
	Said *engram.Memory
	// Near are similar memories, nearest first; those with cosine 0 at the end may have the same text.
	Near []Near
	// Duplicate is the embedding model's duplicate threshold, a cosine; 0 without a model.
	Duplicate float64
}

// Near is a memory similar in meaning.
type Near struct {
	Memory engram.Memory
	Cosine float64
	// Differs says how the two contradict each other; "" if they do not.
	Differs string
}

// Decision is what a save does, to which memory, and why.
type Decision struct {
	Action Action
	Target engram.Memory // the memory to revise, repeat or merge into
	Reason string        // for a person
	// Adds is what the new text adds to Target, if compared. AddsWording and AddsLess mean other
	// words, which are kept as a revision.
	Adds Addition
}

// Admit decides what saving m does. In order: revise the topic's memory; count an exact repeat;
// and, when merging, count m at a memory of any type that already says it, or merge m into the
// memory of the same type and title, or into the nearest one of the same type at or above the
// duplicate threshold. Type manual means unspecified and matches every type.
//
// Only a text that says all the memory says, and more, is merged in. Memories with a topic key, contradictions,
// texts that replace part of the memory, and results too large for one memory are inserted instead.
func Admit(m engram.Memory, k Known, mode AdmitMode, p Policy) Decision {
	switch {
	case k.Topic != nil && k.Topic.NormalizedHash == m.NormalizedHash && k.Topic.Title == m.Title && k.Topic.Type == m.Type:
		return Decision{Action: Repeat, Target: *k.Topic, Reason: "the topic says this already"}
	case k.Topic != nil && k.TopicSaid:
		return Decision{Action: Repeat, Target: *k.Topic, Reason: "the topic had this before, and a later item replaces it"}
	case k.Topic != nil:
		return Decision{Action: Revise, Target: *k.Topic, Reason: "same topic key"}
	case k.Repeat != nil:
		return Decision{Action: Repeat, Target: *k.Repeat, Reason: "exact repeat"}
	case k.Standing != nil:
		return Decision{Action: Revise, Target: *k.Standing, Reason: "replaces the session's summary"}
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
		how string // "" if not similar enough to merge
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
			as = ofTypeOf(l.Memory, m) // the same words, whatever the type
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
			why = l.how + ", but too long together"
		default:
			return Decision{Action: Absorb, Target: l.Memory, Reason: l.how}
		}
	}
	return Decision{Action: Insert, Reason: why}
}

// SaysElse is the reason why two similar memories are not merged.
const SaysElse = "each says what the other does not"

// known counts m at old, which already says it. If old has no type and m does, old takes it.
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

// ofTypeOf returns m with old's type. A session summary keeps its own.
func ofTypeOf(old, m engram.Memory) engram.Memory {
	if m.Type != engram.TypeSessionSummary {
		m.Type = old.Type
	}
	return m
}

// typed returns m with old's type if either is unspecified. A passively captured learning is not
// merged with an explicit save.
func typed(old, m engram.Memory) engram.Memory {
	if old.Type == engram.TypePassive || m.Type == engram.TypePassive {
		return m
	}
	if old.Type == engram.TypeManual || m.Type == engram.TypeManual {
		return ofTypeOf(old, m)
	}
	return m
}

// TagMadeSummary marks a session summary generated from the session's memories.
const TagMadeSummary = "auto-summary"

// IsMadeSummary reports whether m is a generated session summary.
func IsMadeSummary(m engram.Memory) bool {
	return m.Type == engram.TypeSessionSummary && slices.Contains(m.Tags, TagMadeSummary)
}

// Hash returns the NormalizedHash of a content: that of its words in lower case, with a space between two.
func Hash(content string) string {
	words, between := make([]byte, 0, 2048), false // most fit
	for i := range len(content) {
		c := content[i]
		switch {
		case c >= utf8.RuneSelf:
			return digest([]byte(strings.Join(strings.Fields(strings.ToLower(content)), " ")))
		case c == ' ' || '\t' <= c && c <= '\r':
			between = len(words) > 0
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if between {
			words, between = append(words, ' '), false
		}
		words = append(words, c)
	}
	return digest(words)
}

func digest(words []byte) string {
	sum := sha256.Sum256(words)
	return hex.EncodeToString(sum[:])
}

// IsRepeat reports whether saving m at now repeats old, which has the same NormalizedHash and
// project: same scope, type and title, created within the window. The distance counts both ways,
// because a clock set back puts old in the future.
func IsRepeat(m, old engram.Memory, now time.Time, p Policy) bool {
	return old.Scope == m.Scope && old.Type == m.Type && old.Title == m.Title && m.TopicKey == "" &&
		now.Sub(old.CreatedAt).Abs() <= p.RepeatWindow
}

// Revised returns old with m's text, at now. Tags and metadata are added; a permanent memory stays permanent.
func Revised(old, m engram.Memory, now time.Time, p Policy) engram.Memory {
	r := old
	if m.Summary != "" || m.Content != old.Content { // otherwise the old summary still fits
		r.Summary = m.Summary
	}
	r.Type, r.Title, r.Content, r.NormalizedHash = m.Type, m.Title, m.Content, m.NormalizedHash
	r.ToolName, r.Origin = m.ToolName, m.Origin
	r.Tags = union(old.Tags, m.Tags)
	if IsMadeSummary(old) && !IsMadeSummary(m) { // a written one replaces the generated one
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

// Repeated returns old after m repeated it at now. Tags, metadata and permanence of m are kept.
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

// union returns sorted tags, as stores do.
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

// anchorsAfter returns the anchors after a text was replaced: requested ones stay, those named by
// the old text go.
func anchorsAfter(old, now []engram.Anchor) []engram.Anchor {
	return anchorsOfBoth(slices.DeleteFunc(slices.Clone(old), func(a engram.Anchor) bool { return a.Named }), now)
}

// anchorsOfBoth merges anchors. For one place the newer one wins; beyond the limit older ones are dropped.
func anchorsOfBoth(old, now []engram.Anchor) []engram.Anchor {
	all := slices.Clone(now)
	for _, a := range old {
		i := slices.IndexFunc(all, func(b engram.Anchor) bool { return b.Repository == a.Repository && b.Place() == a.Place() })
		switch {
		case i >= 0:
			all[i].Named = all[i].Named && a.Named
		case len(all) < engram.MaxAnchors:
			all = append(all, a)
		}
	}
	return engram.CleanAnchors(all)
}

// TagPermanent is the tag of a memory that does not fade, equivalent to Permanent.
const TagPermanent = "permanent"

// Pinned returns now with TagPermanent and Permanent in agreement. was is the memory before the
// change, zero for a new one. asked is an explicit request and decides; nil for none. Otherwise the
// one that changed decides; if they never agreed, the memory is permanent. A memory with the
// maximum number of tags goes without this one.
func Pinned(was, now engram.Memory, asked *bool) engram.Memory {
	tagged := func(m engram.Memory) bool { return slices.Contains(m.Tags, TagPermanent) }
	switch {
	case asked != nil:
		now.Permanent = *asked
	case now.Permanent == tagged(now) || now.Permanent != was.Permanent:
	case tagged(now) != tagged(was):
		now.Permanent = tagged(now)
	default:
		now.Permanent = true
	}
	switch {
	case now.Permanent == tagged(now):
	case !now.Permanent:
		now.Tags = slices.DeleteFunc(slices.Clone(now.Tags), func(t string) bool { return t == TagPermanent })
		if len(now.Tags) == 0 {
			now.Tags = nil
		}
	case len(now.Tags) < engram.MaxTags:
		now.Tags = append(slices.Clone(now.Tags), TagPermanent)
		slices.Sort(now.Tags)
	}
	return now
}
