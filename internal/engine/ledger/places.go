package ledger

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// FoundBy reads things by their keys, and leaves out those that do not exist.
func FoundBy[T any](keys []string, read func(key string) (T, error)) (all []T, err error) {
	for _, k := range keys {
		one, found, err := walk.IfThere(read(k))
		if err != nil {
			return nil, err
		}
		if found {
			all = append(all, one)
		}
	}
	return all, nil
}

// A place is written with its thing and shown by two rules of this store: a project that was merged into another has
// that name, and nothing is shown in a session of another project unless it was moved later, so that an import into
// one project touches no other. The written place is shadowed then, and shown as soon as the rules allow it.

// The parts that say where something belongs.
const (
	ProjectPart engram.Part = "project"
	SessionPart engram.Part = "session_id"
)

// PlaceResolved is the reason of entries that show something in another place because its project or session changed.
const PlaceResolved = "its project or session changed"

// Location is where a memory, prompt or session belongs.
type Location struct{ Project, Session string }

// writtenLocation returns the written location of something shown at s.
func writtenLocation(s Location, l engram.CausalMetadata) Location {
	ShadowedValue(l, ProjectPart, &s.Project)
	ShadowedValue(l, SessionPart, &s.Session)
	return s
}

// ShadowedLocation returns l with the parts of w shadowed that differ from the visible s.
func ShadowedLocation(l engram.CausalMetadata, w, s Location) engram.CausalMetadata {
	l = WithoutShadowed(WithoutShadowed(l, ProjectPart), SessionPart)
	if w.Project != s.Project {
		l = WithShadowed(l, ProjectPart, w.Project)
	}
	if w.Session != s.Session {
		l = WithShadowed(l, SessionPart, w.Session)
	}
	return l
}

// SharesHome reports whether something in a project may be shown in a session of project sessionHome.
func SharesHome(project, sessionHome string, l engram.CausalMetadata) bool {
	return project == sessionHome || project == "" || sessionHome == "" || l.Of(ProjectPart).Compare(l.Of(SessionPart)) > 0
}

// SessionHome returns the project of a session. It makes a missing one without fields, which claims nothing: whatever
// other replicas know of it holds. A session that an undo hid comes back as it was, but only for its own project.
func (o *Tx) SessionHome(ctx context.Context, id, project string, at time.Time, reason string) (string, error) {
	s, found, err := walk.IfThere(o.Store.Session(ctx, id))
	if err != nil || found {
		return s.Project, err
	}
	s = engram.Session{ID: id, Project: project, StartedAt: at, ActiveAt: at}
	l, known, err := KnownMetadata(ctx, o.Store, engram.EntitySession, id)
	if err != nil {
		return "", err
	}
	switch hidden := DeletedSession(s, l); {
	case !known:
		l = unwritten(id)
	case IsShadowed(l, engram.PartDeleted) && !hidden.Tombstone:
		if project != hidden.Session.Project {
			return hidden.Session.Project, nil
		}
		s, l = *hidden.Session, WithoutShadowed(l, engram.PartDeleted)
	}
	if err := o.PutMetadata(ctx, engram.EntitySession, id, l); err != nil {
		return "", err
	}
	return s.Project, o.RewriteSession(ctx, nil, s, reason)
}

// unwritten returns the metadata of a session that no write described.
func unwritten(id string) engram.CausalMetadata {
	return lifecycle.Derived(engram.Record{Session: &engram.Session{ID: id}})
}

// ClaimsNothing reports whether a session exists only for its content.
func ClaimsNothing(id string, l engram.CausalMetadata) bool {
	return l.Base == unwritten(id).Base && len(l.Parts) == 0
}

// ResolvePlaces shows things where they were written if that is allowed by now, and hides the content of other
// projects in the regrouped sessions, whose project changed. It is called after changes to many things, and costs a
// look-up or two where nothing is shadowed.
func (o *Tx) ResolvePlaces(ctx context.Context, regrouped []string) error {
	held, err := o.Store.Replica().Shadowed(ctx, engram.EntitySession, ProjectPart)
	if err != nil {
		return err
	}
	for _, id := range held {
		moved, err := o.resolveAgain(ctx, id)
		if err != nil {
			return err
		}
		if moved {
			regrouped = append(regrouped, id)
		}
	}
	all, err := o.misplaced(ctx, regrouped)
	for _, one := range all {
		if err == nil {
			err = o.reseat(ctx, one)
		}
	}
	return err
}

// misplaced returns the memories and then the prompts that have a shadowed place or are in one of the sessions, each
// in the order of numbers.
func (o *Tx) misplaced(ctx context.Context, sessions []string) (all []engram.Record, err error) {
	memories, prompts := map[int64]engram.Memory{}, map[int64]engram.Prompt{}
	add := func(ms []engram.Memory, ps []engram.Prompt) {
		for _, m := range ms {
			memories[m.Num] = m
		}
		for _, p := range ps {
			prompts[p.Num] = p
		}
	}
	for _, part := range []engram.Part{ProjectPart, SessionPart} {
		keys, err := o.Store.Replica().Shadowed(ctx, engram.EntityMemory, part)
		if err != nil {
			return nil, err
		}
		ms, err := o.Store.Memories(ctx, walk.Mapped(keys, NumOf))
		if err != nil {
			return nil, err
		}
		if keys, err = o.Store.Replica().Shadowed(ctx, engram.EntityPrompt, part); err != nil {
			return nil, err
		}
		ps, err := FoundBy(keys, func(k string) (engram.Prompt, error) { return engram.PromptAt(ctx, o.Store, NumOf(k)) })
		if err != nil {
			return nil, err
		}
		add(ms, ps)
	}
	for _, id := range sessions {
		ms, ps, err := o.inSession(ctx, id)
		if err != nil {
			return nil, err
		}
		add(ms, ps)
	}
	for _, num := range slices.Sorted(maps.Keys(memories)) {
		all = append(all, MemoryRecord(memories[num]))
	}
	for _, num := range slices.Sorted(maps.Keys(prompts)) {
		all = append(all, PromptRecord(prompts[num]))
	}
	return all, nil
}

// inSession returns everything that is shown in a session, forgotten and deleted things included.
func (o *Tx) inSession(ctx context.Context, id string) (memories []engram.Memory, prompts []engram.Prompt, err error) {
	for _, forgotten := range []bool{false, true} {
		more, err := walk.EveryPage(walk.ExportPage, func(page engram.Page) ([]engram.Memory, error) {
			return o.Store.List(ctx, engram.Filter{SessionID: id, Forgotten: forgotten}, page)
		})
		if err != nil {
			return nil, nil, err
		}
		memories = append(memories, more...)
	}
	prompts, err = walk.EveryPage(walk.ExportPage, func(page engram.Page) ([]engram.Prompt, error) {
		return o.Store.Prompts(ctx, engram.PromptFilter{SessionID: id}, page)
	})
	if err != nil {
		return nil, nil, err
	}
	hidden, err := engram.DeletedPrompts(ctx, o.Store, "", id)
	return memories, append(prompts, hidden...), err
}

// resolveAgain shows a session in its written project, by its name here; moved says that it was in another.
func (o *Tx) resolveAgain(ctx context.Context, id string) (moved bool, err error) {
	s, found, err := walk.IfThere(o.Store.Session(ctx, id))
	if err != nil || !found {
		return false, err // a deleted session shows nothing
	}
	l, err := metadataOf(ctx, o.Store, SessionRecord(s))
	if err != nil {
		return false, err
	}
	w := writtenLocation(Location{Project: s.Project}, l)
	p, known, err := o.Store.Project(ctx, w.Project)
	if err != nil || !known || p.Name == s.Project {
		return false, err
	}
	now := s
	now.Project = p.Name
	if err := o.PutMetadata(ctx, engram.EntitySession, id, ShadowedLocation(l, w, Location{Project: p.Name})); err != nil {
		return false, err
	}
	return true, o.RewriteSession(ctx, &s, now, PlaceResolved)
}

// allowed returns where something written at w, and visible in project, may be shown.
func (o *Tx) allowed(ctx context.Context, w Location, project string, at time.Time, l engram.CausalMetadata) (Location, error) {
	s := Location{Project: project}
	if p, known, err := o.Store.Project(ctx, w.Project); err != nil {
		return s, err
	} else if known {
		s.Project = p.Name
	}
	if w.Session == "" {
		return s, nil
	}
	sessionHome, err := o.SessionHome(ctx, w.Session, s.Project, at, PlaceResolved)
	if SharesHome(s.Project, sessionHome, l) {
		s.Session = w.Session
	}
	return s, err
}

// reseat shows a memory or a prompt where its project and its session allow it.
func (o *Tx) reseat(ctx context.Context, was engram.Record) error {
	l, err := metadataOf(ctx, o.Store, was)
	if err != nil {
		return err
	}
	from := PlaceOf(was)
	is := from.Location()
	w := writtenLocation(is, l)
	to, err := o.allowed(ctx, w, is.Project, from.Made, l)
	if err != nil || to == is {
		return err
	}
	l = ShadowedLocation(l, w, to)
	if was.Prompt != nil {
		now := *was.Prompt
		now.Project, now.SessionID = to.Project, to.Session
		if err := o.PutMetadata(ctx, engram.EntityPrompt, Key(now.Num), l); err != nil {
			return err
		}
		return o.RewritePrompt(ctx, *was.Prompt, now, PlaceResolved)
	}
	m := was.Memory.Memory
	now := m
	now.Project, now.SessionID = to.Project, to.Session
	if now.Project != m.Project && m.TopicKey != "" && !m.Forgotten() { // another memory may have the topic there
		l, now.TopicKey = WithShadowed(l, TopicPart, m.TopicKey), ""
	}
	if err := o.PutMetadata(ctx, engram.EntityMemory, Key(m.Num), l); err != nil {
		return err
	}
	return o.rewriteMemory(ctx, m, now, engram.VersionStamp{}, PlaceResolved)
}
