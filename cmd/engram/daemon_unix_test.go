//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/waittest"
)

// place is a data directory whose server stops with the test.
type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{t, filepath.Join(t.TempDir(), "data")}
	t.Cleanup(func() {
		if r := p.run("stop", "--force", "--wait", "5s"); r.code != 0 {
			t.Errorf("stop at the end: %+v", r)
		}
	})
	return p
}

type result struct {
	out, err string
	code     int
}

// run runs a command in the place.
func (p place) run(args ...string) result {
	p.t.Helper()
	cmd := exec.Command("engram", append(args, "--data-dir", p.dir)...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &errs, filepath.Dir(p.dir)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(p.dir), "ENGRAM_TIMEZONE=UTC", "ENGRAM_PROJECT=zoo")
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		p.t.Fatalf("engram %q: %v", args, err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// start starts a server on any port and returns its process and address.
func (p place) start() (pid int, address string) {
	p.t.Helper()
	r := p.run("start", "--port", "0", "--json")
	var doc struct {
		Server struct {
			PID     int
			Address string
		}
	}
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil || r.code != 0 {
		p.t.Fatalf("start: %+v", r)
	}
	return doc.Server.PID, doc.Server.Address
}

func TestTenStartsAtOnceMakeOneServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	results := make([]result, 10)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = p.run("start", "--port", "0", "--json") })
	}
	wg.Wait()
	started, pids := 0, map[int]bool{}
	for _, r := range results {
		var doc struct {
			Started bool
			Server  struct {
				PID     int
				Answers bool
			}
		}
		if err := json.Unmarshal([]byte(r.out), &doc); err != nil || r.code != 0 || !doc.Server.Answers {
			t.Errorf("got %+v, want a server that answers", r)
		}
		if doc.Started {
			started++
		}
		pids[doc.Server.PID] = true
	}
	if started != 1 || len(pids) != 1 {
		t.Errorf("%d were started, and %d processes told; want one", started, len(pids))
	}
}

// The lock of a killed server does not count, and a process that has its number by now is not touched.
func TestAKilledServerIsNoServerAndItsNumberIsNotSignalled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pid, _ := p.start()
	p.kill(pid)
	if r := p.run("status"); r.code != 3 || !strings.Contains(r.out, "(process "+strconv.Itoa(pid)+") ended unexpectedly") {
		t.Errorf("status: got %+v", r)
	}
	stranger := exec.Command("sleep", "60")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	for _, name := range []string{"engram.pid", "engram.lock"} {
		path := filepath.Join(p.dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.ReplaceAll(string(text), strconv.Itoa(pid), strconv.Itoa(stranger.Process.Pid)))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := p.run("stop", "--force"); r.code != 0 || !strings.Contains(r.out, "No server") {
		t.Errorf("stop: got %+v", r)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the stranger is gone: %v", err)
	}
	if again, _ := p.start(); again == pid || again == stranger.Process.Pid {
		t.Errorf("the next one is process %d", again)
	}
}

// With a server that hangs, commands work without it, status and stop report it, and --force kills it.
func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if r := p.run("save", "Giraffes", "have seven bones in the neck"); r.code != 0 {
		t.Fatalf("save: %+v", r)
	}
	pid, _ := p.start()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	if r := p.run("search", "giraffe"); r.code != 0 || !strings.Contains(r.out, "Giraffes") {
		t.Errorf("search: got %+v", r)
	}
	if r := p.run("status"); r.code != 5 || !strings.Contains(r.out, "does not answer") {
		t.Errorf("status: got %+v", r)
	}
	if r := p.run("stop", "--wait", "300ms"); r.code != 5 || !strings.Contains(r.err, "engram stop --force") {
		t.Errorf("stop: got %+v", r)
	}
	if r := p.run("stop", "--wait", "300ms", "--force"); r.code != 0 || !strings.Contains(r.out, "Killed") {
		t.Errorf("stop --force: got %+v", r)
	}
	if r := p.run("status"); r.code != 3 {
		t.Errorf("status afterwards: got %+v", r)
	}
}

// kill kills a server, and waits until the system has noticed.
func (p place) kill(pid int) {
	p.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		p.t.Fatalf("kill %d: %v", pid, err)
	}
	waittest.Until(p.t, fmt.Sprintf("the killed process %d is gone", pid), func() bool { return p.run("status").code == 3 })
}

// A search finds the same with and without a server, right after a save, and if the server is killed
// meanwhile.
func TestFindsAreTheSameWithAServerAndWithout(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, m := range [][2]string{{"Giraffes", "have seven bones in the neck"}, {"Tigers", "sleep in the shade at noon"}, {"Token lifetime", "Access tokens live 15 minutes"}} {
		if r := p.run("save", m[0], m[1]); r.code != 0 {
			t.Fatalf("save: %+v", r)
		}
	}
	questions := [][]string{{"search", "how many bones has a giraffe"}, {"search", "tokns", "--explain"}, {"search", "sleep", "--mode", "semantic"},
		{"search", "noon", "--mode", "fts"}, {"search", "nothing about this"}, {"search", "tiger", "--as-of", "2020-01-01"},
		{"search", "x", "--limit", "1000"}, {"search", "tiger", "--project", "nowhere"}}
	ask := func() (all []result) {
		for _, q := range questions {
			all = append(all, p.run(q...))
		}
		return all
	}
	same := func(when string, got, want []result) {
		t.Helper()
		for i := range want {
			if got[i].code != want[i].code || stable(got[i].out) != stable(want[i].out) || stable(got[i].err) != stable(want[i].err) {
				t.Errorf("%s, %q:\ngot  %+v\nwant %+v", when, questions[i], got[i], want[i])
			}
		}
	}
	alone := ask()
	pid, _ := p.start()
	same("with a server", ask(), alone)
	if r := p.run("save", "Okapis", "have as many bones in the neck as a giraffe"); r.code != 0 {
		t.Fatalf("save: %+v", r)
	}
	if r := p.run("search", "okapi"); !strings.Contains(r.out, "Okapis") {
		t.Errorf("what was saved a moment ago: got %+v", r)
	}
	after := ask()
	p.kill(pid)
	same("after the server was killed", ask(), after)
}

// stable removes from an answer what depends on the time: decimals beyond the third.
func stable(s string) string {
	var b strings.Builder
	digits := -1
	for _, r := range s {
		switch {
		case r == '.':
			digits = 0
		case digits >= 0 && r >= '0' && r <= '9':
			digits++
		default:
			digits = -1
		}
		if digits <= 2 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Commands that search while the server is killed all get their answers: in each round, one more has its answer
// before.
func TestAServerKilledInTheMiddleOfSearches(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if r := p.run("save", "Giraffes", "have seven bones in the neck"); r.code != 0 {
		t.Fatalf("save: %+v", r)
	}
	for round := range 3 {
		pid, _ := p.start()
		answered := make(chan struct{}, 6)
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				defer func() { answered <- struct{}{} }()
				if r := p.run("search", "giraffe"); r.code != 0 || r.err != "" || !strings.Contains(r.out, "Giraffes") {
					t.Errorf("got %+v", r)
				}
			})
		}
		for range round {
			<-answered
		}
		p.kill(pid)
		wg.Wait()
	}
}

// Stopping lets open requests finish.
func TestAStopFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	_, address := p.start()
	body, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	answered, begun := make(chan string, 1), make(chan struct{})
	go func() { answered <- post(t, address+"/observations/passive", body, begun) }()
	<-begun
	const text = `{"session_id":"s","project":"zoo","content":"## Key Learnings:\n\n1. Giraffes have seven bones in the neck, as many as people have."}`
	if _, err := w.WriteString(text[:20]); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan result, 1)
	go func() { stopped <- p.run("stop") }()
	waittest.Until(t, "the server stops listening", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	select {
	case r := <-stopped:
		t.Errorf("it ended with half a request: %+v", r)
	default:
	}
	if _, err := w.WriteString(text[20:]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-answered; !strings.HasPrefix(got, "200 ") && !strings.HasPrefix(got, "201 ") {
		t.Errorf("the request under way: got %s, want its answer", got)
	}
	if r := <-stopped; r.code != 0 {
		t.Errorf("stop: got %+v", r)
	}
}

// post sends a body as it arrives and returns status and answer. begun is closed when the server has begun to
// read it.
func post(t *testing.T, url string, body io.Reader, begun chan<- struct{}) string {
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(begun) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Expect", "100-continue")
	res, err := (&http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return res.Status + " " + string(answer)
}

// A search that the server answered for a command is counted once, as the command's.
func TestWhatAServerFoundForCommandsIsCountedOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if r := p.run("save", "Giraffes", "have seven bones in the neck"); r.code != 0 {
		t.Fatalf("save: %+v", r)
	}
	p.start()
	for _, args := range [][]string{{"search", "giraffe"}, {"search", "neck"}, {"recall", "giraffe"}} {
		if r := p.run(args...); r.code != 0 || !strings.Contains(r.out, "Giraffes") {
			t.Fatalf("%q: %+v", args, r)
		}
	}
	for range 2 { // before and after it has recorded exposures
		var doc struct {
			Verbs []struct {
				Verb   string
				Events int
			}
		}
		r := p.run("metrics", "--json")
		if err := json.Unmarshal([]byte(r.out), &doc); err != nil {
			t.Fatalf("metrics: %+v, %v", r, err)
		}
		got := map[string]int{}
		for _, v := range doc.Verbs {
			got[v.Verb] += v.Events
		}
		if got["search"] != 2 || got["recall"] != 1 {
			t.Errorf("got %v, want 2 searches and 1 recall:\n%s", got, r.out)
		}
		if r := p.run("restart", "--port", "0"); r.code != 0 {
			t.Fatalf("restart: %+v", r)
		}
	}
}
