package widget_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// store is a list that others change while it is shown.
type store struct{ items []int }

func (s store) page(offset, limit int) widget.Page[int] {
	from := min(offset, len(s.items))
	return widget.Page[int]{Items: slices.Clone(s.items[from:min(len(s.items), from+limit)]), Total: len(s.items)}
}

// TestTheCursorStaysOnItsItem moves, inserts and removes at random.
func TestTheCursorStaysOnItsItem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s store
		next := 0
		for range rapid.IntRange(1, 400).Draw(t, "items") {
			s.items = append(s.items, next)
			next++
		}
		l := widget.List[int]{Key: func(i int) string { return fmt.Sprint(i) }}
		l.Resize(rapid.IntRange(1, 40).Draw(t, "rows"))
		read := func(again bool) {
			offset, limit, needed := l.Need()
			if again && !needed {
				offset, limit = l.Again()
			}
			for again || needed {
				l.Set(offset, limit, s.page(offset, limit))
				again = false
				offset, limit, needed = l.Need()
			}
		}
		read(false)
		for range 20 {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				l.Move(rapid.IntRange(-50, 50).Draw(t, "by"))
				read(false)
			case 1:
				l.To(rapid.SampledFrom([]int{0, len(s.items) - 1, len(s.items) / 2}).Draw(t, "to"))
				read(false)
			case 2:
				was, _ := l.Current()
				for range rapid.IntRange(1, 5).Draw(t, "new") {
					s.items = append([]int{next}, s.items...)
					next++
				}
				read(true)
				if now, ok := l.Current(); !ok || now != was {
					t.Fatalf("after new items the cursor is on %d (%v), want %d", now, ok, was)
				}
			case 3:
				if len(s.items) > 1 {
					at := rapid.IntRange(0, len(s.items)-1).Draw(t, "remove")
					was, _ := l.Current()
					gone := s.items[at]
					s.items = slices.Delete(s.items, at, at+1)
					read(true)
					if now, ok := l.Current(); !ok || gone != was && now != was {
						t.Fatalf("after item %d went, the cursor is on %d (%v), want %d", gone, now, ok, was)
					}
				}
			}
			from, to := l.Visible()
			if l.Cursor < from || l.Cursor >= to {
				t.Fatalf("the cursor %d is not visible: %d to %d of %d", l.Cursor, from, to, l.Len())
			}
			for i := from; i < to; i++ {
				if got, ok := l.At(i); !ok || got != s.items[i] {
					t.Fatalf("line %d shows %d (%v), want %d", i, got, ok, s.items[i])
				}
			}
		}
	})
}

func textOf(lines []cell.Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, strings.TrimRight(l.Text(), " "))
	}
	return strings.Join(all, "\n")
}

func TestProse(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a heading", "## Goal\ntext", "Goal\ntext"},
		{"no heading", "#tag and #12", "#tag and #12"},
		{"lists", "- one\n* two\n3. three\n- [x] done", "• one\n• two\n3. three\n☑ done"},
		{"a long item hangs", "- one two three four five", "• one two three\n  four five"},
		{"emphasis", "**bold** and `code` and snake_case_name", "bold and code and\nsnake_case_name"},
		{"what is no emphasis", "2 * 3 * 4 and **", "2 * 3 * 4 and **"},
		{"a link", "[a](http://b)", "a (http://b)"},
		{"code keeps its shape", "```go\nif x {\n\ty()\n}\n```", "│ if x {\n│     y()\n│ }"},
		{"code without an end", "```\nx", "│ x"},
		{"a quotation", "> said", "▌ said"},
		{"a heading below a line", "Goal\n====\ntext", "Goal\ntext"},
		{"nested lists", "- one\n  - two\n    1. three\n      on", "• one\n  • two\n    1. three\n      on"},
		{"code after a list", "- one\n\ntext\n\n    code", "• one\n\ntext\n\n    code"},
		{"code in a list", "- one\n  ```\n  x\n    y\n  ```", "• one\n  │ x\n  │   y"},
		{"a fence in a fence", "````\n```\nx\n```\n````\ny", "│ ```\n│ x\n│ ```\ny"},
		{"bold and slanted", "***a*** ~~b~~ ``c`d``", "a b c`d"},
		{"what is escaped", `\*a\* C:\dir \.`, `*a* C:\dir \.`},
		{"a picture", "![a](b.png)", "a (b.png)"},
		{"quoted Markdown", "> - a\n>> b\n\nc", "▌ • a\n▌ ▌ b\n\nc"},
		{"columns by their side", "| a | bcd |\n|--:|:-:|\n| 1 | x |\n| 234 | y |", "  a │ bcd\n─────────\n  1 │  x\n234 │  y"},
		{"a wide table", "| a | long text |\n|---|---|\n| 12 | one two three four |", "a  │ long text\n──────────────────\n12 │ one two three\n   │ four"},
		{"a table of too many columns", "|a|b|c|d|e|f|\n|-|-|-|-|-|-|\n|1|2|3|4|5|6|", "a │ b │ c │ d │ e\n  │ f\n──────────────────\n1 │ 2 │ 3 │ 4 │ 5\n  │ 6"},
		{"a table", "| a | long |\n|---|---|\n| 12 | 3 |", "a  │ long\n─────────\n12 │ 3"},
		{"blank lines are one", "a\n\n\n\nb\n\n", "a\n\nb"},
		{"escapes are shown", "a \x1b[2J", `a \x1b[2J`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := textOf(widget.Prose(tt.text, 18, 1<<10, "", theme.Named("mocha"))); got != tt.want {
				t.Errorf("%q\n got:\n%s\nwant:\n%s", tt.text, got, tt.want)
			}
		})
	}
}

func TestProseIsBounded(t *testing.T) {
	lines := widget.Prose(strings.Repeat("a line of text\n", 100_000), 80, 256<<10, "e opens it", theme.Named("mocha"))
	if n := len(lines); n > 20_000 || !strings.Contains(lines[n-1].Text(), "1209 KiB more: e opens it") {
		t.Errorf("%d lines, the last is %q", n, lines[n-1].Text())
	}
}

// BenchmarkProse lays out 256 KiB of one mark each: none may take the square of its length in time.
func BenchmarkProse(b *testing.B) {
	for _, of := range []string{"[", "![", "*", "**a ", "`", ">", "|", "| a ", "http://", "a", "a b ", "- a\n"} {
		text := strings.Repeat(of, 256<<10/len(of))
		b.Run(of, func(b *testing.B) {
			for b.Loop() {
				widget.Prose(text, 80, len(text), "", theme.Named("mocha"))
			}
		})
	}
}

func FuzzProse(f *testing.F) {
	for _, s := range []string{"# a\n- b\n\n| c |\n|---|", "```\n", "**a *b* c**", "[a](b", "> \x1b]0;x\x07", "1) x\n\t y"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + max(0, width)%200
		for _, l := range widget.Prose(s, width, 256<<10, "", theme.Named("mocha")) {
			if l.Width() > max(2, width) || strings.ContainsAny(l.Text(), "\x1b\x07\n\r") {
				t.Errorf("%q in %d: line %q has %d cells", s, width, l.Text(), l.Width())
			}
		}
	})
}

func TestDifferenceMarksWhatTheOtherLacks(t *testing.T) {
	th := theme.Named("mocha")
	a, b := widget.Difference("tokens live 15 minutes\nand rotate", "tokens live 5 minutes\nand rotate daily", 80, th)
	marked := func(lines []cell.Line, style *theme.Style) (all []string) {
		for _, l := range lines {
			for _, s := range l {
				if s.Style == style {
					all = append(all, s.Text)
				}
			}
		}
		return all
	}
	if got := marked(a, th.Removed); !slices.Equal(got, []string{"15"}) {
		t.Errorf("left: %q", got)
	}
	if got := marked(b, th.Added); !slices.Equal(got, []string{"5", "daily"}) {
		t.Errorf("right: %q", got)
	}
}

func TestInputTakesWhatIsALine(t *testing.T) {
	var in widget.Input
	in.Insert("a\nb\x1b[2J\xffc\u202e")
	if got := in.Text(); got != "a b[2Jc" {
		t.Errorf("got %q", got)
	}
	for _, k := range []string{"home", "delete", "end", "backspace", "ctrl+w"} {
		in.Press(k, "")
	}
	if got := in.Text(); got != " " {
		t.Errorf("after editing: %q", got)
	}
	if in.Insert(strings.Repeat("日", 5000)); len(in.Text()) > 2000 {
		t.Errorf("%d bytes were taken", len(in.Text()))
	}
	line, x := in.Line(10, "", theme.Named("mocha"))
	if line.Width() > 10 || x > 10 {
		t.Errorf("the line has %d cells, the cursor is in %d", line.Width(), x)
	}
}
