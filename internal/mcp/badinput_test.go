package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// schema is what a tool says of one argument, or of all of them.
type schema struct {
	Type             string
	Enum             []string
	Minimum, Maximum *float64
	MinItems         *int
	MaxItems         *int
	Default          json.RawMessage
	Items            *schema
	Properties       map[string]schema
	Required         []string
}

// bad is one wrong call: what is wrong with it, its arguments as they are sent, and
// whether it must be refused. What need not be has a documented lenient reading.
type bad struct {
	what, args string
	refused    bool
}

// TestBadInputIsAnswered calls every tool of every dialect with what its own schema
// forbids, over the wire. Each call is answered with one text block and a structured
// answer, a refusal with a code and a message, and a refused call has written nothing.
func TestBadInputIsAnswered(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	s, err := New(Options{Engine: e, Tools: everyTool, Dir: "/demo", Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Save(t.Context(), remember.SaveInput{Project: "demo", Title: "first", Content: "so that there is a memory"}); err != nil {
		t.Fatal(err)
	}
	w := wired(t, s)
	w.out = bufio.NewReaderSize(w.out, 1<<20)
	before, calls := written(t, e), 0
	for _, tool := range s.tools {
		var in schema
		if err := json.Unmarshal(tool.Input(), &in); err != nil || in.Type != "object" {
			t.Fatalf("%s: schema %s: %v", tool.Name, tool.Input(), err)
		}
		for _, b := range badCalls(in) {
			calls++
			w.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, calls, tool.Name, b.args)
			what := fmt.Sprintf("%s with %s (%.120q)", tool.Name, b.what, b.args)
			refused := checkAnswer(t, what, w.wants(fmt.Sprintf(`"id":%d,`, calls)))
			after := written(t, e)
			if b.refused && !refused {
				t.Errorf("%s was accepted", what)
			}
			if refused && after != before {
				t.Errorf("%s was refused and wrote: %s, before %s", what, after, before)
			}
			before = after
		}
	}
	if calls < 1500 {
		t.Errorf("only %d wrong calls were made", calls)
	}
}

// written tells two states of a store apart: its last operation and its counts.
func written(t *testing.T, e *engine.Engine) string {
	t.Helper()
	in := read.LogInput{}
	in.Page.Limit = 1
	ops, _, err := e.Log(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := e.Stats(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	if len(ops) > 0 {
		last = ops[0].Op
	}
	return fmt.Sprintf("operation %d, %d memories, %d sessions, %d prompts", last, stats.Memories, stats.Sessions, stats.Prompts)
}

// checkAnswer looks at the shape of an answer and reports whether it is a refusal.
func checkAnswer(t *testing.T, what, line string) (refused bool) {
	t.Helper()
	var a struct {
		Error  json.RawMessage
		Result struct {
			Content    []struct{ Type, Text string }
			Structured json.RawMessage `json:"structuredContent"`
			IsError    bool
		}
	}
	if err := json.Unmarshal([]byte(line), &a); err != nil || a.Error != nil {
		t.Errorf("%s: got %.300s, %v, want the answer of a tool", what, line, err)
		return true
	}
	r := a.Result
	if len(r.Content) != 1 || r.Content[0].Type != "text" || strings.TrimSpace(r.Content[0].Text) == "" || len(r.Structured) == 0 {
		t.Errorf("%s: got %.300s, want one text and a structured answer", what, line)
		return r.IsError
	}
	if strings.Contains(string(r.Structured), `"checks":[`) {
		return r.IsError // a report of the doctor, which speaks of SQLite, and of what is wrong with a check in its own way
	}
	for _, inner := range []string{"json:", "sql", "SQLITE", "goroutine", "Go value", ".go:", "context "} {
		if strings.Contains(r.Content[0].Text, inner) || strings.Contains(string(r.Structured), inner) {
			t.Errorf("%s: tells inner details (%s): %.300s", what, inner, r.Structured)
		}
	}
	if !r.IsError {
		return false
	}
	if len(line) > 64<<10 {
		t.Errorf("%s: a refusal of %d bytes", what, len(line))
	}
	var e struct {
		Error struct {
			Code, Message string
		}
		ErrorCode string `json:"error_code"`
		Message   string
	}
	if err := json.Unmarshal(r.Structured, &e); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if (e.Error.Code == "" || e.Error.Message == "") && (e.ErrorCode == "" || e.Message == "") {
		t.Errorf("%s: the error has no code or no message: %s", what, r.Structured)
	}
	if e.Error.Code == "internal" {
		t.Errorf("%s: is called our own fault: %s", what, r.Structured)
	}
	return true
}

// badCalls makes the wrong calls of one tool.
func badCalls(in schema) []bad {
	with := func(name, raw string) string {
		args := []string{}
		for _, r := range in.Required {
			if r != name {
				args = append(args, fmt.Sprintf("%q:%s", r, fitting(in.Properties[r])))
			}
		}
		if raw != "" {
			args = append(args, fmt.Sprintf("%q:%s", name, raw))
		}
		return "{" + strings.Join(args, ",") + "}"
	}
	deep := strings.Repeat("[", 500) + strings.Repeat("]", 500)
	calls := []bad{
		{"no arguments", "{}", false},
		{"null for arguments", "null", false},
		{"an array for arguments", "[]", true}, {"a string for arguments", `"x"`, true}, {"a number for arguments", "7", true}, {"true for arguments", "true", true},
		{"an unknown argument", with("unheard_of", `[1,"x"]`), false},
		{"a huge unknown argument", with("unheard_of", quoted(1<<20+1)), false},
		{"a deep unknown argument", with("unheard_of", deep), false},
		{"a name that is no word", with(`\u0000\u202e`, "1"), false},
		{"bytes that are no text", with("unheard_of", "\"\xff\xfe\""), true},
	}
	huge := false
	for _, name := range names(in) {
		p := in.Properties[name]
		add := func(what, raw string, refused bool) {
			calls = append(calls, bad{what + " for " + name, with(name, raw), refused})
		}
		add("nothing", "", false) // some take another argument in its place
		add("null", "null", false)
		for kind, raw := range map[string]string{"string": `"x"`, "number": "3", "boolean": "true", "array": "[1]", "object": `{"a":1}`} {
			if kind != p.Type && p.Type != "" && (kind != "number" || p.Type != "integer") {
				numbered := kind == "number" && slices.Contains([]string{"id", "source_id", "target_id"}, name)
				listed := p.Type == "array" && kind == "string" // with commas
				add("a value of type "+kind, raw, !numbered && !listed)
			}
		}
		add("deep nesting", deep, p.Type != "")
		switch p.Type {
		case "string":
			for _, v := range []string{"", " ", "\x00", "\u202e\x1b[31m", "../../etc/passwd", `"'; DROP TABLE memories; --`, "🎉" + strings.Repeat("é", 5000)} {
				raw, _ := json.Marshal(v) // strings are always JSON
				add(fmt.Sprintf("%.10q", v), string(raw), false)
			}
			add("half a surrogate", `"\ud83d"`, false)
			add("100 kB", quoted(100_000), false) // too long for whatever is no text
			if name == "content" || !huge {
				huge = true
				add("1 MiB and a byte", quoted(1<<20+1), false)
			}
			if name == "content" { // to all others it is the same as 1 MiB and a byte
				add("5 MiB", quoted(5<<20), false)
			}
			if p.Enum != nil {
				add("what is not in the enum", `"no such word"`, false) // some read it as their default
			}
		case "integer", "number":
			for _, n := range []string{"-1", "0", "1.5", "1e15", "-1e300", "1e300", "9223372036854775808"} {
				add(n, n, false)
			}
			for _, n := range []string{"1e400", "-1e999"} {
				add(n, n, true)
			}
			if p.Maximum != nil && p.Default == nil {
				add("too much", fmt.Sprint(*p.Maximum+1), true)
			}
			if p.Minimum != nil && p.Default == nil {
				add("too little", fmt.Sprint(*p.Minimum-1), true)
			}
		case "array":
			add("an empty array", "[]", p.MinItems != nil && *p.MinItems > 0)
			item := "1"
			if p.Items != nil {
				item = fitting(*p.Items)
			}
			add("10,001 items", "["+strings.Repeat(item+",", 10000)+item+"]", p.MaxItems != nil)
			add("null in an array", "[null]", false)
			add("a mix", `["x",1,{},[],true]`, p.Items != nil && p.Items.Type != "")
		case "object":
			add("an empty object", "{}", false)
			add("a huge object", `{"x":`+quoted(1<<20+1)+"}", false)
		}
	}
	return calls
}

// names are the arguments of a tool, in order.
func names(in schema) []string {
	var all []string
	for name := range in.Properties {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// quoted is a JSON string of n bytes.
func quoted(n int) string { return `"` + strings.Repeat("x", n) + `"` }

// fitting is a value that a schema allows.
func fitting(p schema) string {
	switch p.Type {
	case "integer", "number":
		return "1"
	case "boolean":
		return "false"
	case "array":
		if p.Items != nil {
			return "[" + fitting(*p.Items) + "]"
		}
		return "[]"
	case "object":
		var members []string
		for _, name := range p.Required {
			members = append(members, fmt.Sprintf("%q:%s", name, fitting(p.Properties[name])))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	if len(p.Enum) > 0 {
		return fmt.Sprintf("%q", p.Enum[0])
	}
	return `"some words"`
}
