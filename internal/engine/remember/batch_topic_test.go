package remember_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A file with a topic twice gives the same result at each save: the last text is current, the earlier ones are
// versions, and a second run revises nothing.
func TestATopicThatIsTwiceInABatchIsRevisedOnce(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	save := func(texts ...string) (revisions int, says string, op int64) {
		t.Helper()
		var ins []remember.SaveInput
		for _, text := range texts {
			ins = append(ins, remember.SaveInput{Title: "Ports", Content: text, TopicKey: "ports", Project: "p", Once: true})
		}
		all, err := e.Ingest(t.Context(), ins)
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.Get(t.Context(), engram.ByNum(1))
		if err != nil {
			t.Fatal(err)
		}
		return d.Memory.RevisionCount, d.Memory.Content, all[0].Op
	}
	for _, step := range []struct {
		name      string
		texts     []string
		revisions int
		says      string
		writes    bool
	}{
		{"the first run", []string{"8443", "9443"}, 2, "9443", true},
		{"the same once more", []string{"8443", "9443"}, 2, "9443", false},
		{"another last text", []string{"8443", "9443", "7443"}, 3, "7443", true},
		{"the same of that", []string{"8443", "9443", "7443"}, 3, "7443", false},
		{"back to the first one, on purpose", []string{"8443"}, 4, "8443", true},
		{"the other way round", []string{"9443", "8443"}, 4, "8443", false},
	} {
		revisions, says, op := save(step.texts...)
		if revisions != step.revisions || says != step.says || op != 0 != step.writes {
			t.Errorf("%s, %v\n got %d versions, %q, operation %d\nwant %d, %q, one: %v", step.name, step.texts, revisions, says, op, step.revisions, step.says, step.writes)
		}
	}
}
