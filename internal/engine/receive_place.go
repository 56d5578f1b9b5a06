package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Where something belongs is written with it, and shown by two rules of this store: a project
// that was joined to another one is called as that, and nothing comes into a session of another
// project but what was moved out of that since, so that what comes into one project touches no
// other. What was written is held then, and shown as soon as the rules let it be.

// The parts that say where something belongs.
const (
	projectPart engram.Part = "project"
	sessionPart engram.Part = "session_id"
)

// placeResolved is the reason of entries that show something in another place than before,
// because a project or a session became another.
const placeResolved = "project or session that it was written in"

// spot is where something belongs.
type spot struct{ project, session string }

// writtenSpot is the spot that was written of what is shown at s.
func writtenSpot(s spot, l engram.CausalMetadata) spot {
	shadowedValue(l, projectPart, &s.project)
	shadowedValue(l, sessionPart, &s.session)
	return s
}

// shadowedSpot is l with what of w is not shown, when s is.
func shadowedSpot(l engram.CausalMetadata, w, s spot) engram.CausalMetadata {
	l = withoutShadowed(withoutShadowed(l, projectPart), sessionPart)
	if w.project != s.project {
		l = withShadowed(l, projectPart, w.project)
	}
	if w.session != s.session {
		l = withShadowed(l, sessionPart, w.session)
	}
	return l
}

// inRoom reports whether something that is shown in a project is shown in a session of project
// room, too.
func inRoom(project, room string, l engram.CausalMetadata) bool {
	return project == room || project == "" || room == "" || l.Of(projectPart).Compare(l.Of(sessionPart)) > 0
}

// room returns the project of a session. One that is not here is made, without what is said of
// it: it may have been deleted for that. Such a one claims nothing, so that whatever is known of
// it elsewhere holds. One that an undo hid is what it was, as its lineage says, and comes back
// for its own project alone.
func (o *op) room(ctx context.Context, id, project string, at time.Time, reason string) (string, error) {
	s, err := o.tx.Session(ctx, id)
	if err == nil || engram.CodeOf(err) != engram.CodeNotFound {
		return s.Project, err
	}
	s = engram.Session{ID: id, Project: project, StartedAt: at, ActiveAt: at}
	all, err := o.tx.CausalMetadata(ctx, engram.EntitySession, []string{id})
	if err != nil {
		return "", err
	}
	l, known := all[id]
	switch hidden := writtenSession(s, l); {
	case !known:
		l = unwritten(id)
	case isShadowed(l, engram.PartDeleted) && !hidden.Tombstone:
		if project != hidden.Session.Project {
			return hidden.Session.Project, nil
		}
		s, l = *hidden.Session, withoutShadowed(l, engram.PartDeleted)
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntitySession, id, l); err != nil {
		return "", err
	}
	return s.Project, o.rewriteSession(ctx, nil, s, reason)
}

// unwritten is the lineage of a session of which nothing was written.
func unwritten(id string) engram.CausalMetadata {
	return lifecycle.Derived(engram.Record{Session: &engram.Session{ID: id}})
}

// claimsNothing reports whether a session of this lineage was made for what is in it alone.
func claimsNothing(id string, l engram.CausalMetadata) bool {
	return l.Base == unwritten(id).Base && len(l.Parts) == 0
}

// shownAt settles where something is shown that was written to be at w, and holds the rest.
func (i *importing) shownAt(ctx context.Context, w spot, at time.Time, l *engram.CausalMetadata) (s spot, err error) {
	if s.project, err = i.home(ctx, w.project); err != nil {
		return s, err
	}
	if w.session != "" {
		room, known := i.rooms[w.session]
		if !known {
			if room, err = i.room(ctx, w.session, s.project, at, i.reason); err != nil {
				return s, err
			}
			i.rooms[w.session] = room
		}
		if room, err = i.follow(ctx, w.session, room, s.project); err != nil {
			return s, err
		}
		if inRoom(s.project, room, *l) {
			s.session = w.session
		}
	}
	*l = shadowedSpot(*l, w, s)
	return s, nil
}

// follow takes a session along into the project that a file goes into, when an undone import
// left it in another. It returns the project of the session.
func (i *importing) follow(ctx context.Context, id, room, project string) (string, error) {
	if i.batch != "" || !i.outside(room) || i.outside(project) {
		return room, nil
	}
	was, err := i.tx.Session(ctx, id)
	if err != nil {
		return room, err
	}
	if back, err := i.emptied(ctx, was); err != nil || !back {
		return room, err
	}
	now := was
	now.Project, i.rooms[id] = project, project
	return project, i.putSession(ctx, &was, now, i.reason)
}

// meant is where something comes in that a file has at w: as it was written, but of a file that
// goes into one project there, and in a session beside one of that name in another.
func (i *importing) meant(ctx context.Context, w spot) (spot, error) {
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

// projectHere is a project as it is called here, be it here or not.
func (i *importing) projectHere(ctx context.Context, name string) (string, error) {
	if here, known := i.homes[name]; known || name == "" {
		return here, nil
	}
	p, known, err := i.tx.Project(ctx, name)
	if known {
		name = p.Name
	}
	return name, err
}

// resolvePlaces shows whatever may be shown where it was written by now, and nothing of another
// project in the sessions of regrouped, which became another project's. It is called after
// whatever may change that of many things, and costs a look-up or two where nothing is held.
func (o *op) resolvePlaces(ctx context.Context, regrouped []string) error {
	held, err := o.tx.Shadowed(ctx, engram.EntitySession, projectPart)
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
	memories, prompts, err := o.misplaced(ctx, regrouped)
	if err != nil {
		return err
	}
	for _, m := range memories {
		if err := o.reseat(ctx, m); err != nil {
			return err
		}
	}
	for _, p := range prompts {
		if err := o.reseatPrompt(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// misplaced are the memories and prompts of which a place is held, and those in sessions.
func (o *op) misplaced(ctx context.Context, sessions []string) (memories []engram.Memory, prompts []engram.Prompt, err error) {
	for _, part := range []engram.Part{projectPart, sessionPart} {
		keys, err := o.tx.Shadowed(ctx, engram.EntityMemory, part)
		if err != nil {
			return nil, nil, err
		}
		ms, err := o.tx.Memories(ctx, mapped(keys, numOf))
		if err != nil {
			return nil, nil, err
		}
		memories = append(memories, ms...)
		if keys, err = o.tx.Shadowed(ctx, engram.EntityPrompt, part); err != nil {
			return nil, nil, err
		}
		for _, k := range keys {
			p, err := o.tx.Prompt(ctx, numOf(k))
			if err != nil {
				return nil, nil, err
			}
			prompts = append(prompts, p)
		}
	}
	for _, id := range sessions {
		ms, ps, err := o.inSession(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		memories, prompts = append(memories, ms...), append(prompts, ps...)
	}
	slices.SortFunc(memories, func(a, b engram.Memory) int { return int(a.Num - b.Num) })
	memories = slices.CompactFunc(memories, func(a, b engram.Memory) bool { return a.Num == b.Num })
	slices.SortFunc(prompts, func(a, b engram.Prompt) int { return int(a.Num - b.Num) })
	prompts = slices.CompactFunc(prompts, func(a, b engram.Prompt) bool { return a.Num == b.Num })
	return memories, prompts, nil
}

// inSession is all that is shown in a session, forgotten and deleted things too.
func (o *op) inSession(ctx context.Context, id string) (memories []engram.Memory, prompts []engram.Prompt, err error) {
	for _, forgotten := range []bool{false, true} {
		for offset := 0; ; offset += exportPage {
			page, err := o.tx.List(ctx, engram.Filter{SessionID: id, Forgotten: forgotten}, engram.Page{Limit: exportPage, Offset: offset})
			if err != nil {
				return nil, nil, err
			}
			if memories = append(memories, page...); len(page) < exportPage {
				break
			}
		}
	}
	for offset := 0; ; offset += exportPage {
		page, err := o.tx.Prompts(ctx, "", id, engram.Page{Limit: exportPage, Offset: offset})
		if err != nil {
			return nil, nil, err
		}
		if prompts = append(prompts, page...); len(page) < exportPage {
			break
		}
	}
	hidden, err := o.tx.DeletedPromptsIn(ctx, id)
	return memories, append(prompts, hidden...), err
}

// resolveAgain shows a session in the project that it was written in, as that is called here; moved
// says that it was in another.
func (o *op) resolveAgain(ctx context.Context, id string) (moved bool, err error) {
	s, err := o.tx.Session(ctx, id)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return false, nil // it is gone, and nothing of it is shown
	}
	if err != nil {
		return false, err
	}
	l, err := lineageOf(ctx, o.tx, engram.EntitySession, id, engram.Record{Session: &s})
	if err != nil {
		return false, err
	}
	w := writtenSpot(spot{project: s.Project}, l)
	p, known, err := o.tx.Project(ctx, w.project)
	if err != nil || !known || p.Name == s.Project {
		return false, err
	}
	now := s
	now.Project = p.Name
	if err := o.tx.PutCausalMetadata(ctx, engram.EntitySession, id, shadowedSpot(l, w, spot{project: p.Name})); err != nil {
		return false, err
	}
	return true, o.rewriteSession(ctx, &s, now, placeResolved)
}

// allowed is where something that was written at w, and is shown in project, may be shown.
func (o *op) allowed(ctx context.Context, w spot, project string, at time.Time, l engram.CausalMetadata) (spot, error) {
	s := spot{project: project}
	if p, known, err := o.tx.Project(ctx, w.project); err != nil {
		return s, err
	} else if known {
		s.project = p.Name
	}
	if w.session == "" {
		return s, nil
	}
	room, err := o.room(ctx, w.session, s.project, at, placeResolved)
	if inRoom(s.project, room, l) {
		s.session = w.session
	}
	return s, err
}

// reseat shows a memory where its project and its session let it be shown.
func (o *op) reseat(ctx context.Context, m engram.Memory) error {
	l, err := memoryLineage(ctx, o.tx, m)
	if err != nil {
		return err
	}
	is := spot{m.Project, m.SessionID}
	w := writtenSpot(is, l)
	to, err := o.allowed(ctx, w, m.Project, m.CreatedAt, l)
	if err != nil || to == is {
		return err
	}
	now := m
	now.Project, now.SessionID = to.project, to.session
	l = shadowedSpot(l, w, to)
	if now.Project != m.Project && m.TopicKey != "" && !m.Forgotten() { // it may have another memory there
		l, now.TopicKey = withShadowed(l, topicPart, m.TopicKey), ""
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntityMemory, key(m.Num), l); err != nil {
		return err
	}
	return o.rewriteMemory(ctx, m, now, engram.VersionStamp{}, placeResolved)
}

// reseatPrompt is reseat for prompts.
func (o *op) reseatPrompt(ctx context.Context, p engram.Prompt) error {
	l, err := lineageOf(ctx, o.tx, engram.EntityPrompt, key(p.Num), engram.Record{Prompt: &p})
	if err != nil {
		return err
	}
	is := spot{p.Project, p.SessionID}
	w := writtenSpot(is, l)
	to, err := o.allowed(ctx, w, p.Project, p.CreatedAt, l)
	if err != nil || to == is {
		return err
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntityPrompt, key(p.Num), shadowedSpot(l, w, to)); err != nil {
		return err
	}
	now := p
	now.Project, now.SessionID = to.project, to.session
	return o.rewritePrompt(ctx, p, now, placeResolved)
}
