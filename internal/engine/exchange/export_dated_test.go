package exchange_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// writtenTimes returns when the versions of the only memory of a file were written and replaced.
func writtenTimes(c enginetest.Clone, format string) (all [][2]time.Time) {
	c.Helper()
	var file bytes.Buffer
	if _, err := c.Export(c.Context(), &file, exchange.ExportInput{Format: format, Project: "shop"}); err != nil {
		c.Fatal(err)
	}
	var doc struct {
		Memories []struct {
			Rest struct {
				Revisions []struct {
					WrittenAt  time.Time `json:"written_at"`
					ReplacedAt time.Time `json:"replaced_at"`
				} `json:"revisions"`
			} `json:"engram"`
		} `json:"observations"`
	}
	if err := json.Unmarshal(file.Bytes(), &doc); err != nil {
		c.Fatalf("%s: %v", file.Bytes(), err)
	}
	if len(doc.Memories) != 1 {
		c.Fatalf("got %s, want one memory", file.Bytes())
	}
	for _, r := range doc.Memories[0].Rest.Revisions {
		all = append(all, [2]time.Time{r.WrittenAt, r.ReplacedAt})
	}
	return all
}

// A change of a tag is no new text, and the time when a text reached a machine is not when it was written.
func TestVersionsLeaveWithTheTimesOfTheirTexts(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	m := a.MustSave(remember.SaveInput{Title: "A", Content: "text one", Project: "shop"}).Memory
	written := []time.Time{m.CreatedAt}
	a.Clock.Add(time.Hour)
	if _, err := a.Update(t.Context(), remember.UpdateInput{Ref: engram.ByID(m.ID), AddTags: []string{"q"}}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"text two", "text three"} {
		a.Clock.Add(time.Hour)
		a.Edit(m.ID, text)
		d, err := a.Get(t.Context(), engram.ByID(m.ID))
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, d.Memory.UpdatedAt)
	}
	a.MustPush()
	b.Clock.Add(9 * time.Hour)
	b.MustPull()
	want := [][2]time.Time{{written[0], written[1]}, {written[1], written[2]}}
	for n, c := range cs {
		got := writtenTimes(c, exchange.NativeFormat)
		if len(got) != len(want) {
			t.Fatalf("clone %d: got %v, want %v", n, got, want)
		}
		for i := range want {
			if !got[i][0].Equal(want[i][0]) || !got[i][1].Equal(want[i][1]) {
				t.Errorf("clone %d, version %d: written and replaced at %v, want %v", n, i+1, got[i], want[i])
			}
		}
	}
}
