package engine

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// walkBack calls each with the entries of a span, newest first.
func walkBack(ctx context.Context, r engram.Reader, s engram.JournalSpan, each func(engram.Mutation)) error {
	const part = 2000
	for {
		entries, err := r.MutationsIn(ctx, s, part)
		for _, m := range entries {
			each(m)
			s.Before = m.Seq
		}
		if err != nil || len(entries) < part {
			return err
		}
	}
}

// journalSince is the journal after a time. Only the journal says what was when: its clock never runs backwards,
// while the times in things may, so that mixing the two would give a state that never was.
//
// It reads entries once, when they are asked for. It is not safe for concurrent use.
type journalSince struct {
	r     engram.Reader
	after int64 // the last entry before or at the time

	projectEntries []engram.Mutation // newest first
	moves          []move            // newest first
	readProjects   bool
	changes        map[engram.Entity]map[string][]engram.Mutation
	made           map[engram.Entity]int64
}

// projects reads the entries about projects, which are few.
func (j *journalSince) projects(ctx context.Context) error {
	if j.readProjects {
		return nil
	}
	err := walkBack(ctx, j.r, engram.JournalSpan{Entity: engram.EntityProject, After: j.after}, func(m engram.Mutation) {
		j.projectEntries = append(j.projectEntries, m)
	})
	if err != nil {
		return err
	}
	j.readProjects = true
	j.moves, err = movesAmong(j.projectEntries)
	return err
}

// all returns the entries about existing things of a kind by key, newest first, including changes by moves between
// projects; for sessions also those that made them.
func (j *journalSince) all(ctx context.Context, entity engram.Entity) (map[string][]engram.Mutation, error) {
	if all, known := j.changes[entity]; known {
		return all, nil
	}
	if err := j.projects(ctx); err != nil {
		return nil, err
	}
	all := map[string][]engram.Mutation{}
	span := engram.JournalSpan{Entity: entity, After: j.after, Changes: entity != engram.EntitySession}
	err := walkBack(ctx, j.r, span, func(m engram.Mutation) { all[m.Key] = append(all[m.Key], m) })
	if err != nil {
		return nil, err
	}
	for _, m := range j.moves {
		for _, key := range m.keys(entity) {
			entry, _, err := m.of(entity, key)
			if err != nil {
				return nil, err
			}
			all[key] = append(all[key], entry)
		}
	}
	if len(j.moves) > 0 {
		for _, entries := range all {
			newestEntryFirst(entries)
		}
	}
	j.changes[entity] = all
	return all, nil
}

// of returns what all has of one thing, without reading the others.
func (j *journalSince) of(ctx context.Context, entity engram.Entity, key string) ([]engram.Mutation, error) {
	if all, known := j.changes[entity]; known {
		return all[key], nil
	}
	if err := j.projects(ctx); err != nil {
		return nil, err
	}
	const part = 50
	var own []engram.Mutation
	for offset, more := 0, true; more; offset += part {
		entries, err := j.r.Mutations(ctx, entity, key, engram.Page{Limit: part, Offset: offset})
		if err != nil {
			return nil, err
		}
		more = len(entries) == part
		for _, m := range entries {
			switch {
			case m.Seq <= j.after:
				more = false
			case m.Was != nil || entity == engram.EntitySession:
				own = append(own, m)
			}
		}
	}
	for _, m := range j.moves {
		entry, moved, err := m.of(entity, key)
		if err != nil {
			return nil, err
		}
		if moved {
			own = append(own, entry)
		}
	}
	newestEntryFirst(own)
	return own, nil
}

func newestEntryFirst(entries []engram.Mutation) {
	slices.SortStableFunc(entries, func(a, b engram.Mutation) int { return cmp.Compare(b.Seq, a.Seq) })
}

func (m move) keys(entity engram.Entity) []string {
	switch entity {
	case engram.EntityMemory:
		return mapped(m.was.Memories, key)
	case engram.EntityPrompt:
		return mapped(m.was.Prompts, key)
	case engram.EntitySession:
		return m.was.Sessions
	}
	return nil
}

func (m move) of(entity engram.Entity, key string) (entry engram.Mutation, moved bool, err error) {
	entry = m.entry
	entry.Entity, entry.Key = entity, key
	entry.Was, err = m.changed(entity, key)
	return entry, entry.Was != nil, err
}

// firstMade returns the number of the first thing of a kind made since: it and those above did not exist.
func (j *journalSince) firstMade(ctx context.Context, entity engram.Entity) (int64, error) {
	if num, known := j.made[entity]; known {
		return num, nil
	}
	key, err := j.r.FirstMade(ctx, entity, j.after)
	if err != nil {
		return 0, err
	}
	num := int64(math.MaxInt64)
	if key != "" {
		num = numOf(key)
	}
	j.made[entity] = num
	return num, nil
}

// renameOperation is the operation that renames a project.
const renameOperation = "project_rename"

// nameThen returns the name of a project at that time: for an alias of then, its project's; for a project that was
// renamed since, the earlier one. A name that means another project today means the one of then. there is false when
// there was no such project; "" is every project, and always there.
func (p *pastReader) nameThen(ctx context.Context, asked string) (name string, there bool, err error) {
	if asked == "" {
		return "", true, nil
	}
	if name, known := p.names[asked]; known {
		return name, name != "", nil
	}
	if err := p.since.projects(ctx); err != nil {
		return "", false, err
	}
	then := aliasesThen{}
	if project, known, err := p.Reader.Project(ctx, asked); err != nil {
		return "", false, err
	} else if known {
		then[project.Name] = project.Aliases
	}
	if err := then.takeBack(p.since.projectEntries); err != nil {
		return "", false, err
	}
	name = then.project(asked)
	if name == "" {
		before := asked
		for _, m := range p.since.moves { // newest first
			if m.entry.Operation == renameOperation && m.was.To == before {
				before = m.was.From
			}
		}
		name = then.project(before)
	}
	p.names[asked] = name
	return name, name != "", nil
}

// projectAt returns the project that a name meant at a past time; "" for no project and for the zero time.
func projectAt(ctx context.Context, r engram.Reader, name string, at time.Time) (string, error) {
	if at.IsZero() {
		return "", nil
	}
	p, err := pastOf(ctx, r, at)
	if err != nil {
		return "", err
	}
	name, _, err = p.nameThen(ctx, name)
	return name, err
}

// aliasesThen are the aliases of projects, as far as a name may lead to them.
type aliasesThen map[string][]string

// takeBack takes back entries about projects, newest first.
func (a aliasesThen) takeBack(entries []engram.Mutation) error {
	for _, entry := range entries {
		if entry.Was == nil {
			delete(a, entry.Key)
			continue
		}
		var was struct {
			From      string     `json:"from"`
			Aliases   *[]string  `json:"aliases"`
			CreatedAt *time.Time `json:"created_at"`
		}
		if err := readWas(entry, &was); err != nil {
			return err
		}
		switch {
		case was.From != "": // a move of content
		case was.Aliases != nil:
			a[entry.Key] = *was.Aliases
		case was.CreatedAt != nil:
			a[entry.Key] = nil
		}
	}
	return nil
}

// project returns the project of a name; "" if there is no such project.
func (a aliasesThen) project(name string) string {
	if _, own := a[name]; own {
		return name
	}
	for project, aliases := range a {
		if slices.Contains(aliases, name) {
			return project
		}
	}
	return ""
}

// place sets the project of a filter to its name of that time, and ends the filter there.
func (p *pastReader) place(ctx context.Context, f engram.Filter) (placed engram.Filter, there bool, err error) {
	name, there, err := p.nameThen(ctx, f.Project)
	if there {
		f.Project = name
	}
	if f.Until.IsZero() || p.at.Before(f.Until) {
		f.Until = p.at
	}
	return f, there, err
}

// stillNamed reports whether a project still has its name. If not, everything in it has changed since, and today's
// project of that name was elsewhere.
func (p *pastReader) stillNamed(ctx context.Context, name string) (bool, error) {
	if name == "" {
		return true, nil
	}
	project, known, err := p.Reader.Project(ctx, name)
	return known && project.Name == name, err
}

// Sessions returns the sessions that had begun, the latest first, with today's counts.
func (p *pastReader) Sessions(ctx context.Context, project string, page engram.Page) ([]engram.SessionActivity, error) {
	name, there, err := p.nameThen(ctx, project)
	if err != nil || !there {
		return nil, err
	}
	entries, err := p.since.all(ctx, engram.EntitySession)
	if err != nil {
		return nil, err
	}
	asked := name
	if touch(entries, "project") {
		asked = "" // they may be elsewhere today
	}
	return pastPage(page, func(page engram.Page) ([]engram.SessionActivity, error) {
		return p.Reader.Sessions(ctx, asked, page)
	}, func(s *engram.SessionActivity) (bool, error) {
		begun := s.StartedAt.Before(p.at)
		for _, e := range entries[s.ID] {
			if e.Was == nil {
				begun = false
				continue
			}
			if err := tableOf(&s.Session).takeBack(e); err != nil {
				return false, err
			}
			begun = s.StartedAt.Before(p.at)
		}
		return begun && (name == "" || s.Project == name), nil
	})
}

// Prompts returns the prompts that had been entered.
func (p *pastReader) Prompts(ctx context.Context, project, session string, page engram.Page) ([]engram.Prompt, error) {
	name, there, err := p.nameThen(ctx, project)
	if err != nil || !there {
		return nil, err
	}
	entries, err := p.since.all(ctx, engram.EntityPrompt)
	if err != nil {
		return nil, err
	}
	first, err := p.since.firstMade(ctx, engram.EntityPrompt)
	if err != nil {
		return nil, err
	}
	inProject, inSession := name, session
	if touch(entries, "project") {
		inProject = ""
	}
	if touch(entries, "session_id") {
		inSession = ""
	}
	return pastPage(page, func(page engram.Page) ([]engram.Prompt, error) {
		return p.Reader.Prompts(ctx, inProject, inSession, page)
	}, func(q *engram.Prompt) (bool, error) {
		for _, e := range entries[key(q.Num)] {
			place := fieldTable{"project": &q.Project, "session_id": &q.SessionID}
			if err := place.takeBack(e); err != nil {
				return false, err
			}
		}
		return q.Num < first && q.CreatedAt.Before(p.at) && (name == "" || q.Project == name) && (session == "" || q.SessionID == session), nil
	})
}

// touch reports whether one of the entries changed a field.
func touch(entries map[string][]engram.Mutation, field string) bool {
	name := []byte(`"` + field + `":`)
	for _, es := range entries {
		for _, e := range es {
			if bytes.Contains(e.Was, name) {
				return true
			}
		}
	}
	return false
}

// pastPage reads pages of today's things until it has a page of those of that time.
func pastPage[T any](page engram.Page, read func(engram.Page) ([]T, error), was func(*T) (bool, error)) ([]T, error) {
	const many = 200
	var then []T
	for offset := 0; len(then) < page.Offset+page.Limit; offset += many {
		now, err := read(engram.Page{Limit: many, Offset: offset})
		if err != nil {
			return nil, err
		}
		for i := range now {
			there, err := was(&now[i])
			if err != nil {
				return nil, err
			}
			if there {
				then = append(then, now[i])
			}
		}
		if len(now) < many {
			break
		}
	}
	return then[min(page.Offset, len(then)):min(page.Offset+page.Limit, len(then))], nil
}
