package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// UpdateInput changes the fields that are not nil.
type UpdateInput struct {
	Ref        engram.Ref
	Title      *string
	Content    *string
	Type       *engram.Type
	Scope      *engram.Scope
	Project    *string
	TopicKey   *string
	Importance *float64
	Permanent  *bool
	Mark       bool // toggle Permanent, if that is nil
	Tags       *[]string
	AddTags    []string
	RemoveTags []string
	Metadata   map[string]any // keys to set; nil removes a key
	// Files replaces the requested files, as in SaveInput, relative to Options.Dir. Files named in the text are
	// found again if it changes.
	Files *[]string
	// InSession makes files relative to the folder of the memory's session, if it has one, for callers
	// elsewhere.
	InSession bool
	// Origin is the author of the new text; "" is agent. A person's memory rewritten by an agent is trusted
	// only as the agent's.
	Origin      engram.Origin
	AllowSecret bool // as in SaveInput
}

func (in UpdateInput) empty() bool {
	in.Ref, in.Origin, in.AllowSecret, in.InSession = engram.Ref{}, "", false, false
	return reflect.ValueOf(in).IsZero()
}

// Updated is the result of Update.
type Updated struct {
	engram.Memory
	Flagged  []string // why it is flagged, in words; nil: not flagged, or approved
	Warnings []string // what the change could not do
}

// Update changes a live memory; without changes it is invalid. A change of type, title, content, scope, project
// or topic counts as a revision.
func (e *Engine) Update(ctx context.Context, in UpdateInput) (Updated, error) {
	if in.empty() {
		return Updated{}, engram.Errorf(engram.CodeInvalid, "provide at least one field to update")
	}
	if err := in.raw().check(); err != nil {
		return Updated{}, err
	}
	redactor := e.redactor()
	redactor.keep = in.AllowSecret
	ahead, err := e.anchorAhead(ctx, in)
	if err != nil {
		return Updated{}, err
	}
	out, err := perform(ctx, e, "update", func(o *op) (out Updated, err error) {
		if out.Memory, out.Warnings, err = e.update(ctx, o, in, ahead, redactor); err != nil {
			return out, err
		}
		why, err := flagged(ctx, o.tx, []engram.Memory{out.Memory})
		out.Flagged = why[out.Num]
		return out, err
	})
	if err != nil {
		return out, err
	}
	out.Warnings = append(out.Warnings, redactor.warning()...)
	return out, nil
}

func (e *Engine) update(ctx context.Context, o *op, in UpdateInput, ahead precomputedAnchors, redactor *redactor) (m engram.Memory, warnings []string, err error) {
	was, err := o.live(ctx, in.Ref)
	if err != nil {
		return m, nil, err
	}
	if m, err = o.changed(ctx, was, in, redactor); err != nil {
		return m, nil, err
	}
	if m.Anchors, err = e.anchorsFor(ctx, ahead, was, in); err != nil {
		return m, nil, err
	}
	if reflect.DeepEqual(m, was) {
		return m, nil, nil // nothing changes
	}
	m.UpdatedAt = o.at
	if err := o.replaceMemory(ctx, was, m, "update"); err != nil {
		return m, nil, err
	}
	if err := o.keepSecrets(ctx, m.Num, redactor); err != nil {
		return m, nil, err
	}
	if warnings, err = o.warnShared(ctx, was, m); err != nil {
		return m, nil, err
	}
	if was.Permanent && !m.Permanent && in.Tags != nil && in.Permanent == nil {
		warnings = append(warnings, fmt.Sprintf("#%d may fade again: it lost its tag %s", m.Num, lifecycle.TagPermanent))
	}
	waits, err := o.warnChanged(ctx, m)
	return m, append(warnings, waits...), err
}

// warnShared warns that a memory made personal was shared before: remotes keep what they have.
func (o *op) warnShared(ctx context.Context, was, now engram.Memory) (warnings []string, err error) {
	if now.Scope != engram.ScopePersonal || was.Scope == engram.ScopePersonal {
		return nil, nil
	}
	shared, err := o.tx.Shared(ctx, engram.EntityMemory, key(now.Num))
	if err != nil || !shared {
		return nil, err
	}
	return []string{fmt.Sprintf("#%[1]d was shared before it became personal: its earlier text (engram history %[1]d) stays with everyone who pulled it and in "+
		"the history of a repository. After engram sync, others forget it at their next import; engram delete %[1]d --hard and engram sync "+
		"keep old copies from bringing it back. Replace any secret in it", now.Num)}, nil
}

func (o *op) changed(ctx context.Context, was engram.Memory, in UpdateInput, w *redactor) (engram.Memory, error) {
	m := was
	if in.Title != nil {
		m.Title = w.line(*in.Title)
	}
	if in.Content != nil {
		m.Content = w.text(*in.Content)
		if title := titleOf(m.Content); in.Title == nil && title != "" && was.Title == titleOf(was.Content) {
			m.Title = title // a generated title follows the content
		}
		if m.NormalizedHash = hashOf(m.Content); m.Content != was.Content {
			m.Summary = "" // of the old content
		}
	}
	if in.Type != nil {
		if m.Type = engram.Type(strings.ToLower(w.line(string(*in.Type)))); m.Type == "" {
			m.Type = engram.TypeManual
		}
	}
	if in.Scope != nil {
		m.Scope = engram.ParseScope(string(*in.Scope))
	}
	if in.TopicKey != nil {
		m.TopicKey = topic.Normalize(w.text(*in.TopicKey))
	}
	if in.Project != nil {
		name, _, err := o.ensureProject(ctx, normalProject(*in.Project))
		if err != nil {
			return m, err
		}
		m.Project = name
	}
	if in.Importance != nil {
		m.Importance = *in.Importance
	}
	if turned := !was.Permanent; in.Mark && in.Permanent == nil {
		in.Permanent = &turned
	}
	m.Tags = in.tags(was.Tags, w)
	m = lifecycle.Pinned(was, m, in.Permanent)
	var err error
	if m.Metadata, err = in.metadata(was.Metadata, w); err != nil {
		return m, err
	}
	if m.Title != was.Title || m.Content != was.Content {
		m.Origin = lifecycle.LessTrusted(was.Origin, cmp.Or(in.Origin, engram.OriginAgent))
	}
	if m.Title != was.Title || m.Content != was.Content || m.Type != was.Type || m.Scope != was.Scope ||
		m.Project != was.Project || m.TopicKey != was.TopicKey {
		m.RevisionCount++
	}
	if m.Type != was.Type {
		m.ReviewAfter = lifecycle.ReviewAfter(m, o.at, o.policy)
	}
	return m, m.Validate()
}

func (in UpdateInput) raw() raw {
	text := func(name string, s *string) raw {
		if s == nil {
			return nil
		}
		return raw{name, *s}
	}
	fields := slices.Concat(text("title", in.Title), text("content", in.Content), text("type", (*string)(in.Type)),
		text("topic key", in.TopicKey), text("project", in.Project)).and("tag", in.AddTags...)
	if in.Tags != nil {
		fields = fields.and("tag", *in.Tags...)
	}
	return fields
}

func (in UpdateInput) tags(was []string, w *redactor) []string {
	now := was
	if in.Tags != nil {
		now = tags(w.lines(*in.Tags))
	}
	now = tags(append(slices.Clone(now), w.lines(in.AddTags)...))
	remove := tags(in.RemoveTags)
	now = slices.DeleteFunc(now, func(t string) bool { return slices.Contains(remove, t) })
	if len(now) == 0 {
		return nil
	}
	return now
}

func (in UpdateInput) metadata(was map[string]any, w *redactor) (map[string]any, error) {
	if len(in.Metadata) == 0 {
		return was, nil
	}
	now := map[string]any{}
	maps.Copy(now, was)
	for k, v := range w.members(in.Metadata) {
		if v == nil {
			delete(now, k)
			continue
		}
		now[k] = v
	}
	return cleanMetadata(now)
}
