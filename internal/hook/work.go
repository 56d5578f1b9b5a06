package hook

import (
	"context"
	"slices"

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

// remindFile reminds of a file, once in a session.
func (r *run) remindFile(ctx context.Context, notes []attend.Note) {
	path := r.event.Tool.Path
	if noted(notes, noteFile, func(n attend.Note) bool { return n.Path == path }) || r.place(ctx, notes) != here {
		return
	}
	r.note(attend.Note{Kind: noteFile, Path: path})
	r.remind(ctx, notes, engine.RemindInput{Path: path})
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
	n := attend.Note{At: r.at, Kind: attend.KindTool, Tool: t.Name, Path: t.Path, Command: t.Command, Writes: t.Writes, Failed: t.Failed, Error: t.Error}
	r.note(n)
	missed := r.missed(ctx, notes)
	switch {
	case t.Failed && !missed:
		r.remindError(ctx, notes)
	case !t.Failed && t.Command != "" && noted(notes, attend.KindTool, func(n attend.Note) bool { return n.Failed && n.Command != "" }):
		r.outcome(ctx, append(notes, n))
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
	if fault == "" || noted(notes, noteFault, func(n attend.Note) bool { return n.Text == fault }) || r.place(ctx, notes) != here {
		return
	}
	r.note(attend.Note{Kind: noteFault, Text: fault})
	r.remind(ctx, notes, engine.RemindInput{Error: r.event.Tool.Error})
}

// outcome keeps what was learned of a command that has just passed.
func (r *run) outcome(ctx context.Context, notes []attend.Note) {
	all := attend.Outcomes(notes)
	if len(all) == 0 {
		return
	}
	last := all[len(all)-1] // they are in the order in which they passed
	if !last.At.Equal(r.at) {
		return // what passed had not failed
	}
	r.waitFor(attend.Waiting{What: attend.WaitOutcome, Title: last.Title, Text: last.Content, Topic: last.TopicKey})
	r.write(ctx)
}
