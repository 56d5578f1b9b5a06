package hook

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// How much is kept of a prompt, or of what an agent said.
const (
	maxText    = 128 << 10 // bytes: what is longer was pasted, and looking through more for secrets would take the time of the event
	restWasCut = "\n[… the rest was cut]"
)

// scanner is made with the first text that is long: most events have none, and it has many rules.
var scanner = sync.OnceValue(secret.New)

// cutText is a text without private spans, and with a sign where its end is missing. No
// secret is cut in half: half of one nobody knows for what it is.
func cutText(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(redact.Private(s), "\x00", ""), "")
	if len(s) <= maxText {
		return s
	}
	head, _ := scanner().Ends(s, maxText-len(restWasCut), 0)
	return head + restWasCut
}

// wait has something written, now or when the store can be written. It is kept beside the
// store first: of what is under way when the time is over nobody knows whether it was.
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

// write writes what waits of the session, and what the notes refused, whether they can be
// read or not.
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

// writeOthers writes what waits of all sessions: theirs may have no event any more.
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

// Write writes what waits in the notes of all sessions into the store, as far as it can. For
// programs that start, and have more time than an event.
func Write(ctx context.Context, e *engine.Engine, notes Notes) error {
	sessions, err := notes.Unwritten()
	for _, s := range sessions {
		waiting, unread := notes.Pending(s)
		err = errors.Join(err, unread)
		write(ctx, e, notes, s, waiting, func(_ string, failed error) { err = errors.Join(err, failed) })
	}
	return err
}

// write writes what waits of a session, in its order, and reports whether the store could be
// written. Writing twice what was written is harmless: another event may be at it, too.
//
// What fails in a way that nobody foresaw stays, and is tried again with the next event; what
// comes after it need not wait for it.
func write(ctx context.Context, e *engine.Engine, notes Notes, session string, waiting []attend.Pending, log func(string, error)) bool {
	var written []string
	well := true
	for _, w := range waiting {
		err := keep(ctx, e, w)
		if p, told := errors.AsType[*project.Problem](err); told && p.Reason == project.ReasonSession {
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

// away reports an error of a store that cannot be written now, whatever it is.
func away(err error) bool {
	return engram.CodeOf(err) == engram.CodeUnavailable || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// final reports an error that the next try would end in, too.
func final(err error) bool {
	if errors.Is(err, errMany) {
		return true
	}
	switch engram.CodeOf(err) {
	case engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict, engram.CodeForbidden:
		return true
	}
	return false
}

// closed reports whether the store cannot even be read: changed by a newer program, or no database.
// What waits is kept until it can.
func closed(ctx context.Context, e *engine.Engine) bool {
	_, err := e.List(ctx, engram.Filter{}, engram.Page{Limit: 1})
	return err != nil
}

// keep writes one thing. All of it may be written again: a prompt has a key, an outcome and
// a summary a topic, learnings are known by their text, and a session ends once.
func keep(ctx context.Context, e *engine.Engine, w attend.Pending) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e = e.As("hook:" + w.Agent)
	in := engine.SaveInput{Title: w.Title, Content: w.Text, TopicKey: w.Topic, Project: w.Project, SessionID: w.Session, NewSession: true,
		Directory: w.Directory, ToolName: w.Agent, Origin: engram.OriginTool, At: w.At, Once: true}
	var err error
	switch w.What {
	case attend.PendingPrompt:
		_, err = e.SavePrompt(ctx, engine.PromptInput{Content: w.Text, SessionID: w.Session, NewSession: true, Project: w.Project,
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

// How many learnings of one message are kept, and how many at once: what comes next finds those
// kept that an event had the time for.
const (
	mostLearnings  = 20 // who lists more lists what was done
	learningsAtOne = 4
)

// keepLearnings keeps what a message lists; errMany when that is more than mostLearnings.
func keepLearnings(ctx context.Context, e *engine.Engine, w attend.Pending) error {
	all := capture.Learnings(w.Text)
	for some := range slices.Chunk(all[:min(len(all), mostLearnings)], learningsAtOne) {
		in := engine.CaptureInput{Content: "## Key Learnings:\n1. " + strings.Join(some, "\n1. ") + "\n", SessionID: w.Session, NewSession: true,
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

// keepElsewhere keeps what belongs to another project's session than its own: a prompt stays with its
// session, a lesson goes into a session of the project where it was learned, which is over at once.
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
	return errors.Join(e.As("hook:"+w.Agent).CloseSession(ctx, w.Session, w.At), kept)
}

// sessionIn is what a session is called in another project than its own.
func sessionIn(session, project string) string {
	if id := session + "@" + project; len(id) <= engram.MaxName {
		return id
	}
	return short("session", session) + "@" + short("project", project)
}

// week is how long notes of a session are kept that never ended.
const week = 7 * 24 * time.Hour

// bringIn has what a pull of the repository brought come in, before the session is told what it should
// know. The line about it is said with that.
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

// sayBrought says what was brought in, where there was no brief to say it with.
func (r *run) sayBrought() {
	if r.brought == "" || !r.agent.tellsAt(r.event) {
		return
	}
	r.mu.Lock()
	said := r.said != nil
	r.mu.Unlock()
	if !said {
		r.say(Answer{Context: r.brought})
	}
}
