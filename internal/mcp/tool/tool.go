// Package tool defines what an MCP tool is, independent of any MCP library: its name, its prose, its effect on
// the store, how its arguments are described (schema.go) and read (decode.go), how it answers, and how it asks
// the person at the client. Dialects define tools with it, package mcp serves them.
//
// Arguments are checked by the same fields that describe them to the client, so a schema cannot promise what
// the tool does not check. Arguments that a schema does not mention are ignored, never rejected.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// Effect is what a tool does to the store; its annotations derive from it.
type Effect int

// The effects.
const (
	Reads    Effect = iota // changes nothing
	Writes                 // adds or revises; earlier state can be restored
	Destroys               // removes something
)

// Tool is one tool, ready to be listed and called. It does not change.
type Tool struct {
	Def
	// What the model is told, and the JSON Schemas of the arguments and of the structured answer, of type object. They are
	// read and written when they are asked for: most servers list few of the tools.
	Prose         func() string
	Input, Output func() json.RawMessage

	small      func() json.RawMessage // Input for small models
	smallProse func() string          // Prose for small models

	// Call runs the tool on its raw arguments, nil for none; it may be called concurrently. The error is a
	// *Failure where the dialect has its own shape for it, else an *engram.Error.
	Call func(ctx context.Context, by Caller, args json.RawMessage) (Reply, error)
}

// Def is a dialect's definition of a tool.
type Def struct {
	Name       string
	Title      string // for people
	Effect     Effect
	Idempotent bool     // repeating a call changes nothing more
	Deferred   bool     // clients may load it only when a search finds it
	Profiles   []string // the profiles it belongs to, beside its dialect's own and "all"
	// Shows names arguments to include in the schema in spite of schema:"-", for servers whose callers need
	// them.
	Shows []string
}

// Caller identifies who calls a tool.
type Caller struct {
	Client string // the client program's name, cleaned; "" when unknown
	Ask    Ask    // asks the person at the client; nil when impossible
	// Progress reports the progress of a long call to the client; nil when it did not ask for that. Operations
	// of the engine accept it as it is.
	Progress Progress
	Offers   func(name string) bool // the tools offered to it; nil: all
	// Advice words the hint of an error in terms of offered tools; nil: of commands.
	Advice func(err error) string
}

// Hint is the hint of err for the caller.
func (c Caller) Hint(err error) string {
	if c.Advice == nil {
		return engram.HintOf(err)
	}
	return c.Advice(err)
}

// Has reports whether the caller is offered this tool: an answer should not send it to another.
func (c Caller) Has(name string) bool { return c.Offers == nil || c.Offers(name) }

// Actor is the caller's name in the journal: "mcp:claude-code", or "mcp".
func (c Caller) Actor() string {
	return strings.TrimSuffix("mcp:"+c.Client, ":")
}

// Options configure a dialect. Engine is required.
type Options struct {
	Engine  *engine.Engine
	Project string         // of calls that name none; "" looks at Dir
	Dir     string         // the folder the agent works in, absolute
	Remote  bool           // agents may work anywhere: Dir is only a guess, and projects they name are trusted
	Zone    *time.Location // of times in texts; nil is UTC
}

// As returns the engine, writing in the caller's name.
func (o Options) As(by Caller) *engine.Engine { return o.Engine.As(o.Engine.Caller().By(by.Actor())) }

// Shown lists the arguments to include in the schema: a remote agent's project is known only by its name.
func (o Options) Shown() []string {
	if o.Remote && o.Project == "" {
		return []string{"project"}
	}
	return nil
}

// New makes a tool that runs run. In is a struct of arguments with the tags explained at param; Out is a struct
// that becomes the answer by ReplyOf. Its prose is added by Described.
func New[In, Out any](d Def, run func(context.Context, Caller, In) (Out, error)) Tool {
	params := sync.OnceValue(func() []param {
		params := paramsOf(reflect.TypeFor[In]())
		for i, p := range params {
			params[i].unlisted = p.unlisted && !slices.Contains(d.Shows, p.name)
		}
		return params
	})
	none := func() string { return "" }
	return Tool{
		Def:   d,
		Prose: none, smallProse: none,
		Input:  sync.OnceValue(func() json.RawMessage { return inputSchema(params()) }),
		Output: sync.OnceValue(func() json.RawMessage { return outputSchema(reflect.TypeFor[Out]()) }),
		small:  sync.OnceValue(func() json.RawMessage { return inputSchema(small(params())) }),
		Call: func(ctx context.Context, by Caller, args json.RawMessage) (Reply, error) {
			var in In
			if err := decode(args, params(), reflect.ValueOf(&in).Elem()); err != nil {
				return Reply{}, err
			}
			out, err := run(ctx, by, in)
			if err != nil {
				return Reply{}, err
			}
			return ReplyOf(out)
		},
	}
}

// Described adds the prose of a dialect's tools: that of prefix_NAME is in the file NAME.md, the prose for
// small models, if it is another, in NAME_small.md.
func Described(docs fs.ReadFileFS, prefix string, tools []Tool) []Tool {
	for i, t := range tools {
		name := strings.TrimPrefix(t.Name, prefix)
		prose := func() string {
			text, _ := docs.ReadFile(name + ".md") // a test of every tool checks that it has prose
			return strings.TrimSpace(string(text))
		}
		tools[i].Prose = prose
		tools[i].smallProse = func() string {
			text, err := docs.ReadFile(name + "_small.md")
			if err != nil {
				return prose()
			}
			return strings.TrimSpace(string(text))
		}
	}
	return tools
}

// Small is the tool as described to a small model: with its own prose and fewer arguments. It accepts the
// others too.
func (t Tool) Small() Tool {
	t.Input, t.Prose = t.small, t.smallProse
	return t
}

// Reply is the answer of a tool.
type Reply struct {
	Text       string          // the one text block
	Structured json.RawMessage // the same as an object
}

// plainText is an output whose text is not its JSON.
type plainText interface {
	// PlainText returns the text block; ok is false when the text is the JSON after all.
	PlainText() (text string, ok bool)
}

// Words is the text of an output that embeds it.
type Words struct {
	Text string `json:"-"`
}

// PlainText returns the text.
func (w Words) PlainText() (string, bool) { return w.Text, true }

// inText is an output whose text has another object than the structured content: in the text, words replace the
// fields.
type inText interface {
	// InText returns the object for the text, a struct.
	InText() any
}

// ReplyOf makes the reply of an output struct: the object as structured content, and as text the object or the
// result of PlainText or InText.
func ReplyOf(out any) (Reply, error) {
	object, err := sorted(out)
	if err != nil {
		return Reply{}, fmt.Errorf("write the answer: %w", err)
	}
	if p, ok := out.(plainText); ok {
		if text, ok := p.PlainText(); ok {
			return Reply{Text: text, Structured: object}, nil
		}
	}
	text := object
	if t, ok := out.(inText); ok {
		if text, err = sorted(t.InText()); err != nil {
			return Reply{}, fmt.Errorf("write the answer: %w", err)
		}
	}
	return Reply{Text: string(text), Structured: object}, nil
}

// sorted writes v, a struct, as an object with sorted keys; nested objects keep the order of their fields.
func sorted(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// Failure is an error with a dialect's own shape.
type Failure struct {
	Text   string // the text block; "" writes Object there, as JSON
	Object any    // the structured answer, a struct; nil derives one from Err
	Err    error  // the cause; never nil
}

// Reason returns an error's own message, without causes, which are for the log.
func Reason(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e.Msg
	}
	return "internal error"
}

// Hinted is an Object of a Failure that can include the hint of its error.
type Hinted interface {
	// Reported returns the object with the hint, worded for the caller.
	Reported(hint string) any
}

// Error returns the message of the cause.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Ask puts a question to the person at the client and waits. ok is false without an answer: declined, closed,
// too late, busy, or ctx ended; the tool then continues as if it had not asked. Later writes of the client
// continue meanwhile, so what was read before asking may be outdated.
type Ask func(ctx context.Context, q Question) (a Answer, ok bool)

// Question is a question to a person.
type Question struct {
	// Message is the question, plain text; more than MaxQuestion characters are cut. It is shown outside the
	// agent, so it must be understandable by itself.
	Message string
	Choices []string // the possible answers: at least one, each once, in the order shown
	Reason  string   // the label of an optional line of explanation; "" asks for none
}

// Answer is what the person chose.
type Answer struct {
	Choice string // one of Question.Choices
	Reason string // in the person's words, trimmed, at most MaxReason characters, without private spans; "" for none
}

// The maximum lengths of a question and its reason, in characters.
const (
	MaxQuestion = 2000
	MaxReason   = 1000
)

// Progress reports to the client what is being done, how much, and of how much (0 or less is unknown). It may
// be called often and concurrently; the server sends only news.
type Progress func(what string, done, total int)

// Of returns p for an operation that does one kind of work and does not name it; nil for nil.
func (p Progress) Of(what string) func(done, total int) {
	if p == nil {
		return nil
	}
	return func(done, total int) { p(what, done, total) }
}
