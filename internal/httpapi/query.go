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
	"github.com/alanbuscaglia/engram/internal/engine"
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
func (q request) lenient(name string) int {
	p := q.param(name)
	n, err := strconv.Atoi(strings.TrimSpace(q.query.Get(name)))
	if err != nil || n < int(*p.Min) {
		return p.whole()
	}
	return min(n, int(*p.Max))
}

// number reads a number as the newer routes do: an invalid one, or one below Min, is an error. One above Max
// counts as Max, unless the parameter is exact: then the engine reports it.
func (q request) number(name string) (int, error) { return q.numberAs(q.param(name)) }

// numberAs is number for a parameter whose meaning depends on the request.
func (q request) numberAs(p Param) (int, error) {
	text := q.query.Get(p.Name)
	if text == "" {
		return p.whole(), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < int(*p.Min) {
		return 0, invalid("%s %q is not a number from %v", p.Name, text, *p.Min)
	}
	if p.exact {
		return n, nil
	}
	return min(n, int(*p.Max)), nil
}

// fits reports what is wrong with an unused parameter.
func (q request) fits(p Param) (err error) {
	given := q.query.Get(p.Name)
	switch {
	case given == "":
	case p.Kind == KindFlag:
		_, err = q.flag(p.Name)
	case p.Kind == KindWhole:
		_, err = q.numberAs(p)
	case p.Enum != nil && !slices.Contains(p.Enum, given):
		return invalid("%s %q does not exist", p.Name, given).WithHint("one of %s", strings.Join(p.Enum, ", "))
	}
	return err
}

// param returns the route's parameter of that name.
func (q request) param(name string) Param {
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
func (q request) share(name string) (float64, error) {
	text := strings.TrimSpace(q.query.Get(name))
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) { // also rejects NaN
		return 0, invalid("%s %q is not a number from 0 to 1", name, text)
	}
	return v, nil
}

// flag reads true or false; an absent parameter is false.
func (q request) flag(name string) (bool, error) {
	text := q.query.Get(name)
	if text == "" {
		return false, nil
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		return false, invalid("%s %q is neither true nor false", name, text)
	}
	return v, nil
}

// list reads the values of a parameter that may be repeated or hold several, separated by commas.
func (q request) list(name string) (values []string) {
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
func (q request) scope() engram.Scope {
	text := strings.TrimSpace(q.query.Get("scope"))
	if text == "" {
		return ""
	}
	return engram.ParseScope(text)
}

// current reads whether superseded memories are hidden, the default.
func (q request) current() (bool, error) {
	superseded, err := q.flag("superseded")
	return !superseded, err
}

// filter reads what narrows a search or a list.
func (q request) filter(now time.Time) (engram.Filter, error) {
	f := engram.Filter{Project: q.query.Get("project"), Scope: q.scope(), Tags: q.list("tag")}
	for _, t := range q.list("type") {
		f.Types = append(f.Types, engram.Type(t))
	}
	var err error
	if f.Metadata, err = q.metadata(); err != nil {
		return f, err
	}
	if f.MinStrength, err = q.share("min_strength"); err != nil {
		return f, err
	}
	if f.Since, err = q.when("since", now); err != nil {
		return f, err
	}
	f.Until, err = q.when("until", now)
	return f, err
}

// metadata reads the metadata that a memory must have: metadata={json object}, or metadata.key=value, where the
// value may be JSON. Nil for no condition.
func (q request) metadata() (map[string]any, error) {
	var m map[string]any
	if given := q.query.Get("metadata"); given != "" {
		if json.Unmarshal([]byte(given), &m) != nil || m == nil {
			return nil, invalid("metadata is not a JSON object").WithHint("%s or metadata.ticket=ENG-12", `metadata={"ticket":"ENG-12"}`)
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
	return m, nil
}

// when reads a time as text.When does, with days in UTC. An absent parameter is the zero time.
func (q request) when(name string, now time.Time) (time.Time, error) {
	given := strings.TrimSpace(q.query.Get(name))
	if given == "" {
		return time.Time{}, nil
	}
	// A + that was not escaped arrives as a blank.
	for _, s := range []string{given, strings.ReplaceAll(given, " ", "+")} {
		if t, ok := text.When(s, now.UTC()); ok {
			return t.UTC(), nil
		}
	}
	return time.Time{}, invalid("invalid %s parameter: %q is not a time", name, given).WithHint("%s", text.WhenForms)
}

func invalid(format string, args ...any) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, format, args...)
}

// Param is a parameter in the query of a route. Handlers take default and bounds from it, and so does the
// OpenAPI document.
type Param struct {
	Name string
	Doc  string
	Kind Kind
	// Enum lists the allowed values; empty for any.
	Enum []string
	// Default counts when the parameter is absent; nil for none.
	Default  any
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

func limit(def, most int) Param { return whole("limit", "how many at most", def, 1, most) }

func offset() Param { return whole("offset", "how many to leave out first", 0, 0, maxOffset) }

func inProject() Param { return words("project", "only what is in this project") }

func forSession() Param {
	return words("session_id", "the session that reads: it is remembered what it was shown")
}

// working is the folder in which a caller without a session works.
func working() Param {
	return words("cwd", "the folder where the code is looked at that memories are anchored to, unless the session works in one; relative to the server's own")
}

// at returns the engine in the folder of a request.
func (a *API) at(q request) *engine.Engine {
	dir := q.query.Get("cwd")
	if dir == "" {
		return a.Engine
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.Dir, dir)
	}
	return a.Engine.In(dir)
}

// needed makes p required.
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
func narrowing() []Param {
	return []Param{inProject(), listed("type", "only these types"), oneScope(), listed("tag", "only what has all of these tags"), metadata(),
		share("min_strength", "only what is as strong"), moment("since", "only what was made then or later"), moment("until", "only what was made before")}
}

func oneScope() Param {
	return words("scope", "only this scope", string(engram.ScopeProject), string(engram.ScopePersonal), string(engram.ScopeGlobal))
}

func metadata() Param {
	return Param{Name: "metadata", Kind: KindObject, Doc: "a JSON object: only what has all of it in its metadata; or member by member, metadata.key=value"}
}

func superseded() Param {
	return flag("superseded", "show also memories in whose place another one stands")
}

func asOf() Param { return moment("as_of", "as it was at this time") }

// finding returns the parameters that say how to search.
func finding() []Param {
	return []Param{words("q", "what to look for, in any words; none is an error"), words("mode", "which channels answer", string(engine.ModeHybrid), string(engine.ModeSemantic), string(engine.ModeLexical)),
		words("match", "any word, or all of them", "any", "all"), words("match_mode", "the same as match", "any", "all"),
		words("fusion", "how channels are put together; the default is the embedding model's", string(engram.FusionScore), string(engram.FusionRank)),
		superseded(), whole("hops", "how far to follow relations; 1 when it is left out", 0, 0, 5).bounded().unset(), flag("rerank", "let the configured reranker order the best again"), asOf()}
}

// curves returns the names of the decay curves.
func curves() (names []string) {
	for _, c := range engram.Curves() {
		names = append(names, string(c))
	}
	return names
}

// all concatenates lists of parameters.
func all(lists ...[]Param) []Param { return slices.Concat(lists...) }
