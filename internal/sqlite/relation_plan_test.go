package sqlite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Relations are found by their ends: the relations of a memory must not cost a scan of all.
func TestRelationsAreFoundByTheirEnds(t *testing.T) {
	s := planStore(t)
	ctx := t.Context()
	for _, tt := range []planCase{
		{name: "relations of a verb, so many", run: func(t *tx) error {
			_, err := engram.RelationsOf(ctx, t, []int64{3}, []engram.Verb{engram.VerbSupersedes}, 5)
			return err
		}, want: []string{"SEARCH r USING INTEGER PRIMARY KEY (rowid=?)", "SCAN m VIRTUAL TABLE INDEX 1:",
			"SEARCH relations EXISTS USING COVERING INDEX relations_source (source=?)", "SCAN v VIRTUAL TABLE INDEX 1:",
			"SEARCH n USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH relations USING COVERING INDEX relations_source (source=? AND verb=? AND removed_at=?)",
			"USE TEMP B-TREE FOR ORDER BY", "SEARCH relations EXISTS USING COVERING INDEX relations_target (target=?)",
			"SEARCH relations USING COVERING INDEX relations_target (target=? AND verb=? AND removed_at=?)"},
			why: "the two ends are merged by number"},
		{name: "relations between two", run: func(t *tx) error { _, err := engram.RelationsBetween(ctx, t, 3, 4); return err },
			want: []string{"SEARCH r USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH relations USING INDEX relations_live (source=? AND target=?)",
				"USE TEMP B-TREE FOR ORDER BY"},
			why: "the two directions are merged by number"},
		{name: "removed relations", run: func(t *tx) error {
			_, err := engram.RemovedRelations(ctx, t, []int64{3}, time.UnixMilli(1))
			return err
		}, want: []string{"SEARCH r USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH relations USING COVERING INDEX relations_source (source=?)",
			"USE TEMP B-TREE FOR ORDER BY", "SEARCH relations USING COVERING INDEX relations_target (target=?)"},
			why: "as for those that are there"},
		{name: "list of what nothing supersedes", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "app", Current: true}, engram.Page{Limit: 10})
			return err
		}, want: []string{"SEARCH m USING INDEX memories_project_recent (project=?)", "SEARCH r USING INDEX relations_target (target=? AND verb=? AND removed_at=?)",
			"SEARCH n USING INTEGER PRIMARY KEY (rowid=?)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := planned(t, s, tt.run); !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
			for _, step := range tt.want {
				if tt.why == "" && costly(step) {
					t.Errorf("%q needs a reason", step)
				}
			}
		})
	}
}
