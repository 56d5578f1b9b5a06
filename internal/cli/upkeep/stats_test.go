package upkeep

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
)

func TestBarsFitAndEveryNumberIsSeen(t *testing.T) {
	bars := []bar{{"2026-06-12", 0}, {"2026-06-13", 1}, {"2026-06-14", 1000}, {"東京", 500}}
	for _, columns := range []int{0, 20, 24, 40, 80, 200} {
		for _, plain := range []bool{false, true} {
			var b strings.Builder
			writeBars(&b, bars, "memories", columns, plain)
			lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
			if len(lines) != len(bars) {
				t.Fatalf("%d columns: got %d lines, want %d", columns, len(lines), len(bars))
			}
			for i, line := range lines {
				if w := displaywidth.String(line); columns >= 24 && w > columns {
					t.Errorf("%d columns, plain %v: %q takes %d", columns, plain, line, w)
				}
				if i > 0 && !strings.ContainsAny(line, "▏▎▍▌▋▊▉█#") {
					t.Errorf("%d columns, plain %v: %q shows nothing for %d", columns, plain, line, bars[i].n)
				}
				if plain && strings.ContainsAny(line, "▏▎▍▌▋▊▉█") {
					t.Errorf("plain: %q", line)
				}
			}
		}
	}
}

func TestBarsAreAsLongAsTheirNumbers(t *testing.T) {
	for _, tt := range []struct {
		n, most, wide int
		plain         bool
		want          string
	}{
		{0, 10, 4, false, ""},
		{10, 10, 4, false, "████"},
		{5, 10, 4, false, "██"},
		{1, 10, 4, false, "▍"},
		{1, 100_000, 4, false, "▏"},
		{1, 100_000, 4, true, "#"},
		{5, 10, 4, true, "##"},
		{0, 0, 4, false, ""},
		{-1, 10, 4, false, ""},
	} {
		if got := barText(tt.n, tt.most, tt.wide, tt.plain); got != tt.want {
			t.Errorf("%d of %d in %d columns, plain %v: got %q, want %q", tt.n, tt.most, tt.wide, tt.plain, got, tt.want)
		}
	}
}

func TestASparklineHasACharacterForEach(t *testing.T) {
	groups := []engram.GroupCount{{}, {Memories: 1}, {Memories: 50}, {Memories: 100}}
	if got, want := sparkline(groups, false), " ▁▄█"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := sparkline(groups, true), " .=@"; got != want {
		t.Errorf("plain: got %q, want %q", got, want)
	}
	if got := sparkline(make([]engram.GroupCount, 3), false); got != "   " {
		t.Errorf("of nothing: got %q", got)
	}
}

func TestWhereBlocksAreKnown(t *testing.T) {
	for _, tt := range []struct {
		env   map[string]string
		plain bool
	}{
		{nil, false},
		{map[string]string{"LANG": "de_DE.UTF-8"}, false},
		{map[string]string{"LANG": "en_US.utf8", "TERM": "xterm"}, false},
		{map[string]string{"LANG": "C"}, true},
		{map[string]string{"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, true},
		{map[string]string{"TERM": "dumb"}, true},
		{map[string]string{"TERM": "linux", "LANG": "de_DE.UTF-8"}, true},
	} {
		p := &command.Program{Options: command.Options{Env: func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }}}
		if got := plainBars(p); got != tt.plain {
			t.Errorf("%v: got %v, want %v", tt.env, got, tt.plain)
		}
	}
}

func TestSharesOfPeople(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 1: "100 %", 0.5: "50 %", 0.998: "99.8 %", 0.9999: "99.9 %", 0.0001: "0.1 %", 1.0 / 3: "33.3 %"} {
		if got := percent(share, true); got != want {
			t.Errorf("%v: got %q, want %q", share, got, want)
		}
	}
	if got := percent(0, false); got != "no reads" {
		t.Errorf("of nothing: got %q", got)
	}
}
