package engine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/alanbuscaglia/engram"
)

// pack writes records to a Spool and reads them back, in a form that only the process knows
// which wrote it: of what an import costs, JSON would be a sixth. Each function below goes both
// ways, so that what is written and what is read cannot come apart.
type pack struct {
	reads bool
	out   []byte // what was written
	in    string // what is left to read; texts are pieces of it
	err   error
}

// errUnpacked is the error of what this process did not pack.
var errUnpacked = errors.New("what was kept is damaged")

// packed is a record as bytes, behind those of out.
func packed(out []byte, r incoming) ([]byte, error) {
	p := pack{out: out}
	p.incoming(&r)
	return p.out, p.err
}

// unpacked is the record that packed was given.
func unpacked(in string) (r incoming, err error) {
	p := pack{reads: true, in: in}
	p.incoming(&r)
	if p.err == nil && p.in != "" {
		p.err = errUnpacked
	}
	return r, p.err
}

func (p *pack) number(n *int64) {
	if !p.reads {
		p.out = binary.AppendVarint(p.out, *n)
		return
	}
	var shift uint
	var u uint64
	for i := 0; i < len(p.in) && i < binary.MaxVarintLen64; i++ {
		b := p.in[i]
		u |= uint64(b&0x7f) << shift
		if shift += 7; b < 0x80 {
			p.in = p.in[i+1:]
			*n = int64(u>>1) ^ -int64(u&1)
			return
		}
	}
	p.fail()
}

// fail ends the reading.
func (p *pack) fail() { p.err, p.in = errUnpacked, "" }

// length is how many there are of something, at most as many as there are bytes left.
func (p *pack) length(n int) int {
	m := int64(n)
	if p.number(&m); p.reads && (m < 0 || m > int64(len(p.in))) {
		p.fail()
		return 0
	}
	return int(m)
}

func packInt[N ~int | ~int64](p *pack, n *N) {
	m := int64(*n)
	p.number(&m)
	*n = N(m)
}

func packText[S ~string](p *pack, s *S) {
	n := p.length(len(*s))
	if !p.reads {
		p.out = append(p.out, *s...)
		return
	}
	*s, p.in = S(p.in[:n]), p.in[n:]
}

func (p *pack) real(f *float64) {
	bits := int64(math.Float64bits(*f))
	p.number(&bits)
	*f = math.Float64frombits(uint64(bits))
}

func (p *pack) flag(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	packInt(p, &n)
	*b = n != 0
}

// time packs a time of UTC: that is the grid of cleaned records.
func (p *pack) time(t *time.Time) {
	known := !t.IsZero()
	if p.flag(&known); !known {
		*t = time.Time{}
		return
	}
	seconds, nanos := t.Unix(), int64(t.Nanosecond())
	p.number(&seconds)
	p.number(&nanos)
	if p.reads {
		*t = time.Unix(seconds, nanos).UTC()
	}
}

// json packs what is rare, or of any shape.
func (p *pack) json(v any) {
	var text string
	if !p.reads {
		b, err := json.Marshal(v)
		if err != nil {
			p.err = err
		}
		text = string(b)
	}
	if packText(p, &text); p.reads && p.err == nil {
		p.err = json.Unmarshal([]byte(text), v)
	}
}

// packPointer packs what may be nil.
func packPointer[T any](p *pack, x **T, each func(*T)) {
	there := *x != nil
	if p.flag(&there); !there {
		return
	}
	if p.reads {
		*x = new(T)
	}
	each(*x)
}

// packList packs a list; one that is nil comes back as that.
func packList[T any](p *pack, list *[]T, each func(*T)) {
	there := *list != nil
	if p.flag(&there); !there {
		return
	}
	if n := p.length(len(*list)); p.reads {
		*list = make([]T, n)
	}
	for i := range *list {
		each(&(*list)[i])
	}
}

// packMap packs a map; one that is nil comes back as that.
func packMap[K ~string, V any](p *pack, m *map[K]V, each func(*V)) {
	there := *m != nil
	if p.flag(&there); !there {
		return
	}
	n := p.length(len(*m))
	pair := func(k K, v V) {
		packText(p, &k)
		if each(&v); p.reads {
			(*m)[k] = v
		}
	}
	if p.reads {
		*m = make(map[K]V, n)
		for range n {
			var v V
			pair("", v)
		}
		return
	}
	for k := range *m {
		pair(k, (*m)[k])
	}
}

func (p *pack) incoming(r *incoming) {
	packText(p, &r.Item)
	p.flag(&r.Gone)
	p.flag(&r.Undated)
	packList(p, &r.Cut, func(kind *string) { packText(p, kind) })
	packPointer(p, &r.Lineage, p.lineage)
	packPointer(p, &r.Memory, p.memory)
	packPointer(p, &r.Relation, p.relation)
	packPointer(p, &r.Prompt, p.prompt)
	packPointer(p, &r.Project, func(x *engram.Project) { p.json(x) })
	packPointer(p, &r.Session, func(x *engram.Session) { p.json(x) })
	packPointer(p, &r.Erased, func(x *engram.Erased) { p.json(x) })
}

func (p *pack) stamp(s *engram.Stamp) {
	packInt(p, &s.At)
	packText(p, &s.Device)
}

// lineage packs what travels of one.
func (p *pack) lineage(l *engram.Lineage) {
	p.stamp(&l.Base)
	packMap(p, &l.Parts, p.stamp)
	packMap(p, &l.Sets, func(dots *engram.Dots) {
		m := map[string]engram.Dot(*dots)
		packMap(p, &m, func(d *engram.Dot) {
			packInt(p, &d.Added)
			packInt(p, &d.Removed)
		})
		*dots = m
	})
	packMap(p, &l.Counts, func(c *engram.Count) {
		packInt(p, &c.Accesses)
		packInt(p, &c.Repeats)
	})
}

func (p *pack) memory(r *engram.MemoryRecord) {
	m := &r.Memory
	packText(p, &m.ID)
	packInt(p, &m.Num)
	for _, s := range []*string{&m.SyncID, &m.Project, &m.Title, &m.Content, &m.Summary, &m.TopicKey, &m.SessionID, &m.ToolName, &m.NormalizedHash} {
		packText(p, s)
	}
	packText(p, &m.Scope)
	packText(p, &m.Type)
	packText(p, &m.Origin)
	packList(p, &m.Tags, func(s *string) { packText(p, s) })
	described := m.Metadata != nil
	if p.flag(&described); described {
		p.json(&m.Metadata)
	}
	packList(p, &m.Anchors, func(a *engram.Anchor) {
		for _, s := range []*string{&a.Repository, &a.Commit, &a.Path, &a.Blob, &a.Lines} {
			packText(p, s)
		}
		packInt(p, &a.First)
		packInt(p, &a.Last)
		p.flag(&a.Named)
	})
	p.real(&m.Importance)
	p.real(&m.Strength)
	p.flag(&m.Permanent)
	for _, n := range []*int{&m.AccessCount, &m.RevisionCount, &m.DuplicateCount} {
		packInt(p, n)
	}
	for _, t := range []*time.Time{&m.TouchedAt, &m.LastAccessedAt, &m.CreatedAt, &m.UpdatedAt, &m.ReviewAfter, &m.ValidFrom, &m.ValidTo, &m.LastSeenAt, &m.DeletedAt} {
		p.time(t)
	}
	packList(p, &r.Revisions, p.revision)
	packList(p, &r.Vectors, func(v *engram.FingerprintedRow) {
		packText(p, &v.Model)
		packList(p, &v.Values, func(x *float32) {
			wide := float64(*x)
			p.real(&wide)
			*x = float32(wide)
		})
	})
}

func (p *pack) revision(r *engram.Revision) {
	packInt(p, &r.Memory)
	packInt(p, &r.Number)
	packText(p, &r.Type)
	for _, s := range []*string{&r.Title, &r.Content, &r.Reason} {
		packText(p, s)
	}
	p.time(&r.WrittenAt)
	p.time(&r.ReplacedAt)
	p.stamp(&r.Stamp)
}

func (p *pack) relation(r *engram.RelationRecord) {
	x := &r.Relation
	for _, n := range []*int64{&x.Num, &x.Source, &x.Target} {
		packInt(p, n)
	}
	packText(p, &x.Verb)
	packText(p, &x.Status)
	for _, s := range []*string{&x.ID, &x.Reason, &x.Evidence, &x.Actor, &x.ActorKind, &x.Model, &x.SessionID} {
		packText(p, s)
	}
	p.real(&x.Strength)
	p.real(&x.Confidence)
	for _, t := range []*time.Time{&x.CreatedAt, &x.UpdatedAt, &x.RemovedAt} {
		p.time(t)
	}
	for _, end := range []*engram.Ref{&r.Source, &r.Target} {
		packInt(p, &end.Num)
		for _, s := range []*string{&end.ID, &end.SyncID, &end.Topic, &end.Project} {
			packText(p, s)
		}
	}
}

func (p *pack) prompt(x *engram.Prompt) {
	packInt(p, &x.Num)
	for _, s := range []*string{&x.SyncID, &x.SessionID, &x.Project, &x.Content} {
		packText(p, s)
	}
	p.time(&x.CreatedAt)
	p.time(&x.DeletedAt)
}
