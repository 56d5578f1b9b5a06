package edit_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// takenOut is a file out of which an entry is taken by what the file was, not by its copy: as after
// a change by hand.
func takenOut(src, was []byte, path []string) ([]byte, error) {
	src, err := edit.RestoreJSON(src, was, path)
	if err != nil {
		return nil, err
	}
	return edit.PruneJSON(src, was, path)
}

// Files that hold little, or whose line ends are mixed, are what they were without a look at a copy.
func TestOddFilesAreWhatTheyWere(t *testing.T) {
	path := []string{"mcpServers", "engram"}
	check := func(t testing.TB, was string) {
		t.Helper()
		with, err := edit.SetJSON([]byte(was), path, ours())
		if err != nil {
			t.Fatalf("%q: %v", was, err)
		}
		if got, err := takenOut(with, []byte(was), path); err != nil || string(got) != was {
			t.Errorf("%q is then %q, %v", was, got, err)
		}
	}
	for _, was := range []string{
		"", "\n", "  \n", "\r\n", "\uFEFF", "\uFEFF\n", "// mine\n", "// mine", "/* mine */", "\r\n// mine\r\n", "\uFEFF// mine\n",
		"{}", "{ }\n", "{\n}\n", "{\n\n}", "{ // mine\n}\n", "{\n  // mine\n}\n", "{/* mine */}", "{/* mine */\n}",
		"{\"mcpServers\": {/* mine */}}", "{\n  \"mcpServers\": {\n    // none\n  }\n}\n",
		"{\r\n\"a\": 1,\n\"b\": 2\r\n}\n", "{\n\"a\": 1,\r\n\"b\": 2\r\n}\r\n", "// mine\r\n{\n}", "{\n\"a\": 1,\r\n\"mcpServers\": {\r\n\"b\": 2\r\n}\n}\n",
	} {
		check(t, was)
	}
	rapid.Check(t, func(rt *rapid.T) {
		space := rapid.SampledFrom([]string{"", "\n", "\r\n", " ", "\n\n", "\n\t", "\r\n  ", "\n// mine\n", "/* mine */", "\r\n// mine\r\n"})
		closing := rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", "\r\n\t", "\n// mine\n"}) // a brace on the line of an entry gets its own
		member := func(name, value string) string {
			return space.Draw(rt, "before") + `"` + name + `": ` + value + space.Draw(rt, "after")
		}
		all := []string{member("a", "1"), member("b", "[]"), member("mcpServers", "{"+member("other", "{}")+closing.Draw(rt, "closing")+"}")}
		was := space.Draw(rt, "above") + "{" + strings.Join(all[:rapid.IntRange(1, 3).Draw(rt, "members")], ",") + closing.Draw(rt, "closing") + "}" + space.Draw(rt, "below")
		with, err := edit.SetJSON([]byte(was), path, ours())
		if err != nil {
			rt.Fatalf("%q: %v", was, err)
		}
		if got, err := takenOut(with, []byte(was), path); err != nil || string(got) != was {
			rt.Errorf("%q\nis then\n%q, %v; in between it was\n%q", was, got, err, with)
		}
	})
}

// What somebody else put into such a file since stays, and with it the braces it stands in.
func TestWhatCameIntoAnOddFileStays(t *testing.T) {
	path := []string{"mcpServers", "engram"}
	for _, c := range []struct{ was, src, want string }{
		{"", "{\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  },\n  \"a\": 1\n}\n", "{\n  \"a\": 1\n}\n"},
		{"", "// new\n{\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }\n}\n", "// new\n{\n}\n"},
		{"// mine\n", "// mine\n// new\n{\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }\n}\n", "// mine\n// new\n{}\n"},
		{"// mine\n", "// mine\n{\n  // new\n  \"mcpServers\": {\n    \"engram\": " + rendered + "\n  }\n}\n", "// mine\n{\n  // new\n}\n"},
	} {
		if got, err := takenOut([]byte(c.src), []byte(c.was), path); err != nil || string(got) != c.want {
			t.Errorf("%q out of\n%s\nis %q, %v; want %q", c.was, c.src, got, err, c.want)
		}
	}
}
