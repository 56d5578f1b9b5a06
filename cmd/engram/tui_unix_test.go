//go:build unix

package main

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/alanbuscaglia/engram/internal/waittest"
)

// home is an empty home with a project, and the environment of programs in it.
type home struct {
	t   testing.TB
	dir string // of the project
	env []string
	db  string
}

func newHome(t testing.TB, env ...string) home {
	t.Helper()
	root := t.TempDir()
	h := home{t: t, dir: filepath.Join(root, "shop"), db: filepath.Join(root, ".engram", "engram.db")}
	h.env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "TMPDIR=" + root, "TERM=xterm-256color", "COLORTERM=truecolor", "ENGRAM_TIMEZONE=UTC"}, env...)
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}

// run runs a command, as an agent or another shell does.
func (h home) run(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("engram", args...)
	cmd.Env, cmd.Dir = h.env, h.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("engram %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// sql changes the database behind the program's back.
func (h home) sql(statement string) {
	h.t.Helper()
	db, err := sql.Open("sqlite", h.db)
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		h.t.Fatalf("%s: %v", statement, err)
	}
}

// screenOf is the terminal UI of the real program in a pseudo-terminal. The terminal answers no question of the program.
type screenOf struct {
	t    testing.TB
	tty  *os.File
	emu  *vt.SafeEmulator
	cmd  *exec.Cmd
	done chan error
	mu   sync.Mutex
	raw  []byte // all that the program wrote
}

func (h home) tui(width, height int, args ...string) *screenOf {
	h.t.Helper()
	cmd := exec.Command("engram", append([]string{"tui"}, args...)...)
	cmd.Env, cmd.Dir = h.env, h.dir
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		h.t.Fatalf("start in a pseudo-terminal: %v", err)
	}
	s := &screenOf{t: h.t, tty: tty, emu: vt.NewSafeEmulator(width, height), cmd: cmd, done: make(chan error, 1)}
	go func() { _, _ = io.Copy(io.Discard, s.emu) }() // the answers that it does not give
	go func() {
		buffer := make([]byte, 32<<10)
		for {
			n, err := tty.Read(buffer)
			s.mu.Lock()
			s.raw = append(s.raw, buffer[:n]...)
			s.mu.Unlock()
			_, _ = s.emu.Write(buffer[:n])
			if err != nil {
				s.done <- cmd.Wait()
				return
			}
		}
	}()
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
	})
	return s
}

// text is what the terminal shows.
func (s *screenOf) text() string {
	var b strings.Builder
	for y := range s.emu.Height() {
		for x := 0; x < s.emu.Width(); x++ {
			c := s.emu.CellAt(x, y)
			switch {
			case c == nil || c.Content == "" && c.Width > 0:
				b.WriteByte(' ')
			default:
				b.WriteString(c.Content)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// until waits until the terminal shows all texts.
func (s *screenOf) until(texts ...string) {
	s.t.Helper()
	for _, want := range texts {
		shown := ""
		failer := failure{s.t, &shown}
		waittest.Until(failer, "the screen shows "+want, func() bool {
			shown = s.text()
			return strings.Contains(shown, want)
		})
	}
}

// failure shows the screen with the message.
type failure struct {
	testing.TB
	screen *string
}

// Fatalf implements waittest.Failer.
func (f failure) Fatalf(format string, args ...any) {
	f.Helper()
	f.TB.Fatalf(format+":\n%s", append(args, *f.screen)...)
}

// keys writes keystrokes as a terminal sends them.
func (s *screenOf) keys(all string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(all); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screenOf) resize(width, height int) {
	s.t.Helper()
	s.emu.Resize(width, height)
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		s.t.Fatal(err)
	}
}

// quit leaves the program, which must succeed.
func (s *screenOf) quit() {
	s.t.Helper()
	s.keys("Q")
	if code := s.end(); code != 0 {
		s.t.Errorf("exit code %d", code)
	}
}

// end waits until the program has ended, and returns its exit code.
func (s *screenOf) end() int {
	s.t.Helper()
	var err error
	shown := ""
	waittest.Until(failure{s.t, &shown}, "the program ends", func() bool {
		shown = s.text()
		select {
		case err = <-s.done:
			return true
		default:
			return false
		}
	})
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return 0
}

const (
	keyEnter = "\r"
	keyEsc   = "\x1b"
)

// shop is a home with a few memories, two of which contradict each other.
func shop(t testing.TB, env ...string) home {
	h := newHome(t, env...)
	h.run("save", "Access tokens", "Access tokens live 15 minutes; refresh tokens rotate.", "--type", "decision", "--tag", "auth")
	h.run("save", "Cache of product pages", "The cache of product pages expires after 60 seconds in production.", "--type", "config")
	h.run("save", "Cache of product pages, new", "The cache of product pages expires after 300 seconds in production.", "--type", "config")
	return h
}

func TestTUISearchesOpensJudgesAndUndoes(t *testing.T) {
	t.Parallel()
	h := shop(t)
	h.run("conflicts", "scan", "--apply")
	s := h.tui(120, 40)
	s.until("Engram", "memories", "Recent memories")
	s.keys("/")
	s.until("❯")
	s.keys("access tok")
	s.until("Access tokens", "1 result")
	s.keys(keyEnter + keyEnter)
	s.until("Engram › Search results › #1", "Access tokens live 15 minutes", "Strength")
	s.keys("y")
	s.until("Copied #1")
	clipboard := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("Access tokens\n\nAccess tokens live 15 minutes; refresh tokens rotate."))
	waittest.Until(t, "the terminal is given the text", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Contains(string(s.raw), clipboard)
	})
	s.keys(":conflicts" + keyEnter)
	s.until("Engram › Conflicts", "expires after 60 seconds", "expires after 300 seconds")
	s.keys("1")
	s.until("Judged: #", "No conflict is open.")
	if got := h.run("conflicts", "list"); !strings.Contains(got, "supersedes") {
		t.Errorf("the verdict is not in the store:\n%s", got)
	}
	s.keys("u")
	s.until("Undid operation", "expires after 300 seconds")
	s.keys("QQ")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTUIEditsInAnEditor(t *testing.T) {
	t.Parallel()
	h := shop(t)
	root := filepath.Dir(h.dir)
	editor := filepath.Join(root, "editor")
	script := "#!/bin/sh\nstat -c '%a' \"$1\" > '" + root + "/mode' 2>/dev/null || stat -f '%Lp' \"$1\" > '" + root + "/mode'\necho 'Added by hand.' >> \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "EDITOR="+editor)
	s := h.tui(100, 30)
	s.until("Recent memories")
	s.keys(":1" + keyEnter)
	s.until("Access tokens live 15 minutes")
	s.keys("e")
	s.until("Saved “Access tokens”", "Added by hand.")
	if mode, err := os.ReadFile(filepath.Join(root, "mode")); err != nil || strings.TrimSpace(string(mode)) != "600" {
		t.Errorf("the file of the editor has mode %s, %v; want 600", mode, err)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "engram-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.keys("u")
	s.until("Undid operation")
	s.quit()
}

func TestTUISaysWhyAnEditorFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, editor, want string }{
		{"unset", "", "neither VISUAL nor EDITOR is set"},
		{"fails", "EDITOR=false", "nothing was changed: the editor failed"},
		{"unknown", "EDITOR=no-such-editor --wait", "cannot be run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := shop(t)
			if tt.editor != "" {
				h.env = append(h.env, tt.editor)
			}
			s := h.tui(100, 30)
			s.until("Recent memories")
			s.keys(":1" + keyEnter)
			s.until("Access tokens live 15 minutes")
			s.keys("e")
			s.until(tt.want)
			s.keys("j")
			s.until("forget") // the keys are back: it goes on
			s.quit()
		})
	}
}

func TestTwoTUIsAndAnAgentWriteAtOnce(t *testing.T) {
	t.Parallel()
	h := shop(t)
	a, b := h.tui(100, 30, "recent"), h.tui(100, 30, "recent")
	for _, s := range []*screenOf{a, b} {
		s.until("Engram › Recent", "Access tokens")
	}
	a.keys("G") // the oldest
	a.until("▌ #1 ")
	agent := make(chan struct{})
	go func() {
		defer close(agent)
		for _, name := range []string{"one", "two", "three"} {
			h.run("save", "By the agent: "+name, "What agent "+name+" found out about the deployment.")
		}
	}()
	b.keys("d")
	b.until("Forgot “")
	<-agent
	for _, s := range []*screenOf{a, b} {
		s.until("By the agent: three")
	}
	a.until("▌ #1 ")
	b.keys("u")
	for _, s := range []*screenOf{a, b} {
		s.until("Cache of product pages, new")
	}
	if got := h.run("stats"); !strings.Contains(got, "Memories:     6") {
		t.Errorf("after both wrote:\n%s", got)
	}
	for _, s := range []*screenOf{a, b} {
		s.quit()
	}
}

func TestTUILivesThroughATinyTerminal(t *testing.T) {
	t.Parallel()
	h := shop(t)
	s := h.tui(80, 24, "recent")
	s.until("Engram › Recent", "Access tokens")
	s.resize(10, 3)
	s.until("▌ #3")
	s.keys("jjkG")
	s.until("▌ #1")
	s.resize(200, 60)
	s.until("Engram › Recent", "▌ #1 Access tokens", "refresh tokens rotate.")
	s.quit()
}

func TestTUIShowsHarmlessWhatIsDamaged(t *testing.T) {
	t.Parallel()
	h := shop(t)
	h.sql(`UPDATE memories SET title = CAST(x'ff41fe1b5b324a1b5d303b' AS TEXT) || 'owned', content = CAST(x'c328201b5b33316d' AS TEXT) || char(7) || 'red' WHERE num = 1`)
	s := h.tui(100, 30, "recent")
	s.until(`\xffA\xfe\x1b[2J\x1b]0;own`, `\xc3( \x1b[31m\x07red`)
	s.keys("G" + keyEnter)
	s.until("Engram › Recent › #1", `\xc3( \x1b[31m\x07red`)
	s.keys("\x1b[200~" + strings.Repeat("x\x1b[31m", 200_000) + "\x1b[201~")
	s.keys("/")
	s.until("❯")
	s.keys("\x1b[200~" + strings.Repeat("tokens ", 200_000) + "\x1b[201~")
	s.until("the pasted text is longer than a question may be")
	s.keys(keyEsc)
	s.until("Search results") // a key right after it would be one with alt
	s.quit()
}

func TestTUISeesADatabaseDisappear(t *testing.T) {
	t.Parallel()
	h := shop(t)
	s := h.tui(120, 30, "recent")
	s.until("Access tokens")
	if err := os.Rename(h.db, h.db+".away"); err != nil {
		t.Fatal(err)
	}
	s.until("has disappeared", "restore it, or quit")
	s.keys("G")
	s.until("▌ #1 ") // it still shows what was read
	if err := os.Rename(h.db+".away", h.db); err != nil {
		t.Fatal(err)
	}
	s.until("The database can be read again")
	s.quit()
}

func TestTUISeesADatabaseMigrated(t *testing.T) {
	t.Parallel()
	h := shop(t)
	s := h.tui(140, 30, "recent")
	s.until("Access tokens")
	h.sql("ALTER TABLE mutations RENAME TO mutations_of_a_later_version")
	s.until("no such table: mutations")
	s.keys("j")
	s.until("▌ #2 ") // it still shows what was read
	h.sql("ALTER TABLE mutations_of_a_later_version RENAME TO mutations")
	s.until("The database can be read again")
	s.quit()
}

func TestTUIStaysUsableWhileTheDatabaseIsLocked(t *testing.T) {
	t.Parallel()
	h := shop(t)
	s := h.tui(120, 30, "recent")
	s.until("Access tokens")
	db, err := sql.Open("sqlite", h.db)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.Conn(t.Context())
	if err == nil {
		_, err = lock.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	s.keys("d") // waits for the lock
	s.keys("G")
	s.until("▌ #1 ")
	s.keys("t")
	s.until("Timeline of #1")
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	s.until("Forgot “")
	s.quit()
}

func TestTUIHasNoColoursWithoutColour(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ env, flag string }{{"NO_COLOR=1", "auto"}, {"NO_COLOR=please", "auto"}, {"NO_COLOR=", "never"}} {
		h := shop(t, tt.env)
		s := h.tui(120, 30, "recent", "--color", tt.flag)
		s.until("Access tokens")
		s.keys("j")
		s.until("▌ #2 ")
		s.quit()
		for _, sgr := range []string{"\x1b[38;", "\x1b[48;", ";38;", ";48;"} {
			if strings.Contains(string(s.raw), sgr) {
				t.Errorf("with %s and --color %s the output has colours: %q", tt.env, tt.flag, sgr)
			}
		}
	}
}

func TestTUILeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	h := shop(t)
	s := h.tui(80, 24)
	s.until("Recent memories")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.end()
	if out := string(s.raw); !strings.Contains(out, "\x1b[?1049h") || !strings.Contains(out, "\x1b[?1049l") || !strings.Contains(out, "\x1b[?25h") {
		t.Error("the alternate screen was not left, or the cursor stayed hidden")
	}
}

// BenchmarkFirstFrame is the time from the start of the program to the first frame with counts in it.
func BenchmarkFirstFrame(b *testing.B) {
	h := shop(b)
	if dir := os.Getenv("ENGRAM_BENCH_DATA"); dir != "" {
		h.env = append(h.env, "ENGRAM_DATA_DIR="+dir)
	}
	for b.Loop() {
		s := h.tui(120, 40)
		waittest.Until(b, "the first frame", func() bool { return strings.Contains(s.text(), "Recent memories") })
		b.StopTimer()
		s.quit()
		b.StartTimer()
	}
}
