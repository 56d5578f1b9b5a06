package attend_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func TestQuestion(t *testing.T) {
	for _, tt := range []struct{ name, prompt, want string }{
		{"a question is one", "why does the scheduler take a lock?", "why does the scheduler take a lock?"},
		{"nothing", "", ""},
		{"yes", "yes please, go ahead", ""},
		{"yes in Spanish", "sí, dale, gracias", ""},
		{"an order of everyday work", "now run the tests again and commit", ""},
		{"one word says too little", "scheduler?", ""},
		{"an order to the program", "/compact keep the scheduler lock", ""},
		{"an order of a plugin", "/engram:recall scheduler lock", ""},
		{"a command of the shell", "!git log --oneline scheduler", ""},
		{"a path is no order", "/home/ana/scheduler/lock.go leaks", "/home/ana/scheduler/lock.go leaks"},
		{"a log without a word", "2026-06-12T08:12:44Z INFO scheduler started\n2026-06-12T08:12:45Z ERROR lock timeout", ""},
		{"a stack without a word", "goroutine 12 [running]:\nmain.scheduler(0x1)\n\t/src/lock.go:12 +0x1d", ""},
		{"what is asked about a log", "the scheduler lost its lock:\n2026-06-12T08:12:45Z ERROR lock timeout", "the scheduler lost its lock:"},
		{"what stands between fences", "```go\nfunc scheduler() { lock() }\n```", ""},
		{"what is asked about it", "rewrite this for the scheduler lock\n```go\nfunc x() {}\n```\nand keep the timeout", "rewrite this for the scheduler lock\nand keep the timeout"},
		{"a fence that is never closed", "the scheduler lock\n```\nx", "the scheduler lock"},
		{"what a program put in", "<system-reminder>the scheduler takes locks</system-reminder>ok", ""},
		{"addresses", "see https://example.com/scheduler/lock/timeouts", ""},
		{"a script without spaces", "调度器为什么要加锁", "调度器为什么要加锁"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := attend.Question(tt.prompt); got != tt.want {
				t.Errorf("Question(%q)\n got %q\nwant %q", tt.prompt, got, tt.want)
			}
		})
	}
}

func TestOfALongPromptTheFirstWordsAreAsked(t *testing.T) {
	long := "the scheduler loses its lock " + strings.Repeat("whatever lengthy explanation follows ", 500)
	got := attend.Question(long)
	if !strings.HasPrefix(got, "the scheduler loses its lock") || len(got) > 400 {
		t.Errorf("of %d bytes are asked %d: %q", len(long), len(got), got)
	}
}

func FuzzQuestion(f *testing.F) {
	for _, s := range []string{"", "why the lock?", "/compact", "```\nx", "<file>", "a\xffb scheduler lock", "调度器", "> quoted\n| table |"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		got := attend.Question(prompt)
		if !utf8.ValidString(got) || len(got) > len(prompt)+4 {
			t.Errorf("Question(%q) = %q", prompt, got)
		}
		if again := attend.Question(prompt); again != got {
			t.Errorf("Question(%q) is %q and %q", prompt, got, again)
		}
	})
}
