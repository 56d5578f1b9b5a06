package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/render"
)

// log answers the journal, newest first; ref narrows it to one memory.
func (a *API) log(q *route.Request) (route.Reply, error) {
	in := read.LogInput{Project: q.Query.Get("project"), Actor: q.Query.Get("actor"), Operation: q.Query.Get("verb")}
	if name := q.Query.Get("ref"); name != "" {
		in.Ref = new(parsed(q, name))
	}
	a.known(q, in.Project)
	in.Since, in.Until, in.Page = q.When("since", a.Engine.Now()), q.When("until", a.Engine.Now()), pageOf(q)
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	entries, begins, err := a.Engine.Log(q.Context(), in)
	return route.Reply{Body: document.Log{Begins: document.Timestamp(begins), Operations: document.Each(entries, document.OperationOf)}}, err
}

// undoBody says what to undo: op, the latest of a project or of all, or a range.
type undoBody struct {
	Op        *int64 `json:"op" min:"1" doc:"an operation; GET /log lists the numbers"`
	From      *int64 `json:"from" min:"1" doc:"with to: the first of a range"`
	To        *int64 `json:"to" min:"1" doc:"with from: the last of a range"`
	Operation string `json:"verb" doc:"of a range only operations of this name"`
	Project   string `json:"project" doc:"the latest operation here"`
	All       bool   `json:"all_projects" default:"false" doc:"the latest operation anywhere"`
	DryRun    bool   `json:"dry_run" default:"false" doc:"only report what would change"`
}

// undo undoes one operation, the latest of a project, or a range, optionally of one operation name.
func (a *API) undo(q *route.Request, in undoBody) (route.Reply, error) {
	switch {
	case in.From != nil && in.To != nil:
		list, err := a.Engine.UndoRange(q.Context(), undo.UndoRangeInput{First: *in.From, Last: *in.To, Operation: in.Operation, Project: in.Project, DryRun: in.DryRun})
		doc := undoneDoc{in.DryRun, document.Each(list, func(u engram.Undone) document.Undone { return document.UndoneOf(u, in.DryRun) })}
		return route.Reply{Body: doc}, err
	case in.Op == nil && in.Project == "" && !in.All:
		return route.Reply{}, route.Invalid("no operation to undo is given").WithHint("give op, project for its latest operation, or all_projects; GET /log lists the numbers")
	case in.Op != nil && *in.Op < 1:
		return route.Reply{}, route.Invalid("operation %d does not exist", *in.Op).WithHint("GET /log lists the numbers")
	}
	undo := undo.UndoInput{Project: in.Project, DryRun: in.DryRun}
	if in.Op != nil {
		undo.Op = *in.Op
	}
	u, err := a.Engine.Undo(q.Context(), undo)
	return route.Reply{Body: document.UndoneOf(u, in.DryRun)}, err
}

// undoneDoc is the answer of POST /undo with from and to.
type undoneDoc struct {
	DryRun bool              `json:"dry_run"`
	Undone []document.Undone `json:"undone"` // latest first
}

// history answers the versions of a memory, or with from and to the difference of two.
func (a *API) history(q *route.Request) (route.Reply, error) {
	ref := refOf(q)
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	h, err := a.Engine.History(q.Context(), ref)
	if err != nil {
		return route.Reply{}, err
	}
	if !q.Query.Has("from") && !q.Query.Has("to") {
		return route.Reply{Body: document.HistoryOf(h)}, nil
	}
	var versions [2]engram.Version
	for i, name := range []string{"from", "to"} {
		number := q.Number(name)
		if q.Err != nil {
			return route.Reply{}, q.Err
		}
		if versions[i], err = h.Version(number); err != nil {
			return route.Reply{}, err
		}
	}
	from, to := versions[0], versions[1]
	return route.Reply{Body: document.Diff{From: from.Number, To: to.Number, Diff: render.Diff(render.VersionText(from), render.VersionText(to))}}, nil
}

type restoreBody struct {
	Ref     string `json:"ref" required:"true" doc:"a memory: its number, its id or topic:KEY"`
	Version int    `json:"version" required:"true" min:"1" doc:"GET /history/{ref} lists them"`
}

func (a *API) restore(q *route.Request, in restoreBody) (route.Reply, error) {
	if strings.TrimSpace(in.Ref) == "" || in.Version < 1 {
		return route.Reply{}, route.Invalid("ref and version are required").WithHint("GET %s lists the versions", "/history/{ref}")
	}
	ref, err := engram.ParseRef(in.Ref)
	if err != nil {
		return route.Reply{}, err
	}
	m, err := a.Engine.Restore(q.Context(), ref, in.Version)
	return route.Reply{Body: changedDoc{a.docOf(m)}}, err
}

// How watchers are served. News are polled from the journal, where other processes write too; a poll without
// news reads one row.
const (
	watchEvery   = 250 * time.Millisecond // between two polls
	watchBeat    = 15 * time.Second       // between two keep-alive comments
	watchPatient = 30 * time.Second       // for a client to take an event
	watchRetry   = 2 * time.Second        // after which a client should reconnect
	maxWatchers  = 32
)

// eventDoc is an operation as a watcher sees it: who and what it touched, but no text. A watcher with the right
// to read asks for it.
type eventDoc struct {
	Op        int64              `json:"op"`
	At        document.Timestamp `json:"at"`
	Actor     string             `json:"actor"`
	Operation string             `json:"verb"`
	Project   string             `json:"project"`
	Undoes    int64              `json:"undoes"`   // the operation that it undid; 0: none
	Memories  []eventMemory      `json:"memories"` // the first it touched
	Things    []eventThing       `json:"things"`   // the first others: sessions, prompts, relations, projects
	More      int                `json:"more"`     // how many more
}

type eventMemory struct {
	Num     int64     `json:"num"`
	ID      engram.ID `json:"id"` // "" when erased
	Created bool      `json:"created"`
}

type eventThing struct {
	Entity  engram.Entity `json:"entity"`
	Key     string        `json:"key"`
	Created bool          `json:"created"`
}

// fromDoc says that events after Op follow.
type fromDoc struct {
	Op int64 `json:"op"`
}

func eventOf(e engram.LogEntry) eventDoc {
	doc := eventDoc{Op: e.Op, At: document.Timestamp(e.At.Time()), Actor: e.Actor, Operation: e.Name, Project: e.Project, Undoes: e.Undoes,
		Memories: []eventMemory{}, Things: []eventThing{}, More: e.More}
	for _, item := range e.Items {
		if num, err := strconv.ParseInt(item.Key, 10, 64); err == nil && item.Entity == engram.EntityMemory {
			doc.Memories = append(doc.Memories, eventMemory{num, item.ID, item.Created})
			continue
		}
		doc.Things = append(doc.Things, eventThing{item.Entity, item.Key, item.Created})
	}
	return doc
}

// events streams operations as Server-Sent Events until the client leaves or the server stops. Last-Event-ID,
// which browsers send when they reconnect, takes precedence over since, which stays in the address.
//
// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
func (a *API) events(w http.ResponseWriter, q *route.Request) error {
	in := read.WatchInput{Project: q.Query.Get("project")}
	if a.known(q, in.Project); q.Err != nil {
		return q.Err
	}
	for _, given := range []string{q.Header.Get("Last-Event-ID"), q.Query.Get("since")} {
		if given == "" {
			continue
		}
		op, err := strconv.ParseInt(given, 10, 64)
		if err != nil || op < 0 {
			return route.Invalid("since %q is not the number of an operation", route.Clip(given)).WithHint("GET /log lists the numbers; 0 is the beginning")
		}
		in.After = &op
		break
	}
	select {
	case a.watchers <- struct{}{}:
		defer func() { <-a.watchers }()
	default:
		return engram.Errorf(engram.CodeUnavailable, "%d clients are watching already", maxWatchers).WithHint("close one, or use GET /log")
	}
	h := w.Header()
	h.Set("Content-Type", route.MediaEvents)
	h.Set("X-Accel-Buffering", "no") // keeps proxies from buffering
	w.WriteHeader(http.StatusOK)
	if q.Method == http.MethodHead {
		return nil
	}
	ctx, cancel := route.UntilStop(q.Context(), 0) // a watch has nothing to finish
	defer cancel()
	out := &eventWriter{w: w, control: http.NewResponseController(w)}
	in.Wait = out.wait
	err := out.write(fmt.Sprintf("retry: %d\n\n", watchRetry.Milliseconds()))
	if err == nil {
		err = a.Engine.Watch(ctx, in, out.report)
	}
	switch {
	case ctx.Err() != nil, errors.Is(err, errLeft):
		a.Log.Debug("a watch ended", "err", err)
	default:
		a.Log.Error("a watch ended", "err", err) // the client reconnects
	}
	return nil
}

// errLeft says that a client no longer accepts events.
var errLeft = errors.New("the client left")

// eventWriter writes the events of one watcher in order. It buffers nothing: a slow client delays it, and later
// events are read from the journal afterwards.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	idle    time.Duration // since the last event or keep-alive
}

func (e *eventWriter) report(n read.Watched) error {
	name, doc := "operation", any(eventOf(n.Entry))
	switch {
	case n.Begun:
		name, doc = "begin", fromDoc{n.Entry.Op}
	case n.Missed:
		name, doc = "missed", fromDoc{n.Entry.Op}
	}
	line, err := json.Marshal(doc) // on one line: a line break would end the field
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", n.Entry.Op, name, line)
	return e.write(b.String())
}

// wait pauses between two polls and sends a keep-alive now and then: only a write reveals a vanished client.
func (e *eventWriter) wait(ctx context.Context) error {
	t := time.NewTimer(watchEvery)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
	}
	if e.idle += watchEvery; e.idle < watchBeat {
		return nil
	}
	return e.write(": still here\n\n")
}

// write sends text, and breaks the connection when the client does not take it in time.
func (e *eventWriter) write(text string) error {
	e.idle = 0
	late := time.AfterFunc(watchPatient, func() {
		_ = e.control.SetWriteDeadline(time.Unix(1, 0)) // a writer without deadlines does not wait
	})
	defer late.Stop()
	if _, err := e.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("%w: %w", errLeft, err)
	}
	if err := e.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("%w: %w", errLeft, err)
	}
	return nil
}
