package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
)

// deferredDoc is the answer of `conflicts deferred`.
type deferredDoc struct {
	Total int        `json:"total"`
	Limit int        `json:"limit"`
	Rows  []struct{} `json:"rows"`
}

// replayedDoc is the answer of `conflicts deferred --replay`.
type replayedDoc struct {
	Retried   int `json:"retried"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Dead      int `json:"dead"`
}

// conflictsDeferredCommand tells what came from another store and could not be applied.
// A store receives from nobody so far: every change in it was made here, and none waits.
func (p *program) conflictsDeferredCommand() *cobra.Command {
	var status, inspect string
	var limit int
	var replay bool
	cmd := &cobra.Command{
		Use:   "deferred",
		Short: "List changes from other stores that could not be applied yet",
		Long: `List changes that came from other stores and could not be applied yet, because what they speak of has not arrived.
As long as this store takes changes from no other one there are none.`,
		Example: examples("engram conflicts deferred", "engram conflicts deferred --replay --json"),
		Args:    between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case status != "" && status != "deferred" && status != "dead":
				return invalidf("status %q does not exist", status).WithHint("deferred or dead")
			case limit < 1:
				return invalidf("limit %d is out of range", limit).WithHint("a number from 1")
			case inspect != "":
				return engram.Errorf(engram.CodeNotFound, "deferred change %q does not exist", inspect).WithHint("{conflicts deferred} lists those there are")
			case replay:
				return p.answer(replayedDoc{}, func(b *strings.Builder) {
					fmt.Fprintln(b, "Deferred Replay\n  Retried:   0\n  Succeeded: 0\n  Failed:    0\n  Dead:      0")
				})
			}
			return p.answer(deferredDoc{Limit: limit, Rows: []struct{}{}}, func(b *strings.Builder) {
				fmt.Fprintln(b, "Deferred Changes\n  Total:  0\n  Showing: 0")
			})
		},
	}
	cmd.Flags().StringVar(&status, "status", "", "only those in a `state`: deferred or dead")
	cmd.Flags().StringVar(&inspect, "inspect", "", "show the one with this `sync id` whole")
	cmd.Flags().IntVar(&limit, "limit", 50, "show at most so many")
	cmd.Flags().BoolVar(&replay, "replay", false, "try again to apply them")
	return cmd
}
