package widget

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// mostCompared limits the words that are compared with each other: the comparison takes time and memory proportional to
// the product of both numbers. What two texts begin and end with alike does not count.
const mostCompared = 1200

// Difference returns two texts in which the words that the other lacks are marked, each in lines of a width.
func Difference(left, right string, width int, t *theme.Theme) (a, b []cell.Line) {
	l, r := words(left), words(right)
	onlyLeft, onlyRight := differing(l, r)
	return marked(l, onlyLeft, width, t.Text, t.Removed), marked(r, onlyRight, width, t.Text, t.Added)
}

// words splits a harmless text into words, spaces and line breaks.
func words(text string) (all []string) {
	text = cell.Plain(text)
	for text != "" {
		n := strings.IndexAny(text, " \n")
		switch {
		case n < 0:
			n = len(text)
		case n == 0 && text[0] == '\n':
			n = 1
		case n == 0:
			n = len(text) - len(strings.TrimLeft(text, " "))
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

// differing reports for each word of both lists whether the longest common part leaves it out.
func differing(a, b []string) (onlyA, onlyB []bool) {
	onlyA, onlyB = make([]bool, len(a)), make([]bool, len(b))
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		begin++
	}
	endA, endB := len(a), len(b)
	for endA > begin && endB > begin && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	midA, midB := a[begin:endA], b[begin:endB]
	if len(midA) > mostCompared || len(midB) > mostCompared { // too long: all of it differs
		for i := range midA {
			onlyA[begin+i] = true
		}
		for i := range midB {
			onlyB[begin+i] = true
		}
		return onlyA, onlyB
	}
	common := commonLengths(midA, midB)
	i, j := 0, 0
	for i < len(midA) || j < len(midB) {
		switch {
		case i < len(midA) && j < len(midB) && midA[i] == midB[j]:
			i, j = i+1, j+1
		case j == len(midB) || i < len(midA) && common[i+1][j] >= common[i][j+1]:
			onlyA[begin+i] = true
			i++
		default:
			onlyB[begin+j] = true
			j++
		}
	}
	return onlyA, onlyB
}

// commonLengths returns for each pair of rests the length of their longest common part.
func commonLengths(a, b []string) [][]int16 {
	common := make([][]int16, len(a)+1)
	cells := make([]int16, (len(a)+1)*(len(b)+1))
	for i := range common {
		common[i] = cells[i*(len(b)+1) : (i+1)*(len(b)+1)]
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}

func marked(words []string, only []bool, width int, plain, mark *theme.Style) (lines []cell.Line) {
	var line cell.Line
	flush := func() {
		lines = append(lines, line.Wrap(width, nil)...)
		line = nil
	}
	for i, w := range words {
		if w == "\n" {
			flush()
			continue
		}
		style := plain
		space := strings.TrimSpace(w) == ""
		if !space && only[i] || space && i > 0 && i+1 < len(only) && only[i-1] && only[i+1] && words[i+1] != "\n" {
			style = mark
		}
		line = append(line, cell.Span{Text: w, Style: style})
	}
	flush()
	return lines
}
