package suspicion_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion"
)

const maxExcerpt = 160 // bytes

// labelled is one text of the lists in testdata: written for this test, each by hand, the
// suspicious ones after classes of attack, the others after what engineers note down. Some
// are there because the rule misses them, so that the figures say what it is worth.
type labelled struct {
	Text       string `json:"text"`
	Suspicious bool   `json:"suspicious"`
	Code       string `json:"code"` // one of the reasons that are to be given; empty for any
	Lang       string `json:"lang"`
}

func labels(t testing.TB, list string) (all []labelled) {
	t.Helper()
	file, err := os.ReadFile("testdata/" + list + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for sc := bufio.NewScanner(bytes.NewReader(file)); sc.Scan(); {
		var l labelled
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", sc.Text(), err)
		}
		all = append(all, l)
	}
	return all
}

// The lists differ in what the rule owes to them: labelled and fitted were looked at while it
// was written; so were the last 299 of fitted. Of the first 120 of these it found 23 of 68 orders,
// and took no memory for one, when they were new; of the next 119, with unseen, 50 of 97, and took
// 6 of 104 memories for one; of the last 60, written to have what it did not know, 6 of 30, and none
// of 30. heldout was parted from the others of fitted (by a bit of
// the hash of each text) before the rule was written, and which of its orders are missed was not
// looked at. unseen was written later, before the rule was read, by somebody else; a hash of the
// text parted it from what went to fitted. Which of its orders are missed was not looked at either,
// so that it says how the orders of a stranger fare.
// Nothing may be mended for a text of heldout or unseen unless that text moves to fitted, as two
// have of each.
func TestTheRuleTellsOrdersFromMemories(t *testing.T) {
	for _, list := range []struct {
		name                   string
		leastPrecision, recall float64
	}{{"labelled", 0.98, 0.92}, {"fitted", 0.95, 0.85}, {"heldout", 0.95, 0.85}, {"unseen", 0.95, 0.55}} {
		t.Run(list.name, func(t *testing.T) { tells(t, list.name, list.leastPrecision, list.recall) })
	}
}

func tells(t *testing.T, list string, leastPrecision, leastRecall float64) {
	var right, missed, wrong, ordinary int
	for _, l := range labels(t, list) {
		reasons := suspicion.Of(l.Text)
		switch {
		case l.Suspicious && len(reasons) > 0:
			right++
			if l.Code != "" && !slices.ContainsFunc(reasons, func(r suspicion.Reason) bool { return r.Code == l.Code }) {
				t.Errorf("%q\n got %+v\nwant a reason %s among them", l.Text, reasons, l.Code)
			}
		case l.Suspicious:
			missed++
			t.Logf("missed (%s): %q", l.Code, l.Text)
		case len(reasons) > 0:
			wrong++
			t.Logf("taken for an order: %q: %+v", l.Text, reasons)
		default:
			ordinary++
		}
	}
	precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
	t.Logf("of %d orders %d found, of %d memories %d let through: precision %.3f, recall %.3f", right+missed, right, ordinary+wrong, ordinary, precision, recall)
	if right+missed < 40 || ordinary+wrong < 30 {
		t.Errorf("the list has %d orders and %d memories, want 40 of each at least", right+missed, ordinary+wrong)
	}
	if precision < leastPrecision || recall < leastRecall {
		t.Errorf("precision %.3f, recall %.3f; want %.2f and %.2f at least", precision, recall, leastPrecision, leastRecall)
	}
}

func TestReasonsAreBoundedAndVisible(t *testing.T) {
	for _, l := range labels(t, "labelled") {
		for _, r := range suspicion.Of(l.Text) {
			if r.Code == "" || r.Why == "" || r.Excerpt == "" || len(r.Excerpt) > maxExcerpt || !utf8.ValidString(r.Excerpt) {
				t.Errorf("%q\n got %+v\nwant a code, a why, and an excerpt of 1 to %d bytes", l.Text, r, maxExcerpt)
			}
		}
	}
}
