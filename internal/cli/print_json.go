package cli

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// The documents below are the answers with --json. Package document holds those shared with HTTP, and the
// rules for all.

// answer prints the result of a command: doc with --json, else the text.
func (p *program) answer(doc any, text func(*strings.Builder)) error {
	return p.answerIn(0, doc, text)
}

// answerWrapped is answer for texts of memories: on a terminal, lines are wrapped to its width.
func (p *program) answerWrapped(doc any, text func(*strings.Builder)) error {
	return p.answer(doc, func(b *strings.Builder) { b.WriteString(wrapped(plainText(text), p.columns())) })
}

// answerRows is answer for lists: on a terminal, lines are cut to its width.
func (p *program) answerRows(doc any, text func(*strings.Builder)) error {
	return p.answerIn(p.columns(), doc, text)
}

func (p *program) answerIn(columns int, doc any, text func(*strings.Builder)) error {
	if !p.json {
		return p.reportTo(columns, text)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return engram.Errorf(engram.CodeInternal, "cannot encode the answer as JSON").WithCause(err)
	}
	_, err := p.Stdout.Write(render.JSON(b.Bytes()))
	return outputError(err)
}

// answerLine prints doc as one line of JSON, for commands with several answers.
func (p *program) answerLine(doc any) error {
	line, err := json.Marshal(doc)
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "cannot encode the answer as JSON").WithCause(err)
	}
	_, err = p.Stdout.Write(render.JSON(append(line, '\n')))
	return outputError(err)
}

func memoriesOf(e *engine.Engine, list []engram.Memory) []document.Memory {
	return document.Each(list, func(m engram.Memory) document.Memory { return document.MemoryOf(m, e.StateOf(m)) })
}

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

// foundDoc is the answer of `search`.
type foundDoc struct {
	Query          string         `json:"query"`
	Project        string         `json:"project"` // "" is every project
	Hits           []document.Hit `json:"hits"`    // best first; empty if nothing is relevant
	BelowThreshold []document.Hit `json:"weak"`    // below the relevance threshold, best first; ranks continue those of hits
	// How the question was read: unknown words, expressions of time.
	Repaired []document.Repair `json:"repaired"`
	Times    []document.Time   `json:"times"`
	Degraded []string          `json:"degraded"`
}

func foundOf(query, project string, f engram.Found) foundDoc {
	return foundDoc{Query: query, Project: project, Hits: document.HitsOf(f.Hits, 0), BelowThreshold: document.HitsOf(f.BelowThreshold, len(f.Hits)),
		Repaired: document.Each(f.Repaired, document.RepairOf), Times: document.Each(f.Times, document.TimeOf), Degraded: document.OrEmpty(f.Degraded)}
}

// contextDoc is the answer of `context`.
type contextDoc struct {
	Project  string             `json:"project"` // "" is every project
	Text     string             `json:"text"`    // the text for a new session
	Sessions []sessionDoc       `json:"sessions"`
	Prompts  []promptDoc        `json:"prompts"`
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

func contextOf(project string, c engram.Context, o render.Options) contextDoc {
	return contextDoc{project, render.Context(c, o), document.Each(c.Sessions, activityOf), document.Each(c.Prompts, promptOf), document.MarkedOfAll(c.Memories, c.Notes),
		document.MarkedOfAll(c.Personal, c.Notes), c.Budget, c.Tokens, c.Again, c.Withheld, c.WithheldPrompts, document.Each(c.LeftOut, document.LeftOutOf), document.OrEmpty(c.Degraded)}
}

// detailDoc is the answer of `get`.
type detailDoc struct {
	Memory    document.Memory     `json:"memory"`
	Strength  float64             `json:"strength_now"` // 0 to 1
	Why       string              `json:"strength_reason"`
	Relations []document.Relation `json:"relations"`
	Revisions []document.Version  `json:"revisions"` // oldest first, without the current text
}

func detailOf(d engine.Detail) detailDoc {
	return detailDoc{document.MarkedOf(d.Memory, d.Note()).Memory, document.Share(d.Strength), d.Why, document.Each(d.Relations, document.RelationOf), document.Each(d.Revisions, document.RevisionOf)}
}

// listDoc is the answer of `list` and `recent`.
type listDoc struct {
	Project  string            `json:"project"` // "" is every project
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	Memories []document.Marked `json:"memories"` // newest first
}

func listOf(project string, list engine.Listed, page engram.Page) listDoc {
	return listDoc{project, page.Limit, page.Offset, document.MarkedOfAll(list.Memories, list.Notes)}
}

// timelineDoc is the answer of `timeline`.
type timelineDoc struct {
	Focus   document.Marked   `json:"focus"`
	Before  []document.Marked `json:"before"` // oldest first
	After   []document.Marked `json:"after"`  // oldest first
	Session sessionDoc        `json:"session"`
	Total   int               `json:"total"` // live memories in the session
}

func timelineOf(t engram.Timeline) timelineDoc {
	return timelineDoc{document.MarkedOf(t.Focus, t.Notes[t.Focus.Num]), document.MarkedOfAll(t.Before, t.Notes), document.MarkedOfAll(t.After, t.Notes), sessionOf(t.Session), t.Total}
}

// changedDoc is the answer of `mark` and `tag`, and part of that of `update`.
type changedDoc struct {
	Memory document.Memory `json:"memory"`
}

func changedOf(e *engine.Engine, m engram.Memory) changedDoc {
	return changedDoc{document.MemoryOf(m, e.StateOf(m))}
}

// sessionDoc is the answer of `session start` and `session end`.
type sessionDoc struct {
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

func sessionOf(s engram.Session) sessionDoc {
	return sessionDoc{s.ID, s.Project, s.Directory, document.Timestamp(s.StartedAt), document.Timestamp(s.EndedAt), document.Timestamp(s.ActiveAt), s.Summary, engine.FlaggedSummary(s), nil}
}

func activityOf(s engram.SessionActivity) sessionDoc {
	d := sessionOf(s.Session)
	d.Memories = &s.Memories
	return d
}

// sessionsDoc is the answer of `session list`.
type sessionsDoc struct {
	Project  string       `json:"project"` // "" is every project
	Limit    int          `json:"limit"`
	Offset   int          `json:"offset"`
	Sessions []sessionDoc `json:"sessions"` // newest activity first
}

func sessionsOf(project string, list []engram.SessionActivity, page engram.Page) any {
	return sessionsDoc{project, page.Limit, page.Offset, document.Each(list, activityOf)}
}

// sessionShownDoc is the answer of `session show`.
type sessionShownDoc struct {
	Session  sessionDoc        `json:"session"`
	Memories []document.Marked `json:"memories"` // newest first
}

func sessionShownOf(s engram.Session, list engine.Listed) sessionShownDoc {
	return sessionShownDoc{sessionOf(s), document.MarkedOfAll(list.Memories, list.Notes)}
}

// promptDoc is the answer of `prompt save`.
type promptDoc struct {
	Num       int64              `json:"num"`
	SyncID    string             `json:"sync_id"`
	SessionID string             `json:"session_id"`
	Project   string             `json:"project"`
	Content   string             `json:"content"`
	CreatedAt document.Timestamp `json:"created_at"`
}

func promptOf(p engram.Prompt) promptDoc {
	return promptDoc{p.Num, p.SyncID, p.SessionID, p.Project, p.Content, document.Timestamp(p.CreatedAt)}
}

// promptsDoc is the answer of `prompt list` and `prompt search`.
type promptsDoc struct {
	Project string      `json:"project"` // "" is every project
	Prompts []promptDoc `json:"prompts"`
}

func promptsOf(project string, list []engram.Prompt, _ engram.Page) any {
	return promptsDoc{project, document.Each(list, promptOf)}
}

// capturedDoc is the answer of `capture`.
type capturedDoc struct {
	Extracted  int               `json:"extracted"`
	Saved      int               `json:"saved"`
	Duplicates int               `json:"duplicates"`
	Memories   []document.Memory `json:"memories"` // saved memories
}

func capturedOf(e *engine.Engine, r engine.CaptureResult) capturedDoc {
	return capturedDoc{r.Extracted, r.Saved, r.Duplicates, memoriesOf(e, r.Memories)}
}

// projectDoc is a project with its counts.
type projectDoc struct {
	Name      string             `json:"name"`
	Aliases   []string           `json:"aliases"`
	Root      string             `json:"root"`
	Remote    string             `json:"remote"`
	Memories  int                `json:"memories"` // live memories
	Sessions  int                `json:"sessions"`
	Prompts   int                `json:"prompts"`
	CreatedAt document.Timestamp `json:"created_at"`
}

// projectsDoc is the answer of `projects list`.
type projectsDoc struct {
	Projects []projectDoc `json:"projects"` // by name
}

func projectsOf(list []engram.ProjectCounts) []projectDoc {
	return document.Each(list, func(c engram.ProjectCounts) projectDoc {
		return projectDoc{c.Name, document.OrEmpty(c.Aliases), c.Root, c.Remote, c.Memories, c.Sessions, c.Prompts, document.Timestamp(c.CreatedAt)}
	})
}

// prunedDoc is the answer of `projects prune`.
type prunedDoc struct {
	DryRun   bool         `json:"dry_run"` // nothing was removed
	Projects []projectDoc `json:"projects"`
}

// mergedDoc is the answer of `projects merge` and `projects rename`.
type mergedDoc struct {
	Into     string `json:"into"`
	Sources  int    `json:"sources"` // sources that had anything
	Memories int    `json:"memories"`
	Sessions int    `json:"sessions"`
	Prompts  int    `json:"prompts"`
}

func mergedOf(r engine.MergeResult) mergedDoc {
	return mergedDoc{r.To, r.Sources, r.Memories, r.Sessions, r.Prompts}
}

// detectedDoc is the answer of `projects detect`.
type detectedDoc struct {
	Project   string   `json:"project"`
	Source    string   `json:"source"`
	Path      string   `json:"path"`
	Available []string `json:"available"`
	Warning   string   `json:"warning"`
}

func detectedOf(in engine.ProjectInForce) detectedDoc {
	return detectedDoc{in.Name, string(in.Source), in.Path, document.OrEmpty(in.Available), in.Warning}
}
