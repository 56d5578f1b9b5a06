package engram

import (
	"errors"
	"fmt"
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
