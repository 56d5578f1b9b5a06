package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// mostCode is how many places in code are told beside a memory.
const mostCode = 2

// Anchors says what became of the code that a memory speaks of, on one line:
// "internal/a.go:10-20 (changed), b.go (moved to c.go)", what is worst first, and of more than two
// how many more there are. It is "" where there is nothing to say: nobody could look, or no more
// is known than that a file which the text names is there.
func Anchors(all []engram.Anchored) string {
	var told []engram.Anchored
	for _, a := range all {
		worked := a.Named && a.Whole() && (a.State == engram.AnchorChanged && a.Now.Path == "" || a.State == engram.AnchorVerified)
		if a.State != engram.AnchorUnknown && !worked {
			told = append(told, a)
		}
	}
	worst := []engram.AnchorState{engram.AnchorGone, engram.AnchorChanged, engram.AnchorMoved, engram.AnchorVerified}
	slices.SortStableFunc(told, func(a, b engram.Anchored) int { return slices.Index(worst, a.State) - slices.Index(worst, b.State) })
	var parts []string
	for _, a := range told[:min(len(told), mostCode)] {
		parts = append(parts, Anchor(a))
	}
	if more := len(told) - mostCode; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// Anchor is a place in code and what became of it: "internal/a.go:10-20 (changed)".
func Anchor(a engram.Anchored) string {
	place := placeLine(a.Place())
	switch {
	case a.State == engram.AnchorUnknown:
		return place
	case a.State == engram.AnchorMoved && a.Now.Path == a.Path:
		return fmt.Sprintf("%s (moved to %s)", place, a.Now.Lines())
	case a.State == engram.AnchorMoved:
		return fmt.Sprintf("%s (moved to %s)", place, placeLine(a.Now))
	case a.State == engram.AnchorChanged && a.Now.Path != "":
		return fmt.Sprintf("%s (moved to %s, changed)", place, placeLine(a.Now))
	}
	return fmt.Sprintf("%s (%s)", place, a.State)
}

// mostPath is how many characters of a path are shown: it may come from anybody.
const mostPath = 120

func placeLine(p engram.Place) string {
	p.Path = Line(p.Path, mostPath)
	return p.String()
}

// AnchoredTo says which code a save anchored a memory to, a line each for what was asked for, and
// one for all that its text names: "Anchored to a.go:3-9", "Anchored to b.go, c.go, which its text
// names". Nil for none.
func AnchoredTo(all []engram.Anchor) (lines []string) {
	var named []string
	for _, a := range all {
		if a.Named {
			named = append(named, placeLine(a.Place()))
		} else {
			lines = append(lines, "Anchored to "+placeLine(a.Place()))
		}
	}
	if len(named) > 0 {
		lines = append(lines, "Anchored to "+strings.Join(named, ", ")+", which its text names")
	}
	return lines
}

// codeMark is Anchors as one of Marks; "" for none.
func codeMark(all []engram.Anchored) string {
	if told := Anchors(all); told != "" {
		return "code: " + told
	}
	return ""
}

// Anew says what a review made of the anchors of a memory, a line each: of these places it has what
// stands there now, and those are gone. "" where nothing became of them.
func Anew(anchored, released []string) string {
	var b strings.Builder
	if len(anchored) > 0 {
		fmt.Fprintf(&b, "  anchored to the current code in %s\n", Line(strings.Join(anchored, ", "), 0))
	}
	if len(released) > 0 {
		fmt.Fprintf(&b, "  no longer anchored to deleted code: %s\n", Line(strings.Join(released, ", "), 0))
	}
	return b.String()
}
