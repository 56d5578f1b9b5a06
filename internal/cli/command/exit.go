package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// ExitCode maps an error code to an exit code; "" is success.
func ExitCode(c engram.Code) int {
	switch c {
	case "":
		return 0
	case engram.CodeInvalid:
		return 2
	case engram.CodeNotFound:
		return 3
	case engram.CodeConflict:
		return 4
	case engram.CodeUnavailable:
		return 5
	case engram.CodeForbidden:
		return 6
	}
	return 1
}

// ErrorDoc is what a failing command prints on stderr with --json, on one line:
// {"error":{"code":"not_found","message":"…","hint":"…"}}
type ErrorDoc struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    engram.Code `json:"code"`
	Message string      `json:"message"`
	Hint    string      `json:"hint"` // "" for none
}

// Exit reports err on stderr and returns the exit code.
func (p *Program) Exit(err error) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[ExitWith](err); ok {
		return int(code)
	}
	// Messages quote the input, and stderr often ends in a log.
	body := errorBody{Code: engram.CodeOf(err), Message: redact.Private(MessageOf(err)), Hint: redact.Private(p.HintOf(err))}
	if p.JSON || slices.Contains(p.Args, "--json") {
		line, _ := json.Marshal(ErrorDoc{body}) // cannot fail for strings
		fmt.Fprintf(p.Stderr, "%s\n", render.JSON(line))
		return ExitCode(body.Code)
	}
	fmt.Fprintf(p.Stderr, "%s %s\n", p.Err.Red("engram:"), render.Plain(body.Message))
	if body.Hint != "" {
		fmt.Fprintf(p.Stderr, "%s %s\n", p.Err.Bold("hint:"), render.Plain(body.Hint))
	}
	return ExitCode(body.Code)
}

// ExitWith ends the program with an exit code and no message, since the answer said it all.
type ExitWith int

// Error implements error.
func (e ExitWith) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// MessageOf returns the message of err with its causes, without the machine-readable kind of a project
// problem.
func MessageOf(err error) string {
	if problem, ok := errors.AsType[*project.Problem](err); ok {
		return strings.TrimSuffix(err.Error(), ": "+problem.Error())
	}
	return err.Error()
}

// HintOf returns the hint of err, with commands as they are typed here, or the project names it could be
// about.
func (p *Program) HintOf(err error) string {
	typed := func(c engram.Call) string { return Self() + strings.TrimPrefix(c.String(), "engram") }
	if hint := engram.HintFor(err, typed); hint != "" {
		return hint
	}
	if problem, ok := errors.AsType[*project.Problem](err); ok && len(problem.Available) > 0 {
		return "use one of: " + strings.Join(problem.Available, ", ")
	}
	return ""
}

// Warn prints a warning on stderr.
func (p *Program) Warn(text string) {
	fmt.Fprintf(p.Stderr, "%s %s\n", p.Err.Bold("warning:"), render.Plain(strings.TrimSpace(strings.TrimPrefix(text, "⚠️"))))
}

// WarnAll prints several warnings.
func (p *Program) WarnAll(texts []string) {
	for _, text := range texts {
		p.Warn(text)
	}
}

// WarnBeside prints warnings, unless --json has them in the answer.
func (p *Program) WarnBeside(texts ...string) {
	if !p.JSON {
		p.WarnAll(texts)
	}
}

// Invalidf returns a usage error.
func Invalidf(format string, args ...any) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, format, args...)
}
