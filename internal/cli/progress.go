package cli

import (
	"fmt"
	"strings"
	"time"
)

// progress is a bar on stderr for work that may take over a second. It is drawn on a
// terminal alone, and not before a second has passed: quick work leaves no trace.
type progress struct {
	p      *program
	what   string
	since  time.Time
	drawn  time.Time
	active bool
}

const (
	progressPatience = time.Second
	progressInterval = 100 * time.Millisecond
	progressWidth    = 30
)

func (p *program) progress(what string) *progress {
	term, _ := p.Env("TERM")
	return &progress{p: p, what: what, since: time.Now(), active: isTerminal(p.Stderr) && term != "dumb"}
}

// tell draws how far the work is; total 0 is for work whose end nobody knows.
func (g *progress) tell(done, total int) {
	now := time.Now()
	if !g.active || now.Sub(g.since) < progressPatience || now.Sub(g.drawn) < progressInterval && (done < total || total == 0) {
		return
	}
	if total == 0 {
		g.draw(fmt.Sprintf("%s: %d so far", g.what, done))
		return
	}
	full := progressWidth * min(done, total) / total
	g.draw(fmt.Sprintf("%s [%s%s] %d of %d", g.what, strings.Repeat("█", full), strings.Repeat("░", progressWidth-full), done, total))
}

// waiting draws how long the work has gone on, for work that cannot say how far it is. What
// it returns ends that.
func (g *progress) waiting() (end func()) {
	if !g.active {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-tick.C:
				g.draw(fmt.Sprintf("%s: %d s", g.what, int(now.Sub(g.since).Seconds())))
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		g.end()
	}
}

// draw puts a line where the last one was; what does not fit would begin a new one.
func (g *progress) draw(line string) {
	g.drawn = time.Now()
	fmt.Fprint(g.p.Stderr, "\r"+fit(line, max(1, g.p.columnsOf(g.p.Stderr)-1))+"\x1b[K")
}

// end takes the bar away.
func (g *progress) end() {
	if !g.drawn.IsZero() {
		fmt.Fprint(g.p.Stderr, "\r\x1b[K")
		g.drawn = time.Time{}
	}
}
