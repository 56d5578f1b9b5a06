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
	"github.com/alanbuscaglia/engram/internal/engine"
)

// beforeTool reminds of what is known about a file that is about to be read or changed.
func (r *run) beforeTool(ctx context.Context) {
	if r.event.Subagent || !r.agent.tellsAt(r.event) {
		return
	}
	notes := r.notes()
	if r.missed(ctx, notes) || r.event.Tool.Path == "" {
		return // the file is reminded of when it is used again
	}
	r.remindFile(ctx, notes)
}

// remindFile reminds of a file, once in a session: of what is known in the project of its
// repository, which need not be that of the folder that the agent was started in.
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
	in := engine.RemindInput{Path: path}
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

// lateReminders is how often it is tried to remind a session of one thing: a store that never
// answers in time must not cost each use of a file that time.
const lateReminders = 3

// remindOnce reminds of what of says, and notes that. That it is tried is noted before: a
// store that does not answer ends the process between the two, and the next event tries again.
func (r *run) remindOnce(ctx context.Context, notes []attend.Note, of attend.Note, in engine.RemindInput) {
	tried := of
	tried.Failed = true
	r.note(tried)
	if r.remind(ctx, notes, in) {
		r.note(of)
	}
}

// reminded reports whether notes say that the session was reminded of what of says, or that
// it was tried often enough.
func reminded(notes []attend.Note, of attend.Note) bool {
	isOf := func(n attend.Note) bool { return n.Kind == of.Kind && n.Path == of.Path && n.Text == of.Text }
	return noted(notes, of.Kind, func(n attend.Note) bool { return isOf(n) && !n.Failed }) || triesIn(notes, isOf) >= lateReminders
}

// noted reports whether there is a note of a kind for which is holds.
func noted(notes []attend.Note, kind string, is func(attend.Note) bool) bool {
	return slices.ContainsFunc(notes, func(n attend.Note) bool { return n.Kind == kind && is(n) })
}

// afterTool notes what was done; a command that passes after it failed is worth a memory, and
// one that fails may have failed before.
func (r *run) afterTool(ctx context.Context) {
	t := r.event.Tool
	if t.Stopped || t.Path == "" && t.Command == "" && !t.Failed && !attend.Saves(t.Name) {
		return
	}
	notes := r.notes()
	if at, known := r.known(notes); at == off || !known && r.place(ctx, notes) == off {
		return
	}
	in, _ := r.ground(ctx, notes)
	if r.Off(in) {
		return
	}
	r.note(attend.Note{Kind: attend.KindTool, Tool: t.Name, Path: t.Path, Command: t.Command, Writes: t.Writes, Failed: t.Failed, Error: t.Error, Project: in})
	missed := r.missed(ctx, notes)
	switch {
	case t.Failed && !missed:
		r.remindError(ctx, notes)
	case !t.Failed && t.Command != "" && noted(notes, attend.KindTool, func(n attend.Note) bool { return n.Failed && n.Command != "" }):
		r.outcome(ctx, r.notes()) // as they were kept, without secrets: what failed is known by its words
	case missed:
	case t.Path != "" && !slices.Contains(r.agent.tells, BeforeTool) && !r.event.Subagent && r.agent.tellsAt(r.event):
		r.remindFile(ctx, notes) // what cannot be told before is told after
	}
}

// known is place where the notes have the folder, and nothing has to be asked.
func (r *run) known(notes []attend.Note) (at where, known bool) {
	if !noted(notes, notePlace, func(n attend.Note) bool { return n.Path == r.event.Folder }) {
		return nowhere, false
	}
	return r.place(context.Background(), notes), true
}

// remindError reminds of what is known about an error, once in a session.
func (r *run) remindError(ctx context.Context, notes []attend.Note) {
	if r.event.Subagent || !r.agent.tellsAt(r.event) {
		return
	}
	fault := attend.Fault(r.event.Tool.Error)
	of := attend.Note{Kind: noteFault, Text: short("", fault)}
	if fault == "" || reminded(notes, of) || r.place(ctx, notes) != here {
		return
	}
	r.remindOnce(ctx, notes, of, engine.RemindInput{Error: r.event.Tool.Error})
}

// outcome keeps what was learned of a command that has just passed.
func (r *run) outcome(ctx context.Context, notes []attend.Note) {
	all := attend.Outcomes(r.below(notes))
	if len(all) == 0 {
		return
	}
	last := all[len(all)-1] // they are in the order in which they passed
	if !last.At.Equal(r.at) {
		return // what passed had not failed
	}
	worked := slices.DeleteFunc(slices.Clone(notes), func(n attend.Note) bool { return n.At.Before(last.Since) })
	if r.learned(ctx, worked, notes, attend.Pending{What: attend.PendingOutcome, Title: last.Title, Text: last.Content, Topic: last.TopicKey}) {
		r.write(ctx)
	}
}

// below are notes with their files as they are named from within their repositories.
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

// shells are words in the names of tools that run commands.
func shells() []string {
	return []string{"bash", "shell", "exec", "command", "terminal"}
}

// has reports whether name has one of some words in it.
func has(name string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// toolOf is the use of a tool as it is noted; event is the plain name of the event that told it.
func toolOf(u use, event string) Tool {
	t := Tool{Name: cmp.Or(u.name, event), Path: u.file}
	named := strings.ToLower(t.Name) + " " + event
	switch {
	case strings.HasPrefix(strings.TrimSpace(u.command), patchBegin):
		t.Path = cmp.Or(t.Path, patched(u.command))
	case t.Path == "" || has(named, shells()): // of a tool for files it says what is done with the file
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

// patchBegin opens a patch as models of OpenAI write it.
const patchBegin = "*** Begin Patch"

// patched is the first file that such a patch changes; "" for what is none.
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

// use is what an event tells of the use of a tool, whatever its agent calls that.
type use struct {
	name, file, command, folder, patch string
	// ended is what came of it; the zero value before it.
	printed, err string
	failed       bool // something says so
	stopped      bool // by the person, or it still goes on
}

// use reads what an event tells of a tool.
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

// ended reads how a tool ended.
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

// errorIn is what went wrong, as an object has it.
func (d dialect) errorIn(f fields) string {
	return cmp.Or(f.text(d[wError]...), f.object(d[wError]...).text("message"))
}

// wrong reports whether an answer says that what was tried went wrong.
func (d dialect) wrong(f fields) bool {
	coded := slices.ContainsFunc(d[wCode], func(name string) bool { return f.number(name) != 0 })
	return coded || f.no(d[wWell]...) || f.is(d[wIll]...) || f.text(d[wResult]...) == "failure" || f.object(d[wError]...).text("message") != ""
}

// exitIn reports whether what a command printed has a line, near its beginning or its end,
// in which its agent says that it failed.
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

// account is what was printed, of an agent that gives an account of it: without the lines
// before and behind it that are the agent's own. All of it where nothing else is told.
func (d dialect) account(said string) string {
	rest := said
	for begins(rest, d[wAccountHead]) {
		line, after, _ := strings.Cut(rest, "\n")
		if printed, is := strings.CutPrefix(line, "Output:"); is { // the first line may stand behind its name
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

// begins reports whether a text begins with one of some heads.
func begins(s string, heads []string) bool {
	return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(s, h) })
}

// Trouble is what could not be done at an event. Nothing of it is anybody's text but what Err
// may have in it.
type Trouble struct {
	Kind    Kind   // "" for an event that nobody knows
	Project string // as far as it was found out
	What    string // what was tried, in one word
	During  string // what was under way when the time was over; "" else
	Err     error
}

// errLater is the error of what a later version wants written, which alone knows how.
var errLater = errors.New("of a later version")

// errMany is the error of a message that lists more than is kept of one.
var errMany = engram.Errorf(engram.CodeInvalid, "of the learnings that one message lists the first %d are kept", mostLearnings)

// NoSuch is the error of a command line in which something is named that nobody knows: What is
// "event", "agent" or "flag".
type NoSuch struct{ What, Name string }

// Error implements error. A name that is no plain word is not told: a command line may have
// anything in it.
func (e NoSuch) Error() string {
	if e.Name == "" || len(e.Name) > 40 || strings.ContainsFunc(e.Name, func(r rune) bool { return r != '-' && r != '_' && (r < 'A' || r > 'z' || 'Z' < r && r < 'a') }) {
		return "there is no such " + e.What
	}
	return "there is no " + e.What + " " + e.Name
}

// Plain reports an error of this package, whose text has nothing of anybody's in it.
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

// bug is a panic: of what type, and where.
type bug struct{ typ, where string }

func (b *bug) Error() string { return "panic: " + b.typ + " at " + b.where }

// bugOf is the panic p that is recovered from right now.
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

// trouble tells what could not be done.
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

// overdue is what could not be done when the time was over: the event.
const overdue = "event"

// do says what is begun now, for whoever wants to know what took so long.
func (r *run) do(what string) { r.doing.Store(&what) }
