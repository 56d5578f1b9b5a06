package sqlite

import (
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

func usePlans(t *testing.T) []planCase {
	ctx := t.Context()
	return []planCase{
		{name: "uses of a session", run: func(t *tx) error { _, err := t.Exposures(ctx, "s", engram.Page{Limit: 10}); return err },
			want: []string{"SEARCH s USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH u USING INDEX uses_session (session=?)",
				"SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN", "USE TEMP B-TREE FOR ORDER BY"},
			why: "what one session was shown, in order"},
		{name: "shown in a session", run: func(t *tx) error { _, err := t.Shown(ctx, "s", nil, nil); return err },
			want: []string{"SEARCH uses USING COVERING INDEX uses_session (session=? AND memory>?)"}},
		{name: "lately used", run: func(t *tx) error { _, err := t.LatelyUsed(ctx, "app", 10); return err },
			want: []string{"SCAN uses", "SCAN (subquery-1)", "USE TEMP B-TREE FOR GROUP BY", "USE TEMP B-TREE FOR ORDER BY"},
			why:  "the latest two thousand, whatever the number of all"},
		{name: "counts of uses", run: func(t *tx) error { _, err := t.ExposureCounts(ctx, []int64{1, 2}); return err },
			want: []string{"SEARCH uses EXISTS USING INDEX uses_asked (memory=?)", "SEARCH uses USING INDEX uses_asked (memory=?)"}},
		{name: "lasting memories of a project", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "app", Scope: "", Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: 10})
			return err
		},
			want: []string{"SEARCH m USING INDEX memories_lasting (project=?)"}},
		{name: "lasting memories", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "", Scope: "", Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: 10})
			return err
		},
			want: []string{"SCAN m USING INDEX memories_lasting", "USE TEMP B-TREE FOR ORDER BY"},
			why:  "the few that last, of all projects"},
		{name: "lasting memories beyond projects", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "", Scope: engram.ScopePersonal, Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: 10})
			return err
		},
			want: []string{"SEARCH m USING INDEX memories_beyond (scope=?)"}},
	}
}

func TestExposuresAreServedByAnIndex(t *testing.T) {
	s := planStore(t)
	for _, tt := range usePlans(t) {
		t.Run(tt.name, func(t *testing.T) {
			if got := planned(t, s, tt.run); !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %q\nwant %q\n(%s)", got, tt.want, tt.why)
			}
		})
	}
}

func TestOldExposuresAreDropped(t *testing.T) {
	s := planStore(t)
	start := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	put := func(n int, at time.Time) {
		t.Helper()
		us := make([]engram.Exposure, n)
		for i := range us {
			us[i] = engram.Exposure{At: at, SessionID: "s", Project: "app", Operation: "search", Memory: 1, Rank: 1, Tokens: 9}
		}
		if err := s.Update(t.Context(), func(tx engram.Tx) error { return tx.RecordUse(t.Context(), engram.Use{Exposures: us}) }); err != nil {
			t.Fatal(err)
		}
	}
	kept := func() (us []engram.Exposure) {
		t.Helper()
		err := s.View(t.Context(), func(r engram.Reader) (err error) {
			us, err = r.Exposures(t.Context(), "", engram.Page{Limit: 2 * keptUses})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return us
	}
	put(300, start)
	put(300, start.Add(keptFor))
	if n := len(kept()); n != 600 {
		t.Errorf("within %s: %d of 600 uses are kept", keptFor, n)
	}
	put(300, start.Add(keptFor+time.Hour))
	if us := kept(); len(us) != 600 || !us[0].At.Equal(start.Add(keptFor)) {
		t.Errorf("after %s: %d uses are kept, the first of %s; want 600 of later than %s", keptFor, len(us), us[0].At, start)
	}
	// Stands for a hundred thousand more exposures, which would take too long.
	err := s.Update(t.Context(), func(w engram.Tx) error {
		_, err := w.(*tx).Exec(t.Context(), `UPDATE uses SET num = num + ? WHERE num = (SELECT max(num) FROM uses)`, keptUses)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	put(300, start.Add(keptFor+time.Hour))
	if n := len(kept()); n != 301 {
		t.Errorf("after %d uses more %d are kept, want the latest 301", keptUses, n)
	}
}
