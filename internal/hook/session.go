package hook

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// sessionStart gives the session its brief, and writes pending items of other sessions.
func (r *run) sessionStart(ctx context.Context, notes []attend.Note, at where) {
	if at == here {
		again := r.event.Source == afterCompaction
		if !again {
			r.bringIn(ctx)
		}
		r.brief(ctx, notes, again)
		r.sayBrought()
	}
	r.write(ctx)
	r.writeOthers(ctx)
	if err := r.Notes.Sweep(r.at.Add(-week)); err != nil {
		r.trouble("sweep", err)
	}
}

// prompt records the prompt, and injects memories about it.
func (r *run) prompt(ctx context.Context, notes []attend.Note, at where) {
	asked := strings.TrimSpace(cutText(r.event.Prompt))
	if asked != "" {
		r.wait(attend.PendingPrompt, asked)
		r.note(attend.Note{Kind: attend.KindPrompt})
	}
	r.recorded()
	if at == here && !r.late(ctx, notes) && asked != "" {
		r.remind(ctx, notes, brief.RemindInput{Query: asked})
	}
	r.sayBrought()
	r.write(ctx)
}

// remind injects memories about what the agent is about to do, if they are certain and no other
// event has just injected them. It reports whether it finished in time.
func (r *run) remind(ctx context.Context, notes []attend.Note, in brief.RemindInput) bool {
	if !r.agent.TellsAt(r.event) {
		return false
	}
	in.SessionID, in.Injected = r.event.Session, knownIn(notes)
	if in.Project == "" {
		in.Project, in.Directory = r.project, r.dir
	}
	over := true
	in.Inject = func(t exposure.Injection) (mine []int64, shown bool) {
		shown = r.report(func() (dialect.Answer, bool) {
			mine, over = r.claim(t, false, func([]attend.Note) ([]attend.Note, bool) { return nil, true })
			return dialect.Answer{Context: t.Text(mine)}, len(mine) > 0
		}, func() { r.giveBack(injectedNote(mine)) })
		over = over && (shown || len(mine) == 0)
		return mine, shown
	}
	r.do("remind")
	if _, err := r.Engine().Remind(ctx, in); err != nil {
		r.trouble("remind", err)
		return false
	}
	return over
}

// keepInSummary asks the model that summarises a long session for the learnings that would be lost.
const keepInSummary = "At the end of the summary, list under the heading \"## Key Learnings:\" as a numbered list what was decided, found out or " +
	"asked for in this session and would matter in a later one: each item one sentence that can be understood alone. Leave it out if there is nothing."

// beforeCompact writes pending items, and asks for a summary with learnings.
func (r *run) beforeCompact(ctx context.Context, _ []attend.Note, _ where) {
	if !r.NoCapture {
		r.say(dialect.Answer{Context: keepInSummary})
	}
	r.write(ctx)
}

// afterCompact records the summary, and gives the brief again.
func (r *run) afterCompact(ctx context.Context, notes []attend.Note, at where) {
	if summary := cutText(capture.Summary(redact.Private(r.event.Summary))); summary != "" {
		r.learned(ctx, notes, notes, attend.Pending{What: attend.PendingSummary, Text: summary, Topic: "session/" + short("compact", r.event.Session)})
		r.capture(ctx, notes, notes, summary)
	}
	r.recorded()
	if at == here {
		r.brief(ctx, notes, true)
	}
	r.write(ctx)
}

// capture saves the learnings in a message about some notes, and reports whether there are any.
func (r *run) capture(ctx context.Context, worked, notes []attend.Note, said string) bool {
	if r.NoCapture {
		return false
	}
	said = cutText(said)
	if len(capture.Learnings(said)) == 0 {
		return false
	}
	return r.learned(ctx, worked, notes, attend.Pending{What: attend.PendingCapture, Text: said})
}

// sessionEnd writes pending items and removes the notes. Agents without a stop event send their
// last message here.
func (r *run) sessionEnd(ctx context.Context, notes []attend.Note, _ where) {
	r.capture(ctx, attend.Turn(notes), notes, r.event.Last)
	r.wait(attend.PendingEnd, "")
	r.recorded()
	r.write(ctx)
	if err := r.Notes.End(r.event.Session); err != nil {
		r.trouble("end", err)
	}
}

func (r *run) subagentStop(ctx context.Context, notes []attend.Note, _ where) {
	r.capture(ctx, attend.Turn(notes), notes, r.last())
	r.recorded()
	r.write(ctx)
}

// stop records the learnings, and asks once or twice a session to save if much was done.
func (r *run) stop(ctx context.Context, notes []attend.Note, at where) {
	listed := r.capture(ctx, attend.Turn(notes), notes, r.last())
	r.recorded()
	if listed {
		r.note(attend.Note{Kind: attend.KindTool, Tool: savesLearnings}) // counts as a save for Neglect
	} else if at == here && r.agent.Asks && !r.event.Again && !r.event.Subagent {
		r.ask(ctx, notes)
	}
	r.write(ctx)
	r.writeOthers(ctx)
}

// savesLearnings is the tool that the agent could have used instead of listing learnings.
const savesLearnings = "mem_capture_passive"

// ask asks the agent to save something. It queries the store only if the notes show no save.
func (r *run) ask(ctx context.Context, notes []attend.Note) {
	if attend.Neglect(notes, 0) == "" {
		return
	}
	r.do("saved")
	ms, err := r.Engine().List(ctx, engram.Filter{SessionID: r.event.Session}, engram.Page{})
	if err != nil {
		r.trouble("saved", err)
		return // it may have saved something
	}
	saved := 0
	for _, m := range ms {
		if m.Origin != engram.OriginTool { // others were written by hooks
			saved++
		}
	}
	ask := attend.Neglect(notes, saved)
	if ask == "" {
		return
	}
	r.note(attend.Note{Kind: attend.KindAsked})
	r.say(dialect.Answer{Ask: ask})
}

// last returns the agent's last message: from the event, or from its transcript.
func (r *run) last() string {
	if r.event.Last != "" || r.NoCapture || r.event.Transcript == "" {
		return r.event.Last
	}
	r.do("transcript")
	said, err := dialect.LastMessage(r.event.Transcript)
	if err != nil {
		r.trouble("transcript", err)
	}
	return said
}

// beforeTool injects memories about a file that is about to be read or changed.
func (r *run) beforeTool(ctx context.Context) {
	if r.event.Subagent || !r.agent.TellsAt(r.event) {
		return
	}
	notes := r.notes()
	if r.retryBrief(ctx, notes) || r.event.Tool.Path == "" {
		return // the next use of the file injects them
	}
	r.remindFile(ctx, notes)
}

// remindFile injects memories about a file, once in a session, from the project of the file's
// repository, which may differ from that of the working folder.
func (r *run) remindFile(ctx context.Context, notes []attend.Note) {
	path := r.event.Tool.Path
	of := attend.Note{Kind: noteFile, Path: path}
	if reminded(notes, of) {
		return
	}
	at := r.place(ctx, notes)
	if at == off {
		return
	}
	in := brief.RemindInput{Path: path}
	if in.Project, in.Directory = r.ground(ctx, notes); in.Project == r.project {
		in.Project, in.Directory = "", "" // as all else of the session
	} else if in.Project != "" {
		in.Path = under(r.event.Folder, path)
	}
	if in.Project == "" && at != here || r.Off(in.Project) {
		return
	}
	r.remindOnce(ctx, notes, of, in)
}

// lateReminders limits attempts, so that a slow store does not delay every use of a file.
const lateReminders = 3

// remindOnce injects memories about of, and notes that. It notes the attempt first: a store that
// does not answer ends the process in between, and the next event tries again.
func (r *run) remindOnce(ctx context.Context, notes []attend.Note, of attend.Note, in brief.RemindInput) {
	tried := of
	tried.Failed = true
	r.note(tried)
	if r.remind(ctx, notes, in) {
		r.note(of)
	}
}

// reminded reports whether memories about of were injected, or tried often enough.
func reminded(notes []attend.Note, of attend.Note) bool {
	isOf := func(n attend.Note) bool { return n.Kind == of.Kind && n.Path == of.Path && n.Text == of.Text }
	return noted(notes, of.Kind, func(n attend.Note) bool { return isOf(n) && !n.Failed }) || triesIn(notes, isOf) >= lateReminders
}

func noted(notes []attend.Note, kind string, is func(attend.Note) bool) bool {
	return slices.ContainsFunc(notes, func(n attend.Note) bool { return n.Kind == kind && is(n) })
}

// afterTool notes a tool call. It saves the outcome of a command that passes after a failure, and
// injects memories about an error.
func (r *run) afterTool(ctx context.Context) {
	t := r.event.Tool
	if t.Stopped || t.Path == "" && t.Command == "" && !t.Failed && !attend.Saves(t.Name) {
		return
	}
	notes := r.notes()
	if r.place(ctx, notes) == off {
		return
	}
	in, _ := r.ground(ctx, notes)
	if r.Off(in) {
		return
	}
	r.note(attend.Note{Kind: attend.KindTool, Tool: t.Name, Path: t.Path, Command: t.Command, Writes: t.Writes, Failed: t.Failed, Error: t.Error, Project: in})
	missed := r.retryBrief(ctx, notes)
	switch {
	case t.Failed && !missed:
		r.remindError(ctx, notes)
	case !t.Failed && t.Command != "" && noted(notes, attend.KindTool, func(n attend.Note) bool { return n.Failed && n.Command != "" }):
		r.outcome(ctx, r.notes()) // as recorded, without secrets: failures are compared by their text
	case missed:
	case t.Path != "" && !slices.Contains(r.agent.Tells, dialect.BeforeTool) && !r.event.Subagent && r.agent.TellsAt(r.event):
		r.remindFile(ctx, notes) // the agent takes no answer before the call
	}
}

// remindError injects memories about an error, once in a session.
func (r *run) remindError(ctx context.Context, notes []attend.Note) {
	if r.event.Subagent || !r.agent.TellsAt(r.event) {
		return
	}
	fault := attend.Fault(r.event.Tool.Error)
	of := attend.Note{Kind: noteFault, Text: short("", fault)}
	if fault == "" || reminded(notes, of) || r.place(ctx, notes) != here {
		return
	}
	r.remindOnce(ctx, notes, of, brief.RemindInput{Error: r.event.Tool.Error})
}

// outcome saves the lesson of a command that has just passed.
func (r *run) outcome(ctx context.Context, notes []attend.Note) {
	all := attend.Outcomes(r.below(notes))
	if len(all) == 0 {
		return
	}
	last := all[len(all)-1] // in the order in which they passed
	if !last.At.Equal(r.at) {
		return // the command had not failed
	}
	worked := slices.DeleteFunc(slices.Clone(notes), func(n attend.Note) bool { return n.At.Before(last.Since) })
	if r.learned(ctx, worked, notes, attend.Pending{What: attend.PendingOutcome, Title: last.Title, Text: last.Content, Topic: last.TopicKey}) {
		r.write(ctx)
	}
}

// below returns notes with paths relative to their repositories.
func (r *run) below(notes []attend.Note) []attend.Note {
	var folders, around []string
	for _, n := range notes {
		switch {
		case n.Kind == notePlace && n.Text == "":
			around = append(around, n.Path)
		case n.Kind == notePlace || n.Kind == noteRoot:
			folders = append(folders, n.Path)
		}
	}
	return attend.Below(notes, folders, around)
}

// Trouble is a failure during an event. Only Err may contain foreign text.
type Trouble struct {
	Kind    dialect.Kind // "" for an unknown event
	Project string       // if known
	What    string       // the failed step, in one word
	During  string       // the step in progress when the time ran out; else ""
	Err     error
}

// errLater means that an item was recorded by a later version, which alone can write it.
var errLater = errors.New("written by a later version")

// errMany means that a message lists more learnings than are saved.
var errMany = engram.Errorf(engram.CodeInvalid, "a message lists more learnings than the %d that are saved", mostLearnings)

// NoSuch is the error for an unknown name in a command line: What is "event", "agent" or "flag".
type NoSuch struct{ What, Name string }

// Error implements error. It only repeats plain words, since a command line may contain anything.
func (e NoSuch) Error() string {
	if e.Name == "" || len(e.Name) > 40 || strings.ContainsFunc(e.Name, func(r rune) bool { return r != '-' && r != '_' && (r < 'A' || r > 'z' || 'Z' < r && r < 'a') }) {
		return "there is no such " + e.What
	}
	return "there is no " + e.What + " " + e.Name
}

// Plain returns the text of an error of this package, which contains no foreign text.
func Plain(err error) (text string, ok bool) {
	for _, e := range []error{dialect.ErrNoObject, dialect.ErrNoFile, errLater, errMany} {
		if errors.Is(err, e) {
			return e.Error(), true
		}
	}
	if p, ok := errors.AsType[*bug](err); ok {
		return p.Error(), true
	}
	if p, ok := errors.AsType[NoSuch](err); ok {
		return p.Error(), true
	}
	return "", false
}

type bug struct{ typ, where string }

func (b *bug) Error() string { return "panic: " + b.typ + " at " + b.where }

// bugOf describes the panic p that is being recovered.
func bugOf(p any) *bug {
	b := &bug{typ: fmt.Sprintf("%T", p), where: "an unknown place"}
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for {
		f, more := frames.Next()
		if _, name, ours := strings.Cut(f.Function, "/engram/"); ours && !strings.Contains(f.Function, ".bugOf") {
			b.where = fmt.Sprintf("%s:%d", name, f.Line)
			return b
		}
		if !more {
			return b
		}
	}
}

func (r *run) trouble(what string, err error) {
	t := Trouble{Kind: r.kind, What: what, Err: err}
	if p := r.found.Load(); p != nil {
		t.Project = *p
	}
	if p := r.doing.Load(); p != nil && what == overdue {
		t.During = *p
	}
	r.Log(t)
}

// overdue is the step of a Trouble when the time of the event ran out.
const overdue = "event"

// do records the current step, for errors about lack of time.
func (r *run) do(what string) { r.doing.Store(&what) }
