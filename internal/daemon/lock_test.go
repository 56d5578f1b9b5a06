package daemon_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

// Locks are of processes, so the tests need others: this program, told by a variable what
// to be.
func TestMain(m *testing.M) {
	switch dir := os.Getenv("ENGRAM_TEST_DIR"); os.Getenv("ENGRAM_TEST_BE") {
	case "server":
		os.Exit(beServer(dir))
	case "broken":
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// beServer takes the lock, says so, and keeps it until its input ends.
func beServer(dir string) int {
	l, err := daemon.Take(context.Background(), dir, daemon.Record{Version: "1", Background: true})
	if err != nil {
		fmt.Printf(`{"error":{"code":%q,"message":%q,"hint":"h"}}`+"\n", engram.CodeOf(err), err.Error())
		return 1
	}
	if err := l.Announce("http://127.0.0.1:1", "127.0.0.1:1"); err != nil {
		return 2
	}
	fmt.Println(`{"ready":true}`)
	if os.Getenv("ENGRAM_TEST_STAY") != "" {
		waittest.Hang()
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := l.Release(); err != nil {
		return 4
	}
	return 0
}

// server is a process that may hold the lock of dir.
type server struct {
	cmd  *exec.Cmd
	in   io.Closer
	said string // its first line
}

func start(t *testing.T, dir string) server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "ENGRAM_TEST_BE=server", "ENGRAM_TEST_DIR="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	said, _ := bufio.NewReader(out).ReadString('\n')
	return server{cmd, in, strings.TrimSpace(said)}
}

func look(t *testing.T, dir string) (daemon.Holder, bool) {
	t.Helper()
	h, held, err := daemon.Look(dir)
	if err != nil {
		t.Fatalf("look: %v", err)
	}
	return h, held
}

func TestNobodyServesADirectoryThatDoesNotExist(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	if h, held := look(t, dir); held || h.PID != 0 {
		t.Errorf("got %+v, %v, want nobody", h, held)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made the directory: %v", err)
	}
}

func TestALockSaysWhoHoldsIt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, dir)
	h, held := look(t, dir)
	if !held || h.PID != s.cmd.Process.Pid || h.Process != h.PID || h.Address != "127.0.0.1:1" || h.Version != "1" || len(h.Key) != 64 {
		t.Fatalf("got %+v, %v, want process %d at 127.0.0.1:1", h, held, s.cmd.Process.Pid)
	}
	files := daemon.FilesIn(dir)
	for _, path := range []string{files.Lock, files.PID} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want mode 0600", path, info, err)
		}
	}
	if pid, err := os.ReadFile(files.PID); err != nil || string(pid) != strconv.Itoa(h.PID)+"\n" {
		t.Errorf("pid file: got %q, %v", pid, err)
	}
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, held := look(t, dir); held || daemon.LeftBehind(dir) != 0 {
		t.Errorf("after its end: held %v, left behind %d, want neither", held, daemon.LeftBehind(dir))
	}
}

// Somebody who cleans up the data directory does the server no harm.
func TestALockIsGivenUpWithoutItsPIDFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	if err := os.Remove(daemon.FilesIn(dir).PID); err != nil {
		t.Fatal(err)
	}
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("its end: got %v, want none to complain", err)
	}
	if h, held := look(t, dir); held || h.PID != 0 {
		t.Errorf("after its end: got %+v, %v, want nobody", h, held)
	}
}

func TestASecondServerIsAConflict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, dir)
	if got := start(t, dir).said; !strings.Contains(got, `"conflict"`) {
		t.Errorf("the second one said %s, want a conflict", got)
	}
}

func TestOfManyAtOnceOneTakesTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := make([]string, 8)
	var wg sync.WaitGroup
	for i := range said {
		wg.Go(func() { said[i] = start(t, dir).said })
	}
	wg.Wait()
	ready := 0
	for _, s := range said {
		if s == `{"ready":true}` {
			ready++
		}
	}
	if ready != 1 {
		t.Errorf("%d have the lock, want 1: %q", ready, said)
	}
}

// A process that was killed leaves its files. They are known for what they are, also when
// its number belongs to somebody else by now.
func TestWhatAKilledServerLeftIsNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	files := daemon.FilesIn(dir)
	record, err := os.ReadFile(files.Lock)
	if err != nil {
		t.Fatal(err)
	}
	stranger := strings.ReplaceAll(string(record), strconv.Itoa(s.cmd.Process.Pid), strconv.Itoa(os.Getpid()))
	if err := errors.Join(os.WriteFile(files.Lock, []byte(stranger), 0o600), os.WriteFile(files.PID, []byte(strconv.Itoa(os.Getpid())), 0o600)); err != nil {
		t.Fatal(err)
	}
	h, held := look(t, dir)
	if held || h.Process != 0 {
		t.Errorf("got %+v, %v, want nobody", h, held)
	}
	if got := daemon.LeftBehind(dir); got != os.Getpid() {
		t.Errorf("left behind: got %d, want %d", got, os.Getpid())
	}
	// A holder found before is not signalled either: it would be this test.
	if err := daemon.Kill(t.Context(), dir, daemon.Holder{Process: os.Getpid()}); err != nil {
		t.Errorf("kill: got %v, want nothing to do", err)
	}
	if err := daemon.Forget(dir); err != nil || daemon.LeftBehind(dir) != 0 {
		t.Errorf("forget: %v, left behind %d", err, daemon.LeftBehind(dir))
	}
	if got := start(t, dir).said; got != `{"ready":true}` {
		t.Errorf("the next one said %s", got)
	}
}

func TestHalfARecordIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	whole, err := os.ReadFile(daemon.FilesIn(dir).Lock)
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range []string{"", "{", string(whole[:len(whole)/2]), "null", `{"pid":-1}`, "\x00\x00"} {
		if err := os.WriteFile(daemon.FilesIn(dir).Lock, []byte(half), 0o600); err != nil {
			t.Fatal(err)
		}
		h, held := look(t, dir)
		if !held || h.Address != "" || h.Process != s.cmd.Process.Pid {
			t.Errorf("%q: got %+v, %v, want a holder that says nothing", half, h, held)
		}
	}
}

func TestEndWaitsForTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir) // a signal ends it at once, and the system takes the lock
	h, _ := look(t, dir)
	if err := daemon.End(t.Context(), dir, h, ""); err != nil {
		t.Fatalf("end: %v", err)
	}
	if _, held := look(t, dir); held {
		t.Error("it is held still")
	}
	_ = s.cmd.Wait()
}

func TestWhoDoesNotEndIsWaitedForUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := daemon.Exited(ctx, dir); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}

func TestAFolderThatCannotBeWrittenIsUnavailable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := daemon.Take(t.Context(), file, daemon.Record{}); engram.CodeOf(err) != engram.CodeUnavailable || engram.HintOf(err) == "" {
		t.Errorf("got %v, want unavailable with a hint", err)
	}
}

func TestSpawnReturnsWhatTheServerSays(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := daemon.Command{Path: self, Dir: dir, Log: filepath.Join(dir, "log"), Env: []string{"ENGRAM_TEST_BE=server", "ENGRAM_TEST_STAY=1", "ENGRAM_TEST_DIR=" + dir}}
	doc, err := daemon.Spawn(t.Context(), c)
	var said struct{ Ready bool }
	if err != nil || json.Unmarshal(doc, &said) != nil || !said.Ready {
		t.Fatalf("got %s, %v", doc, err)
	}
	h, held := look(t, dir)
	if !held {
		t.Fatal("nobody has the lock")
	}
	if _, err := daemon.Spawn(t.Context(), c); engram.CodeOf(err) != engram.CodeConflict || engram.HintOf(err) != "h" {
		t.Errorf("a second one: got %v (hint %q), want its own error", err, engram.HintOf(err))
	}
	if err := daemon.Kill(t.Context(), dir, h); err != nil {
		t.Errorf("kill: %v", err)
	}
	c.Env[0] = "ENGRAM_TEST_BE=broken"
	if _, err := daemon.Spawn(t.Context(), c); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("one that says nothing: got %v, want unavailable", err)
	}
	c.Path = filepath.Join(dir, "none")
	if _, err := daemon.Spawn(t.Context(), c); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("no program: got %v, want unavailable", err)
	}
}

// A record of another machine's or container's server has an address that somebody else
// may have here: nothing is sent there, least of all the key.
func TestWhoIsNotHereIsNotAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, dir)
	mine, held := look(t, dir)
	if !held || !mine.Here() {
		t.Fatalf("got %+v, %v, want one that is here", mine, held)
	}
	asked := answering(t, mine.Key).Address
	for _, tt := range []struct {
		name   string
		change func(*daemon.Holder)
	}{
		{"without a number here", func(h *daemon.Holder) { h.Process = 0 }},
		{"of another number", func(h *daemon.Holder) { h.PID++ }},
		{"of another machine", func(h *daemon.Holder) { h.Machine += "x" }},
	} {
		h := mine
		h.Address = asked
		var got question
		if err := h.Ask(t.Context(), "", daemon.OperationSearch, question{"why?"}, &got); err != nil {
			t.Fatalf("here: %v", err)
		}
		tt.change(&h)
		got = question{}
		if err := h.Ask(t.Context(), "", daemon.OperationSearch, question{"why?"}, &got); !errors.Is(err, daemon.ErrNoAnswer) || got.Text != "" {
			t.Errorf("%s: got %+v, %v, want no answer", tt.name, got, err)
		}
		if h.Process != 0 {
			continue
		}
		if err := daemon.End(t.Context(), dir, h, ""); engram.CodeOf(err) != engram.CodeUnavailable {
			t.Errorf("%s: end: got %v, want unavailable", tt.name, err)
		}
	}
	if _, held := look(t, dir); !held {
		t.Error("it is gone")
	}
}
