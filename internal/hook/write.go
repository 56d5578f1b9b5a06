package hook

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// Limits of a recorded prompt or message.
const (
	maxText    = 128 << 10 // bytes: longer ones are mostly pasted, and scanning them for secrets would take the event's time
	restWasCut = "\n[… the rest was cut]"
)

// cutText removes private spans and cuts a long text, with a mark. It never cuts a secret in half,
// because half of one is not recognised.
func cutText(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(redact.Private(s), "\x00", ""), "")
	if len(s) <= maxText {
		return s
	}
	head, _ := secret.Shared().Ends(s, maxText-len(restWasCut), 0)
	return head + restWasCut
}

// wait records an item and has it written now or later. It is recorded outside the store first,
// because writing may not finish in time.
func (r *run) wait(what, text string) {
	r.waitFor(attend.Pending{What: what, Text: text})
}

func (r *run) waitFor(w attend.Pending) {
	w.Key, w.At, w.Agent = string(r.NewID()), r.at, r.name
	w.Session = r.event.Session
	if w.Project == "" {
		w.Project, w.Directory = r.project, r.dir
	}
	if err := r.Notes.AddPending(w); err != nil {
		r.trouble("wait", err)
		r.unkept = append(r.unkept, w)
	}
}

// write writes the session's pending items, and those that the notebook refused.
func (r *run) write(ctx context.Context) {
	if well := r.writeOf(ctx, r.event.Session); well && len(r.unkept) > 0 {
		write(ctx, r.Engine(), r.Notes, r.event.Session, r.unkept, r.trouble)
	}
}

func (r *run) writeOf(ctx context.Context, session string) bool {
	r.do("write")
	waiting, err := r.Notes.Pending(session)
	if err != nil {
		r.trouble("waiting", err)
	}
	if len(waiting) == 0 {
		return true
	}
	return write(ctx, r.Engine(), r.Notes, session, waiting, r.trouble)
}

// writeOthers writes pending items of other sessions, which may have no more events.
func (r *run) writeOthers(ctx context.Context) {
	sessions, err := r.Notes.Unwritten()
	if err != nil {
		r.trouble("unwritten", err)
	}
	for _, s := range sessions {
		if s != r.event.Session && !r.writeOf(ctx, s) {
			return
		}
	}
}

// Write writes the pending items of all sessions into the store, as far as possible. It is for
// programs that have more time than an event.
func Write(ctx context.Context, e *engine.Engine, notes Notes) error {
	sessions, err := notes.Unwritten()
	for _, s := range sessions {
		waiting, unread := notes.Pending(s)
		err = errors.Join(err, unread)
		write(ctx, e, notes, s, waiting, func(_ string, failed error) { err = errors.Join(err, failed) })
	}
	return err
}

// write writes a session's pending items in order, and reports whether the store is writable.
// Writing an item twice is harmless, so other events may do the same.
//
// An item that fails for an unexpected reason stays and is tried again with the next event, without
// delaying later items.
func write(ctx context.Context, e *engine.Engine, notes Notes, session string, waiting []attend.Pending, log func(string, error)) bool {
	var written []string
	well := true
	for _, w := range waiting {
		err := keep(ctx, e, w)
		if p, known := errors.AsType[*project.Problem](err); known && p.Reason == project.ReasonSession {
			err = keepElsewhere(ctx, e, w)
		}
		if err != nil {
			log("write-"+w.What, err)
		}
		if well = ctx.Err() == nil && !away(err) && !(final(err) && closed(ctx, e)); !well {
			break
		}
		if err == nil || final(err) {
			written = append(written, w.Key)
		}
	}
	if len(written) > 0 {
		if err := notes.Written(session, written); err != nil {
			log("written", err)
		}
	}
	return well
}

// away reports whether an error means that the store cannot be written now.
func away(err error) bool {
	return engram.CodeOf(err) == engram.CodeUnavailable || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// final reports whether an error would occur again at the next attempt.
func final(err error) bool {
	lasting := []engram.Code{engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict, engram.CodeForbidden}
	return errors.Is(err, errMany) || slices.Contains(lasting, engram.CodeOf(err))
}

// closed reports whether the store cannot even be read: written by a newer program, or not a
// database. Pending items are then kept.
func closed(ctx context.Context, e *engine.Engine) bool {
	_, err := e.List(ctx, engram.Filter{}, engram.Page{Limit: 1})
	return err != nil
}

// keep writes one item. Items may be written again: a prompt has a key, an outcome and a summary a
// topic, learnings are compared by text, and a session ends once.
func keep(ctx context.Context, e *engine.Engine, w attend.Pending) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e = e.As(e.Caller().By("hook:" + w.Agent))
	in := remember.SaveInput{Title: w.Title, Content: w.Text, TopicKey: w.Topic, Project: w.Project, SessionID: w.Session, NewSession: true,
		Directory: w.Directory, ToolName: w.Agent, Origin: engram.OriginTool, At: w.At, Once: true}
	var err error
	switch w.What {
	case attend.PendingPrompt:
		_, err = e.SavePrompt(ctx, remember.PromptInput{Content: w.Text, SessionID: w.Session, NewSession: true, Project: w.Project,
			Directory: w.Directory, Key: w.Key, At: w.At})
	case attend.PendingOutcome:
		in.Type = attend.OutcomeType
		_, err = e.Save(ctx, in)
	case attend.PendingSummary:
		_, err = e.Summarize(ctx, in)
	case attend.PendingCapture:
		err = keepLearnings(ctx, e, w)
	case attend.PendingEnd:
		err = e.LeaveSession(ctx, w.Session, w.At)
	default:
		return errLater
	}
	return err
}

// Limits of the learnings saved from one message, and at once: a later attempt skips those that an
// earlier one had time for.
const (
	mostLearnings  = 20 // a longer list is a report of the work
	learningsAtOne = 4
)

// keepLearnings saves the learnings of a message; errMany if there are more than mostLearnings.
func keepLearnings(ctx context.Context, e *engine.Engine, w attend.Pending) error {
	all := capture.Learnings(w.Text)
	for some := range slices.Chunk(all[:min(len(all), mostLearnings)], learningsAtOne) {
		in := remember.CaptureInput{Content: "## Key Learnings:\n1. " + strings.Join(some, "\n1. ") + "\n", SessionID: w.Session, NewSession: true,
			Project: w.Project, Directory: w.Directory, Source: w.Agent, At: w.At}
		if _, err := e.Capture(ctx, in); err != nil {
			return err
		}
	}
	if len(all) > mostLearnings {
		return errMany
	}
	return nil
}

// keepElsewhere saves an item whose session belongs to another project: a prompt stays with its
// session, a lesson gets a finished session in the project where it was learned.
func keepElsewhere(ctx context.Context, e *engine.Engine, w attend.Pending) error {
	if w.What == attend.PendingPrompt {
		w.Project = ""
		return keep(ctx, e, w)
	}
	w.Session = sessionIn(w.Session, w.Project)
	kept := keep(ctx, e, w)
	if kept != nil && !errors.Is(kept, errMany) {
		return kept
	}
	return errors.Join(e.As(e.Caller().By("hook:"+w.Agent)).CloseSession(ctx, w.Session, w.At), kept)
}

// sessionIn returns the id of a session's counterpart in another project.
func sessionIn(session, project string) string {
	if id := session + "@" + project; len(id) <= engram.MaxName {
		return id
	}
	return short("session", session) + "@" + short("project", project)
}

// week is how long the notes of an unfinished session are kept.
const week = 7 * 24 * time.Hour

// bringIn imports new records from the repository before the brief, which reports them.
func (r *run) bringIn(ctx context.Context) {
	if r.BringIn == nil || r.project == "" {
		return
	}
	r.do("import")
	line, err := r.BringIn(ctx, r.project, r.dir)
	if err != nil {
		r.trouble("import", err)
	}
	if line != "" {
		r.brought = line + ".\n\n"
	}
}

// sayBrought reports an import if there was no brief to do so.
func (r *run) sayBrought() {
	if r.brought == "" || !r.agent.TellsAt(r.event) {
		return
	}
	r.mu.Lock()
	said := r.said != nil
	r.mu.Unlock()
	if !said {
		r.say(dialect.Answer{Context: r.brought})
	}
}
