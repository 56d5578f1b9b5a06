package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

// Timeline returns what was saved around a memory, below each one its Marks. Sides with nothing on them are
// left out, and so is the session of a memory that has none.
func Timeline(t engram.Timeline, o Options) string {
	var b strings.Builder
	writeSession(&b, t, o)
	writeSide(&b, "Before", t.Before, t.Notes)
	m := t.Focus
	said, note := m.Content, t.Notes[m.Num]
	if utf8.RuneCountInString(said) > gist.Long {
		said = gist.Line(m, gist.Long)
	}
	title, said := once(m.Title, said)
	switch quoted := Quoted(m, note); {
	case quoted && strings.TrimSpace(said) == "":
		title, said = QuoteLine(title), Source(m, o)
	case quoted:
		title, said = QuoteLine(title), Source(m, o)+":\n"+Quote(said)
	}
	fmt.Fprintf(&b, ">>> #%d [%s] %s <<<\n", m.Num, typeOf(m), title)
	if said = strings.TrimSpace(said); said != "" {
		b.WriteString(listIndent + SetOff(said, listIndent) + "\n")
	}
	fmt.Fprintf(&b, "%s%s\n", listIndent, Time(m.CreatedAt, o))
	b.WriteString(markLines(t.Notes[m.Num], "    "))
	if len(t.After) > 0 {
		b.WriteByte('\n')
		writeSide(&b, "After", t.After, t.Notes)
	}
	return strings.TrimRight(b.String(), "\n")
}

func writeSession(b *strings.Builder, t engram.Timeline, o Options) {
	s := t.Session
	if s.ID == "" {
		return
	}
	fmt.Fprintf(b, "Session: %s (%s)", sessionName(s), Time(s.StartedAt, o))
	if len(t.Suspect) > 0 {
		b.WriteString(" — " + Summary(s, 100, t.Suspect))
	} else if summary := Line(gist.Of(s.Summary, 100), 0); summary != "" {
		b.WriteString(" — " + summary)
	}
	fmt.Fprintf(b, "\nTotal observations in session: %d\n\n", t.Total)
}

// Summary is what a session came to, as one line of at most most characters (0: all of it), and a
// quotation: a session does not say who wrote its summary, and it may have come with an import. It
// says beside it why it reads like an order to an agent, if it does.
func Summary(s engram.Session, most int, suspect []string) string {
	said := s.Summary
	if most > 0 && utf8.RuneCountInString(said) > most {
		said = gist.Of(said, most)
	}
	said = QuoteLine(said)
	if len(suspect) > 0 {
		said += " | " + suspectMark(suspect)
	}
	return said
}

// sessionName is what a session is called: by its project, and where that is none, by
// its id.
func sessionName(s engram.Session) string {
	if s.Project == "" {
		return Line(s.ID, 0)
	}
	return Line(s.Project, 0)
}

func writeSide(b *strings.Builder, name string, side []engram.Memory, notes engram.Notes) {
	if len(side) == 0 {
		return
	}
	fmt.Fprintf(b, "─── %s ───\n", name)
	for _, m := range side {
		fmt.Fprintf(b, "  #%d [%s] %s\n", m.Num, typeOf(m), Said(m, notes[m.Num], 150))
		b.WriteString(markLines(notes[m.Num], "    "))
	}
	b.WriteByte('\n')
}
