package engine

// API SKETCH (to be split into a file per verb; signatures stay)

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
)

// ---- save.go

// SaveInput is what is to be remembered. Content is required.
type SaveInput struct {
	Title      string // "" takes the first words of the content
	Content    string
	Type       engram.Type // "" is manual
	Scope      engram.Scope
	Project    string // already decided (see Engine.ProjectFor); "" is no project
	TopicKey   string
	SessionID  string // "" takes the project's open session, else makes manual-save-PROJECT
	NewSession bool   // make the session if it does not exist, instead of an error
	Directory  string // folder of a session that is made
	ToolName   string
	Origin     engram.Origin // "" is agent
	Tags       []string
	Metadata   map[string]any
	Importance *float64 // nil is engram.DefaultImportance
	Permanent  bool
	Related    []engram.Ref // a relates_to relation to each
}

// Action is what a save did.
type Action string

// The actions.
const (
	ActionInserted Action = "inserted"
	ActionRevised  Action = "revised"  // the topic's memory now says this; the old text is a revision
	ActionRepeated Action = "repeated" // said before, word for word; counted
)

// SaveResult is the memory as it is now and what the save did to it.
type SaveResult struct {
	Memory         engram.Memory
	Action         Action
	Reason         string   // why this action, for a person
	SuggestedTopic string   // a topic key that would fit; "" when one was given
	Warnings       []string // about the project name: normalised, similar to another
	State          engram.State
}

func (e *Engine) Save(ctx context.Context, in SaveInput) (SaveResult, error) { panic("x") }

// ---- search.go

// SearchInput is a question. An empty query lists the newest.
type SearchInput struct {
	Query  string
	Filter engram.Filter // Filter.Project "" searches every project
	Limit  int           // 0 is 10; at most 100
	All    bool          // only memories that have every word
}

func (e *Engine) Search(ctx context.Context, in SearchInput) (engram.Found, error) { panic("x") }

// ---- get.go

// Detail is a whole memory with what belongs to it.
type Detail struct {
	Memory    engram.Memory
	State     engram.State
	Revisions []engram.Revision // oldest first; without the current text
	Relations []engram.RelationNote
}

// Get returns a live memory; a forgotten one is not_found with a hint.
func (e *Engine) Get(ctx context.Context, ref engram.Ref) (Detail, error) { panic("x") }

// ---- list.go

// List returns memories newest first. Limit 0 is 20, at most 1000.
func (e *Engine) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	panic("x")
}

// StateOf says whether m is due for review now.
func (e *Engine) StateOf(m engram.Memory) engram.State { panic("x") }

// ---- update.go

// UpdateInput changes the fields that are not nil.
type UpdateInput struct {
	Ref        engram.Ref
	Title      *string
	Content    *string
	Type       *engram.Type
	Scope      *engram.Scope
	Project    *string
	TopicKey   *string
	Importance *float64
	Permanent  *bool
	Tags       *[]string
	AddTags    []string
	RemoveTags []string
	Metadata   map[string]any // keys to set; a nil value removes its key
}

// Update changes a live memory; nothing to change is invalid. A change of type,
// title, content, scope, project or topic counts as a revision.
func (e *Engine) Update(ctx context.Context, in UpdateInput) (engram.Memory, error) { panic("x") }

// ---- forget.go

// Forget hides live memories; all or none. A memory that is not live is not_found.
func (e *Engine) Forget(ctx context.Context, refs ...engram.Ref) ([]engram.Memory, error) { panic("x") }

// Erase removes memories for good, live or forgotten; all or none.
func (e *Engine) Erase(ctx context.Context, refs ...engram.Ref) ([]engram.Memory, error) { panic("x") }

// ---- timeline.go

// Timeline tells what was saved around a memory in its session. Negative counts are invalid; at most 100 each.
func (e *Engine) Timeline(ctx context.Context, ref engram.Ref, before, after int) (engram.Timeline, error) {
	panic("x")
}

// ---- context.go

// ContextInput says whose context is wanted. Project "" is every project, Scope "" every scope.
type ContextInput struct {
	Project string
	Scope   engram.Scope
}

func (e *Engine) Context(ctx context.Context, in ContextInput) (engram.Context, error) { panic("x") }

// ---- session.go

// SessionInput starts a session. ID and Project are required.
type SessionInput struct{ ID, Project, Directory string }

// StartSession is idempotent: an existing session keeps its project and directory, only empty ones are filled in.
func (e *Engine) StartSession(ctx context.Context, in SessionInput) (engram.Session, error) {
	panic("x")
}

// EndSession marks a session as ended. An unknown id is fine: known says whether it existed.
func (e *Engine) EndSession(ctx context.Context, id, summary string) (known bool, err error) {
	panic("x")
}

func (e *Engine) Session(ctx context.Context, id string) (engram.Session, error) { panic("x") }

// Sessions lists sessions, newest activity first. Limit 0 is 5, at most 1000.
func (e *Engine) Sessions(ctx context.Context, project string, p engram.Page) ([]engram.SessionActivity, error) {
	panic("x")
}

// DeleteSession removes a session that has no memories (forgotten ones count): conflict otherwise, with the number.
func (e *Engine) DeleteSession(ctx context.Context, id string) error { panic("x") }

// Summarize saves a session_summary memory titled "Session summary: PROJECT".
func (e *Engine) Summarize(ctx context.Context, in SaveInput) (SaveResult, error) { panic("x") }

// ---- prompt.go

// PromptInput is what a person asked. SessionID and NewSession are as in SaveInput.
type PromptInput struct {
	Content    string
	SessionID  string
	NewSession bool
	Project    string
	Directory  string
	Once       bool // nothing is written when the session has this very prompt already
}

func (e *Engine) SavePrompt(ctx context.Context, in PromptInput) (engram.Prompt, error) { panic("x") }

// Prompts lists prompts newest first. Limit 0 is 20, at most 1000.
func (e *Engine) Prompts(ctx context.Context, project string, p engram.Page) ([]engram.Prompt, error) {
	panic("x")
}

// SearchPrompts finds prompts by words; an empty query lists the newest. Limit 0 is 10, at most 100.
func (e *Engine) SearchPrompts(ctx context.Context, query, project string, limit int) ([]engram.Prompt, error) {
	panic("x")
}

func (e *Engine) DeletePrompt(ctx context.Context, num int64) error { panic("x") }

// ---- capture.go

// CaptureInput is text that may hold a "## Key Learnings:" section.
type CaptureInput struct {
	Content    string
	SessionID  string
	NewSession bool
	Project    string
	Directory  string
	Source     string // becomes ToolName
}

// CaptureResult counts what was found in the text.
type CaptureResult struct {
	Extracted, Saved, Duplicates int
	Memories                     []engram.Memory // those that were saved
}

func (e *Engine) Capture(ctx context.Context, in CaptureInput) (CaptureResult, error) { panic("x") }

// ---- topic.go

// SuggestTopic proposes a topic key; title and content both empty is invalid.
func (e *Engine) SuggestTopic(typ engram.Type, title, content string) (string, error) { panic("x") }

// ---- project.go

// ProjectRequest asks which project a call is about.
type ProjectRequest struct {
	Explicit  string // named by the caller; must be known: unknown_project else
	Chosen    string // picked by the user after an ambiguous folder; trusted
	SessionID string // a session whose project counts (writes); must exist when given
	Override  string // the process's --project or ENGRAM_PROJECT
	Dir       string // where to look otherwise
	Write     bool   // save's rules for Explicit instead of the readers'
	Lenient   bool   // an ambiguous folder gives its base name instead of an error
}

// ProjectInForce is the project of a call and how it was found.
type ProjectInForce struct {
	Name      string
	Source    project.Source
	Path      string   // folder that decided; "" when none did
	Available []string // the choices in an ambiguous folder
	Warning   string
}

// ProjectFor decides the project of a call in the order of docs/protocol: chosen, explicit, session, override, folder.
func (e *Engine) ProjectFor(ctx context.Context, r ProjectRequest) (ProjectInForce, error) {
	panic("x")
}

func (e *Engine) Projects(ctx context.Context) ([]engram.ProjectCounts, error) { panic("x") }

// MergeResult counts what went to the target project.
type MergeResult struct {
	To                          string
	Sources                     int // how many of the sources had anything
	Memories, Sessions, Prompts int
}

// MergeProjects gives everything of the sources to one project, atomically, and keeps the old names as aliases.
func (e *Engine) MergeProjects(ctx context.Context, from []string, to string) (MergeResult, error) {
	panic("x")
}

// SimilarProjects groups existing projects whose names look like one project's; each group has the largest first.
func (e *Engine) SimilarProjects(ctx context.Context) ([][]engram.ProjectCounts, error) { panic("x") }

// PruneProjects removes projects without memories (live or forgotten) together with their prompts and empty sessions; dryRun only names them.
func (e *Engine) PruneProjects(ctx context.Context, names []string, dryRun bool) ([]engram.ProjectCounts, error) {
	panic("x")
}

// DeletedProject counts what deleting a project removed.
type DeletedProject struct{ Memories, Prompts, Sessions int }

// DeleteProject forgets the project's memories and removes its prompts; hard erases memories and removes sessions and the project too.
func (e *Engine) DeleteProject(ctx context.Context, name string, hard bool) (DeletedProject, error) {
	panic("x")
}

// ---- stats.go

func (e *Engine) Stats(ctx context.Context, project string) (engram.Stats, error) { panic("x") }
