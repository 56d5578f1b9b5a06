package mcp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// fromElsewhere returns a client that works in the folder "demo", and its switches. In the
// project "shop" everything speaks of zebras, and what demo has is tied to it.
func fromElsewhere(t *testing.T) (*sdk.ClientSession, *switchboard) {
	t.Helper()
	e := enginetest.New(t)
	save := func(in remember.SaveInput) int64 {
		res, err := e.Save(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return res.Memory.Num
	}
	if _, err := e.StartSession(t.Context(), remember.SessionInput{ID: "s-shop", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	save(remember.SaveInput{Title: "Zebra launch codes", Content: "The zebra flies on Friday", Project: "shop", SessionID: "s-shop", TopicKey: "zebra/launch", Type: "decision"})
	save(remember.SaveInput{Title: "Zebra stripes, always", Content: "Stripes of the zebra are black", Project: "shop", Scope: "personal", Type: "preference"})
	shop := save(remember.SaveInput{Title: "Zebra everywhere", Content: "Each zebra counts", Project: "shop", Scope: "global", Type: "preference", Importance: new(0.9)})
	demo := save(remember.SaveInput{Title: "Launch checklist", Content: "The launch is on Friday", Project: "demo"})
	if _, err := e.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(demo), Target: engram.ByNum(shop), Verb: engram.VerbDerivedFrom}); err != nil {
		t.Fatal(err)
	}
	var board switchboard
	s, err := mcp.New(mcp.Options{Engine: e, Tools: "all", Dir: filepath.Join(t.TempDir(), "demo"), Off: board.ask})
	if err != nil {
		t.Fatal(err)
	}
	return connectStdio(t, s, "2025-06-18"), &board
}

// A project that is off is off for those who work in another one, too: whatever an agent asks
// for everywhere, or is told of what is tied to its own memories, says nothing of it.
func TestNobodyIsToldOfAProjectThatIsOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool, args string
		reported   bool // while it is on
	}{
		{"mem_search", `{"query":"zebra","all_projects":true}`, true},
		{"mem_search", `{"query":"launch friday","all_projects":true,"match_mode":"all"}`, true},
		{"mem_search", `{"query":"zebra","all_projects":true,"as_of":"2199-01-01"}`, true},
		{"mem_search", `{"query":"","all_projects":true}`, true},
		{"mem_search", `{"query":"zebra/launch","all_projects":true}`, true},
		{"mem_search", `{"query":"launch checklist"}`, false},
		{"mem_search", `{"query":"stripes","scope":"personal","all_projects":true}`, true},
		{"recall", `{"query":"zebra"}`, true},
		{"mem_log", `{"all_projects":true}`, true},
		{"mem_stats", `{}`, false},
		{"mem_context", `{}`, false},
		{"mem_conflicts", `{"status":"all"}`, false},
		{"mem_conflicts", `{"action":"stats"}`, false},
		{"mem_get_observation", `{"id":4}`, false},
		{"mem_graph", `{"id":4}`, true},
		{"mem_review", `{"action":"list"}`, false},
		{"mem_diagnostics", `{}`, false},
		{"mem_doctor", `{}`, false},
		{"mem_timeline", `{"observation_id":4}`, false},
		{"memory_query", `{"query":"zebra"}`, false},
		{"memory_graph", `{"id":"4"}`, true},
		{"memory_export", `{}`, false},
		{"mem_sleep", `{"dry_run":true}`, false},
		{"mem_decay", `{}`, false},
		{"mem_current_project", `{}`, false},
	} {
		t.Run(tt.tool+" "+tt.args, func(t *testing.T) {
			c, board := fromElsewhere(t)
			ask := func() string {
				res := use(t, c, tt.tool, tt.args)
				structured, err := json.Marshal(res.StructuredContent)
				if err != nil || res.IsError {
					t.Fatalf("got error %v, %s, want an answer", err, text(res))
				}
				return text(res) + string(structured)
			}
			speaks := func(answer string) bool {
				return strings.Contains(strings.ReplaceAll(strings.ToLower(answer), `"zebra"`, ""), "zebra ")
			}
			if answer := ask(); tt.reported && !speaks(answer) {
				t.Errorf("while it is on: got %s, want something about zebras", answer)
			}
			board.set("shop")
			if answer := ask(); speaks(answer) || strings.Contains(answer, "shop") {
				t.Errorf("while it is off: got %s, want no word of it", answer)
			}
			board.set()
			if answer := ask(); tt.reported && !speaks(answer) {
				t.Errorf("on again: got %s, want something about zebras", answer)
			}
		})
	}
}

func TestStatisticsAreWithoutAProjectThatIsOff(t *testing.T) {
	t.Parallel()
	c, board := fromElsewhere(t)
	board.set("shop")
	if got := text(use(t, c, "mem_stats", `{}`)); !strings.Contains(got, "Observations: 1") || !strings.Contains(got, "Sessions: 1") || strings.Contains(got, "shop") {
		t.Errorf("got %s, want the one memory of demo", got)
	}
}

func TestResourcesLeaveOutAProjectThatIsOff(t *testing.T) {
	t.Parallel()
	c, board := fromElsewhere(t)
	reported := func() string {
		list, err := c.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/resource", URI: "engram://projects/{project}/memories{?type,topic,cursor}"},
			Argument: sdk.CompleteParamsArgument{Name: "project", Value: "s"}})
		if err != nil {
			t.Fatal(err)
		}
		return string(all) + strings.Join(whole.Completion.Values, " ")
	}
	if got := reported(); !strings.Contains(got, "shop") {
		t.Errorf("while it is on: got %s, want shop", got)
	}
	board.set("shop")
	if got := reported(); strings.Contains(got, "shop") || strings.Contains(strings.ToLower(got), "zebra") {
		t.Errorf("while it is off: got %s, want nothing of shop", got)
	}
}
