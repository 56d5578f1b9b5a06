package notebook_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/notebook"
)

func open(dir string) *notebook.Notebook {
	return notebook.New(notebook.Options{Dir: dir, Lock: lock, LockTimeout: time.Minute})
}

func at(second int) time.Time { return time.Date(2026, 6, 12, 9, 0, second, 0, time.UTC) }

func TestNotesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	n := open(filepath.Join(t.TempDir(), "notes"))
	want := []attend.Note{
		{At: at(1), Kind: attend.KindTool, Tool: "Bash", Command: "go test ./...", Failed: true, Error: "boom\nat line 3"},
		{At: at(2), Kind: attend.KindTool, Tool: "Edit", Path: "a \"b\" ü.go", Writes: true},
		{At: at(3), Kind: attend.KindAsked},
	}
	for _, note := range want {
		if err := n.Add("s/1 ../../x", note); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Add("other", attend.Note{Kind: attend.KindAsked}); err != nil {
		t.Fatal(err)
	}
	got, err := n.All("s/1 ../../x")
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
	if err := n.End("s/1 ../../x"); err != nil {
		t.Fatal(err)
	}
	if got, err := n.All("s/1 ../../x"); err != nil || got != nil {
		t.Errorf("after the end: got %+v, %v", got, err)
	}
	if err := n.End("s/1 ../../x"); err != nil {
		t.Errorf("a second end: %v", err)
	}
	if got, err := n.All("other"); err != nil || len(got) != 1 {
		t.Errorf("another session: got %+v, %v", got, err)
	}
}

func TestANotebookThatIsNotThereIsEmpty(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "notes")
	n := open(dir)
	notes, err := n.All("s")
	waiting, errWaiting := n.Pending("s")
	sessions, errSessions := n.Unwritten()
	if err := errors.Join(err, errWaiting, errSessions, n.Sweep(at(0)), n.Written("s", []string{"k"})); err != nil || notes != nil || waiting != nil || sessions != nil {
		t.Errorf("got %v, %v, %v, %v", notes, waiting, sessions, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made the folder: %v", err)
	}
}

// What is private and what is secret is not on the disk, in no field and not in half.
func TestPrivateSpansAndSecretsAreNotWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := open(dir)
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a" //nolint:gosec // not a real key
	private := "<private>the code is 4711</private>"
	long := strings.Repeat("x ", 3000)
	for _, text := range []string{private, "key " + token, long + private, long + token, private + long, token + " " + long, "<private>4711" + long + long, strings.Repeat("y ", 40<<10) + private} {
		note := attend.Note{Kind: attend.KindTool, Tool: text, Path: text, Command: text, Error: text, Text: text}
		w := attend.Pending{Key: "k", What: attend.PendingPrompt, Session: "s", Directory: text, Agent: text, Title: text, Text: text}
		if err := errors.Join(n.Add("s", note), n.AddPending(w)); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"4711", token, token[:20], token[20:]} {
			if strings.Contains(string(b), secret) {
				t.Errorf("%s has %q", filepath.Base(f), secret)
			}
		}
		if !strings.Contains(string(b), "[REDACTED") {
			t.Errorf("%s has no mark where something was cut", filepath.Base(f))
		}
	}
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	n := open(t.TempDir())
	body := strings.Repeat("ü", 10<<10)
	if err := n.Add("s", attend.Note{Kind: attend.KindTool, Command: "begin " + body, Error: body + " end"}); err != nil {
		t.Fatal(err)
	}
	all, err := n.All("s")
	if err != nil || len(all) != 1 {
		t.Fatalf("got %v, %v", all, err)
	}
	if got := all[0]; len(got.Command) > 4<<10 || !strings.HasPrefix(got.Command, "begin ü") || len(got.Error) > 4<<10 || !strings.HasSuffix(got.Error, "ü end") {
		t.Errorf("got a command of %d bytes and an error of %d", len(got.Command), len(got.Error))
	}
}

func TestOfTooManyNotesTheNewestStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := open(dir)
	text := strings.Repeat("x", 4000)
	const count = 300
	first := attend.Note{At: at(-1), Kind: "brief"} // what is no use of a tool stays: it says what the session was told
	if err := n.Add("s", first); err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if err := n.Add("s", attend.Note{At: at(i), Kind: attend.KindTool, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := n.All("s")
	if err != nil || len(all) < 60 || len(all) == count || !reflect.DeepEqual(all[0], first) {
		t.Fatalf("got %d notes, %v, which begin with %.200v, want %v", len(all), err, all, first)
	}
	all = all[1:]
	for i, note := range all {
		if want := at(count - len(all) + i); !note.At.Equal(want) {
			t.Fatalf("note %d is of %v, want %v", i, note.At, want)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if info, err := os.Stat(files[0]); err != nil || info.Size() > 512<<10 || len(files) != 1 {
		t.Errorf("files %v of %v bytes, %v", files, info.Size(), err)
	}
}

func TestLinesThatAreNoNotesArePassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := open(dir)
	if err := errors.Join(n.Add("s", attend.Note{Kind: attend.KindAsked}), n.AddPending(attend.Pending{Key: "k", Session: "s"})); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b = append([]byte("\n{}\nnull\n[1]\n{\"kind\":7,\"key\":7}\n\xff\n"), b...)
		if err := os.WriteFile(f, append(b, `{"kind":"stop","key":"half"`...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := n.All("s")
	waiting, errWaiting := n.Pending("s")
	if len(notes) != 1 || len(waiting) != 1 || errors.Join(err, errWaiting) != nil {
		t.Errorf("got %v and %v, %v, %v", notes, waiting, err, errWaiting)
	}
}

// Whatever is kept, written and kept meanwhile: nothing is lost, nothing comes twice, and the
// order is that in which it came.
func TestWhatWaitsIsThereUntilItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := open(t.TempDir())
		var want []string
		next := 0
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "wait") || len(want) == 0 {
				key := fmt.Sprint("k", next)
				next++
				if err := n.AddPending(attend.Pending{Key: key, What: attend.PendingPrompt, Session: "s", Text: "text"}); err != nil {
					rt.Fatal(err)
				}
				want = append(want, key)
				continue
			}
			first := rapid.IntRange(0, len(want)).Draw(rt, "written")
			if err := n.Written("s", append([]string{"unknown"}, want[:first]...)); err != nil {
				rt.Fatal(err)
			}
			want = want[first:]
		}
		all, err := n.Pending("s")
		var got []string
		for _, w := range all {
			got = append(got, w.Key)
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("got %v, %v, want %v", got, err, want)
		}
		sessions, err := n.Unwritten()
		if err != nil || len(sessions) != min(1, len(want)) {
			rt.Fatalf("unwritten: got %v, %v, want %v", sessions, err, want)
		}
	})
}

func TestManyAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers, each = 8, 25
	var wg sync.WaitGroup
	taken := make([][]string, 2)
	for i := range writers {
		wg.Go(func() {
			n := open(dir)
			for j := range each {
				key := fmt.Sprintf("%d-%d", i, j)
				if err := errors.Join(n.AddPending(attend.Pending{Key: key, Session: "s"}), n.Add("s", attend.Note{Kind: attend.KindTool, Text: key})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range taken {
		wg.Go(func() {
			n := open(dir)
			for range each {
				all, err := n.Pending("s")
				var keys []string
				for _, w := range all {
					keys = append(keys, w.Key)
				}
				if err := errors.Join(err, n.Written("s", keys)); err != nil {
					t.Error(err)
				}
				taken[i] = append(taken[i], keys...)
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	rest, err := open(dir).Pending("s")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range rest {
		seen[w.Key] = true
	}
	for _, keys := range taken {
		for _, k := range keys {
			seen[k] = true
		}
	}
	if len(seen) != writers*each {
		t.Errorf("%d of %d were seen", len(seen), writers*each)
	}
	if all, err := open(dir).All("s"); err != nil || len(all) != writers*each {
		t.Errorf("%d notes of %d, %v", len(all), writers*each, err)
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	n := open(t.TempDir())
	w := attend.Pending{Key: "k", Session: "s", Text: strings.Repeat("word ", 100<<10)}
	var err error
	for range 40 {
		if err = n.AddPending(w); err != nil {
			break
		}
	}
	if engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	if all, err := n.Pending("s"); err != nil || len(all) < 30 {
		t.Errorf("what was there before: %d, %v", len(all), err)
	}
}

func TestAFolderThatCannotBeWrittenIsUnavailable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n := open(filepath.Join(file, "notes"))
	if err := n.Add("s", attend.Note{Kind: attend.KindAsked}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("note: got %v", err)
	}
	if err := n.AddPending(attend.Pending{Key: "k"}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("wait: got %v", err)
	}
}

func TestAFileThatSomebodyHoldsIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(dir).Add("s", attend.Note{Kind: attend.KindAsked}); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	f, err := os.OpenFile(files[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if held, err := lock(f); !held || err != nil {
		t.Fatal(held, err)
	}
	impatient := notebook.New(notebook.Options{Dir: dir, Lock: lock, LockTimeout: time.Millisecond})
	if err := impatient.Add("s", attend.Note{Kind: attend.KindAsked}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestSweepingForgetsSessionsThatNeverEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := open(dir)
	for _, s := range []string{"old", "new"} {
		if err := errors.Join(n.Add(s, attend.Note{Kind: attend.KindAsked}), n.AddPending(attend.Pending{Key: s, Session: s})); err != nil {
			t.Fatal(err)
		}
		if s == "new" {
			break
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, f := range files {
			if err := os.Chtimes(f, at(0), at(0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := n.Sweep(at(1)); err != nil {
		t.Fatal(err)
	}
	gone, _ := n.All("old")
	here, _ := n.All("new")
	waiting, _ := n.Pending("old")
	if gone != nil || len(here) != 1 || len(waiting) != 1 {
		t.Errorf("got %v and %v; what waits %v", gone, here, waiting)
	}
}

func FuzzLines(f *testing.F) {
	line, _ := json.Marshal(attend.Note{Kind: attend.KindTool, Command: "x"})
	f.Add(append(line, '\n'))
	f.Add([]byte("{\"key\":\"k\"}\n{"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		dir := t.TempDir()
		n := open(dir)
		if err := errors.Join(n.Add("s", attend.Note{Kind: attend.KindAsked}), n.AddPending(attend.Pending{Key: "last", Session: "s"})); err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, path := range files {
			own, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, append(append(lines, '\n'), own...), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		notes, err := n.All("s")
		waiting, errWaiting := n.Pending("s")
		if err := errors.Join(err, errWaiting, n.Written("s", []string{"last"})); err != nil || len(notes) == 0 || len(waiting) == 0 {
			t.Fatalf("%q: got %v and %v, %v", lines, notes, waiting, err)
		}
	})
}
