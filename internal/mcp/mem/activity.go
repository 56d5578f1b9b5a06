package mem

import (
	"fmt"
	"sync"
	"time"
)

const (
	// quiet is how long a project may see no save before its agent is reminded.
	quiet = 10 * time.Minute
	// busy is the number of calls above which an agent that saved nothing is
	// thought to be working rather than looking around.
	busy = 5
)

// activity counts what agents did in each project since its session began. The zero
// value is ready; it may be used concurrently.
type activity struct {
	mu       sync.Mutex
	projects map[string]*work
}

// work is the activity in one project.
type work struct {
	since, saved time.Time // the first call; the last save, zero for none
	calls, saves int
}

// of returns a project's work, which begins at now if there was none. mu is held.
func (a *activity) of(project string, now time.Time) *work {
	if a.projects == nil {
		a.projects = map[string]*work{}
	}
	w := a.projects[project]
	if w == nil {
		w = &work{since: now}
		a.projects[project] = w
	}
	return w
}

func (a *activity) called(project string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of(project, now).calls++
}

func (a *activity) savedIn(project string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.of(project, now)
	w.saves++
	w.saved = now
}

// restart forgets what was done in a project: a session begins or is over.
func (a *activity) restart(project string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.projects, project)
}

// score is the line that closes a session's summary.
func (a *activity) score(project string, now time.Time) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.of(project, now)
	line := fmt.Sprintf("Session activity: %d tool calls, %d saves", w.calls, w.saves)
	if w.saves == 0 && w.calls > busy {
		line += " — high activity with no saves, consider persisting important decisions"
	}
	return line
}

// nudge is what to append to an answer when nothing was saved for a while; "" else.
func (a *activity) nudge(project string, now time.Time) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.of(project, now)
	since := w.since
	if w.saves > 0 {
		since = w.saved
	}
	idle := now.Sub(since)
	if idle < quiet || (w.saves == 0 && w.calls <= busy) {
		return ""
	}
	return fmt.Sprintf("\n\n⚠️ No mem_save calls for this project in %d minutes. "+
		"Did you make any decisions, fix bugs, or discover something worth persisting?", int(idle.Minutes()))
}
