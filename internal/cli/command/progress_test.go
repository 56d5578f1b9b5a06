package command

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// drawn plays work on a terminal and returns the lines on the screen at the end.
func drawn(t *testing.T, work func(*Progress)) []string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(*testing.T) {
		p := &Program{Options: Options{Stderr: &out, Env: func(string) (string, bool) { return "", false }}}
		g := p.Progress("saving")
		g.active = true // a buffer is no terminal
		work(g)
	})
	return strings.Split(strings.TrimPrefix(strings.ReplaceAll(out.String(), "\x1b[K", ""), "\r"), "\r")
}

func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name string
		work func(*Progress)
		want string // lines on the screen
	}{
		{"quick work leaves no trace", func(g *Progress) { g.Report(1, 2); g.Report(2, 2); g.End() }, ""},
		{"after a second there is a bar, which goes", func(g *Progress) { time.Sleep(time.Second); g.Report(1, 2); g.End() },
			"saving [███████████████░░░░░░░░░░░░░░░] 1 of 2\n"},
		{"it is not drawn for each step", func(g *Progress) {
			time.Sleep(time.Second)
			for i := range 1000 {
				g.Report(i, 1000)
			}
		}, "saving [░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 0 of 1000"},
		{"more than there was to do", func(g *Progress) { time.Sleep(time.Second); g.Report(3, 2) },
			"saving [██████████████████████████████] 3 of 2"},
		{"the total is unknown", func(g *Progress) { time.Sleep(time.Second); g.Report(1200, 0) }, "saving: 1200 so far"},
		{"bytes have a rate", func(g *Progress) {
			g.ReportBytes(1<<20, 11<<20) // what is there costs no time
			time.Sleep(2 * time.Second)
			g.ReportBytes(5<<20, 11<<20)
		}, "saving [█████████████░░░░░░░░░░░░░░░░░] 5.0 MiB of 11.0 MiB, 2.0 MiB/s, 3s left"},
		{"bytes that do not come", func(g *Progress) {
			g.ReportBytes(5, 1000)
			time.Sleep(2 * time.Second)
			g.ReportBytes(5, 1000)
		}, "saving [░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 5 bytes of 1000 bytes"},
		{"the progress is unknown", func(g *Progress) {
			end := g.Waiting()
			time.Sleep(2500 * time.Millisecond)
			end()
		}, "saving: 1 s\nsaving: 2 s\n"},
		{"quick work that cannot say how far it is", func(g *Progress) { g.Waiting()() }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(drawn(t, tt.work), "\n"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
