package tool_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

func TestASmallModelIsToldLess(t *testing.T) {
	type in struct {
		Query string   `json:"query" doc:"what" required:"true" small:"a question"`
		Limit int      `json:"limit" doc:"how many" default:"10" small:"-"`
		Mode  string   `json:"mode" doc:"any or all"`
		Tags  []string `json:"tags" small:"-"`
	}
	got := in{}
	docs := fstest.MapFS{"find.md": {Data: []byte("Find what there is.\n")}, "find_small.md": {Data: []byte(" Find it. \n")}, "do.md": {Data: []byte("Do.")}}
	find := tool.New(tool.Def{Name: "my_find"}, func(_ context.Context, _ tool.Caller, a in) (struct{}, error) {
		got = a
		return struct{}{}, nil
	})
	do := tool.New(tool.Def{Name: "my_do"}, func(context.Context, tool.Caller, struct{}) (struct{}, error) { return struct{}{}, nil })
	tools := tool.Described(docs, "my_", []tool.Tool{find, do})
	whole, plain := tools[0], tools[1]
	small := whole.Small()
	want := `{"type":"object","properties":{"query":{"type":"string","description":"a question"},"mode":{"type":"string","description":"any or all"}},"required":["query"]}`
	if string(small.Input()) != want || small.Prose() != "Find it." {
		t.Errorf("told to a small model\n got %q %s\nwant %q %s", small.Prose(), small.Input(), "Find it.", want)
	}
	if string(whole.Input()) == want || whole.Prose() != "Find what there is." {
		t.Errorf("what others are told has changed: %q %s", whole.Prose(), whole.Input())
	}
	if _, err := small.Call(t.Context(), tool.Caller{}, []byte(`{"query":"x","tags":["a"]}`)); err != nil || len(got.Tags) != 1 || got.Limit != 10 {
		t.Errorf("what is not told is taken all the same: got %+v, error %v", got, err)
	}
	if p := plain.Small().Prose(); p != "Do." {
		t.Errorf("a tool without words for small models: got %q, want its own", p)
	}
}

func TestACallerHasWhatItIsOffered(t *testing.T) {
	some := tool.Caller{Offers: func(name string) bool { return name == "recall" }}
	if !some.Has("recall") || some.Has("forget") || !(tool.Caller{}).Has("forget") {
		t.Errorf("recall %v, forget %v, forget of a caller of whom nothing is known %v; want true, false, true",
			some.Has("recall"), some.Has("forget"), tool.Caller{}.Has("forget"))
	}
}
