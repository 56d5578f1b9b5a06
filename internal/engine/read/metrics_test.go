package read_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func metrics(t *testing.T, e *engine.Engine, in read.MetricsInput) engram.Metrics {
	t.Helper()
	m, err := e.Metrics(t.Context(), in)
	if err != nil {
		t.Fatalf("metrics %+v: %v", in, err)
	}
	return m
}

func activity(a engram.Activity) string {
	hit, reads := a.HitRate()
	fallback, _ := a.FallbackRate()
	return fmt.Sprintf("%d events: %d saved, %d read, hit %.2f, fallback %.2f (%v), %d shown", a.Events(), a.Saves, a.Reads, hit, fallback, reads, a.Memories)
}

func TestMetricsTellWhatWasAskedAndSaved(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	enginetest.Same(t, "of an empty store", []string{activity(metrics(t, e, read.MetricsInput{}).Total)}, []string{"0 events: 0 saved, 0 read, hit 0.00, fallback 0.00 (false), 0 shown"})
	w.Note("Tokens", "Tokens live in cookies.")
	w.MustSession("s", "demo")
	for _, query := range []string{"tokens", "zeppelin", ""} {
		if _, err := e.Search(t.Context(), enginetest.Asked(query)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Context(t.Context(), brief.ContextInput{Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	m := metrics(t, e, read.MetricsInput{})
	enginetest.Same(t, "all", []string{activity(m.Total)}, []string{"5 events: 1 saved, 4 read, hit 0.75, fallback 0.25 (true), 3 shown"})
	var verbs, projects, days []string
	for _, v := range m.Operations {
		verbs = append(verbs, fmt.Sprint(v.Name, " ", v.Outcomes, " ", v.Events()))
	}
	enginetest.Same(t, "verbs", verbs, []string{"save map[inserted:1] 1", "search map[found:2 nothing:1] 3", "context map[found:1] 1"})
	for _, p := range m.Projects {
		projects = append(projects, fmt.Sprint(p.Name, " ", p.Events()))
	}
	enginetest.Same(t, "projects", projects, []string{" 3", "demo 2"})
	for _, d := range m.Days {
		days = append(days, fmt.Sprint(d.Day.Format(time.DateOnly), " ", d.Events()))
	}
	enginetest.Same(t, "days", days, []string{"2026-06-12 5"})
	if m.Sessions == 0 || m.Total.Tokens == 0 {
		t.Errorf("sessions and tokens: got %d and %d, want some", m.Sessions, m.Total.Tokens)
	}
	enginetest.Same(t, "of a project", []string{activity(metrics(t, e, read.MetricsInput{Project: "Demo"}).Total)}, []string{"2 events: 1 saved, 1 read, hit 1.00, fallback 0.00 (true), 1 shown"})

	w.Clock.Add(48 * time.Hour)
	if _, err := e.Search(t.Context(), enginetest.Asked("tokens")); err != nil {
		t.Fatal(err)
	}
	late := metrics(t, e, read.MetricsInput{Since: w.Clock.Now()})
	enginetest.Same(t, "since the day of today", []string{activity(late.Total)}, []string{"1 events: 0 saved, 1 read, hit 1.00, fallback 0.00 (true), 1 shown"})
	enginetest.Same(t, "sessions started since", []int{late.Sessions}, []int{0})
	w.MustSession("later", "demo")
	w.Clock.Add(time.Hour)
	late = metrics(t, e, read.MetricsInput{Since: w.Clock.Now()})
	enginetest.Same(t, "sessions since the day of today", []int{late.Sessions, late.Total.Events()}, []int{1, 1})
	if at := late.Since; at.Hour() != 0 || at.Location() != time.UTC {
		t.Errorf("since: got %v, want the beginning of the day", at)
	}

	_, err := e.Metrics(t.Context(), read.MetricsInput{Project: "nope"})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	_, err = e.Metrics(t.Context(), read.MetricsInput{Session: "nope"})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	_, err = e.Metrics(t.Context(), read.MetricsInput{Project: "demo", Session: "s"})
	enginetest.WantCode(t, err, engram.CodeInvalid)
}

func TestMetricsOfASessionAreReckonedFromWhatItWasShown(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	first := w.Note("Tokens", "Tokens live in cookies.")
	w.Note("Tokens of the mobile app", "Tokens live in the keychain of the mobile app.")
	w.MustSession("s", "demo")
	for _, query := range []string{"tokens live", "zeppelin", ""} {
		if _, err := e.SearchIn(t.Context(), "s", enginetest.Asked(query)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Save(t.Context(), remember.SaveInput{Content: "Cookies are httpOnly.", Project: "demo", SessionID: "s"}); err != nil {
		t.Fatal(err)
	}
	want := "4 events: 1 saved, 3 read, hit 0.67, fallback 0.33 (true), 4 shown"
	enginetest.Same(t, "the session", []string{activity(metrics(t, e, read.MetricsInput{Session: "s"}).Total)}, []string{want})
	if _, err := w.Delete(t.Context(), true, engram.ByNum(first)); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "after one was erased", []string{activity(metrics(t, e, read.MetricsInput{Session: "s"}).Total)}, []string{want})
}

// Hits that are not shown again still count as found, in counters and session alike.
func TestWhatIsNotShownAgainIsAHit(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	w.Note("Tokens", "Tokens live in cookies.")
	w.MustSession("s", "demo")
	before := metrics(t, e, read.MetricsInput{}).Total
	for _, query := range []string{"tokens live", "tokens live", "zeppelin"} {
		in := search.RecallInput{SearchInput: enginetest.Asked(query), SessionID: "s"}
		if _, err := e.Recall(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	all := metrics(t, e, read.MetricsInput{}).Total
	of := metrics(t, e, read.MetricsInput{Session: "s"}).Total
	want := []int{3, 2, 1}
	enginetest.Same(t, "reads, hits and memories that were counted", []int{all.Reads - before.Reads, all.Found - before.Found, all.Memories - before.Memories}, want)
	enginetest.Same(t, "reads, hits and memories of the session", []int{of.Reads, of.Found, of.Memories}, want)
}

// Metrics of a locked store include pending counters.
func TestMetricsKnowWhatWaits(t *testing.T) {
	t.Parallel()
	w, e := enginetest.Tallied(t)
	if _, err := e.Search(t.Context(), enginetest.Asked("tokens")); err != nil {
		t.Fatal(err)
	}
	other, err := enginetest.OpenStore(w.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = other.Update(t.Context(), func(engram.Tx) error {
		for range 2 {
			enginetest.Same(t, "while another writes", []string{activity(metrics(t, e, read.MetricsInput{}).Total)}, []string{"1 events: 0 saved, 1 read, hit 0.00, fallback 0.00 (true), 0 shown"})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
