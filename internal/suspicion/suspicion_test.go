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

// labelled is one text of the lists in testdata, all written for this test: instructions after
// classes of attack, ordinary texts after the notes of engineers. The lists include instructions
// that are missed, so that the figures are honest.
type labelled struct {
	Text       string `json:"text"`
	Suspicious bool   `json:"suspicious"`
	Code       string `json:"code"` // of an expected reason; empty for any
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

// The rule was written on labelled and fitted. Of the last 299 texts of fitted, when they were
// new, it found 23 of 68 instructions in the first 120, with no false flag; 50 of 97 in the next
// 119 and unseen, with 6 of 104 false; and 6 of 30 in the last 60, which were written against its
// gaps. heldout was separated from fitted by a hash before the rule was written. unseen was
// written later by an author who had not read the rule, and separated by a hash. The misses in
// both were not examined. A text of heldout or unseen moves to fitted before the rule is changed
// for it; two of each have.
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
