package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// foreignFlags are flags in the documents that belong to other programs.
func foreignFlags() []string {
	return []string{"full-diff", "name-status", "cached", // git
		"user",      // systemctl, journalctl
		"transport", // claude mcp add
		"top-k",     // an example of a word of other programs
		"flag",      // stands for a flag
	}
}

var (
	fencedBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	inlineCode  = regexp.MustCompile("`[^`]+`")
	longFlag    = regexp.MustCompile(`(?:^|[\s(\[` + "`" + `])--([a-z][a-z-]*[a-z])(?:[^a-z-]|$)`)
)

// TestFlagsInDocumentsExist looks up each flag in README and docs: at the command that its line names,
// otherwise at all commands.
func TestFlagsInDocumentsExist(t *testing.T) {
	root := tree()
	all := map[string]bool{"help": true}
	for _, c := range commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		if strings.HasPrefix(filepath.Base(page), "cli-") {
			continue
		}
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range codeOf(string(b)) {
			known := all
			if c := commandIn(root, code); c != nil {
				known = flagNames(c)
			}
			for _, m := range longFlag.FindAllStringSubmatch(code, -1) {
				if !known[m[1]] && !slices.Contains(foreignFlags(), m[1]) {
					t.Errorf("%s: there is no flag --%s in %q", filepath.Base(page), m[1], code)
				}
			}
		}
	}
}

// codeOf returns the code on a page: spans, and the lines of blocks without comments.
func codeOf(page string) (all []string) {
	for _, block := range fencedBlock.FindAllString(page, -1) {
		for line := range strings.SplitSeq(strings.ReplaceAll(block, "\\\n", " "), "\n") {
			line, _, _ = strings.Cut(line, " #")
			all = append(all, line)
		}
	}
	for _, span := range inlineCode.FindAllString(fencedBlock.ReplaceAllString(page, ""), -1) {
		all = append(all, strings.Join(strings.Fields(strings.Trim(span, "`")), " "))
	}
	return all
}

// commandIn returns the command that a line begins with, or nil.
func commandIn(root *cobra.Command, line string) *cobra.Command {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "engram" || slices.Contains(words, "|") {
		return nil
	}
	c, _, err := root.Find(words[1:])
	if err != nil || c == root {
		return nil
	}
	return c
}

func flagNames(c *cobra.Command) map[string]bool {
	names := map[string]bool{"help": true}
	add := func(f *pflag.Flag) { names[f.Name] = true }
	for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags(), c.InheritedFlags()} {
		set.VisitAll(add)
	}
	for _, sub := range c.Commands() {
		maps.Copy(names, flagNames(sub))
	}
	return names
}
