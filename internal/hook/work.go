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
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
)

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
