package memory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// call runs a tool of d; args is its JSON.
func call(t testing.TB, d *memory.Dialect, name, args string) (tool.Reply, error) {
	t.Helper()
	for _, tl := range d.Tools() {
		if tl.Name == name {
			return tl.Call(t.Context(), tool.Caller{}, json.RawMessage(args))
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Reply{}, nil
}

// What is exported comes in elsewhere, whatever order its keys were put into on the way:
// the structured answer has them sorted, the text as they were written.
func TestAnExportComesInElsewhere(t *testing.T) {
	e := enginetest.New(t)
	here := memory.New(memory.Options{Engine: e, Project: "demo"})
	for _, args := range []string{`{"content":"Tokens live 15 minutes <&>","tags":["auth"],"importance":0.9}`, `{"content":"Kettles whistle","type":"pattern","related_to":["1"]}`} {
		if _, err := call(t, here, "memory_store", args); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{`{}`, `{"include_embeddings":true}`} {
		file, err := call(t, here, "memory_export", args)
		if err != nil {
			t.Fatal(err)
		}
		for form, data := range map[string]string{"text": file.Text, "structured": string(file.Structured)} {
			there := memory.New(memory.Options{Engine: enginetest.New(t), Project: "elsewhere"})
			for run, want := range []string{`"added":2`, `"unchanged":2`} {
				got, err := call(t, there, "memory_import", `{"data":`+data+`}`)
				if err != nil || !strings.Contains(string(got.Structured), want) {
					t.Fatalf("%s of %s, import %d: got %s, error %v, want %s", form, args, run+1, got.Structured, err, want)
				}
			}
			got, err := call(t, there, "memory_query", `{"query":"how long do tokens live"}`)
			if err != nil || !strings.Contains(got.Text, "Tokens live 15 minutes <&>") {
				t.Errorf("%s of %s: got %s, error %v", form, args, got.Text, err)
			}
			if got, err := call(t, there, "memory_stats", `{}`); err != nil || !strings.Contains(got.Text, `"elsewhere": 2 memories`) {
				t.Errorf("%s of %s: got %s, error %v", form, args, got.Text, err)
			}
		}
	}
}

func TestAnExportThatNobodyCouldReadIsRefused(t *testing.T) {
	e := enginetest.New(t)
	d := memory.New(memory.Options{Engine: e, Project: "demo"})
	_, err := e.Save(t.Context(), engine.SaveInput{Content: strings.Repeat("a long story ", 25_000), Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = call(t, d, "memory_export", `{}`)
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(engram.HintOf(err), "engram export") {
		t.Errorf("got %v (%s), want invalid and what to do instead", err, engram.HintOf(err))
	}
}

// No object is anybody's fault but its writer's.
func FuzzImport(f *testing.F) {
	for _, data := range []string{`{}`, `{"memories":[{"content":"x"}]}`, `{"format":"engram","version":1,"memories":[{}]}`, `{"observations":[],"a":{"b":[]},"":1}`,
		`{"memories":null,"relations":[1,"x"]}`, `{"version":1e999}`} {
		f.Add(data)
	}
	d := newDialect(f)
	f.Fuzz(func(t *testing.T, data string) {
		_, err := call(t, d, "memory_import", `{"data":`+data+`}`)
		switch engram.CodeOf(err) {
		case "", engram.CodeInvalid, engram.CodeConflict:
		default:
			t.Errorf("%s: %v", data, err)
		}
	})
}

// Over HTTP only the agent knows where it works: there the project stands in the schemas. A
// server that was given one needs no more.
func TestTheProjectIsAskedForWhereNobodyKnowsIt(t *testing.T) {
	e := enginetest.New(t)
	for _, tt := range []struct {
		name string
		o    memory.Options
		want int // tools that ask for it
	}{
		{"in the agent's folder", memory.Options{Engine: e, Dir: "/src/shop"}, 0},
		{"over HTTP", memory.Options{Engine: e, Dir: "/", Remote: true}, 6},
		{"over HTTP, with a project", memory.Options{Engine: e, Dir: "/", Remote: true, Project: "shop"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := 0
			for _, tl := range memory.New(tt.o).Tools() {
				if strings.Contains(string(tl.Input), `"project":{`) {
					got++
				}
			}
			if got != tt.want {
				t.Errorf("%d tools ask for the project, want %d", got, tt.want)
			}
		})
	}
	d := memory.New(memory.Options{Engine: e, Dir: "/", Remote: true})
	if r, err := call(t, d, "memory_store", `{"content":"From afar.","project":"A new one"}`); err != nil || !strings.Contains(r.Text, `project "a new one"`) {
		t.Errorf("a new project over HTTP: got %+v, error %v", r, err)
	}
}
