package remember

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// CaptureInput is text that may contain a "## Key Learnings:" section.
type CaptureInput struct {
	Content    string
	SessionID  string
	NewSession bool
	Project    string
	Directory  string
	Source     string    // becomes ToolName
	At         time.Time // when it was said, not later than now; zero is now
}

// CaptureResult counts what the text contained.
type CaptureResult struct {
	Extracted, Saved, Duplicates int
	Memories                     []engram.Memory // that were saved
	Project                      string          // project they were saved to; "" if nothing was saved, or for no project
	Warnings                     []string        // redacted secrets; the project name
}

// Capture saves each learning of a text as a memory of type passive, in one transaction. A learning that the
// project already has, however old, is a duplicate and changes nothing.
func (w *Writer) Capture(ctx context.Context, in CaptureInput) (CaptureResult, error) {
	if err := engram.CheckText("content", in.Content, 4*engram.MaxContent); err != nil {
		return CaptureResult{}, err
	}
	if err := (screen.Raw{"directory", in.Directory}).Check(); err != nil {
		return CaptureResult{}, err
	}
	// Redacted as a whole: a private span may start in one item and end in another.
	redactor := w.screen.Redactor()
	var drafts []engram.Memory
	for _, item := range capture.Learnings(redact.Private(in.Content)) {
		item = redactor.Text(item)
		m, err := w.Draft(SaveInput{Title: capture.Title(item), Content: item, Type: engram.TypePassive, Project: in.Project,
			SessionID: in.SessionID, ToolName: in.Source, Origin: engram.OriginTool})
		if err != nil {
			return CaptureResult{}, err
		}
		drafts = append(drafts, m)
	}
	res := CaptureResult{Extracted: len(drafts), Warnings: redactor.Warning()}
	if len(drafts) == 0 {
		return res, nil
	}
	begun := w.exposure.Tally.Begin()
	var saves []SaveResult
	var at projects.Placement
	err := w.ledger.Write(ctx, "capture", func(o *ledger.Tx) (err error) {
		o.Then = in.At
		if at, err = projects.Place(ctx, o, projects.PlaceInput{Project: drafts[0].Project, Session: drafts[0].SessionID, Directory: in.Directory, Create: in.NewSession}); err != nil {
			return err
		}
		for _, m := range drafts {
			m.Project, m.SessionID = at.Project, at.Session
			m.CreatedAt, m.UpdatedAt = o.Happened(in.At), o.Happened(in.At)
			_, found, err := engram.ByHash(ctx, o.Store, m.Project, m.NormalizedHash, time.Time{}, func(engram.Memory) bool { return true })
			if err != nil {
				return err
			}
			if found {
				res.Duplicates++
				continue
			}
			if err := o.InsertMemory(ctx, &m, "learning in a text"); err != nil {
				return err
			}
			res.Saved++
			res.Memories = append(res.Memories, m)
			saves = append(saves, SaveResult{Memory: m, Action: ledger.ActionInserted})
		}
		return CountSaves(ctx, o, saves)
	})
	w.exposure.Tally.Saved(begun, ActionsOf(saves), err)
	if err != nil {
		return CaptureResult{}, err
	}
	res.Project = at.Project
	res.Warnings = slices.Concat(renamed(in.Project, drafts[0].Project), at.Warnings, res.Warnings)
	return res, nil
}

// Metadata keys by which agents of the remember dialect relate memories; they have no other way.
const (
	metaSupersedes       = "supersedes"        // a memory, or list of memories, that this one replaces
	metaSupersedesReason = "supersedes_reason" // why
	metaRelatedTo        = "related_to"        // a memory or list of memories
)

// relateByMetadata creates the relations that a save's metadata asks for; the metadata stays. A missing memory
// is a warning, not an error: such ids may be old, and the save matters more.
func (s *Saver) relateByMetadata(ctx context.Context, m engram.Memory, metadata map[string]any) (warnings []string, err error) {
	heed := func(key string, link func(engram.Ref) error) error {
		for _, name := range named(metadata[key]) {
			ref, err := engram.ParseRef(name)
			if err == nil {
				err = link(relate.BesideOf(ref, m))
			}
			switch engram.CodeOf(err) {
			case "":
			case engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict:
				warnings = append(warnings, fmt.Sprintf("ignored metadata %s: %s", key, relate.SayingOf(err)))
			default:
				return err
			}
		}
		return nil
	}
	reason, _ := metadata[metaSupersedesReason].(string)
	kind := relate.KindAgent
	if m.Origin == engram.OriginHuman {
		kind = relate.KindHuman
	}
	err = heed(metaSupersedes, func(ref engram.Ref) error { return s.supersede(ctx, m, ref, reason, kind) })
	if err != nil {
		return nil, err
	}
	err = heed(metaRelatedTo, func(ref engram.Ref) error { return relateTo(ctx, s.tx, m, []engram.Ref{ref}) })
	return warnings, err
}

// supersede records that m replaces another memory, unless that is recorded already.
func (s *Saver) supersede(ctx context.Context, m engram.Memory, ref engram.Ref, reason, kind string) error {
	old, err := s.tx.Live(ctx, ref)
	if err != nil {
		return err
	}
	if old.Num == m.Num {
		return engram.Errorf(engram.CodeInvalid, "memory %s cannot supersede itself", ref)
	}
	pair, err := engram.RelationsBetween(ctx, s.tx.Store, m.Num, old.Num)
	if err != nil {
		return err
	}
	for _, r := range pair {
		if r.Supersedes() && r.Source == m.Num {
			return nil // an exact repeat says it again
		}
	}
	v, err := s.writer.relate.Verdict(relate.JudgeInput{Verb: engram.VerbSupersedes, Reason: reason, SessionID: m.SessionID, ActorKind: kind})
	if err != nil {
		return err
	}
	v.Source, v.Target = m.Num, old.Num
	_, err = relate.Resolve(ctx, s.tx, v, nil)
	return err
}

// named returns the memories that a metadata value names: a text, a number, or a list of these.
func named(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		var all []string
		for _, item := range v {
			if _, nested := item.([]any); !nested {
				all = append(all, named(item)...)
			}
		}
		return all
	}
	return nil
}
