package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed completes as a shell does and returns the words, without descriptions.
func completed(t *testing.T, data string, words ...string) []string {
	t.Helper()
	out, _, code := runIn(t.TempDir(), append([]string{"__complete", "--data-dir", data, "--project", "shop"}, words...)...)
	if code != 0 {
		t.Fatalf("completion of %q: got exit code %d", words, code)
	}
	var all []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, ":") {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			all = append(all, word)
		}
	}
	return all
}

func TestCompletionOffersWhatThereIs(t *testing.T) {
	data := t.TempDir()
	for _, line := range []string{
		"engram save 'Auth model' 'Access tokens live 15 minutes.' --topic architecture/auth --project shop",
		"engram save 'Checkout flow' 'Shoppers pay first.' --project store",
		"engram session start s1 --project shop",
	} {
		if _, stderr, code := runIn(t.TempDir(), append(invocations(line)[0], "--data-dir", data)...); code != 0 {
			t.Fatalf("%s: %s", line, stderr)
		}
	}
	for _, tt := range []struct {
		line string
		want []string // among the words
		not  string   // not among them
	}{
		{"", []string{"search", "save", "conflicts"}, "__complete"},
		{"get |", []string{"1"}, "2"},
		{"get 1 |", nil, "1"},
		{"get topic|", []string{"topic:architecture/auth"}, "1"},
		{"save x --topic |", []string{"architecture/auth"}, ""},
		{"search --project |", []string{"shop", "store"}, ""},
		{"projects rename |", []string{"shop", "store"}, ""},
		{"projects merge shop |", []string{"store"}, "shop"},
		{"context |", []string{"shop"}, ""},
		{"session show |", []string{"s1"}, ""},
		{"recall x --session |", []string{"s1"}, ""},
		{"search --type |", []string{"decision"}, ""},
		{"search --type decision,|", []string{"decision,bugfix"}, "decision,decision"},
		{"search --scope |", []string{"personal"}, ""},
		{"search --mode |", []string{"hybrid", "semantic", "fts"}, ""},
		{"list --color |", []string{"never"}, ""},
		{"link 1 |", []string{"supersedes"}, ""},
		{"tag 1 |", []string{"add", "remove", "list"}, ""},
		{"conflicts judge 1 |", []string{"not_conflict"}, ""},
		{"conflicts list --status |", []string{"orphaned"}, ""},
		{"doctor --check |", []string{"disk_space"}, ""},
		{"undo |", []string{"1"}, ""},
		{"completion |", []string{"fish"}, ""},
		{"config get |", []string{"port"}, ""},
		{"config set offline |", []string{"true", "false"}, ""},
		{"config set decay_policy |", []string{"geometric"}, ""},
		{"conflicts judge 1 |", []string{"relates_to", "contradicts"}, "related"},
		{"help conflicts |", []string{"judge"}, "search"},
		{"import --mode |", []string{"replace"}, "hybrid"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			typed := strings.TrimSuffix(tt.line, "|")
			got := completed(t, data, append(strings.Fields(typed), func() []string {
				if typed == "" || strings.HasSuffix(typed, " ") {
					return []string{""}
				}
				return nil
			}()...)...)
			for _, want := range tt.want {
				if !slices.Contains(got, want) {
					t.Errorf("got %q, want %q among them", got, want)
				}
			}
			if tt.not != "" && slices.Contains(got, tt.not) {
				t.Errorf("got %q, want no %q among them", got, tt.not)
			}
		})
	}
}

// A key press must not create a database or print a message.
func TestCompletionMakesNothingAndSaysNothing(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "engram.db"), []byte("no database, but long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := t.TempDir()
	if err := os.WriteFile(filepath.Join(settings, "config.toml"), []byte("no = such = thing"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	for _, data := range []string{none, broken, settings} {
		for _, words := range [][]string{{"get", ""}, {"search", "--project", ""}, {"session", "show", ""}, {"conflicts", "show", ""}, {"undo", ""}} {
			if got := completed(t, data, words...); len(got) != 0 {
				t.Errorf("%q without a database: got %q, want nothing", words, got)
			}
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Errorf("completion made %s", none)
	}
}
