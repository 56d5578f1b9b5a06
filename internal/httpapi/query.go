package httpapi

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/text"
)

// parseQuery parses a query. Unlike url.ParseQuery it drops nothing: a bad %, a semicolon or a broken byte is
// part of what is searched for.
func parseQuery(raw string) url.Values {
	values := url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if key != "" {
			values.Add(unescape(key), unescape(value))
		}
	}
	return values
}

func unescape(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		plain = strings.ReplaceAll(s, "+", " ")
	}
	return strings.ToValidUTF8(plain, "\uFFFD")
}

// lenient reads a number as the older routes do: an invalid one, or one below Min, counts as the default, one
// above Max as Max.
func (q *request) lenient(name string) int {
	p := q.param(name)
	n, err := strconv.Atoi(strings.TrimSpace(q.query.Get(name)))
	if err != nil || n < int(*p.Min) {
		return p.whole()
	}
	return min(n, int(*p.Max))
}

// number reads a number as the newer routes do: an invalid one, or one below Min, is an error. One above Max
// counts as Max, unless the parameter is exact: then the engine reports it.
func (q *request) number(name string) int { return q.numberAs(q.param(name)) }

// numberAs is number for a parameter whose meaning depends on the request.
func (q *request) numberAs(p Param) int {
	text := q.query.Get(p.Name)
	if text == "" {
		return p.whole()
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < int(*p.Min):
		q.bad(invalid("%s %q is not a number from %v", p.Name, text, *p.Min))
		return 0
	case p.exact:
		return n
	}
	return min(n, int(*p.Max))
}

func (q *request) page() engram.Page {
	return engram.Page{Limit: q.number("limit"), Offset: q.number("offset")}
}

// fits reports what is wrong with an unused parameter.
func (q *request) fits(p Param) {
	given := q.query.Get(p.Name)
	switch {
	case given == "":
	case p.Kind == KindFlag:
		q.flag(p.Name)
	case p.Kind == KindWhole:
		q.numberAs(p)
	case p.Enum != nil && !slices.Contains(p.Enum, given):
		q.bad(invalid("%s %q does not exist", p.Name, given).WithHint("use one of %s", strings.Join(p.Enum, ", ")))
	}
}

// param returns the route's parameter of that name.
func (q *request) param(name string) Param {
	i := slices.IndexFunc(q.route.Params, func(p Param) bool { return p.Name == name })
	if i < 0 { // a handler that does not fit its row: all its numbers are 0
		return Param{Name: name, Min: new(0.0), Max: new(0.0)}
	}
	return q.route.Params[i]
}

// whole returns the default as a number; 0 for none.
func (p Param) whole() int {
	n, _ := p.Default.(int)
	return n
}

// share reads a number from 0 to 1; an absent parameter is 0.
func (q *request) share(name string) float64 {
	text := strings.TrimSpace(q.query.Get(name))
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) { // also rejects NaN
		q.bad(invalid("%s %q is not a number from 0 to 1", name, text))
	}
	return v
}

// flag reads true or false; an absent parameter is false.
func (q *request) flag(name string) bool {
	text := q.query.Get(name)
	if text == "" {
		return false
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		q.bad(invalid("%s %q is neither true nor false", name, text))
	}
	return v
}

// list reads the values of a parameter that may be repeated or hold several, separated by commas.
func (q *request) list(name string) (values []string) {
	for _, text := range q.query[name] {
		for value := range strings.SplitSeq(text, ",") {
			if value = strings.TrimSpace(value); value != "" {
				values = append(values, value)
			}
		}
	}
	return values
}

// scope reads the scope to search as the older routes do; "" is every scope.
func (q *request) scope() engram.Scope {
	text := strings.TrimSpace(q.query.Get("scope"))
	if text == "" {
		return ""
	}
	return engram.ParseScope(text)
}

// current reads whether superseded memories are hidden, the default.
func (q *request) current() bool { return !q.flag("superseded") }

// filter reads what narrows a search or a list.
func (q *request) filter(now time.Time) engram.Filter {
	f := engram.Filter{Project: q.query.Get("project"), Scope: q.scope(), Tags: q.list("tag"), Metadata: q.metadata(),
		MinStrength: q.share("min_strength"), Since: q.when("since", now), Until: q.when("until", now)}
	for _, t := range q.list("type") {
		f.Types = append(f.Types, engram.Type(t))
	}
	return f
}

// metadata reads the metadata that a memory must have: metadata={json object}, or metadata.key=value, where the
// value may be JSON. Nil for no condition.
func (q *request) metadata() (m map[string]any) {
	if given := q.query.Get("metadata"); given != "" {
		if json.Unmarshal([]byte(given), &m) != nil || m == nil {
			q.bad(invalid("metadata is not a JSON object").WithHint("%s or metadata.ticket=ENG-12", `metadata={"ticket":"ENG-12"}`))
		}
	}
	for name, values := range q.query {
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

// when reads a time as text.When does, with days in UTC. An absent parameter is the zero time.
func (q *request) when(name string, now time.Time) time.Time {
	given := strings.TrimSpace(q.query.Get(name))
	if given == "" {
		return time.Time{}
	}
	// A + that was not escaped arrives as a blank.
	for _, s := range []string{given, strings.ReplaceAll(given, " ", "+")} {
		if t, ok := text.When(s, now.UTC()); ok {
			return t.UTC()
		}
	}
	q.bad(invalid("invalid %s parameter: %q is not a time", name, given).WithHint("use %s", text.WhenForms))
	return time.Time{}
}

func invalid(format string, args ...any) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, format, args...)
}

// Param is a parameter in the query of a route. Handlers take default and bounds from it, and so does the
// OpenAPI document.
type Param struct {
	Name     string
	Doc      string
	Kind     Kind
	Enum     []string // the allowed values; empty for any
	Default  any      // counts when the parameter is absent; nil for none
	Min, Max *float64
	Required bool
	// Lax makes bad values count as the default, and values above Max as Max, instead of being errors.
	Lax bool
	// exact makes values above Max an error; otherwise they count as Max.
	exact bool
}

// Kind is the type of a parameter.
type Kind string

// The kinds of parameters.
const (
	KindText   Kind = "string"
	KindWhole  Kind = "integer"
	KindNumber Kind = "number"
	KindFlag   Kind = "boolean"
	KindList   Kind = "array"  // of texts: repeated, or separated by commas
	KindTime   Kind = "time"   // an age, a day or a time
	KindObject Kind = "object" // as JSON, or member by member: name.key=value
)

// The constructors of parameters.

func words(name, doc string, enum ...string) Param {
	return Param{Name: name, Doc: doc, Kind: KindText, Enum: enum}
}

func listed(name, doc string) Param { return Param{Name: name, Doc: doc, Kind: KindList} }

func flag(name, doc string) Param {
	return Param{Name: name, Doc: doc, Kind: KindFlag, Default: false}
}

func moment(name, doc string) Param { return Param{Name: name, Doc: doc, Kind: KindTime} }

func share(name, doc string) Param {
	return Param{Name: name, Doc: doc, Kind: KindNumber, Min: new(0.0), Max: new(1.0)}
}

// whole is a number from least to most; larger ones count as most.
func whole(name, doc string, def, least, most int) Param {
	return Param{Name: name, Doc: doc, Kind: KindWhole, Default: def, Min: new(float64(least)), Max: new(float64(most))}
}

func limit(def, most int) Param { return whole("limit", "maximum number", def, 1, most) }

func offset() Param { return whole("offset", "how many to skip", 0, 0, maxOffset) }

func inProject() Param { return words("project", "only this project") }

func forSession() Param {
	return words("session_id", "the reading session, for which exposures are recorded")
}

// working is the folder in which a caller without a session works.
func working() Param {
	return words("cwd", "the folder in which anchors are checked, unless the session has one; relative to the server's own")
}

// at returns the engine in the folder of a request.
func (a *API) at(q *request) *engine.Engine {
	if q.query.Get("cwd") == "" {
		return a.Engine
	}
	return a.Engine.As(a.Engine.Caller().In(a.folder(q).Dir))
}

// folder returns how to find the project of the folder of a request: cwd, relative to the server's own, or that
// one, to which alone the server's project setting applies.
func (a *API) folder(q *request) projects.ProjectRequest {
	dir := q.query.Get("cwd")
	switch {
	case dir == "":
		return projects.ProjectRequest{Dir: a.Dir, Override: a.Project}
	case !filepath.IsAbs(dir):
		dir = filepath.Join(a.Dir, dir)
	}
	return projects.ProjectRequest{Dir: dir}
}

func (p Param) needed() Param { p.Required = true; return p }

// lax makes bad values of p count as the default.
func (p Param) lax() Param { p.Lax = true; return p }

// bounded makes values above Max an error.
func (p Param) bounded() Param { p.exact = true; return p }

// like replaces the description of p.
func (p Param) like(doc string) Param { p.Doc = doc; return p }

// unset removes the default.
func (p Param) unset() Param { p.Default = nil; return p }

// narrowing returns the parameters that narrow a list or a search.
func narrowing(scope Param) []Param {
	return []Param{inProject(), listed("type", "only these types"), scope, listed("tag", "only memories with all of these tags"), metadata(),
		share("min_strength", "only memories at least this strong"), moment("since", "only memories created at or after this time"), moment("until", "only memories created before this time")}
}

func oneScope() Param {
	return words("scope", "only this scope", strs(engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal)...)
}

func metadata() Param {
	return Param{Name: "metadata", Kind: KindObject, Doc: "a JSON object: only memories with all of it in their metadata; or member by member, metadata.key=value"}
}

func superseded() Param {
	return flag("superseded", "include superseded memories")
}

func asOf() Param { return moment("as_of", "the state at this time") }

// finding returns the parameters that say how to search.
func finding() []Param {
	return []Param{words("q", "the question, in any words; every text is valid"), words("mode", "the search channels", strs(search.ModeHybrid, search.ModeSemantic, search.ModeLexical)...),
		words("match", "match any word, or all", "any", "all"), words("match_mode", "alias of match", "any", "all"),
		words("fusion", "how to combine channels; default: by the embedding model", strs(engram.FusionScore, engram.FusionRank)...),
		superseded(), whole("hops", "how far to follow relations; default: 1", 0, 0, 5).bounded().unset(), flag("rerank", "reorder the best results with the configured reranker"), asOf()}
}

// strs converts named texts.
func strs[T ~string](list ...T) []string {
	return document.Each(list, func(s T) string { return string(s) })
}

func all(lists ...[]Param) []Param { return slices.Concat(lists...) }
