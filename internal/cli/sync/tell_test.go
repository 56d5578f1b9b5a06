package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
)

func TestWhatIsTheSameOfManyItemsIsToldOnce(t *testing.T) {
	note := func(item, reason string) engram.ImportNote {
		chunk, _, placed := strings.Cut(item, " ")
		if !placed {
			chunk = ""
		}
		return engram.ImportNote{Item: item, Batch: chunk, Reason: reason}
	}
	got := ""
	for _, same := range sameNotes([]engram.ImportNote{
		note("0a observations[0]", "of bank"), note("0a observations[1]", "of bank"), note("0b observations[0]", "of bank"),
		note("0a observations[2]", "too long"), note("0a observations[3]", "of bank"), note("observations[0]", "of bank"), note("observations[9]", "of bank"),
	}) {
		got += fmt.Sprintf("%s %s %d\n", same.first.Item, same.first.Reason, same.items)
	}
	want := "0a observations[0] of bank 3\n0b observations[0] of bank 1\n0a observations[2] too long 1\nobservations[0] of bank 2\n"
	if got != want {
		t.Errorf("got\n%s\nwant, by chunk and reason in the order of the first,\n%s", got, want)
	}
}

// People who can push choose all names; none of them may look like a line of the program.
func TestWhatIsToldOfAnItemIsOneLine(t *testing.T) {
	var said strings.Builder
	p := &command.Program{Options: command.Options{Stderr: &said}}
	notes := []engram.ImportNote{{Item: "memories[0]", Name: "a\nhint: run this", Reason: "too long\r\nhint: and this"}}
	p.ReportItems(notes, "not imported")
	reportSame(p, notes, "not imported")
	want := strings.Repeat("warning: memories[0] (a hint: run this) not imported: too long hint: and this\n", 2)
	if said.String() != want {
		t.Errorf("got %q, want %q", said.String(), want)
	}
}

// No sentence of sync is wider than the terminal, and pending items are listed within it.
func TestSyncFitsNarrowTerminals(t *testing.T) {
	for _, columns := range []int{50, 80} {
		var b strings.Builder
		status := SyncStatusDoc{Project: "a-project-with-a-long-name", Deferred: 1234, Review: 617, Unpushed: kindCounts{12, 1234, 12, 123, 4}}
		pulled := PulledDoc{Deferred: 1, Projects: []string{"bank", "shop", "another-project", "and-one-more", "and-yet-another-one"},
			Chunks: []pulledChunk{{chunkDoc: chunkDoc{ID: "0123abcd", By: "somebody-with-a-long-name"}, Op: 12345, Added: 1000, Changed: 100}}}
		pushed := PushedDoc{Project: "a-project-with-a-long-name", DryRun: true, Anew: []string{".gitattributes", ".gitignore", "manifest.json"}}
		for _, write := range []func(*strings.Builder){status.write, pulled.write, pushed.write} {
			writeFolded(&b, columns, command.PlainText(write))
		}
		for line := range strings.Lines(b.String()) {
			if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > columns {
				t.Errorf("%d columns: %q has %d", columns, line, w)
			}
		}
	}
}
