package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
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
	t.Parallel()
	e := enginetest.New(t)
	here := memory.New(tool.Options{Engine: e, Project: "demo"})
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
			there := memory.New(tool.Options{Engine: enginetest.New(t), Project: "elsewhere"})
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

// A large project comes in pages, of which memory_import takes each; what was forgotten is in none,
// and one page alone replaces nothing.
func TestALargeExportComesInPages(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	d := memory.New(tool.Options{Engine: e, Project: "demo"})
	const many = 60
	for i := range many {
		in := remember.SaveInput{Title: fmt.Sprintf("Story %d", i), Content: fmt.Sprintf("%d: ", i) + strings.Repeat("a long story ", 300), Project: "demo", TopicKey: fmt.Sprintf("s/%d", i)}
		if i > 0 {
			in.Related = []engram.Ref{engram.ByNum(int64(i))}
		}
		if _, err := e.Save(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	long := remember.SaveInput{Title: "Long", Content: strings.Repeat("far too long for a page ", 10_000), Project: "demo", TopicKey: "long"}
	for range 2 {
		long.Content += "!"
		if _, err := e.Save(t.Context(), long); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Forget(t.Context(), engram.ByNum(3)); err != nil {
		t.Fatal(err)
	}
	there := memory.New(tool.Options{Engine: enginetest.New(t), Project: "elsewhere"})
	var memories, pages, relations int
	for cursor := ""; ; pages++ {
		r, err := call(t, d, "memory_export", `{"cursor":"`+cursor+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Count     int                       `json:"count"`
			Memories  []struct{ Title string }  `json:"memories"`
			Relations []struct{ Source string } `json:"relations"`
			Next      string                    `json:"next_cursor"`
			Left      []string                  `json:"without_versions"`
		}
		if err := json.Unmarshal([]byte(r.Text), &page); err != nil {
			t.Fatal(err)
		}
		if alone := len(page.Memories) == 1; page.Count != many || len(r.Text) > 80<<10 && !alone || len(page.Left) > 0 && !alone {
			t.Errorf("page %d of %d bytes: count %d, %d memories, without versions %v", pages, len(r.Text), page.Count, len(page.Memories), page.Left)
		}
		memories, relations = memories+len(page.Memories), relations+len(page.Relations)
		if _, err := call(t, there, "memory_import", `{"mode":"replace","data":`+r.Text+`}`); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("page %d replaces what there is: %v", pages, err)
		}
		got, err := call(t, there, "memory_import", `{"data":`+r.Text+`}`)
		if err != nil || strings.Contains(string(got.Structured), `"rejected":1`) {
			t.Fatalf("page %d: got %s, error %v", pages, got.Structured, err)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if memories != many || pages < 4 || relations < many-3 {
		t.Errorf("got %d memories and %d relations in %d pages, want %d and at least %d", memories, relations, pages+1, many, many-3)
	}
	if got, err := call(t, there, "memory_stats", `{}`); err != nil || !strings.Contains(got.Text, fmt.Sprintf(`"elsewhere": %d memories`, many)) {
		t.Errorf("elsewhere: got %s, error %v", got.Text, err)
	}
	if _, err := call(t, d, "memory_export", `{"cursor":"nonsense"}`); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a cursor that no page gave: %v", err)
	}
}

// An offset leaves out what was answered before.
func TestAQueryObeysItsOffset(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	d := memory.New(tool.Options{Engine: e, Project: "demo"})
	for i := range 12 {
		if _, err := e.Save(t.Context(), remember.SaveInput{Title: fmt.Sprintf("Kettle %d", i), Content: fmt.Sprintf("The kettle of room %d whistles", i), Project: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{"", "which kettle whistles"} {
		list := func(args string) (ids []string) {
			r, err := call(t, d, "memory_query", `{"query":"`+query+`","min_relevance":0,`+args+`}`)
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Memories []struct{ ID string } }
			if err := json.Unmarshal(r.Structured, &got); err != nil {
				t.Fatal(err)
			}
			for _, m := range got.Memories {
				ids = append(ids, m.ID)
			}
			return ids
		}
		whole := list(`"limit":12`)
		parts := slices.Concat(list(`"limit":5`), list(`"limit":5,"offset":5`), list(`"limit":5,"offset":10`))
		if len(whole) != 12 || !slices.Equal(parts, whole) || len(list(`"limit":5,"offset":12`)) != 0 {
			t.Errorf("%q\n got %v\nwant %v", query, parts, whole)
		}
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
	t.Parallel()
	e := enginetest.New(t)
	for _, tt := range []struct {
		name string
		o    tool.Options
		want int // tools that ask for it
	}{
		{"in the agent's folder", tool.Options{Engine: e, Dir: "/src/shop"}, 0},
		{"over HTTP", tool.Options{Engine: e, Dir: "/", Remote: true}, 6},
		{"over HTTP, with a project", tool.Options{Engine: e, Dir: "/", Remote: true, Project: "shop"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := 0
			for _, tl := range memory.New(tt.o).Tools() {
				if strings.Contains(string(tl.Input()), `"project":{`) {
					got++
				}
			}
			if got != tt.want {
				t.Errorf("%d tools ask for the project, want %d", got, tt.want)
			}
		})
	}
	d := memory.New(tool.Options{Engine: e, Dir: "/", Remote: true})
	if r, err := call(t, d, "memory_store", `{"content":"From afar.","project":"A new one"}`); err != nil || !strings.Contains(r.Text, `project "a new one"`) {
		t.Errorf("a new project over HTTP: got %+v, error %v", r, err)
	}
}
