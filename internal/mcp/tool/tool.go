// Package tool says what an MCP tool is, apart from any MCP library: its name, its
// prose, what it does to the store, how its arguments are described (schema.go) and
// read (decode.go), how it answers (reply.go), and how it asks the person at the client
// (ask.go). Dialects define tools with it, package mcp serves them.
//
// Arguments are checked by the very fields that describe them to the client, so a
// schema cannot promise what the tool does not keep. What a schema does not mention
// is ignored, never refused.
package tool

import (
	"context"
	"encoding/json"
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

	// Call runs the tool on its raw arguments; nil arguments are an empty object. It
	// may be called concurrently. The error is a *Failure where the dialect has a
	// shape of its own for it, else one that carries an *engram.Error.
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
	Ask    Ask    // asks the person at the client; nil when that cannot be done (ask.go)
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

// New makes a tool that runs run. In must be a struct: its fields are the arguments,
// described by the tags that schema.go explains. Out must be a struct; it becomes the
// answer as ReplyOf says.
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
