package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
)

// documented are the pages whose commands run, each in an empty home, with the lines to run before those of
// the page.
func documented() map[string]string {
	const some = `engram save 'Retries' 'Three attempts, then the queue keeps the message' --type decision
engram save 'Pool size' 'The pool has 20 connections' --type decision
`
	return map[string]string{
		"README.md":        "",
		"docs/agents.md":   "",
		"docs/anchors.md":  "",
		"docs/backfill.md": "",
		"docs/cli.md":      "",
		"docs/hooks.md":    "",
		"docs/migrate.md":  `mkdir -p ~/src/shop; echo '# Rules' > ~/src/shop/AGENTS.md; echo '{"type":"entity","name":"a","entityType":"b","observations":["c"]}' > memory.jsonl`,
		"docs/moving.md":   some + `echo '{"content":"Ports: 8443"}' > memories.jsonl; engram export shop.json --project shop`,
		"docs/postgres.md": "",
		"docs/obsidian.md": some + "mkdir ~/Vault\n",
		"docs/sync.md":     some,
		"docs/trust.md":    some,
	}
}

// unrun are beginnings of documented lines that need more than an empty home.
func unrun() map[string]string {
	return map[string]string{
		"engram migrate --from claude-mem":                "needs the database of claude-mem",
		"engram backfill claude-code":                     "needs transcripts of Claude Code",
		"engram backfill --review":                        "asks at a terminal",
		"engram review approve w3":                        "needs pending items",
		"engram review approve 12 w3":                     "needs pending items",
		"engram review approve --operation 42":            "needs that operation",
		"engram review refuse":                            "needs pending items",
		"engram review show w3":                           "needs pending items",
		"engram review done 14":                           "needs fourteen memories",
		"engram sync recipients add age1":                 "stands for a recipient",
		"engram model pull":                               "needs the network",
		"engram store move - < address.txt":               "needs a server",
		"engram setup claude-code codex":                  "needs installed agents",
		"engram setup codex --undo":                       "needs an installed agent",
		"engram setup                 ":                   "asks at a terminal",
		"engram setup                      ":              "asks at a terminal",
		"engram obsidian-export ~/Vault --import --watch": "goes on until it is interrupted",
	}
}

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestDocumentedCommandsRun runs every line of engram in the sh blocks of README and docs.
func TestDocumentedCommandsRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the lines are for a POSIX shell")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(pages, filepath.Join(root, "README.md")) {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(name, "docs/cli-") {
			continue // generated from the help, whose examples do not form a sequence
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := commandLines(string(text))
		before, known := documented()[name]
		if len(lines) > 0 && !known {
			t.Errorf("%s shows commands and has no row in documented", name)
		}
		if len(lines) > 0 && known {
			t.Run(name, func(t *testing.T) { runDocumented(t, before, lines) })
		}
	}
}

// commandLines returns the engram commands in the sh blocks of a page, with continued lines joined.
func commandLines(page string) (lines []string) {
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		for line := range strings.SplitSeq(strings.ReplaceAll(block[1], "\\\n", " "), "\n") {
			if strings.HasPrefix(line, "engram ") || line == "engram" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func runDocumented(t *testing.T, before string, lines []string) {
	home := t.TempDir()
	shop := filepath.Join(home, "shop")
	for name, text := range map[string]string{"internal/queue/retry.go": strings.Repeat("// line\n", 80), "docs/queue.md": "# Queue\n"} {
		if err := os.MkdirAll(filepath.Join(shop, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(shop, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeModel(filepath.Join(home, "models/bge-small-en-v1.5"), encodertest.Tiny()); err != nil {
		t.Fatal(err)
	}
	run := func(line string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = shop
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_GLOBAL=" + os.DevNull}
		return cmd.CombinedOutput()
	}
	for _, line := range append([]string{"git init -q", before}, lines...) {
		if why := reasonNotToRun(line); why != "" {
			t.Logf("not run: %s (%s)", line, why)
			continue
		}
		if out, err := run(line); err != nil {
			t.Errorf("%s\n%v\n%s", line, err, out)
		}
	}
}

func reasonNotToRun(line string) string {
	for begins, why := range unrun() {
		if strings.HasPrefix(line, begins) {
			return why
		}
	}
	return ""
}

var clockTime = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

// The picture in the README is the program's output today, except for the time.
func TestPictureIsRecorded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a POSIX shell")
	}
	program, err := exec.LookPath("engram")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := exec.CommandContext(t.Context(), "sh", "terminal.sh", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	had, err := os.ReadFile("../../docs/terminal.svg")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := clockTime.ReplaceAllString(string(recorded), "TIME"), clockTime.ReplaceAllString(string(had), "TIME"); got != want {
		t.Errorf("docs/terminal.svg is not what the program says: run make picture\ngot\n%s\nwant\n%s", got, want)
	}
}
