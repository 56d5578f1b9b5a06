package wire

import "github.com/alanbuscaglia/engram"

// Project is a project as a native item, without its folder, which is local to a machine.
type Project struct {
	Name      string               `json:"name"`
	Aliases   []string             `json:"aliases,omitempty"`
	Remote    string               `json:"remote,omitempty"`
	Decay     *engram.ProjectDecay `json:"decay,omitempty"`
	CreatedAt Time                 `json:"created_at,omitzero"`
	Trail
}

func projectOf(p engram.Project, t Trail) Project {
	return Project{p.Name, p.Aliases, p.Remote, p.Decay, At(p.CreatedAt), t}
}

func (n Project) record() engram.Record {
	return with(n.Trail, engram.Record{Project: &engram.Project{Name: n.Name, Aliases: n.Aliases, Remote: n.Remote, Decay: n.Decay, CreatedAt: n.CreatedAt.Time}})
}

// Session is a session as a native item.
type Session struct {
	ID        string `json:"id"`
	Project   string `json:"project"`
	Directory string `json:"directory,omitempty"`
	StartedAt Time   `json:"started_at,omitzero"`
	EndedAt   Time   `json:"ended_at,omitzero"`
	ActiveAt  Time   `json:"active_at,omitzero"`
	Summary   string `json:"summary,omitempty"`
	Trail
}

func sessionOf(s engram.Session, t Trail) Session {
	return Session{s.ID, s.Project, s.Directory, At(s.StartedAt), At(s.EndedAt), At(s.ActiveAt), s.Summary, t}
}

func (n Session) record() engram.Record {
	return with(n.Trail, engram.Record{Session: &engram.Session{ID: n.ID, Project: n.Project, Directory: n.Directory, StartedAt: n.StartedAt.Time,
		EndedAt: n.EndedAt.Time, ActiveAt: n.ActiveAt.Time, Summary: n.Summary}})
}

// Prompt is a prompt as a native item, without its number, which is local to a store.
type Prompt struct {
	SyncID    string `json:"sync_id"`
	Project   string `json:"project"`
	SessionID string `json:"session_id,omitempty"`
	Content   string `json:"content"`
	CreatedAt Time   `json:"created_at,omitzero"`
	DeletedAt Time   `json:"deleted_at,omitzero"`
	Trail
}

func promptOf(p engram.Prompt, t Trail) Prompt {
	return Prompt{p.SyncID, p.Project, p.SessionID, p.Content, At(p.CreatedAt), At(p.DeletedAt), t}
}

func (n Prompt) record() engram.Record {
	return with(n.Trail, engram.Record{Prompt: &engram.Prompt{SyncID: n.SyncID, SessionID: n.SessionID, Project: n.Project, Content: n.Content,
		CreatedAt: n.CreatedAt.Time, DeletedAt: n.DeletedAt.Time}})
}

// Erased is the native item of an erasure; it has no text of the erased thing.
type Erased struct {
	Kind    engram.Entity `json:"kind"`
	ID      string        `json:"id"`
	SyncID  string        `json:"sync_id,omitempty"`
	Project string        `json:"project,omitempty"`
	At      engram.Clock  `json:"at"`
}

func erasedOf(x engram.Erased) Erased { return Erased{x.Entity, x.ID, x.SyncID, x.Project, x.At} }

func (n Erased) record() engram.Record {
	return engram.Record{Erased: &engram.Erased{Entity: n.Kind, ID: n.ID, SyncID: n.SyncID, Project: n.Project, At: n.At}}
}
