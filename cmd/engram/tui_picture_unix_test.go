//go:build unix

package main

import (
	"flag"
	"fmt"
	"html"
	"image/color"
	"os"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
)

var picture = flag.String("picture", "", "`file` to which TestTUIIsRecorded writes an animated SVG")

// recording is frames of a terminal as one SVG.
type recording struct {
	width, height int
	frames        []string
}

const (
	cellWidth  = 8.4
	cellHeight = 18.0
	background = "#1e1e2e"
	foreground = "#cdd6f4"
)

// take adds what the terminal shows.
func (r *recording) take(s *screenOf) {
	var b strings.Builder
	for y := range r.height {
		for x := 0; x < r.width; {
			run, cells := "", 0
			var style uv.Style
			for x+cells < r.width {
				c := s.emu.CellAt(x+cells, y)
				text, wide := " ", 1
				var own uv.Style
				if c != nil {
					own = c.Style
					if c.Content != "" {
						text, wide = c.Content, max(1, c.Width)
					}
				}
				if cells == 0 {
					style = own
				} else if !own.Equal(&style) {
					break
				}
				run += text
				cells += wide
			}
			b.WriteString(drawn(run, x, y, cells, style))
			x += cells
		}
	}
	r.frames = append(r.frames, b.String())
}

// drawn is a run of cells in one style.
func drawn(run string, x, y, cells int, style uv.Style) string {
	var b strings.Builder
	left, top, wide := float64(x)*cellWidth, float64(y)*cellHeight, float64(cells)*cellWidth
	if style.Bg != nil {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.0f" width="%.1f" height="%.0f" fill="%s"/>`, left, top, wide, cellHeight, hexOf(style.Bg, background))
	}
	trimmed := strings.TrimRight(run, " ")
	if lead := len(trimmed) - len(strings.TrimLeft(trimmed, " ")); trimmed != "" {
		length := float64(cells-(len(run)-len(trimmed))-lead) * cellWidth
		weight := ""
		if style.Attrs&uv.AttrBold != 0 {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`,
			left+float64(lead)*cellWidth, top+13, length, hexOf(style.Fg, foreground), weight, html.EscapeString(trimmed[lead:]))
	}
	return b.String()
}

func hexOf(c color.Color, other string) string {
	if c == nil {
		return other
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// svg shows the frames one after the other, and the first where nothing moves.
func (r *recording) svg() string {
	const seconds = 2.6
	var b strings.Builder
	wide, high := float64(r.width)*cellWidth, float64(r.height)*cellHeight
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-12 -12 %.0f %.0f\" role=\"img\" aria-label=\"engram tui\">\n", wide+24, high+24)
	fmt.Fprintf(&b, "<style>.f{visibility:hidden;animation:f %.1fs step-end infinite}.f:first-of-type{visibility:visible}@keyframes f{0%%{visibility:visible}%.3f%%{visibility:hidden}to{visibility:hidden}}</style>\n",
		seconds*float64(len(r.frames)), 100/float64(len(r.frames)))
	fmt.Fprintf(&b, "<rect x=\"-12\" y=\"-12\" width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"%s\"/>\n", wide+24, high+24, background)
	b.WriteString("<g font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n")
	for i, f := range r.frames {
		fmt.Fprintf(&b, "<g class=\"f\" style=\"animation-delay:%.1fs\">%s</g>\n", seconds*float64(i), f)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// TestTUIIsRecorded plays the session that the README shows: make picture writes it.
func TestTUIIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, m := range [][]string{
		{"Auth model", "Access tokens are JWT in an httpOnly cookie.\n\n**Why**: scripts cannot read them.\n\n1. Access tokens live 5 minutes\n2. Refresh tokens live 30 days and rotate on each use\n\n```go\nconst AccessTTL = 5 * time.Minute\n```", "decision", "auth"},
		{"Checkout charged twice", "The retry in `pay/retry.go` had no idempotency key, so that a time-out charged twice.", "bugfix", "pay"},
		{"Product pages are cached", "The cache of product pages expires after 60 seconds in production.", "config", "cache"},
		{"Product pages are cached longer", "The cache of product pages expires after 300 seconds in production, since the last release.", "config", "cache"},
		{"Money is in cents", "Amounts are integers in cents; never floats.", "policy", "pay"},
		{"Release on Tuesdays", "Releases go out on Tuesday mornings, when everybody is there.", "preference", "release"},
		{"The search index lags", "New products appear in search after up to a minute: the index is filled by a queue.", "discovery", "search"},
	} {
		h.run("save", m[0], m[1], "--type", m[2], "--tag", m[3])
	}
	h.run("conflicts", "scan", "--apply")
	s := h.tui(108, 26)
	r := &recording{width: 108, height: 26}
	shot := func(keys string, until ...string) {
		t.Helper()
		s.keys(keys)
		s.until(until...)
		r.take(s)
	}
	shot("", "By type", "memories")
	shot("/", "❯")
	shot("how long do tok", "Auth model", "result")
	shot("ens live"+keyEnter+"w", "Search results", "score")
	shot("w"+keyEnter, "› #1", "Strength")
	shot(":conflicts"+keyEnter, "300 seconds", "60 seconds")
	shot("1", "Judged: #")
	shot(":recent"+keyEnter, "Engram › Recent", "Release on Tuesdays")
	shot("jd", "Forgot “")
	shot("u", "Undid operation")
	s.keys("Q")
	s.end()
	if *picture != "" {
		if err := os.WriteFile(*picture, []byte(r.svg()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
