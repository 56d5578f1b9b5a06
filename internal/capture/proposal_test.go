package capture_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
)

// turnOf draws a turn out of words that the rules look for.
func turnOf(t *rapid.T) capture.Turn {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"we decided to", "let's go with", "because", "Always", "never", "don't", "again", "I prefer", "the problem was that", "root cause:", "Decision:", "?", ".", "!", "\n", "- ", "```\n", "> ",
		"go test", "a ring buffer", "gofmt", "instead of", "the pool", "é", "vamos con", "porque", "## Key Learnings:\n", "1. ", "option 2", "\xff", "**", "<private>"}), 0, 24).Draw(t, "words")
	return capture.Turn{Role: rapid.SampledFrom([]capture.Role{capture.RolePerson, capture.RoleAgent, capture.RoleTool, capture.RoleSummary, "ghost"}).Draw(t, "role"),
		Text: strings.Join(words, " "), Command: rapid.SampledFrom([]string{"", "go test ./a", "cd x && go test ./a | tail", "make"}).Draw(t, "command"),
		Edited: rapid.SampledFrom([]string{"", "a.go"}).Draw(t, "edited"), Failed: rapid.Bool().Draw(t, "failed"), At: time.UnixMilli(rapid.Int64Range(0, 9).Draw(t, "at")).UTC()}
}

// checkProposal says what no proposal may be.
func checkProposal(t interface{ Errorf(string, ...any) }, p capture.Proposal, valid bool) {
	m := engram.Memory{Title: p.Title, Content: p.Content, Type: p.Type, Importance: p.Importance}
	if err := m.Validate(); err != nil && valid {
		t.Errorf("%+v can be no memory: %v", p, err)
	}
	if utf8.RuneCountInString(p.Title) > 80 || strings.ContainsAny(p.Title, "\n\r") || p.Why == "" {
		t.Errorf("%+v: a title has one line of 80 characters, and every proposal its why", p)
	}
}

func TestAnyTranscript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(turnOf), 0, 20).Draw(t, "turns")
		got := capture.OfTranscript(turns)
		if again := capture.OfTranscript(turns); !reflect.DeepEqual(got, again) {
			t.Fatalf("the same turns gave\n%+v\nand\n%+v", got, again)
		}
		for _, p := range got {
			checkProposal(t, p, utf8.ValidString(p.Title+p.Content))
		}
		// What was found in the beginning stays found however the transcript goes on.
		if len(turns) > 0 {
			var session capture.Transcript
			var early []capture.Proposal
			for _, turn := range turns[:len(turns)-1] {
				early = append(early, session.Add(turn)...)
			}
			if len(early) > len(got) || len(early) > 0 && !reflect.DeepEqual(early, got[:len(early)]) {
				t.Fatalf("before the last turn\n%+v\nwith it\n%+v", early, got)
			}
		}
	})
}

func TestProposalsSayWhatWasSaid(t *testing.T) {
	for _, tt := range []struct {
		name string
		turn capture.Turn
		want capture.Proposal
	}{
		{"a decision is called by what was decided, without its reason",
			capture.Turn{Role: capture.RolePerson, Text: "Ok. We decided to keep one file per tenant because backups are copied one by one. Now run the tests."},
			capture.Proposal{Type: engram.TypeDecision, Title: "Keep one file per tenant", Content: "We decided to keep one file per tenant because backups are copied one by one."}},
		{"the reason in the next sentence belongs to it",
			capture.Turn{Role: capture.RolePerson, Text: "Let's use UUIDs as keys. Otherwise two offices collide. Thanks."},
			capture.Proposal{Type: engram.TypeDecision, Title: "UUIDs as keys", Content: "Let's use UUIDs as keys. Otherwise two offices collide."}},
		{"what was decided against is called so",
			capture.Turn{Role: capture.RolePerson, Text: "We decided against a cache in front of the index."},
			capture.Proposal{Type: engram.TypeDecision, Title: "Not a cache in front of the index", Content: "We decided against a cache in front of the index."}},
		{"politeness is no part of a preference",
			capture.Turn{Role: capture.RolePerson, Text: "please always show the plan first"},
			capture.Proposal{Type: engram.TypePreference, Title: "Always show the plan first", Content: "please always show the plan first"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := capture.OfTranscript([]capture.Turn{tt.turn})
			if len(got) != 1 || got[0].Type != tt.want.Type || got[0].Title != tt.want.Title || got[0].Content != tt.want.Content {
				t.Errorf("%q gave\n%+v\nwant\n%+v", tt.turn.Text, got, tt.want)
			}
		})
	}
}

func TestAFixIsToldWithItsError(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	got := capture.OfTranscript([]capture.Turn{
		{Role: capture.RoleTool, Command: "go test ./pool", Failed: true, Text: "pool_test.go:9: got 3, want 4", At: at},
		{Role: capture.RoleTool, Edited: "pool/pool.go", At: at},
		{Role: capture.RoleTool, Command: "go test ./pool", At: at.Add(time.Minute)},
		{Role: capture.RoleAgent, Text: "Root cause: the last worker was never counted because it starts late.", At: at.Add(time.Hour)},
	})
	if len(got) != 1 || got[0].Title != "The last worker was never counted because it starts late" || !got[0].At.Equal(at.Add(time.Minute)) || got[0].Key == "" {
		t.Fatalf("got %+v, want one, of the time when it passed", got)
	}
	for _, part := range []string{"Cause: The last worker", "got 3, want 4", "pool/pool.go", "go test ./pool"} {
		if !strings.Contains(got[0].Content, part) {
			t.Errorf("the fix does not tell %q:\n%s", part, got[0].Content)
		}
	}
}

func TestCleanIsAskedOfWhatIsProposed(t *testing.T) {
	clean := func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	session := capture.Transcript{Clean: clean}
	var got []capture.Proposal
	for _, turn := range []capture.Turn{
		{Role: capture.RolePerson, Text: "Always log in with hunter2 on the staging host."},
		{Role: capture.RoleTool, Command: "make login", Failed: true, Text: "error: hunter2 was refused"},
		{Role: capture.RoleTool, Edited: "login.sh"},
		{Role: capture.RoleTool, Command: "make login"},
		{Role: capture.RoleAgent, Text: "It failed because hunter2 had a blank behind it."},
	} {
		got = append(got, session.Add(turn)...)
	}
	got = append(got, session.End()...)
	if len(got) != 2 {
		t.Fatalf("got %+v, want a preference and a fix", got)
	}
	for _, p := range got {
		if strings.Contains(p.Title+p.Content+p.Why, "hunter2") {
			t.Errorf("%+v has what must not be kept", p)
		}
	}
}

func TestProposalsTakeLinearTime(t *testing.T) {
	const n = 50_000
	for _, tt := range []struct {
		name string
		turn capture.Turn
	}{
		{"one sentence without an end", capture.Turn{Role: capture.RoleAgent, Text: "We decided to " + strings.Repeat("use because ", n)}},
		{"marks that end nothing", capture.Turn{Role: capture.RoleAgent, Text: "decided " + strings.Repeat("a.b?c!", n)}},
		{"sentences that all decide", capture.Turn{Role: capture.RoleAgent, Text: strings.Repeat("We decided to go on because it is so. ", n/10)}},
		{"lines that may go on", capture.Turn{Role: capture.RolePerson, Text: strings.Repeat("always\n", 250)}},
		{"causes", capture.Turn{Role: capture.RoleAgent, Text: strings.Repeat("because because because because because ", n/5)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			done := make(chan struct{})
			go func() { capture.OfTranscript([]capture.Turn{tt.turn}); close(done) }()
			select {
			case <-done: // well under a second; the square would be minutes
			case <-time.After(20 * time.Second):
				t.Errorf("%d bytes took more than 20 s", len(tt.turn.Text))
			}
		})
	}
}

// A session in which the same command fails again and again costs no more with each run.
func TestManyFailuresTakeLinearTime(t *testing.T) {
	var turns []capture.Turn
	for range 20_000 {
		turns = append(turns, capture.Turn{Role: capture.RoleTool, Command: "go test ./pool", Failed: true, Text: "FAIL"},
			capture.Turn{Role: capture.RoleTool, Edited: "a.go"}, capture.Turn{Role: capture.RoleTool, Command: "go vet ./pool"}, capture.Turn{Role: capture.RoleAgent, Text: "The problem was the pool."})
	}
	done := make(chan struct{})
	go func() { capture.OfTranscript(turns); close(done) }()
	select {
	case <-done: // some seconds
	case <-time.After(time.Minute):
		t.Errorf("%d turns took more than a minute", len(turns))
	}
}

func FuzzOfTranscript(f *testing.F) {
	f.Add("We decided to use a queue because it is simple. Ok?", "person")
	f.Add("- Decision: one file\n- Always run it.\n```\nwe decided\n```", "agent")
	f.Add("¿Vamos con Redis? **Decisión:** no.\xff", "agent")
	f.Fuzz(func(t *testing.T, text, role string) {
		for _, p := range capture.OfTranscript([]capture.Turn{{Role: capture.Role(role), Text: text}}) {
			checkProposal(t, p, utf8.ValidString(text) && !strings.Contains(text, "\x00"))
			if p.Type != engram.TypeSessionSummary && len(p.Content) > len(text) {
				t.Errorf("%q gave more than there is: %q", text, p.Content)
			}
		}
	})
}

func FuzzOfCommit(f *testing.F) {
	f.Add("fix: a lock", "It was held because nobody let it go, which meant that others waited.\n\nSigned-off-by: A <a@b.c>", "Ann")
	f.Add("Revert \"x\"", "This reverts commit 0123456789.\n\nIt broke the build of Windows.", "Ann")
	f.Add("feat!: x", "BREAKING CHANGE: the flag is gone for good\n\nRefs: #1", "bot[bot]")
	f.Fuzz(func(t *testing.T, subject, body, author string) {
		c := capture.Commit{Subject: subject, Body: body, Author: author}
		p, ok := capture.OfCommit(c)
		if again, same := capture.OfCommit(c); same != ok || !reflect.DeepEqual(p, again) {
			t.Errorf("%+v gave %+v, then %+v", c, p, again)
		}
		if ok && len(p.Content) > 4<<10 {
			t.Errorf("%d bytes of a commit are kept", len(p.Content))
		}
	})
}

func BenchmarkOfTranscript(b *testing.B) {
	talk := strings.Repeat("I read the handler and the pool beside it. The tests cover the empty case, because the lock is taken in the right order. ", 20)
	turns := []capture.Turn{{Role: capture.RoleTool, Command: "go test ./pool", Failed: true, Text: "FAIL"}}
	for range 20 {
		turns = append(turns, capture.Turn{Role: capture.RoleAgent, Text: talk})
	}
	b.SetBytes(int64(20 * len(talk)))
	b.ReportAllocs()
	for b.Loop() {
		capture.OfTranscript(turns)
	}
}
