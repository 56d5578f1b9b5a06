package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// renameVerb is the verb of an operation that gave a project another name.
const renameVerb = "project_rename"

// nameThen returns the name that the project of a name had: of a name that was an alias
// then, its project's; of a project that was renamed since, and had another name, that
// one. A name that now stands for another project means the one it meant. there is false
// when there was no such project; "" is every project, and always there.
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
	if err := then.now(ctx, p.Reader, asked); err != nil {
		return "", false, err
	}
	if err := then.takeBack(p.since.projectEntries); err != nil {
		return "", false, err
	}
	name = then.project(asked)
	if name == "" {
		before := asked
		for _, m := range p.since.moves { // newest first
			if m.entry.Verb == renameVerb && m.was.To == before {
				before = m.was.From
			}
		}
		name = then.project(before)
	}
	p.names[asked] = name
	return name, name != "", nil
}

// projectAt is the project that a name meant at a time past; "" when there was none, and
// for the zero time.
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

// aliasesThen are projects with their aliases, as far as a name may lead to them.
type aliasesThen map[string][]string

func (a aliasesThen) now(ctx context.Context, r engram.Reader, name string) error {
	project, known, err := r.Project(ctx, name)
	if known {
		a[project.Name] = project.Aliases
	}
	return err
}

// takeBack takes entries about projects back, newest first.
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
		case was.From != "": // what was in it, and not what it was
		case was.Aliases != nil:
			a[entry.Key] = *was.Aliases
		case was.CreatedAt != nil:
			a[entry.Key] = nil
		}
	}
	return nil
}

// project is the project of a name; "" when there is none.
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

// place gives a filter the name that its project had, if there was one, and ends it at
// the time.
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

// lives reports whether a project is still the one of its name. Where it is not, all that
// was in it changed since, and what the name leads to by now was elsewhere.
func (p *pastReader) lives(ctx context.Context, name string) (bool, error) {
	if name == "" {
		return true, nil
	}
	project, known, err := p.Reader.Project(ctx, name)
	return known && project.Name == name, err
}
