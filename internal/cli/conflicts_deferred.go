package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// deferredDoc is the answer of `conflicts deferred`.
type deferredDoc struct {
	Total int                    `json:"total"` // also those that are not shown
	Limit int                    `json:"limit"`
	Rows  []document.DeferredRow `json:"rows"` // oldest first
}

// replayedDoc is the answer of `conflicts deferred --replay`.
type replayedDoc struct {
	Retried   int `json:"retried"`
	Succeeded int `json:"succeeded"` // that came in now
	Failed    int `json:"failed"`    // that wait still
	Dead      int `json:"dead"`      // of these, tried often
}

// deferredFlags are what `conflicts deferred` is told.
type deferredFlags struct {
	status, inspect string
	limit           int
	replay          bool
}

// conflictsDeferredCommand tells in the words of the mem_* dialect what sync deferred tells.
func (p *program) conflictsDeferredCommand() *cobra.Command {
	var f deferredFlags
	cmd := &cobra.Command{
		Use:   "deferred",
		Short: "List changes from other stores that could not be applied yet",
		Long: `List changes from other stores that could not be applied yet: they refer to something that has not arrived, they are
dated in the future, or a person has to review them first (engram sync deferred, accept and drop).`,
		Example: examples("engram conflicts deferred", "engram conflicts deferred --replay --json"),
		Args:    between(0, 0),
		RunE:    p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error { return p.deferred(cmd, e, f) }),
	}
	cmd.Flags().StringVar(&f.status, "status", "", "only those with this `status`: use deferred or dead")
	cmd.Flags().StringVar(&f.inspect, "inspect", "", "show the change with this `sync id` in full")
	cmd.Flags().IntVar(&f.limit, "limit", 50, "maximum number of results")
	cmd.Flags().BoolVar(&f.replay, "replay", false, "try to apply them again")
	return cmd
}

func (p *program) deferred(cmd *cobra.Command, e *engine.Engine, f deferredFlags) error {
	switch {
	case f.status != "" && f.status != "deferred" && f.status != "dead":
		return invalidf("status %q does not exist", f.status).WithHint("use deferred or dead")
	case f.limit < 1:
		return invalidf("limit %d is out of range", f.limit).WithHint("a number from 1")
	}
	if f.replay {
		return p.replay(cmd, e)
	}
	all, err := e.Deferred(cmd.Context(), "")
	if err != nil {
		return err
	}
	if f.inspect != "" {
		return p.inspectDeferred(all, f.inspect)
	}
	doc := deferredDoc{Limit: f.limit, Rows: []document.DeferredRow{}}
	for _, d := range all {
		if f.status != "" && document.DeferredStatus(d) != f.status {
			continue
		}
		if doc.Total++; len(doc.Rows) < f.limit {
			doc.Rows = append(doc.Rows, document.DeferredRowOf(d))
		}
	}
	return p.answer(doc, doc.write)
}

func (d deferredDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "Deferred Changes\n  Total:  %d\n  Showing: %d\n", d.Total, len(d.Rows))
	for _, r := range d.Rows {
		fmt.Fprintf(b, "\n  number: %d\n  sync_id: %s\n  entity: %s\n  status: %s\n  retries: %d\n  reason: %s\n", r.Num, render.Plain(r.SyncID), r.Entity, r.ApplyStatus,
			r.RetryCount, render.Line(r.LastError, 0))
	}
}

// inspectDeferred shows the oldest that has this sync id, or this id.
func (p *program) inspectDeferred(all []engram.Deferred, id string) error {
	for _, d := range all {
		if doc := document.WaitingOf(d); doc.SyncID == id || doc.ID == id {
			return p.answer(deferredDoc{1, 1, []document.DeferredRow{document.DeferredRowOf(d)}}, func(b *strings.Builder) { p.writeDeferred(b, doc) })
		}
	}
	return engram.Errorf(engram.CodeNotFound, "deferred change %q does not exist", id).WithHint("{conflicts deferred} lists them")
}

func (p *program) replay(cmd *cobra.Command, e *engine.Engine) error {
	res, err := e.RetryDeferred(cmd.Context(), "")
	if err != nil {
		return err
	}
	doc := replayedDoc{Retried: res.Taken + len(res.Left), Succeeded: res.Taken, Failed: len(res.Left)}
	for _, d := range res.Left {
		if document.DeferredStatus(d) == "dead" {
			doc.Dead++
		}
	}
	return p.answer(doc, func(b *strings.Builder) {
		fmt.Fprintf(b, "Deferred Replay\n  Retried:   %d\n  Succeeded: %d\n  Failed:    %d\n  Dead:      %d\n", doc.Retried, doc.Succeeded, doc.Failed, doc.Dead)
	})
}
