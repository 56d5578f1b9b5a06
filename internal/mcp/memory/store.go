package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// draft is a memory as the dialect takes it.
type draft struct {
	Content    string   `json:"content" required:"true"`
	Type       string   `json:"type" doc:"fact, decision, preference, pattern, debug, entity, …" default:"fact"`
	Tags       []string `json:"tags"`
	Importance *float64 `json:"importance" doc:"default 0.5" min:"0" max:"1"`
	RelatedTo  []string `json:"related_to" doc:"ids" ref:"true"`
}

type storeArgs struct {
	Content    string   `json:"content" required:"true"`
	Type       string   `json:"type" doc:"fact, decision, preference, pattern, debug, entity, …" default:"fact"`
	Tags       []string `json:"tags"`
	Importance *float64 `json:"importance" doc:"default 0.5; important ones fade slower" min:"0" max:"1"`
	RelatedTo  []string `json:"related_to" doc:"ids of related memories" ref:"true"`
	Project    string   `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

type stored struct {
	ID       string   `json:"id"`
	Action   string   `json:"action" doc:"inserted, or repeated: it was there"`
	Warnings []string `json:"warnings"`

	saved string // in words
}

// PlainText says what became of the memory.
func (s stored) PlainText() (string, bool) { return withWarnings(s.saved, s.Warnings), true }

func withWarnings(text string, warnings []string) string {
	for _, w := range warnings {
		text += "\nWarning: " + w
	}
	return text
}

func (d *Dialect) store(ctx context.Context, by tool.Caller, a storeArgs) (stored, error) {
	at, err := d.writing(ctx, a.Project)
	if err != nil {
		return stored{}, err
	}
	in, err := d.input(ctx, at, "", draft{a.Content, a.Type, a.Tags, a.Importance, a.RelatedTo})
	if err != nil {
		return stored{}, err
	}
	res, err := d.As(by).Save(ctx, in)
	if err != nil {
		return stored{}, err
	}
	return stored{string(res.Memory.ID), string(res.Action), warningsOf(at, res), savedAs(res)}, nil
}

// input returns the engine's input for m; path is the prefix of names in errors.
func (d *Dialect) input(ctx context.Context, at projects.ProjectInForce, path string, m draft) (remember.SaveInput, error) {
	related, err := d.refs(ctx, path+"related_to", m.RelatedTo)
	return remember.SaveInput{Content: m.Content, Type: engram.Type(m.Type), Project: at.Name, Directory: d.Dir, Tags: m.Tags,
		Importance: m.Importance, Related: related}, err
}

// warningsOf returns the warnings of a save: about the project, and possible contradictions with the id for a
// verdict.
func warningsOf(at projects.ProjectInForce, res remember.SaveResult) []string {
	var conflicts []string
	for _, c := range res.Candidates {
		conflicts = append(conflicts, fmt.Sprintf("may contradict %s (%s): %s; record a verdict with memory_link (supersedes or contradicts), judgment %s",
			c.Memory.ID, c.Memory.Title, c.Reason, c.Relation.ID))
	}
	return warnings([]string{at.Warning}, res.Warnings, conflicts)
}

func savedAs(res remember.SaveResult) string {
	done := strings.ToUpper(string(res.Action[:1])) + string(res.Action[1:])
	return fmt.Sprintf("%s: %s [%s] in project %q", done, res.Memory.ID, res.Memory.Type, res.Memory.Project)
}

type storeBatchArgs struct {
	Memories []draft `json:"memories" required:"true" min:"1" max:"100"`
	Project  string  `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

type storedBatch struct {
	IDs      []string `json:"ids" doc:"in the order given"`
	Warnings []string `json:"warnings"`
}

// PlainText lists the ids.
func (s storedBatch) PlainText() (string, bool) {
	return withWarnings(fmt.Sprintf("Stored %d: %s", len(s.IDs), strings.Join(s.IDs, ", ")), s.Warnings), true
}

func (d *Dialect) storeBatch(ctx context.Context, by tool.Caller, a storeBatchArgs) (storedBatch, error) {
	at, err := d.writing(ctx, a.Project)
	if err != nil {
		return storedBatch{}, err
	}
	all, err := d.As(by).SaveBatchOf(ctx, len(a.Memories), func(i int) (remember.SaveInput, error) {
		return d.input(ctx, at, fmt.Sprintf("memories[%d].", i), a.Memories[i])
	})
	out := storedBatch{IDs: make([]string, len(all)), Warnings: []string{}}
	for i, res := range all {
		out.IDs[i] = string(res.Memory.ID)
		for _, w := range warningsOf(at, res) {
			out.Warnings = append(out.Warnings, out.IDs[i]+": "+w)
		}
	}
	return out, err
}

type updateArgs struct {
	ID         string    `json:"id" required:"true" ref:"true"`
	Content    *string   `json:"content"`
	Importance *float64  `json:"importance" min:"0" max:"1"`
	Tags       *[]string `json:"tags" doc:"replaces its tags"`
	Type       *string   `json:"type"`
}

type updated struct{ shown }

// PlainText shows the memory.
func (u updated) PlainText() (string, bool) { return "Updated: " + u.block(), true }

func (d *Dialect) update(ctx context.Context, by tool.Caller, a updateArgs) (updated, error) {
	ref, err := d.ref(ctx, "id", a.ID)
	if err != nil {
		return updated{}, err
	}
	in := remember.UpdateInput{Ref: ref, Content: a.Content, Importance: a.Importance, Tags: a.Tags}
	if a.Type != nil {
		in.Type = new(engram.Type(*a.Type))
	}
	m, err := d.As(by).Update(ctx, in)
	return updated{shownOf(m.Memory, engram.Note{State: d.Engine.StateOf(m.Memory)})}, err
}

type deleteArgs struct {
	ID string `json:"id" required:"true"`
}

type deleted struct {
	Deleted bool   `json:"deleted"`
	ID      string `json:"id"`
}

// PlainText says which memory was deleted.
func (g deleted) PlainText() (string, bool) { return "Deleted: " + g.ID, true }

func (d *Dialect) delete(ctx context.Context, by tool.Caller, a deleteArgs) (deleted, error) {
	ref, err := d.ref(ctx, "id", a.ID)
	if err != nil {
		return deleted{}, err
	}
	forgot, err := d.As(by).Forget(ctx, ref)
	if err != nil {
		return deleted{}, err
	}
	return deleted{true, string(forgot[0].ID)}, nil
}

type deleteBatchArgs struct {
	IDs []string `json:"ids" required:"true" min:"1" max:"1000" ref:"true"`
}

type deletedBatch struct {
	Deleted  int      `json:"deleted"`
	NotFound []string `json:"not_found"`
}

// PlainText says how many were deleted, and what was not found.
func (g deletedBatch) PlainText() (string, bool) {
	text := fmt.Sprintf("Deleted: %d", g.Deleted)
	if len(g.NotFound) > 0 {
		text += "\nNot found: " + strings.Join(g.NotFound, ", ")
	}
	return text, true
}

func (d *Dialect) deleteBatch(ctx context.Context, by tool.Caller, a deleteBatchArgs) (deletedBatch, error) {
	refs, err := d.refs(ctx, "ids", a.IDs)
	if err != nil {
		return deletedBatch{}, err
	}
	forgot, unknown, err := d.As(by).ForgetKnown(ctx, refs...)
	out := deletedBatch{Deleted: len(forgot), NotFound: []string{}}
	for _, i := range unknown {
		out.NotFound = append(out.NotFound, a.IDs[i])
	}
	return out, err
}
