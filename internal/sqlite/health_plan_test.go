package sqlite

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/health"
)

// A doctor reads whole tables, but not several to find the newest row, and none once per row of another.
func TestADoctorReadsNoMoreThanNeeded(t *testing.T) {
	s := planStore(t)
	for _, tt := range []struct {
		name string
		read func(*examination, context.Context) error
		want []string
	}{
		{"the live memories", func(x *examination, ctx context.Context) error { _, err := x.living(ctx); return err },
			[]string{"SCAN memories"}},
		{"what was made in the future", (*examination).clock,
			[]string{"SEARCH memories USING INDEX memories_recent (created_at>?)", "SEARCH sessions USING COVERING INDEX sessions_active (active_at>?)",
				"SEARCH prompts USING COVERING INDEX prompts_recent (created_at>?)", "SCAN (subquery-3)", "SCAN j"}},
		{"who wrote", (*examination).programs, []string{"SEARCH meta USING PRIMARY KEY (key>? AND key<?)"}},
		{"relations to nowhere", (*examination).relations, []string{"SCAN relations"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := planned(t, s, func(tx *tx) error {
				return tt.read(&examination{tx: tx, facts: &health.Facts{}}, t.Context())
			})
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
		})
	}
}
