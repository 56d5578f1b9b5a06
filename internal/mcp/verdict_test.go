package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// answerOf is what a save told, as far as a contradiction goes.
type answerOf struct {
	Result     string
	Required   bool   `json:"judgment_required"`
	JudgmentID string `json:"judgment_id"`
	Candidates []any
}

// contradicting saves two memories that contradict each other by a client whose person
// answers with f, and returns what the second save answered.
func contradicting(t *testing.T, e *engine.Engine, f form) answerOf {
	t.Helper()
	s, err := New(Options{Engine: e, Project: "demo", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c := connectPerson(t, stdio(t, s), "2025-11-25", f, nil)
	var got answerOf
	for _, lives := range []string{"15", "5"} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "mem_save", Arguments: map[string]any{
			"title": "Access token lifetime", "content": "Access tokens live " + lives + " minutes in the shop API"}})
		if err != nil || r.IsError {
			t.Fatalf("save: %+v, %v", r, err)
		}
		b, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		got = answerOf{}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
	}
	return got
}

func answering(content map[string]any) form {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: content}, nil
	}
}

func TestAPersonAtTheClientJudgesAtOnce(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	var asked *mcp.ElicitParams
	got := contradicting(t, e, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked = r.Params
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": "supersedes", "reason": "measured again"}}, nil
	})
	if asked == nil {
		t.Fatal("nobody was asked")
	}
	for _, part := range []string{"15 minutes", "5 minutes", "#2", "#1", "demo"} {
		if !strings.Contains(asked.Message, part) {
			t.Errorf("the question lacks %q:\n%s", part, asked.Message)
		}
	}
	schema, _ := json.Marshal(asked.RequestedSchema)
	for _, choice := range []string{"supersedes", "contradicts", "compatible", "scoped", "relates_to", "not_conflict", "later"} {
		if !strings.Contains(string(schema), `"`+choice+`"`) {
			t.Errorf("the form lacks %q: %s", choice, schema)
		}
	}
	if got.Required || len(got.Candidates) != 0 || !strings.Contains(got.Result, `The user judged it against #1 "Access token lifetime": supersedes (measured again)`) ||
		strings.Contains(got.Result, "PENDING") {
		t.Errorf("the save answered %+v, want the verdict and nothing left to judge", got)
	}
	list, _, err := e.Conflicts(t.Context(), relate.ConflictFilter{Status: engram.RelationJudged})
	if err != nil || len(list) != 1 {
		t.Fatalf("judged: %+v, %v; want one", list, err)
	}
	if r := list[0].Relation; r.Verb != engram.VerbSupersedes || r.ActorKind != relate.KindHuman || r.Reason != "measured again" || r.Source != 2 {
		t.Errorf("the verdict is %+v", r)
	}
}

func TestACandidateWaitsUnlessAPersonJudges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		f    form
	}{
		{"a client that cannot ask", nil},
		{"later", answering(map[string]any{"choice": "later"})},
		{"no choice", answering(map[string]any{"reason": "hm"})},
		{"a choice that was not offered", answering(map[string]any{"choice": "derived_from"})},
		{"declined", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}},
		{"a client that fails", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("no window")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := enginetest.New(t)
			got := contradicting(t, e, tt.f)
			if !got.Required || len(got.Candidates) != 1 || !strings.Contains(got.Result, "CONFLICT REVIEW PENDING — 1 candidate(s)") {
				t.Errorf("the save answered %+v, want one candidate", got)
			}
			list, _, err := e.Conflicts(t.Context(), relate.ConflictFilter{Status: engram.RelationPending})
			if err != nil || len(list) != 1 || list[0].Relation.ID != got.JudgmentID {
				t.Errorf("waiting: %+v, %v; want %s", list, err, got.JudgmentID)
			}
		})
	}
}

// While the person thinks, the memory may go: the save stands, and says what became of
// the verdict.
func TestAVerdictOnWhatIsGoneIsTold(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	got := contradicting(t, e, func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if _, err := e.Forget(ctx, engram.ByNum(1)); err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": "scoped"}}, nil
	})
	if !strings.Contains(got.Result, "Cannot record the user's verdict: memory #1 was forgotten") {
		t.Errorf("the save answered %q", got.Result)
	}
}
