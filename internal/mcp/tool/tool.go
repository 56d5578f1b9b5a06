// Package tool says what an MCP tool is, apart from any MCP library: its name, its
// prose, what it does to the store, how its arguments are described (schema.go) and
// read (decode.go), how it answers, and how it asks the person at the client. Dialects define tools with it, package mcp serves them.
//
// Arguments are checked by the very fields that describe them to the client, so a
// schema cannot promise what the tool does not keep. What a schema does not mention
// is ignored, never refused.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Effect is what a tool does to the store; annotations are made of it.
type Effect int

// The effects.
const (
	Reads    Effect = iota // changes nothing
	Writes                 // adds or revises; what was there can be had back
	Destroys               // takes something away
)

// Tool is one tool, ready to be listed and called. It is not changed once made.
type Tool struct {
	Def
	Input  json.RawMessage // JSON Schema of the arguments, of type object
	Output json.RawMessage // JSON Schema of the structured answer, of type object

	small json.RawMessage // Input as a small model gets it

	// Call runs the tool on its raw arguments, nil for none; it may be called concurrently. The error is a
	// *Failure where the dialect has a shape of its own for it, else an *engram.Error.
	Call func(ctx context.Context, by Caller, args json.RawMessage) (Reply, error)
}

// Def is what a dialect says of a tool.
type Def struct {
	Name       string
	Title      string // for people
	Prose      string // for the model
	SmallProse string // the same for a small model; "" is Prose
	Effect     Effect
	Idempotent bool     // the same call again changes nothing more
	Deferred   bool     // clients may load it only when it is searched for
	Profiles   []string // the profiles it belongs to, beside its dialect's own and "all"
	// Shows names arguments that stand in the schema although their tag says schema:"-":
	// some have to be told where the server runs one way, and not where it runs another.
	Shows []string
}

// Caller is who calls a tool.
type Caller struct {
	Client string // the client program's own name, cleaned; "" when it did not say
	Ask    Ask    // asks the person at the client; nil when that cannot be done
	// Progress tells the client how far a long call is; nil when it did not ask for that.
	// Verbs of the engine take it as it is.
	Progress Progress
	Offers   func(name string) bool // which tools it is offered; nil: every one
	// Advice is the hint of an error in the tools that it is offered; nil: in commands.
	Advice func(err error) string
}

// Hint is the hint of err, for the caller.
func (c Caller) Hint(err error) string {
	if c.Advice == nil {
		return engram.HintOf(err)
	}
	return c.Advice(err)
}

// Has reports whether the caller is offered a tool of that name: it is not to be told to
// call another.
func (c Caller) Has(name string) bool { return c.Offers == nil || c.Offers(name) }

// Actor is how the journal names the caller: "mcp:claude-code", or "mcp".
func (c Caller) Actor() string {
	if c.Client == "" {
		return "mcp"
	}
	return "mcp:" + c.Client
}

// New makes a tool that runs run. In is a struct whose fields are the arguments, with the tags that
// schema.go explains; Out is a struct that becomes the answer as ReplyOf says.
func New[In, Out any](d Def, run func(context.Context, Caller, In) (Out, error)) Tool {
	d.Prose, d.SmallProse = strings.TrimSpace(d.Prose), strings.TrimSpace(d.SmallProse)
	params := paramsOf(reflect.TypeFor[In]())
	for i, p := range params {
		params[i].unlisted = p.unlisted && !slices.Contains(d.Shows, p.name)
	}
	return Tool{
		Def:    d,
		Input:  inputSchema(params),
		Output: outputSchema(reflect.TypeFor[Out]()),
		small:  inputSchema(small(params)),
		Call: func(ctx context.Context, by Caller, args json.RawMessage) (Reply, error) {
			var in In
			if err := decode(args, params, reflect.ValueOf(&in).Elem()); err != nil {
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

// Described fills in the prose of a dialect's tools: that of prefix_NAME stands in the file
// NAME.md, that for small models, where it is another one, in NAME_small.md.
func Described(docs fs.ReadFileFS, prefix string, tools []Tool) []Tool {
	read := func(name string) string {
		text, _ := docs.ReadFile(name + ".md") // not every tool has words of its own for small models
		return strings.TrimSpace(string(text))
	}
	for i, t := range tools {
		name := strings.TrimPrefix(t.Name, prefix)
		tools[i].Prose, tools[i].SmallProse = read(name), read(name+"_small")
	}
	return tools
}

// Small is the tool as it is told to a small model: in its own prose, and with the
// arguments alone that such a model should think about. It takes the others all the same.
func (t Tool) Small() Tool {
	t.Input = t.small
	if t.SmallProse != "" {
		t.Prose = t.SmallProse
	}
	return t
}

// Reply is what a tool answers.
type Reply struct {
	Text       string          // the one text block
	Structured json.RawMessage // the same as an object
}

// plainText is what an output has when its text is not its JSON.
type plainText interface {
	// PlainText returns the text block; ok is false when the JSON is to be it after all.
	PlainText() (text string, ok bool)
}

// inText is what an output has when the object in its text is another than the structured
// one: clients that read texts know it in words and need no fields beside, those that read
// structured content have the fields and need no words.
type inText interface {
	// InText returns the object for the text, a struct.
	InText() any
}

// ReplyOf makes the reply of an output struct: the object as structured content, and as text the object,
// or that of its method PlainText or InText.
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
	if t, ok := out.(inText); ok {
		text, err := sorted(t.InText())
		if err != nil {
			return Reply{}, fmt.Errorf("write the answer: %w", err)
		}
		return Reply{Text: string(text), Structured: object}, nil
	}
	return Reply{Text: string(object), Structured: object}, nil
}

// sorted writes v, a struct, as an object with sorted keys; nested objects keep the
// order of their fields.
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

// Failure is an error for which a dialect has a shape of its own.
type Failure struct {
	Text string // the text block; "" writes Object there, as JSON
	// Object is the structured answer, a struct; nil makes one of Err.
	Object any
	Err    error // the cause; never nil
}

// Hinted is an Object of a Failure that has a place for the hint of its error.
type Hinted interface {
	// Reported returns the object with the hint, in the words of the caller.
	Reported(hint string) any
}

// Error returns what went wrong.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Ask puts a question to the person at the client and waits. ok is false when there is no answer:
// declined, closed, too late, busy, or ctx ended; the tool then goes on as if it had not asked.
// Later writes of the client go on meanwhile, so what was read before asking may be outdated.
type Ask func(ctx context.Context, q Question) (a Answer, ok bool)

// Question is what a person is asked.
type Question struct {
	// Message is the question, plain text of at most MaxQuestion characters; what is
	// longer is cut. It is shown outside the agent, so it must make sense by itself.
	Message string
	// Choices are the answers there are: at least one, each once, in the order shown.
	Choices []string
	// Reason is how a line of explanation is asked for, which may be left empty; ""
	// asks for none.
	Reason string
}

// Answer is what the person chose.
type Answer struct {
	Choice string // one of Question.Choices
	Reason string // in the person's words, trimmed, at most MaxReason characters, nothing private; "" when none was given
}

// The longest texts of a question and its answer, in characters.
const (
	MaxQuestion = 2000
	MaxReason   = 1000
)

// Progress tells the client how far a call is: what is being done, how much, and of how much (0 or
// less is unknown). It may be called often and from several goroutines; the server sends only news.
type Progress func(what string, done, total int)

// Of is p for a verb that does one kind of work and does not name it; nil for nil.
func (p Progress) Of(what string) func(done, total int) {
	if p == nil {
		return nil
	}
	return func(done, total int) { p(what, done, total) }
}
