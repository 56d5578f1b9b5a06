package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

func setupFileOf(f app.AgentFile, dry bool) setupFileDoc {
	d := setupFileDoc{Path: f.Path, Status: f.Status, Change: "none", Kept: f.Kept, Left: f.Left, Why: f.Why, Unread: f.Unread}
	switch {
	case !f.Changed():
	case f.Before == nil:
		d.Change = "created"
	case f.After == nil:
		d.Change = "removed"
	default:
		d.Change = "changed"
	}
	if dry {
		d.Diff = render.Unified(f.Path, f.Before, f.After)
	}
	return d
}

// setupChoice asks which of the agents that are installed are to be set up; nil, and no error, when
// it is said how to go on instead. Without asking it is all of them.
func (p *program) setupChoice(w app.Wiring, all bool) ([]string, error) {
	doc := setupDoc{Action: "found", Program: w.Program, Agents: []setupAgentDoc{}}
	var found []string
	for _, name := range app.AgentNames() {
		if s := w.Look(name); s.Detected {
			found = append(found, name)
			doc.Agents = append(doc.Agents, p.setupStanding(s))
		}
	}
	done := !slices.ContainsFunc(doc.Agents, func(a setupAgentDoc) bool { return a.Status != "wired" })
	switch {
	case all && len(found) > 0:
		return found, nil
	case len(found) == 0 || done || !p.canAnswer():
		return nil, p.answer(doc, func(b *strings.Builder) { writeSetupFound(b, doc, done, p.columns()) })
	}
	p.tell(func(b *strings.Builder) { writeSetupList(b, doc, p.columnsOf(p.Stderr)) })
	names, err := p.askWhich(found)
	if err == nil && names == nil {
		p.tell(func(b *strings.Builder) { b.WriteString("Nothing was changed.\n") })
	}
	return names, err
}

// askWhich asks which agents are meant, and asks again after what it does not understand; nil,
// and no error, is none. An end of input is none, too: whoever leaves has not said yes.
func (p *program) askWhich(found []string) ([]string, error) {
	for {
		answer, ended, err := p.askOrEnd("Set up which? [all, numbers such as 1 3 or 1-3, or none; Enter: all]", "give the names of agents")
		if err != nil || ended && answer == "" {
			return nil, err
		}
		names, err := chosen(answer, found)
		if err == nil || ended || !p.someoneThere() {
			return names, err
		}
		p.tell(func(b *strings.Builder) {
			fmt.Fprintln(b, fold(messageOf(err)+": "+p.hintOf(err), "", p.columnsOf(p.Stderr)))
		})
	}
}

// chosen reads what a person answered; nil is none.
func chosen(answer string, found []string) ([]string, error) {
	switch answer {
	case "", "all", "a", "y", "yes":
		return found, nil
	case "none", "n", "no", "q":
		return nil, nil
	}
	var names []string
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' }) {
		all := rangeOf(word, found)
		if all == nil {
			name, err := app.FindAgent(word)
			if err != nil {
				return nil, invalidf("%q is not in the list", word).WithHint("answer with numbers such as 1 3 or 1-3, all or none; nothing was changed")
			}
			all = []string{name}
		}
		for _, name := range all {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// rangeOf are those of a list that a number or two with a dash between them name; nil for what
// is no such thing.
func rangeOf(word string, found []string) []string {
	first, last, isRange := strings.Cut(word, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(first)
	to, wrong := strconv.Atoi(last)
	if err != nil || wrong != nil || from < 1 || to < from || to > len(found) {
		return nil
	}
	return found[from-1 : to]
}

// atHome is an answer for people, with ~ for the home directory in the paths of files.
func (p *program) atHome(doc setupDoc) setupDoc {
	home := p.where().Home
	short := func(path string) string {
		if in, err := filepath.Rel(home, path); err == nil && home != "" && filepath.IsLocal(in) && in != "." {
			return "~" + string(filepath.Separator) + in
		}
		return path
	}
	doc.Agents = document.Each(doc.Agents, func(a setupAgentDoc) setupAgentDoc {
		a.Files = document.Each(a.Files, func(f setupFileDoc) setupFileDoc {
			f.Path = short(f.Path)
			if f.Kept != "" {
				f.Kept = short(f.Kept)
			}
			return f
		})
		return a
	})
	return doc
}

// writeSetup tells what was done, or would be.
func (p *program) writeSetup(b *strings.Builder, doc setupDoc) {
	if len(doc.Agents) == 0 {
		b.WriteString("No agent is set up.\n")
	}
	for n, a := range doc.Agents {
		if n > 0 && doc.DryRun {
			b.WriteByte('\n')
		}
		p.writeSetupAgent(b, doc, a)
	}
}

func (p *program) writeSetupAgent(b *strings.Builder, doc setupDoc, a setupAgentDoc) {
	say := func(what, said string) { fmt.Fprintln(b, fold(what+said, strings.Repeat(" ", len(what)), p.columns())) }
	undo := doc.Action == "undone"
	left := slices.ContainsFunc(a.Files, func(f setupFileDoc) bool { return f.Left != "" })
	guessed := undo && slices.ContainsFunc(a.Files, func(f setupFileDoc) bool { return f.Why != "" })
	switch {
	case a.Error != "":
		say("", a.Title+": "+a.Error)
		if a.Hint != "" {
			say("  hint: ", a.Hint)
		}
		if !undo {
			return
		}
	case undo && a.Hint != "": // setupUnsure
		say("", a.Title+" was left alone: it contains engram, but setup did not record writing it")
		say("  hint: ", a.Hint)
		return
	case !a.Changed && undo && len(a.Files) == 0:
		fmt.Fprintf(b, "%s is not set up\n", a.Title)
	case !a.Changed && !undo:
		fmt.Fprintf(b, "%s is already set up\n", a.Title)
	case !a.Changed && undo && left:
		fmt.Fprintf(b, "%s is unchanged:\n", a.Title)
	case doc.DryRun && guessed:
		fmt.Fprintf(b, "Engram would be removed from %s; its original files are not recorded:\n", a.Title)
	case doc.DryRun && undo:
		fmt.Fprintf(b, "%s would be restored:\n", a.Title)
	case doc.DryRun:
		fmt.Fprintf(b, "%s would be set up:\n", a.Title)
	case undo && left:
		fmt.Fprintf(b, "%s was restored, except for:\n", a.Title)
	case guessed:
		fmt.Fprintf(b, "Engram was removed from %s; its original files are not recorded:\n", a.Title)
	case undo:
		fmt.Fprintf(b, "%s was restored\n", a.Title)
	default:
		fmt.Fprintf(b, "✓ %s is set up\n", a.Title)
	}
	for _, f := range a.Files {
		p.writeSetupFile(b, doc, f)
	}
	for _, note := range a.Notes {
		say("  note: ", note)
	}
	if a.Next != "" {
		next := a.Next
		if undo {
			next = "Restart it."
		}
		say("  ", next)
	}
}

func (p *program) writeSetupFile(b *strings.Builder, doc setupDoc, f setupFileDoc) {
	say := func(what, said string) { fmt.Fprintln(b, fold(what+said, "            ", p.columns())) }
	switch {
	case f.Left != "":
		say("  left      ", f.Path+": "+f.Left)
	case doc.DryRun && f.Diff != "":
		b.WriteString(f.Diff)
	case f.Status == "taken":
		say("  left      ", f.Path+": there is another file with that name")
	case f.Change != "none":
		fmt.Fprintf(b, "  %-9s %s\n", f.Change, f.Path)
	}
	if f.Kept != "" {
		is := "is"
		if doc.DryRun {
			is = "would be"
		}
		say("  kept      ", "the changes made to it "+is+" in "+f.Kept)
	}
	if f.Unread > 0 && doc.Action != "undone" {
		say("  ", unreadText(f, doc.DryRun))
		say("  hint: ", "shorten "+f.Path+" by as much")
	}
}
