package search_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestTypesAndProjectsAreFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	save := func(typ engram.Type, title, content, project string) int64 {
		w.Clock.Add(time.Hour)
		in := remember.SaveInput{Type: typ, Title: title, Content: content, Project: project}
		return w.MustSave(in).Memory.Num
	}
	postgres := save(engram.TypeDecision, "Postgres", "Bookings are stored in Postgres.", "demo")
	login := save(engram.TypeBugfix, "Login loop", "A cookie without a path made the login page load again and again.", "demo")
	w.Clock.Add(30 * 24 * time.Hour)
	tokens := save(engram.TypeDecision, "Tokens", "Access tokens live fifteen minutes.", "demo")
	upload := save(engram.TypeBugfix, "Upload of photographs", "Large photographs were cut off by the proxy.", "demo")
	gotcha := save("gotcha", "Staging clock", "The clock of staging runs two minutes behind.", "demo")
	talk := save("", "Meeting", "A decision about the office plants was put off.", "demo")
	shop := save("", "Prices", "Prices are rounded up.", "shop")
	for _, c := range []struct {
		query, project string
		want           []int64
	}{
		{"what decisions did we make", "demo", []int64{tokens, postgres}},
		{"decisions", "demo", []int64{tokens, postgres}},
		{"bugs we fixed", "demo", []int64{upload, login}},
		{"bugs we fixed today", "demo", []int64{upload}},
		{"gotcha", "demo", []int64{gotcha}},
		{"what gotchas do we have", "demo", []int64{gotcha}},
		{"shop", "", []int64{shop}},
	} {
		found := w.MustSearch(search.SearchInput{Query: c.query, Filter: engram.Filter{Project: c.project}})
		enginetest.Same(t, c.query, enginetest.HitNums(found.Hits), c.want)
	}
	found := w.MustSearch(search.SearchInput{Query: "decision", Filter: engram.Filter{Project: "demo"}})
	for _, num := range []int64{talk, tokens, postgres} {
		if !slices.Contains(enginetest.HitNums(found.Hits), num) {
			t.Errorf("decision: got %v, want #%d too", enginetest.HitNums(found.Hits), num)
		}
	}
	found = w.MustSearch(search.SearchInput{Query: "bugs we fixed with the cookie of the login page", Filter: engram.Filter{Project: "demo"}})
	if len(found.Hits) == 0 || found.Hits[0].Memory.Num != login || !strings.Contains(strings.Join(found.Hits[0].Why.Notes, ";"), "of type bugfix") {
		t.Errorf("got %+v, want #%d for its type", found.Hits, login)
	}
}

func TestToolsAreFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	save := func(tool, title, content string) int64 {
		w.Clock.Add(time.Hour)
		return w.MustSave(remember.SaveInput{Title: title, Content: content, Project: "demo", ToolName: tool}).Memory.Num
	}
	disk := save("Bash", "Disk of staging", "Twelve gigabytes are left.")
	issue := save("mcp__tracker__create_ticket", "Flaky upload", "Reported as number 40.")
	port := save("", "Port of staging", "Staging listens on 8443.")
	told := save("", "Completion", "Completion in bash needs a new shell.")
	for _, c := range []struct {
		query string
		want  []int64 // the first of the hits
	}{
		{"bash", []int64{told, disk}}, // a text with the word first
		{"tracker", []int64{issue}},
		{"what did bash say about the disk", []int64{disk}},
		{"ticket for the upload", []int64{issue}},
		{"staging", []int64{port, disk}},
	} {
		found := w.MustSearch(search.SearchInput{Query: c.query, Filter: engram.Filter{Project: "demo"}})
		got := enginetest.HitNums(found.Hits)
		enginetest.Same(t, c.query, got[:min(len(got), len(c.want))], c.want)
	}
	found := w.MustSearch(search.SearchInput{Query: "bash", Filter: engram.Filter{Project: "demo"}})
	if notes := strings.Join(found.Hits[1].Why.Notes, ";"); notes != "is from the tool Bash, which the question names" {
		t.Errorf("got %q", notes)
	}
	// All words are those of the text.
	found = w.MustSearch(search.SearchInput{Query: "bash", All: true, Filter: engram.Filter{Project: "demo"}})
	enginetest.Same(t, "all words", enginetest.HitNums(found.Hits), []int64{told})

	w.Clock.Add(time.Hour)
	then := w.Clock.Now()
	w.Clock.Add(time.Hour)
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(disk), Title: new("Disk of production")})
	found = w.MustSearch(search.SearchInput{Query: "bash", AsOf: then, Filter: engram.Filter{Project: "demo"}})
	enginetest.Same(t, "as of then", enginetest.HitNums(found.Hits), []int64{told, disk})
}

// A tool that reported nearly all makes no word usual: what says it in its text stays first.
func TestAToolOfMostMemoriesHidesNoText(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 60 {
		w.MustSave(remember.SaveInput{Title: "Review " + strconv.Itoa(i), Content: "The timeout of the job is too short, part " + strconv.Itoa(i), Project: "demo", ToolName: "claude-code"})
	}
	want := w.MustSave(remember.SaveInput{Title: "Hooks", Content: "Claude ends a hook after ten seconds.", Project: "demo"}).Memory.Num
	found := w.MustSearch(search.SearchInput{Query: "timeout claude", Filter: engram.Filter{Project: "demo"}})
	if len(found.Hits) == 0 || found.Hits[0].Memory.Num != want {
		t.Errorf("got %v, want #%d first", enginetest.HitNums(found.Hits), want)
	}
}
