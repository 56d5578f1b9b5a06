package markdown

import (
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestANoteThatIsCutOffDoesNotComeIn(t *testing.T) {
	const written = "\n## Relations\n\n- session [[s1|s1]]\n"
	front := "---\nid: mem_01m806jkpqhmcmj478e3cqpkg0\ntitle: Tokens\n"
	for _, tt := range []struct {
		name, text string
		line       int
		code       engram.Code
	}{
		{"within its text", front + "---\n\nAccess tokens\nare JW", 7, engram.CodeConflict},
		{"within its relations", front + "---\n\nAccess tokens\n\n## Relations\n\n- session [[s", 8, engram.CodeConflict},
		{"behind a heading of its own", front + "---\n\nTokens\n\n## Relations\n\nof tok", 8, engram.CodeConflict},
		{"within its front matter", front + "topic: a/", 1, engram.CodeInvalid},
		{"with the ends of lines of Windows", "---\r\ntitle: Tok", 1, engram.CodeInvalid},
	} {
		r, bad := readNote([]byte(tt.text))
		if bad == nil {
			bad = r.end(digest([]byte(written)))
		}
		if bad == nil || bad.line != tt.line || bad.err.Code != tt.code {
			t.Errorf("%s: %q: got %+v, want %s in line %d", tt.name, tt.text, bad, tt.code, tt.line)
		}
	}
}

func TestALineAcrossThePageIsNoFrontMatter(t *testing.T) {
	for _, text := range []string{"---\n\nNote: this", "---\nand so: on", "---\nhttp://a.example", "---\n"} {
		if r, bad := readNote([]byte(text)); bad != nil || r.id != "" {
			t.Errorf("%q: got %+v, want a note without front matter", text, bad)
		}
	}
}
