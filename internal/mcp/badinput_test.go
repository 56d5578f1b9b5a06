package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// property is what a schema says of one argument.
type property struct {
	Type    string
	Enum    []string
	Minimum *float64
	Maximum *float64
	Default any
}

// bad is one wrong call, made from a tool's own schema.
type bad struct {
	what    string
	args    map[string]any
	mustErr bool
}

// TestBadInputIsAnswered calls every tool with what its schema forbids. Each call gets
// one text block and, where it is refused, the reason as structured content; the
// session survives them all.
func TestBadInputIsAnswered(t *testing.T) {
	c := connectStdio(t, newServer(t), "2025-11-25")
	use(t, c, "mem_save", `{"title":"first","content":"so that there is a memory"}`)
	calls := 0
	for _, tool := range toolsOf(t, listing(t, "all")) {
		var schema struct {
			Properties map[string]property
			Required   []string
		}
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for _, b := range badCalls(schema.Properties, schema.Required) {
			calls++
			raw, err := json.Marshal(b.args)
			if err != nil {
				t.Fatal(err)
			}
			res := use(t, c, tool.Name, string(raw))
			if b.mustErr && !res.IsError {
				t.Errorf("%s with %s: %.200s was accepted: %s", tool.Name, b.what, raw, text(res))
			}
			checkAnswer(t, fmt.Sprintf("%s with %s", tool.Name, b.what), res)
		}
	}
	if calls < 200 {
		t.Errorf("only %d wrong calls were made", calls)
	}
}

func checkAnswer(t *testing.T, what string, res *sdk.CallToolResult) {
	t.Helper()
	if strings.TrimSpace(text(res)) == "" || res.StructuredContent == nil {
		t.Errorf("%s: got text %q, structured content %v", what, text(res), res.StructuredContent)
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), `"checks":[`) {
		return // a report of the doctor, which speaks of SQLite, and of what is wrong with a check in its own way
	}
	for _, inner := range []string{"json:", "sql", "SQLITE", "goroutine", "Go value", ".go:"} {
		if strings.Contains(text(res), inner) || strings.Contains(string(raw), inner) {
			t.Errorf("%s: tells inner details (%s): %s", what, inner, raw)
		}
	}
	if !res.IsError {
		return
	}
	var e struct {
		Error struct {
			Code, Message string
		}
		ErrorCode string `json:"error_code"`
		Message   string
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	if (e.Error.Code == "" || e.Error.Message == "") && (e.ErrorCode == "" || e.Message == "") {
		t.Errorf("%s: the error has no code or no message: %s", what, raw)
	}
	if e.Error.Code == "internal" {
		t.Errorf("%s: is called our own fault: %s", what, raw)
	}
}

// badCalls makes the wrong calls of one schema.
func badCalls(props map[string]property, required []string) []bad {
	good := func() map[string]any {
		args := map[string]any{}
		for _, name := range required {
			args[name] = fitting(props[name])
		}
		return args
	}
	with := func(name string, v any) map[string]any {
		args := good()
		args[name] = v
		return args
	}
	calls := []bad{
		{"no arguments", map[string]any{}, false},
		{"unknown arguments", with("unheard_of", []any{1, "x"}), false},
		{"a huge unknown argument", with("unheard_of", strings.Repeat("x", 1<<16)), false},
	}
	for name, p := range props {
		for kind, v := range map[string]any{"string": "x", "number": 3, "boolean": true, "array": []any{1}, "object": map[string]any{"a": 1}} {
			if kind != p.Type && (kind != "number" || p.Type != "integer") {
				calls = append(calls, bad{kind + " for " + name, with(name, v), true})
			}
		}
		calls = append(calls, bad{"null for " + name, with(name, nil), false})
		switch p.Type {
		case "string":
			for _, s := range []string{"", " ", "\x00", "\u202e\x1b[31m", "../../etc/passwd", `"'; DROP TABLE memories; --`, "🎉" + strings.Repeat("é", 5000)} {
				calls = append(calls, bad{fmt.Sprintf("%.10q for %s", s, name), with(name, s), false})
			}
		case "integer", "number":
			for _, n := range []any{-1, 0, 1.5, 1e15, -1e300, 1e300} {
				calls = append(calls, bad{fmt.Sprintf("%v for %s", n, name), with(name, n), false})
			}
			if p.Maximum != nil && p.Default == nil {
				calls = append(calls, bad{"too much for " + name, with(name, *p.Maximum+1), true})
			}
		}
	}
	return calls
}

func fitting(p property) any {
	switch p.Type {
	case "integer", "number":
		return 1
	case "boolean":
		return false
	case "array":
		return []string{"x"}
	case "object":
		return map[string]any{}
	}
	return "some words"
}
