package edit_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

type server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func ours() server { return server{"/opt/engram", []string{"mcp"}} }

const rendered = `{
      "command": "/opt/engram",
      "args": [
        "mcp"
      ]
    }`

func TestSetJSON(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"an empty file becomes an object", "", "{\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }\n}\n"},
		{"a comment may end with the file", "{\"a\":1} // mine", "{\"a\":1, \"mcpServers\": {\"engram\":{\"command\":\"/opt/engram\",\"args\":[\"mcp\"]}}} // mine"},
		{"an object on one line stays on it", `{"a":1}`, `{"a":1, "mcpServers": {"engram":{"command":"/opt/engram","args":["mcp"]}}}`},
		{
			"comments and the order stay",
			"{\n  // first\n  \"a\": 1, /* one */\n  \"b\": 2 // two\n}\n",
			"{\n  // first\n  \"a\": 1, /* one */\n  \"b\": 2, // two\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }\n}\n",
		},
		{
			"a trailing comma stays one",
			"{\n  \"a\": 1,\n}\n",
			"{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  },\n}\n",
		},
		{
			"what is there already goes on in its own place",
			"{\n  \"mcpServers\": {\n    \"other\": {}\n  },\n  \"z\": 0\n}",
			"{\n  \"mcpServers\": {\n    \"other\": {},\n    \"engram\": " + rendered + "\n  },\n  \"z\": 0\n}",
		},
		{
			"an old entry is replaced",
			"{\n  \"mcpServers\": {\n    \"engram\": {\"command\": \"old\"}, // mine\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"engram\": " + rendered + ", // mine\n  }\n}",
		},
		{
			"an empty object is opened",
			"{\n  \"mcpServers\": {}\n}\n",
			"{\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }\n}\n",
		},
		{
			"a comment in an empty object stays",
			"{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    // none yet\n    \"engram\": " + rendered + "\n  }\n}\n",
		},
		{
			"tabs, CRLF and a byte order mark stay",
			"\uFEFF{\r\n\t\"a\": 1\r\n}\r\n",
			"\uFEFF{\r\n\t\"a\": 1,\r\n\t\"mcpServers\": {\r\n\t\t\"engram\": {\r\n\t\t\t\"command\": \"/opt/engram\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"mcp\"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := []string{"mcpServers", "engram"}
			got, err := edit.SetJSON([]byte(c.src), path, ours())
			if err != nil || string(got) != c.want {
				t.Fatalf("SetJSON(%q) =\n%s\n%v; want\n%s", c.src, got, err, c.want)
			}
			if again, err := edit.SetJSON(got, path, ours()); err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second time it is\n%s\n%v; want no change", again, err)
			}
		})
	}
}

func TestRemoveJSON(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"the only one", `{"engram": 1}`, `{}`},
		{"the first", "{\n  \"engram\": 1, // ours\n  \"b\": 2\n}", "{\n  // ours\n  \"b\": 2\n}"},
		{"one in the middle", "{\n  \"a\": 1,\n  \"engram\": {\n    \"x\": 1\n  },\n  \"b\": 2\n}", "{\n  \"a\": 1,\n  \"b\": 2\n}"},
		{"the last takes the comma before it along", "{\n  \"a\": 1, // one\n  \"engram\": 1\n}", "{\n  \"a\": 1 // one\n}"},
		{"the last with a trailing comma", "{\n  \"a\": 1,\n  \"engram\": 1,\n}", "{\n  \"a\": 1,\n}"},
		{"on one line", `{"a":1, "engram":{}, "b":2}`, `{"a":1, "b":2}`},
		{"last on one line", `{"a":1, "engram":{}}`, `{"a":1}`},
		{"what is not there", `{"a":1}`, `{"a":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.RemoveJSON([]byte(c.src), []string{"engram"})
			if err != nil || string(got) != c.want {
				t.Errorf("RemoveJSON(%q) = %q, %v; want %q", c.src, got, err, c.want)
			}
		})
	}
}

func isOurs(element []byte) bool { return bytes.Contains(element, []byte("engram hook")) }

func TestElementsOfAList(t *testing.T) {
	hook := map[string]any{"command": "engram hook gemini stop"}
	for _, c := range []struct{ name, src, with string }{
		{"a list that is missing", "{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"command\": \"engram hook gemini stop\"\n      }\n    ]\n  }\n}"},
		{"after what is there", `{"hooks": {"Stop": [{"command": "beep"}]}}`, `{"hooks": {"Stop": [{"command": "beep"}, {"command":"engram hook gemini stop"}]}}`},
		{"in the place of the old one", `{"hooks": {"Stop": [{"command":"engram hook x"}, 1]}}`, `{"hooks": {"Stop": [{"command":"engram hook gemini stop"}, 1]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := []string{"hooks", "Stop"}
			got, err := edit.Elements{Path: path, Ours: isOurs}.Add([]byte(c.src), hook, nil)
			if err != nil || string(got) != c.with {
				t.Fatalf("Add(%s) =\n%s\n%v; want\n%s", c.src, got, err, c.with)
			}
			got, err = edit.Elements{Path: path, Ours: isOurs}.Drop(got)
			if err != nil || bytes.Contains(got, []byte("engram")) {
				t.Errorf("Drop gives\n%s\n%v; want nothing of ours", got, err)
			}
		})
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no JSON", "{\n  \"a\": nope\n}", "line 2"},
		{"cut off", "{\n \"a\": 1", "line"},
		{"a list", "[]", "not a JSON object"},
		{"a string where an object is wanted", "{\n\n\"mcpServers\": \"none\"}", "line 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.SetJSON([]byte(c.src), []string{"mcpServers", "engram"}, ours())
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), c.want) || got != nil {
				t.Errorf("SetJSON(%q) = %q, %v; want CodeInvalid with %q", c.src, got, err, c.want)
			}
		})
	}
}

// files are objects of JSON in all the shapes that people give them.
func files() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		unit := rapid.SampledFrom([]string{"  ", "    ", "\t"}).Draw(t, "unit")
		pretty := rapid.Bool().Draw(t, "pretty")
		var b strings.Builder
		var write func(depth int)
		write = func(depth int) {
			n := rapid.IntRange(0, 3).Draw(t, "members")
			trailing := rapid.Bool().Draw(t, "trailing")
			b.WriteByte('{')
			for i := range n {
				if pretty {
					b.WriteString(nl + strings.Repeat(unit, depth+1))
					if rapid.IntRange(0, 4).Draw(t, "comment") == 0 {
						b.WriteString("// said by hand" + nl + strings.Repeat(unit, depth+1))
					}
				}
				b.WriteString(`"` + string(rune('a'+i)) + `": `)
				if depth < 3 && rapid.Bool().Draw(t, "deeper") {
					write(depth + 1)
				} else {
					b.WriteString(rapid.SampledFrom([]string{"1", `"x"`, "[1, 2]", "null"}).Draw(t, "value"))
				}
				if i < n-1 || trailing {
					b.WriteByte(',')
				}
			}
			if pretty && n > 0 {
				b.WriteString(nl + strings.Repeat(unit, depth))
			}
			b.WriteByte('}')
		}
		write(0)
		return b.String() + rapid.SampledFrom([]string{"", nl}).Draw(t, "end")
	})
}

func TestASetThatIsRemovedLeavesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(files().Draw(t, "file"))
		path := rapid.SampledFrom([][]string{{"engram"}, {"a", "engram"}, {"b", "a", "engram"}, {"hooks", "engram"}}).Draw(t, "path")
		with, err := edit.SetJSON(src, path, ours())
		if engram.CodeOf(err) == engram.CodeInvalid && err != nil {
			return // the path leads through something else than an object
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, err := edit.SetJSON(with, path, ours()); err != nil || !bytes.Equal(again, with) {
			t.Fatalf("%s\ntwice is\n%s\n%v", with, again, err)
		}
		bare, err := edit.RemoveJSON(with, path)
		if err != nil {
			t.Fatalf("remove from\n%s\n%v", with, err)
		}
		var there bool
		if there, err = edit.ReadJSON(bare, path, new(any)); err != nil || there {
			t.Fatalf("removed from\n%s\nit is there still in\n%s\n%v", with, bare, err)
		}
	})
}

func TestAMergeTwiceIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(files().Draw(t, "file"))
		path := rapid.SampledFrom([][]string{{"a"}, {"b", "a"}, {"hooks"}}).Draw(t, "path")
		with, err := edit.MergeJSON(src, path, ours(), []string{"args"})
		if err != nil {
			return // the file says something twice
		}
		if again, err := edit.MergeJSON(with, path, ours(), []string{"args"}); err != nil || !bytes.Equal(again, with) {
			t.Fatalf("%s\ntwice is\n%s\n%v", with, again, err)
		}
		var is server
		if there, err := edit.ReadJSON(with, path, &is); there && (err != nil || is.Command != ours().Command) {
			t.Fatalf("%s\nbecomes\n%s\n%v", src, with, err)
		}
	})
}

// An entry that came and went leaves every byte as it was, null and the lines of what is empty too.
func TestAnEntryThatCameAndWentLeavesEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(files().Draw(t, "file"))
		path := rapid.SampledFrom([][]string{{"engram"}, {"a", "engram"}, {"b", "a", "engram"}, {"hooks", "engram"}}).Draw(t, "path")
		with, err := edit.SetJSON(src, path, ours())
		if err != nil {
			return // the path leads through something else than an object
		}
		bare, err := edit.RestoreJSON(with, src, path)
		if err == nil {
			bare, err = edit.PruneJSON(bare, src, path)
		}
		if err != nil || !bytes.Equal(bare, src) {
			t.Fatalf("%q\nbecomes\n%q\nand then\n%q\n%v", src, with, bare, err)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", "{\"a\":1,}", "{ // x\n}", "{} // x", "// x", `{"hooks": null}`, "{\"hooks\":{\"a\":[1,]}}", "\uFEFF{}", "{\"a\":1,\"a\":2}", "{/**/\"hooks\"/**/:/**/{}/**/,}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for name, out := range map[string]func() ([]byte, error){
			"set": func() ([]byte, error) { return edit.SetJSON([]byte(src), []string{"hooks", "engram"}, ours()) },
			"add": func() ([]byte, error) {
				return edit.Elements{Path: []string{"hooks", "a"}, Ours: isOurs}.Add([]byte(src), "engram hook", nil)
			},
			"merge":  func() ([]byte, error) { return edit.MergeJSON([]byte(src), []string{"hooks"}, ours(), nil) },
			"remove": func() ([]byte, error) { return edit.RemoveJSON([]byte(src), []string{"hooks"}) },
			"prune": func() ([]byte, error) {
				return edit.PruneJSON([]byte(src), []byte(`{"hooks": { }}`), []string{"hooks", "a"})
			},
		} {
			got, err := out()
			if err != nil {
				continue
			}
			if string(got) == src {
				continue // there may be nothing but comments in it, which is no JSON
			}
			// The line end is for hujson: a comment may end with the file.
			standard, err := hujson.Standardize(append(bytes.TrimPrefix(bytes.Clone(got), []byte("\uFEFF")), '\n'))
			if err != nil || !json.Valid(standard) {
				t.Errorf("%s on %q gives %q, which is no JSON: %v", name, src, got, err)
			}
		}
	})
}

func TestPruneJSON(t *testing.T) {
	for _, c := range []struct{ name, src, was, want string }{
		{"what was made goes", `{"a":1, "hooks": {"Stop": []}}`, `{"a":1}`, `{"a":1}`},
		{"what was there stays", `{"hooks": {"Stop": []}}`, `{"hooks": {}}`, `{"hooks": {}}`},
		{"nothing was in the file", `{"hooks": {"Stop": []}}`, ``, ``},
		{"another entry stays, and what it stands in", `{"hooks": {"Stop": [1]}}`, ``, `{"hooks": {"Stop": [1]}}`},
		{"a comment stays", "{\"hooks\": {\n// mine\n}}", ``, "{\"hooks\": {\n// mine\n}}"},
		{"what was there cannot be understood", `{"hooks": {}}`, `{`, `{}`},
		{"what was empty is written as it was", "{\r\n}\r\n", "\uFEFF{}", "{}\r\n"},
		{"within others, too", "{\"a\": 2, \"hooks\": {\n  \"Stop\": [\n  ]\n}}", `{"hooks": { "Stop": [ ] }}`, `{"a": 2, "hooks": {
  "Stop": [ ]
}}`},
		{"a comment that came since stays", "{\n// mine\n}", `{}`, "{\n// mine\n}"},
		{"a comment that was there is no reason", "{}", "{ // mine\n}", "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.PruneJSON([]byte(c.src), []byte(c.was), []string{"hooks", "Stop"})
			if err != nil || string(got) != c.want {
				t.Errorf("PruneJSON(%q, %q) = %q, %v; want %q", c.src, c.was, got, err, c.want)
			}
		})
	}
}

func TestBlankJSON(t *testing.T) {
	for src, want := range map[string]bool{"": true, "\uFEFF{\n}\n": true, "{}": true, "{ // x\n}": false, `{"a":1}`: false, "[]": false} {
		if got := edit.BlankJSON([]byte(src)); got != want {
			t.Errorf("BlankJSON(%q) = %v, want %v", src, got, want)
		}
	}
}

func TestMergeJSON(t *testing.T) {
	value := map[string]any{"command": "engram", "args": []string{"mcp"}, "timeout": 10}
	for _, c := range []struct{ name, src, want string }{
		{
			"what others put beside it stays", "{\n  \"s\": {\n    \"off\": true, // mine\n    \"command\": \"old\"\n  }\n}\n",
			"{\n  \"s\": {\n    \"off\": true, // mine\n    \"command\": \"engram\",\n    \"args\": [\n      \"mcp\"\n    ]\n  }\n}\n",
		},
		{"what only a new one gets stays as it is", `{"s": {"timeout": 60, "command": "engram", "args": ["mcp"]}}`, ``},
		{"what only a new one gets is not put in", `{"s": {"command": "engram", "args": ["mcp"]}}`, ``},
		{"what is no object is replaced", `{"s": 1}`, `{"s": {"args":["mcp"],"command":"engram","timeout":10}}`},
		{"what is not there is not made", `{"a": 1}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.src
			}
			got, err := edit.MergeJSON([]byte(c.src), []string{"s"}, value, []string{"timeout"})
			if err != nil || string(got) != c.want {
				t.Errorf("MergeJSON(%s) =\n%s\n%v; want\n%s", c.src, got, err, c.want)
			}
		})
	}
}
