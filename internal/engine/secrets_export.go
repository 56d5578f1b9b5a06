package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// secretRules is the fact that records the rules (secret.Version) under which everything stored was checked.
// Under other rules, exportRedactor texts are checked again.
const secretRules = "secret_rules"

// exportRedactor redacts what leaves the store, where secrets are possible: texts kept under older rules, and
// memories with kept secrets.
type exportRedactor struct {
	redactor *redactor
	all      bool           // stored texts were not checked under the current rules
	kept     map[int64]bool // memories with kept secrets
	open     bool           // a person allows secrets to leave
}

// exportRedactor returns the redaction for one export or push; open disables it.
func (e *Engine) exportRedactor(ctx context.Context, r engram.Reader, open bool) (*exportRedactor, error) {
	o := &exportRedactor{redactor: e.redactor(), open: open}
	var err error
	if o.all, err = underOlderRules(ctx, r); err != nil {
		return nil, err
	}
	o.kept, err = engram.SecretKept(ctx, r)
	return o, err
}

// cuts reports whether a memory needs redaction; 0 is another record.
func (o *exportRedactor) cuts(num int64) bool { return !o.open && (o.all || o.kept[num]) }

func (o *exportRedactor) record(r engram.Record) engram.Record {
	num := int64(0)
	if r.Memory != nil {
		num = r.Memory.Memory.Num
	}
	if !o.cuts(num) {
		return r
	}
	return recordBy(r, o.redactor.named)
}

func (o *exportRedactor) memory(m engram.Memory) engram.Memory {
	if !o.cuts(m.Num) {
		return m
	}
	return memoryBy(m, o.redactor.named)
}

// cleaner redacts a text. name is that of a metadata field, or "".
type cleaner func(name, s string) string

func (c cleaner) text(s string) string { return c("", s) }

// recordBy cleans every text of a record.
func recordBy(r engram.Record, clean cleaner) engram.Record {
	switch {
	case r.Memory != nil:
		m := *r.Memory
		m.Memory = memoryBy(m.Memory, clean)
		r.Causal = lineageBy(r.Causal, clean.text)
		m.Revisions = slices.Clone(m.Revisions)
		shownRevisions(m.Revisions, clean.text)
		r.Memory = &m
	case r.Session != nil:
		s := *r.Session
		s.Summary = clean.text(s.Summary)
		r.Session = &s
	case r.Prompt != nil:
		p := *r.Prompt
		p.Content = clean.text(p.Content)
		r.Prompt = &p
	case r.Relation != nil:
		rel := *r.Relation
		rel.Relation.Reason, rel.Relation.Evidence = clean.text(rel.Relation.Reason), clean.text(rel.Relation.Evidence)
		r.Relation = &rel
	}
	return r
}

// lineageBy removes tags that clean changes from causal metadata.
func lineageBy(l *engram.CausalMetadata, clean func(string) string) *engram.CausalMetadata {
	if l == nil || len(l.Sets) == 0 {
		return l
	}
	open := l.Clone()
	maps.DeleteFunc(open.Sets, func(tag string, _ engram.Dots) bool { return clean(tag) != tag })
	return &open
}

func memoryBy(m engram.Memory, clean cleaner) engram.Memory {
	content := m.Content
	m.Title, m.Content, m.Summary = clean.text(m.Title), clean.text(m.Content), clean.text(m.Summary)
	m.TopicKey = clean.text(m.TopicKey)
	m.Metadata = redact.Members(m.Metadata, clean)
	if m.Content != content {
		m.NormalizedHash = hashOf(m.Content)
	}
	m.Tags = slices.Clone(m.Tags)
	for i, t := range m.Tags {
		m.Tags[i] = clean.text(t)
	}
	return m
}

// redactForDisplay redacts secrets kept under older rules from memories about to be shown on request, except those a
// person keeps. It changes ms.
func (e *Engine) redactForDisplay(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	older, err := underOlderRules(ctx, r)
	if err != nil || !older || len(ms) == 0 {
		return err
	}
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	for i, m := range ms {
		ms[i] = memoryBy(m, e.unlessKept(marks[m.Num]))
	}
	return nil
}

// redactForInjection redacts all secrets from memories about to be injected: secrets that a person keeps are shown on
// request only. It changes ms.
func (e *Engine) redactForInjection(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	if len(ms) == 0 {
		return nil
	}
	o, err := e.exportRedactor(ctx, r, false)
	for i, m := range ms {
		ms[i] = o.memory(m)
	}
	return err
}

// redactHits is redactForDisplay for the memories of hits.
func (e *Engine) redactHits(ctx context.Context, r engram.Reader, hits []engram.Hit) error {
	ms := memoriesOf(hits)
	if err := e.redactForDisplay(ctx, r, ms); err != nil {
		return err
	}
	for i := range hits {
		hits[i].Memory = ms[i]
	}
	return nil
}

// unlessKept returns a cleaner that spares secrets with a mark.
func (e *Engine) unlessKept(marks []engram.Trust) cleaner {
	v := &secretFilter{scanner: e.secrets, kept: textsMarked(marks, engram.TrustSecret), kinds: map[string]int{}}
	return v.named
}

// inheritSecrets copies the marks of kept secrets to the memory into which another was merged.
func (o *op) inheritSecrets(ctx context.Context, kept, gone engram.Memory) error {
	marks, err := o.tx.Trust(ctx, []int64{gone.Num})
	if err != nil {
		return err
	}
	for _, m := range marks[gone.Num] {
		if m.Mark == engram.TrustSecret {
			m.Memory = kept.Num
			if err := o.tx.PutTrust(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}
