package mcp_test

import (
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// A prompt is kept when it is told, and a save does not bring back one that a person has deleted
// since, in whichever process.
func TestADeletedPromptStaysDeleted(t *testing.T) {
	t.Parallel()
	for name, hard := range map[string]bool{"hidden": false, "erased": true} {
		t.Run(name, func(t *testing.T) {
			e := enginetest.New(t)
			s, err := mcp.New(mcp.Options{Engine: e, Dir: filepath.Join(t.TempDir(), "shop")})
			if err != nil {
				t.Fatal(err)
			}
			c := connectStdio(t, s, "2025-06-18")
			if res := use(t, c, "mem_save_prompt", `{"content":"make the shop faster"}`); res.IsError {
				t.Fatal(text(res))
			}
			if err := e.DeletePrompt(t.Context(), 1, hard); err != nil {
				t.Fatal(err)
			}
			for _, save := range []string{`{"title":"Cache","content":"The shop caches its pages"}`, `{"title":"Index","content":"Orders have an index","capture_prompt":true}`} {
				if res := use(t, c, "mem_save", save); res.IsError {
					t.Fatal(text(res))
				}
			}
			if ps, err := e.Prompts(t.Context(), "", engram.Page{}); err != nil || len(ps) > 0 {
				t.Errorf("after two saves: %+v, %v; want no prompt", ps, err)
			}
		})
	}
}
