package render

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

// The lines between the parts of a context, and above it.
const (
	contextTitle   = "## Memory from Previous Sessions\n\n"
	contextGap     = "\n"
	sessionsTitle  = "### Recent Sessions\n"
	promptsTitle   = "### Recent User Prompts\n"
	memoriesTitle  = "### Recent Observations\n"
	personalTitle  = "### Personal, in every project\n"
	withheldNote   = "(%d withheld: flagged as instruction-like and pending review: engram review)\n"
	promptsNote    = "(Prompts left out as instruction-like: %d)\n"
	shownAgainNote = "(This session has already seen all of these; there is nothing else to show.)\n"
)

// Context returns what a new session should know, "" when there is nothing. It ends
// in an empty line. Sections with nothing in them are left out.
func Context(c engram.Context, o Options) string {
	if c.Empty() {
		return ""
	}
	var b strings.Builder
	var sources Sources
	b.WriteString(contextTitle)
	if len(c.Sessions) > 0 {
		b.WriteString(sessionsTitle)
		for _, s := range c.Sessions {
			b.WriteString(ContextSession(s, o))
		}
		b.WriteString(contextGap)
	}
	if len(c.Prompts) > 0 {
		b.WriteString(promptsTitle)
		for _, p := range c.Prompts {
			b.WriteString(ContextPrompt(p, o))
		}
		b.WriteString(contextGap)
	}
	if len(c.Memories) > 0 {
		b.WriteString(memoriesTitle)
		for _, m := range c.Memories {
			b.WriteString(contextMemory(m, c.Notes[m.Num], &sources))
		}
		if c.Again {
			b.WriteString(shownAgainNote)
		}
		b.WriteString(contextGap)
	}
	if len(c.Personal) > 0 {
		b.WriteString(personalTitle)
		for _, m := range c.Personal {
			b.WriteString(contextMemory(m, c.Notes[m.Num], &sources))
		}
		b.WriteString(contextGap)
	}
	if c.Withheld > 0 {
		fmt.Fprintf(&b, withheldNote, c.Withheld)
	}
	if c.WithheldPrompts > 0 {
		fmt.Fprintf(&b, promptsNote, c.WithheldPrompts)
	}
	if c.Withheld+c.WithheldPrompts > 0 {
		b.WriteString(contextGap)
	}
	return b.String()
}

// ContextFrame is all that Context writes beside its lines when no section is empty:
// what a context costs at most before anything is in it.
func ContextFrame() string {
	return contextTitle + sessionsTitle + contextGap + promptsTitle + contextGap + memoriesTitle + shownAgainNote + contextGap + personalTitle + contextGap + withheldNote + promptsNote + contextGap
}

// ContextSession is the line of a session in a context. A summary that was not written here is a
// quotation, with its source.
func ContextSession(s engram.SessionActivity, o Options) string {
	line := fmt.Sprintf("- **%s** (%s)", sessionName(s.Session), Time(s.StartedAt, o))
	source, foreign := sourceOf(s.From)
	switch summary := Line(gist.Of(s.Summary, 200), 0); {
	case s.Withheld:
		line += ": the summary is left out as instruction-like"
	case summary != "" && foreign:
		line += ": " + source + ": " + QuoteLine(summary)
	case summary != "":
		line += ": " + summary
	}
	return fmt.Sprintf("%s [%d observations]\n", line, s.Memories)
}

// ContextPrompt is the line of a prompt in a context.
func ContextPrompt(p engram.Prompt, o Options) string {
	return fmt.Sprintf("- %s: %s\n", Time(p.CreatedAt, o), Line(p.Content, 200))
}

// ContextMemory is the line of a memory in a context, and below it a line for each of its
// Marks. It is the longest that it may be: a context says a source once.
func ContextMemory(m engram.Memory, n engram.Note) string { return contextMemory(m, n, &Sources{}) }

func contextMemory(m engram.Memory, n engram.Note, sources *Sources) string {
	title, said := once(m.Title, Line(gist.Line(m, 300), 0))
	source := ""
	if Quoted(m, n) {
		if source = sources.Of(m, Options{}); source != "" {
			source += ": "
		}
	}
	switch quoted := Quoted(m, n); {
	case quoted && said != "":
		said = source + QuoteLine(title+": "+said)
	case quoted:
		said = source + QuoteLine(title)
	case said != "":
		said = "**" + title + "**: " + said
	default:
		said = title
	}
	return fmt.Sprintf("- [%s] %s\n", typeOf(m), said) + markLines(n, "  ")
}
