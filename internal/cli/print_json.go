package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// The documents below are what --json prints, one per command, indented, with a
// newline at the end. They are a contract: keys are in snake_case and always there;
// lists are [] and objects {} when empty; a time is RFC 3339 in UTC with
// milliseconds, and null when there is none.

// answer prints what a command found out: doc with --json, else the text.
func (p *program) answer(doc any, text func(*strings.Builder)) error {
	if !p.json {
		return p.tellTo(text)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return engram.Errorf(engram.CodeInternal, "the answer cannot be written as JSON").WithCause(err)
	}
	_, err := p.Stdout.Write(b.Bytes())
	return outputError(err)
}

// stamp is a time in a document.
type stamp time.Time

// MarshalJSON writes RFC 3339 in UTC, or null for the zero time.
func (s stamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// memoryDoc is a whole memory.
type memoryDoc struct {
	ID             engram.ID      `json:"id"`  // mem_…, for ever
	Num            int64          `json:"num"` // in this database
	SyncID         string         `json:"sync_id"`
	Project        string         `json:"project"`
	Scope          engram.Scope   `json:"scope"`
	Type           engram.Type    `json:"type"`
	Title          string         `json:"title"`
	Content        string         `json:"content"`
	Summary        string         `json:"summary"`
	Tags           []string       `json:"tags"`
	Metadata       map[string]any `json:"metadata"`
	TopicKey       string         `json:"topic_key"`
	SessionID      string         `json:"session_id"`
	ToolName       string         `json:"tool_name"`
	Origin         engram.Origin  `json:"origin"`
	Importance     float64        `json:"importance"` // 0 to 1
	Permanent      bool           `json:"permanent"`
	State          engram.State   `json:"state"` // active or needs_review
	RevisionCount  int            `json:"revision_count"`
	DuplicateCount int            `json:"duplicate_count"`
	CreatedAt      stamp          `json:"created_at"`
	UpdatedAt      stamp          `json:"updated_at"`
	LastSeenAt     stamp          `json:"last_seen_at"`
	ReviewAfter    stamp          `json:"review_after"`
	DeletedAt      stamp          `json:"deleted_at"`
}

func memoryOf(m engram.Memory, state engram.State) memoryDoc {
	d := memoryDoc{
		ID: m.ID, Num: m.Num, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope, Type: m.Type, Title: m.Title,
		Content: m.Content, Summary: m.Summary, Tags: m.Tags, Metadata: m.Metadata, TopicKey: m.TopicKey,
		SessionID: m.SessionID, ToolName: m.ToolName, Origin: m.Origin, Importance: m.Importance, Permanent: m.Permanent,
		State: state, RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, CreatedAt: stamp(m.CreatedAt),
		UpdatedAt: stamp(m.UpdatedAt), LastSeenAt: stamp(m.LastSeenAt), ReviewAfter: stamp(m.ReviewAfter), DeletedAt: stamp(m.DeletedAt),
	}
	if d.Tags == nil {
		d.Tags = []string{}
	}
	if d.Metadata == nil {
		d.Metadata = map[string]any{}
	}
	return d
}

func memoriesOf(e *engine.Engine, list []engram.Memory) []memoryDoc {
	return each(list, func(m engram.Memory) memoryDoc { return memoryOf(m, e.StateOf(m)) })
}

// each maps a list; an empty one is [], never null.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// orEmpty is list, but never nil.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// savedDoc is the answer of `save` and `session summary`.
type savedDoc struct {
	Action         engine.Action `json:"action"` // inserted, revised or repeated
	Reason         string        `json:"reason"`
	SuggestedTopic string        `json:"suggested_topic"` // "" when one was given
	Warnings       []string      `json:"warnings"`
	Memory         memoryDoc     `json:"memory"`
}

func savedOf(s engine.SaveResult) savedDoc {
	return savedDoc{s.Action, s.Reason, s.SuggestedTopic, orEmpty(s.Warnings), memoryOf(s.Memory, s.State)}
}

// foundDoc is the answer of `search`.
type foundDoc struct {
	Query   string   `json:"query"`
	Project string   `json:"project"` // "" is every project
	Hits    []hitDoc `json:"hits"`    // what is relevant, best first; empty: nothing relevant
	Weak    []hitDoc `json:"weak"`    // below the floor, best first; their ranks go on
	// How the question was read: words that nothing has, expressions of time.
	Repaired []repairDoc `json:"repaired"`
	Times    []timeDoc   `json:"times"`
	Degraded []string    `json:"degraded"`
}

type repairDoc struct {
	Written string   `json:"written"`
	Read    []string `json:"read"`
}

type timeDoc struct {
	Phrase string `json:"phrase"`
	From   stamp  `json:"from"` // inclusive; null: from the beginning
	To     stamp  `json:"to"`   // exclusive; null: open
}

type hitDoc struct {
	Rank      int           `json:"rank"`  // from 1
	Score     float64       `json:"score"` // greater is better; comparable within one answer
	Memory    memoryDoc     `json:"memory"`
	Relations []relationDoc `json:"relations"`
	Why       whyDoc        `json:"why"`
}

type whyDoc struct {
	Channels []channelDoc `json:"channels"`
	Factors  []factorDoc  `json:"factors"`
	Notes    []string     `json:"notes"`
}

type channelDoc struct {
	Channel engram.Channel `json:"channel"`
	Rank    int            `json:"rank"`
	Score   float64        `json:"score"`
}

type factorDoc struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// relationDoc is a relation as seen from one of its memories.
type relationDoc struct {
	Relation engram.Verb           `json:"relation"`
	Outgoing bool                  `json:"outgoing"` // the memory is the source
	Status   engram.RelationStatus `json:"status"`
	Reason   string                `json:"reason"`
	Num      int64                 `json:"num"` // of the other memory
	ID       engram.ID             `json:"id"`
	Title    string                `json:"title"`
}

func foundOf(query, project string, f engram.Found) foundDoc {
	d := foundDoc{Query: query, Project: project, Hits: []hitDoc{}, Weak: []hitDoc{}, Degraded: orEmpty(f.Degraded),
		Repaired: each(f.Repaired, repairOf),
		Times:    each(f.Times, timeOf)}
	for i, h := range f.Hits {
		d.Hits = append(d.Hits, hitOf(i+1, h))
	}
	for i, h := range f.Weak {
		d.Weak = append(d.Weak, hitOf(len(f.Hits)+i+1, h))
	}
	return d
}

func repairOf(r engram.Repair) repairDoc { return repairDoc{r.Written, orEmpty(r.Read)} }

func timeOf(t engram.TimeSpan) timeDoc { return timeDoc{t.Phrase, stamp(t.From), stamp(t.To)} }

func hitOf(rank int, h engram.Hit) hitDoc {
	return hitDoc{
		Rank: rank, Score: h.Score, Memory: memoryOf(h.Memory, h.State), Relations: each(h.Relations, relationOf),
		Why: whyOf(h.Why),
	}
}

// whyOf says how a hit came to its place.
func whyOf(w engram.Why) whyDoc {
	return whyDoc{
		each(w.Channels, func(c engram.ChannelRank) channelDoc { return channelDoc{c.Channel, c.Rank, c.Score} }),
		each(w.Factors, func(f engram.Factor) factorDoc { return factorDoc{f.Name, f.Value} }),
		orEmpty(w.Notes),
	}
}

func relationOf(n engram.RelationNote) relationDoc {
	return relationDoc{n.Relation.Verb, n.Outgoing, n.Relation.Status, n.Relation.Reason, n.Other.Num, n.Other.ID, n.Other.Title}
}

// contextDoc is the answer of `context`.
type contextDoc struct {
	Project  string       `json:"project"` // "" is every project
	Text     string       `json:"text"`    // what a session would be shown
	Sessions []sessionDoc `json:"sessions"`
	Prompts  []promptDoc  `json:"prompts"`
	Memories []memoryDoc  `json:"memories"` // newest first
	Budget   int          `json:"budget"`   // in tokens
	Tokens   int          `json:"tokens"`   // what text costs, about
	Again    bool         `json:"again"`    // the session was shown all of them before: nothing else is left
	LeftOut  []leftOutDoc `json:"left_out"` // what was worth telling too, best first
	Degraded []string     `json:"degraded"`
}

func contextOf(e *engine.Engine, project string, c engram.Context, o render.Options) contextDoc {
	return contextDoc{project, render.Context(c, o), each(c.Sessions, activityOf), each(c.Prompts, promptOf), memoriesOf(e, c.Memories),
		c.Budget, c.Tokens, c.Again, each(c.LeftOut, leftOutOf), orEmpty(c.Degraded)}
}

// detailDoc is the answer of `get`.
type detailDoc struct {
	Memory    memoryDoc     `json:"memory"`
	Relations []relationDoc `json:"relations"`
	Revisions []revisionDoc `json:"revisions"` // oldest first, without the current text
}

type revisionDoc struct {
	Number     int         `json:"number"`
	Type       engram.Type `json:"type"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	WrittenAt  stamp       `json:"written_at"`
	ReplacedAt stamp       `json:"replaced_at"`
	Reason     string      `json:"reason"`
}

func detailOf(d engine.Detail) detailDoc {
	return detailDoc{memoryOf(d.Memory, d.State), each(d.Relations, relationOf), each(d.Revisions, func(r engram.Revision) revisionDoc {
		return revisionDoc{r.Number, r.Type, r.Title, r.Content, stamp(r.WrittenAt), stamp(r.ReplacedAt), r.Reason}
	})}
}

// listDoc is the answer of `list` and `recent`.
type listDoc struct {
	Project  string      `json:"project"` // "" is every project
	Limit    int         `json:"limit"`
	Offset   int         `json:"offset"`
	Memories []memoryDoc `json:"memories"` // newest first
}

func listOf(e *engine.Engine, project string, list []engram.Memory, page engram.Page) listDoc {
	return listDoc{project, page.Limit, page.Offset, memoriesOf(e, list)}
}

// timelineDoc is the answer of `timeline`.
type timelineDoc struct {
	Focus   memoryDoc   `json:"focus"`
	Before  []memoryDoc `json:"before"` // oldest first
	After   []memoryDoc `json:"after"`  // oldest first
	Session sessionDoc  `json:"session"`
	Total   int         `json:"total"` // live memories in the session
}

func timelineOf(e *engine.Engine, t engram.Timeline) timelineDoc {
	return timelineDoc{memoryOf(t.Focus, e.StateOf(t.Focus)), memoriesOf(e, t.Before), memoriesOf(e, t.After), sessionOf(t.Session), t.Total}
}

// changedDoc is the answer of `update`, `mark` and `tag`.
type changedDoc struct {
	Memory memoryDoc `json:"memory"`
}

func changedOf(e *engine.Engine, m engram.Memory) changedDoc {
	return changedDoc{memoryOf(m, e.StateOf(m))}
}

// deletedDoc is the answer of `delete ID…`.
type deletedDoc struct {
	Hard    bool         `json:"hard"`
	Deleted []deletedRow `json:"deleted"`
}

type deletedRow struct {
	ID    engram.ID `json:"id"`
	Num   int64     `json:"num"`
	Title string    `json:"title"`
}

func deletedOf(gone []engram.Memory, hard bool) deletedDoc {
	return deletedDoc{hard, each(gone, func(m engram.Memory) deletedRow { return deletedRow{m.ID, m.Num, m.Title} })}
}

// sessionDoc is the answer of `session start` and `session end`.
type sessionDoc struct {
	ID        string `json:"id"`
	Project   string `json:"project"`
	Directory string `json:"directory"`
	StartedAt stamp  `json:"started_at"`
	EndedAt   stamp  `json:"ended_at"` // null while it runs
	ActiveAt  stamp  `json:"active_at"`
	Summary   string `json:"summary"`
	Memories  *int   `json:"memories,omitempty"` // live ones; only where sessions are listed
}

func sessionOf(s engram.Session) sessionDoc {
	return sessionDoc{s.ID, s.Project, s.Directory, stamp(s.StartedAt), stamp(s.EndedAt), stamp(s.ActiveAt), s.Summary, nil}
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

func sessionsOf(project string, list []engram.SessionActivity, page engram.Page) sessionsDoc {
	return sessionsDoc{project, page.Limit, page.Offset, each(list, activityOf)}
}

// sessionShownDoc is the answer of `session show`.
type sessionShownDoc struct {
	Session  sessionDoc  `json:"session"`
	Memories []memoryDoc `json:"memories"` // newest first
}

func sessionShownOf(e *engine.Engine, s engram.Session, list []engram.Memory) sessionShownDoc {
	return sessionShownDoc{sessionOf(s), memoriesOf(e, list)}
}

// promptDoc is the answer of `prompt save`.
type promptDoc struct {
	Num       int64  `json:"num"`
	SyncID    string `json:"sync_id"`
	SessionID string `json:"session_id"`
	Project   string `json:"project"`
	Content   string `json:"content"`
	CreatedAt stamp  `json:"created_at"`
}

func promptOf(p engram.Prompt) promptDoc {
	return promptDoc{p.Num, p.SyncID, p.SessionID, p.Project, p.Content, stamp(p.CreatedAt)}
}

// promptsDoc is the answer of `prompt list` and `prompt search`.
type promptsDoc struct {
	Project string      `json:"project"` // "" is every project
	Prompts []promptDoc `json:"prompts"`
}

func promptsOf(project string, list []engram.Prompt) promptsDoc {
	return promptsDoc{project, each(list, promptOf)}
}

// capturedDoc is the answer of `capture`.
type capturedDoc struct {
	Extracted  int         `json:"extracted"`
	Saved      int         `json:"saved"`
	Duplicates int         `json:"duplicates"`
	Memories   []memoryDoc `json:"memories"` // those that were saved
}

func capturedOf(e *engine.Engine, r engine.CaptureResult) capturedDoc {
	return capturedDoc{r.Extracted, r.Saved, r.Duplicates, memoriesOf(e, r.Memories)}
}

// projectDoc is a project with what is kept under it.
type projectDoc struct {
	Name      string   `json:"name"`
	Aliases   []string `json:"aliases"`
	Root      string   `json:"root"`
	Remote    string   `json:"remote"`
	Memories  int      `json:"memories"` // live ones
	Sessions  int      `json:"sessions"`
	Prompts   int      `json:"prompts"`
	CreatedAt stamp    `json:"created_at"`
}

// projectsDoc is the answer of `projects list`.
type projectsDoc struct {
	Projects []projectDoc `json:"projects"` // by name
}

func projectsOf(list []engram.ProjectCounts) []projectDoc {
	return each(list, func(c engram.ProjectCounts) projectDoc {
		return projectDoc{c.Name, orEmpty(c.Aliases), c.Root, c.Remote, c.Memories, c.Sessions, c.Prompts, stamp(c.CreatedAt)}
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
	Sources  int    `json:"sources"` // how many of the sources had anything
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
	return detectedDoc{in.Name, string(in.Source), in.Path, orEmpty(in.Available), in.Warning}
}

// statsDoc is the answer of `stats`.
type statsDoc struct {
	Project   string              `json:"project"` // "" is every project
	Memories  int                 `json:"memories"`
	Forgotten int                 `json:"forgotten"`
	Sessions  int                 `json:"sessions"`
	Prompts   int                 `json:"prompts"`
	Relations int                 `json:"relations"`
	Projects  []string            `json:"projects"`
	Types     map[engram.Type]int `json:"types"`
	Bytes     int64               `json:"bytes"` // on disk
	Database  string              `json:"database"`
}

func statsOf(project string, s engram.Stats, database string) statsDoc {
	types := map[engram.Type]int{}
	maps.Copy(types, s.Types)
	return statsDoc{project, s.Memories, s.Forgotten, s.Sessions, s.Prompts, s.Relations, orEmpty(s.Projects), types, s.Bytes, database}
}
