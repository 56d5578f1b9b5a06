package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// exitCode maps the code of an error to the exit code of the process; 0 is success.
func exitCode(c engram.Code) int {
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

// errorDoc is what stderr carries with --json when a command fails:
// {"error":{"code":"not_found","message":"…","hint":"…"}} on one line.
type errorDoc struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    engram.Code `json:"code"`
	Message string      `json:"message"`
	Hint    string      `json:"hint"` // "" when there is none
}

// exit reports err on stderr and returns the exit code.
func (p *program) exit(err error) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitWith](err); ok {
		return int(code)
	}
	// Messages quote what was typed, and standard error often ends in a log.
	body := errorBody{Code: engram.CodeOf(err), Message: redact.Private(messageOf(err)), Hint: redact.Private(p.hintOf(err))}
	if p.json || slices.Contains(p.Args, "--json") {
		line, _ := json.Marshal(errorDoc{body}) // strings alone cannot fail
		fmt.Fprintf(p.Stderr, "%s\n", render.JSON(line))
		return exitCode(body.Code)
	}
	fmt.Fprintf(p.Stderr, "%s %s\n", p.err.red("engram:"), render.Plain(body.Message))
	if body.Hint != "" {
		fmt.Fprintf(p.Stderr, "%s %s\n", p.err.bold("hint:"), render.Plain(body.Hint))
	}
	return exitCode(body.Code)
}

// exitWith ends the program with an exit code and says nothing: the answer said it.
type exitWith int

// Error implements error.
func (e exitWith) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// messageOf is what err says, with its causes, but for the kind of a problem with a
// project: that is a word for programs.
func messageOf(err error) string {
	if problem, ok := errors.AsType[*project.Problem](err); ok {
		return strings.TrimSuffix(err.Error(), ": "+problem.Error())
	}
	return err.Error()
}

// hintOf is the hint of err, with commands as they are typed here, or the projects it could
// have been about.
func (p *program) hintOf(err error) string {
	typed := func(c engram.Call) string { return p.self() + strings.TrimPrefix(c.String(), "engram") }
	if hint := engram.HintFor(err, typed); hint != "" {
		return hint
	}
	if problem, ok := errors.AsType[*project.Problem](err); ok && len(problem.Available) > 0 {
		return "use one of: " + strings.Join(problem.Available, ", ")
	}
	return ""
}

// warn tells something on stderr that is not an error.
func (p *program) warn(text string) {
	fmt.Fprintf(p.Stderr, "%s %s\n", p.err.bold("warning:"), render.Plain(strings.TrimSpace(strings.TrimPrefix(text, "⚠️"))))
}

// warnAll tells several things.
func (p *program) warnAll(texts []string) {
	for _, text := range texts {
		p.warn(text)
	}
}

// flagError says what is wrong with a flag, and names the nearest good one.
func flagError(cmd *cobra.Command, err error) error {
	// The flags of a command that does not exist are read as the root's: what is
	// wrong then is the command. One that takes words of its own, as delete does, is meant.
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 && cmd.ValidateArgs(words) != nil {
		return unknownCommand(cmd, words)
	}
	usage := "run: " + cmd.CommandPath() + " --help"
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return engram.Errorf(engram.CodeInvalid, "--%s %q is not %s", bad.GetFlag().Name, bad.GetValue(), kindOf(bad.GetFlag())).
			WithHint("%s", usage)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return engram.Errorf(engram.CodeInvalid, "%v", err).WithHint("%s", usage)
	}
	if unknown.GetSpecifiedShortnames() != "" || strings.ContainsAny(unknown.GetSpecifiedName(), " \t\n") {
		return engram.Errorf(engram.CodeInvalid, "%v", err).
			WithHint("put -- before a text that begins with a dash, or use - to read it from standard input")
	}
	if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
		usage = "did you mean " + near + "? " + usage
	}
	return engram.Errorf(engram.CodeInvalid, "%v", err).WithHint("%s", usage)
}

// kindOf says what the value of a flag should have been.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "when":
		return "auto, always or never"
	}
	return "a valid value"
}

// unknownCommand refuses the words after a command that has only sub-commands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "run: " + cmd.CommandPath() + " --help"
	if near := nearestCommand(cmd, args[0]); near != "" {
		hint = "did you mean: " + cmd.CommandPath() + " " + near + "? " + hint
	}
	return engram.Errorf(engram.CodeInvalid, "unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "engram ")).
		WithHint("%s", hint)
}

// onlyOne refuses flags that say opposite things.
func onlyOne(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return invalidf("%s cannot be combined", strings.Join(given, " and ")).WithHint("use one of them")
}

// between checks the number of arguments; most < 0 is any number.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		what := "too many arguments"
		if len(args) < least {
			what = "an argument is missing"
		}
		hint := "usage: " + cmd.UseLine()
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && len(args) > most {
			hint += "; everything after -- is an argument"
		}
		return engram.Errorf(engram.CodeInvalid, "%s: %s", cmd.Name(), what).WithHint("%s", hint)
	}
}

// invalidf is an error of usage.
func invalidf(format string, args ...any) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, format, args...)
}
