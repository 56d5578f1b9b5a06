package backfill_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/backfill"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// A key that stands where a long output was cut was kept in part: of half a key no rule knows what it is.
func TestKeysInTheMiddleOfLongOutputsAreCutOut(t *testing.T) {
	t.Parallel()
	var key strings.Builder
	key.WriteString("-----BEGIN RSA PRIVATE KEY-----\n")
	for i := range 80 {
		fmt.Fprintf(&key, "MIIEowIBAAKCAQEAq9%sKEYLINE\n", strings.Repeat(string(rune('a'+i%26)), 40))
	}
	key.WriteString("-----END RSA PRIVATE KEY-----\n")
	plain := strings.Repeat("ok  pkg/one 0.01s\n", 2000)
	output := "Exit code 1\n" + plain + key.String() + plain[:1200]
	scanner := secret.New()
	clean := func(s string) string {
		s, _ = scanner.Clean(redact.Private(s))
		return s
	}
	for _, tt := range []struct {
		name    string
		content any
	}{
		{"a text", output},
		{"blocks", []row{{"type": "text", "text": output[:20_000]}, {"type": "text", "text": output[20_000:37_000]}, {"type": "text", "text": output[37_000:]}}},
	} {
		path := filepath.Join(t.TempDir(), "projects", "-home-ann-shop", "c1.jsonl")
		jsonl(t, path, bash("t1", "make deploy"), result("t1", true, tt.content),
			claudeLine("assistant", []row{{"type": "tool_use", "id": "t2", "name": "Edit", "input": row{"file_path": folder + "/deploy.sh"}}}, nil), result("t2", false, "ok"),
			bash("t3", "make deploy"), result("t3", false, "ok"), claudeLine("assistant", []row{{"type": "text", "text": cause}}, nil))
		got, _ := read(t, backfill.ClaudeCode, backfill.Options{Path: path, Clean: clean})
		if len(got["c1"]) != 1 || strings.Contains(got["c1"][0], "KEYLINE") {
			t.Errorf("%s: got %q, want one fix without the key", tt.name, got)
		}
	}
}
