package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/cli/terminal"
)

// Progress is a bar on stderr for work that may take more than a second. It appears only on terminals, and
// only after a second.
type Progress struct {
	p      *Program
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

// Progress returns a bar for work, which is named in front of it.
func (p *Program) Progress(what string) *Progress {
	term, _ := p.Env("TERM")
	return &Progress{p: p, what: what, since: time.Now(), active: terminal.Is(p.Stderr) && term != "dumb"}
}

// Report draws the progress; total 0 means unknown.
func (g *Progress) Report(done, total int) {
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

// Stages returns a reporter for work in several stages, with a bar for each, and a function that removes the
// last bar.
func (p *Program) Stages() (report func(what string, done, total int), end func()) {
	var bar *Progress
	end = func() {
		if bar != nil {
			bar.End()
			bar = nil
		}
	}
	return func(what string, done, total int) {
		if bar == nil || bar.what != what {
			end()
			bar = p.Progress(what)
		}
		bar.Report(done, total)
		if total > 0 && done == total {
			end()
		}
	}, end
}

// Waiting draws the elapsed time, for work without a measure; end stops it.
func (g *Progress) Waiting() (end func()) {
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
		g.End()
	}
}

// draw replaces the line drawn last, cut to the terminal's width so that it stays one line.
func (g *Progress) draw(line string) {
	g.drawn = time.Now()
	fmt.Fprint(g.p.Stderr, "\r"+terminal.Fit(line, max(1, g.p.ColumnsOf(g.p.Stderr)-1))+"\x1b[K")
}

// End removes the bar.
func (g *Progress) End() {
	if !g.drawn.IsZero() {
		fmt.Fprint(g.p.Stderr, "\r\x1b[K")
		g.drawn = time.Time{}
	}
}
