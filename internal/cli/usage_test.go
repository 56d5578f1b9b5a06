package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/help"
)

// Every usage error has exit code 2, a reason and a hint.
func TestEveryCommandRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, c := range commands() {
		if c.Name() == "hook" {
			continue // hooks ignore unknown arguments, so that agents are not stopped
		}
		path := strings.Fields(command.PathOf(c))
		t.Run(c.CommandPath(), func(t *testing.T) {
			_, stderr, code := run(append(slices.Clone(path), "--no-such-flag")...)
			if code != 2 || !strings.Contains(stderr, "--no-such-flag") || !strings.Contains(stderr, "run: "+c.CommandPath()+" --help") {
				t.Errorf("--no-such-flag: got exit code %d, stderr:\n%s\nwant exit code 2 and the help of %s", code, stderr, c.CommandPath())
			}
			if c.HasSubCommands() && c.Name() != "delete" && c.Name() != "store" { // their arguments are memories, too
				_, stderr, code = run(append(slices.Clone(path), "no-such-command")...)
				if code != 2 || !strings.Contains(stderr, "no-such-command") && !strings.Contains(stderr, "too many arguments") {
					t.Errorf("no-such-command: got exit code %d, stderr:\n%s\nwant exit code 2 and the word", code, stderr)
				}
			}
		})
	}
}

// A missing letter is the most common mistake.
func TestAMistypedFlagIsRecognised(t *testing.T) {
	for _, c := range commands() {
		c.InitDefaultHelpFlag()
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || len(f.Name) < 5 || c.Flags().Lookup(f.Name[:len(f.Name)-1]) != nil {
				return
			}
			mistyped := "--" + f.Name[:len(f.Name)-1]
			_, stderr, code := run(append(strings.Fields(command.PathOf(c)), mistyped)...)
			if code != 2 || !strings.Contains(stderr, "did you mean --") {
				t.Errorf("%s %s: got exit code %d, stderr:\n%s\nwant exit code 2 and the flag that was meant", c.CommandPath(), mistyped, code, stderr)
			}
		})
	}
}

// Words of other programs and of older designs lead to today's command in one line.
func TestOldWordsAreAnswered(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"rm 1", "did you mean: engram delete?"},
		{"ls", "did you mean: engram list?"},
		{"find x", "did you mean: engram search?"},
		{"edit 1", "did you mean: engram update?"},
		{"summary x", "did you mean: engram session summary?"},
		{"merge a b", "did you mean: engram projects merge?"},
		{"serach x", "did you mean: engram search?"},
		{"search x --semantic", "did you mean --mode semantic?"},
		{"search x --top-k 3", "did you mean --limit?"},
		{"search x --category fact", "did you mean --type?"},
		{"search x --tag-s a", "did you mean --tag?"},
		{"projects prune --force", "did you mean --yes?"},
		{"list --no-color", "did you mean --color=never?"},
		{"conflicts", "one of deferred, ignore, judge, list, scan, show, stats"},
		{"tag 1 security --data-dir /tmp/x", "engram tag 1 add security"},
		{"save -- --title text more", "everything after -- is an argument"},
		{"list zero --data-dir /tmp/x", "a number from 1"},
		{"recent 0 --data-dir /tmp/x", "a number from 1"},
		{"link 1 relates_to 2 --relation supersedes --data-dir /tmp/x", "the relation is given twice"},
	} {
		_, stderr, code := run(strings.Fields(tt.line)...)
		if code != 2 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: got exit code %d, stderr:\n%s\nwant exit code 2 and %q", tt.line, code, stderr, tt.want)
		}
	}
}

func TestOldWordsLeadToCommands(t *testing.T) {
	root := tree()
	for word, meant := range help.OldWords() {
		if c, rest, err := root.Find(strings.Fields(meant)); err != nil || len(rest) > 0 || strings.TrimPrefix(c.CommandPath(), "engram ") != meant {
			t.Errorf("%q leads to %q, which is no command", word, meant)
		}
		if found, _, err := root.Find([]string{word}); err == nil && found != root {
			t.Errorf("%q is a command: nobody needs to be told what it is called", word)
		}
	}
}

// Older calls that still work.
func TestOlderCallsWork(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	for _, line := range []string{
		"engram store 'Auth model' JWT --topic_key a/b --tag x --project shop",
		"engram add 'We deploy on Fridays' --permanent --project shop",
		"engram remember 'Ports below 1024 need a capability' --project shop",
		"engram query JWT --tags x --project shop",
		"engram show topic:a/b",
		"engram link 1 2",
		"engram link 1 3 --relation derived_from",
		"engram tag add 1 y",
		"engram recent 2 --project shop",
		"engram list 2 --project shop",
		"engram projects consolidate --all --dry-run",
		"engram project list",
		"engram conflict list --project=shop",
		"engram sessions list --project shop",
		"engram prompts list --project shop",
		"engram review mark 1",
		"engram doctor --json --check=disk_space",
		`engram ingest '[{"content":"from an argument"}]' --project shop`,
		`engram ingest '{"content":"one of them"}' --project shop`,
		"engram save --project shop -- '-dash title' '--dash content'",
		"engram search --project shop -- -dash",
		"engram forget topic:a/b",
	} {
		if _, stderr, code := runIn(dir, append([]string{"--data-dir", data}, invocations(line)[0]...)...); code != 0 {
			t.Errorf("%s: got exit code %d, want 0\n%s", line, code, stderr)
		}
	}
}

// A pipe that breaks is not an empty text.
func TestStandardInputThatCannotBeRead(t *testing.T) {
	for _, line := range []string{"save Title -", "update 1 --content -", "prompt save -", "session summary -", "capture", "ingest"} {
		var out, stderr bytes.Buffer
		code := Run(context.Background(), command.Options{
			Args: append(strings.Fields(line), "--data-dir", t.TempDir(), "--project", "shop"), Env: func(string) (string, bool) { return "", false },
			Dir: t.TempDir(), Stdin: iotest.ErrReader(context.DeadlineExceeded), Stdout: &out, Stderr: &stderr,
		})
		if code != 5 || out.Len() != 0 {
			t.Errorf("%s: got exit code %d, stdout %q, stderr %q; want 5, unavailable", line, code, out.String(), stderr.String())
		}
	}
}
