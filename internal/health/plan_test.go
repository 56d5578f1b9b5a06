package health_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/health"
)

func TestPlanMendsWhatIsSafe(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*health.Facts)
		want   []health.Remedy
	}{
		{"nothing is to be mended", func(*health.Facts) {}, nil},
		{"the index is made anew", func(f *health.Facts) { f.Index.Missing.Add(1, 9) }, []health.Remedy{health.Reindex}},
		{"missing vectors are given", func(f *health.Facts) { f.Vectors.Missing.Add(1, 9) }, []health.Remedy{health.Embed}},
		{"those of a former model go", func(f *health.Facts) { f.Vectors.Former = []string{"old"} }, []health.Remedy{health.Embed}},
		{"wrong codes are made anew from the vectors", func(f *health.Facts) { f.Vectors.OffCode.Add(1, 9) }, []health.Remedy{health.Reindex}},
		{"wrong vectors are made anew, and the index with them",
			func(f *health.Facts) { f.Vectors.Stale.Add(1, 9); f.Vectors.Missing.Add(2, 9); f.Index.Dead.Add(1, 9) }, []health.Remedy{health.EmbedAnew}},
		{"relations to nowhere go", func(f *health.Facts) { f.Relations.Add(1, 9) }, []health.Remedy{health.RemoveRelations}},
		{"the log is emptied", func(f *health.Facts) { f.Log.Bytes = 100 << 20 }, []health.Remedy{health.ShortenLog}},
		{"sessions move", func(f *health.Facts) {
			f.Sessions.List = []health.Session{{ID: "manual-save-shop", Project: "till", Named: "shop"}, {ID: "s", Project: "till", Folder: "new", Source: "git_root"}}
		}, []health.Remedy{health.MoveSessions, health.MoveSessions}},
		{"a name alone makes no project", func(f *health.Facts) {
			f.Sessions.List = []health.Session{{ID: "manual-save-x", Project: "till", Named: "x"}}
		}, nil},
		{"a damaged file is left, but for its mode", func(f *health.Facts) {
			f.Damage.Problems, f.Files.Open = []string{"page 3"}, []health.Mode{{"f", 0o644, 0o600}}
			f.Index.Missing.Add(1, 9)
		}, []health.Remedy{health.CloseFiles}},
		{"what cannot be mended is told alone", func(f *health.Facts) { f.SQLite.Version = "3.0.0"; f.Clock.Last = f.Clock.Now.Add(time.Hour) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := well()
			tt.change(&f)
			var got []health.Remedy
			for _, s := range health.Plan(health.IDs(), f, health.DefaultPolicy()) {
				got = append(got, s.Remedy)
				if s.Reason == "" {
					t.Errorf("step %+v has no reason", s)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if steps := health.Plan([]health.ID{health.SQLiteVersion}, f, health.DefaultPolicy()); steps != nil {
				t.Errorf("for another check alone: got %v, want nothing", steps)
			}
		})
	}
}

// A version that writes alone updates its entry at most once a day; a write of another version in
// between shows.
func TestTakingTurnsShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
		var list []health.Program
		var order []string // versions in the order in which they began to write
		writes := map[string]int{}
		turns := rapid.SliceOfN(rapid.SampledFrom([]string{"1.0", "2.0", "3.0"}), 1, 12).Draw(t, "turns")
		for _, v := range turns {
			now = now.Add(time.Duration(rapid.IntRange(1, 3600).Draw(t, "seconds")) * time.Second)
			if p, write := health.Seen(v, now, list); write {
				list = append(slices.DeleteFunc(list, func(g health.Program) bool { return g.Version == v }), p)
				writes[v]++
			}
			if len(order) == 0 || order[len(order)-1] != v {
				order = append(order, v)
			}
		}
		mixed := len(order) > len(writes) // somebody came again
		f := well()
		f.Programs.Now, f.Programs.List = now, list
		if c := health.Judge(health.BinaryVersions, f, health.DefaultPolicy()); (c.Result == health.Warning) != mixed {
			t.Errorf("turns %v: got %s (%s), want a warning: %v\nentries %+v", turns, c.Result, c.Message, mixed, list)
		}
		if len(writes) == 1 && writes[turns[0]] != 1 {
			t.Errorf("turns %v: got %d writes, want one", turns, writes[turns[0]])
		}
	})
}
