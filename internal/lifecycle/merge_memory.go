package lifecycle

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"

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

// textOf returns m's text as the revision that it would become. Nothing more is known of a text from elsewhere.
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

// bestOf returns, for words with a derived stamp, the stamp that represents them: one set by a store if there
// is any, otherwise the latest. The others are the same text after a format without stamps.
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

// pastDerived is the bit of a Past that marks a derived stamp among the texts. Such a text equals
// others with the same words, so what may join depends on all of them.
const pastDerived = 1

// Past returns CausalMetadata.Past of a memory with these revisions, in any order and numbering,
// and with this title and content now, written by said.
func Past(revisions []engram.Revision, title, content string, said engram.VersionStamp) int64 {
	stamped := make([]engram.Revision, len(revisions))
	for i, r := range revisions {
		r.Stamp = RevisionStamp(r)
		stamped[i] = r
	}
	return pastOf(texts(stamped, textOf(engram.Memory{Title: title, Content: content}, said)))
}

// PastWith returns Past after a local write replaced one more text, without reading the earlier
// ones; known is false if they must be read.
func PastWith(past int64, replaced engram.Revision) (now int64, known bool) {
	if past&pastDerived != 0 || RevisionStamp(replaced).Derived() {
		return 0, false
	}
	return past ^ pastText(replaced), true
}

// pastOf returns the number of a set of texts: the exclusive or of theirs, so order does not matter
// and one more text is one step.
func pastOf(texts []engram.Revision) int64 {
	var sum, derivedToo int64
	for _, r := range texts {
		sum ^= pastText(r)
		if r.Stamp.Derived() {
			derivedToo = pastDerived
		}
	}
	return sum | derivedToo
}

// pastText returns the number of one text, with the bit pastDerived cleared.
func pastText(r engram.Revision) int64 {
	h := fnv.New64a()
	for _, s := range []string{r.Stamp.String(), r.Title, r.Content} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		_, _ = io.WriteString(h, s) // a hash never fails
	}
	return int64(h.Sum64()) &^ pastDerived
}

// verdictRegister is the part of a relation with all it says. Whether the relation exists is a set of
// one member.
func verdictRegister() register {
	said := func(r *engram.RelationRecord) (s engram.Relation) {
		for _, f := range engram.Fields[engram.Relation]() {
			if f.Part == engram.PartVerdict {
				f.Copy(&s, &r.Relation)
			}
		}
		return s
	}
	return register{engram.PartVerdict, func(r engram.Record) any { return said(r.Relation) }, func(into, from engram.Record) {
		into.Relation.Relation = said(from.Relation)
	}}
}

// mergeRelation merges what is not a part of a relation.
func mergeRelation(m *engram.RelationRecord, a, b engram.RelationRecord) {
	m.Source, m.Target = leastRef(a.Source, b.Source), leastRef(a.Target, b.Target)
	m.Relation.ID = least(a.Relation.ID, b.Relation.ID)
	m.Relation.CreatedAt = earlier(a.Relation.CreatedAt, b.Relation.CreatedAt)
}

// laterSaid returns the change time of a merged relation: that of the later write; for the same
// write, which a removal may follow, the later time.
func laterSaid(a, b engram.Record) time.Time {
	x, y := changedAt(a), changedAt(b)
	c := lastSaid(b).Compare(lastSaid(a))
	if c > 0 || c == 0 && y.After(x) {
		return y
	}
	return x
}

// lastSaid returns the latest write of a relation's verdict or presence.
func lastSaid(r engram.Record) engram.VersionStamp {
	last := r.Causal.Of(engram.PartVerdict)
	for device, d := range fullSets(r.Causal.Clone(), membersOf(r))[""] {
		if s := (engram.VersionStamp{At: d.Added, Device: device}); s.Compare(last) > 0 {
			last = s
		}
	}
	return last
}

func leastRef(a, b engram.Ref) engram.Ref {
	if a.ID == b.ID && b.SyncID < a.SyncID || b.ID != "" && (a.ID == "" || b.ID < a.ID) {
		a = b
	}
	return engram.Ref{ID: a.ID, SyncID: a.SyncID}
}
