package notebook_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram/internal/attend"
)

// Of those who want the same at once one gets it, also while others note much and the file is
// written anew.
func TestOneOfManyClaims(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const claimers, things = 6, 40
	for range 130 { // nearly as much as a session may note
		if err := open(dir).Add("s", attend.Note{At: at(1), Kind: attend.KindTool, Text: strings.Repeat("x", 4000)}); err != nil {
			t.Fatal(err)
		}
	}
	won := make([]int, things)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range claimers {
		wg.Go(func() {
			n := open(dir)
			for i := range things {
				thing, mine := strings.Repeat("a", i+1), false
				err := n.Claim("s", []string{"told"}, func(noted []attend.Note) []attend.Note {
					if slices.ContainsFunc(noted, func(n attend.Note) bool { return n.Text == thing }) {
						return nil
					}
					mine = true
					return []attend.Note{{At: at(2), Kind: "told", Text: thing}, {At: at(2), Kind: "brief"}}
				})
				if err == nil {
					err = n.Add("s", attend.Note{At: at(3), Kind: attend.KindTool, Command: strings.Repeat("y", 500)})
				}
				if err != nil {
					t.Errorf("claim %d: %v", i, err)
				}
				if mine {
					mu.Lock()
					won[i]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if want := slices.Repeat([]int{1}, things); !slices.Equal(won, want) {
		t.Errorf("each thing was claimed so often: %v, want once", won)
	}
	all, err := open(dir).All("s")
	told := slices.DeleteFunc(all, func(n attend.Note) bool { return n.Kind != "told" })
	if err != nil || len(told) != things {
		t.Errorf("%d claims are noted, %v; want %d", len(told), err, things)
	}
}

// choose only sees the requested kinds, and complete lines.
func TestAClaimSeesItsKinds(t *testing.T) {
	t.Parallel()
	n := open(t.TempDir())
	for _, note := range []attend.Note{{Kind: "told", Text: "1"}, {Kind: attend.KindTool, Text: `"kind":"told"`}, {Kind: "brief"}, {Kind: "told", Text: "2"}} {
		if err := n.Add("s", note); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	err := n.Claim("s", []string{"told", "brief"}, func(noted []attend.Note) []attend.Note {
		for _, note := range noted {
			seen = append(seen, note.Kind+note.Text)
		}
		return nil
	})
	all, errAll := n.All("s")
	if want := []string{"told1", "brief", "told2"}; !slices.Equal(seen, want) || len(all) != 4 || err != nil || errAll != nil {
		t.Errorf("saw %q, want %q; %d notes afterwards, want 4; %v, %v", seen, want, len(all), err, errAll)
	}
}
