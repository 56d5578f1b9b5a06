package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

type saveArgs struct {
	Title        string         `json:"title" doc:"verb + what; short, searchable" required:"schema" small:"a short name for it"`
	Content      string         `json:"content" small:"one or more full sentences" needed:"small"`
	Observation  string         `json:"observation" schema:"-"` // old name of content
	Type         string         `json:"type" doc:"decision, architecture, bugfix, pattern, config, discovery, learning, preference, …" default:"manual" small:"decision, bugfix, fact, preference, …"`
	TopicKey     string         `json:"topic_key" doc:"family/description" small:"-"`
	Scope        string         `json:"scope" enum:"project,personal,global" default:"project" lax:"true" small:"-"`
	SessionID    string         `json:"session_id" small:"-"`
	Project      string         `json:"project" doc:"a known one; default: this folder's" small:"-"`
	Tags         []string       `json:"tags" small:"-"`
	Files        []string       `json:"files" doc:"PATH[:L1-L2] it speaks of" small:"-"`
	Importance   *float64       `json:"importance" doc:"default 0.5" min:"0" max:"1" small:"-"`
	Permanent    bool           `json:"permanent" doc:"never fades" small:"-"`
	Metadata     map[string]any `json:"metadata" small:"-"`
	ChoiceReason string         `json:"project_choice_reason" enum:"user_selected_after_ambiguous_project" lax:"true" small:"-"`
	Token        string         `json:"recovery_token" small:"-"`
}

// text returns the content, by whichever name it came.
func (a saveArgs) text() string {
	if strings.TrimSpace(a.Content) == "" {
		return a.Observation
	}
	return a.Content
}

type saved struct {
	envelope
	ID          int64  `json:"id"`
	SyncID      string `json:"sync_id"`
	State       string `json:"state"`
	Action      string `json:"action,omitempty" schema:"-"` // revised, repeated or merged; none for a new memory
	ReviewAfter string `json:"review_after,omitempty" schema:"-"`

	Anchors []document.Anchor `json:"anchors,omitempty" schema:"-"` // the code that its text names
	judgment
}

// judgment lists what a saved memory may contradict.
type judgment struct {
	Required   bool                        `json:"judgment_required"`
	Status     string                      `json:"judgment_status,omitempty" schema:"-"`
	ID         string                      `json:"judgment_id,omitempty"`           // of the likeliest candidate
	Candidates []document.FlaggedCandidate `json:"candidates,omitempty" schema:"-"` // likeliest first
}

func judgmentOf(cs []relate.Candidate) judgment {
	if len(cs) == 0 {
		return judgment{}
	}
	return judgment{true, string(engram.RelationPending), cs[0].Relation.ID, document.Each(cs, func(c relate.Candidate) document.FlaggedCandidate {
		return document.FlaggedCandidateOf(c.Memory, c.Relation, c.Score, c.Reason)
	})}
}

func (d *dialect) save(ctx context.Context, by tool.Caller, a saveArgs) (saved, error) {
	if strings.TrimSpace(a.text()) == "" {
		return saved{}, noContent(by)
	}
	asked := projects.ProjectRequest{Explicit: a.Project, SessionID: a.SessionID, Override: d.Project}
	at, err := d.chosen(ctx, choice{a.SessionID, a.Project, a.ChoiceReason, a.Token}, asked)
	if err != nil {
		return saved{}, err
	}
	name := at.Name
	if at.Source == project.SourceExplicit {
		name = a.Project // as written, so that the save can report how it was normalised
	}
	res, err := d.As(by).Save(ctx, remember.SaveInput{
		Title: a.Title, Content: a.text(), Type: engram.Type(a.Type), Scope: engram.ParseScope(a.Scope), Project: name,
		TopicKey: a.TopicKey, SessionID: a.SessionID, Directory: d.Dir, Tags: a.Tags, Metadata: a.Metadata, Files: a.Files,
		Importance: a.Importance, Permanent: a.Permanent,
	})
	if err != nil {
		return saved{}, failed("Failed to save", err, asked)
	}
	d.activity.savedIn(at.Name, d.Engine.Now())
	at.Name = res.Memory.Project // a merged project's memories go to its target
	var verdict string           // last, because a person may take time
	verdict, res.Candidates = d.askVerdict(ctx, by, res)
	out := saved{envelope: enveloped(at, strings.Join(saveLines(by, res, verdict), "\n")), ID: res.Memory.Num,
		SyncID: res.Memory.SyncID, State: string(res.State), ReviewAfter: timestamp(res.Memory.ReviewAfter),
		Anchors:  document.AnchorsOf(res.Memory, engram.Note{}),
		judgment: judgmentOf(res.Candidates)}
	if res.Action != ledger.ActionInserted {
		out.Action = string(res.Action)
	}
	return out, nil
}

// noContent says what is missing. It mentions the old name only where an agent that knows it may be: among many
// tools.
func noContent(by tool.Caller) error {
	if !by.Has("mem_get_observation") {
		return invalid("content is required for mem_save: one or more full sentences")
	}
	return invalid("content is required for mem_save (use content, or observation for backward-compatible clients)")
}

// saveLines reports a save; verdict is the line about a person's verdict, "" for none.
func saveLines(by tool.Caller, res remember.SaveResult, verdict string) []string {
	lines := []string{fmt.Sprintf("Memory saved: %q (%s)", res.Memory.Title, res.Memory.Type)}
	if topic := res.SuggestedTopic(); topic != "" {
		lines = append(lines, "Suggested topic_key: "+topic)
	}
	for _, w := range res.Warnings {
		lines = append(lines, caution+w)
	}
	if verdict != "" {
		lines = append(lines, verdict)
	}
	if n := len(res.Candidates); n > 0 && by.Has("mem_judge") {
		lines = append(lines, fmt.Sprintf("CONFLICT REVIEW PENDING — %d candidate(s); use mem_judge to record verdicts.", n))
	} else if n > 0 {
		c := res.Candidates[0].Memory
		lines = append(lines, fmt.Sprintf("It may contradict #%d: %s\nTell the user, and ask which of the two holds.", c.Num, render.Line(c.Content, 300)))
	}
	if done := admission(res); done != "" {
		lines = append(lines, done)
	}
	return append(lines, render.AnchoredTo(res.Memory.Anchors)...)
}

// admission says how a save merged into an existing memory; "" for a new one. It comes after the lines that
// clients of the dialect know.
func admission(res remember.SaveResult) string {
	m := res.Memory
	switch res.Action {
	case ledger.ActionRevised:
		return fmt.Sprintf("Revised #%d: revision %d of its topic, %s; the earlier text is kept.", m.Num, m.RevisionCount, m.TopicKey)
	case ledger.ActionRepeated:
		return fmt.Sprintf("Already known as #%d, word for word: seen %d times now.", m.Num, m.DuplicateCount)
	case ledger.ActionMerged:
		return fmt.Sprintf("Merged with #%d: %s; the earlier text is kept.", m.Num, res.Reason)
	}
	return ""
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

type updateArgs struct {
	ID       tool.ID `json:"id" required:"true"`
	Title    *string `json:"title"`
	Content  *string `json:"content"`
	Type     *string `json:"type"`
	Scope    *string `json:"scope" enum:"project,personal,global" lax:"true"`
	TopicKey *string `json:"topic_key"`
	Project  *string `json:"project" doc:"moves it there"`
}

func (d *dialect) update(ctx context.Context, by tool.Caller, a updateArgs) (message, error) {
	if a.Project != nil && strings.TrimSpace(*a.Project) == "" {
		a.Project = nil // models fill in empty arguments; a memory is not moved to no project
	}
	if a.Title == nil && a.Content == nil && a.Type == nil && a.Scope == nil && a.TopicKey == nil && a.Project == nil {
		return message{}, invalid("provide at least one field to update")
	}
	in := remember.UpdateInput{Ref: engram.ByNum(int64(a.ID)), Title: a.Title, Content: a.Content, TopicKey: a.TopicKey}
	if a.Type != nil {
		in.Type = new(engram.Type(*a.Type))
	}
	if a.Scope != nil {
		in.Scope = new(engram.ParseScope(*a.Scope))
	}
	if a.Project != nil {
		to, err := d.writing(ctx, projects.ProjectRequest{Explicit: *a.Project}) // a known one, as for a save
		if err != nil {
			return message{}, err
		}
		in.Project = &to.Name
	}
	m, err := d.As(by).Update(ctx, in)
	if err != nil {
		return message{}, worded("Failed to update memory", err)
	}
	lines := []string{fmt.Sprintf("Memory updated: #%d %q (%s, scope=%s)", m.Num, m.Title, m.Type, m.Scope)}
	if in.Project != nil {
		lines = append(lines, fmt.Sprintf("It is in project %q now.", m.Project))
	}
	return d.here(ctx, cautioned(strings.Join(lines, "\n"), m.Warnings)), nil
}

type captureArgs struct {
	Content   string `json:"content" required:"schema"`
	SessionID string `json:"session_id"`
	Source    string `json:"source" default:"mcp-passive"`
}

func (d *dialect) capture(ctx context.Context, by tool.Caller, a captureArgs) (message, error) {
	if strings.TrimSpace(a.Content) == "" {
		return message{}, invalid("content is required — include text with a '## Key Learnings:' section")
	}
	at, err := d.writing(ctx, d.ofSession(ctx, projects.ProjectRequest{Override: d.Project}, a.SessionID))
	if err != nil {
		return message{}, err
	}
	res, err := d.As(by).Capture(ctx, remember.CaptureInput{Content: a.Content, SessionID: a.SessionID, NewSession: true,
		Project: at.Name, Directory: d.Dir, Source: a.Source})
	if err != nil {
		return message{}, failed("Failed to capture", err, projects.ProjectRequest{SessionID: a.SessionID})
	}
	if res.Saved > 0 {
		d.activity.savedIn(at.Name, d.Engine.Now())
	}
	return message{envelope: enveloped(at, cautioned(fmt.Sprintf("Passive capture complete: extracted=%d saved=%d duplicates=%d",
		res.Extracted, res.Saved, res.Duplicates), res.Warnings))}, nil
}

type topicArgs struct {
	Title   string `json:"title"`
	Content string `json:"content" doc:"used without a title"`
	Type    string `json:"type"`
}

type topicKey struct {
	TopicKey string `json:"topic_key"`
}

// PlainText returns the dialect's line.
func (t topicKey) PlainText() (string, bool) { return "Suggested topic_key: " + t.TopicKey, true }

func (d *dialect) suggestTopic(_ context.Context, _ tool.Caller, a topicArgs) (topicKey, error) {
	if strings.TrimSpace(a.Title) == "" && strings.TrimSpace(a.Content) == "" {
		return topicKey{}, invalid("provide title or content to suggest a topic_key")
	}
	key, err := d.Engine.SuggestTopic(engram.Type(a.Type), a.Title, a.Content)
	return topicKey{key}, err
}
