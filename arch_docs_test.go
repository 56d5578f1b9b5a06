package engram_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentationPointsAtWhatExists keeps the promises of the README: what it
// names as a check is a test that can be run, and its links lead somewhere.
func TestDocumentationPointsAtWhatExists(t *testing.T) {
	tests := map[string][]string{}
	for _, f := range tree(t) {
		for _, d := range f.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test && fn.Recv == nil {
				tests[f.dir] = append(tests[f.dir], fn.Name.Name)
			}
		}
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	exists := func(name string) bool { _, err := os.Stat(name); return err == nil }
	root := os.DirFS(".")
	documents, err := fs.Glob(root, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		more, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, more...)
	}
	for _, name := range documents {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		report(t, checkDocument(name, string(text), string(makefile), tests, exists))
	}
}

// checkDocument says which tests, make targets and files a document names that are
// not there.
func checkDocument(name, text, makefile string, tests map[string][]string, exists func(string) bool) (problems []string) {
	for _, m := range regexp.MustCompile(`go test (\S+) -run '?\^?(\w+)`).FindAllStringSubmatch(text, -1) {
		dir := path.Clean(m[1])
		if !slices.ContainsFunc(tests[dir], func(test string) bool { return strings.HasPrefix(test, m[2]) }) {
			problems = append(problems, fmt.Sprintf("%s: there is no test %s in %s", name, m[2], m[1]))
		}
	}
	for _, m := range regexp.MustCompile("`make ([a-z]+)`").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(makefile, "\n"+m[1]+":") {
			problems = append(problems, fmt.Sprintf("%s: make has no target %s", name, m[1]))
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(text, -1) {
		if target := path.Join(path.Dir(name), m[1]); !exists(target) {
			problems = append(problems, fmt.Sprintf("%s: there is no %s", name, target))
		}
	}
	return problems
}

func TestDocumentCheck(t *testing.T) {
	tests := map[string][]string{"internal/sqlite": {"TestManyProcesses"}}
	exists := func(name string) bool { return name == "docs/adr/0001.md" }
	for _, tt := range []struct{ name, text, want string }{
		{"a test that is there", "`go test ./internal/sqlite -run TestManyProcesses`", ""},
		{"a prefix of several", "`go test ./internal/sqlite -run '^TestMany'`", ""},
		{"a test of another package", "`go test ./internal/engine -run TestManyProcesses`", "no test TestManyProcesses in ./internal/engine"},
		{"a target that is there", "`make test`", ""},
		{"a target that is not", "`make coffee`", "no target coffee"},
		{"a link that leads somewhere", "[why](adr/0001.md)", ""},
		{"a link that does not", "[why](adr/0009.md)", "there is no docs/adr/0009.md"},
		{"a link out", "[spec](https://example.org/x)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantProblem(t, source{path: tt.text}, checkDocument("docs/x.md", tt.text, "all:\ntest: ## x\n", tests, exists), tt.want)
		})
	}
}
