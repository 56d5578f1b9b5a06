package engram_test

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The size past which a package holds more than one thing. A code line is neither blank nor comment; tests and
// generated files are left out, and test kits may be larger.
const (
	maxFiles     = 25
	maxCodeLines = 4000
)

// stillLarge lists what is over its limit until the rooms are built: packages, and bars by name. Each entry goes with the change that brings it under the limit.
func stillLarge() []string {
	return nil
}

// A size is what a package holds without tests and generated files.
type size struct{ files, lines int }

// sizes returns the size of each package.
func sizes(files []source) map[string]size {
	all := map[string]size{}
	for _, f := range files {
		if !f.test && !ast.IsGenerated(f.file) {
			s := all[f.dir]
			all[f.dir] = size{s.files + 1, s.lines + f.code}
		}
	}
	return all
}

// checkSmall says what is too large about a package.
func checkSmall(dir string, s size) (problems []string) {
	if s.files > maxFiles {
		problems = append(problems, fmt.Sprintf("package %s has %d files, the limit is %d: look for its rooms", dir, s.files, maxFiles))
	}
	if s.lines > maxCodeLines {
		problems = append(problems, fmt.Sprintf("package %s has %d code lines, the limit is %d: look for its rooms", dir, s.lines, maxCodeLines))
	}
	return problems
}

func TestRoomsStaySmall(t *testing.T) {
	all := sizes(tree(t))
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		if rows()[dir].room == "testkit" {
			continue
		}
		switch problems, excused := checkSmall(dir, all[dir]), slices.Contains(stillLarge(), dir); {
		case !excused:
			report(t, problems)
		case len(problems) == 0:
			t.Errorf("%s is small now: take it out of stillLarge", dir)
		}
	}
}

// A bar is a figure of the tree with its limit.
type bar struct {
	name      string
	got, most int
}

// bars are the figures that keep the tree in rooms; `make arch` prints them.
func bars(files []source) []bar {
	all := sizes(files)
	var lines []int
	largest := 0
	for dir, s := range all {
		lines = append(lines, s.lines)
		if rows()[dir].room != "testkit" {
			largest = max(largest, s.lines)
		}
	}
	slices.Sort(lines)
	engines, named := 0, 0
	for _, f := range files {
		if under(f.dir, "internal/engine") && !f.test {
			engines += embeds(f, "Engine")
		}
		if !f.test && names(f, "ValidFrom") {
			named++
		}
	}
	return []bar{
		{"files in internal/engine itself", all["internal/engine"].files, 6},
		{"types that embed *Engine", engines, 0},
		{"code lines of the largest package", largest, maxCodeLines},
		{"code lines of the median package", lines[len(lines)/2], 600},
		{"files that name ValidFrom", named, 6},
		{"files in internal/sqlite itself", all["internal/sqlite"].files, 35},
		{"files in internal/cli itself", all["internal/cli"].files, 40},
	}
}

func TestBars(t *testing.T) {
	for _, b := range bars(tree(t)) {
		t.Logf("%-34s %6d, at most %d", b.name, b.got, b.most)
		switch excused := slices.Contains(stillLarge(), b.name); {
		case b.got > b.most && !excused:
			t.Errorf("%s: %d, at most %d", b.name, b.got, b.most)
		case b.got <= b.most && excused:
			t.Errorf("%s: under its limit now: take it out of stillLarge", b.name)
		}
	}
}

// embeds counts the structs of f that embed a pointer to a type of that name.
func embeds(f source, name string) (n int) {
	ast.Inspect(f.file, func(node ast.Node) bool {
		if s, ok := node.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				star, ok := field.Type.(*ast.StarExpr)
				if ok && len(field.Names) == 0 && last(star.X) == name {
					n++
				}
			}
		}
		return true
	})
	return n
}

// last returns the name of a type without its package.
func last(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// names reports whether f uses or declares a name.
func names(f source, name string) (found bool) {
	ast.Inspect(f.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// codeLines counts the lines of a file that are neither blank nor comment.
func codeLines(text []byte, s source) (n int) {
	lines := strings.Split(string(text), "\n")
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			from, to := s.fset.Position(c.Pos()), s.fset.Position(c.End())
			lines[from.Line-1] = lines[from.Line-1][:from.Column-1]
			for i := from.Line; i < to.Line; i++ {
				lines[i] = ""
			}
		}
	}
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}

func TestSizeCheck(t *testing.T) {
	const text = "// Package x is one.\npackage x\n\n/* none\nof these */\n\nvar s = `// a line\n\n` // and this\n\ntype T struct {\n\t*Engine\n\tother *Engine\n}\n"
	f := sourceOf(t, "internal/x/x.go", text)
	if f.code != 7 {
		t.Errorf("%s\n got: %d code lines\nwant: 7", text, f.code)
	}
	if got := embeds(f, "Engine"); got != 1 {
		t.Errorf("embeds: got %d, want 1", got)
	}
	if !names(f, "Engine") || names(f, "x.go") {
		t.Error("names sees what is not named, or does not see what is")
	}
	test, made := sourceOf(t, "internal/x/x_test.go", text), sourceOf(t, "internal/x/y.go", "// Code generated by y. DO NOT EDIT.\n\n"+text)
	if got := sizes([]source{f, f, test, made})["internal/x"]; got != (size{2, 14}) {
		t.Errorf("sizes: got %v, want 2 files with 14 lines", got)
	}
	for _, tt := range []struct {
		name string
		is   size
		want string
	}{
		{"at its limits", size{maxFiles, maxCodeLines}, ""},
		{"too many files", size{maxFiles + 1, 1}, "has 26 files, the limit is 25"},
		{"too many lines", size{1, maxCodeLines + 1}, "has 4001 code lines, the limit is 4000"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantProblem(t, f, checkSmall("internal/x", tt.is), tt.want) })
	}
}
