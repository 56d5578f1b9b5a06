// Package agentcli asks the command line of a coding agent how two memories relate. It implements
// engram.Judge with claude and opencode in their modes for a single answer.
//
// It runs only if a person has configured one of the two. The program is found on PATH and started
// without a shell, in an empty folder, and as far as possible without tools, hooks and servers,
// because it reads untrusted text. The question goes to its standard input, with the memories
// framed as data; the answer is limited and cleaned.
package agentcli

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/llm"
)

// CLI is an engram.Judge that starts a program for each question. It may be used concurrently.
type CLI struct {
	name string
	args []string
	env  []string // in addition to that of this process
}

// clis returns the supported programs.
//
// Sources: Claude Code, "CLI reference" and "Settings"; OpenCode, "CLI", "Config" and
// "Permissions".
func clis() []CLI {
	return []CLI{
		{name: "claude", args: []string{"-p", "--output-format", "text", "--max-turns", "1", "--tools", "", "--strict-mcp-config",
			"--settings", `{"disableAllHooks":true}`}},
		{name: "opencode", args: []string{"run"}, env: []string{`OPENCODE_CONFIG_CONTENT={"permission":{"*":"deny"}}`}},
	}
}

// Named returns the judge of that name: claude or opencode. A missing program is reported when asked.
func Named(name string) (c *CLI, known bool) {
	all := clis()
	i := slices.IndexFunc(all, func(c CLI) bool { return c.name == name })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

// Name implements engram.Judge.
func (c *CLI) Name() string { return c.name }

// Limits of a program's output in bytes, and of the wait for the rest of it after it was stopped.
const (
	maxAnswer = 1 << 20
	maxError  = 4 << 10
	waitDelay = 2 * time.Second
)

// Judge implements engram.Judge.
func (c *CLI) Judge(ctx context.Context, newer, older engram.Memory) (engram.Opinion, error) {
	question, err := prompt(newer, older)
	if err != nil {
		return engram.Opinion{}, err
	}
	said, err := c.run(ctx, question)
	if err != nil {
		return engram.Opinion{}, err
	}
	o, err := parse(said)
	if err != nil {
		return o, engram.Errorf(engram.CodeUnavailable, "%s gave no opinion: %v", c.name, err)
	}
	return o, nil
}

func (c *CLI) run(ctx context.Context, question string) (string, error) {
	path, err := exec.LookPath(c.name)
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "%s is not on PATH", c.name).WithHint("install it, or set agent_cli to another one").WithCause(err)
	}
	// Agents read instructions from the folder they start in.
	dir, err := os.MkdirTemp("", "engram-judge-")
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "cannot create an empty folder for %s", c.name).WithCause(err)
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Dir, cmd.WaitDelay = dir, waitDelay
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), inSession), c.env...)
	cmd.Stdin = strings.NewReader(question)
	said, complaint := &bounded{most: maxAnswer}, &bounded{most: maxError}
	cmd.Stdout, cmd.Stderr = said, complaint
	err = cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", engram.Errorf(engram.CodeUnavailable, "%s did not answer in time", c.name).WithCause(ctx.Err())
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", engram.Errorf(engram.CodeUnavailable, "%s failed: %v%s", c.name, err, firstLine(complaint.String()))
	}
	return said.String(), nil
}

// inSession reports whether a variable makes claude refuse to run, as within itself: in an agent.
func inSession(variable string) bool { return strings.HasPrefix(variable, "CLAUDECODE=") }

// firstLine returns the first line with text of an error output, for an error message.
func firstLine(complaint string) string {
	for l := range strings.Lines(complaint) {
		if l = llm.Line(l, maxReason); l != "" {
			return ": " + l
		}
	}
	return ""
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer. It drops the excess without an error, which could stop the program.
func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.most-b.Len())])
	return len(p), nil
}

//go:embed judge.md
var instructions string

// Limits of a memory's text, in bytes.
const (
	maxTitle   = 300
	maxContent = 6 << 10
)

// note is a memory as the judge sees it.
type note struct {
	Which   string `json:"which"`
	Date    string `json:"date"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

func noteOf(which string, m engram.Memory) note {
	return note{which, m.UpdatedAt.UTC().Format(time.DateOnly), string(m.Type), llm.Shown(m.Title, maxTitle), llm.Shown(m.Content, maxContent)}
}

// prompt returns the whole question.
func prompt(newer, older engram.Memory) (string, error) {
	notes, err := llm.Framed("notes", []note{noteOf("newer", newer), noteOf("older", older)})
	if err != nil {
		return "", fmt.Errorf("write memories %s and %s for the judge: %w", newer.ID, older.ID, err)
	}
	return strings.TrimSpace(instructions) + "\n\n" + notes +
		"\nHow does the newer note relate to the older one? Answer with the JSON object alone.\n", nil
}

const maxReason = 200 // characters

// Errors in an answer. They do not repeat the answer, which is about memories.
var (
	errNoObject   = errors.New("no object with a relation in its answer")
	errVerb       = errors.New("a relation that was not offered")
	errConfidence = errors.New("no confidence between 0 and 1")
)

type answer struct {
	Relation   string   `json:"relation"`
	Confidence *float64 `json:"confidence"`
	Reason     string   `json:"reason"`
}

// parse finds the object in a program's output.
func parse(said string) (engram.Opinion, error) {
	a, found := llm.Object(said, func(a answer) bool { return a.Relation != "" })
	if !found {
		return engram.Opinion{}, errNoObject
	}
	return a.opinion()
}

// opinion validates a, since a memory may have misled the model.
func (a answer) opinion() (engram.Opinion, error) {
	verb, err := engram.ParseVerb(a.Relation)
	if err != nil {
		return engram.Opinion{}, errVerb
	}
	switch verb {
	case engram.VerbRelatesTo, engram.VerbCompatible, engram.VerbScoped, engram.VerbContradicts, engram.VerbSupersedes, engram.VerbNotConflict:
	default:
		return engram.Opinion{}, errVerb
	}
	if a.Confidence == nil || !(*a.Confidence >= 0 && *a.Confidence <= 1) {
		return engram.Opinion{}, errConfidence
	}
	return engram.Opinion{Verb: verb, Confidence: *a.Confidence, Reason: llm.Line(a.Reason, maxReason)}, nil
}
