package sqlite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

// A chart of days runs one query per day, so none may scan the memories.
func TestCountsOverTimeAreServedByAnIndex(t *testing.T) {
	s := planStore(t)
	ctx := t.Context()
	edges := []time.Time{time.UnixMilli(1), time.UnixMilli(2)}
	for _, tt := range []planCase{
		{name: "memories made between", run: func(t *tx) error { _, err := t.MadeBetween(ctx, "", edges); return err },
			want: []string{"SEARCH memories USING INDEX memories_recent (created_at>? AND created_at<?)"}},
		{name: "memories of a project made between", run: func(t *tx) error { _, err := t.MadeBetween(ctx, "app", edges); return err },
			want: []string{"SEARCH memories USING INDEX memories_project_recent (project=? AND created_at>? AND created_at<?)"}},
		{name: "counters since a day", run: func(t *tx) error {
			_, err := t.Counters(ctx, engram.CounterQuery{Since: time.Unix(1e9, 0), ByDay: true, ByProject: true})
			return err
		}, want: []string{"SEARCH c USING PRIMARY KEY (day>?)", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)", "USE TEMP B-TREE FOR GROUP BY"},
			why: "days, projects and verbs are few"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := planned(t, s, tt.run); !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
		})
	}
}
