package httpapi

import (
	"errors"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/text"
)

// reviewsDoc is the answer of GET /review.
type reviewsDoc struct {
	Limit    int                      `json:"limit"`
	Offset   int                      `json:"offset"`
	Memories []document.Memory        `json:"memories"` // due for review, longest overdue first
	Counts   map[engram.QueueKind]int `json:"counts"`   // pending items by kind
	Items    []document.Queued        `json:"items"`    // pending items by kind, the oldest of each first
}

// reviews lists the items pending for a person, and the memories due for review separately.
func (a *API) reviews(q *route.Request) (route.Reply, error) {
	name := q.Query.Get("project")
	a.known(q, name)
	page := pageOf(q)
	kinds, err := engram.ParseQueueKinds(q.Query["kind"])
	if q.Bad(err); q.Err != nil {
		return route.Reply{}, q.Err
	}
	due, err := a.Engine.Reviews(q.Context(), name, page)
	if err != nil {
		return route.Reply{}, err
	}
	queue, err := a.Engine.Queue(q.Context(), review.QueueInput{Project: name, Kinds: kinds, Page: page})
	return route.Reply{Body: reviewsDoc{page.Limit, page.Offset, document.Each(due, a.docOf), queue.Counts, document.Each(queue.Items, document.QueuedOf)}}, err
}

// reviewDone records that a memory was checked and still holds.
func (a *API) reviewDone(q *route.Request) (route.Reply, error) {
	ref := parsed(q, q.PathValue("ref"))
	if !q.Empty() {
		route.Decode[struct{}](q)
	}
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	return a.reviewed(a.Engine.Reviewed(q.Context(), ref))
}

// reviewedDoc is the answer of POST /review/{ref}/done and POST /review/{ref}/snooze.
type reviewedDoc struct {
	Memory   document.Memory `json:"memory"`
	Op       int64           `json:"op"`       // for undo; 0 when nothing changed
	Degraded []string        `json:"degraded"` // what failed, and why

	Anchored []string `json:"anchored,omitempty"` // code it is newly anchored to, in its present state
	Released []string `json:"released,omitempty"` // code it is no longer anchored to, because it is gone
}

func (a *API) reviewed(res review.ReviewResult, err error) (route.Reply, error) {
	done := res.Decided()
	return route.Reply{Body: reviewedDoc{a.docOf(res.Memory), res.Op, document.OrEmpty(res.Degraded), done.Anchored, done.Released}}, err
}

// snoozeBody says until when, in one of two ways.
type snoozeBody struct {
	For   string `json:"for" example:"30d" doc:"a span"`
	Until string `json:"until" example:"2027-01-31" doc:"a day or a time"`
}

func (a *API) reviewSnooze(q *route.Request) (route.Reply, error) {
	ref, in := parsed(q, q.PathValue("ref")), route.Decode[snoozeBody](q)
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	until, err := snoozeUntil(in.For, in.Until, a.Engine.Now())
	if err != nil {
		return route.Reply{}, err
	}
	return a.reviewed(a.Engine.Snooze(q.Context(), ref, until))
}

func snoozeUntil(span, until string, now time.Time) (time.Time, error) {
	span, until = strings.TrimSpace(span), strings.TrimSpace(until)
	if (span == "") == (until == "") {
		return now, route.Invalid("no time is given").WithHint("%s", `send either {"for": "30d"} or {"until": "2027-01-31"}`)
	}
	read, given := text.Ahead, span
	if until != "" {
		read, given = text.When, until
	}
	at, ok := read(given, now.UTC())
	if !ok {
		return at, route.Invalid("%q is not a time", given).WithHint("%s", `send either {"for": "30d"} or {"until": "2027-01-31"}`)
	}
	return at, nil
}

type namesBody struct {
	Names []string `json:"names" doc:"numbers, ids or topic:KEY of memories; w and a number for pending records"`
}

// approveBody says what is approved, in one of two ways.
type approveBody struct {
	namesBody
	Operation int64 `json:"operation" min:"1" doc:"instead of names: all flagged memories written by this operation and unchanged since"`
}

// decidedDoc is the answer of POST /review/approve and POST /review/refuse.
type decidedDoc struct {
	Memories []document.Memory      `json:"memories"`
	Records  []int64                `json:"records"`  // numbers of records that were no memories yet
	Done     []document.DecidedName `json:"done"`     // all, as they were named, with the operations for undo
	Degraded []string               `json:"degraded"` // what failed, and why
}

func (a *API) reviewApprove(q *route.Request, in approveBody) (route.Reply, error) {
	if (len(in.Names) == 0) == (in.Operation == 0) {
		return route.Reply{}, route.Invalid("no items to approve were given").WithHint("%s", `send either {"names": ["12", "w3"]} or {"operation": 42}`)
	}
	if in.Operation != 0 {
		return a.decided(a.Engine.ApproveOperation(q.Context(), in.Operation))
	}
	return a.decided(a.Engine.ApproveNamed(q.Context(), in.Names))
}

func (a *API) reviewRefuse(q *route.Request, in namesBody) (route.Reply, error) {
	if len(in.Names) == 0 {
		return route.Reply{}, route.Invalid("nothing to reject is given").WithHint("%s", `{"names": ["12", "w3"]}`)
	}
	return a.decided(a.Engine.RefuseNamed(q.Context(), in.Names))
}

func (a *API) decided(done review.Decided, err error) (route.Reply, error) {
	return route.Reply{Body: decidedDoc{document.Each(done.Memories, a.docOf), done.Records,
		document.Each(done.Done, func(d review.DecidedName) document.DecidedName { return document.DecidedName(d) }), document.OrEmpty(done.Degraded)}}, afterSome(done.Names(), err)
}

// afterSome adds what was done before the error: each name is decided separately, and earlier decisions stay.
func afterSome(done []string, err error) error {
	known, ok := errors.AsType[*engram.Error](err)
	if len(done) == 0 || !ok {
		return err
	}
	return engram.Errorf(known.Code, "%s; done before that: %s", known.Msg, strings.Join(done, ", ")).WithHintOf(err).WithCause(err)
}

// readMemory reads a memory and counts the access for the session. Without a session it counts nothing, as a
// GET changes nothing.
func (a *API) readMemory(q *route.Request, ref engram.Ref) (read.Detail, error) {
	session := q.Query.Get("session_id")
	at := q.When("as_of", a.Engine.Now())
	if q.Err != nil {
		return read.Detail{}, q.Err
	}
	if blank(session) || !at.IsZero() {
		return a.at(q).GetAsOf(q.Context(), ref, at)
	}
	return a.at(q).GetIn(q.Context(), session, ref)
}

// decayDoc is the answer of GET /decay.
type decayDoc struct {
	Days     int              `json:"days"`  // how far ahead Later looks
	Total    int              `json:"total"` // all that match, on this page or not
	Limit    int              `json:"limit"`
	Offset   int              `json:"offset"`
	Memories []document.Faded `json:"memories"` // weakest first
}

// decay reports the strength of memories, weakest first; id selects memories, repeated or separated by commas.
func (a *API) decay(q *route.Request) (route.Reply, error) {
	in := consolidate.DecayInput{Curve: engram.Curve(strings.ToLower(strings.TrimSpace(q.Query.Get("curve")))),
		Filter: filterOf(q, a.Engine.Now())}
	in.Filter.Scope = knownScopeOf(q)
	a.known(q, in.Filter.Project)
	for _, name := range q.List("id") {
		in.Refs = append(in.Refs, parsed(q, name))
	}
	in.Below, in.Days, in.Limit, in.Offset = q.Share("below"), q.Number("days"), q.Number("limit"), q.Number("offset")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	out, err := a.Engine.Decay(q.Context(), in)
	return route.Reply{Body: decayDoc{out.Days, out.Total, in.Limit, in.Offset, document.Each(out.Memories, func(f consolidate.Faded) document.Faded {
		return document.FadedOf(f.Memory, f.Now, f.Later, f.Curve, f.Reason)
	})}}, err
}

// projectDecay reports how the memories of a project fade; type selects one type.
func (a *API) projectDecay(q *route.Request) (route.Reply, error) {
	d, err := a.Engine.DecayProject(q.Context(), consolidate.ProjectDecayInput{Project: q.PathValue("name"), Type: engram.Type(q.Query.Get("type"))})
	return route.Reply{Body: document.ProjectDecayOf(d.Project, d.Own, d.InForce)}, err
}

// decayBody says how a project fades; null fields stay.
type decayBody struct {
	Type     string        `json:"type" doc:"only memories of this type"`
	Curve    *engram.Curve `json:"curve" doc:"importance, geometric or ebbinghaus"`
	Rate     *float64      `json:"rate" doc:"0 is the curve's own"`
	MaxBoost *float64      `json:"max_boost" doc:"0 is 2"`
	Reset    bool          `json:"reset" default:"false" doc:"reset to the configuration"`
}

func (a *API) setProjectDecay(q *route.Request, in decayBody) (route.Reply, error) {
	d, err := a.Engine.DecayProject(q.Context(), consolidate.ProjectDecayInput{Project: q.PathValue("name"), Type: engram.Type(in.Type),
		Curve: in.Curve, Rate: in.Rate, MaxBoost: in.MaxBoost, Reset: in.Reset})
	return route.Reply{Body: document.ProjectDecayOf(d.Project, d.Own, d.InForce)}, err
}

type sleepBody struct {
	Project string                 `json:"project" doc:"empty is every project"`
	DryRun  bool                   `json:"dry_run" default:"false" doc:"only report what would change"`
	Only    []lifecycle.StepAction `json:"only" doc:"steps: fade, boost, merge, prune, extract; empty is all; not for a prune"`
	Below   *float64               `json:"below" min:"0" max:"1" doc:"forget what is weaker; above 0"`
}

func (a *API) sleep(q *route.Request, b sleepBody) (route.Reply, error) {
	return a.slept(q, b, b.Only)
}

func (a *API) prune(q *route.Request, b sleepBody) (route.Reply, error) {
	if len(b.Only) > 0 {
		return route.Reply{}, route.Invalid("a prune takes no only").WithHint("use POST /sleep")
	}
	return a.slept(q, b, []lifecycle.StepAction{lifecycle.StepPrune})
}

func (a *API) slept(q *route.Request, b sleepBody, only []lifecycle.StepAction) (route.Reply, error) {
	in := consolidate.SleepInput{Project: b.Project, DryRun: b.DryRun}
	if len(only) > 0 { // an empty list would leave out every step
		in.Only = only
	}
	if b.Below != nil {
		if *b.Below == 0 { // 0 would mean the engine's default
			return route.Reply{}, route.Invalid("below 0 forgets nothing").WithHint("use a strength above 0, such as 0.1")
		}
		in.Below = *b.Below
	}
	if a.known(q, in.Project); q.Err != nil {
		return route.Reply{}, q.Err
	}
	res, err := a.Engine.Sleep(q.Context(), in)
	return route.Reply{Body: document.SleepOf(res, in.DryRun)}, err
}

func (a *API) diagnostics(q *route.Request) (route.Reply, error) {
	in := consolidate.DiagnosticsInput{Project: q.Query.Get("project"), Limit: q.Number("limit")}
	if a.known(q, in.Project); q.Err != nil {
		return route.Reply{}, q.Err
	}
	d, err := a.Engine.Diagnose(q.Context(), in)
	return route.Reply{Body: document.DiagnosticsOf(d)}, err
}
