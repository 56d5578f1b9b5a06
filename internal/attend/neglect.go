package attend

import (
	"fmt"
	"strings"
)

// When much was done. Six edits are a change that took some thought, where two or three
// are a correction; a command that was mended is a lesson whatever it took. The second
// time takes twice as much, and there is no third: whoever was asked twice has decided.
const (
	neglectEdits = 6
	neglectAsks  = 2
)

// Neglect returns what an agent that stops is asked when it worked much and saved nothing,
// "" when there is nothing to ask. saved is how many memories the session has saved.
//
// Where the session has no summary yet (mem_session_summary), it is asked for that, too: it is
// what the next session begins with, and none comes after the last stop.
//
// Work is what was edited, and each command that failed and was mended counts as half of
// what is much. It is counted from the last save or the last time that was asked (a note
// of KindAsked, which the caller adds); it is asked at most twice a session. An agent that
// goes on because it was asked must not be asked again: the caller sees to that.
func Neglect(notes []Note, saved int) (ask string) {
	asked, from, saves, summed := 0, 0, 0, false
	for i, n := range notes {
		switch {
		case n.Kind == KindAsked:
			asked, from = asked+1, i+1
		case n.Kind == KindTool && !n.Failed && Saves(n.Tool):
			saves, from = saves+1, i+1
			summed = summed || saver(n.Tool) == summary
		}
	}
	if asked >= neglectAsks || saved > saves && from == 0 { // what was saved otherwise, nobody knows when
		return ""
	}
	edits, files := 0, map[string]bool{}
	for _, n := range notes[from:] {
		if n.Kind == KindTool && n.Writes && !n.Failed {
			edits++
			files[n.Path] = true
		}
	}
	mended := len(Outcomes(notes[from:]))
	if edits+mended*neglectEdits/2 < neglectEdits*(1+asked) {
		return ""
	}
	var done []string // what there was none of is not said
	if edits > 0 {
		done = append(done, "made "+counted(edits, "edit")+" in "+counted(len(files), "file"))
	}
	if mended > 0 {
		done = append(done, "got "+counted(mended, "failing command")+" to pass")
	}
	since := "In this session"
	if from > 0 {
		since = "Since the last memory was saved"
		if notes[from-1].Kind == KindAsked {
			since = "Since you were asked last"
		}
	}
	return since + " you " + strings.Join(done, " and ") + ". If something of it is worth knowing in a later session (a decision and its reason, " +
		"a bug and its cause, how something works here, what the person prefers), save it now with mem_save, one memory for each; " +
		"if nothing is, save none." + closing(summed)
}

// closing asks for what a session ends with, unless it has that.
func closing(summed bool) string {
	if summed {
		return " Then finish."
	}
	return " And if the work is done that the person asked for, close it with mem_session_summary: the goal, what was done, what was found out, what is left."
}

// summary is the tool of ours that keeps what a session came to.
const summary = "mem_session_summary"

// Saves reports whether a tool of ours by this name, as an agent has it
// ("mcp__engram__mem_save"), keeps something.
func Saves(tool string) bool { return saver(tool) != "" }

// saver is which of our tools that keep something it is; "" for another one.
func saver(tool string) string {
	tool = strings.ToLower(tool)
	for _, name := range []string{"mem_save", "mem_update", summary, "mem_capture_passive", "remember"} {
		if strings.HasSuffix(tool, name) {
			return name
		}
	}
	return ""
}

func counted(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
