package engram_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestParsePlace(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want engram.Place
		code engram.Code
	}{
		{"a/b.go", engram.Place{Path: "a/b.go"}, ""},
		{" a/b.go:12 ", engram.Place{Path: "a/b.go", First: 12, Last: 12}, ""},
		{"a/b.go:3-9", engram.Place{Path: "a/b.go", First: 3, Last: 9}, ""},
		{"a/b.go:L3-L9", engram.Place{Path: "a/b.go", First: 3, Last: 9}, ""},
		{"a b.go:L3", engram.Place{Path: "a b.go", First: 3, Last: 3}, ""},
		{`C:\src\b.go`, engram.Place{Path: `C:\src\b.go`}, ""},
		{`C:\src\b.go:7`, engram.Place{Path: `C:\src\b.go`, First: 7, Last: 7}, ""},
		{"a:b", engram.Place{Path: "a:b"}, ""},
		{"a.go:", engram.Place{Path: "a.go:"}, ""},
		{":12", engram.Place{Path: ":12"}, ""},
		{"a.go:0", engram.Place{}, engram.CodeInvalid},
		{"a.go:9-3", engram.Place{}, engram.CodeInvalid},
		{"a.go:99999999999999999999", engram.Place{}, engram.CodeInvalid},
		{"", engram.Place{}, engram.CodeInvalid},
		{"  ", engram.Place{}, engram.CodeInvalid},
		{"\xff", engram.Place{Path: "\xff"}, engram.CodeInvalid},
	} {
		got, err := engram.ParsePlace(tt.in)
		if got != tt.want || engram.CodeOf(err) != tt.code && (err != nil || tt.code != "") {
			t.Errorf("ParsePlace(%q) = %+v, %v; want %+v, %q", tt.in, got, err, tt.want, tt.code)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	for _, s := range []string{"a/b.go:3-9", "C:\\x:1", ":L", "a:L-L", "é:1-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := engram.ParsePlace(s)
		if err != nil {
			return
		}
		if p.Path == "" || p.First < 0 || p.Last < p.First {
			t.Errorf("ParsePlace(%q) = %+v", s, p)
		}
		if again, err := engram.ParsePlace(p.String()); p.First > 0 && (err != nil || again != p) {
			t.Errorf("ParsePlace(%q) = %+v, and of that %+v, %v", s, p, again, err)
		}
	})
}

func TestWhatIsNoAnchorIsLeftOut(t *testing.T) {
	good := engram.Anchor{Repository: "example.com/a/b", Commit: strings.Repeat("c", 40), Path: "a/b.go", Blob: strings.Repeat("b", 40)}
	lines := good
	lines.First, lines.Last, lines.Lines = 3, 4, "01234567-0123456789abcdef"
	named := good
	named.Named = true
	if got, want := engram.CleanAnchors([]engram.Anchor{lines, named, good, lines}), []engram.Anchor{good, lines}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	var wrong []engram.Anchor
	with := func(change func(*engram.Anchor)) {
		a := good
		change(&a)
		wrong = append(wrong, a)
	}
	for _, path := range []string{"", "/etc/passwd", "../x", "a/../x", "a//b", "./a", "a/", ".git/config", "a/.GIT/x", `a\b`, "a\x00b", "a\nb", "\xff", strings.Repeat("x", 2000)} {
		with(func(a *engram.Anchor) { a.Path = path })
	}
	with(func(a *engram.Anchor) { a.Repository = "" })
	with(func(a *engram.Anchor) { a.Repository = "a\x1b[2J" })
	with(func(a *engram.Anchor) { a.Blob = "" })
	with(func(a *engram.Anchor) { a.Blob = strings.Repeat("B", 40) })
	with(func(a *engram.Anchor) { a.Commit = "HEAD" })
	with(func(a *engram.Anchor) { a.First = 1 })
	with(func(a *engram.Anchor) { a.First, a.Last, a.Lines = 5, 4, lines.Lines })
	with(func(a *engram.Anchor) { a.First, a.Last = 4, 5 })
	with(func(a *engram.Anchor) { a.Lines = lines.Lines })
	for _, a := range wrong {
		if err := a.Validate(); engram.CodeOf(err) != engram.CodeInvalid || engram.CleanAnchors([]engram.Anchor{a}) != nil {
			t.Errorf("%+v is an anchor: %v", a, err)
		}
	}
	var many []engram.Anchor
	for i := range 40 {
		a := good
		a.Path = strings.Repeat("x", i+1)
		many = append(many, a)
	}
	if got := engram.CleanAnchors(many); len(got) != engram.MaxAnchors {
		t.Errorf("of 40 anchors %d are kept", len(got))
	}
}
