package route

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
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
