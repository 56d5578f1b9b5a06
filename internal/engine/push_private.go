package engine

import (
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// withoutPrivate is a record whose texts have no private spans. What is saved has none
// already; what came into the store by other ways is looked at before it leaves. The folder of a
// session names a person and a machine, and stays here.
func withoutPrivate(r engram.Record) engram.Record {
	switch {
	case r.Memory != nil:
		m := *r.Memory
		m.Memory = openMemory(m.Memory)
		r.Lineage = openLineage(r.Lineage)
		m.Revisions = slices.Clone(m.Revisions)
		for i := range m.Revisions {
			v := &m.Revisions[i]
			v.Title, v.Content, v.Reason = redact.Private(v.Title), redact.Private(v.Content), redact.Private(v.Reason)
		}
		r.Memory = &m
	case r.Session != nil:
		s := *r.Session
		s.Directory, s.Summary = "", redact.Private(s.Summary)
		r.Session, r.Lineage = &s, unclaimed(r.Lineage, engram.PartDirectory)
	case r.Prompt != nil:
		p := *r.Prompt
		p.Content = redact.Private(p.Content)
		r.Prompt = &p
	case r.Relation != nil:
		rel := *r.Relation
		rel.Relation.Reason, rel.Relation.Evidence = redact.Private(rel.Relation.Reason), redact.Private(rel.Relation.Evidence)
		r.Relation = &rel
	}
	return r
}

// unclaimed is a lineage that says nothing of a part: wherever something is known of that, it
// stays as it is.
func unclaimed(l *engram.Lineage, p engram.Part) *engram.Lineage {
	if l == nil || l.Of(p) == (engram.Stamp{}) {
		return l
	}
	less := lifecycle.Stamped(*l, []engram.Part{p}, engram.Stamp{})
	return &less
}

// openLineage is a lineage without tags that have private spans.
func openLineage(l *engram.Lineage) *engram.Lineage {
	if l == nil || len(l.Sets) == 0 {
		return l
	}
	open := l.Clone()
	maps.DeleteFunc(open.Sets, func(tag string, _ engram.Dots) bool { return redact.Private(tag) != tag })
	return &open
}

func openMemory(m engram.Memory) engram.Memory {
	content := m.Content
	m.Title, m.Content, m.Summary = redact.Private(m.Title), redact.Private(m.Content), redact.Private(m.Summary)
	m.TopicKey, m.Metadata = redact.Private(m.TopicKey), redact.Metadata(m.Metadata)
	if m.Content != content {
		m.NormalizedHash = hashOf(m.Content)
	}
	m.Tags = slices.Clone(m.Tags)
	for i, t := range m.Tags {
		m.Tags[i] = redact.Private(t)
	}
	return m
}
