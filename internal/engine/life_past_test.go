package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// shown is a memory in a list, without the times and counters that the journal leaves out.
func shown(ms []engram.Memory) (all []string) {
	for _, m := range ms {
		b, _ := json.Marshal([]any{m.Num, m.Title, m.Content, m.Project, m.Scope, m.Type, m.TopicKey, m.Tags, m.Metadata, m.Anchors, m.Importance, m.RevisionCount, m.DeletedAt})
		all = append(all, string(b))
	}
	return all
}

// moment is what lists returned at a time.
type moment struct {
	at    time.Time
	lists map[string][]string
}

// lists lists every project at a time; the zero time is now.
func (l *life) lists(at time.Time, projects []string) map[string][]string {
	all := map[string][]string{}
	for _, project := range projects {
		for name, f := range map[string]engram.Filter{"all": {}, "current": {Current: true}, "forgotten": {Forgotten: true}} {
			f.Project = project
			for _, page := range []engram.Page{{Limit: 100}, {Limit: 2, Offset: 1}} {
				ms, _, err := enginetest.ListAsOf(l.Context(), l, f, page, at)
				if err != nil {
					l.t.Fatalf("list %+v as of %v: %v", f, at, err)
				}
				all[fmt.Sprintf("%s of %q from %d", name, project, page.Offset)] = shown(ms)
			}
		}
	}
	return all
}

// known returns the names that lead to a project, and "".
func (l *life) known() []string {
	names := []string{""}
	projects, err := l.Projects(l.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	for _, p := range projects {
		names = append(append(names, p.Name), p.Aliases...)
	}
	return names
}

func TestThePastIsWhatItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "past")
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		l := &life{World: enginetest.NewWorldIn(t, dir), t: rt}
		var moments []moment
		names := map[time.Time][]string{}
		for range rapid.IntRange(1, 14).Draw(rt, "length") {
			if len(l.ops) > 0 && rapid.IntRange(0, 4).Draw(rt, "undo") == 0 {
				_, _ = l.Undo(l.Context(), undo.UndoInput{}) // what cannot be undone is not
			} else {
				l.act()
			}
			l.Clock.Add(time.Minute)
			m := moment{at: l.Clock.Now()}
			names[m.at] = l.known()
			m.lists = l.lists(time.Time{}, names[m.at])
			moments = append(moments, m)
			l.Clock.Add(time.Minute)
		}
		for _, m := range moments {
			for what, got := range l.lists(m.at, names[m.at]) {
				if want := m.lists[what]; !slices.Equal(got, want) {
					rt.Fatalf("%s as of %v\n got %v\nwant %v", what, m.at, got, want)
				}
			}
		}
	})
}
