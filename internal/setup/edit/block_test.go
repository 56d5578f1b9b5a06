package edit_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

func TestSetMarkdown(t *testing.T) {
	const begin = "<!-- begin engram: written by `engram setup`, and taken out by `engram setup --undo` -->"
	for _, c := range []struct{ name, src, want string }{
		{"an empty file", "", begin + "\nremember\n<!-- end engram -->\n"},
		{"after what is there", "# Mine\n", "# Mine\n\n" + begin + "\nremember\n<!-- end engram -->\n"},
		{"a file without a line end at its end", "# Mine", "# Mine\n" + begin + "\nremember\n<!-- end engram -->"},
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
			"toml":     func(b []byte) ([]byte, error) { return setTOML(b) },
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
				remove = removeTOML
			}
			if bare, err := remove(with); err != nil || !bytes.Equal(bare, src) {
				t.Fatalf("%s: %q became %q, and then %q, %v", name, src, with, bare, err)
			}
		}
	})
}

func TestRemoveMarkdownKeepsLinesApart(t *testing.T) {
	block, err := edit.SetMarkdown(nil, "remember")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, above, below, want string }{
		{"lines right above and below", "# My rules\n", "- be brief\n", "# My rules\n- be brief\n"},
		{"a line right above", "# My rules\n", "", "# My rules\n"},
		{"a line right below that does not end", "", "- be brief", "- be brief"},
		{"an empty line above, and a line below", "one\n\n", "two\n", "one\n\ntwo\n"},
		{"empty lines above and below", "one\n\n", "\ntwo\n", "one\n\ntwo\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.RemoveMarkdown([]byte(c.above + string(block) + c.below))
			if err != nil || string(got) != c.want {
				t.Errorf("between %q and %q it is taken out to %q, %v; want %q", c.above, c.below, got, err, c.want)
			}
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# Mine\n")
	f.Add("<!-- begin engram: written by `engram setup`, and taken out by `engram setup --undo` -->\n<!-- end engram -->")
	f.Fuzz(func(t *testing.T, src string) {
		with, err := edit.SetMarkdown([]byte(src), "remember")
		if err != nil {
			return
		}
		if again, err := edit.SetMarkdown(with, "remember"); err != nil || !bytes.Equal(again, with) {
			t.Errorf("%q with the text is %q, and with it once more %q, %v", src, with, again, err)
		}
		bare, err := edit.RemoveMarkdown(with)
		if was, same := edit.RemoveMarkdown([]byte(src)); same == nil && string(was) == src && string(bare) != src {
			t.Errorf("%q with the text is %q, and without it %q, %v", src, with, bare, err)
		}
	})
}
