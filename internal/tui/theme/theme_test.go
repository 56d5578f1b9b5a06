package theme

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// TestContrastIsHigh computes the contrast of each text colour of the high-contrast theme with black.
//
// Source: WCAG 2.2, relative luminance and contrast ratio.
func TestContrastIsHigh(t *testing.T) {
	p := contrast()
	for name, hex := range map[string]string{"text": p.text, "subtext": p.subtext, "overlay": p.overlay, "mauve": p.mauve, "blue": p.blue, "green": p.green,
		"yellow": p.yellow, "red": p.red, "peach": p.peach, "teal": p.teal, "pink": p.pink, "lavender": p.lavender} {
		if got := (luminance(t, hex) + 0.05) / 0.05; got < 7 {
			t.Errorf("%s %s: contrast %.1f, want at least 7", name, hex, got)
		}
	}
}

func luminance(t *testing.T, hex string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#")[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestColoursStayColoursIn256 looks at what terminals with 256 colours show, as tmux does unless told otherwise.
func TestColoursStayColoursIn256(t *testing.T) {
	for name, p := range map[string]palette{"mocha": mocha(), "latte": latte(), "contrast": contrast()} {
		for _, hex := range []string{p.mauve, p.blue, p.green, p.yellow, p.red, p.peach, p.teal, p.pink, p.lavender, p.addedBack, p.removedBack} {
			r, g, b, _ := colorprofile.ANSI256.Convert(lipgloss.Color(hex)).RGBA()
			if r == g && g == b {
				t.Errorf("%s: %s becomes grey", name, hex)
			}
		}
	}
}

func TestEveryThemeHasEveryRole(t *testing.T) {
	for _, name := range Names() {
		th := Named(name)
		for role, s := range map[string]*Style{"text": th.Text, "dim": th.Dim, "faint": th.Faint, "title": th.Title, "heading": th.Heading, "accent": th.Accent, "good": th.Good,
			"warn": th.Warn, "bad": th.Bad, "match": th.Match, "chip": th.Chip, "active": th.Active, "key": th.Key, "border": th.Border, "code": th.Code, "link": th.Link,
			"strong": th.Strong, "emphasis": th.Emphasis, "added": th.Added, "removed": th.Removed, "bar": th.Bar, "bar strong": th.BarStrong, "bar key": th.BarKey, "bar bad": th.BarBad} {
			if s == nil {
				t.Errorf("%s has no style for %s", name, role)
			}
		}
		if got := th.Text.Render("x", true); name != "auto" && !strings.Contains(got, "x") || got == "x" {
			t.Errorf("%s does not show which line is selected: %q", name, got)
		}
	}
}
