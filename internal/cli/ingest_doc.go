package cli

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// mostIngested is how many rows of a kind the answer of `ingest` has: a file may have any
// number of memories, and none of them is held longer than its batch.
const mostIngested = 1000

// ingestedDoc is the answer of `ingest`.
type ingestedDoc struct {
	Read     int                   `json:"read"`     // what was found in the input, memories or not
	DryRun   bool                  `json:"dry_run"`  // nothing was saved; the rest says what would have been
	Saved    map[engine.Action]int `json:"saved"`    // how many, by what was done
	Rejected []rejectedRow         `json:"rejected"` // what was wrong, in the order of the input: the first thousand
	Wrong    int                   `json:"wrong"`    // how many were wrong in all
	Unsaved  int                   `json:"unsaved"`  // fine themselves, and not saved because one of their batch is wrong
	// Contested is how many pairs of memories were found that may contradict each other and wait
	// for a verdict, those that are not listed as well.
	Contested int           `json:"contested"`
	Warnings  []string      `json:"warnings"`
	Memories  []ingestedRow `json:"memories"` // what was saved, in the order of the input: the first thousand
	Ops       int           `json:"ops"`      // how many operations undo takes back; 0: nothing was changed
	FirstOp   int64         `json:"first_op"` // the first of them; 0 when there is none
	LastOp    int64         `json:"last_op"`  // the last
}

// rejectedRow is one item of the input that was not saved.
type rejectedRow struct {
	Item   int         `json:"item"` // its place, from 1
	Line   int         `json:"line"` // where it begins, from 1
	Code   engram.Code `json:"code"`
	Reason string      `json:"reason"`
}

func (r rejectedRow) String() string {
	return fmt.Sprintf("memory %d (line %d): %s", r.Item, r.Line, r.Reason)
}

type ingestedRow struct {
	document.Named
	Action     engine.Action        `json:"action"`
	Reason     string               `json:"reason"`
	Candidates []document.Candidate `json:"candidates"`
}

func newIngestedDoc(dryRun bool) ingestedDoc {
	return ingestedDoc{DryRun: dryRun, Saved: map[engine.Action]int{}, Rejected: []rejectedRow{}, Warnings: []string{}, Memories: []ingestedRow{}}
}

// saved is how many were.
func (d *ingestedDoc) saved() (n int) {
	for action, of := range d.Saved {
		if action != engine.ActionRepeated { // it was here
			n += of
		}
	}
	return n
}

// add tells of a batch that was saved.
func (d *ingestedDoc) add(saved []engine.SaveResult) {
	if op := saved[0].Op; op != 0 {
		if d.FirstOp == 0 {
			d.FirstOp = op
		}
		d.LastOp = op
		d.Ops++
	}
	said := map[string]bool{}
	for _, w := range d.Warnings {
		said[w] = true
	}
	for _, s := range saved {
		d.Saved[s.Action]++
		d.Contested += len(s.Candidates)
		if len(d.Memories) < mostIngested {
			d.Memories = append(d.Memories, ingestedRow{document.NamedOf(s.Memory), s.Action, s.Reason, document.Each(s.Candidates, candidateOf)})
		}
		for _, w := range s.Warnings {
			if !said[w] && len(d.Warnings) < mostIngested {
				said[w] = true
				d.Warnings = append(d.Warnings, w)
			}
		}
	}
}

func (d *ingestedDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s read", count(d.Read, "memory", "memories"))
	between := ": "
	part := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(b, "%s%d %s", between, n, what)
			between = ", "
		}
	}
	for _, a := range []engine.Action{engine.ActionInserted, engine.ActionRevised, engine.ActionRepeated, engine.ActionMerged} {
		if a == engine.ActionRepeated {
			part(d.Saved[a], "unchanged")
			continue
		}
		part(d.Saved[a], string(a))
	}
	part(d.Wrong, "wrong")
	part(d.Unsaved, "skipped with its batch")
	if d.DryRun {
		b.WriteString(" (dry run)")
	}
	fmt.Fprintln(b)
	if d.DryRun {
		return
	}
	if d.Contested > 0 {
		fmt.Fprintf(b, "%s of memories may contradict each other: engram conflicts list\n", count(d.Contested, "pair", "pairs"))
	}
	switch d.Ops {
	case 0:
	case 1:
		fmt.Fprintf(b, "To undo: engram undo %d\n", d.FirstOp)
	default: // others may have written meanwhile
		fmt.Fprintf(b, "To undo: engram undo %d..%d --verb ingest\n", d.FirstOp, d.LastOp)
	}
}
