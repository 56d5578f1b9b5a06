package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The warnings of mandoc and groff, checked without either.
func TestManualPagesAreRoff(t *testing.T) {
	macros := []string{"TH", "SH", "SS", "PP", "TP", "nf", "fi"}
	escape := regexp.MustCompile(`\\([^e\-&fR(\[]|f[^BIR]|\([^tdh]|\[[^u])`)
	dir := filepath.Join(t.TempDir(), "man1")
	if _, stderr, code := run("man", "--dir", dir); code != 0 {
		t.Fatal(stderr)
	}
	for _, c := range commands() {
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if c.Hidden {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		lines, was := strings.Split(string(page), "\n"), ""
		for i, line := range lines {
			macro, _, _ := strings.Cut(strings.TrimPrefix(line, "."), " ")
			switch {
			case strings.HasPrefix(line, ".") && !slices.Contains(macros, macro):
				t.Errorf("%s, line %d: %q is no macro that is used here", c.CommandPath(), i+1, line)
			case escape.MatchString(line):
				t.Errorf("%s, line %d: %q has an escape that is none", c.CommandPath(), i+1, line)
			case strings.Contains(line, "`"):
				t.Errorf("%s, line %d: %q has a back quote", c.CommandPath(), i+1, line)
			case was == ".PP" && strings.HasPrefix(line, ".") && line != ".nf":
				t.Errorf("%s, line %d: an empty paragraph", c.CommandPath(), i+1)
			case line == "" && i < len(lines)-1:
				t.Errorf("%s, line %d: an empty line", c.CommandPath(), i+1)
			}
			was = line
		}
		for _, part := range []string{".SH \"SYNOPSIS\"", ".SH \"EXIT STATUS\"", ".SH \"EXAMPLES\"", `\fB\-\-json\fR`} {
			if !strings.Contains(string(page), part+"\n") {
				t.Errorf("%s: the page has no %s", c.CommandPath(), part)
			}
		}
	}
}

func TestManNamesACommand(t *testing.T) {
	if out, _, code := run("man", "conflicts", "judge"); code != 0 || !strings.Contains(out, `engram\-conflicts\-judge`) {
		t.Errorf("man conflicts judge: got exit code %d and %.200q", code, out)
	}
	for _, line := range []string{"man nonsense", "man conflicts nonsense", "man search --dir x"} {
		if out, stderr, code := run(strings.Fields(line)...); code != 2 || out != "" {
			t.Errorf("%s: got exit code %d, stdout %q, stderr %q; want exit code 2", line, code, out, stderr)
		}
	}
}
