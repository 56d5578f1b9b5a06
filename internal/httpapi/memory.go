package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// memories lists, or with q searches.
func (a *API) memories(q *route.Request) (route.Reply, error) {
	filter := filterOf(q, a.Engine.Now())
	filter.Scope, filter.Current, filter.Forgotten = knownScopeOf(q), current(q), q.Flag("forgotten")
	filter.SessionID = q.Query.Get("session_id")
	if q.Err == nil && !blank(q.Query.Get("q")) {
		return a.searchMemories(q, filter)
	}
	for _, p := range finding() { // a list does not use them, but rejects bad values
		q.Fits(p)
	}
	at := q.When("as_of", a.Engine.Now())
	page := engram.Page{Limit: q.NumberAs(limit(20, maxList)), Offset: q.Number("offset")}
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	list, err := a.Engine.ListNoted(q.Context(), filter, page, at)
	if err != nil {
		return route.Reply{}, err
	}
	elsewhere, err := a.elsewhere(q, filter.Project, len(list.Memories) > 0 || page.Offset > 0 || filter.Forgotten || !at.IsZero(), false)
	doc := listDoc{page.Limit, page.Offset, document.MarkedOfAll(list.Memories, list.Notes), elsewhere}
	return route.Reply{Body: doc, Degraded: list.Degraded, Elsewhere: elsewhere}, err
}

func (a *API) searchMemories(q *route.Request, filter engram.Filter) (route.Reply, error) {
	if q.Query.Has("offset") {
		return route.Reply{}, route.Invalid("a search takes no offset").WithHint("use limit, at most 100")
	}
	if filter.Forgotten {
		return route.Reply{}, route.Invalid("forgotten memories cannot be searched").WithHint("leave q out to list them")
	}
	in := searchInput(q, a.Engine.Now())
	a.knownAt(q, filter.Project, in.AsOf)
	in.Filter, in.Limit = filter, q.NumberAs(limit(10, 100)) // this route validates the filter more strictly
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	found, err := a.at(q).Search(q.Context(), in)
	if err != nil {
		return route.Reply{}, err
	}
	hits, below := document.HitsOf(found)
	doc := foundDoc{Query: found.Query, Hits: hits, BelowThreshold: below,
		Repaired: document.Each(found.Repaired, document.RepairOf), Times: document.Each(found.Times, document.TimeOf), Degraded: document.OrEmpty(found.Degraded)}
	doc.Elsewhere, err = a.elsewhere(q, in.Filter.Project, len(found.Hits) > 0 || !in.AsOf.IsZero(), found.Uncertain)
	return route.Reply{Body: doc, Elsewhere: doc.Elsewhere}, err
}

// known rejects a project that does not exist: a mistyped name must not look like an empty project.
func (a *API) known(q *route.Request, name string) { a.knownAt(q, name, time.Time{}) }

// knownAt is known at a past time, when a project may have had another name. The zero time is now.
func (a *API) knownAt(q *route.Request, name string, at time.Time) {
	if name != "" && q.Err == nil {
		_, q.Err = a.Engine.ProjectFor(q.Context(), projects.ProjectRequest{Explicit: name, Lenient: true, AsOf: at})
	}
}

// maxOffset is the largest offset that every store can count.
const maxOffset = 1 << 40

func (a *API) memory(q *route.Request) (route.Reply, error) {
	d, err := a.readMemory(q, refOf(q))
	doc := detailDoc{document.MarkedOf(d.Memory, d.Note()).Memory, document.Share(d.Strength), d.Why,
		document.Each(d.Relations, document.RelationOf), document.Each(d.Revisions, document.RevisionOf)}
	return route.Reply{Body: doc, Degraded: d.Degraded}, err
}

// memoryChange holds the changes of a memory; absent fields stay.
type memoryChange struct {
	Title      *string        `json:"title"`
	Content    *string        `json:"content"`
	Type       *engram.Type   `json:"type"`
	Scope      *string        `json:"scope" doc:"project, personal or global"`
	Project    *string        `json:"project"`
	TopicKey   *string        `json:"topic_key" doc:"family/description"`
	Importance *float64       `json:"importance" min:"0" max:"1"`
	Permanent  *bool          `json:"permanent" doc:"it never fades"`
	Tags       *[]string      `json:"tags" doc:"replaces its tags"`
	AddTags    []string       `json:"add_tags"`
	RemoveTags []string       `json:"remove_tags"`
	Metadata   map[string]any `json:"metadata" doc:"keys to set; null removes its key"`
	Files      *[]string      `json:"files" doc:"replaces its anchors: PATH, PATH:FIRST-LAST or PATH#L3-L9, absolute or relative to its session's folder"`
}

func (a *API) updateMemory(q *route.Request) (route.Reply, error) {
	ref, in := refOf(q), route.Decode[memoryChange](q)
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	up := remember.UpdateInput{
		Ref: ref, Title: in.Title, Content: in.Content, Type: in.Type, Project: in.Project, TopicKey: in.TopicKey,
		Importance: in.Importance, Permanent: in.Permanent, Tags: in.Tags, AddTags: in.AddTags, RemoveTags: in.RemoveTags,
		Metadata: in.Metadata, Files: in.Files, InSession: true,
	}
	if in.Scope != nil {
		scope, err := knownScope(*in.Scope)
		if err != nil {
			return route.Reply{}, err
		}
		up.Scope = &scope
	}
	m, err := a.Engine.Update(q.Context(), up)
	doc := a.docOf(m.Memory)
	doc.Flagged = m.Flagged
	return route.Reply{Body: updatedDoc{changedDoc{doc}, document.OrEmpty(m.Warnings)}}, err
}

// deleteMemory forgets, or with hard=true erases.
func (a *API) deleteMemory(q *route.Request) (route.Reply, error) {
	ref, hard := refOf(q), q.Flag("hard")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	d, err := a.Engine.Delete(q.Context(), hard, ref)
	return route.Reply{Body: document.DeletedOf(d.Memories, d.HeldBy, hard), Degraded: d.Degraded}, err
}

// refOf reads the memory that a path names; project narrows a topic.
func refOf(q *route.Request) engram.Ref { return placedIn(q, parsed(q, q.PathValue("ref"))) }

func parsed(q *route.Request, name string) engram.Ref {
	ref, err := engram.ParseRef(name)
	q.Bad(err)
	return ref
}

// placedIn narrows a topic to the project of the query.
func placedIn(q *route.Request, ref engram.Ref) engram.Ref {
	if ref.Topic != "" {
		ref.Project = q.Query.Get("project")
	}
	return ref
}

func refs(names []string) ([]engram.Ref, error) {
	var list []engram.Ref
	for _, name := range names {
		ref, err := engram.ParseRef(name)
		if err != nil {
			return nil, err
		}
		list = append(list, ref)
	}
	return list, nil
}

// knownScope reads a scope and rejects unknown ones; "" is "".
func knownScope(text string) (engram.Scope, error) {
	scope := engram.Scope(strings.ToLower(strings.TrimSpace(text)))
	if scope != "" && engram.ParseScope(string(scope)) != scope {
		return "", route.Invalid("scope %q does not exist", text).WithHint("use project, personal or global")
	}
	return scope, nil
}

func knownScopeOf(q *route.Request) engram.Scope {
	scope, err := knownScope(q.Query.Get("scope"))
	q.Bad(err)
	return scope
}

type memoryBody struct {
	document.Draft
	Merge bool `json:"merge" default:"false" doc:"allow merging into a near-duplicate"`
}

func (a *API) saveMemory(q *route.Request, in memoryBody) (route.Reply, error) {
	save, err := saveInput(in.Draft, in.Merge)
	if err != nil {
		return route.Reply{}, err
	}
	res, err := a.Engine.Save(q.Context(), save)
	rep := route.Reply{Body: savedOf(res), Location: fmt.Sprintf("/memories/%d", res.Memory.Num)}
	if res.Action == ledger.ActionInserted {
		rep.Status = http.StatusCreated
	}
	return rep, err
}

type batchBody struct {
	Memories []document.Draft `json:"memories" required:"true" doc:"1 to 100"`
	Merge    bool             `json:"merge" default:"false" doc:"allow merging into near-duplicates"`
}

type batchDoc struct {
	Saved []document.Saved `json:"saved"` // in the order of the memories
}

func (a *API) saveMemories(q *route.Request, in batchBody) (route.Reply, error) {
	all, err := a.Engine.SaveBatchOf(q.Context(), len(in.Memories), func(i int) (remember.SaveInput, error) {
		return saveInput(in.Memories[i], in.Merge)
	})
	rep := route.Reply{Body: batchDoc{document.Each(all, savedOf)}}
	for _, res := range all {
		if res.Action == ledger.ActionInserted {
			rep.Status = http.StatusCreated
		}
	}
	return rep, err
}

// saveInput returns the input for d; merge allows merging with a near-duplicate.
func saveInput(d document.Draft, merge bool) (remember.SaveInput, error) {
	in := remember.SaveInput{Title: d.Title, Content: d.Content, Type: d.Type, Project: d.Project, TopicKey: d.TopicKey,
		SessionID: d.SessionID, NewSession: true, ToolName: d.ToolName, Tags: d.Tags, Metadata: d.Metadata,
		Importance: d.Importance, Permanent: d.Permanent, Files: d.Files}
	if merge {
		in.Admit = remember.AdmitMerging
	}
	var err error
	if in.Scope, err = knownScope(d.Scope); err != nil {
		return in, err
	}
	in.Related, err = refs(d.Related)
	return in, err
}

func savedOf(s remember.SaveResult) document.Saved {
	d := document.Saved{Action: string(s.Action), Reason: s.Reason, SuggestedTopic: s.SuggestedTopic(), Warnings: document.OrEmpty(s.Warnings),
		Memory: document.MemoryOf(s.Memory, s.State), Candidates: document.Each(s.Candidates, candidateOf), Related: document.Each(s.Related, relatedOf)}
	if s.MergedWith != nil {
		d.MergedWith = new(document.NamedOf(*s.MergedWith))
	}
	return d
}

func (a *API) docOf(m engram.Memory) document.Memory {
	return document.MemoryOf(m, a.Engine.StateOf(m))
}

func candidateOf(c relate.Candidate) document.Candidate {
	return document.CandidateOf(c.Memory, c.Relation, c.Score, c.Reason)
}

func relatedOf(n search.Near) document.Related { return document.RelatedOf(n.Memory, n.Cosine) }

// The documents below are the answers of newer routes only; package document has those that the command line
// prints too.

// listDoc is the answer of GET /memories.
type listDoc struct {
	Limit     int               `json:"limit"`
	Offset    int               `json:"offset"`
	Memories  []document.Marked `json:"memories"`            // newest first
	Elsewhere string            `json:"elsewhere,omitempty"` // for an empty answer: see API.elsewhere
}

// foundDoc is the answer of GET /memories with q.
type foundDoc struct {
	Query          string         `json:"query"`
	Hits           []document.Hit `json:"hits"` // best first; empty: nothing may be relevant
	BelowThreshold []document.Hit `json:"weak"` // below the relevance threshold, best first; ranks continue
	// How the question was read: corrected words and expressions of time.
	Repaired  []document.Repair `json:"repaired"`
	Times     []document.Time   `json:"times"`
	Degraded  []string          `json:"degraded"`
	Elsewhere string            `json:"elsewhere,omitempty"` // for an empty or uncertain answer: see API.elsewhere
}

// detailDoc is the answer of GET /memories/{ref}.
type detailDoc struct {
	Memory    document.Memory     `json:"memory"`
	Strength  float64             `json:"strength_now"` // 0 to 1
	Why       string              `json:"strength_reason"`
	Relations []document.Relation `json:"relations"`
	Revisions []document.Version  `json:"revisions"` // oldest first, without the current text
}

type changedDoc struct {
	Memory document.Memory `json:"memory"`
}

// updatedDoc is the answer of PATCH /memories/{ref}.
type updatedDoc struct {
	changedDoc
	Warnings []string `json:"warnings"`
}
