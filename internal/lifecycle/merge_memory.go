package lifecycle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// memoryRegisters are the parts of a memory. Its Origin is none: it says what its words are
// worth to a store, and one that gets them from elsewhere trusts them as that, whoever wrote
// them there. It goes with the words, for a text from elsewhere must not be trusted as the one
// before it was, and does not decide between two of them.
func memoryRegisters() []register {
	field := func(p engram.Part, says func(*engram.Memory) any, take func(into, from *engram.Memory)) register {
		return register{p, func(r engram.Record) any { return says(&r.Memory.Memory) },
			func(into, from engram.Record) { take(&into.Memory.Memory, &from.Memory.Memory) }}
	}
	return []register{
		field(engram.PartText, func(m *engram.Memory) any { return []string{m.Title, m.Content} }, func(m, from *engram.Memory) {
			m.Title, m.Content, m.NormalizedHash, m.Origin = from.Title, from.Content, from.NormalizedHash, from.Origin
		}),
		field(engram.PartSummary, func(m *engram.Memory) any { return m.Summary }, func(m, from *engram.Memory) { m.Summary = from.Summary }),
		field(engram.PartToolName, func(m *engram.Memory) any { return m.ToolName }, func(m, from *engram.Memory) { m.ToolName = from.ToolName }),
		field("type", func(m *engram.Memory) any { return m.Type }, func(m, from *engram.Memory) { m.Type = from.Type }),
		field("scope", func(m *engram.Memory) any { return m.Scope }, func(m, from *engram.Memory) { m.Scope = from.Scope }),
		field("topic_key", func(m *engram.Memory) any { return m.TopicKey }, func(m, from *engram.Memory) { m.TopicKey = from.TopicKey }),
		field("metadata", func(m *engram.Memory) any { return m.Metadata }, func(m, from *engram.Memory) { m.Metadata = from.Metadata }),
		field("anchors", func(m *engram.Memory) any { return m.Anchors }, func(m, from *engram.Memory) { m.Anchors = from.Anchors }),
		field("importance", func(m *engram.Memory) any { return m.Importance }, func(m, from *engram.Memory) { m.Importance = from.Importance }),
		field("permanent", func(m *engram.Memory) any { return m.Permanent }, func(m, from *engram.Memory) { m.Permanent = from.Permanent }),
		field("review_after", func(m *engram.Memory) any { return m.ReviewAfter }, func(m, from *engram.Memory) { m.ReviewAfter = from.ReviewAfter }),
		field("valid_from", func(m *engram.Memory) any { return m.ValidFrom }, func(m, from *engram.Memory) { m.ValidFrom = from.ValidFrom }),
		field("valid_to", func(m *engram.Memory) any { return m.ValidTo }, func(m, from *engram.Memory) { m.ValidTo = from.ValidTo }),
		field(partProject, func(m *engram.Memory) any { return m.Project }, func(m, from *engram.Memory) { m.Project = from.Project }),
		field(partSession, func(m *engram.Memory) any { return m.SessionID }, func(m, from *engram.Memory) { m.SessionID = from.SessionID }),
		field(engram.PartDeleted, func(m *engram.Memory) any { return m.DeletedAt }, func(m, from *engram.Memory) { m.DeletedAt = from.DeletedAt }),
	}
}

// mergeMemory brings together what of a memory is no register; the registers of m are settled.
// Whatever of both is not said any more is among its revisions.
func mergeMemory(m *engram.MemoryRecord, a, b engram.Record) {
	x, y := a.Memory.Memory, b.Memory.Memory
	now := &m.Memory
	now.ID, now.SyncID = least(x.ID, y.ID), least(x.SyncID, y.SyncID)
	now.CreatedAt, now.UpdatedAt = earlier(x.CreatedAt, y.CreatedAt), later(x.UpdatedAt, y.UpdatedAt)
	now.LastAccessedAt, now.LastSeenAt = later(x.LastAccessedAt, y.LastAccessedAt), later(x.LastSeenAt, y.LastSeenAt)
	now.Strength, now.TouchedAt = x.Strength, x.TouchedAt
	if c := y.TouchedAt.Compare(x.TouchedAt); c > 0 || c == 0 && y.Strength > x.Strength {
		now.Strength, now.TouchedAt = y.Strength, y.TouchedAt
	}
	tx, ty := textOf(x, a.Causal.Of(engram.PartText)), textOf(y, b.Causal.Of(engram.PartText))
	m.Revisions = slices.Concat(a.Memory.Revisions, b.Memory.Revisions, []engram.Revision{tx, ty})
	if sameText(tx, ty) {
		now.Origin = moreTrusted(x.Origin, y.Origin)
	}
}

// moreTrusted is the origin of the same words by the same write in two states: what was
// written here stays so when it comes back from elsewhere.
func moreTrusted(a, b engram.Origin) engram.Origin {
	if LessTrusted(a, b) == a {
		return b
	}
	return a
}

// textOf is what a memory says, as the revision that it would become: of what comes from
// elsewhere nobody knows more than its write.
func textOf(m engram.Memory, s engram.VersionStamp) engram.Revision {
	r := engram.Revision{Title: m.Title, Content: m.Content, Stamp: s}
	r.Stamp = RevisionStamp(r)
	return r
}

// normalMemory fills in of a memory what is no register.
func normalMemory(m *engram.MemoryRecord, r engram.MemoryRecord, l *engram.CausalMetadata) {
	x, now := r.Memory, &m.Memory
	now.ID, now.SyncID, now.CreatedAt, now.UpdatedAt = x.ID, x.SyncID, x.CreatedAt, x.UpdatedAt
	now.LastAccessedAt, now.LastSeenAt, now.Strength, now.TouchedAt = x.LastAccessedAt, x.LastSeenAt, x.Strength, x.TouchedAt
	for _, rev := range r.Revisions {
		rev.Stamp = RevisionStamp(rev)
		m.Revisions = append(m.Revisions, rev)
	}
	sum := countedBy(*l)
	more := engram.Count{Accesses: max(x.AccessCount-sum.Accesses, 0), Repeats: max(x.DuplicateCount-1-sum.Repeats, 0)}
	if more != (engram.Count{}) {
		if l.Counts == nil {
			l.Counts = map[string]engram.Count{}
		}
		own := l.Counts[nobody]
		l.Counts[nobody] = engram.Count{Accesses: own.Accesses + more.Accesses, Repeats: own.Repeats + more.Repeats}
	}
}

// countedBy sums up what all stores counted.
func countedBy(l engram.CausalMetadata) engram.Count {
	var sum engram.Count
	for _, c := range l.Counts {
		sum.Accesses, sum.Repeats = sum.Accesses+c.Accesses, sum.Repeats+c.Repeats
	}
	return sum
}

// resolveMemory makes of a memory what follows from its lineage and its texts.
func resolveMemory(m *engram.MemoryRecord, l *engram.CausalMetadata, gone bool) {
	now := &m.Memory
	now.Tags = members(l.Sets)
	now.DeletedAt = deletedAt(now.DeletedAt, *l, gone)
	sum := countedBy(*l)
	now.AccessCount, now.DuplicateCount = sum.Accesses, sum.Repeats+1
	m.Revisions = texts(m.Revisions, textOf(*now, l.Of(engram.PartText)))
	now.RevisionCount = len(m.Revisions) + 1
	l.Past = pastOf(m.Revisions)
}

// texts are revisions in order, each once, but for the text that is in force.
func texts(all []engram.Revision, now engram.Revision) []engram.Revision {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, byStamp)
	instead := bestOf(all, now)
	var kept []engram.Revision
	for _, r := range all {
		r.Memory, r.Number = 0, 0
		if r.Stamp.At > 0 {
			r.WrittenAt = earlier(r.WrittenAt, r.Stamp.At.Time())
		}
		n := len(kept)
		switch {
		case r.Title == "" && r.Content == "": // of a memory of which no more is told than that it left
		case sameText(r, now) || r.Stamp.Derived() && instead[words{r.Title, r.Content}] != r.Stamp:
		case n > 0 && sameText(kept[n-1], r):
			kept[n-1] = sameRevision(kept[n-1], r)
		default:
			kept = append(kept, r)
		}
	}
	for i := range kept {
		kept[i].Number = i + 1
	}
	return kept
}

// words are a text without its write.
type words struct{ title, content string }

// bestOf returns, for words of which a text has a derived stamp, the stamp that stands for
// them: one that a store gave if there is any, else the latest. The others are the same text
// after it went by a format that keeps no stamps.
func bestOf(all []engram.Revision, now engram.Revision) map[words]engram.VersionStamp {
	if !now.Stamp.Derived() && !slices.ContainsFunc(all, func(r engram.Revision) bool { return r.Stamp.Derived() }) {
		return nil
	}
	best := map[words]engram.VersionStamp{}
	for _, r := range append(slices.Clip(all), now) {
		w := words{r.Title, r.Content}
		known, has := best[w]
		switch {
		case !has, known.Derived() && !r.Stamp.Derived(), known.Derived() == r.Stamp.Derived() && r.Stamp.Compare(known) > 0:
			best[w] = r.Stamp
		}
	}
	return best
}

func byStamp(a, b engram.Revision) int {
	return cmp.Or(a.Stamp.Compare(b.Stamp), strings.Compare(a.Title, b.Title), strings.Compare(a.Content, b.Content))
}

func sameText(a, b engram.Revision) bool { return byStamp(a, b) == 0 }

// sameRevision brings together what two stores know of one text.
func sameRevision(a, b engram.Revision) engram.Revision {
	a.Type, a.Reason = max(a.Type, b.Type), max(a.Reason, b.Reason)
	a.WrittenAt, a.ReplacedAt = earlier(a.WrittenAt, b.WrittenAt), earlier(a.ReplacedAt, b.ReplacedAt)
	return a
}
