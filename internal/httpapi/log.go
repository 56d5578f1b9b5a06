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
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	engineundo "github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/render"
)

// log answers the journal, newest first; ref narrows it to one memory.
func (a *API) log(q *request) (reply, error) {
	in := engineread.LogInput{Project: q.query.Get("project"), Actor: q.query.Get("actor"), Operation: q.query.Get("verb")}
	if name := q.query.Get("ref"); name != "" {
		in.Ref = new(q.parsed(name))
	}
	a.known(q, in.Project)
	in.Since, in.Until, in.Page = q.when("since", a.Engine.Now()), q.when("until", a.Engine.Now()), q.page()
	if q.err != nil {
		return reply{}, q.err
	}
	entries, begins, err := a.Engine.Log(q.Context(), in)
	return reply{body: document.Log{Begins: document.Timestamp(begins), Operations: document.Each(entries, document.OperationOf)}}, err
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
func (a *API) undo(q *request, in undoBody) (reply, error) {
	switch {
	case in.From != nil && in.To != nil:
		list, err := a.Engine.UndoRange(q.Context(), engineundo.UndoRangeInput{First: *in.From, Last: *in.To, Operation: in.Operation, Project: in.Project, DryRun: in.DryRun})
		doc := undoneDoc{in.DryRun, document.Each(list, func(u engram.Undone) document.Undone { return document.UndoneOf(u, in.DryRun) })}
		return reply{body: doc}, err
	case in.Op == nil && in.Project == "" && !in.All:
		return reply{}, invalid("no operation to undo is given").WithHint("give op, project for its latest operation, or all_projects; GET /log lists the numbers")
	case in.Op != nil && *in.Op < 1:
		return reply{}, invalid("operation %d does not exist", *in.Op).WithHint("GET /log lists the numbers")
	}
	undo := engineundo.UndoInput{Project: in.Project, DryRun: in.DryRun}
	if in.Op != nil {
		undo.Op = *in.Op
	}
	u, err := a.Engine.Undo(q.Context(), undo)
	return reply{body: document.UndoneOf(u, in.DryRun)}, err
}

// undoneDoc is the answer of POST /undo with from and to.
type undoneDoc struct {
	DryRun bool              `json:"dry_run"`
	Undone []document.Undone `json:"undone"` // latest first
}

// history answers the versions of a memory, or with from and to the difference of two.
func (a *API) history(q *request) (reply, error) {
	ref := q.ref()
	if q.err != nil {
		return reply{}, q.err
	}
	h, err := a.Engine.History(q.Context(), ref)
	if err != nil {
		return reply{}, err
	}
	if !q.query.Has("from") && !q.query.Has("to") {
		return reply{body: document.HistoryOf(h)}, nil
	}
	var versions [2]engram.Version
	for i, name := range []string{"from", "to"} {
		number := q.number(name)
		if q.err != nil {
			return reply{}, q.err
		}
		if versions[i], err = h.Version(number); err != nil {
			return reply{}, err
		}
	}
	from, to := versions[0], versions[1]
	return reply{body: document.Diff{From: from.Number, To: to.Number, Diff: render.Diff(render.VersionText(from), render.VersionText(to))}}, nil
}

type restoreBody struct {
	Ref     string `json:"ref" required:"true" doc:"a memory: its number, its id or topic:KEY"`
	Version int    `json:"version" required:"true" min:"1" doc:"GET /history/{ref} lists them"`
}

func (a *API) restore(q *request, in restoreBody) (reply, error) {
	if strings.TrimSpace(in.Ref) == "" || in.Version < 1 {
		return reply{}, invalid("ref and version are required").WithHint("GET %s lists the versions", "/history/{ref}")
	}
	ref, err := engram.ParseRef(in.Ref)
	if err != nil {
		return reply{}, err
	}
	m, err := a.Engine.Restore(q.Context(), ref, in.Version)
	return reply{body: changedDoc{a.docOf(m)}}, err
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

func (a *API) eventsRow() Route {
	r := read("/events", nil, "stream operations as Server-Sent Events").newer().texts(mediaEvents).fails(notFound).
		query(inProject(), Param{Name: "since", Kind: KindWhole, Min: new(0.0), Doc: "the operation to start after; default: now; the header Last-Event-ID takes precedence"})
	r.stream = a.events
	return r
}

// events streams operations as Server-Sent Events until the client leaves or the server stops. Last-Event-ID,
// which browsers send when they reconnect, takes precedence over since, which stays in the address.
//
// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
func (a *API) events(w http.ResponseWriter, q *request) error {
	in := engineread.WatchInput{Project: q.query.Get("project")}
	if a.known(q, in.Project); q.err != nil {
		return q.err
	}
	for _, given := range []string{q.Header.Get("Last-Event-ID"), q.query.Get("since")} {
		if given == "" {
			continue
		}
		op, err := strconv.ParseInt(given, 10, 64)
		if err != nil || op < 0 {
			return invalid("since %q is not the number of an operation", clip(given)).WithHint("GET /log lists the numbers; 0 is the beginning")
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
	h.Set("Content-Type", mediaEvents)
	h.Set("X-Accel-Buffering", "no") // keeps proxies from buffering
	w.WriteHeader(http.StatusOK)
	if q.Method == http.MethodHead {
		return nil
	}
	ctx, cancel := untilStop(q.Context(), 0) // a watch has nothing to finish
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

func (e *eventWriter) report(n engineread.Watched) error {
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
