package engram

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Code says what kind of failure an error is. There are few, and each frontend
// maps them once: to an HTTP status, an exit code, an MCP tool error.
type Code string

// The codes, from the caller's fault to ours.
const (
	CodeInvalid     Code = "invalid"     // the input is wrong; the same call will fail again
	CodeNotFound    Code = "not_found"   // what was named does not exist
	CodeConflict    Code = "conflict"    // the state forbids it: still in use, ambiguous, changed meanwhile
	CodeForbidden   Code = "forbidden"   // the caller may not
	CodeUnavailable Code = "unavailable" // busy, full, read-only, offline: may succeed later
	CodeInternal    Code = "internal"    // a bug, or what nobody thought of
)

// Error is the one error type that Engram shows to anybody.
type Error struct {
	Code Code   // never empty
	Msg  string // what happened, for a person; lower case, no full stop
	Hint string // the next thing to try, as the command line has it; may be empty
	Err  error  // the cause, for the log and for errors.As; may be nil

	parts []part // of Hint, where WithHint saw a call in it
}

// Error returns Msg and, where there is a cause, the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Msg + ": " + e.Err.Error()
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an *Error with a formatted message. It does not wrap: use
// fmt.Errorf with %w around an Error to add what a layer was doing.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// WithCause sets the cause and returns e.
func (e *Error) WithCause(err error) *Error {
	e.Err = err
	return e
}

// CodeOf returns the code of the outermost *Error in err's chain, "" for nil and
// CodeInternal for an error without a code.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// Call is a command that a hint names, word by word and without the name of the program:
// {"projects", "merge", "a", "--into", "b"}. It is said as the command line has it; who
// tells a hint to others says the call that they can make instead (HintFor).
type Call []string

// String is c as a shell takes it: engram projects merge a --into b.
func (c Call) String() string {
	words := []string{"engram"}
	for _, w := range c {
		words = append(words, Quoted(w))
	}
	return strings.Join(words, " ")
}

// Quoted is a word as a shell takes it for one.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:=@%+,…", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Match reports whether c is of a form such as "update <ref> --scope <scope>", whose words
// in angles stand for any word. Values are those words and what stands there instead, in
// turn: {"<ref>", "4", "<scope>", "global"}, as strings.NewReplacer takes them.
func (c Call) Match(form string) (values []string, ok bool) {
	words := strings.Fields(form)
	if len(words) != len(c) {
		return nil, false
	}
	for i, w := range words {
		switch {
		case strings.HasPrefix(w, "<"):
			values = append(values, w, c[i])
		case w != c[i]:
			return nil, false
		}
	}
	return values, true
}

// part is a piece of a hint: words, or a call.
type part struct {
	words string
	call  Call // nil where the piece is words
}

// WithHint sets the hint and returns e, so that an error is built in one expression.
//
// A command to call next stands in braces, without the name of the program, and is told to
// everybody in their own words: "{projects list} shows what there is". Only the format has
// such braces. What its verbs write is taken as it is, be it a name that somebody made up:
// so other braces come in by a verb too. Verbs take their arguments in order.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint, e.parts = fmt.Sprintf(format, args...), nil
	if strings.Contains(format, "{") {
		e.parts = partsOf(format, args)
		e.Hint = spelled(e.parts, Call.String)
	}
	return e
}

// WithHintOf gives e the hint of another error, calls and all, and returns e.
func (e *Error) WithHintOf(err error) *Error {
	if other, ok := errors.AsType[*Error](err); ok {
		e.Hint, e.parts = other.Hint, other.parts
	}
	return e
}

// partsOf parts a format at its braces, and then writes the parts, so that a brace in an
// argument parts nothing.
func partsOf(format string, args []any) []part {
	write := func(piece string) string {
		n := min(strings.Count(piece, "%")-2*strings.Count(piece, "%%"), len(args))
		text := fmt.Sprintf(piece, args[:n]...)
		args = args[n:]
		return text
	}
	var parts []part
	for format != "" {
		words, rest, found := strings.Cut(format, "{")
		parts = append(parts, part{words: write(words)})
		if !found {
			break
		}
		command, rest, _ := strings.Cut(rest, "}")
		var call Call
		for w := range strings.FieldsSeq(command) {
			call = append(call, write(w))
		}
		parts, format = append(parts, part{call: call}), rest
	}
	return parts
}

// spelled joins parts, each call as say says it.
func spelled(parts []part, say func(Call) string) string {
	var b strings.Builder
	for _, p := range parts {
		if p.call != nil {
			b.WriteString(say(p.call))
			continue
		}
		b.WriteString(p.words)
	}
	return b.String()
}

// HintOf returns the hint of the outermost *Error in err's chain, its calls as the command
// line has them, or "".
func HintOf(err error) string { return HintFor(err, Call.String) }

// HintFor returns the hint of the outermost *Error in err's chain, its calls as say says
// them, or "".
func HintFor(err error, say func(Call) string) string {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		return ""
	case slices.ContainsFunc(e.parts, func(p part) bool { return p.call != nil }):
		return spelled(e.parts, say)
	}
	return e.Hint
}
