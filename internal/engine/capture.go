package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// CaptureInput is text that may hold a "## Key Learnings:" section.
type CaptureInput struct {
	Content    string
	SessionID  string
	NewSession bool
	Project    string
	Directory  string
	Source     string    // becomes ToolName
	At         time.Time // when it was said, not later than now; zero is now
}

// CaptureResult counts what was found in the text.
type CaptureResult struct {
	Extracted, Saved, Duplicates int
	Memories                     []engram.Memory // those that were saved
	Project                      string          // to which they were saved; "" where nothing was, or to none
	Warnings                     []string        // what was cut out of the learnings; about the project name
}

// Capture saves each learning of a text as a memory of type passive, in one
// transaction. A learning that the project has already, from whenever, is a
// duplicate and changes nothing.
func (e *Engine) Capture(ctx context.Context, in CaptureInput) (CaptureResult, error) {
	if err := engram.CheckText("content", in.Content, 4*engram.MaxContent); err != nil {
		return CaptureResult{}, err
	}
	if err := (raw{{"directory", in.Directory}}).check(); err != nil {
		return CaptureResult{}, err
	}
	// Redacted as a whole: a private span may begin in one item and end in another.
	w := e.washing()
	var drafts []engram.Memory
	for _, item := range capture.Learnings(redact.Private(in.Content)) {
		item = w.text(item)
		m, err := e.draft(SaveInput{Title: capture.Title(item), Content: item, Type: engram.TypePassive, Project: in.Project,
			SessionID: in.SessionID, ToolName: in.Source, Origin: engram.OriginTool})
		if err != nil {
			return CaptureResult{}, err
		}
		drafts = append(drafts, m)
	}
	res := CaptureResult{Extracted: len(drafts), Warnings: w.warning()}
	if len(drafts) == 0 {
		return res, nil
	}
	begun := e.tally.begin()
	var saves []SaveResult
	var at place
	err := e.write(ctx, "capture", func(o *op) (err error) {
		o.then = in.At
		if at, err = o.place(ctx, drafts[0].Project, drafts[0].SessionID, in.Directory, in.NewSession); err != nil {
			return err
		}
		for _, m := range drafts {
			m.Project, m.SessionID = at.project, at.session
			m.CreatedAt, m.UpdatedAt = o.happened(in.At), o.happened(in.At)
			_, found, err := o.tx.ByHash(ctx, m.Project, m.NormalizedHash, time.Time{}, func(engram.Memory) bool { return true })
			if err != nil {
				return err
			}
			if found {
				res.Duplicates++
				continue
			}
			if err := o.insertMemory(ctx, &m, "learning in a text"); err != nil {
				return err
			}
			res.Saved++
			res.Memories = append(res.Memories, m)
			saves = append(saves, SaveResult{Memory: m, Action: ActionInserted})
		}
		return o.countSaves(ctx, saves)
	})
	e.tally.saved(begun, actionsOf(saves), err)
	if err != nil {
		return CaptureResult{}, err
	}
	res.Project = at.project
	res.Warnings = slices.Concat(renamed(in.Project, drafts[0].Project), at.warnings, res.Warnings)
	return res, nil
}
