package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// A place is written with its thing and shown by two rules of this store: a project that was merged into another has
// that name, and nothing is shown in a session of another project unless it was moved later, so that an import into
// one project touches no other. The written place is shadowed then, and shown as soon as the rules allow it.

// The parts that say where something belongs.
const (
	projectPart engram.Part = "project"
	sessionPart engram.Part = "session_id"
)

// placeResolved is the reason of entries that show something in another place because its project or session changed.
const placeResolved = "its project or session changed"

type location struct{ project, session string }

// writtenLocation returns the written location of something shown at s.
func writtenLocation(s location, l engram.CausalMetadata) location {
	shadowedValue(l, projectPart, &s.project)
	shadowedValue(l, sessionPart, &s.session)
	return s
}

// shadowedLocation returns l with the parts of w shadowed that differ from the visible s.
func shadowedLocation(l engram.CausalMetadata, w, s location) engram.CausalMetadata {
	l = withoutShadowed(withoutShadowed(l, projectPart), sessionPart)
	if w.project != s.project {
		l = withShadowed(l, projectPart, w.project)
	}
	if w.session != s.session {
		l = withShadowed(l, sessionPart, w.session)
	}
	return l
}

// sharesHome reports whether something in a project may be shown in a session of project sessionHome.
func sharesHome(project, sessionHome string, l engram.CausalMetadata) bool {
	return project == sessionHome || project == "" || sessionHome == "" || l.Of(projectPart).Compare(l.Of(sessionPart)) > 0
}

// sessionHome returns the project of a session. It makes a missing one without fields, which claims nothing: whatever
// other replicas know of it holds. A session that an undo hid comes back as it was, but only for its own project.
func (o *op) sessionHome(ctx context.Context, id, project string, at time.Time, reason string) (string, error) {
	s, found, err := ifThere(o.tx.Session(ctx, id))
	if err != nil || found {
		return s.Project, err
	}
	s = engram.Session{ID: id, Project: project, StartedAt: at, ActiveAt: at}
	l, known, err := knownMetadata(ctx, o.tx, engram.EntitySession, id)
	if err != nil {
		return "", err
	}
	switch hidden := deletedSession(s, l); {
	case !known:
		l = unwritten(id)
	case isShadowed(l, engram.PartDeleted) && !hidden.Tombstone:
		if project != hidden.Session.Project {
			return hidden.Session.Project, nil
		}
		s, l = *hidden.Session, withoutShadowed(l, engram.PartDeleted)
	}
	if err := o.tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntitySession, id, l); err != nil {
		return "", err
	}
	return s.Project, o.rewriteSession(ctx, nil, s, reason)
}

// unwritten returns the metadata of a session that no write described.
func unwritten(id string) engram.CausalMetadata {
	return lifecycle.Derived(engram.Record{Session: &engram.Session{ID: id}})
}

// claimsNothing reports whether a session exists only for its content.
func claimsNothing(id string, l engram.CausalMetadata) bool {
	return l.Base == unwritten(id).Base && len(l.Parts) == 0
}

// showAt shows the thing at place, which was written to be at w, where the rules allow it, and shadows the rest.
func (i *importing) showAt(ctx context.Context, w location, place placing, l *engram.CausalMetadata) (err error) {
	var s location
	if s.project, err = i.ensureProject(ctx, w.project); err != nil {
		return err
	}
	if w.session != "" {
		home, known := i.sessionHomes[w.session]
		if !known {
			if home, err = i.sessionHome(ctx, w.session, s.project, place.made, i.reason); err != nil {
				return err
			}
			i.sessionHomes[w.session] = home
		}
		if home, err = i.follow(ctx, w.session, home, s.project); err != nil {
			return err
		}
		if sharesHome(s.project, home, *l) {
			s.session = w.session
		}
	}
	*l = shadowedLocation(*l, w, s)
	place.moveTo(s)
	return nil
}

// placeNew shows a new thing, which came in as there, where it belongs: it sets the place of its state, and returns
// its causal metadata.
func (i *importing) placeNew(ctx context.Context, there, state engram.Record) (engram.CausalMetadata, error) {
	place, l := placeOf(state), *state.Causal
	w, err := i.incomingLocation(ctx, place.location())
	if err != nil {
		return l, err
	}
	if err := i.showAt(ctx, w, place, &l); err != nil {
		return l, err
	}
	// What a file brings into one project was not written to be there: importing it again must not take it away.
	if i.border == "" || i.batch != "" || there.Causal == nil {
		return l, nil
	}
	parts := []engram.Part{projectPart, sessionPart}
	if state.Session != nil {
		parts = parts[:1]
	}
	return lifecycle.Stamped(l, parts, i.stamp()), nil
}

// follow moves a session that an undone import left in another project into the one that a file goes into. It returns
// the session's project.
func (i *importing) follow(ctx context.Context, id, sessionHome, project string) (string, error) {
	if i.batch != "" || !i.outside(sessionHome) || i.outside(project) {
		return sessionHome, nil
	}
	was, err := i.tx.Session(ctx, id)
	if err != nil {
		return sessionHome, err
	}
	if back, err := i.emptied(ctx, was); err != nil || !back {
		return sessionHome, err
	}
	now := was
	now.Project, i.sessionHomes[id] = project, project
	return project, i.putSession(ctx, &was, now, i.reason)
}

// incomingLocation returns where something comes in that a file has at w: there; or, for a file that goes into one
// project, in that project, and in a copy of a session that another project has.
func (i *importing) incomingLocation(ctx context.Context, w location) (location, error) {
	if i.border == "" || i.batch != "" {
		return w, nil
	}
	if w.project != "" {
		w.project = i.border
	}
	if w.session == "" {
		return w, nil
	}
	_, _, name, err := i.knownSession(ctx, w.session)
	w.session = name
	return w, err
}

// projectHere returns the canonical name of a project, whether it exists here or not.
func (i *importing) projectHere(ctx context.Context, name string) (string, error) {
	if here, known := i.projectNames[name]; known || name == "" {
		return here, nil
	}
	p, known, err := i.tx.Project(ctx, name)
	if known {
		name = p.Name
	}
	return name, err
}

// resolvePlaces shows things where they were written if that is allowed by now, and hides the content of other
// projects in the regrouped sessions, whose project changed. It is called after changes to many things, and costs a
// look-up or two where nothing is shadowed.
func (o *op) resolvePlaces(ctx context.Context, regrouped []string) error {
	held, err := o.tx.Replica().Shadowed(ctx, engram.EntitySession, projectPart)
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
func (o *op) misplaced(ctx context.Context, sessions []string) (all []engram.Record, err error) {
	memories, prompts := map[int64]engram.Memory{}, map[int64]engram.Prompt{}
	add := func(ms []engram.Memory, ps []engram.Prompt) {
		for _, m := range ms {
			memories[m.Num] = m
		}
		for _, p := range ps {
			prompts[p.Num] = p
		}
	}
	for _, part := range []engram.Part{projectPart, sessionPart} {
		keys, err := o.tx.Replica().Shadowed(ctx, engram.EntityMemory, part)
		if err != nil {
			return nil, err
		}
		ms, err := o.tx.Memories(ctx, mapped(keys, numOf))
		if err != nil {
			return nil, err
		}
		if keys, err = o.tx.Replica().Shadowed(ctx, engram.EntityPrompt, part); err != nil {
			return nil, err
		}
		ps, err := foundBy(keys, func(k string) (engram.Prompt, error) { return engram.PromptAt(ctx, o.tx, numOf(k)) })
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
		all = append(all, memoryRecord(memories[num]))
	}
	for _, num := range slices.Sorted(maps.Keys(prompts)) {
		all = append(all, promptRecord(prompts[num]))
	}
	return all, nil
}

// inSession returns everything that is shown in a session, forgotten and deleted things included.
func (o *op) inSession(ctx context.Context, id string) (memories []engram.Memory, prompts []engram.Prompt, err error) {
	for _, forgotten := range []bool{false, true} {
		more, err := everyPage(exportPage, func(page engram.Page) ([]engram.Memory, error) {
			return o.tx.List(ctx, engram.Filter{SessionID: id, Forgotten: forgotten}, page)
		})
		if err != nil {
			return nil, nil, err
		}
		memories = append(memories, more...)
	}
	prompts, err = everyPage(exportPage, func(page engram.Page) ([]engram.Prompt, error) {
		return o.tx.Prompts(ctx, engram.PromptFilter{SessionID: id}, page)
	})
	if err != nil {
		return nil, nil, err
	}
	hidden, err := engram.DeletedPrompts(ctx, o.tx, "", id)
	return memories, append(prompts, hidden...), err
}

// resolveAgain shows a session in its written project, by its name here; moved says that it was in another.
func (o *op) resolveAgain(ctx context.Context, id string) (moved bool, err error) {
	s, found, err := ifThere(o.tx.Session(ctx, id))
	if err != nil || !found {
		return false, err // a deleted session shows nothing
	}
	l, err := metadataOf(ctx, o.tx, sessionRecord(s))
	if err != nil {
		return false, err
	}
	w := writtenLocation(location{project: s.Project}, l)
	p, known, err := o.tx.Project(ctx, w.project)
	if err != nil || !known || p.Name == s.Project {
		return false, err
	}
	now := s
	now.Project = p.Name
	if err := o.tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntitySession, id, shadowedLocation(l, w, location{project: p.Name})); err != nil {
		return false, err
	}
	return true, o.rewriteSession(ctx, &s, now, placeResolved)
}

// allowed returns where something written at w, and visible in project, may be shown.
func (o *op) allowed(ctx context.Context, w location, project string, at time.Time, l engram.CausalMetadata) (location, error) {
	s := location{project: project}
	if p, known, err := o.tx.Project(ctx, w.project); err != nil {
		return s, err
	} else if known {
		s.project = p.Name
	}
	if w.session == "" {
		return s, nil
	}
	sessionHome, err := o.sessionHome(ctx, w.session, s.project, at, placeResolved)
	if sharesHome(s.project, sessionHome, l) {
		s.session = w.session
	}
	return s, err
}

// reseat shows a memory or a prompt where its project and its session allow it.
func (o *op) reseat(ctx context.Context, was engram.Record) error {
	l, err := metadataOf(ctx, o.tx, was)
	if err != nil {
		return err
	}
	from := placeOf(was)
	is := from.location()
	w := writtenLocation(is, l)
	to, err := o.allowed(ctx, w, is.project, from.made, l)
	if err != nil || to == is {
		return err
	}
	l = shadowedLocation(l, w, to)
	if was.Prompt != nil {
		now := *was.Prompt
		now.Project, now.SessionID = to.project, to.session
		if err := o.tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntityPrompt, key(now.Num), l); err != nil {
			return err
		}
		return o.rewritePrompt(ctx, *was.Prompt, now, placeResolved)
	}
	m := was.Memory.Memory
	now := m
	now.Project, now.SessionID = to.project, to.session
	if now.Project != m.Project && m.TopicKey != "" && !m.Forgotten() { // another memory may have the topic there
		l, now.TopicKey = withShadowed(l, topicPart, m.TopicKey), ""
	}
	if err := o.tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntityMemory, key(m.Num), l); err != nil {
		return err
	}
	return o.rewriteMemory(ctx, m, now, engram.VersionStamp{}, placeResolved)
}
