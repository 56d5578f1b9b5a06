package engram

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Code is the kind of an error. Each frontend maps the codes once: to an HTTP status, an exit code, an MCP tool
// error.
type Code string

// The codes, from the caller's fault to ours.
const (
	CodeInvalid     Code = "invalid"     // the input is wrong; the same call will fail again
	CodeNotFound    Code = "not_found"   // what was named does not exist
	CodeConflict    Code = "conflict"    // the state forbids it: in use, ambiguous, changed meanwhile
	CodeForbidden   Code = "forbidden"   // the caller may not do this
	CodeUnavailable Code = "unavailable" // busy, full, read-only, offline: may succeed later
	CodeInternal    Code = "internal"    // a bug, or an unforeseen failure
)

// Error is the error type shown to users.
type Error struct {
	Code Code   // never empty
	Msg  string // what happened, for a person; lower case, no full stop
	Hint string // the next thing to try, in commands; may be empty
	Err  error  // the cause, for the log and for errors.As; may be nil

	parts []part // of Hint, when it contains commands
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

// Errorf returns an *Error with a formatted message. It does not wrap: use fmt.Errorf with %w around an Error
// to add context.
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

// Call is a command named by a hint, word by word and without the program's name: {"projects", "merge", "a",
// "--into", "b"}. Frontends replace it with their own equivalent (HintFor).
type Call []string

// String returns c for a shell: engram projects merge a --into b.
func (c Call) String() string {
	words := []string{"engram"}
	for _, w := range c {
		words = append(words, Quoted(w))
	}
	return strings.Join(words, " ")
}

// Quoted quotes a word for a shell where needed.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:=@%+,…", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Match reports whether c has a form such as "update <ref> --scope <scope>", whose words in angle brackets
// match any word. Values alternate those words and their values: {"<ref>", "4", "<scope>", "global"}, as
// strings.NewReplacer takes them.
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

// part is a piece of a hint: text, or a call.
type part struct {
	words string
	call  Call // nil for text
}

// WithHint sets the hint and returns e, so that an error is built in one expression.
//
// A command to run next is in braces, without the program's name, and each frontend words it for its users:
// "{projects list} shows all". Only braces of the format count: arguments may hold any text, so write other
// braces as arguments. Verbs take their arguments in order.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint, e.parts = fmt.Sprintf(format, args...), nil
	if strings.Contains(format, "{") {
		e.parts = partsOf(format, args)
		e.Hint = spelled(e.parts, Call.String)
	}
	return e
}

// WithHintOf gives e the hint of another error, calls included, and returns e.
func (e *Error) WithHintOf(err error) *Error {
	if other, ok := errors.AsType[*Error](err); ok {
		e.Hint, e.parts = other.Hint, other.parts
	}
	return e
}

// partsOf splits the format at its braces before formatting, so that braces in arguments do not count.
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

// spelled joins parts, each call worded by say.
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

// HintOf returns the hint of the outermost *Error in err's chain, with calls as commands, or "".
func HintOf(err error) string { return HintFor(err, Call.String) }

// HintFor returns the hint of the outermost *Error in err's chain, with calls worded by say, or "".
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
