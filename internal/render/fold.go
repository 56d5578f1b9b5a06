package render

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Columns is the width assumed for a terminal.
const Columns = 80

// Fold breaks a line at spaces, or between wide characters, into lines of so many columns, each but the first
// after indent; 0 leaves it. A word that is too long stays whole.
func Fold(line, indent string, columns int) string {
	if columns == 0 {
		return line
	}
	var b strings.Builder
	at, spaces, opens := 0, 0, true
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			spaces++
		}
		for _, piece := range pieces(word) {
			wide := displaywidth.String(piece)
			if opens || at+spaces+wide <= columns {
				b.WriteString(strings.Repeat(" ", spaces))
				at += spaces
			} else {
				b.WriteString("\n" + indent)
				at = displaywidth.String(indent)
			}
			b.WriteString(piece)
			at, spaces, opens = at+wide, 0, false
		}
	}
	return b.String()
}

// Characters of scripts without spaces that must not begin a line, or end one.
const (
	noFirst = "、。，．！？：；）」』】〉》〕］｝ー々…‥・％’”!?,.:;)]}"
	noLast  = "（「『【〈《〔［｛‘“([{"
)

// pieces splits a word where a line may break in it: beside each wide character.
func pieces(word string) (all []string) {
	if word == "" {
		return nil
	}
	from, at, before, beforeWide := 0, 0, "", false
	for g := displaywidth.StringGraphemes(word); g.Next(); {
		c, wide := g.Value(), g.Width() > 1
		if at > 0 && (wide || beforeWide) && !strings.Contains(noFirst, c) && !strings.Contains(noLast, before) {
			all, from = append(all, word[from:at]), at
		}
		at, before, beforeWide = at+len(c), c, wide
	}
	return append(all, word[from:])
}
