package httpapi

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

func pageOf(q *route.Request) engram.Page {
	return engram.Page{Limit: q.Number("limit"), Offset: q.Number("offset")}
}

// scopeOf reads the scope to search as the older routes do; "" is every scope.
func scopeOf(q *route.Request) engram.Scope {
	text := strings.TrimSpace(q.Query.Get("scope"))
	if text == "" {
		return ""
	}
	return engram.ParseScope(text)
}

// current reads whether superseded memories are hidden, the default.
func current(q *route.Request) bool { return !q.Flag("superseded") }

// filterOf reads what narrows a search or a list.
func filterOf(q *route.Request, now time.Time) engram.Filter {
	f := engram.Filter{Project: q.Query.Get("project"), Scope: scopeOf(q), Tags: q.List("tag"), Metadata: metadataOf(q),
		MinStrength: q.Share("min_strength"), Since: q.When("since", now), Until: q.When("until", now)}
	for _, t := range q.List("type") {
		f.Types = append(f.Types, engram.Type(t))
	}
	return f
}

// metadataOf reads the metadata that a memory must have: metadata={json object}, or metadata.key=value, where the
// value may be JSON. Nil for no condition.
func metadataOf(q *route.Request) (m map[string]any) {
	if given := q.Query.Get("metadata"); given != "" {
		if json.Unmarshal([]byte(given), &m) != nil || m == nil {
			q.Bad(route.Invalid("metadata is not a JSON object").WithHint("%s or metadata.ticket=ENG-12", `metadata={"ticket":"ENG-12"}`))
		}
	}
	for name, values := range q.Query {
		key, ok := strings.CutPrefix(name, "metadata.")
		if !ok || key == "" {
			continue
		}
		var value any
		if json.Unmarshal([]byte(values[0]), &value) != nil || value == nil {
			value = values[0]
		}
		if m == nil {
			m = map[string]any{}
		}
		m[key] = value
	}
	return m
}

func limit(def, most int) route.Param { return route.Whole("limit", "maximum number", def, 1, most) }

func offset() route.Param { return route.Whole("offset", "how many to skip", 0, 0, maxOffset) }

func inProject() route.Param { return route.Words("project", "only this project") }

func forSession() route.Param {
	return route.Words("session_id", "the reading session, for which exposures are recorded")
}

// working is the folder in which a caller without a session works.
func working() route.Param {
	return route.Words("cwd", "the folder in which anchors are checked, unless the session has one; relative to the server's own")
}

// at returns the engine in the folder of a request.
func (a *API) at(q *route.Request) *engine.Engine {
	if q.Query.Get("cwd") == "" {
		return a.Engine
	}
	return a.Engine.As(a.Engine.Caller().In(a.folder(q).Dir))
}

// folder returns how to find the project of the folder of a request: cwd, relative to the server's own, or that
// one, to which alone the server's project setting applies.
func (a *API) folder(q *route.Request) projects.ProjectRequest {
	dir := q.Query.Get("cwd")
	switch {
	case dir == "":
		return projects.ProjectRequest{Dir: a.Dir, Override: a.Project}
	case !filepath.IsAbs(dir):
		dir = filepath.Join(a.Dir, dir)
	}
	return projects.ProjectRequest{Dir: dir}
}

// narrowing returns the parameters that narrow a list or a search.
func narrowing(scope route.Param) []route.Param {
	return []route.Param{inProject(), route.Listed("type", "only these types"), scope, route.Listed("tag", "only memories with all of these tags"),
		{Name: "metadata", Kind: route.KindObject, Doc: "a JSON object: only memories with all of it in their metadata; or member by member, metadata.key=value"},
		route.Share("min_strength", "only memories at least this strong"), route.Moment("since", "only memories created at or after this time"), route.Moment("until", "only memories created before this time")}
}

func oneScope() route.Param {
	return route.Words("scope", "only this scope", route.Texts(engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal)...)
}

func superseded() route.Param {
	return route.Flag("superseded", "include superseded memories")
}

func asOf() route.Param { return route.Moment("as_of", "the state at this time") }

// finding returns the parameters that say how to search.
func finding() []route.Param {
	return []route.Param{route.Words("q", "the question, in any words; every text is valid"), route.Words("mode", "the search channels", route.Texts(search.ModeHybrid, search.ModeSemantic, search.ModeLexical)...),
		route.Words("match", "match any word, or all", "any", "all"), route.Words("match_mode", "alias of match", "any", "all"),
		route.Words("fusion", "how to combine channels; default: by the embedding model", route.Texts(engram.FusionScore, engram.FusionRank)...),
		superseded(), route.Whole("hops", "how far to follow relations; default: 1", 0, 0, 5).Bounded().Unset(), route.Flag("rerank", "reorder the best results with the configured reranker"), asOf()}
}
