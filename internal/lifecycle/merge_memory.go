package lifecycle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// textRegister is the part of a memory with its title and content. Origin is the trust in the words,
// set by the store that received them. It is copied with the words, so a received text is not trusted
// like the one before it, and does not decide between two texts.
func textRegister() register {
	return register{engram.PartText, func(r engram.Record) any { return []string{r.Memory.Memory.Title, r.Memory.Memory.Content} },
		func(into, from engram.Record) {
			m, f := memoryOf(into), memoryOf(from)
			m.Title, m.Content, m.NormalizedHash, m.Origin = f.Title, f.Content, f.NormalizedHash, f.Origin
		}}
}

func memoryOf(r engram.Record) *engram.Memory { return &r.Memory.Memory }

// mergeMemory merges what is not a register, except texts and counters.
func mergeMemory(m *engram.Memory, a, b engram.Memory) {
	m.ID, m.SyncID = least(a.ID, b.ID), least(a.SyncID, b.SyncID)
	m.CreatedAt, m.UpdatedAt = earlier(a.CreatedAt, b.CreatedAt), later(a.UpdatedAt, b.UpdatedAt)
	m.LastAccessedAt, m.LastSeenAt = later(a.LastAccessedAt, b.LastAccessedAt), later(a.LastSeenAt, b.LastSeenAt)
	m.Strength, m.TouchedAt = a.Strength, a.TouchedAt
	if c := b.TouchedAt.Compare(a.TouchedAt); c > 0 || c == 0 && b.Strength > a.Strength {
		m.Strength, m.TouchedAt = b.Strength, b.TouchedAt
	}
}

// mergeTexts merges the texts of two states after the registers of m. Texts that are not current
// become revisions.
func mergeTexts(m *engram.MemoryRecord, a, b engram.Record) {
	x, y := a.Memory.Memory, b.Memory.Memory
	tx, ty := textOf(x, a.Causal.Of(engram.PartText)), textOf(y, b.Causal.Of(engram.PartText))
	m.Revisions = slices.Concat(a.Memory.Revisions, b.Memory.Revisions, []engram.Revision{tx, ty})
	if sameText(tx, ty) {
		m.Memory.Origin = moreTrusted(x.Origin, y.Origin)
	}
}

// moreTrusted returns the more trusted origin of the same write: a text written here keeps its
// origin when it comes back.
func moreTrusted(a, b engram.Origin) engram.Origin {
	if LessTrusted(a, b) == a {
		return b
	}
	return a
}

// textOf returns m's text as the revision that it would become. Nothing more is known of a text
// from elsewhere.
func textOf(m engram.Memory, s engram.VersionStamp) engram.Revision {
	r := engram.Revision{Title: m.Title, Content: m.Content, Stamp: s}
	r.Stamp = RevisionStamp(r)
	return r
}

// normalMemory stamps revisions and attributes uncounted accesses to unknownDevice.
func normalMemory(m *engram.MemoryRecord, r engram.MemoryRecord, l *engram.CausalMetadata) {
	x := r.Memory
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
		own := l.Counts[unknownDevice]
		l.Counts[unknownDevice] = engram.Count{Accesses: own.Accesses + more.Accesses, Repeats: own.Repeats + more.Repeats}
	}
}

// countedBy sums the counts of all stores.
func countedBy(l engram.CausalMetadata) engram.Count {
	var sum engram.Count
	for _, c := range l.Counts {
		sum.Accesses, sum.Repeats = sum.Accesses+c.Accesses, sum.Repeats+c.Repeats
	}
	return sum
}

// resolveMemory sets what follows from m's causal metadata and texts.
func resolveMemory(m *engram.MemoryRecord, l *engram.CausalMetadata, forgotten bool) {
	now := &m.Memory
	now.Tags = members(l.Sets)
	now.DeletedAt = deletedAt(now.DeletedAt, *l, forgotten)
	sum := countedBy(*l)
	now.AccessCount, now.DuplicateCount = sum.Accesses, sum.Repeats+1
	m.Revisions = texts(m.Revisions, textOf(*now, l.Of(engram.PartText)))
	now.RevisionCount = len(m.Revisions) + 1
	l.Past = pastOf(m.Revisions)
}

// texts returns revisions in order, each once, without the current text.
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
		case r.Title == "" && r.Content == "": // of a memory known only to have moved away
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

// bestOf returns, for words with a derived stamp, the stamp that represents them: one set by a
// store if there is any, otherwise the latest. The others are the same text after a format without
// stamps.
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

// sameRevision merges what two stores know of one text.
func sameRevision(a, b engram.Revision) engram.Revision {
	a.Type, a.Reason = max(a.Type, b.Type), max(a.Reason, b.Reason)
	a.WrittenAt, a.ReplacedAt = earlier(a.WrittenAt, b.WrittenAt), earlier(a.ReplacedAt, b.ReplacedAt)
	return a
}
