package backfill_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/backfill"
	"github.com/alanbuscaglia/engram/internal/capture"
)

// Whatever stands in a transcript, reading it ends, and gives no error: it is noted.
func FuzzTranscript(f *testing.F) {
	seeds := []string{
		`{"type":"user","message":{"role":"user","content":"Always run gofmt before you commit."},"cwd":"/a","timestamp":"2026-05-04T10:00:00Z"}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"go test"}},{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"text":"x"}]}]}}`,
		`{"timestamp":"2026-05-04T10:00:00Z","type":"session_meta","payload":{"id":"x","cwd":"/a","source":{"subagent":1}}}`,
		`{"type":"response_item","payload":{"type":"function_call","call_id":"c","arguments":"{\"command\":[\"bash\",\"-lc\",\"x\"]}"}}` + "\n" + `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":{"a":1}}}`,
		"{\n\x00\xff\n[1,2]\nnull\n7\n\"message\"",
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "rollout-1.jsonl")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, s := range []backfill.Source{backfill.ClaudeCode, backfill.Codex} {
			r, err := backfill.Run(context.Background(), s, backfill.Options{Path: path,
				Wants: func(backfill.Session) (bool, error) { return true, nil },
				Found: func(_ backfill.Session, all []capture.Proposal) (bool, error) {
					if len(all) == 0 {
						t.Errorf("%s: told of nothing that was found in %q", s, text)
					}
					return true, nil
				}})
			if err != nil || len(r.Notes) > 2 {
				t.Errorf("%s: %q gave %v, %+v", s, text, err, r.Notes)
			}
		}
	})
}

func FuzzOpenCodePart(f *testing.F) {
	f.Add(`{"role":"user"}`, `{"type":"text","text":"Always run gofmt before you commit."}`)
	f.Add(`{"role":"assistant","summary":true}`, `{"type":"tool","tool":"bash","state":{"status":"completed","input":{"command":7},"metadata":{"exit":1}}}`)
	f.Add(`{"role":7}`, `{"type":"tool","state":[]}`)
	dir := f.TempDir()
	for name, text := range map[string]string{"session/p/s.json": `{"id":"s","directory":"/a","time":{"updated":1}}`, "message/s/m.json": "", "part/m/p.json": ""} {
		write(f, filepath.Join(dir, "storage", name), text)
	}
	f.Fuzz(func(t *testing.T, message, part string) {
		write(t, filepath.Join(dir, "storage", "message/s/m.json"), message)
		write(t, filepath.Join(dir, "storage", "part/m/p.json"), part)
		r, err := backfill.Run(context.Background(), backfill.OpenCode, backfill.Options{Path: dir,
			Wants: func(backfill.Session) (bool, error) { return true, nil },
			Found: func(backfill.Session, []capture.Proposal) (bool, error) { return true, nil }})
		if err != nil || r.Transcripts != 1 {
			t.Errorf("%q with %q gave %v, %+v", message, part, err, r)
		}
	})
}
