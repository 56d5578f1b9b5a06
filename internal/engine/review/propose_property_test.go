package review_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// However transcripts are split, copied and extended, and whatever is decided: each text is proposed once, and
// only accepted ones become memories.
func TestEachTextIsProposedOnce(t *testing.T) {
	t.Parallel()
	subjects := []string{"the importer reads files line by line", "passwords are hashed with argon2", "the menu closes when it loses the focus",
		"invoices are rounded once at the end", "backups go to another continent", "the compiler is pinned for each release"}
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		e, ctx := enginetest.New(outer), context.Background()
		proposed, accepted := map[string]bool{}, map[string]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "runs") {
			var in review.ProposeInput
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, len(subjects)-1), 1, 6).Draw(t, "found") {
				in = inTranscript(fmt.Sprintf("s%d", rapid.IntRange(1, 2).Draw(t, "session")), append(in.Found, found("We decided that "+subjects[n]+"."))...)
			}
			res, err := e.Proposer(false).Propose(ctx, in, rapid.IntRange(1, 4).Draw(t, "limit"))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range res.New {
				text := d.Record.Memory.Memory.Content
				if proposed[text] {
					t.Fatalf("%q was proposed twice", text)
				}
				proposed[text] = true
				switch rapid.SampledFrom([]string{"accept", "refuse", "wait"}).Draw(t, "decision") {
				case "accept":
					if _, err := e.AcceptProposal(ctx, d.Num, review.ProposalEdit{}); err != nil {
						t.Fatal(err)
					}
					accepted[text] = true
				case "refuse":
					if err := e.DropDeferred(ctx, d.Num); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		st, err := e.Stats(ctx, "")
		if err != nil || st.Memories != len(accepted) {
			t.Fatalf("%d memories, %v; want the %d that were accepted", st.Memories, err, len(accepted))
		}
	})
}
