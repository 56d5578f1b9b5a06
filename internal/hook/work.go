package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
)

// beforeTool injects memories about a file that is about to be read or changed.
func (r *run) beforeTool(ctx context.Context) {
	if r.event.Subagent || !r.agent.tellsAt(r.event) {
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
	case t.Path != "" && !slices.Contains(r.agent.tells, BeforeTool) && !r.event.Subagent && r.agent.tellsAt(r.event):
		r.remindFile(ctx, notes) // the agent takes no answer before the call
	}
}

// remindError injects memories about an error, once in a session.
func (r *run) remindError(ctx context.Context, notes []attend.Note) {
	if r.event.Subagent || !r.agent.tellsAt(r.event) {
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

// writers are words in the names of tools and events that change files.
func writers() []string {
	return []string{"write", "edit", "patch", "replace", "create", "insert", "delete"}
}

func shells() []string {
	return []string{"bash", "shell", "exec", "command", "terminal"}
}

func has(name string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// toolOf converts a tool call; event is the plain name of its event.
func toolOf(u use, event string) Tool {
	t := Tool{Name: cmp.Or(u.name, event), Path: u.file}
	named := strings.ToLower(t.Name) + " " + event
	switch {
	case strings.HasPrefix(strings.TrimSpace(u.command), patchBegin):
		t.Path = cmp.Or(t.Path, patched(u.command))
	case t.Path == "" || has(named, shells()): // for file tools, command says what is done with the file
		t.Command = u.command
	}
	t.Path = cmp.Or(t.Path, patched(u.patch))
	if t.Command != "" {
		t.Path, t.Folder = "", filepath.FromSlash(u.folder)
	}
	t.Writes = t.Path != "" && has(named, writers())
	t.Path = filepath.FromSlash(t.Path)
	t.Stopped = u.stopped
	if t.Failed = !u.stopped && (u.failed || strings.Contains(event, "failure")); t.Failed {
		t.Error = cmp.Or(u.err, u.printed)
	}
	return t
}

// patchBegin begins a patch in the format of OpenAI's models.
const patchBegin = "*** Begin Patch"

// patched returns the first file that such a patch changes; "" for other text.
func patched(patch string) string {
	if !strings.HasPrefix(strings.TrimSpace(patch), patchBegin) {
		return ""
	}
	for l := range strings.Lines(patch) {
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if name, ok := strings.CutPrefix(l, head); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}

// use is a tool call in any agent's dialect.
type use struct {
	name, file, command, folder, patch string
	// The result; zero before the call.
	printed, err string
	failed       bool // a field reports a failure
	stopped      bool // by the person, or it continues in the background
}

// use decodes a tool call.
func (d dialect) use(f fields) use {
	in := f.object(d[wInput]...)
	u := use{
		name: f.text(d[wTool]...), folder: in.text(d[wWorkFolder]...),
		file:    cmp.Or(in.text(d[wInputFile]...), in.firstOf(d[wInputFiles]...), f.text(d[wFile]...)),
		command: cmp.Or(in.text(d[wCommand]...), strings.Join(in.texts(d[wCommand]...), " "), f.text(d[wRan]...)),
		patch:   cmp.Or(in.text(d[wPatch]...), f.text(d[wWholePatch]...)),
	}
	d.ended(f, &u)
	return u
}

func (d dialect) ended(f fields, u *use) {
	out := f.object(d[wAnswer]...)
	said := cmp.Or(f.text(d[wAnswer]...), out.text(d[wPrinted]...), out.parts(d[wPrinted]...), d.errorIn(out))
	u.printed, u.err = d.account(said), d.errorIn(f)
	u.stopped = f.is(d[wStopped]...) || out.is(d[wStopped]...) || begins(said, d[wUnended])
	u.failed = u.err != "" || u.command != "" && d.exitIn(said)
	for _, o := range []fields{f, out, out.object("metadata")} {
		u.failed = u.failed || d.wrong(o)
	}
}

func (d dialect) errorIn(f fields) string {
	return cmp.Or(f.text(d[wError]...), f.object(d[wError]...).text("message"))
}

// wrong reports whether an object describes a failure.
func (d dialect) wrong(f fields) bool {
	coded := slices.ContainsFunc(d[wCode], func(name string) bool { return f.number(name) != 0 })
	return coded || f.no(d[wWell]...) || f.is(d[wIll]...) || f.text(d[wResult]...) == "failure" || f.object(d[wError]...).text("message") != ""
}

// exitIn reports whether a line near the beginning or end of a command's output has the agent's
// form of a nonzero exit code.
func (d dialect) exitIn(printed string) bool {
	const near = 300
	around := printed
	if len(around) > 2*near {
		around = printed[:near] + "\n" + printed[len(printed)-near:]
	}
	for l := range strings.Lines(strings.ToLower(around)) {
		for _, head := range d[wExitLine] {
			code, ok := strings.CutPrefix(strings.TrimSpace(l), strings.ToLower(head))
			code, _, _ = strings.Cut(code, " ")
			if n, err := strconv.Atoi(strings.TrimRight(code, ".,)")); ok && err == nil && n != 0 {
				return true
			}
		}
	}
	return false
}

// account removes an agent's own lines around a command's output, unless nothing would remain.
func (d dialect) account(said string) string {
	rest := said
	for begins(rest, d[wAccountHead]) {
		line, after, _ := strings.Cut(rest, "\n")
		if printed, is := strings.CutPrefix(line, "Output:"); is { // the first line may follow on the same line
			rest = strings.TrimPrefix(strings.TrimPrefix(printed, " ")+"\n"+after, "\n")
			break
		}
		rest = after
	}
	if rest == said {
		return said
	}
	for {
		rest = strings.TrimRight(rest, "\n")
		at := strings.LastIndexByte(rest, '\n') + 1
		if !begins(rest[at:], d[wAccountTail]) {
			return cmp.Or(rest, said)
		}
		rest = rest[:at]
	}
}

func begins(s string, heads []string) bool {
	return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(s, h) })
}

// Trouble is a failure during an event. Only Err may contain foreign text.
type Trouble struct {
	Kind    Kind   // "" for an unknown event
	Project string // if known
	What    string // the failed step, in one word
	During  string // the step in progress when the time ran out; else ""
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
	for _, e := range []error{errNoObject, errNoFile, errLater, errMany} {
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
