package mcp_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/internal/project"
)

// switchboard is what a person has switched off: "" is everything.
type switchboard struct{ off atomic.Pointer[[]string] }

func (b *switchboard) set(names ...string) { b.off.Store(&names) }

func (b *switchboard) ask() func(string) bool {
	names := b.off.Load()
	if names == nil || len(*names) == 0 {
		return nil
	}
	return func(name string) bool {
		return slices.Contains(*names, "") || slices.Contains(*names, project.Normalize(name))
	}
}

// switchable returns a client of a server that works in the folder "demo", and its switches.
func switchable(t *testing.T, change func(*mcp.Options)) (*sdk.ClientSession, *switchboard) {
	t.Helper()
	var board switchboard
	e := enginetest.New(t)
	if _, err := e.StartSession(t.Context(), remember.SessionInput{ID: "s-shop", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"shop", "blog"} {
		if _, err := e.Save(t.Context(), remember.SaveInput{Title: "Retry policy of " + p, Content: "three times", Project: p}); err != nil {
			t.Fatal(err)
		}
	}
	o := mcp.Options{Engine: e, Tools: "all", Dir: filepath.Join(t.TempDir(), "demo"), Off: board.ask, Instructions: protocol()}
	change(&o)
	s, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return connectStdio(t, s, "2025-06-18"), &board
}

func TestAServerNoticesASwitchAtOnce(t *testing.T) {
	t.Parallel()
	c, board := switchable(t, func(*mcp.Options) {})
	const save = `{"title":"Chose Postgres","type":"decision","content":"because of pgvector"}`
	if res := use(t, c, "mem_save", save); res.IsError {
		t.Fatalf("while on: %s", text(res))
	}
	all, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	board.set("")
	for _, tool := range all.Tools {
		res := use(t, c, tool.Name, `{}`)
		if !res.IsError || !strings.Contains(text(res), "switched off") || !strings.Contains(text(res), "engram on") || strings.Contains(text(res), "Postgres") {
			t.Errorf("%s while off: got error %v, %s, want that it is off, and how it is switched on", tool.Name, res.IsError, text(res))
		}
		reported, err := json.Marshal(res.StructuredContent)
		if err != nil || !strings.Contains(string(reported), `"code":"forbidden"`) {
			t.Errorf("%s while off: got structured content %s, want the code forbidden", tool.Name, reported)
		}
	}
	if off, err := c.ListTools(t.Context(), nil); err != nil || len(off.Tools) != len(all.Tools) {
		t.Errorf("while off: got %d tools, error %v, want all %d", len(off.Tools), err, len(all.Tools))
	}
	board.set()
	if res := use(t, c, "mem_search", `{"query":"postgres"}`); res.IsError || !strings.Contains(text(res), "Chose Postgres") {
		t.Errorf("on again: got %s, want the memory", text(res))
	}
}

func TestAProjectThatIsOff(t *testing.T) {
	t.Parallel()
	stdio, override, remote := func(*mcp.Options) {}, func(o *mcp.Options) { o.Project = "Shop" }, func(o *mcp.Options) { o.Remote = true }
	for _, tt := range []struct {
		name       string
		server     func(*mcp.Options)
		off        string
		tool, args string
		want       bool // that it answers off
	}{
		{"the folder's project, by a call that names none", stdio, "demo", "mem_save", `{"title":"t","content":"c"}`, true},
		{"the folder's project, by a call that names another", stdio, "demo", "mem_search", `{"query":"x","project":"shop"}`, true},
		{"the folder's project, by a memory's number", stdio, "demo", "mem_get_observation", `{"id":1}`, true},
		{"a project that is named", stdio, "shop", "mem_search", `{"query":"x","project":"shop"}`, true},
		{"a project that is named otherwise", stdio, "shop", "mem_context", `{"project":" SHOP "}`, true},
		{"a project of another session", stdio, "shop", "mem_save", `{"title":"t","content":"c","session_id":"s-shop"}`, true},
		{"a project of another folder", stdio, "shop", "mem_session_start", `{"id":"n","directory":"/src/shop"}`, true},
		{"a project that nobody speaks of", stdio, "shop", "mem_search", `{"query":"x"}`, false},
		{"the project of the process", override, "shop", "mem_search", `{"query":"x"}`, true},
		{"the folder of a process that has a project", override, "demo", "mem_search", `{"query":"x"}`, false},
		{"the folder of a server for many, by a call that names none", remote, "demo", "mem_save", `{"title":"t","content":"c"}`, true},
		{"the folder of a server for many, by a call that names another", remote, "demo", "mem_save", `{"title":"t","content":"c","project":"shop"}`, false},
		{"a project that is named to a server for many", remote, "shop", "memory_store", `{"content":"c","type":"fact","project":"shop"}`, true},
		{"a memory of it, by its number", stdio, "shop", "mem_get_observation", `{"id":1}`, true},
		{"a memory of it, by its number as a word", stdio, "shop", "mem_update", `{"id":"#1","content":"other"}`, true},
		{"a memory of it, what stood around it", stdio, "shop", "mem_timeline", `{"observation_id":1}`, true},
		{"a memory of it, by one of many", stdio, "shop", "memory_delete_batch", `{"ids":["2","1"]}`, true},
		{"a memory of it, as an end of a relation", stdio, "shop", "mem_link", `{"source_id":2,"target_id":1,"relation":"related"}`, true},
		{"a memory of another project", stdio, "shop", "mem_get_observation", `{"id":2}`, false},
		{"a memory that there is not", stdio, "shop", "mem_get_observation", `{"id":99}`, false},
		{"a project that would go", stdio, "shop", "mem_merge_projects", `{"from":"other, shop","to":"demo"}`, true},
		{"a project that would get it", stdio, "shop", "mem_merge_projects", `{"from":"demo","to":"shop"}`, true},
		{"a session of it that ends", stdio, "shop", "mem_session_end", `{"id":"s-shop"}`, true},
		{"what was done in it", stdio, "shop", "mem_undo", `{"op":1}`, true},
		{"arguments of a wrong form hide no project", stdio, "shop", "mem_search", `{"query":7,"session_id":[],"project":"shop"}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, board := switchable(t, tt.server)
			board.set(tt.off)
			res := use(t, c, tt.tool, tt.args)
			if got := res.IsError && strings.Contains(text(res), "switched off for project"); got != tt.want {
				t.Errorf("%s is off, %s %s: got %q, want off %v", tt.off, tt.tool, tt.args, text(res), tt.want)
			}
			if tt.want && !strings.Contains(text(res), "engram on --project "+tt.off) {
				t.Errorf("got %q, want how %s is switched on", text(res), tt.off)
			}
		})
	}
}

// What a client reads beside the tools is memory all the same.
func TestResourcesAndPromptsAreOffToo(t *testing.T) {
	t.Parallel()
	c, board := switchable(t, func(*mcp.Options) {})
	use(t, c, "mem_save", `{"title":"Chose Postgres","type":"decision","content":"because of pgvector"}`)
	board.set("shop")
	for _, uri := range []string{"engram://projects/Shop/memories", "engram://memories/1"} {
		if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "switched off") {
			t.Errorf("%s of a project that is off: got %v, want that it is off", uri, err)
		}
	}
	for _, off := range []string{"", "demo"} {
		board.set(off)
		_, listing := c.ListResources(t.Context(), nil)
		_, reading := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "engram://memories/1"})
		_, prompting := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recall_context", Arguments: map[string]string{"topic": "postgres"}})
		for what, err := range map[string]error{"list": listing, "read": reading, "prompt": prompting} {
			if err == nil || !strings.Contains(err.Error(), "switched off") {
				t.Errorf("%q is off, %s: got %v, want that it is off", off, what, err)
			}
		}
		if list, err := c.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) == 0 {
			t.Errorf("%q is off: got %v, error %v, want the prompts there are", off, list, err)
		}
	}
}
