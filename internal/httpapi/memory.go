package httpapi

import (
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// memories lists, or with q searches.
func (a *API) memories(q request) (reply, error) {
	filter, err := q.filter(a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	if filter.Scope, err = knownScope(q.query.Get("scope")); err != nil {
		return reply{}, err
	}
	if filter.Current, err = q.current(); err != nil {
		return reply{}, err
	}
	filter.SessionID = q.query.Get("session_id")
	if filter.Forgotten, err = q.flag("forgotten"); err != nil {
		return reply{}, err
	}
	if !blank(q.query.Get("q")) {
		return a.searchMemories(q, filter)
	}
	for _, p := range finding() { // a list has no use for them, and takes no nonsense all the same
		if err := q.fits(p); err != nil {
			return reply{}, err
		}
	}
	at, err := q.when("as_of", a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	page := engram.Page{}
	if page.Limit, err = q.numberAs(limit(20, maxList)); err != nil {
		return reply{}, err
	}
	if page.Offset, err = q.number("offset"); err != nil {
		return reply{}, err
	}
	list, err := a.Engine.ListNoted(q.Context(), filter, page, at)
	if err != nil {
		return reply{}, err
	}
	elsewhere, err := a.elsewhere(q, filter.Project, len(list.Memories) > 0 || page.Offset > 0 || filter.Forgotten || !at.IsZero())
	doc := listDoc{page.Limit, page.Offset, document.MarkedOfAll(list.Memories, list.Notes), elsewhere}
	return reply{body: doc, degraded: list.Degraded, elsewhere: elsewhere}, err
}

func (a *API) searchMemories(q request, filter engram.Filter) (reply, error) {
	if q.query.Has("offset") {
		return reply{}, invalid("a search has no offset").WithHint("ask for more with limit, at most 100")
	}
	if filter.Forgotten {
		return reply{}, invalid("forgotten memories cannot be searched").WithHint("leave q out to list them")
	}
	in, err := q.searchInput(a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	if err := a.knownAt(q, filter.Project, in.AsOf); err != nil {
		return reply{}, err
	}
	in.Filter = filter // this route is stricter about it
	if in.Limit, err = q.numberAs(limit(10, 100)); err != nil {
		return reply{}, err
	}
	found, err := a.at(q).Search(q.Context(), in)
	if err != nil {
		return reply{}, err
	}
	doc := foundOf(found)
	doc.Elsewhere, err = a.elsewhere(q, in.Filter.Project, len(found.Hits) > 0 || !in.AsOf.IsZero())
	return reply{body: doc, elsewhere: doc.Elsewhere}, err
}

// known refuses a project that does not exist: a name that was mistyped must not look
// like a project without an answer.
func (a *API) known(q request, name string) error { return a.knownAt(q, name, time.Time{}) }

// knownAt is known for a question about a time past, when a project may have had another
// name. The zero time is now.
func (a *API) knownAt(q request, name string, at time.Time) error {
	if name == "" {
		return nil
	}
	_, err := a.Engine.ProjectFor(q.Context(), engine.ProjectRequest{Explicit: name, Lenient: true, AsOf: at})
	return err
}

// maxOffset keeps a page inside what any store can count.
const maxOffset = 1 << 40

func (a *API) memory(q request) (reply, error) {
	ref, err := q.ref()
	if err != nil {
		return reply{}, err
	}
	d, err := a.readMemory(q, ref)
	return reply{body: detailOf(d), degraded: d.Degraded}, err
}

// memoryChange is what may change of a memory; what is left out stays.
type memoryChange struct {
	Title      *string        `json:"title"`
	Content    *string        `json:"content"`
	Type       *engram.Type   `json:"type"`
	Scope      *string        `json:"scope" doc:"project, personal or global"`
	Project    *string        `json:"project"`
	TopicKey   *string        `json:"topic_key" doc:"family/description"`
	Importance *float64       `json:"importance" min:"0" max:"1"`
	Permanent  *bool          `json:"permanent" doc:"it does not fade"`
	Tags       *[]string      `json:"tags" doc:"instead of those it has"`
	AddTags    []string       `json:"add_tags"`
	RemoveTags []string       `json:"remove_tags"`
	Metadata   map[string]any `json:"metadata" doc:"keys to set; null removes its key"`
	Files      *[]string      `json:"files" doc:"the code it speaks of instead: PATH, PATH:FIRST-LAST or PATH#L3-L9, absolute or from the folder of its session on"`
}

func (a *API) updateMemory(q request) (reply, error) {
	ref, err := q.ref()
	if err != nil {
		return reply{}, err
	}
	in, err := decode[memoryChange](q)
	if err != nil {
		return reply{}, err
	}
	up := engine.UpdateInput{
		Ref: ref, Title: in.Title, Content: in.Content, Type: in.Type, Project: in.Project, TopicKey: in.TopicKey,
		Importance: in.Importance, Permanent: in.Permanent, Tags: in.Tags, AddTags: in.AddTags, RemoveTags: in.RemoveTags,
		Metadata: in.Metadata, Files: in.Files, InSession: true,
	}
	if in.Scope != nil {
		scope, err := knownScope(*in.Scope)
		if err != nil {
			return reply{}, err
		}
		up.Scope = &scope
	}
	m, err := a.Engine.Update(q.Context(), up)
	doc := document.MemoryOf(m.Memory, a.Engine.StateOf(m.Memory))
	doc.Suspect = m.Suspect
	return reply{body: updatedDoc{changedDoc{doc}, document.OrEmpty(m.Warnings)}}, err
}

// deleteMemory forgets, or with hard=true erases.
func (a *API) deleteMemory(q request) (reply, error) {
	ref, err := q.ref()
	if err != nil {
		return reply{}, err
	}
	hard, err := q.flag("hard")
	if err != nil {
		return reply{}, err
	}
	d, err := a.Engine.Delete(q.Context(), hard, ref)
	return reply{body: document.DeletedOf(d.Memories, d.HeldBy, hard), degraded: d.Degraded}, err
}

// ref reads the memory that a path names; project narrows a topic.
func (q request) ref() (engram.Ref, error) {
	ref, err := engram.ParseRef(q.PathValue("ref"))
	if err == nil && ref.Topic != "" {
		ref.Project = q.query.Get("project")
	}
	return ref, err
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

// knownScope reads a scope and refuses what is none; "" is "".
func knownScope(text string) (engram.Scope, error) {
	scope := engram.Scope(strings.ToLower(strings.TrimSpace(text)))
	if scope != "" && engram.ParseScope(string(scope)) != scope {
		return "", invalid("scope %q does not exist", text).WithHint("project, personal or global")
	}
	return scope, nil
}
