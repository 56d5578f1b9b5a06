package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/cli/command"
)

// tree returns the commands of a program that was never run.
func tree() *cobra.Command {
	p := &command.Program{}
	return newRoot(p)
}

// commands returns the whole tree.
func commands() []*cobra.Command {
	var all []*cobra.Command
	command.ForEach(tree(), func(c *cobra.Command) { all = append(all, c) })
	return all
}

// run executes a command line without an environment.
func run(args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = Run(context.Background(), command.Options{
		Args: args, Env: func(string) (string, bool) { return "", false },
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Version: "1.2.3",
	})
	return out.String(), err.String(), code
}

func TestEveryCommandHelpsWithAnExample(t *testing.T) {
	for _, c := range commands() {
		path := strings.Fields(c.CommandPath())[1:]
		t.Run(c.CommandPath(), func(t *testing.T) {
			if c.Short == "" || c.Example == "" {
				t.Fatalf("short %q, example %q: both must be there", c.Short, c.Example)
			}
			out, stderr, code := run(append(slices.Clone(path), "--help")...)
			if code != 0 || stderr != "" || !strings.Contains(out, strings.Split(c.Example, "\n")[0]) {
				t.Errorf("--help: got exit code %d, stderr %q, stdout:\n%s\nwant exit code 0 and the example", code, stderr, out)
			}
			for _, flag := range []string{"--json", "--data-dir", "--project"} {
				if !strings.Contains(out, flag) {
					t.Errorf("--help does not name %s", flag)
				}
			}
		})
	}
}

// An example that does not parse is worse than no example.
func TestEveryExampleCanBeTyped(t *testing.T) {
	for _, c := range commands() {
		for _, line := range strings.Split(c.Example, "\n") {
			for _, words := range invocations(line) {
				root := tree()
				found, rest, err := root.Find(words)
				if err != nil {
					t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
					continue
				}
				if err := found.ParseFlags(rest); err != nil {
					t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
					continue
				}
				if err := found.ValidateArgs(found.Flags().Args()); err != nil {
					t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
				}
			}
		}
	}
}

// invocations splits a shell line into the words after each "engram" in command position.
func invocations(line string) [][]string {
	var out [][]string
	var words []string
	var word strings.Builder
	quote, any := rune(0), false
	flush := func() {
		if any {
			words = append(words, word.String())
		}
		word.Reset()
		any = false
	}
	end := func() {
		flush()
		if len(words) > 0 && words[0] == "engram" {
			out = append(out, words[1:])
		}
		words = nil
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, any = r, true
		case quote != 0:
			word.WriteRune(r)
		case strings.ContainsRune("|<>()", r):
			end()
		case r == ' ':
			flush()
		default:
			word.WriteRune(r)
			any = true
		}
	}
	end()
	return out
}

func TestWrongUsageIsNamed(t *testing.T) {
	for _, tt := range []struct {
		line      string
		msg, hint string // parts
	}{
		{"serach x", `unknown command "serach"`, "did you mean: engram search?"},
		{"serach x --limit 3", `unknown command "serach"`, "did you mean: engram search?"},
		{"ponder x --budget 100", `unknown command "ponder"`, "engram --help"},
		{"session strat", `unknown command "session strat"`, "engram session start?"},
		{"projects lst", `unknown command "projects lst"`, "engram projects list?"},
		{"session", "session needs a subcommand", "engram session --help"},
		{"search --limt 3 x", "unknown flag: --limt", "did you mean --limit?"},
		{"delete 99 --reason x", "unknown flag: --reason", "engram delete --help"},
		{"delete 99 --hrad", "unknown flag: --hrad", "did you mean --hard?"},
		{"search --limit x y", `--limit "x" is not a whole number`, "engram search --help"},
		{"get", "argument is missing", "usage: engram get ID"},
		{"save a b c", "too many arguments", "usage: engram save"},
		{"version now", "too many arguments", "usage: engram version"},
		{"save Title -dash", "unknown shorthand flag", "put -- before"},
		{"get abc --data-dir /tmp/x", `"abc" does not name a memory`, "topic:KEY"},
		{"get 0 --data-dir /tmp/x", `"0" does not name a memory`, "topic:KEY"},
		{"mark abc --data-dir /tmp/x", `"abc" does not name a memory`, "topic:KEY"},
		{"tag 1 rename x --data-dir /tmp/x", `unknown action "rename"`, "add, remove or list"},
		{"tag 1 add --data-dir /tmp/x", "needs a tag", "engram tag 12 add"},
		{"tag list 1 x --data-dir /tmp/x", "takes no tags", "usage"},
		{"delete prompt x --data-dir /tmp/x", "not a prompt number", "prompt list"},
		{"projects merge a --data-dir /tmp/x", "needs a target project", "--into"},
		{"serve http", "is not a port", "usage: engram serve"},
		{"serve 65536", "is not a port", "usage: engram serve"},
		{"completion tcsh", "unknown shell", "bash, zsh"},
		{"search x --match some --data-dir /tmp/x", "--match", "every word"},
		{"save x --data-dir /tmp/x --scope team", `unknown scope "team"`, "project, personal or global"},
		{"save x --data-dir /tmp/x --metadata novalue", "not key=value", "--metadata ticket"},
		{"save x --data-dir /tmp/x --related abc", "does not name a memory", "topic:KEY"},
		{"stats", "home directory is unknown", "--data-dir"},
		{"help nonsense", `unknown command "nonsense"`, "engram --help"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			out, stderr, code := run(strings.Fields(tt.line)...)
			if code != 2 || out != "" || !strings.HasPrefix(stderr, "engram: ") || !strings.Contains(stderr, tt.msg) ||
				!strings.Contains(stderr, "\nhint: ") || !strings.Contains(stderr, tt.hint) {
				t.Errorf("got exit code %d, stdout %q, stderr:\n%s\nwant exit code 2, nothing, engram: …%s… hint: …%s…", code, out, stderr, tt.msg, tt.hint)
			}
			_, stderr, code = run(append(strings.Fields(tt.line), "--json")...)
			if code != 2 || !strings.HasPrefix(stderr, `{"error":{"code":"invalid","message":`) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("--json: got exit code %d, stderr:\n%s\nwant exit code 2 and one line of JSON", code, stderr)
			}
		})
	}
}

func TestVersionNeedsNoHome(t *testing.T) {
	for _, line := range []string{"version", "--version", "-v"} {
		if out, stderr, code := run(line); out != "engram 1.2.3\n" || code != 0 {
			t.Errorf("%s: got %q, %q, exit code %d; want engram 1.2.3", line, out, stderr, code)
		}
	}
	if out, _, _ := run("version", "--json"); out != "{\n  \"version\": \"1.2.3\"\n}\n" {
		t.Errorf("version --json: got %q", out)
	}
}

func TestCompletionAndManualAreMadeOfTheTree(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out, stderr, code := run("completion", shell); code != 0 || !strings.Contains(out, "engram") {
			t.Errorf("completion %s: got exit code %d, stderr %q, %d bytes", shell, code, stderr, len(out))
		}
	}
	out, _, code := run("man")
	if code != 0 || !strings.HasPrefix(out, ".TH ENGRAM 1") || strings.Contains(out, "`") {
		t.Errorf("man: got exit code %d and %.300q; want roff without back quotes", code, out)
	}
	for _, c := range commands() {
		if !c.Hidden && !strings.Contains(strings.ReplaceAll(out, `\-`, "-"), c.Name()) {
			t.Errorf("man does not speak of %s", c.CommandPath())
		}
	}
}

func TestAnAnswerThatCannotBeWrittenIsAnError(t *testing.T) {
	var stderr bytes.Buffer
	code := Run(context.Background(), command.Options{Args: []string{"version"}, Stdout: broken{}, Stderr: &stderr, Stdin: strings.NewReader("")})
	if code != 5 || !strings.Contains(stderr.String(), "cannot write the output") {
		t.Errorf("got exit code %d, stderr %q; want 5", code, stderr.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
