package sqlite

import (
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

func TestVitalsAndReviewsAreServedByAnIndex(t *testing.T) {
	ctx := t.Context()
	vitals := func(f engram.Filter) func(*tx) error {
		return func(t *tx) error { return t.Outlines(ctx, f, 0, func(engram.Memory) bool { return true }) }
	}
	due := []string{"SEARCH m USING INDEX memories_review (review_after>? AND review_after<?)",
		"SEARCH r USING INDEX relations_target (target=? AND verb=? AND removed_at=?)", "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)"}
	s := planStore(t)
	for _, tt := range []planCase{
		{name: "vitals", run: vitals(engram.Filter{}), want: []string{"SCAN m USING INDEX memories_recent"}, why: "all are asked for"},
		{name: "vitals of a project", run: vitals(engram.Filter{Project: "app"}),
			want: []string{"SEARCH m USING INDEX memories_project_recent (project=?)"}},
		{name: "reviews", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "", DueBefore: time.UnixMilli(1)}, engram.Page{Order: engram.OrderDue, Limit: 10})
			return err
		},
			want: due, why: "few are due, and fewer were replaced"},
		{name: "reviews of a project", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "app", DueBefore: time.UnixMilli(1)}, engram.Page{Order: engram.OrderDue, Limit: 10})
			return err
		},
			want: due, why: "few are due, in all projects together"},
		{name: "what a session read", run: func(t *tx) error { _, err := t.Shown(ctx, "s", []string{"get"}, []int64{1}); return err },
			want: []string{"SEARCH uses USING INDEX uses_session (session=? AND memory=?)"}},
		{name: "decay of projects", run: func(t *tx) error { _, err := t.Decays(ctx); return err },
			want: []string{"SCAN projects USING INDEX projects_decay"}, why: "those that have one, which are few or none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := planned(t, s, tt.run); !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %q\nwant %q\n(%s)", got, tt.want, tt.why)
			}
		})
	}
}
