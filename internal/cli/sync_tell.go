package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// answerFolded is answer for sentences: where they go to a terminal, lines are broken to its
// width.
func (p *program) answerFolded(doc any, text func(*strings.Builder)) error {
	return p.answer(doc, func(b *strings.Builder) { writeFolded(b, p.columns(), plainText(text)) })
}

// writeFolded writes each line of a text broken to so many columns.
func writeFolded(b *strings.Builder, columns int, text string) {
	for line := range strings.Lines(text) {
		line, end := strings.TrimSuffix(line, "\n"), strings.HasSuffix(line, "\n")
		b.WriteString(fold(line, hangingIndent(line), columns))
		if end {
			b.WriteByte('\n')
		}
	}
}

// chunkLines is how many chunks are told of, a line each.
const chunkLines = 20

// tellChunks tells what is to be said of chunks, a line each, and how many more there are.
func (p *program) tellChunks(notes []engram.ImportNote, what string) {
	for _, n := range notes[:min(len(notes), chunkLines)] {
		reason := strings.TrimPrefix(n.Reason, "chunk "+n.Item+": ")
		p.warn(render.Line(fmt.Sprintf("chunk %s %s: %s", n.Item, what, reason), 0))
	}
	if more := len(notes) - chunkLines; more > 0 {
		p.warn(fmt.Sprintf("and %d more chunks; --json lists all", more))
	}
}

// tellDamaged tells of chunks that nobody can use. What came in before is here, and is written
// again; what a stranger put there never was.
func (p *program) tellDamaged(ctx context.Context, s syncing, damaged []engram.ImportNote) error {
	ids := document.Each(damaged, func(n engram.ImportNote) string { return n.Item })
	known, err := s.KnownBatches(ctx, s.project, ids)
	if err != nil {
		return err
	}
	var ours, strange []engram.ImportNote
	for _, n := range damaged {
		if known[n.Item] {
			ours = append(ours, n)
		} else {
			strange = append(strange, n)
		}
	}
	p.tellChunks(ours, "is unusable; its content is written again")
	p.tellChunks(strange, "is damaged, was never imported here, and is skipped")
	return nil
}

// tellStrange tells of what lies among the chunks and is none.
func (p *program) tellStrange(notes []engram.ImportNote) {
	for _, n := range notes[:min(len(notes), chunkLines)] {
		p.warn(render.Line(n.Item+" among the chunks: "+n.Reason, 0))
	}
	if more := len(notes) - chunkLines; more > 0 {
		p.warn(fmt.Sprintf("and %d more files", more))
	}
}

// itemLines is how many lines are told of items.
const itemLines = 10

// tellSame tells what is to be said of items, those of one chunk in one line of which the same
// is to be said, and how many more there are.
func (p *program) tellSame(notes []engram.ImportNote, what string) {
	lines, left := sameNotes(notes), 0
	for n, same := range lines {
		if n >= itemLines {
			left += same.items
			continue
		}
		name := itemName(same.first)
		if same.first.Batch != "" {
			name = "chunk " + name
		}
		if more := same.items - 1; more > 0 {
			name += fmt.Sprintf(" and %d more", more)
		}
		p.warn(render.Line(fmt.Sprintf("%s %s: %s", name, what, same.first.Reason), 0))
	}
	if left > 0 {
		p.warn(fmt.Sprintf("and %s %s: --json lists them", count(left, "more item", "more items"), what))
	}
}

// sameNote is a note, and of how many items it was made.
type sameNote struct {
	first engram.ImportNote
	items int
}

// sameNotes puts notes together that say the same of items of one chunk.
func sameNotes(notes []engram.ImportNote) (all []sameNote) {
	type said struct{ chunk, reason string }
	at := map[said]int{}
	for _, n := range notes {
		key := said{n.Batch, n.Reason}
		if i, known := at[key]; known {
			all[i].items++
			continue
		}
		at[key] = len(all)
		all = append(all, sameNote{n, 1})
	}
	return all
}

// writeWaits says how much waits, apart by whether a person has to do something about it.
func writeWaits(b *strings.Builder, all, review int, dryRun bool) {
	for _, w := range []struct {
		n         int
		one, many string // behind "waits" and "wait"
	}{
		{review, "for your check: engram sync deferred", "for your check: engram sync deferred"},
		{all - review, "for its references or its date, and is imported automatically", "for their references or their dates, and are imported automatically"},
	} {
		switch {
		case w.n == 1 && dryRun:
			fmt.Fprintf(b, "1 item would be pending %s\n", w.one)
		case w.n == 1:
			fmt.Fprintf(b, "1 item is pending %s\n", w.one)
		case w.n > 1 && dryRun:
			fmt.Fprintf(b, "%d items would be pending %s\n", w.n, w.many)
		case w.n > 1:
			fmt.Fprintf(b, "%d items are pending %s\n", w.n, w.many)
		}
	}
}
