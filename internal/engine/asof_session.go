package engine

import (
	"bytes"
	"context"

	"github.com/alanbuscaglia/engram"
)

// Sessions returns the sessions that had begun, the latest begun first. Their counts
// are those of now.
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
		asked = "" // they may be elsewhere by now
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
			if err := sessionTable(&s.Session).takeBack(e); err != nil {
				return false, err
			}
			begun = s.StartedAt.Before(p.at)
		}
		return begun && (name == "" || s.Project == name), nil
	})
}

// Prompts returns the prompts that had been asked.
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

// pastPage reads pages of what there is now until it has a page of what there was.
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
