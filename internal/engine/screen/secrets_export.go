package screen

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// SecretRules is the fact that records the rules (secret.Version) under which everything stored was checked.
// Under other rules, exportRedactor texts are checked again.
const SecretRules = "secret_rules"

// ExportRedactor redacts what leaves the store, where secrets are possible: texts kept under older rules, and
// memories with kept secrets.
type ExportRedactor struct {
	redactor *Redactor
	all      bool           // stored texts were not checked under the current rules
	kept     map[int64]bool // memories with kept secrets
	open     bool           // a person allows secrets to leave
}

// ExportRedactor returns the redaction for one export or push; open disables it.
func (s *Screen) ExportRedactor(ctx context.Context, r engram.Reader, open bool) (*ExportRedactor, error) {
	o := &ExportRedactor{redactor: s.Redactor(), open: open}
	var err error
	if o.all, err = UnderOlderRules(ctx, r); err != nil {
		return nil, err
	}
	o.kept, err = engram.SecretKept(ctx, r)
	return o, err
}

// cuts reports whether a memory needs redaction; 0 is another record.
func (o *ExportRedactor) cuts(num int64) bool { return !o.open && (o.all || o.kept[num]) }

// Record returns a record without secrets.
func (o *ExportRedactor) Record(r engram.Record) engram.Record {
	num := int64(0)
	if r.Memory != nil {
		num = r.Memory.Memory.Num
	}
	if !o.cuts(num) {
		return r
	}
	return RecordBy(r, o.redactor.Named)
}

// Memory returns a memory without secrets.
func (o *ExportRedactor) Memory(m engram.Memory) engram.Memory {
	if !o.cuts(m.Num) {
		return m
	}
	return MemoryBy(m, o.redactor.Named)
}

// Cleaner redacts a text. name is that of a metadata field, or "".
type Cleaner func(name, s string) string

// Text cleans a text without a name.
func (c Cleaner) Text(s string) string { return c("", s) }

// RecordBy cleans every text of a record.
func RecordBy(r engram.Record, clean Cleaner) engram.Record {
	switch {
	case r.Memory != nil:
		m := *r.Memory
		m.Memory = MemoryBy(m.Memory, clean)
		r.Causal = LineageBy(r.Causal, clean.Text)
		m.Revisions = slices.Clone(m.Revisions)
		ShownRevisions(m.Revisions, clean.Text)
		r.Memory = &m
	case r.Session != nil:
		s := *r.Session
		s.Summary = clean.Text(s.Summary)
		r.Session = &s
	case r.Prompt != nil:
		p := *r.Prompt
		p.Content = clean.Text(p.Content)
		r.Prompt = &p
	case r.Relation != nil:
		rel := *r.Relation
		rel.Relation.Reason, rel.Relation.Evidence = clean.Text(rel.Relation.Reason), clean.Text(rel.Relation.Evidence)
		r.Relation = &rel
	}
	return r
}

// LineageBy removes tags that clean changes from causal metadata.
func LineageBy(l *engram.CausalMetadata, clean func(string) string) *engram.CausalMetadata {
	if l == nil || len(l.Sets) == 0 {
		return l
	}
	open := l.Clone()
	maps.DeleteFunc(open.Sets, func(tag string, _ engram.Dots) bool { return clean(tag) != tag })
	return &open
}

// MemoryBy cleans every text of a memory.
func MemoryBy(m engram.Memory, clean Cleaner) engram.Memory {
	content := m.Content
	m.Title, m.Content, m.Summary = clean.Text(m.Title), clean.Text(m.Content), clean.Text(m.Summary)
	m.TopicKey = clean.Text(m.TopicKey)
	m.Metadata = redact.Members(m.Metadata, clean)
	if m.Content != content {
		m.NormalizedHash = HashOf(m.Content)
	}
	m.Tags = slices.Clone(m.Tags)
	for i, t := range m.Tags {
		m.Tags[i] = clean.Text(t)
	}
	return m
}

// RedactForDisplay redacts secrets kept under older rules from memories about to be shown on request, except those a
// person keeps. It changes ms.
func (s *Screen) RedactForDisplay(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	older, err := UnderOlderRules(ctx, r)
	if err != nil || !older || len(ms) == 0 {
		return err
	}
	marks, err := r.Trust(ctx, MemoryNums(ms))
	if err != nil {
		return err
	}
	for i, m := range ms {
		ms[i] = MemoryBy(m, s.unlessKept(marks[m.Num]))
	}
	return nil
}

// RedactHits is redactForDisplay for the memories of hits.
func (s *Screen) RedactHits(ctx context.Context, r engram.Reader, lists ...[]engram.Hit) error {
	ms := walk.MemoriesOf(slices.Concat(lists...))
	if err := s.RedactForDisplay(ctx, r, ms); err != nil {
		return err
	}
	for _, hits := range lists {
		for i := range hits {
			hits[i].Memory = ms[i]
		}
		ms = ms[len(hits):]
	}
	return nil
}

// unlessKept returns a cleaner that spares secrets with a mark.
func (s *Screen) unlessKept(marks []engram.Trust) Cleaner {
	v := &SecretFilter{Scanner: s.Scanner, Kept: TextsMarked(marks, engram.TrustSecret), Kinds: map[string]int{}}
	return v.Named
}

// HasCuts reports whether a text of a memory has the mark of a redacted secret.
func HasCuts(r engram.MemoryRecord) bool {
	m := r.Memory
	texts := textsIn([]string{m.Title, m.Content, m.Summary, m.TopicKey}, m.Metadata)
	for _, rev := range r.Revisions {
		texts = append(texts, rev.Title, rev.Content)
	}
	return slices.ContainsFunc(texts, secret.Marked)
}
