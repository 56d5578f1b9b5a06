package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Texts converts named strings to strings.
func Texts[T ~string](all []T) []string {
	return document.Each(all, func(s T) string { return string(s) })
}

// ReportItems prints a warning for each note, unless --json has them in the answer.
func (p *Program) ReportItems(notes []engram.ImportNote, what string) {
	for _, n := range notes {
		p.WarnBeside(render.Line(fmt.Sprintf("%s %s: %s", ItemName(n), what, n.Reason), 0))
	}
}

// ItemName returns the place and name of the item of a note.
func ItemName(n engram.ImportNote) string {
	if n.Name == "" {
		return n.Item
	}
	return strings.TrimSpace(n.Item + " (" + n.Name + ")")
}

// Answer prints the result of a command: doc with --json, else the text.
func (p *Program) Answer(doc any, text func(*strings.Builder)) error {
	return p.answerIn(0, doc, text)
}

// AnswerWrapped is Answer for texts of memories: on a terminal, lines are wrapped to its width. doc is called only with
// --json, since summaries of memories cost more than their text.
func (p *Program) AnswerWrapped(doc func() any, text func(*strings.Builder)) error {
	if p.JSON {
		return p.Answer(doc(), nil)
	}
	return p.Answer(nil, func(b *strings.Builder) { b.WriteString(terminal.Wrapped(PlainText(text), p.Columns())) })
}

// AnswerRows is Answer for lists: on a terminal, lines are cut to its width.
func (p *Program) AnswerRows(doc any, text func(*strings.Builder)) error {
	return p.answerIn(p.Columns(), doc, text)
}

func (p *Program) answerIn(columns int, doc any, text func(*strings.Builder)) error {
	if !p.JSON {
		return p.ReportTo(columns, text)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return engram.Errorf(engram.CodeInternal, "cannot encode the answer as JSON").WithCause(err)
	}
	_, err := p.Stdout.Write(render.JSON(b.Bytes()))
	return OutputError(err)
}

// AnswerLine prints doc as one line of JSON, for commands with several answers.
func (p *Program) AnswerLine(doc any) error {
	line, err := json.Marshal(doc)
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "cannot encode the answer as JSON").WithCause(err)
	}
	_, err = p.Stdout.Write(render.JSON(append(line, '\n')))
	return OutputError(err)
}

// MemoriesOf returns the documents of memories, with their states now.
func MemoriesOf(e *engine.Engine, list []engram.Memory) []document.Memory {
	return document.Each(list, func(m engram.Memory) document.Memory { return document.MemoryOf(m, e.StateOf(m)) })
}

// ReportTo prints text on stdout, lines cut to so many columns, 0 for no limit. render.Plain makes it safe
// for the terminal before it is coloured.
func (p *Program) ReportTo(columns int, text func(*strings.Builder)) error {
	_, err := io.WriteString(p.Stdout, p.Out.Lines(terminal.FitLines(PlainText(text), columns)))
	return OutputError(err)
}

// Report prints text on stderr, before a question.
func (p *Program) Report(text func(*strings.Builder)) {
	fmt.Fprint(p.Stderr, p.Err.Lines(PlainText(text)))
}

// PlainText returns a text without control characters.
func PlainText(text func(*strings.Builder)) string {
	var b strings.Builder
	text(&b)
	return render.Plain(b.String())
}

// OutputError returns the error of an answer that could not be written.
func OutputError(err error) error {
	if err == nil {
		return nil
	}
	return engram.Errorf(engram.CodeUnavailable, "cannot write the output").WithCause(err)
}

// Would returns the words for a dry run, or those for what was done.
func Would(dryRun bool, would, did string) string {
	if dryRun {
		return would
	}
	return did
}

// Count returns "1 memory" or "2 memories".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Some is count, "" for none.
func Some(n int, one, many string) string {
	if n == 0 {
		return ""
	}
	return Count(n, one, many)
}

// ListSome joins the parts that are not empty: "1 session, 2 memories".
func ListSome(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), between)
}

// MemoryName returns a memory in a sentence: #12 "Title" (bugfix).
func MemoryName(m engram.Memory) string {
	return fmt.Sprintf("#%d %s (%s)", m.Num, Quote(render.Line(m.Title, 0)), render.Line(string(m.Type), 0))
}

// Quote puts s between quotes; %q would also escape what render.Plain has escaped.
func Quote(s string) string { return `"` + s + `"` }

// ListedRunes is the number of characters of a memory in a list.
const ListedRunes = 200

// SizeText returns a size in units of 1024.
func SizeText(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Columns returns the line width of stdout: COLUMNS, else the terminal's, else render.Columns; 0, no limit,
// for pipes and files.
func (p *Program) Columns() int {
	if !terminal.Is(p.Stdout) {
		return 0
	}
	return p.ColumnsOf(p.Stdout)
}

// ColumnsOf returns the width of a terminal.
func (p *Program) ColumnsOf(stream any) int {
	if text, given := p.Env("COLUMNS"); given {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
	}
	return cmp.Or(terminal.Columns(stream), render.Columns)
}

// SetColour applies --color at once, so that help and errors about other flags obey it, too.
func (p *Program) SetColour(when string) error {
	if when != "auto" && when != "always" && when != "never" {
		return Invalidf("%q is not one of auto, always and never", when)
	}
	p.colour = when
	p.takeColours()
	return nil
}

// takeColours decides what is coloured: by --color, else terminals unless NO_COLOR is set.
func (p *Program) takeColours() {
	plain := config.NoColor(p.Env)
	painted := func(stream any) terminal.Paint {
		switch p.colour {
		case "always":
			return true
		case "never":
			return false
		}
		return terminal.Paint(terminal.Is(stream) && !plain)
	}
	p.Out, p.Err = painted(p.Stdout), painted(p.Stderr)
}

// ItemColumns returns the width for pending items: render.Columns, or less on a narrower terminal.
func (p *Program) ItemColumns() int {
	return min(cmp.Or(p.Columns(), render.Columns), render.Columns)
}

// Author returns the author of a chunk for a sentence.
func Author(name string) string {
	if name == "" {
		return "unknown author"
	}
	return render.Plain(name)
}

// ExitCode maps an error code to an exit code; "" is success.
func ExitCode(c engram.Code) int {
	codes := map[engram.Code]int{"": 0, engram.CodeInvalid: 2, engram.CodeNotFound: 3, engram.CodeConflict: 4, engram.CodeUnavailable: 5, engram.CodeForbidden: 6}
	if code, known := codes[c]; known {
		return code
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
