package edit_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// Agents take a file of comments alone, and a null, for nothing.
func TestWhatSaysNothingIsEmpty(t *testing.T) {
	const entry = `{"engram":{"command":"/opt/engram","args":["mcp"]}}`
	const lines = "{\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }\n}\n"
	for _, c := range []struct{ name, src, want string }{
		{"comments alone", "// none yet\n/* none */\n", "// none yet\n/* none */\n" + lines},
		{"a comment without a line end", "// none yet", "// none yet\n" + lines},
		{"a comment and a byte order mark", "\uFEFF// none yet\n", "\uFEFF// none yet\n" + lines},
		{"null for the servers", `{"mcpServers": null, "a": 1}`, `{"mcpServers": ` + entry + `, "a": 1}`},
		{"null for the entry", `{"mcpServers": {"engram": null}}`, `{"mcpServers": ` + `{"engram": {"command":"/opt/engram","args":["mcp"]}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.SetJSON([]byte(c.src), []string{"mcpServers", "engram"}, ours())
			if err != nil || string(got) != c.want {
				t.Errorf("SetJSON(%q) =\n%s\n%v; want\n%s", c.src, got, err, c.want)
			}
			for _, nothing := range []func([]byte) ([]byte, error){
				func(src []byte) ([]byte, error) { return edit.RemoveJSON(src, []string{"mcpServers", "x"}) },
				func(src []byte) ([]byte, error) {
					return edit.Elements{Path: []string{"mcpServers", "x"}, Ours: isOurs}.Drop(src)
				},
			} {
				if got, err := nothing([]byte(c.src)); err != nil || string(got) != c.src {
					t.Errorf("what is not there, taken out of %q: %q, %v; want no change", c.src, got, err)
				}
			}
		})
	}
	for src, want := range map[string]string{
		`{"hooks": null}`:           `{"hooks": {"Stop":["engram hook"]}}`,
		`{"hooks": {"Stop": null}}`: `{"hooks": {"Stop": ["engram hook"]}}`,
		"// mine\n":                 "// mine\n{\n  \"hooks\": {\n    \"Stop\": [\n      \"engram hook\"\n    ]\n  }\n}\n",
	} {
		if got, err := (edit.Elements{Path: []string{"hooks", "Stop"}, Ours: isOurs}).Add([]byte(src), "engram hook", nil); err != nil || string(got) != want {
			t.Errorf("Add(%q) = %q, %v; want %q", src, got, err, want)
		}
	}
}

// What one reader sees as ours, and another as somebody else's, is not touched: the last of two
// names counts, and only to look at the text would take the other one along.
func TestAFileThatSaysSomethingTwiceIsNotChanged(t *testing.T) {
	const twice = `{"hooks": {"Stop": [{"command": "engram hook x", "command": "beep"}]}}`
	at := []string{"hooks", "Stop"}
	for name, change := range map[string]func() ([]byte, error){
		"Elements.Add": func() ([]byte, error) {
			return edit.Elements{Path: at, Ours: isOurs}.Add([]byte(twice), "engram hook y", nil)
		},
		"Elements.Drop": func() ([]byte, error) { return edit.Elements{Path: at, Ours: isOurs}.Drop([]byte(twice)) },
	} {
		if got, err := change(); got != nil || engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s(%s) = %s, %v; want CodeInvalid", name, twice, got, err)
		}
	}
}

func TestRestoreJSON(t *testing.T) {
	with := func(rest string) string {
		return "{\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }" + rest + "\n}\n"
	}
	for _, c := range []struct{ name, src, before, want string }{
		{
			"as it was written", with(",\n  \"a\": 1"), "{\"mcpServers\": {\"engram\": {\"url\": \"http://x\" /* mine */}}}",
			"{\n  \"mcpServers\": {\n    \"engram\": {\"url\": \"http://x\" /* mine */}\n  },\n  \"a\": 1\n}\n",
		},
		{
			"with the line ends of today", with(""), "{\"mcpServers\": {\r\n\"engram\": {\r\n}}}",
			"{\n  \"mcpServers\": {\n    \"engram\": {\n}\n  }\n}\n",
		},
		{"there was none", with(""), `{"mcpServers": {}}`, "{\n  \"mcpServers\": {\n  }\n}\n"},
		{"there was no file", with(""), "", "{\n  \"mcpServers\": {\n  }\n}\n"},
		{"what was there cannot be understood", with(""), `{"mcpServers": {"engram": `, "{\n  \"mcpServers\": {\n  }\n}\n"},
		{"ours is gone, and the other is not missed", `{"a":1}`, `{"mcpServers": {"engram": 1}}`, `{"a":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.RestoreJSON([]byte(c.src), []byte(c.before), []string{"mcpServers", "engram"})
			if err != nil || string(got) != c.want {
				t.Errorf("RestoreJSON(%q, %q) =\n%s\n%v; want\n%s", c.src, c.before, got, err, c.want)
			}
		})
	}
}
