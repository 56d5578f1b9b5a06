package conn

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Statements are written with ? for the next argument or ?2 for the second, and with $space for the space of the
// transaction, which is the first parameter of each: a statement without it is not sent.
//
// In a transaction with Off, SELECT sees tables without the rows of these projects: common table expressions
// that Off names stand before it, which say $off for their numbers and $names for their names.

// Off are projects whose rows are not seen.
type Off struct {
	Nums   []int64
	Names  []string
	Tables string // "WITH … " for SELECT
}

// Among returns a condition, starting with AND, that excludes the numbers.
func (o *Off) Among(project string) string {
	if o == nil {
		return ""
	}
	return " AND NOT " + project + " = ANY($off)"
}

// texts keeps statements as Postgres reads them.
type texts struct {
	mu   sync.Mutex
	done map[string]text
}

// text is a statement for the server, and how many arguments it has.
type text struct {
	query string
	args  int
	off   bool // the last two parameters are those of Off
	err   error
}

// mostTexts bounds the kept texts.
const mostTexts = 2048

// of returns the text of a query.
func (x *texts) of(query string, off *Off, loose bool) text {
	key := query
	hides := off != nil && strings.HasPrefix(query, "SELECT")
	if hides {
		key = off.Tables + query
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	t, known := x.done[key]
	if !known {
		if t = numbered(key, hides); loose {
			t.query = onSpace().ReplaceAllString(t.query, "$$1::uuid IS NOT NULL")
		}
		if x.done == nil || len(x.done) >= mostTexts {
			x.done = map[string]text{}
		}
		x.done[key] = t
	}
	return t
}

// onSpace matches the conditions on the space.
var onSpace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\b\w+\.)?\bspace = (\$1::uuid|\w+\.space)`) })

// numbered numbers the parameters of a query.
func numbered(query string, off bool) text {
	t := text{off: off}
	if !strings.Contains(query, "$space") {
		t.err = fmt.Errorf("a statement without its space: %.80s", query)
		return t
	}
	var b strings.Builder
	next := 0
	for rest := query; rest != ""; {
		i := strings.IndexByte(rest, '?')
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		rest = rest[i+1:]
		end := 0
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		n := next + 1
		if end > 0 {
			n, _ = strconv.Atoi(rest[:end]) // digits
		} else {
			next++
		}
		t.args = max(t.args, n)
		b.WriteString("$" + strconv.Itoa(n+1))
		rest = rest[end:]
	}
	t.query = strings.ReplaceAll(b.String(), "$space", "$1::uuid")
	if off {
		t.query = strings.ReplaceAll(t.query, "$off", "$"+strconv.Itoa(t.args+2)+"::bigint[]")
		t.query = strings.ReplaceAll(t.query, "$names", "$"+strconv.Itoa(t.args+3)+"::text[]")
	}
	return t
}

// errUnstorable is for a text that Postgres cannot hold: one with a NUL or of broken UTF-8.
var errUnstorable = engram.Errorf(engram.CodeInvalid, "a text has a NUL byte or is not valid UTF-8").
	WithHint("convert the text to UTF-8 first; binary data cannot be remembered")

// ready returns the query and its arguments as they are sent.
func (t *Tx) ready(ctx context.Context, query string, args []any) (string, []any, error) {
	if t.Before != nil {
		if err := t.Before(ctx, query); err != nil {
			return "", nil, err
		}
	}
	x := t.pool.texts.of(query, t.Off, t.pool.Loose)
	if x.err != nil {
		return "", nil, x.err
	}
	if x.args != len(args) {
		return "", nil, fmt.Errorf("%d arguments for %d: %.80s", len(args), x.args, query)
	}
	values := make([]any, 0, len(args)+3)
	values = append(values, t.space)
	for _, a := range args {
		v, err := value(a)
		if err != nil {
			return "", nil, err
		}
		values = append(values, v)
	}
	if x.off {
		values = append(values, t.Off.Nums, t.Off.Names)
	}
	return x.query, values, nil
}

// value converts an argument: named texts to texts. Of a list, texts that cannot be stored are left out, since
// lists only ask.
func value(a any) (any, error) {
	switch v := a.(type) {
	case nil, int64, int, float64, bool, []byte, []int64:
		return a, nil
	case string:
		if !Storable(v) {
			return nil, errUnstorable
		}
		return v, nil
	case []string:
		if slices.ContainsFunc(v, func(s string) bool { return !Storable(s) }) {
			return slices.DeleteFunc(slices.Clone(v), func(s string) bool { return !Storable(s) }), nil
		}
		return v, nil
	}
	switch r := reflect.ValueOf(a); r.Kind() {
	case reflect.String:
		return value(r.String())
	case reflect.Int64, reflect.Int, reflect.Int32:
		return r.Int(), nil
	}
	return a, nil
}

// Storable reports whether Postgres can hold a text.
func Storable(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

// isUnstorable reports whether err is that of a text that no row can have.
func isUnstorable(err error) bool { return errors.Is(err, error(errUnstorable)) }

// Texts converts named texts for an argument.
func Texts[S ~string](all []S) []string {
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = string(s)
	}
	return texts
}
