package edit_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

const table = "[mcp_servers.engram]\ncommand = \"/opt/engram\"\nargs = [\"mcp\"]\n"

func TestSetMarkdown(t *testing.T) {
	const begin = "<!-- begin engram: written by `engram setup`, and taken out by `engram setup --undo` -->"
	for _, c := range []struct{ name, src, want string }{
		{"an empty file", "", begin + "\nremember\n<!-- end engram -->\n"},
		{"after what is there", "# Mine\n", "# Mine\n\n" + begin + "\nremember\n<!-- end engram -->\n"},
		{"a file without a line end at its end", "# Mine", "# Mine\n" + begin + "\nremember\n<!-- end engram -->\n"},
		{
			"in the place of an older one", "# Mine\n\n" + begin + "\nforget\n<!-- end engram -->\nmore\n",
			"# Mine\n\n" + begin + "\nremember\n<!-- end engram -->\nmore\n",
		},
		{"lines that end as on Windows", "# Mine\r\n", "# Mine\r\n\r\n" + begin + "\r\nremember\r\n<!-- end engram -->\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.SetMarkdown([]byte(c.src), "remember\n")
			if err != nil || string(got) != c.want {
				t.Errorf("SetMarkdown(%q) = %q, %v; want %q", c.src, got, err, c.want)
			}
		})
	}
}

func TestABlockThatIsRemovedLeavesEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"", "# a = 1", "# end of it", " ", "text"})).Draw(t, "lines")
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		src := []byte(rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(t, "mark") + strings.Join(lines, nl))
		for name, set := range map[string]func([]byte) ([]byte, error){
			"markdown": func(b []byte) ([]byte, error) { return edit.SetMarkdown(b, "remember") },
			"toml":     func(b []byte) ([]byte, error) { return edit.SetTOML(b, table) },
		} {
			with, err := set(src)
			if err != nil {
				continue // the lines are no TOML
			}
			if again, err := set(with); err != nil || !bytes.Equal(again, with) {
				t.Fatalf("%s: a second time it is %q, %v; want %q", name, again, err, with)
			}
			remove := edit.RemoveMarkdown
			if name == "toml" {
				remove = edit.RemoveTOML
			}
			if bare, err := remove(with); err != nil || !bytes.Equal(bare, src) {
				t.Fatalf("%s: %q became %q, and then %q, %v", name, src, with, bare, err)
			}
		}
	})
}

func TestSetTOML(t *testing.T) {
	const block = "# begin engram: written by `engram setup`, and taken out by `engram setup --undo`\n" + table + "# end engram\n"
	for _, c := range []struct {
		name, src, want string
		code            engram.Code
	}{
		{"comments and order stay", "model = \"x\" # mine\n\n[a]\nb = 1\n", "model = \"x\" # mine\n\n[a]\nb = 1\n\n" + block, ""},
		{"the same by hand is left as it is", "[mcp_servers.engram]\nargs = [\"mcp\"]\ncommand = \"/opt/engram\"\n", "[mcp_servers.engram]\nargs = [\"mcp\"]\ncommand = \"/opt/engram\"\n", ""},
		{"another one by hand", "[mcp_servers.engram]\ncommand = \"old\"\n", "", engram.CodeConflict},
		{"another one by hand, in one line", "mcp_servers = { engram = { command = \"old\" } }\n", "", engram.CodeConflict},
		{"no TOML", "a = 1\nb = = 2\n", "", engram.CodeInvalid},
		{"a block without an end", "# begin engram: written by `engram setup`, and taken out by `engram setup --undo`\n", "", engram.CodeInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.SetTOML([]byte(c.src), table)
			if string(got) != c.want || engram.CodeOf(err) != c.code && err != nil || (err == nil) != (c.code == "") {
				t.Errorf("SetTOML(%q) = %q, %v; want %q, %s", c.src, got, err, c.want, c.code)
			}
		})
	}
}

func FuzzBlock(f *testing.F) {
	f.Add("a = 1\n")
	f.Add("# begin engram: written by `engram setup`, and taken out by `engram setup --undo`\n# end engram")
	f.Fuzz(func(t *testing.T, src string) {
		with, err := edit.SetTOML([]byte(src), table)
		if err != nil {
			return
		}
		if again, err := edit.SetTOML(with, table); err != nil || !bytes.Equal(again, with) {
			t.Errorf("%q with the table is %q, and with it once more %q, %v", src, with, again, err)
		}
	})
}
