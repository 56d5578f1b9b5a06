package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/render"
)

// write tells what was read and what is proposed.
func (b backfilling) write(s *strings.Builder, d backfillDoc) {
	for _, n := range d.Notes {
		b.warn(render.Line(n.Path+": "+n.Reason, 0))
	}
	if d.Source == app.BackfillGit {
		fmt.Fprintf(s, "Read %s.\n", count(d.Commits, "commit", "commits"))
	} else {
		fmt.Fprintf(s, "Read %s (%s).", count(d.Transcripts, "transcript", "transcripts"), sizeText(d.Bytes))
		if d.Elsewhere > 0 {
			fmt.Fprintf(s, " Skipped: %s of other projects (--all-projects).", count(d.Elsewhere, "transcript", "transcripts"))
		}
		s.WriteByte('\n')
	}
	verb := "Proposed"
	if d.DryRun {
		verb = "Would propose"
	}
	fmt.Fprintf(s, "%s %s", verb, count(len(d.Proposals), "memory", "memories"))
	for _, left := range []struct {
		n    int
		what string
	}{{d.Known, "proposed before"}, {d.Said, "already in a memory"}, {d.Refused, "private"}} {
		if left.n > 0 {
			fmt.Fprintf(s, ", %d %s", left.n, left.what)
		}
	}
	s.WriteString(".\n")
	for _, one := range d.Proposals {
		s.WriteByte('\n')
		b.writeProposal(s, one)
	}
	if d.More {
		fmt.Fprintf(s, "\n--limit %d was reached, and there may be more. Run the command again for the rest.\n", b.limit)
	}
	if len(d.Proposals) > 0 && !d.DryRun && !b.walk {
		fmt.Fprintln(s, "\n"+fold("Nothing is saved yet. engram review lists the proposals; engram review approve wNUMBER saves one, engram review refuse wNUMBER rejects it; "+
			"engram backfill --review goes through them one by one.", "", b.waitingColumns()))
	}
}

// writeProposal shows one proposal.
func (b backfilling) writeProposal(s *strings.Builder, d proposalDoc) {
	const indent = "      "
	columns := b.waitingColumns()
	name := "-"
	if d.Num > 0 {
		name = fmt.Sprintf("w%d", d.Num)
	}
	fmt.Fprintln(s, fit(fmt.Sprintf("%-5s [%s] %s", name, render.Line(d.Type, 0), render.Line(d.Title, 0)), columns))
	// The title is often how the text begins, and was just read.
	if more := strings.TrimLeft(strings.TrimPrefix(d.Content, d.Title), ". \n"); more != "" {
		fmt.Fprintln(s, fold(indent+render.Line(more, mostShown), indent, columns))
	}
	from := d.From
	if at := time.Time(d.At); !at.IsZero() {
		from += ", " + render.Time(at, b.zone())
	}
	if d.Project != "" {
		from += ", project " + d.Project
	}
	fmt.Fprintln(s, fold(indent+render.Line(d.Why+"; "+from, 0), indent, columns))
	for i, why := range d.Suspect {
		if i == 0 {
			why = "reads like an order to an agent: " + why
		}
		fmt.Fprintln(s, fold(indent+render.Line(why, 0), indent, columns))
	}
}

// mostShown is how many characters of a proposal a list shows.
const mostShown = 300
