package retrieval_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// may is a day of May 2026.
func may(day int) time.Time { return time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC) }

func TestTimePrior(t *testing.T) {
	week := retrieval.Span{From: may(4), To: may(11)}
	exact := retrieval.Span{From: may(4), To: may(5), Exact: true}
	soft := week
	soft.Soft = true
	for _, tt := range []struct {
		name    string
		created time.Time
		spans   []retrieval.Span
		want    float64
	}{
		{"no time is asked for", may(5), nil, 1},
		{"within", may(5), []retrieval.Span{week}, 1.3},
		{"the first moment is within", may(4), []retrieval.Span{week}, 1.3},
		{"a width before is worth half", may(4).AddDate(0, 0, -7), []retrieval.Span{week}, 1.15},
		{"and so is a width after", may(18), []retrieval.Span{week}, 1.15},
		{"ten widths away next to nothing is left", may(11).AddDate(0, 0, 70), []retrieval.Span{week}, 1.003},
		{"a day with its year is meant", may(4), []retrieval.Span{exact}, 2},
		{"but may be a day off", may(6), []retrieval.Span{exact}, 1.5},
		{"an hour fades like a day", may(5).Add(time.Hour), []retrieval.Span{{From: may(4), To: may(4).Add(time.Hour), Exact: true}}, 1.5},
		{"a decade fades like three months", time.Date(2030, 4, 1, 0, 0, 0, 0, time.UTC),
			[]retrieval.Span{{From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}}, 1.15},
		{"recently parts equals", may(5), []retrieval.Span{soft}, 1.02},
		{"the best of several counts", may(5), []retrieval.Span{soft, week, {To: may(1)}}, 1.3},
		{"since has no end", may(30).AddDate(80, 0, 0), []retrieval.Span{{From: may(4)}}, 1.3},
		{"until has no beginning", time.Time{}, []retrieval.Span{{To: may(4)}}, 1.3},
		{"and fades by a month", may(4).AddDate(0, 0, 30), []retrieval.Span{{To: may(4)}}, 1.15},
		{"a span without bounds is all of time", may(4), []retrieval.Span{{}}, 1.3},
		{"the ends of time are far apart and no more", time.Time{}, []retrieval.Span{week}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := retrieval.TimePrior(tt.created, tt.spans); math.Abs(got-tt.want) > 1e-4 {
				t.Errorf("TimePrior(%v, %+v): got %v, want %v", tt.created, tt.spans, got, tt.want)
			}
		})
	}
}

func TestTimePriorIsBoundedAndFallsWithDistance(t *testing.T) {
	at := rapid.Custom(func(t *rapid.T) time.Time {
		return time.UnixMilli(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "ms"))
	})
	rapid.Check(t, func(t *rapid.T) {
		s := retrieval.Span{From: at.Draw(t, "from"), To: at.Draw(t, "to"), Exact: rapid.Bool().Draw(t, "exact"), Soft: rapid.Bool().Draw(t, "soft")}
		if s.To.Before(s.From) {
			s.From, s.To = s.To, s.From
		}
		created := at.Draw(t, "created")
		got := retrieval.TimePrior(created, []retrieval.Span{s})
		if !(got >= 1 && got <= 2) {
			t.Fatalf("TimePrior(%v, %+v): %v is not from 1 to 2", created, s, got)
		}
		further := created.Add(time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "more")))
		if more := retrieval.TimePrior(further, []retrieval.Span{s}); !created.Before(s.To) && more > got {
			t.Errorf("TimePrior(%+v): %v at %v, but %v at %v, which is further", s, got, created, more, further)
		}
		if both := retrieval.TimePrior(created, []retrieval.Span{s, {From: at.Draw(t, "another")}}); both < got {
			t.Errorf("another span takes away: %v, then %v", got, both)
		}
	})
}

func TestSpansAreTheIntervalsOfAQuestion(t *testing.T) {
	now := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	got := retrieval.Spans(text.Times("what changed on 4 May 2026 or last week, since the release", now))
	want := []retrieval.Span{{From: may(4), To: may(5), Exact: true}, {From: may(11), To: may(18)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
