package lifecycle

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// unknownDevice is the device of counts of unknown origin. Every store uses the same one, so a count that
// passed through a format without devices is counted once.
const unknownDevice = "~"

// ClockAt returns the first clock reading at a time; 0 for an unknown time or one outside the clock's range.
func ClockAt(t time.Time) engram.Clock {
	const last = 1<<47 - 1 // milliseconds that fit
	if ms := t.UnixMilli(); !t.IsZero() && ms > 0 && ms <= last {
		return engram.Clock(ms << 16)
	}
	return 0
}

// mostSaid is room for what most states say.
const mostSaid = 2048

// derivedDevice returns the device of a derived stamp: a tilde and 8 hex digits of the hash of what appendSaid appended.
func derivedDevice(said []byte) string {
	sum := sha256.Sum256(said)
	return unknownDevice + hex.EncodeToString(sum[:4])
}

// appendText is appendSaid for a text.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// appendSaid appends a value with its length, so that no two sequences collide. It avoids JSON,
// which for texts costs more than the hash.
func appendSaid(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendText(b, v)
	case []string:
		b = binary.AppendUvarint(b, uint64(len(v)))
		for _, s := range v {
			b = appendText(b, s)
		}
		return b
	case time.Time:
		if v.IsZero() {
			return append(b, 0)
		}
		return appendText(b, v.UTC().Format(time.RFC3339Nano))
	case float64:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	case bool:
		if v {
			return append(b, 1)
		}
		return append(b, 0)
	case engram.Type:
		return appendText(b, string(v))
	case engram.Scope:
		return appendText(b, string(v))
	}
	return appendText(b, string(spelled(v)))
}

// RevisionStamp returns the write that made a revision; without a stored stamp, one derived from
// its text and time.
func RevisionStamp(r engram.Revision) engram.VersionStamp {
	if r.Stamp != (engram.VersionStamp{}) {
		return r.Stamp
	}
	said := appendText(appendText(make([]byte, 0, mostSaid), r.Title), r.Content)
	return engram.VersionStamp{At: ClockAt(r.WrittenAt), Device: derivedDevice(said)}
}

// Derived returns causal metadata for a state that has none: written at its own change time by a
// device derived from its content. So the same state gets the same metadata everywhere, and
// different values get different stamps. A state without a change time is older than all with one.
//
// Empty parts of a session or a project make no claim: they are older than all that do.
func Derived(r engram.Record) engram.CausalMetadata { return derivedOf(r, registersOf(r)) }

func derivedOf(r engram.Record, registers []register) engram.CausalMetadata {
	said := make([]byte, 0, mostSaid)
	for _, reg := range registers {
		said = appendSaid(appendText(said, string(reg.part)), reg.says(r))
	}
	said = appendSaid(said, members(fullSets(engram.CausalMetadata{}, membersOf(r))))
	base := engram.VersionStamp{At: ClockAt(changedAt(r)), Device: derivedDevice(said)}
	l := engram.CausalMetadata{Base: base}
	switch {
	case r.Memory != nil:
		l = derivedLife(l, r.Memory.Memory.DeletedAt)
		if m := r.Memory.Memory; m.AccessCount > 0 || m.DuplicateCount > 1 {
			l.Counts = map[string]engram.Count{unknownDevice: {Accesses: max(m.AccessCount, 0), Repeats: max(m.DuplicateCount-1, 0)}}
		}
	case r.Prompt != nil:
		l = derivedLife(l, r.Prompt.DeletedAt)
	case r.Relation != nil && r.Relation.Relation.Removed():
		l.Sets = map[string]engram.Dots{"": without(byBase(l))}
	case r.Session != nil, r.Project != nil:
		l.Base.At = 0
		l = Stamped(l, claims(r), base)
	}
	return l
}

// derivedLife marks l as deleted at a time later than everything else, if deletedAt is set.
func derivedLife(l engram.CausalMetadata, deletedAt time.Time) engram.CausalMetadata {
	if deletedAt.IsZero() {
		return l
	}
	return Stamped(l, []engram.Part{engram.PartDeleted}, engram.VersionStamp{At: max(ClockAt(deletedAt), l.Base.At+1), Device: l.Base.Device})
}

// changedAt returns the last change time that a state itself gives.
func changedAt(r engram.Record) time.Time {
	switch {
	case r.Memory != nil:
		return r.Memory.Memory.UpdatedAt
	case r.Relation != nil:
		return later(r.Relation.Relation.UpdatedAt, r.Relation.Relation.RemovedAt)
	case r.Session != nil:
		return later(r.Session.StartedAt, r.Session.EndedAt)
	case r.Prompt != nil:
		return r.Prompt.CreatedAt
	case r.Project != nil:
		return r.Project.CreatedAt
	}
	return time.Time{}
}

// claims returns the parts of a session or project that are not empty.
func claims(r engram.Record) []engram.Part {
	var all []engram.Part
	for _, reg := range registersOf(r) {
		if says := string(spelled(reg.says(r))); says != `""` && says != "null" && says != `"0001-01-01T00:00:00Z"` {
			all = append(all, reg.part)
		}
	}
	return all
}

// Adopted returns a state from a format without causal metadata, with metadata relative to the local state:
// equal parts keep their local stamp, different ones are one write at the state's own time. So a round trip
// through such a format changes nothing, and an edit there counts as one later edit.
//
// Unlike Derived it depends on the local state: it is for imports, not for exchange between replicas.
func Adopted(here, there engram.Record) engram.Record {
	here = Normal(here)
	own, l := Derived(there), here.Causal.Clone()
	there = Normal(there)
	said, sameWords := claims(there), saysSame(here, there)
	for _, r := range registersOf(there) {
		empty := (there.Session != nil || there.Project != nil) && !slices.Contains(said, r.part)
		if r.part == partProject || r.part == partSession {
			empty = empty || there.Memory != nil || there.Prompt != nil // such a format moves nothing
		}
		if there.Memory != nil && slices.Contains(withText(), r.part) {
			// A format may drop parts of the same text. For another text its empty parts are not claims.
			empty = sameWords && !slices.Contains(said, r.part) || l.Of(r.part).Compare(own.Base) > 0
		}
		switch {
		case empty || string(spelled(r.says(there))) == string(spelled(r.says(here))):
			r.take(there, here)
		default:
			l = Stamped(l, []engram.Part{r.part}, stampOf(own, r.part))
		}
	}
	newer := own.Base.Compare(here.Causal.Newest()) > 0
	if there.Relation != nil {
		newer = there.Relation.Relation.UpdatedAt.After(here.Relation.Relation.UpdatedAt)
	}
	was, now := members(fullSets(*here.Causal, membersOf(here))), members(fullSets(*there.Causal, membersOf(there)))
	if there.Project != nil {
		now, newer = slices.Concat(was, now), true // a name missing on one side was not removed there
	}
	if newer {
		l = Retagged(l, was, now, engram.VersionStamp{At: max(own.Base.At, 1), Device: own.Base.Device})
	}
	if there.Memory != nil {
		adoptMemory(here, there, &l)
	}
	if !Forgotten(own) && Forgotten(*here.Causal) && own.Base.Compare(deletedBy(*here.Causal)) > 0 {
		l = Stamped(l, []engram.Part{engram.PartRestored}, own.Base)
	}
	if there.Relation != nil && l.Digest() == here.Causal.Digest() {
		there.Relation.Relation.UpdatedAt = here.Relation.Relation.UpdatedAt
	}
	there.Causal = &l
	return Normal(there)
}

// saysSame reports whether two memory states have the same title and content.
func saysSame(a, b engram.Record) bool {
	return a.Memory != nil && b.Memory != nil && a.Memory.Memory.Title == b.Memory.Memory.Title && a.Memory.Memory.Content == b.Memory.Memory.Content
}

// Overridden returns here after s wrote all of there over it, except project and session: what an
// import that replaces does.
func Overridden(here, there engram.Record, s engram.VersionStamp) engram.Record {
	here, there = Normal(here), Normal(there)
	now, l := Normal(here), here.Causal.Clone()
	for _, r := range registersOf(here) {
		same := string(spelled(r.says(there))) == string(spelled(r.says(here)))
		switch {
		case same || r.part == partProject || r.part == partSession || r.part == engram.PartDeleted:
		default:
			r.take(now, there)
			l = Stamped(l, []engram.Part{r.part}, s)
		}
	}
	if now.Memory != nil {
		was := textOf(here.Memory.Memory, here.Causal.Of(engram.PartText))
		now.Memory.Revisions = append(now.Memory.Revisions, was)
		if at := there.Memory.Memory.UpdatedAt; !at.IsZero() {
			now.Memory.Memory.UpdatedAt = at
		}
	}
	was, tags := members(fullSets(*here.Causal, membersOf(here))), members(fullSets(*there.Causal, membersOf(there)))
	l = Retagged(l, was, tags, s)
	switch forgotten := Forgotten(*there.Causal); {
	case forgotten && !Forgotten(l):
		l = Stamped(l, []engram.Part{engram.PartDeleted}, s)
		setDeleted(now, there)
	case !forgotten && Forgotten(l):
		l = Stamped(l, []engram.Part{engram.PartRestored}, s)
	}
	now.Causal = &l
	return Normal(now)
}

func setDeleted(now, there engram.Record) {
	for _, r := range registersOf(now) {
		if r.part == engram.PartDeleted {
			r.take(now, there)
		}
	}
}

// adoptMemory is Adopted for texts and counters.
func adoptMemory(here, there engram.Record, l *engram.CausalMetadata) {
	x, y := here.Memory.Memory, &there.Memory.Memory
	stamps := map[words][]engram.VersionStamp{}
	for _, r := range append(slices.Clone(here.Memory.Revisions), textOf(x, here.Causal.Of(engram.PartText))) {
		w := words{r.Title, r.Content}
		stamps[w] = append(stamps[w], r.Stamp)
	}
	// A text already known here keeps its stamp even if another text has replaced it since.
	now := words{y.Title, y.Content}
	if text := l.Of(engram.PartText); text.Derived() && text.Compare(here.Causal.Of(engram.PartText)) < 0 && len(stamps[now]) > 0 {
		*l = Stamped(*l, []engram.Part{engram.PartText}, stamps[now][0])
	}
	for i, r := range there.Memory.Revisions {
		if known := stamps[words{r.Title, r.Content}]; len(known) > 0 && r.Stamp.Derived() {
			there.Memory.Revisions[i].Stamp = known[0]
			stamps[words{r.Title, r.Content}] = known[1:]
		}
	}
	sum := countedBy(*here.Causal)
	l.Counts = here.Causal.Clone().Counts
	y.AccessCount, y.DuplicateCount = max(y.AccessCount, sum.Accesses), max(y.DuplicateCount, sum.Repeats+1)
}

// DerivedID returns the ID of a memory that only has a sync id. It is the same everywhere, so
// relations that use it resolve on every replica. Its form is that of all IDs
// (https://github.com/ulid/spec): at in milliseconds, and a hash of the sync id in place of
// randomness. at is the creation time; zero or before 1970 counts as 1970.
func DerivedID(syncID string, at time.Time) engram.ID {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's base 32
	sum := sha256.Sum256([]byte("engram memory " + syncID))
	ms := uint64(0)
	if !at.IsZero() && at.UnixMilli() > 0 {
		ms = uint64(at.UnixMilli())
	}
	high, low := ms<<16|uint64(binary.BigEndian.Uint16(sum[:])), binary.BigEndian.Uint64(sum[2:])
	var name [26]byte
	for i := len(name) - 1; i >= 0; i-- {
		name[i] = digits[low&31]
		low, high = low>>5|high<<59, high>>5
	}
	return engram.ID(engram.IDPrefix + string(name[:]))
}

// Filled completes a state from a lossy format with local values: fields that the format lacks, and
// the part of times that it truncates. So a state that was exported and imported again is
// unchanged. Neither record is changed; both are of the same kind.
func Filled(here, there engram.Record, head engram.Snapshot) engram.Record {
	switch {
	case there.Memory != nil && here.Memory != nil:
		filled := *there.Memory
		there.Memory = &filled
		fillFields(there, here, head.Unlisted)
		uncut(&filled.Memory, &here.Memory.Memory, head.Grid)
	case there.Session != nil && here.Session != nil:
		s := *there.Session
		uncut(&s, here.Session, head.Grid)
		there.Session = &s
	case there.Prompt != nil && here.Prompt != nil:
		p := *there.Prompt
		uncut(&p, here.Prompt, head.Grid)
		there.Prompt = &p
	}
	return there
}

// uncut gives times that were cut to the grid of a format their full value.
func uncut[T any](cut, full *T, grid time.Duration) {
	for _, f := range engram.Fields[T]() {
		if at, is := f.Of(cut).(*time.Time); is && grid > time.Millisecond && f.Of(full).(*time.Time).Truncate(grid).Equal(*at) {
			f.Copy(cut, full)
		}
	}
}

// fillFields copies the named fields of a memory. A summary is copied only for the same text.
func fillFields(there, here engram.Record, names []string) {
	m, was := memoryOf(there), memoryOf(here)
	for _, r := range registersOf(there) {
		if slices.Contains(names, string(r.part)) && (r.part != engram.PartSummary || saysSame(there, here)) {
			r.take(there, here)
		}
	}
	if slices.Contains(names, "tags") {
		m.Tags = was.Tags
	}
	if slices.Contains(names, "strength") {
		m.Strength, m.TouchedAt = was.Strength, was.TouchedAt
	}
}
