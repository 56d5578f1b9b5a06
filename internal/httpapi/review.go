package httpapi

import (
	"errors"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/review"
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
func (a *API) reviews(q *request) (reply, error) {
	name := q.query.Get("project")
	a.known(q, name)
	page := q.page()
	kinds, err := engram.ParseQueueKinds(q.query["kind"])
	if q.bad(err); q.err != nil {
		return reply{}, q.err
	}
	due, err := a.Engine.Reviews(q.Context(), name, page)
	if err != nil {
		return reply{}, err
	}
	queue, err := a.Engine.Queue(q.Context(), review.QueueInput{Project: name, Kinds: kinds, Page: page})
	return reply{body: reviewsDoc{page.Limit, page.Offset, document.Each(due, a.docOf), queue.Counts, document.Each(queue.Items, document.QueuedOf)}}, err
}

// reviewDone records that a memory was checked and still holds.
func (a *API) reviewDone(q *request) (reply, error) {
	ref := q.parsed(q.PathValue("ref"))
	if !q.empty() {
		decode[struct{}](q)
	}
	if q.err != nil {
		return reply{}, q.err
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

func (a *API) reviewed(res review.ReviewResult, err error) (reply, error) {
	done := res.Decided()
	return reply{body: reviewedDoc{a.docOf(res.Memory), res.Op, document.OrEmpty(res.Degraded), done.Anchored, done.Released}}, err
}

// snoozeBody says until when, in one of two ways.
type snoozeBody struct {
	For   string `json:"for" example:"30d" doc:"a span"`
	Until string `json:"until" example:"2027-01-31" doc:"a day or a time"`
}

// reviewSnooze postpones the review of a memory.
func (a *API) reviewSnooze(q *request) (reply, error) {
	ref, in := q.parsed(q.PathValue("ref")), decode[snoozeBody](q)
	if q.err != nil {
		return reply{}, q.err
	}
	until, err := snoozeUntil(in.For, in.Until, a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	return a.reviewed(a.Engine.Snooze(q.Context(), ref, until))
}

func snoozeUntil(span, until string, now time.Time) (time.Time, error) {
	span, until = strings.TrimSpace(span), strings.TrimSpace(until)
	if (span == "") == (until == "") {
		return now, invalid("no time is given").WithHint("%s", `send either {"for": "30d"} or {"until": "2027-01-31"}`)
	}
	read, given := text.Ahead, span
	if until != "" {
		read, given = text.When, until
	}
	at, ok := read(given, now.UTC())
	if !ok {
		return at, invalid("%q is not a time", given).WithHint("%s", `send either {"for": "30d"} or {"until": "2027-01-31"}`)
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

func (a *API) reviewApprove(q *request, in approveBody) (reply, error) {
	if (len(in.Names) == 0) == (in.Operation == 0) {
		return reply{}, invalid("no items to approve were given").WithHint("%s", `send either {"names": ["12", "w3"]} or {"operation": 42}`)
	}
	if in.Operation != 0 {
		return a.decided(a.Engine.ApproveOperation(q.Context(), in.Operation))
	}
	return a.decided(a.Engine.ApproveNamed(q.Context(), in.Names))
}

func (a *API) reviewRefuse(q *request, in namesBody) (reply, error) {
	if len(in.Names) == 0 {
		return reply{}, invalid("nothing to reject is given").WithHint("%s", `{"names": ["12", "w3"]}`)
	}
	return a.decided(a.Engine.RefuseNamed(q.Context(), in.Names))
}

func (a *API) decided(done review.Decided, err error) (reply, error) {
	if err != nil {
		return reply{}, afterSome(done.Names(), err)
	}
	return reply{body: decidedDoc{document.Each(done.Memories, a.docOf), done.Records,
		document.Each(done.Done, func(d review.DecidedName) document.DecidedName { return document.DecidedName(d) }), document.OrEmpty(done.Degraded)}}, nil
}

// afterSome adds what was done before the error: each name is decided separately, and earlier decisions stay.
func afterSome(done []string, err error) error {
	var known *engram.Error
	if len(done) == 0 || !errors.As(err, &known) {
		return err
	}
	return engram.Errorf(known.Code, "%s; done before that: %s", known.Msg, strings.Join(done, ", ")).WithHintOf(err).WithCause(err)
}

// readMemory reads a memory and counts the access for the session. Without a session it counts nothing, as a
// GET changes nothing.
func (a *API) readMemory(q *request, ref engram.Ref) (engineread.Detail, error) {
	session := q.query.Get("session_id")
	at := q.when("as_of", a.Engine.Now())
	if q.err != nil {
		return engineread.Detail{}, q.err
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
func (a *API) decay(q *request) (reply, error) {
	in := consolidate.DecayInput{Curve: engram.Curve(strings.ToLower(strings.TrimSpace(q.query.Get("curve")))),
		Filter: q.filter(a.Engine.Now())}
	in.Filter.Scope = q.knownScope()
	a.known(q, in.Filter.Project)
	for _, name := range q.list("id") {
		in.Refs = append(in.Refs, q.parsed(name))
	}
	in.Below, in.Days, in.Limit, in.Offset = q.share("below"), q.number("days"), q.number("limit"), q.number("offset")
	if q.err != nil {
		return reply{}, q.err
	}
	out, err := a.Engine.Decay(q.Context(), in)
	return reply{body: decayDoc{out.Days, out.Total, in.Limit, in.Offset, document.Each(out.Memories, func(f consolidate.Faded) document.Faded {
		return document.FadedOf(f.Memory, f.Now, f.Later, f.Curve, f.Reason)
	})}}, err
}

// projectDecay reports how the memories of a project fade; type selects one type.
func (a *API) projectDecay(q *request) (reply, error) {
	d, err := a.Engine.DecayProject(q.Context(), consolidate.ProjectDecayInput{Project: q.PathValue("name"), Type: engram.Type(q.query.Get("type"))})
	return reply{body: document.ProjectDecayOf(d.Project, d.Own, d.InForce)}, err
}

// decayBody says how a project fades; null fields stay.
type decayBody struct {
	Type     string        `json:"type" doc:"only memories of this type"`
	Curve    *engram.Curve `json:"curve" doc:"importance, geometric or ebbinghaus"`
	Rate     *float64      `json:"rate" doc:"0 is the curve's own"`
	MaxBoost *float64      `json:"max_boost" doc:"0 is 2"`
	Reset    bool          `json:"reset" default:"false" doc:"reset to the configuration"`
}

// setProjectDecay changes how the memories of a project fade; null fields stay.
func (a *API) setProjectDecay(q *request, in decayBody) (reply, error) {
	d, err := a.Engine.DecayProject(q.Context(), consolidate.ProjectDecayInput{Project: q.PathValue("name"), Type: engram.Type(in.Type),
		Curve: in.Curve, Rate: in.Rate, MaxBoost: in.MaxBoost, Reset: in.Reset})
	return reply{body: document.ProjectDecayOf(d.Project, d.Own, d.InForce)}, err
}

type sleepBody struct {
	Project string                 `json:"project" doc:"empty is every project"`
	DryRun  bool                   `json:"dry_run" default:"false" doc:"only report what would change"`
	Only    []lifecycle.StepAction `json:"only" doc:"steps: fade, boost, merge, prune, extract; empty is all; not for a prune"`
	Below   *float64               `json:"below" min:"0" max:"1" doc:"forget what is weaker; above 0"`
}

// sleep consolidates memories, or plans it.
func (a *API) sleep(q *request, b sleepBody) (reply, error) {
	return a.slept(q, b, b.Only)
}

// prune forgets weak memories, or plans it.
func (a *API) prune(q *request, b sleepBody) (reply, error) {
	if len(b.Only) > 0 {
		return reply{}, invalid("a prune takes no only").WithHint("use POST /sleep")
	}
	return a.slept(q, b, []lifecycle.StepAction{lifecycle.StepPrune})
}

func (a *API) slept(q *request, b sleepBody, only []lifecycle.StepAction) (reply, error) {
	in := consolidate.SleepInput{Project: b.Project, DryRun: b.DryRun}
	if len(only) > 0 { // an empty list would leave out every step
		in.Only = only
	}
	if b.Below != nil {
		if *b.Below == 0 { // 0 would mean the engine's default
			return reply{}, invalid("below 0 forgets nothing").WithHint("use a strength above 0, such as 0.1")
		}
		in.Below = *b.Below
	}
	if a.known(q, in.Project); q.err != nil {
		return reply{}, q.err
	}
	res, err := a.Engine.Sleep(q.Context(), in)
	if err != nil {
		return reply{}, err
	}
	return reply{body: document.SleepOf(res, in.DryRun)}, nil
}

func (a *API) diagnostics(q *request) (reply, error) {
	in := consolidate.DiagnosticsInput{Project: q.query.Get("project"), Limit: q.number("limit")}
	if a.known(q, in.Project); q.err != nil {
		return reply{}, q.err
	}
	d, err := a.Engine.Diagnose(q.Context(), in)
	if err != nil {
		return reply{}, err
	}
	return reply{body: document.DiagnosticsOf(d)}, nil
}
