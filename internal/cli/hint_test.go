package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// hintFormat is the format of a call of WithHint, with its literal arguments.
type hintFormat struct {
	at     string // file:line
	format string // "" if it is not a literal
	texts  []string
}

// hintsOfTheSource returns all calls of WithHint outside tests.
func hintsOfTheSource(t *testing.T) []hintFormat {
	t.Helper()
	var hints []hintFormat
	files, root := token.NewFileSet(), os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isWithHint(call) {
				h := hintFormat{at: files.Position(call.Args[0].Pos()).String(), format: literal(call.Args[0])}
				for _, arg := range call.Args[1:] {
					h.texts = append(h.texts, literal(arg))
				}
				hints = append(hints, h)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

func isWithHint(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "WithHint" && len(call.Args) > 0
}

// literal returns the value of a string literal, "" for any other expression.
func literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value) // valid, since it was parsed
	return text
}

// Hints are printed by the command line, HTTP and MCP. So a command in a hint stands in braces, which each
// frontend translates for its callers, and it must exist.
func TestHintsNameCommandsThatExist(t *testing.T) {
	hints, calls := hintsOfTheSource(t), 0
	for _, h := range hints {
		for _, problem := range problemsOfHint(h) {
			t.Errorf("%s: %s", h.at, problem)
		}
		calls += len(braced.FindAllString(h.format, -1))
	}
	if len(hints) < 150 || calls < 40 {
		t.Errorf("found %d hints with %d commands: this test looks in the wrong place", len(hints), calls)
	}
}

var (
	braced = regexp.MustCompile(`\{[^{}]*\}`)
	verb   = regexp.MustCompile(`%[-+.0-9]*[a-z]`)
	// bare matches an unmarked command: the program's name before a word, or a non-English word before its
	// arguments.
	bare = regexp.MustCompile(`\bengram [a-z]+|\b(projects|session|conflicts|prompt) (list|merge|judge|ignore|show)\b|` +
		`\b(undo|graph|unlink|history|update|log|get) %d|(^|[;:,] |\bor )(log|list|history|undo|unlink|reembed|doctor) (shows?|brings|takes|makes|mends)\b|` +
		`\b(list|log|delete|doctor|reembed|update|graph|undo|serve|stop|prune) --[a-z]`)
)

// problemsOfHint returns what is wrong with a hint.
func problemsOfHint(h hintFormat) (problems []string) {
	for _, call := range braced.FindAllString(h.format, -1) {
		if err := existing(strings.Trim(call, "{}")); err != nil {
			problems = append(problems, fmt.Sprintf("%s is no command: %v", call, err))
		}
	}
	outside := braced.ReplaceAllString(h.format, "{}")
	if strings.ContainsAny(strings.ReplaceAll(outside, "{}", ""), "{}") {
		problems = append(problems, fmt.Sprintf("%q has a brace of its own: let a verb write it", h.format))
	}
	for _, text := range append([]string{outside}, h.texts...) {
		if command := bare.FindString(text); command != "" {
			problems = append(problems, fmt.Sprintf("%q names the command %q without braces", text, command))
		}
	}
	return problems
}

// existing returns why the command line would reject a command; its verbs stand for a number.
func existing(command string) error {
	words := strings.Fields(verb.ReplaceAllString(command, "1"))
	cmd, rest, err := tree().Find(words)
	switch {
	case err != nil:
		return err
	case !cmd.HasParent():
		return fmt.Errorf("no command begins with %q", words)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if cmd.Args == nil {
		return cobra.ArbitraryArgs(cmd, cmd.Flags().Args())
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// The check itself finds what it is meant to find.
func TestProblemsOfHintsAreSeen(t *testing.T) {
	for _, tt := range []struct {
		format string
		texts  []string
		want   string // part of the only problem; "" for none
	}{
		{format: "{projects list} lists the projects"},
		{format: "run {undo %d} first; nothing was changed"},
		{format: "{projects merge %s --into %s}"},
		{format: "send %s", texts: []string{`{"name": value}`}},
		{format: "update that one, or choose another topic key"},
		{format: "choose another folder with --data-dir"},
		{format: "{projects lst} shows what there is", want: "is no command"},
		{format: "{update 4 --scop global}", want: "is no command"},
		{format: "{graph} shows it", want: "is no command"},
		{format: "{}", want: "is no command"},
		{format: "send {", want: "a brace of its own"},
		{format: "projects list shows what there is", want: "without braces"},
		{format: "log shows what there is", want: "without braces"},
		{format: "list --forgotten shows what was", want: "without braces"},
		{format: "to join the two: engram projects merge %s --into %s", want: "without braces"},
		{format: "{log} shows it; undo %d takes it back", want: "without braces"},
		{format: "%s", texts: []string{"run engram doctor"}, want: "without braces"},
	} {
		problems := problemsOfHint(hintFormat{format: tt.format, texts: tt.texts})
		if got := strings.Join(problems, "\n"); len(problems) > 1 || (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("the hint %q %q: got %q, want one problem with %q, or none", tt.format, tt.texts, got, tt.want)
		}
	}
}
