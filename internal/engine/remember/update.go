package remember

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
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
func (w *Writer) Update(ctx context.Context, in UpdateInput) (Updated, error) {
	if in.empty() {
		return Updated{}, engram.Errorf(engram.CodeInvalid, "provide at least one field to update")
	}
	if err := in.Raw().Check(); err != nil {
		return Updated{}, err
	}
	redactor := w.screen.Redactor()
	redactor.Keep = in.AllowSecret
	ahead, err := w.anchorAhead(ctx, in)
	if err != nil {
		return Updated{}, err
	}
	out, err := ledger.Perform(ctx, w.ledger, "update", func(o *ledger.Tx) (out Updated, err error) {
		if out.Memory, out.Warnings, err = w.update(ctx, o, in, ahead, redactor); err != nil {
			return out, err
		}
		why, err := screen.Flagged(ctx, o.Store, []engram.Memory{out.Memory})
		out.Flagged = why[out.Num]
		return out, err
	})
	if err != nil {
		return out, err
	}
	out.Warnings = append(out.Warnings, redactor.Warning()...)
	return out, nil
}

func (w *Writer) update(ctx context.Context, o *ledger.Tx, in UpdateInput, ahead PrecomputedAnchors, redactor *screen.Redactor) (m engram.Memory, warnings []string, err error) {
	was, err := o.Live(ctx, in.Ref)
	if err != nil {
		return m, nil, err
	}
	if m, err = Changed(ctx, o, was, in, redactor); err != nil {
		return m, nil, err
	}
	if m.Anchors, err = w.anchorsFor(ctx, ahead, was, in); err != nil {
		return m, nil, err
	}
	if reflect.DeepEqual(m, was) {
		return m, nil, nil // nothing changes
	}
	m.UpdatedAt = o.At
	if err := o.ReplaceMemory(ctx, was, m, "update"); err != nil {
		return m, nil, err
	}
	if err := o.KeepSecrets(ctx, m.Num, redactor); err != nil {
		return m, nil, err
	}
	if warnings, err = warnShared(ctx, o, was, m); err != nil {
		return m, nil, err
	}
	if was.Permanent && !m.Permanent && in.Tags != nil && in.Permanent == nil {
		warnings = append(warnings, fmt.Sprintf("#%d may fade again: it lost its tag %s", m.Num, lifecycle.TagPermanent))
	}
	waits, err := o.WarnChanged(ctx, m)
	return m, append(warnings, waits...), err
}

// warnShared warns that a memory made personal was shared before: remotes keep what they have.
func warnShared(ctx context.Context, o *ledger.Tx, was, now engram.Memory) (warnings []string, err error) {
	if now.Scope != engram.ScopePersonal || was.Scope == engram.ScopePersonal {
		return nil, nil
	}
	shared, err := o.Store.Replica().Shared(ctx, engram.EntityMemory, ledger.Key(now.Num))
	if err != nil || !shared {
		return nil, err
	}
	return []string{fmt.Sprintf("#%[1]d was shared before it became personal: its earlier text (engram history %[1]d) stays with everyone who pulled it and in "+
		"the history of a repository. After engram sync, others forget it at their next import; engram delete %[1]d --hard and engram sync "+
		"keep old copies from bringing it back. Replace any secret in it", now.Num)}, nil
}

// Changed returns a memory with the changes that in asks for.
func Changed(ctx context.Context, o *ledger.Tx, was engram.Memory, in UpdateInput, w *screen.Redactor) (engram.Memory, error) {
	m := was
	if in.Title != nil {
		m.Title = w.Line(*in.Title)
	}
	if in.Content != nil {
		m.Content = w.Text(*in.Content)
		if title := screen.TitleOf(m.Content); in.Title == nil && title != "" && was.Title == screen.TitleOf(was.Content) {
			m.Title = title // a generated title follows the content
		}
		if m.NormalizedHash = screen.HashOf(m.Content); m.Content != was.Content {
			m.Summary = "" // of the old content
		}
	}
	if in.Type != nil {
		if m.Type = engram.Type(strings.ToLower(w.Line(string(*in.Type)))); m.Type == "" {
			m.Type = engram.TypeManual
		}
	}
	if in.Scope != nil {
		m.Scope = engram.ParseScope(string(*in.Scope))
	}
	if in.TopicKey != nil {
		m.TopicKey = topic.Normalize(w.Text(*in.TopicKey))
	}
	if in.Project != nil {
		name, _, err := projects.EnsureProject(ctx, o, screen.NormalProject(*in.Project))
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
		m.ReviewAfter = lifecycle.ReviewAfter(m, o.At, o.Ledger.Policy)
	}
	return m, m.Validate()
}

// Raw returns the texts of the input.
func (in UpdateInput) Raw() screen.Raw {
	text := func(name string, s *string) screen.Raw {
		if s == nil {
			return nil
		}
		return screen.Raw{name, *s}
	}
	fields := slices.Concat(text("title", in.Title), text("content", in.Content), text("type", (*string)(in.Type)),
		text("topic key", in.TopicKey), text("project", in.Project)).And("tag", in.AddTags...)
	if in.Tags != nil {
		fields = fields.And("tag", *in.Tags...)
	}
	return fields
}

func (in UpdateInput) tags(was []string, w *screen.Redactor) []string {
	now := was
	if in.Tags != nil {
		now = screen.Tags(w.Lines(*in.Tags))
	}
	now = screen.Tags(append(slices.Clone(now), w.Lines(in.AddTags)...))
	remove := screen.Tags(in.RemoveTags)
	now = slices.DeleteFunc(now, func(t string) bool { return slices.Contains(remove, t) })
	if len(now) == 0 {
		return nil
	}
	return now
}

func (in UpdateInput) metadata(was map[string]any, w *screen.Redactor) (map[string]any, error) {
	if len(in.Metadata) == 0 {
		return was, nil
	}
	now := map[string]any{}
	maps.Copy(now, was)
	for k, v := range w.Members(in.Metadata) {
		if v == nil {
			delete(now, k)
			continue
		}
		now[k] = v
	}
	return screen.CleanMetadata(now)
}
