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
	return &progress{p: p, what: what, since: time.Now(), active: isTerminal(p.Stderr)}
}

// tell draws how far the work is.
func (g *progress) tell(done, total int) {
	now := time.Now()
	if !g.active || total == 0 || now.Sub(g.since) < progressPatience || now.Sub(g.drawn) < progressInterval && done < total {
		return
	}
	g.drawn = now
	full := progressWidth * done / total
	fmt.Fprintf(g.p.Stderr, "\r%s [%s%s] %d of %d", g.what, strings.Repeat("█", full), strings.Repeat("░", progressWidth-full), done, total)
}

// end takes the bar away.
func (g *progress) end() {
	if !g.drawn.IsZero() {
		fmt.Fprint(g.p.Stderr, "\r\x1b[K")
	}
}
