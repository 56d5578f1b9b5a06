package route

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
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

// Lenient reads a number as the older routes do: an invalid one, or one below Min, counts as the default, one
// above Max as Max.
func (q *Request) Lenient(name string) int {
	p := q.Param(name)
	n, err := strconv.Atoi(strings.TrimSpace(q.Query.Get(name)))
	if err != nil || n < int(*p.Min) {
		return p.Whole()
	}
	return min(n, int(*p.Max))
}

// Number reads a number as the newer routes do: an invalid one, or one below Min, is an error. One above Max
// counts as Max, unless the parameter is exact: then the engine reports it.
func (q *Request) Number(name string) int { return q.NumberAs(q.Param(name)) }

// NumberAs is number for a parameter whose meaning depends on the request.
func (q *Request) NumberAs(p Param) int {
	text := q.Query.Get(p.Name)
	if text == "" {
		return p.Whole()
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < int(*p.Min):
		q.Bad(Invalid("%s %q is not a number from %v", p.Name, text, *p.Min))
		return 0
	case p.Exact:
		return n
	}
	return min(n, int(*p.Max))
}

// Fits reports what is wrong with an unused parameter.
func (q *Request) Fits(p Param) {
	given := q.Query.Get(p.Name)
	switch {
	case given == "":
	case p.Kind == KindFlag:
		q.Flag(p.Name)
	case p.Kind == KindWhole:
		q.NumberAs(p)
	case p.Enum != nil && !slices.Contains(p.Enum, given):
		q.Bad(Invalid("%s %q does not exist", p.Name, given).WithHint("use one of %s", strings.Join(p.Enum, ", ")))
	}
}

// Param returns the route's parameter of that name.
func (q *Request) Param(name string) Param {
	i := slices.IndexFunc(q.route.Params, func(p Param) bool { return p.Name == name })
	if i < 0 { // a handler that does not fit its row: all its numbers are 0
		return Param{Name: name, Min: new(0.0), Max: new(0.0)}
	}
	return q.route.Params[i]
}

// Whole returns the default as a number; 0 for none.
func (p Param) Whole() int {
	n, _ := p.Default.(int)
	return n
}

// Share reads a number from 0 to 1; an absent parameter is 0.
func (q *Request) Share(name string) float64 {
	text := strings.TrimSpace(q.Query.Get(name))
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) { // also rejects NaN
		q.Bad(Invalid("%s %q is not a number from 0 to 1", name, text))
	}
	return v
}

// Flag reads true or false; an absent parameter is false.
func (q *Request) Flag(name string) bool {
	text := q.Query.Get(name)
	if text == "" {
		return false
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		q.Bad(Invalid("%s %q is neither true nor false", name, text))
	}
	return v
}

// List reads the values of a parameter that may be repeated or hold several, separated by commas.
func (q *Request) List(name string) (values []string) {
	for _, text := range q.Query[name] {
		for value := range strings.SplitSeq(text, ",") {
			if value = strings.TrimSpace(value); value != "" {
				values = append(values, value)
			}
		}
	}
	return values
}

// When reads a time as text.When does, with days in UTC. An absent parameter is the zero time.
func (q *Request) When(name string, now time.Time) time.Time {
	given := strings.TrimSpace(q.Query.Get(name))
	if given == "" {
		return time.Time{}
	}
	// A + that was not escaped arrives as a blank.
	for _, s := range []string{given, strings.ReplaceAll(given, " ", "+")} {
		if t, ok := text.When(s, now.UTC()); ok {
			return t.UTC()
		}
	}
	q.Bad(Invalid("invalid %s parameter: %q is not a time", name, given).WithHint("use %s", text.WhenForms))
	return time.Time{}
}

// Invalid is an error with CodeInvalid.
func Invalid(format string, args ...any) *engram.Error {
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
	Exact bool
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

// Words is a text, or one of enum.
func Words(name, doc string, enum ...string) Param {
	return Param{Name: name, Doc: doc, Kind: KindText, Enum: enum}
}

// Listed is a list of texts.
func Listed(name, doc string) Param { return Param{Name: name, Doc: doc, Kind: KindList} }

// Flag is true or false, the default.
func Flag(name, doc string) Param {
	return Param{Name: name, Doc: doc, Kind: KindFlag, Default: false}
}

// Moment is a time.
func Moment(name, doc string) Param { return Param{Name: name, Doc: doc, Kind: KindTime} }

// Share is a number from 0 to 1.
func Share(name, doc string) Param {
	return Param{Name: name, Doc: doc, Kind: KindNumber, Min: new(0.0), Max: new(1.0)}
}

// Whole is a number from least to most; larger ones count as most.
func Whole(name, doc string, def, least, most int) Param {
	return Param{Name: name, Doc: doc, Kind: KindWhole, Default: def, Min: new(float64(least)), Max: new(float64(most))}
}

// Needed makes p required.
func (p Param) Needed() Param { p.Required = true; return p }

// Leniently makes bad values of p count as the default.
func (p Param) Leniently() Param { p.Lax = true; return p }

// Bounded makes values above Max an error.
func (p Param) Bounded() Param { p.Exact = true; return p }

// Like replaces the description of p.
func (p Param) Like(doc string) Param { p.Doc = doc; return p }

// Unset removes the default.
func (p Param) Unset() Param { p.Default = nil; return p }

// Texts converts named texts.
func Texts[T ~string](list ...T) []string {
	return document.Each(list, func(s T) string { return string(s) })
}
