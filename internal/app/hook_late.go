package app

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
)

// lateHooks counts in hook.log, and in what it was before, the events of an agent, "" for all, of
// which something was left out for want of time. Lines of one event have one time, agent and kind;
// what is no line of it is passed over.
func lateHooks(dir, agent string, within time.Duration, now time.Time) health.Hooks {
	h := health.Hooks{Within: within}
	seen := map[string]bool{}
	for _, name := range []string{"hook.log.old", "hook.log"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			at, event, late := lateHook(lines.Text())
			if !late || agent != "" && !strings.Contains(event, " "+agent+" ") || at.After(now) || now.Sub(at) > health.LateWithin || seen[event] {
				continue
			}
			seen[event] = true
			if h.Late++; at.After(h.Last) {
				h.Last = at
			}
		}
		_ = f.Close() // it was read
	}
	return h
}

// lateHook reads a line as hookLog.add writes it.
func lateHook(line string) (at time.Time, event string, late bool) {
	words := strings.SplitN(line, " ", 4)
	if len(words) < 4 || !strings.Contains(words[3], ": out of time") {
		return at, "", false
	}
	at, err := time.Parse(time.RFC3339, words[0])
	return at, strings.Join(words[:3], " "), err == nil
}
