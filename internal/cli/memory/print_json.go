package memory

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// savedOf is the answer of `save` and `session summary`.
func savedOf(s engine.SaveResult) document.Saved {
	d := document.Saved{Action: string(s.Action), Reason: s.Reason, SuggestedTopic: s.SuggestedTopic, Warnings: document.OrEmpty(s.Warnings),
		Memory: document.MemoryOf(s.Memory, s.State), Candidates: document.Each(s.Candidates, candidateOf),
		Related: document.Each(s.Related, func(n engine.Near) document.Related { return document.RelatedOf(n.Memory, n.Cosine) })}
	if s.MergedWith != nil {
		d.MergedWith = new(document.NamedOf(*s.MergedWith))
	}
	return d
}

func candidateOf(c engine.Candidate) document.Candidate {
	return document.CandidateOf(c.Memory, c.Relation, c.Score, c.Reason)
}

// FoundDoc is the answer of `search`.
type FoundDoc struct {
	Query          string         `json:"query"`
	Project        string         `json:"project"` // "" is every project
	Hits           []document.Hit `json:"hits"`    // best first; empty if nothing is relevant
	BelowThreshold []document.Hit `json:"weak"`    // below the relevance threshold, best first; ranks continue those of hits
	// How the question was read: unknown words, expressions of time.
	Repaired []document.Repair `json:"repaired"`
	Times    []document.Time   `json:"times"`
	Degraded []string          `json:"degraded"`
}

func foundOf(query, project string, f engram.Found) FoundDoc {
	return FoundDoc{Query: query, Project: project, Hits: document.HitsOf(f.Hits, 0), BelowThreshold: document.HitsOf(f.BelowThreshold, len(f.Hits)),
		Repaired: document.Each(f.Repaired, document.RepairOf), Times: document.Each(f.Times, document.TimeOf), Degraded: document.OrEmpty(f.Degraded)}
}

// ContextDoc is the answer of `context`.
type ContextDoc struct {
	Project  string             `json:"project"` // "" is every project
	Text     string             `json:"text"`    // the text for a new session
	Sessions []SessionDoc       `json:"sessions"`
	Prompts  []PromptDoc        `json:"prompts"`
	Memories []document.Marked  `json:"memories"`         // newest first
	Personal []document.Marked  `json:"personal"`         // personal and global memories of other projects, newest first
	Budget   int                `json:"budget"`           // in tokens
	Tokens   int                `json:"tokens"`           // estimated tokens of text
	Again    bool               `json:"again"`            // the session has seen all of them; there is nothing else
	Withheld int                `json:"withheld"`         // memories withheld as instruction-like, pending review
	Left     int                `json:"withheld_prompts"` // prompts left out as instruction-like
	LeftOut  []document.LeftOut `json:"left_out"`         // memories that did not fit, best first
	Degraded []string           `json:"degraded"`
}

func contextOf(project string, c engram.Context, o render.Options) ContextDoc {
	return ContextDoc{project, render.Context(c, o), document.Each(c.Sessions, activityOf), document.Each(c.Prompts, promptOf), document.MarkedOfAll(c.Memories, c.Notes),
		document.MarkedOfAll(c.Personal, c.Notes), c.Budget, c.Tokens, c.Again, c.Withheld, c.WithheldPrompts, document.Each(c.LeftOut, document.LeftOutOf), document.OrEmpty(c.Degraded)}
}

// DetailDoc is the answer of `get`.
type DetailDoc struct {
	Memory    document.Memory     `json:"memory"`
	Strength  float64             `json:"strength_now"` // 0 to 1
	Why       string              `json:"strength_reason"`
	Relations []document.Relation `json:"relations"`
	Revisions []document.Version  `json:"revisions"` // oldest first, without the current text
}

func detailOf(d engine.Detail) DetailDoc {
	return DetailDoc{document.MarkedOf(d.Memory, d.Note()).Memory, document.Share(d.Strength), d.Why, document.Each(d.Relations, document.RelationOf), document.Each(d.Revisions, document.RevisionOf)}
}

// ListDoc is the answer of `list` and `recent`.
type ListDoc struct {
	Project  string            `json:"project"` // "" is every project
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	Memories []document.Marked `json:"memories"` // newest first
}

func listOf(project string, list engine.Listed, page engram.Page) ListDoc {
	return ListDoc{project, page.Limit, page.Offset, document.MarkedOfAll(list.Memories, list.Notes)}
}

// TimelineDoc is the answer of `timeline`.
type TimelineDoc struct {
	Focus   document.Marked   `json:"focus"`
	Before  []document.Marked `json:"before"` // oldest first
	After   []document.Marked `json:"after"`  // oldest first
	Session SessionDoc        `json:"session"`
	Total   int               `json:"total"` // live memories in the session
}

func timelineOf(t engram.Timeline) TimelineDoc {
	return TimelineDoc{document.MarkedOf(t.Focus, t.Notes[t.Focus.Num]), document.MarkedOfAll(t.Before, t.Notes), document.MarkedOfAll(t.After, t.Notes), sessionOf(t.Session), t.Total}
}

// ChangedDoc is the answer of `mark` and `tag`, and part of that of `update`.
type ChangedDoc struct {
	Memory document.Memory `json:"memory"`
}

func changedOf(e *engine.Engine, m engram.Memory) ChangedDoc {
	return ChangedDoc{document.MemoryOf(m, e.StateOf(m))}
}

// SessionDoc is the answer of `session start` and `session end`.
type SessionDoc struct {
	ID        string             `json:"id"`
	Project   string             `json:"project"`
	Directory string             `json:"directory"`
	StartedAt document.Timestamp `json:"started_at"`
	EndedAt   document.Timestamp `json:"ended_at"` // null while it is open
	ActiveAt  document.Timestamp `json:"active_at"`
	Summary   string             `json:"summary"`
	Flagged   []string           `json:"suspect,omitempty"`  // why the summary is flagged as instruction-like; absent if it is not
	Memories  *int               `json:"memories,omitempty"` // live memories; only in lists of sessions
}

func sessionOf(s engram.Session) SessionDoc {
	return SessionDoc{s.ID, s.Project, s.Directory, document.Timestamp(s.StartedAt), document.Timestamp(s.EndedAt), document.Timestamp(s.ActiveAt), s.Summary, engine.FlaggedSummary(s), nil}
}

func activityOf(s engram.SessionActivity) SessionDoc {
	d := sessionOf(s.Session)
	d.Memories = &s.Memories
	return d
}

// SessionsDoc is the answer of `session list`.
type SessionsDoc struct {
	Project  string       `json:"project"` // "" is every project
	Limit    int          `json:"limit"`
	Offset   int          `json:"offset"`
	Sessions []SessionDoc `json:"sessions"` // newest activity first
}

func sessionsOf(project string, list []engram.SessionActivity, page engram.Page) any {
	return SessionsDoc{project, page.Limit, page.Offset, document.Each(list, activityOf)}
}

// SessionShownDoc is the answer of `session show`.
type SessionShownDoc struct {
	Session  SessionDoc        `json:"session"`
	Memories []document.Marked `json:"memories"` // newest first
}

func sessionShownOf(s engram.Session, list engine.Listed) SessionShownDoc {
	return SessionShownDoc{sessionOf(s), document.MarkedOfAll(list.Memories, list.Notes)}
}

// PromptDoc is the answer of `prompt save`.
type PromptDoc struct {
	Num       int64              `json:"num"`
	SyncID    string             `json:"sync_id"`
	SessionID string             `json:"session_id"`
	Project   string             `json:"project"`
	Content   string             `json:"content"`
	CreatedAt document.Timestamp `json:"created_at"`
}

func promptOf(p engram.Prompt) PromptDoc {
	return PromptDoc{p.Num, p.SyncID, p.SessionID, p.Project, p.Content, document.Timestamp(p.CreatedAt)}
}

// PromptsDoc is the answer of `prompt list` and `prompt search`.
type PromptsDoc struct {
	Project string      `json:"project"` // "" is every project
	Prompts []PromptDoc `json:"prompts"`
}

func promptsOf(project string, list []engram.Prompt, _ engram.Page) any {
	return PromptsDoc{project, document.Each(list, promptOf)}
}

// CapturedDoc is the answer of `capture`.
type CapturedDoc struct {
	Extracted  int               `json:"extracted"`
	Saved      int               `json:"saved"`
	Duplicates int               `json:"duplicates"`
	Memories   []document.Memory `json:"memories"` // saved memories
}

func capturedOf(e *engine.Engine, r engine.CaptureResult) CapturedDoc {
	return CapturedDoc{r.Extracted, r.Saved, r.Duplicates, command.MemoriesOf(e, r.Memories)}
}
