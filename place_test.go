package engram_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestParsePlace(t *testing.T) {
	whole := func(path string) engram.Place { return engram.Place{Path: path} }
	lines := func(path string, first, last int) engram.Place {
		return engram.Place{Path: path, First: first, Last: last}
	}
	for _, tt := range []struct {
		name, in string
		want     engram.Place
		wrong    string // "" for what is right
	}{
		{"a file", "a/b.go", whole("a/b.go"), ""},
		{"a line, with blanks around it", " a/b.go:12 ", lines("a/b.go", 12, 12), ""},
		{"lines", "a/b.go:3-9", lines("a/b.go", 3, 9), ""},
		{"lines with letters", "a/b.go:L3-L9", lines("a/b.go", 3, 9), ""},
		{"lines of which one has a letter", "a/b.go:L3-9", lines("a/b.go", 3, 9), ""},
		{"one line in two numbers", "a/b.go:3-3", lines("a/b.go", 3, 3), ""},
		{"a blank in the path", "a b.go:L3", lines("a b.go", 3, 3), ""},
		{"a line with a column, as compilers write it", "a/b.go:12:5", lines("a/b.go", 12, 12), ""},
		{"a line of a forge", "a/b.go#L3", lines("a/b.go", 3, 3), ""},
		{"lines of a forge", "a/b.go#L3-L9", lines("a/b.go", 3, 9), ""},
		{"lines of another forge", "a/b.go#L3-9", lines("a/b.go", 3, 9), ""},
		{"lines of a forge with columns", "a/b.go#L3C2-L9C14", lines("a/b.go", 3, 9), ""},
		{"a file on a drive", `C:\src\b.go`, whole(`C:\src\b.go`), ""},
		{"a line of a file on a drive", `C:\src\b.go:7`, lines(`C:\src\b.go`, 7, 7), ""},
		{"lines of a file on a drive", `C:\x.go:3-4`, lines(`C:\x.go`, 3, 4), ""},
		{"a drive and a hash", `c:/my src/x.go#L3-L4`, lines(`c:/my src/x.go`, 3, 4), ""},
		{"a drive and a column", `C:\x.go:3:14`, lines(`C:\x.go`, 3, 3), ""},
		{"an absolute path with blanks", "/src/my shop/a.go:3", lines("/src/my shop/a.go", 3, 3), ""},
		{"colons in the path", "notes: today/a:b.go:3", lines("notes: today/a:b.go", 3, 3), ""},
		{"a colon in a name", "a:b", whole("a:b"), ""},
		{"a colon at the end", "a.go:", whole("a.go:"), ""},
		{"no path but a colon", ":12", whole(":12"), ""},
		{"no path but a hash", "#L12", whole("#L12"), ""},
		{"a hash in the name", "c#3", whole("c#3"), ""},
		{"a heading", "docs/x.md#Lines", whole("docs/x.md#Lines"), ""},
		{"a hash in the name, and lines", "c#3:4-5", lines("c#3", 4, 5), ""},
		{"a name that ends as lines do, and lines", "log:7#L4", lines("log:7", 4, 4), ""},
		{"three numbers", "a:1:2:3", lines("a:1:2", 3, 3), ""},
		{"a column of a forge behind a colon", "a.go:L3C4", whole("a.go:L3C4"), ""},
		{"half a range", "a.go:3-", whole("a.go:3-"), ""},

		{"line 0", "a.go:0", whole(""), "names an impossible line"},
		{"from line 0", "a.go:0-4", whole(""), "names an impossible line"},
		{"line 0 of a forge", "a.go#L0", whole(""), "names an impossible line"},
		{"line 0 with a column", "a.go:0:5", whole(""), "names an impossible line"},
		{"lines that run backwards", "a.go:9-3", whole(""), "names lines in reverse order"},
		{"lines of a forge that run backwards", "a.go#L9-L3", whole(""), "names lines in reverse order"},
		{"a line beyond all files", "a.go:99999999999999999999", whole(""), "names an impossible line"},
		{"a last line beyond all files", "a.go:1-99999999999999999999", whole(""), "names an impossible line"},
		{"nothing", "", whole(""), "file name is empty"},
		{"blanks", "  ", whole(""), "file name is empty"},
		{"what is no text", "\xff", whole("\xff"), "UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := engram.ParsePlace(tt.in)
			if got != tt.want || (err != nil) != (tt.wrong != "") {
				t.Fatalf("ParsePlace(%q)\n got %+v, %v\nwant %+v, %q", tt.in, got, err, tt.want, tt.wrong)
			}
			if err == nil {
				return
			}
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("ParsePlace(%q): got %v (%s), want %q (invalid)", tt.in, err, engram.CodeOf(err), tt.wrong)
			}
			if told, ok := errors.AsType[*engram.Error](err); !ok || got.Path == "" && told.Hint != engram.PlaceForms {
				t.Errorf("ParsePlace(%q) does not say which forms there are: %+v", tt.in, told)
			}
		})
	}
}

// What is read is written so that it is read alike, and lines are lines.
func FuzzParsePlace(f *testing.F) {
	for _, s := range []string{"a/b.go:3-9", "C:\\x:1", ":L", "a:L-L", "é:1-", "a#L3-L4", "a:1:2:3", "a:1#L3C4", "a:1 :4", "a#L3:4", "x::3", "a:0:1", "C:\\x.go#L3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := engram.ParsePlace(s)
		if err != nil {
			return
		}
		if p.Path == "" || p.First < 0 || p.Last < p.First || p.First == 0 && p.Last != 0 {
			t.Errorf("ParsePlace(%q) = %+v", s, p)
		}
		if again, err := engram.ParsePlace(p.String()); p.First > 0 && (err != nil || again != p) {
			t.Errorf("ParsePlace(%q) = %+v, and of %q %+v, %v", s, p, p, again, err)
		}
	})
}
