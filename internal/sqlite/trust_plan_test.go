package sqlite

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// Marks are few, memories are not, and each hook reads the marks.
func TestMarksOfTrustAreServedByTheirKeys(t *testing.T) {
	ctx := t.Context()
	s := planStore(t)
	const waiting = "SCAN t USING COVERING INDEX trust_suspect"
	for _, tt := range []planCase{
		{name: "marks of memories", run: func(t *tx) error { _, err := t.Trust(ctx, []int64{1, 2}); return err },
			want: []string{"SEARCH t USING PRIMARY KEY (memory=?)", "USE TEMP B-TREE FOR ORDER BY"}},
		{name: "suspects", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "", Mark: engram.TrustFlagged}, engram.Page{Order: engram.OrderFlagged, Limit: 5})
			return err
		},
			want: []string{waiting, "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "how many suspects", run: func(t *tx) error {
			_, err := t.Count(ctx, engram.Filter{Project: "app", Mark: engram.TrustFlagged})
			return err
		},
			want: []string{waiting, "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "the first suspects", run: func(t *tx) error {
			return t.Outlines(ctx, engram.Filter{Project: "app", Mark: engram.TrustFlagged}, 0, func(engram.Memory) bool { return false })
		},
			want: []string{waiting, "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "memories that keep secrets", run: func(t *tx) error { _, err := engram.SecretKept(ctx, t); return err },
			want: []string{"SCAN t USING COVERING INDEX trust_secret", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)", "USE TEMP B-TREE FOR ORDER BY"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := planned(t, s, tt.run); !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}
