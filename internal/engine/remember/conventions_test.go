package remember_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// with metadata saves a memory of project demo.
func noteWith(w enginetest.World, title, content string, metadata map[string]any) remember.SaveResult {
	w.Helper()
	return w.MustSave(remember.SaveInput{Title: title, Content: content, Project: "demo", Metadata: metadata})
}

func TestMetadataThatNeedsReviewIsFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Plain", "nothing to look at")
	num := noteWith(w, "Doubtful", "perhaps the cache is warm", map[string]any{"needs_review": true, "review_reason": "said twice"}).Memory.Num
	noteWith(w, "Reviewed", "the cache is cold", map[string]any{"needs_review": false})
	filter := engram.Filter{Project: "demo", Metadata: map[string]any{"needs_review": true}}
	for _, query := range []string{"", "  ", "cache"} {
		if got := enginetest.HitNums(w.MustSearch(search.SearchInput{Query: query, Filter: filter}).Hits); len(got) != 1 || got[0] != num {
			t.Errorf("search %q: got %v, want #%d", query, got, num)
		}
		res, err := w.Recall(t.Context(), search.RecallInput{SearchInput: search.SearchInput{Query: query, Filter: filter}})
		if err != nil || len(res.Items) != 1 || res.Items[0].Hit.Memory.Num != num {
			t.Errorf("recall %q: got %+v, %v; want #%d", query, res.Items, err, num)
		}
	}
	if got := w.MustList(filter); len(got) != 1 || got[0] != num {
		t.Errorf("list: got %v, want #%d", got, num)
	}
	both := map[string]any{"needs_review": true, "review_reason": "said once"}
	if got := w.MustList(engram.Filter{Project: "demo", Metadata: both}); len(got) != 0 {
		t.Errorf("list by %v: got %v, want nothing: all must fit", both, got)
	}
}

func TestMetadataBecomesRelations(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.MustSave(remember.SaveInput{Title: "Access token lifetime", Content: "Access tokens live 15 minutes in the shop API", Project: "demo"}).Memory
	side := w.Note("Release day", "We release on Monday")
	res := noteWith(w, "Access token lifetime", "Access tokens live 5 minutes in the shop API", map[string]any{
		"supersedes": string(old.ID), "supersedes_reason": "measured again", "related_to": []any{float64(side), "mem_doesnotexist", true}})
	now := res.Memory
	if len(res.Candidates) != 0 {
		t.Errorf("candidates: %+v, want none: the save says who wins", res.Candidates)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "related_to") {
		t.Errorf("warnings: %q, want one on related_to", res.Warnings)
	}
	var says []string
	for _, r := range w.Live(now.Num) {
		if r.Source != now.Num {
			t.Errorf("%+v does not begin at the saved memory", r)
		}
		says = append(says, string(r.Verb)+" "+r.Reason)
	}
	if len(says) != 2 || says[0] != "supersedes measured again" || !strings.HasPrefix(says[1], "relates_to") {
		t.Errorf("relations: %q, want supersedes with its reason and relates_to", says)
	}
	if now.Metadata["supersedes"] != string(old.ID) {
		t.Errorf("metadata: %v, want it to stay", now.Metadata)
	}
	if got := w.MustList(engram.Filter{Project: "demo", Current: true}); len(got) != 2 {
		t.Errorf("current: %v, want the old one hidden", got)
	}
}

func TestMetadataThatCannotBeRelations(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	gone := w.Note("Gone", "soon forgotten")
	if _, err := w.Forget(t.Context(), engram.ByNum(gone)); err != nil {
		t.Fatal(err)
	}
	other := w.MustSave(remember.SaveInput{Title: "Else", Content: "of another project", Project: "other"}).Memory.Num
	for _, value := range []any{"0f8fad5b-d9cb-469f-a165-70867728950e", float64(gone), float64(other), float64(1.5), "mem_x", ""} {
		res := noteWith(w, "Try", strings.Repeat("x ", len(w.Journal())), map[string]any{"supersedes": value})
		made := slices.ContainsFunc(w.Live(res.Memory.Num), engram.Relation.Supersedes)
		if len(res.Warnings) != 1 || made {
			t.Errorf("supersedes %v: warnings %q, a relation: %v; want one and none", value, res.Warnings, made)
		}
	}
}

func TestARepeatSaysItsMetadataOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.Note("Release day", "We release on Monday")
	for range 2 {
		noteWith(w, "Cache", "The importer writes the cache", map[string]any{"supersedes": float64(old)})
	}
	if rels := w.Live(old); len(rels) != 1 {
		t.Errorf("relations: %+v, want one", rels)
	}
}
