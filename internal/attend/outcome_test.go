package attend_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func ran(command string) attend.Note {
	return attend.Note{Kind: attend.KindTool, Tool: "Bash", Command: command}
}

func failed(command, err string) attend.Note {
	n := ran(command)
	n.Failed, n.Error = true, err
	return n
}

func edited(path string) attend.Note {
	return attend.Note{Kind: attend.KindTool, Tool: "Edit", Path: path, Writes: true}
}

func TestOutcomes(t *testing.T) {
	const broken = "# shop/pool\npool/pool.go:12:3: undefined: conn.Release\nFAIL\tshop/pool [build failed]"
	for _, tt := range []struct {
		name  string
		notes []attend.Note
		want  []string // commands
	}{
		{"nothing happened", nil, nil},
		{"what failed and passed after an edit", []attend.Note{failed("go test ./...", broken), edited("pool/pool.go"), ran("go test ./...")}, []string{"go test ./..."}},
		{"what failed and passed after another command", []attend.Note{failed("go test ./...", "connection refused"), ran("docker compose up -d"), ran("go test ./...")}, []string{"go test ./..."}},
		{"what passed without anything being done teaches nothing", []attend.Note{failed("go test ./...", broken), ran("go test ./...")}, nil},
		{"what never failed", []attend.Note{ran("go test ./..."), edited("a.go"), ran("go test ./...")}, nil},
		{"what never passed", []attend.Note{failed("go test ./...", broken), edited("a.go"), failed("go test ./...", broken)}, nil},
		{"what passed before it failed", []attend.Note{ran("make"), edited("a.go"), failed("make", broken)}, nil},
		{"another command", []attend.Note{failed("go test ./pool", broken), edited("a.go"), ran("go test ./shop")}, nil},
		{"the same in another folder, with a variable and other output", []attend.Note{
			failed("cd /src/shop && CGO_ENABLED=0 go test ./... 2>&1", broken), edited("a.go"), ran("timeout 60 go test ./... > out.txt")}, []string{"go test ./..."}},
		{"the same in a shell of its own", []attend.Note{failed(`bash -lc "cargo build"`, "error[E0432]: unresolved import"), edited("a.rs"), ran("cargo build")}, []string{"cargo build"}},
		{"behind a pager nobody knows that it passed", []attend.Note{failed("go test ./...", broken), edited("a.go"), ran("go test ./... | tail -20")}, nil},
		{"nor where failing is made good", []attend.Note{failed("make lint", "x"), edited("a.go"), ran("make lint || true")}, nil},
		{"failing is an answer of grep", []attend.Note{failed("grep -r Release .", ""), edited("a.go"), ran("grep -r Release .")}, nil},
		{"and of git diff", []attend.Note{failed("git diff --exit-code", ""), edited("a.go"), ran("git diff --exit-code")}, nil},
		{"and of test", []attend.Note{failed("test -f x", ""), edited("x"), ran("test -f x")}, nil},
		{"a trifle", []attend.Note{failed("mkdir a/b", "no such file"), ran("make dirs"), ran("mkdir a/b")}, nil},
		{"a script of several lines", []attend.Note{failed("go vet\ngo test", broken), edited("a.go"), ran("go vet\ngo test")}, nil},
		{"what the person stopped", []attend.Note{failed("make serve", "Interrupted by user"), edited("a.go"), ran("make serve")}, nil},
		{"one for a command, however often", []attend.Note{failed("make", broken), edited("a.go"), ran("make"), failed("make", "error: no rule"), edited("Makefile"), ran("make")}, []string{"make"}},
		{"in the order in which they passed", []attend.Note{failed("make a", "x"), failed("make b", "y"), edited("f"), ran("make b"), ran("make a")}, []string{"make b", "make a"}},
		{"an edit that failed is none", []attend.Note{failed("make", broken), {Kind: attend.KindTool, Path: "a.go", Writes: true, Failed: true}, ran("make")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, o := range attend.Outcomes(tt.notes) {
				got = append(got, o.Command)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Outcomes(%+v)\n got %q\nwant %q", tt.notes, got, tt.want)
			}
		})
	}
}

func TestAnOutcomeTellsTheErrorAndWhatHelped(t *testing.T) {
	at := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	last := ran("go test ./...")
	last.At = at
	notes := []attend.Note{
		failed("go test ./... ", "2026-06-12T08:59:00Z \x1b[31mpool/pool.go:12:3: undefined: conn.Release\x1b[0m\nFAIL\tshop/pool\nexit status 1"),
		edited("pool/conn.go"), failed("go test ./...", "another"), edited("pool/pool.go"), edited("pool/conn.go"), ran("go generate ./..."), last,
	}
	all := attend.Outcomes(notes)
	if len(all) != 1 {
		t.Fatalf("Outcomes(%+v) = %+v, want one", notes, all)
	}
	o := all[0]
	for _, want := range []string{"`go test ./...` failed, then passed", "undefined: conn.Release"} {
		if !strings.Contains(o.Title, want) {
			t.Errorf("title %q, want %q in it", o.Title, want)
		}
	}
	for _, want := range []string{"after 3 runs", "    pool/pool.go:12:3: undefined: conn.Release", "Edited until it passed: pool/conn.go, pool/pool.go", "Run until it passed: `go generate ./...`"} {
		if !strings.Contains(o.Content, want) {
			t.Errorf("content\n%s\nwant %q in it", o.Content, want)
		}
	}
	if strings.Contains(o.Content, "\x1b") || strings.Contains(o.Content, "08:59") {
		t.Errorf("content has colours or times:\n%q", o.Content)
	}
	if !strings.HasPrefix(o.TopicKey, "outcome/") || len(o.TopicKey) != len("outcome/")+8 || !o.At.Equal(at) || o.Tries != 3 {
		t.Errorf("topic %q at %s after %d tries", o.TopicKey, o.At, o.Tries)
	}
	if other := attend.Outcomes([]attend.Note{failed("cd x && go test ./...", "y"), edited("z"), last}); other[0].TopicKey != o.TopicKey {
		t.Errorf("another session has the topic %q for the same command, want %q", other[0].TopicKey, o.TopicKey)
	}
}

// Progress is of no interest, and a title is a line in a list.
func TestAnOutcomeIsWorthReading(t *testing.T) {
	err := "Downloading  10%\rDownloading  90%\r\x1b]0;building\x07\n" +
		"Receiving objects:  45% (45/100)\n[=======>      ] 55%\n100% complete\n\u280b building\n" +
		"2026/06/12 08:59:00 main.go: begun\n[08:59:01] time passes\n" +
		strings.Repeat("at a place that nobody looks at\n", 50) +
		"\x1b[31mJun 12 08:59:03 error: the pool of connections that the nightly job opens for each of its forty workers is empty\x07\x1b[0m\n" +
		strings.Repeat("note: and this follows from it, "+strings.Repeat("long ", 60)+"\n", 50)
	command := "go test -count=1 -run 'TestThePool|TestTheWorkers|TestTheNightlyJob' ./internal/pool/... ./internal/worker/..."
	all := attend.Outcomes([]attend.Note{failed(command, err), edited("pool/pool.go"), ran(command)})
	if len(all) != 1 {
		t.Fatalf("got %+v, want one", all)
	}
	o := all[0]
	if !strings.Contains(o.Title, "failed, then passed: error: the pool of") || utf8.RuneCountInString(o.Title) > 100 {
		t.Errorf("title of %d characters: %q", utf8.RuneCountInString(o.Title), o.Title)
	}
	for _, not := range []string{"%", "\x1b", "\x07", "\r", "08:59", "building", "Receiving"} {
		if strings.Contains(o.Content, not) {
			t.Errorf("content has %q:\n%s", not, o.Content)
		}
	}
	if lines := strings.Count(o.Content, "\n"); lines > 10 || len(o.Content) > 1500 {
		t.Errorf("content of %d lines and %d bytes:\n%s", lines, len(o.Content), o.Content)
	}
	for _, stays := range []string{"error: coverage 45% is below 60%", "error: 3 of 10 (30%) failed"} {
		if all := attend.Outcomes([]attend.Note{failed("make", stays), edited("a.go"), ran("make")}); !strings.Contains(all[0].Content, stays) {
			t.Errorf("content\n%s\nwant %q in it", all[0].Content, stays)
		}
	}
}

func TestOutcomesAreTheSameEachTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		notes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) attend.Note {
			return attend.Note{
				Kind:    rapid.SampledFrom([]string{attend.KindTool, attend.KindPrompt, attend.KindAsked}).Draw(t, "kind"),
				Command: rapid.SampledFrom([]string{"", "make", "cd a && make", "make | tail", "go test ./...", "ls", "a && (b; c) || 'd"}).Draw(t, "command"),
				Path:    rapid.SampledFrom([]string{"", "a.go", "b.go"}).Draw(t, "path"),
				Writes:  rapid.Bool().Draw(t, "writes"), Failed: rapid.Bool().Draw(t, "failed"), Error: rapid.String().Draw(t, "error"),
			}
		}), 0, 30).Draw(t, "notes")
		one, two := attend.Outcomes(notes), attend.Outcomes(notes)
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("Outcomes(%+v)\nfirst  %+v\nsecond %+v", notes, one, two)
		}
		seen := map[string]bool{}
		for _, o := range one {
			if seen[o.Command] || o.Tries < 2 || o.Title == "" || o.Content == "" {
				t.Fatalf("Outcomes(%+v) has %+v", notes, o)
			}
			seen[o.Command] = true
		}
	})
}

func FuzzOutcomes(f *testing.F) {
	for _, c := range []string{"go test ./...", `bash -c 'a && b'`, "a | b || c; d", "x=1 y", "'", "\\", "timeout", "(a", "2>&1"} {
		f.Add(c, "error: x")
	}
	f.Fuzz(func(t *testing.T, command, err string) {
		for _, o := range attend.Outcomes([]attend.Note{failed(command, err), edited("a"), ran(command)}) {
			if o.Command == "" || strings.ContainsFunc(o.Title, unicode.IsControl) || utf8.RuneCountInString(o.Title) > 100 || strings.Count(o.Content, "\n") > 12 {
				t.Errorf("%q failing with %q is %+v", command, err, o)
			}
		}
	})
}

// What says something of a failure is told, and not the code that each has.
func TestAnOutcomeTellsWhatFailed(t *testing.T) {
	for _, said := range []string{"FAILED: 2 of 7 checks", "FAIL TestA"} {
		all := attend.Outcomes([]attend.Note{failed("./check.sh", "Exit code 1\n"+said), edited("a.go"), ran("./check.sh")})
		if len(all) != 1 || !strings.Contains(all[0].Content, "It said:\n    "+said+"\n") || strings.Contains(all[0].Content, "Exit code") {
			t.Errorf("%s: got %+v", said, all)
		}
	}
}
