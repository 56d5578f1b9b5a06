// Package theme holds the colours of the terminal UI: Catppuccin Mocha and Latte, a high-contrast theme, one for
// terminals with 16 colours, and one without colours. Screens name roles, never colours.
//
// A style is rendered by Lip Gloss once, when a theme is made, and is a prefix and a suffix from then on: a frame has
// hundreds of spans.
//
// Source of the palettes: Catppuccin, https://catppuccin.com/palette.
package theme

import (
	"image/color"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/alanbuscaglia/engram"
)

// Style is how a role looks, on a line of its own and on the selected line. The nil Style is plain text.
type Style struct{ plain, selected affix }

type affix struct{ before, after string }

// Render styles a text without line breaks.
func (s *Style) Render(text string, selected bool) string {
	if s == nil || text == "" {
		return text
	}
	a := s.plain
	if selected {
		a = s.selected
	}
	return a.before + text + a.after
}

// Theme is a style for each role.
type Theme struct {
	Name string
	Dark bool // made for a dark background

	Text, Dim, Faint   *Style // text, what accompanies it, what only fills
	Title, Heading     *Style // of a screen, of a part
	Accent             *Style // marks, the bar before the selected line
	Good, Warn, Bad    *Style
	Match              *Style // words of the question
	Chip, Active       *Style
	Key                *Style // a key in help
	Border             *Style
	Code, Link, Strong *Style
	Emphasis           *Style
	Added, Removed     *Style // of a difference
	Bar, BarStrong     *Style // header and footer
	BarKey, BarBad     *Style
	Cursor             color.Color

	types map[engram.Type]*Style
}

// Type returns the style of a memory's type.
func (t *Theme) Type(typ engram.Type) *Style {
	if s := t.types[typ]; s != nil {
		return s
	}
	return t.Accent
}

// Names are the names that Named knows; "auto" chooses by the terminal.
func Names() []string { return []string{"auto", "mocha", "latte", "contrast", "ansi", "mono"} }

// Known reports whether name is one of Names.
func Known(name string) bool { return slices.Contains(Names(), name) }

// Named returns a theme; an unknown name is Mocha.
func Named(name string) *Theme {
	switch name {
	case "latte":
		return make16m("latte", latte(), false)
	case "contrast":
		return make16m("contrast", contrast(), true)
	case "ansi":
		return makeANSI()
	case "mono":
		return makeMono()
	}
	return make16m("mocha", mocha(), true)
}

// palette names colours by what Catppuccin calls them.
type palette struct {
	text, subtext, overlay, border, surface, base                string
	mauve, blue, green, yellow, red, peach, teal, pink, lavender string
	addedBack, removedBack, back                                 string
}

func mocha() palette {
	return palette{text: "#cdd6f4", subtext: "#a6adc8", overlay: "#7f849c", border: "#585b70", surface: "#313244", base: "#1e1e2e",
		mauve: "#cba6f7", blue: "#89b4fa", green: "#a6e3a1", yellow: "#f9e2af", red: "#f38ba8", peach: "#fab387", teal: "#94e2d5",
		pink: "#f5c2e7", lavender: "#b4befe", addedBack: "#24452f", removedBack: "#5a1f2d", back: "#181825"}
}

// latte has a red that is not quite Catppuccin's, which terminals with 256 colours show as grey.
func latte() palette {
	return palette{text: "#4c4f69", subtext: "#6c6f85", overlay: "#7c7f93", border: "#acb0be", surface: "#ccd0da", base: "#eff1f5",
		mauve: "#8839ef", blue: "#1e66f5", green: "#40a02b", yellow: "#df8e1d", red: "#d20f2f", peach: "#fe640b", teal: "#179299",
		pink: "#ea76cb", lavender: "#7287fd", addedBack: "#d3ecd0", removedBack: "#f5d0d8", back: "#dce0e8"}
}

// contrast has only colours that stand out from black by at least 7 to 1 (WCAG 2.2, level AAA).
func contrast() palette {
	return palette{text: "#ffffff", subtext: "#e0e0e0", overlay: "#b8b8b8", border: "#b8b8b8", surface: "#00388c", base: "#000000",
		mauve: "#ff9dff", blue: "#7cc7ff", green: "#5cff5c", yellow: "#ffff5c", red: "#ff9090", peach: "#ffb86b", teal: "#5cffff",
		pink: "#ffb0e0", lavender: "#c9c9ff", addedBack: "#003c00", removedBack: "#5c0000", back: "#1a1a1a"}
}

// maker turns a Lip Gloss style into a Style, with what the selected line adds.
type maker func(lipgloss.Style) *Style

func make16m(name string, p palette, dark bool) *Theme {
	c := func(hex string) color.Color { return lipgloss.Color(hex) }
	onSelection := func(s lipgloss.Style) lipgloss.Style { return s.Background(c(p.surface)) }
	mk, own := making(onSelection), making(func(s lipgloss.Style) lipgloss.Style { return s })
	fg := func(hex string) lipgloss.Style { return lipgloss.NewStyle().Foreground(c(hex)) }
	t := &Theme{Name: name, Dark: dark,
		Text: mk(fg(p.text)), Dim: mk(fg(p.subtext)), Faint: mk(fg(p.overlay)),
		Title: mk(fg(p.mauve).Bold(true)), Heading: mk(fg(p.blue).Bold(true)), Accent: mk(fg(p.mauve)),
		Good: mk(fg(p.green)), Warn: mk(fg(p.yellow)), Bad: mk(fg(p.red).Bold(true)),
		Match: own(fg(p.base).Background(c(p.yellow))),
		Chip:  own(fg(p.base).Background(c(p.lavender))), Active: mk(fg(p.green).Bold(true)),
		Key: mk(fg(p.lavender).Bold(true)), Border: mk(fg(p.border)),
		Code: mk(fg(p.peach)), Link: mk(fg(p.blue).Underline(true)), Strong: mk(fg(p.text).Bold(true)), Emphasis: mk(fg(p.text).Italic(true)),
		Added: own(fg(p.text).Background(c(p.addedBack))), Removed: own(fg(p.text).Background(c(p.removedBack))),
		Bar: own(fg(p.subtext).Background(c(p.back))), BarStrong: own(fg(p.mauve).Background(c(p.back)).Bold(true)),
		BarKey: own(fg(p.lavender).Background(c(p.back)).Bold(true)), BarBad: own(fg(p.red).Background(c(p.back)).Bold(true)), Cursor: c(p.pink)}
	t.types = typeStyles(func(color string) *Style { return mk(fg(color)) }, p)
	return t
}

func typeStyles(mk func(string) *Style, p palette) map[engram.Type]*Style {
	return map[engram.Type]*Style{
		engram.TypeDecision: mk(p.mauve), engram.TypeArchitecture: mk(p.blue), engram.TypeBugfix: mk(p.red), engram.TypeDebug: mk(p.red),
		engram.TypePattern: mk(p.teal), engram.TypeConfig: mk(p.peach), engram.TypeDiscovery: mk(p.yellow), engram.TypeLearning: mk(p.green),
		engram.TypePreference: mk(p.pink), engram.TypePolicy: mk(p.pink), engram.TypeFact: mk(p.lavender), engram.TypeInsight: mk(p.yellow),
		engram.TypeSessionSummary: mk(p.subtext), engram.TypeManual: mk(p.subtext), engram.TypePassive: mk(p.overlay),
	}
}

// makeANSI uses the 16 colours of the terminal, so that they fit its own background.
func makeANSI() *Theme {
	mk := making(reversed)
	fg := func(c color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	plain := lipgloss.NewStyle()
	t := &Theme{Name: "ansi", Dark: true,
		Text: mk(plain), Dim: mk(plain), Faint: mk(fg(lipgloss.BrightBlack)),
		Title: mk(fg(lipgloss.Magenta).Bold(true)), Heading: mk(fg(lipgloss.BrightBlue).Bold(true)), Accent: mk(fg(lipgloss.Magenta)),
		Good: mk(fg(lipgloss.Green)), Warn: mk(fg(lipgloss.Yellow)), Bad: mk(fg(lipgloss.Red).Bold(true)),
		Match: mk(fg(lipgloss.Black).Background(lipgloss.Yellow)), Chip: mk(fg(lipgloss.Black).Background(lipgloss.Cyan)),
		Active: mk(fg(lipgloss.Green).Bold(true)), Key: mk(fg(lipgloss.Cyan).Bold(true)), Border: mk(fg(lipgloss.BrightBlack)),
		Code: mk(fg(lipgloss.Yellow)), Link: mk(fg(lipgloss.BrightBlue).Underline(true)), Strong: mk(plain.Bold(true)), Emphasis: mk(plain.Italic(true)),
		Added: mk(fg(lipgloss.Green)), Removed: mk(fg(lipgloss.Red)), Bar: mk(plain.Reverse(true)),
		BarStrong: mk(plain.Reverse(true).Bold(true)), BarKey: mk(plain.Reverse(true).Bold(true)), BarBad: mk(fg(lipgloss.Red).Reverse(true).Bold(true))}
	at := map[string]color.Color{"m": lipgloss.Magenta, "b": lipgloss.BrightBlue, "r": lipgloss.Red, "c": lipgloss.Cyan, "y": lipgloss.Yellow, "g": lipgloss.Green}
	t.types = typeStyles(func(name string) *Style {
		if at[name] == nil {
			return mk(plain)
		}
		return mk(fg(at[name]))
	}, palette{mauve: "m", blue: "b", red: "r", teal: "c", peach: "y", yellow: "y", green: "g", pink: "m", lavender: "c"})
	return t
}

// makeMono has no colours: it distinguishes by weight, underline and reversed lines.
func makeMono() *Theme {
	mk := making(reversed)
	plain := lipgloss.NewStyle()
	bold, under := mk(plain.Bold(true)), mk(plain.Underline(true))
	text := mk(plain)
	return &Theme{Name: "mono", Dark: true,
		Text: text, Dim: text, Faint: mk(plain.Faint(true)), Title: bold, Heading: bold, Accent: bold,
		Good: text, Warn: bold, Bad: bold, Match: mk(plain.Bold(true).Underline(true)), Chip: mk(plain.Reverse(true)),
		Active: bold, Key: bold, Border: mk(plain.Faint(true)), Code: under, Link: under, Strong: bold, Emphasis: mk(plain.Italic(true)),
		Added: bold, Removed: mk(plain.Strikethrough(true)), Bar: mk(plain.Reverse(true)),
		BarStrong: mk(plain.Reverse(true).Bold(true)), BarKey: mk(plain.Reverse(true).Bold(true)), BarBad: mk(plain.Reverse(true).Bold(true).Underline(true))}
}

// reversed is the selected line where there is no colour to spare for it: one block, in which colours would be patches.
func reversed(s lipgloss.Style) lipgloss.Style {
	return lipgloss.NewStyle().Bold(s.GetBold()).Underline(s.GetUnderline()).Reverse(true)
}

func making(onSelection func(lipgloss.Style) lipgloss.Style) maker {
	return func(s lipgloss.Style) *Style { return &Style{affixOf(s), affixOf(onSelection(s))} }
}

// affixOf renders a letter to learn what Lip Gloss writes around a text.
func affixOf(s lipgloss.Style) affix {
	before, after, _ := strings.Cut(s.Render("x"), "x")
	return affix{before, after}
}
