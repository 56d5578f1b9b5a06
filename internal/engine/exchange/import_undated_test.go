package exchange_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Relations without times are older than all others: what one import decided between them stays, and so do later
// local verdicts.
func TestRelationsWithoutTimesDecideOnce(t *testing.T) {
	t.Parallel()
	const file = `{"format":"engram","version":1,
"memories":[{"id":"mem_01m80fjn7a50pm95tw19tb75ga","project":"shop","content":"one","created_at":"2026-01-02T03:04:05Z"},
{"id":"mem_01m80fjn7a50pm95tw19tb75gb","project":"shop","content":"two","created_at":"2026-01-02T03:04:05Z"}],
"relations":[{"source":"mem_01m80fjn7a50pm95tw19tb75ga","relation":"supersedes","target":"mem_01m80fjn7a50pm95tw19tb75gb"},
{"source":"mem_01m80fjn7a50pm95tw19tb75gb","relation":"supersedes","target":"mem_01m80fjn7a50pm95tw19tb75ga"},
{"source":"mem_01m80fjn7a50pm95tw19tb75ga","relation":"contradicts","target":"mem_01m80fjn7a50pm95tw19tb75gb"}]}`
	p := enginetest.NewParts(t)
	first := enginetest.Imported(t, p.Engine, file, exchange.ImportInput{})
	if first.Relations.Added != 1 || len(first.Rejected) != 2 {
		t.Fatalf("the first import: %+v; want one relation, and two that another stands for", first)
	}
	p.Clock.Add(time.Hour)
	if again := enginetest.Imported(t, p.Engine, file, exchange.ImportInput{}); again.Op != 0 || len(again.Rejected) != 2 {
		t.Errorf("the second import: %+v; want what it was", again)
	}
	source, target := engram.ByID("mem_01m80fjn7a50pm95tw19tb75ga"), engram.ByID("mem_01m80fjn7a50pm95tw19tb75gb")
	if _, err := p.Engine.Link(t.Context(), relate.LinkInput{Source: source, Target: target, Verb: "supersedes", Reason: "said here"}); err != nil {
		t.Fatal(err)
	}
	p.Clock.Add(time.Hour)
	if third := enginetest.Imported(t, p.Engine, file, exchange.ImportInput{}); third.Op != 0 {
		t.Errorf("after something was said here: %+v; want nothing changed", third)
	}
}
