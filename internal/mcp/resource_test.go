package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// eras are a revision of each era of the protocol, with its code for a resource that does
// not exist.
func eras() map[string]int64 { return map[string]int64{"2025-11-25": -32002, "2026-07-28": -32602} }

// onEachWire runs a test over both transports, in both eras.
func onEachWire(t *testing.T, run func(t *testing.T, c *sdk.ClientSession, noResource int64)) {
	t.Helper()
	for name, join := range map[string]func(testing.TB, *mcp.Server, string) *sdk.ClientSession{"stdio": connectStdio, "http": connectHTTP} {
		for version, noResource := range eras() {
			t.Run(name+" "+version, func(t *testing.T) { run(t, join(t, newServer(t), version), noResource) })
		}
	}
}

func TestResourcesAreListedInPagesThatJoin(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, c *sdk.ClientSession, _ int64) {
		var want []string
		for i := range 2 {
			memories := make([]string, 60)
			for j := range memories {
				memories[j] = fmt.Sprintf(`{"content":"note %d of batch %d"}`, j, i)
			}
			res := use(t, c, "memory_store_batch", `{"memories":[`+strings.Join(memories, ",")+`]}`)
			if res.IsError {
				t.Fatal(text(res))
			}
			var out struct {
				IDs []string `json:"ids"`
			}
			structured(t, res, &out)
			want = append(want, out.IDs...)
		}
		slices.Reverse(want)
		var got []string
		pages := 0
		for cursor := ""; pages == 0 || cursor != ""; pages++ {
			page, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil || len(page.Resources) > 50 {
				t.Fatalf("page %d: %d resources, error %v", pages, len(page.Resources), err)
			}
			for _, r := range page.Resources {
				if id, is := strings.CutPrefix(r.URI, "engram://memories/"); is {
					got = append(got, id)
				}
			}
			cursor = page.NextCursor
			// What is written between two pages moves nothing.
			use(t, c, "memory_store", fmt.Sprintf(`{"content":"written after page %d"}`, pages))
			use(t, c, "memory_delete", fmt.Sprintf(`{"id":%q}`, got[len(got)-2]))
		}
		if pages != 3 || !slices.Equal(got, want) {
			t.Errorf("in %d pages: got %d memories, want %d in 3, each once, the newest first", pages, len(got), len(want))
		}
	})
}

func structured(t *testing.T, res *sdk.CallToolResult, into any) {
	t.Helper()
	raw, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestResourcesAreReadInBothForms(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, c *sdk.ClientSession, noResource int64) {
		use(t, c, "memory_store", `{"content":"Tokens live 15 minutes","type":"decision"}`)
		for _, uri := range []string{"engram://memories/1", "/memories/*"} {
			res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			if err != nil || len(res.Contents) != 2 {
				t.Fatalf("%s: got %+v, error %v, want two contents", uri, res, err)
			}
			doc, page := res.Contents[0], res.Contents[1]
			if doc.MIMEType != "application/json" || page.MIMEType != "text/markdown" || doc.URI != uri || page.URI != uri ||
				!json.Valid([]byte(doc.Text)) || !strings.Contains(doc.Text, "Tokens live 15") || !strings.Contains(page.Text, "Tokens live 15") {
				t.Errorf("%s: got %+v and %+v", uri, doc, page)
			}
		}
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "engram://memories/99"})
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != noResource {
			t.Errorf("a memory that does not exist: got %v, want code %d", err, noResource)
		}
	})
}

func TestPromptAndCompletionsOnEachWire(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, c *sdk.ClientSession, _ int64) {
		for i := range 120 {
			use(t, c, "mem_save", fmt.Sprintf(`{"title":"T%d","content":"tokens of kind %d","topic_key":"auth/t%03d"}`, i, i, i))
		}
		p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recall_context", Arguments: map[string]string{"topic": "tokens of kind 7", "budget": "300"}})
		if err != nil || len(p.Messages) != 1 || p.Messages[0].Role != "user" {
			t.Fatalf("prompt: got %+v, error %v, want one message of the user", p, err)
		}
		if said, ok := p.Messages[0].Content.(*sdk.TextContent); !ok || !strings.Contains(said.Text, "tokens of kind 7\n") {
			t.Errorf("prompt: got %+v", p.Messages[0].Content)
		}
		complete := func(prefix string) sdk.CompletionResultDetails {
			res, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "recall_context"},
				Argument: sdk.CompleteParamsArgument{Name: "topic", Value: prefix}})
			if err != nil {
				t.Fatal(err)
			}
			return res.Completion
		}
		if got := complete("auth"); len(got.Values) != 100 || !got.HasMore || got.Values[0] != "auth/t000" {
			t.Errorf("completions of 120: got %d, more %v", len(got.Values), got.HasMore)
		}
		if got := complete("auth/t11"); len(got.Values) != 10 || got.HasMore || got.Total != 10 {
			t.Errorf("completions of 10: got %+v", got)
		}
	})
}

// Clients of the other dialects are told that there is nothing but tools, as ever.
func TestOtherProfilesOfferToolsAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tools string
		more  bool
	}{{"", false}, {"core", false}, {"admin,mem", false}, {"recall", false}, {"memory", true}, {"all", true}, {"mem_save,memory_stats", true}} {
		s, err := mcp.New(mcp.Options{Engine: enginetest.New(t), Tools: tt.tools, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		caps := connectStdio(t, s, "2025-11-25").InitializeResult().Capabilities
		if got := caps.Resources != nil; got != tt.more || got != (caps.Prompts != nil) || got != (caps.Completions != nil) {
			t.Errorf("--tools=%s: got %+v, want resources, prompts and completions: %v", tt.tools, caps, tt.more)
		}
	}
}
