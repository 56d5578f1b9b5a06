package read_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestStatsTellHowMuchThereIsApart(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t) // on Friday, the 12th of June 2026
	over := func(in read.StatsInput) read.StatsOver {
		t.Helper()
		s, err := w.StatsOver(t.Context(), in)
		if err != nil {
			t.Fatalf("stats %+v: %v", in, err)
		}
		return s
	}
	w.Note("Tokens", "Tokens live in cookies.")
	w.Clock.Add(4 * 24 * time.Hour) // Tuesday of the week after
	for _, in := range []remember.SaveInput{{Content: "a fact", Type: "fact", Project: "other"}, {Content: "another", Project: "other"}} {
		if _, err := w.Save(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if s := over(read.StatsInput{}); s.Memories != 3 || len(s.Groups) != 0 || s.Pending != 0 || s.Revisions != 0 {
		t.Errorf("not apart: got %+v", s)
	}
	groups := func(in read.StatsInput) []string {
		t.Helper()
		return []string{fmt.Sprint(over(in).Groups)}
	}
	enginetest.Same(t, "by project", groups(read.StatsInput{By: engram.ByProject}), []string{"[{other 2 0} {demo 1 0}]"})
	enginetest.Same(t, "by type in a project", groups(read.StatsInput{By: "Type", Project: "Other"}), []string{"[{fact 1 0} {manual 1 0}]"})
	since := time.Date(2026, 6, 14, 0, 0, 0, 0, time.UTC)
	enginetest.Same(t, "by project since", groups(read.StatsInput{By: engram.ByProject, Since: since}), []string{"[{other 2 0}]"})
	enginetest.Same(t, "by day since", groups(read.StatsInput{By: engram.ByDay, Since: since}), []string{"[{2026-06-14 0 0} {2026-06-15 0 0} {2026-06-16 2 0}]"})
	weeks := over(read.StatsInput{By: engram.ByWeek}).Groups
	enginetest.Same(t, "the last weeks", []string{fmt.Sprint(len(weeks), weeks[24:])}, []string{"26 [{2026-06-08 1 0} {2026-06-15 2 0}]"})
	months := over(read.StatsInput{By: engram.ByMonth}).Groups
	enginetest.Same(t, "the last months", []string{fmt.Sprint(len(months), months[0], months[11])}, []string{"12 {2025-07-01 0 0} {2026-06-01 3 0}"})
	if n := len(over(read.StatsInput{By: engram.ByDay}).Groups); n != 30 {
		t.Errorf("the last days: got %d, want 30", n)
	}
	for _, in := range []read.StatsInput{{By: "colour"}, {By: engram.ByDay, Since: since.AddDate(-3, 0, 0)}} {
		_, err := w.StatsOver(t.Context(), in)
		enginetest.WantCode(t, err, engram.CodeInvalid)
	}
	_, err := w.StatsOver(t.Context(), read.StatsInput{Project: "nope"})
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

// A day with a clock change is still one day.
func TestDaysAreThoseOfTheZone(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	w := enginetest.NewWorld(t)
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, zone) // the day after
	e := engine.New(engine.Options{Store: w.Store, Now: func() time.Time { return now }, NewID: enginetest.IDs(), Zone: zone})
	for _, at := range []string{"2026-03-28T23:30:00+01:00", "2026-03-29T00:30:00+01:00", "2026-03-29T23:30:00+02:00", "2026-03-30T00:30:00+02:00"} {
		if now, err = time.Parse(time.RFC3339, at); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Save(t.Context(), remember.SaveInput{Content: at, Project: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := e.StatsOver(t.Context(), read.StatsInput{By: engram.ByDay, Since: now.AddDate(0, 0, -1)})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "days", []string{fmt.Sprint(s.Groups)}, []string{"[{2026-03-28 1 0} {2026-03-29 2 0} {2026-03-30 1 0}]"})
}
