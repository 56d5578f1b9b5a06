package render_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/render"
)

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"clean text stays", "a\tb\nc é 修复 ✓", "a\tb\nc é 修复 ✓"},
		{"an escape sequence", "\x1b[2Jx", `\x1b[2Jx`},
		{"a bell, a backspace, a NUL, a delete", "\a\b\x00\x7f", `\x07\x08\x00\x7f`},
		{"an escape of eight bits", "\u009b2J", `\u009b2J`},
		{"a return goes back over the line", "safe\rhacked", `safe\x0dhacked`},
		{"a line break of Windows is one", "a\r\nb", "a\nb"},
		{"two returns before a break", "a\r\r\nb", "a\\x0d\nb"},
		{"turned directions", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"marks of no width", "a\u200bb\ufeffc\u00add", `a\u200bb\ufeffc\u00add`},
		{"breaks of line that are none", "a\u2028b", `a\u2028b`},
		{"text written in tags", "a\U000e0041b", `a\U000e0041b`},
		{"bytes that are not UTF-8", "a\x9b2J\xff", `a\x9b2J\xff`},
		{"the replacement character is a character", "a\ufffdb", "a\ufffdb"},
		{"a joiner in an emoji stays", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
		{"a joiner after a variant of an emoji stays", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		{"a joiner in Persian stays", "می\u200cخواهم", "می\u200cخواهم"},
		{"a joiner between Latin letters hides something", "a\u200db", `a\u200db`},
		{"a joiner at the end", "é\u200d", `é\u200d`},
		{"two joiners in a row", "é\u200d\u200dé", `é\u200d\u200dé`},
		{"the variant of a Han character stays", "葛\U000e0100城", "葛\U000e0100城"},
		{"a variant of anything else", "a\U000e0100", `a\U000e0100`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := render.Plain(tt.in); got != tt.want {
				t.Errorf("Plain(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff\u200d")
	f.Add("é\u200dé葛\U000e0100\u200d葛\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := render.Plain(s)
		if again := render.Plain(got); again != got {
			t.Errorf("Plain(%q) = %q, and of that %q", s, got, again)
		}
		if !utf8.ValidString(got) {
			t.Errorf("Plain(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("Plain(%q) = %q still has %U", s, got, r)
			}
		}
	})
}

func BenchmarkPlainClean(b *testing.B) {
	s := strings.Repeat("The session cache held the pool for too long — über. ", 12)
	b.ReportAllocs()
	for b.Loop() {
		if render.Plain(s) != s {
			b.Fatal("changed a clean text")
		}
	}
}

// The JSON of any text prints nothing that acts on a terminal, and decodes to the same text.
func TestJSONIsSafeToPrintAndSaysTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.SampledFrom([]string{"\u009b2J", "\u202e", "\u200d", "\U000e0041", "\x7f", "\u2028", "a\nb", "👩\u200d🚀"}), rapid.String())
		text := strings.Join(rapid.SliceOf(part).Draw(t, "text"), "")
		line, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		safe := render.JSON(line)
		for _, r := range string(safe) {
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r) && render.Plain(string(r)) != string(r) {
				t.Errorf("JSON(%s) = %s, which has %U in it", line, safe, r)
			}
		}
		var got, want string
		if err := json.Unmarshal(safe, &got); err != nil {
			t.Fatalf("JSON(%s) = %s: %v", line, safe, err)
		}
		if err := json.Unmarshal(line, &want); err != nil || got != want {
			t.Errorf("JSON(%s) = %s, which says %q, want %q (%v)", line, safe, got, want, err)
		}
	})
}
