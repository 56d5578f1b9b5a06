package mcp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// The structured answer has the fields of a memory, and its content only once.
func TestReadersGiveTheFieldsOfAnObservation(t *testing.T) {
	t.Parallel()
	s, err := mcp.New(mcp.Options{Engine: enginetest.New(t), Dir: filepath.Join(t.TempDir(), "shop")})
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]json.RawMessage{}
	for _, tool := range toolsOf(t, listing(t, "all")) {
		schemas[tool.Name] = tool.OutputSchema
	}
	c := connectStdio(t, s, "2025-06-18")
	long := "The queue retries three times. " + strings.Repeat("Then it waits. ", 40)
	use(t, c, "mem_save", `{"title":"Retry policy","content":"`+long+`","type":"decision","topic_key":"queue/retries","tags":"queue"}`)
	use(t, c, "mem_save", `{"title":"Colour","content":"The page is blue"}`)
	type observation struct {
		ID                                   int
		SyncID                               string `json:"sync_id"`
		Title, Type, Content, Project, Scope string
		TopicKey                             string `json:"topic_key"`
		Cut                                  bool
		Revisions                            int    `json:"revision_count"`
		CreatedAt                            string `json:"created_at"`
		UpdatedAt                            string `json:"updated_at"`
		SessionID                            string `json:"session_id"`
		Tags                                 []string
	}
	for _, tt := range []struct {
		tool, args, content string
		cut                 bool
	}{
		{"mem_get_observation", `{"id":1}`, long, false},
		{"mem_get_observation", `{"id":1,"history":true}`, long, false},
		{"mem_search", `{"query":"retry policy of the queue","limit":1}`, long[:300], true},
		{"mem_search", `{"query":"retry policy of the queue","limit":1,"compact":true}`, "", false},
		{"mem_timeline", `{"observation_id":1}`, "", false},
	} {
		res := use(t, c, tt.tool, tt.args)
		raw, err := json.Marshal(res.StructuredContent)
		var got struct {
			Result      string
			Observation *observation
			Focus       *observation
			Results     []observation
			After       []observation
		}
		if err != nil || json.Unmarshal(raw, &got) != nil || res.IsError {
			t.Fatalf("%s %s: %s, %v", tt.tool, tt.args, raw, err)
		}
		one := got.Observation
		if one == nil {
			one = got.Focus
		}
		if one == nil && len(got.Results) == 1 {
			one = &got.Results[0]
		}
		if one == nil || one.ID != 1 || !strings.HasPrefix(one.SyncID, "obs-") || one.Title != "Retry policy" || one.Type != "decision" || one.Project != "shop" ||
			one.Scope != "project" || one.TopicKey != "queue/retries" || one.Revisions != 1 || one.CreatedAt == "" || one.UpdatedAt == "" || one.SessionID == "" || len(one.Tags) != 1 {
			t.Errorf("%s %s: got %s, want the fields of the memory", tt.tool, tt.args, raw)
			continue
		}
		if one.Cut != tt.cut || !strings.HasPrefix(one.Content, tt.content) || tt.content == "" && one.Content != "" {
			t.Errorf("%s %s: content %q, cut %v; want %q, %v", tt.tool, tt.args, one.Content, one.Cut, tt.content, tt.cut)
		}
		if !strings.Contains(tt.args, "history") && strings.Count(string(raw), "retries three times") > 1 {
			t.Errorf("%s %s: what it says stands there more than once: %s", tt.tool, tt.args, raw)
		}
		if tt.content != "" && !strings.Contains(text(res), "retries three times") {
			t.Errorf("%s %s: the text lacks what it says: %s", tt.tool, tt.args, text(res))
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(schemas[tt.tool], &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s %s: %v", tt.tool, tt.args, err)
		}
	}
}
