package gist_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

func TestASessionIsSummedUpByWhatItsMemoriesSay(t *testing.T) {
	memory := func(kind engram.Type, title, content string, files ...string) engram.Memory {
		m := engram.Memory{Type: kind, Title: title, Content: content}
		for _, f := range files {
			m.Anchors = append(m.Anchors, engram.Anchor{Path: f})
		}
		return m
	}
	for name, c := range map[string]struct {
		goal string
		ms   []engram.Memory
		want string
	}{
		"nothing": {"make it faster", nil, ""},
		"one": {"", []engram.Memory{memory("manual", "Tea", "Tea is at four")},
			"Made automatically from 1 memory.\n\n## Also\n- Tea is at four\n"},
		"a title that says something else": {"", []engram.Memory{memory("manual", "Tea time", "It is at four.")},
			"Made automatically from 1 memory.\n\n## Also\n- Tea time: It is at four.\n"},
		"in an order that serves the reader": {"make login\nfaster", []engram.Memory{
			memory("manual", "Note", "A note"), memory("learning", "Redis", "Redis drops all", "b.go"), memory("bugfix", "Fix", "Nil map", "a.go", "b.go"), memory("decision", "Cache", "Use Redis"),
		}, "Made automatically from 4 memories.\n\n## Goal\nmake login faster\n\n## Decided\n- Cache: Use Redis\n\n" +
			"## Fixed\n- Fix: Nil map\n\n## Learned\n- Redis drops all\n\n## Also\n- Note: A note\n\n## Files\nb.go, a.go\n"},
	} {
		if got := gist.Session(c.goal, c.ms); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestTheSummaryOfALongSessionIsShort(t *testing.T) {
	var ms []engram.Memory
	for i := range 150 {
		kind := engram.TypeDecision
		if i == 149 {
			kind = engram.TypeBugfix
		}
		ms = append(ms, engram.Memory{Type: kind, Title: strings.Repeat("Ärger ", 30), Content: strings.Repeat("Ein langer Satz über das Wetter. ", 40),
			Anchors: []engram.Anchor{{Path: fmt.Sprintf("internal/%d.go", i)}}})
	}
	for n := 1; n <= len(ms); n += 7 {
		got := gist.Session(strings.Repeat("Was ist zu tun? ", 90), ms[len(ms)-n:])
		if chars := utf8.RuneCountInString(got); chars > gist.MostSession || !strings.Contains(got, "## Fixed") || n > 20 && !strings.Contains(got, " memories more.\n") {
			t.Errorf("%d memories: %d characters:\n%s", n, chars, got)
		}
	}
}
