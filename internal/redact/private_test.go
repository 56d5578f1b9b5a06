package redact_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/redact"
	"pgregory.net/rapid"
)

func TestPrivate(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"text without a tag stays as it is, spaces and all", "  a < b && c > d \n", "  a < b && c > d \n"},
		{"nothing stays nothing", "", ""},
		{"a span gives way to the mark", "key: <private>sk-1</private>.", "key: [REDACTED]."},
		{"two spans are two", "<private>1</private> and <private>2</private>", "[REDACTED] and [REDACTED]"},
		{"case does not matter", "a <PriVate>x</PRIVATE> b", "a [REDACTED] b"},
		{"a span goes over lines", "a\n<private>x\ny\n</private>\nb", "a\n[REDACTED]\nb"},
		{"the result is trimmed once something was replaced", "  a <private>x</private>  ", "a [REDACTED]"},
		{"an empty span is a span", "a<private></private>b", "a[REDACTED]b"},
		{"attributes are tolerated", `a <private reason="key > 1">x</private> b`, "a [REDACTED] b"},
		{"a less-than sign in an attribute hides, it does not show", `a <private why="a<b">x</private> b`, "a [REDACTED] b"},
		{"white space in tags is tolerated", "a < private >x< / private > b", "a [REDACTED] b"},
		{"a line break in a tag is white space", "a <private\n>x</private\n> b", "a [REDACTED] b"},
		{"a space of no width in a tag is white space", "a <private\u200b>x</\u200bprivate> b", "a [REDACTED] b"},
		{"an unclosed tag hides the rest", "a <private>x and y", "a [REDACTED]"},
		{"a tag broken off by another hides", "a <private x <b>y</b></private> c", "a [REDACTED] c"},
		{"a tag broken off by the end hides", "a <private x and y", "a [REDACTED]"},
		{"a tag that closes itself hides the rest", "a <private/>x", "a [REDACTED]"},
		{"an inner span does not show the tail of the outer", "a <private>x<private>y</private>z</private> b", "a [REDACTED] b"},
		{"an inner span that is not closed hides the rest", "a <private>x<private>y</private>z", "a [REDACTED]"},
		{"a closing tag with attributes does not end a span", "a <private>x</private y>z", "a [REDACTED]"},
		{"a broken closing tag does not end a span", "a <private>x</private z", "a [REDACTED]"},
		{"a stray closing tag hides nothing and is dropped", "a</private> b", "a b"},
		{"a stray closing tag may follow a span", "<private>x</private></private>y", "[REDACTED]y"},
		{"no tag grows out of a dropped one", "<pri</private>vate>x</private>", "<pri[REDACTED]vate>x"},
		{"no tag grows out of a span", "<<private>x</private>private>y</private>", "<[REDACTED]private>y"},
		{"other names are no tags", "<private-key>a</private-key> <privateer> <private_x> </privates>", "<private-key>a</private-key> <privateer> <private_x> </privates>"},
		{"a path in angles is no tag", "see <private/tmp/x>", "see <private/tmp/x>"},
		{"a comparison is no tag", "if a < private && private > b", "if a < private && private > b"},
		{"a name broken off by the end is no tag", "the tag <private", "the tag <private"},
		{"text that is not UTF-8 is kept", "\xff<private>x</private>\xfe", "\xff[REDACTED]\xfe"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := redact.Private(tt.in)
			if got != tt.want {
				t.Errorf("Private(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

// Each of these once cost, or could cost, the square of its length.
func TestPrivateTakesLinearTime(t *testing.T) {
	const n = 100_000
	for _, tt := range []struct{ name, in string }{
		{"opening tags", strings.Repeat("<private>", n)},
		{"closing tags", strings.Repeat("</private>", n)},
		{"opening tags that are broken off", strings.Repeat("<private ", n)},
		{"halves of tags around closing ones", strings.Repeat("<pri</private>", n)},
		{"angles", strings.Repeat("<", 10*n)},
		{"angles and spaces", strings.Repeat("<"+strings.Repeat(" ", 100), n/10)},
		{"nested spans", strings.Repeat("<private>", n) + strings.Repeat("</private>", n)},
		{"one tag that goes on for ever", "<private" + strings.Repeat(" a", 5*n)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			done := make(chan struct{})
			go func() { redact.Private(tt.in); close(done) }()
			select {
			case <-done: // a few milliseconds; the square would be minutes
			case <-time.After(10 * time.Second):
				t.Errorf("%d bytes took more than 10 s", len(tt.in))
			}
		})
	}
}

func TestPrivateHoldsForAnyMixture(t *testing.T) {
	piece := rapid.SampledFrom([]string{"<private>", "</private>", "<private ", "< private >", "</ private>", "<pri", "vate>",
		"<", ">", "/", "private", "a", " ", "\n", "é", "[REDACTED]", "</", "<PRIVATE a=b>", "<private/>", "\u200b", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
		checkPrivate(t, s)
	})
}

// checkPrivate asserts what holds for every text.
func checkPrivate(t interface{ Errorf(string, ...any) }, s string) {
	once := redact.Private(s)
	if twice := redact.Private(once); twice != once {
		t.Errorf("Private(%q)\n once %q\ntwice %q", s, once, twice)
	}
}

func FuzzPrivate(f *testing.F) {
	f.Add("a ", "secret", " b")
	f.Add("<private>a", "b</private>c", "</private>")
	f.Add("<pri", "x", "vate>")
	f.Fuzz(func(t *testing.T, before, inside, after string) {
		const secret = "5ecret-Q7"
		if strings.Contains(before+after, secret) {
			return
		}
		checkPrivate(t, before+inside+after)
		// Whatever stands around it: the part of a span that no close can end early.
		if strings.Contains(inside, "<") {
			return
		}
		if got := redact.Private(before + "<private>" + inside + secret + "</private>" + after); strings.Contains(got, secret) {
			t.Errorf("before %q inside %q after %q: the secret is in %q", before, inside, after, got)
		}
		if got := redact.Private(before + "<private>" + inside + secret); strings.Contains(got, secret) {
			t.Errorf("before %q inside %q: the secret is in %q", before, inside, got)
		}
	})
}

func BenchmarkPrivateClean(b *testing.B) {
	s := strings.Repeat("The session cache held the pool for too long; a < b. ", 12)[:600]
	b.ReportAllocs()
	for b.Loop() {
		if redact.Private(s) != s {
			b.Fatal("changed a clean text")
		}
	}
}

func BenchmarkPrivateSpans(b *testing.B) {
	s := strings.Repeat("The key is <private>sk-123456</private> until spring. ", 12)
	b.ReportAllocs()
	for b.Loop() {
		redact.Private(s)
	}
}
