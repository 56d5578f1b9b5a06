package engram_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// modulePath opens the import path of every package of this module.
const modulePath = "github.com/alanbuscaglia/engram"

// A source is one parsed Go file.
type source struct {
	path  string // slashes, from the module's root
	dir   string // folder of path; "." for the root
	test  bool
	lines int
	code  int // lines that are neither blank nor comment
	fset  *token.FileSet
	file  *ast.File
}

// tree parses every Go file below the root, those of other platforms included:
// what is built nowhere else must keep the rules too. A folder with a go.mod is another module.
func tree(t *testing.T) []source {
	t.Helper()
	all, err := parsedTree()
	if err != nil {
		t.Fatalf("read the tree: %v", err)
	}
	return all
}

// parsedTree is read once: parsing the tree takes longer than any check of it.
var parsedTree = sync.OnceValues(func() (all []source, err error) {
	root := os.DirFS(".")
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor") {
				return fs.SkipDir
			}
			if _, err := fs.Stat(root, path.Join(name, "go.mod")); name != "." && err == nil {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		s, err := parse(name, text)
		if err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
})

func parse(name string, text []byte) (source, error) {
	s := source{path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), fset: token.NewFileSet()}
	s.lines = bytes.Count(text, []byte("\n"))
	var err error
	s.file, err = parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err == nil {
		s.code = codeLines(text, s)
	}
	return s, err
}

func (s source) at(n ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: ", s.path, s.fset.Position(n.Pos()).Line) + fmt.Sprintf(format, args...)
}

// checkImports says which imports of f point against the arrows or at a module that
// its row does not name. Tests may use the test kits and the assets as well, and climb inside a house.
func checkImports(f source, known map[string]row, kinds map[string]room, ordered map[string][]string) (problems []string) {
	own := known[f.dir]
	for _, spec := range f.file.Imports {
		imported := unquote(spec.Path)
		dir, inside := moduleDir(imported)
		switch {
		case !inside && !strings.Contains(strings.Split(imported, "/")[0], "."):
			continue // the standard library: checkReservedImports
		case !inside:
			if !f.test && !slices.ContainsFunc(own.modules, func(m string) bool { return under(imported, m) }) {
				problems = append(problems, f.at(spec, "%s may not use %s", f.dir, imported))
			}
		case house(dir) == house(f.dir):
			if why := climbs(ordered, f.dir, dir); why != "" && !f.test {
				problems = append(problems, f.at(spec, "%s may not import %s: %s", f.dir, dir, why))
			}
		default:
			to := known[dir].room
			if !slices.Contains(kinds[own.room].imports, to) && !(f.test && (to == "testkit" || to == "root" || to == "asset")) {
				problems = append(problems, f.at(spec, "%s (%s) may not import %s (%s)", f.dir, own.room, dir, to))
			}
		}
	}
	return problems
}

// checkReservedImports says which standard packages f imports out of their place;
// pure files may import none of impure.
func checkReservedImports(f source, reserved map[string][]string, pure bool, impure []string) (problems []string) {
	if f.test {
		return nil
	}
	for _, spec := range f.file.Imports {
		imported := unquote(spec.Path)
		if allowed, ok := reserved[imported]; ok && !slices.ContainsFunc(allowed, func(a string) bool { return under(f.dir, a) }) {
			problems = append(problems, f.at(spec, "%s is not for %s; it belongs to %v", imported, f.dir, allowed))
		}
		if pure && slices.ContainsFunc(impure, func(i string) bool {
			return imported == i || i != "io/fs" && under(imported, i) && imported != "net/url" && imported != "net/netip"
		}) {
			problems = append(problems, f.at(spec, "%s does input or output, and %s is pure", imported, f.dir))
		}
	}
	return problems
}

// checkCalls says where f uses a reserved function or variable out of its place.
func checkCalls(f source, reserved map[string][]string) (problems []string) {
	names := map[string]string{} // how f calls a package → its real name
	for _, spec := range f.file.Imports {
		p := unquote(spec.Path)
		name := path.Base(p)
		if spec.Name != nil {
			names[spec.Name.Name] = name
		} else {
			names[name] = name
		}
	}
	check := func(n ast.Node, called string) {
		allowed, ok := reserved[called]
		if ok && !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(f.path, a) }) {
			problems = append(problems, f.at(n, "%s is reserved to %v: have it handed in", called, allowed))
		}
	}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && names[x.Name] != "" {
				check(n, names[x.Name]+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if x, ok := n.Fun.(*ast.Ident); ok {
				check(n, x.Name)
			}
		}
		return true
	})
	return problems
}

// checkSleep says where the test f sleeps by the real clock. A file that imports testing/synctest sleeps by the clock
// of a bubble.
func checkSleep(f source) []string {
	for _, spec := range f.file.Imports {
		if unquote(spec.Path) == "testing/synctest" {
			return nil
		}
	}
	return checkCalls(f, map[string][]string{"time.Sleep": nil})
}

// checkNoSQL says which string literals of f are SQL.
func checkNoSQL(f source) (problems []string) {
	sql := regexp.MustCompile(`^\s*(SELECT\s.*\sFROM|INSERT\s.*INTO|UPDATE\s.*\sSET|DELETE\s+FROM|(CREATE|DROP|ALTER)\s+(TABLE|INDEX|TRIGGER|VIRTUAL)|PRAGMA\s)`)
	ast.Inspect(f.file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && sql.MatchString(strings.ReplaceAll(unquote(lit), "\n", " ")) {
			problems = append(problems, f.at(lit, "SQL belongs to the store: %.40s", lit.Value))
		}
		return true
	})
	return problems
}

// checkPackageComment says what is wrong with the comment that opens a package: it
// tells a newcomer what lives here, so one short line is not enough.
func checkPackageComment(dir string, files []source) []string {
	var doc string
	for _, f := range files {
		if f.file.Doc != nil && len(f.file.Doc.Text()) > len(doc) {
			doc = strings.TrimSpace(f.file.Doc.Text())
		}
	}
	name := files[0].file.Name.Name
	opens := "Package " + name + " "
	if name == "main" {
		opens = "Command "
	}
	switch {
	case doc == "":
		return []string{fmt.Sprintf("package %s has no comment: say what lives here and what does not", dir)}
	case !strings.HasPrefix(doc, opens):
		return []string{fmt.Sprintf("the comment of package %s opens with %.30q, want %q", dir, doc, opens)}
	case strings.HasPrefix(doc, opens+"provides"):
		return []string{fmt.Sprintf("the comment of package %s says that it provides something: say what it is", dir)}
	case !strings.Contains(doc, "\n") && len(doc) <= 60:
		return []string{fmt.Sprintf("the comment of package %s is too short to help: %q", dir, doc)}
	}
	return nil
}

// checkExportsDocumented says which exported functions, methods, types, constants
// and variables of f have no comment, or one that does not begin with their name.
func checkExportsDocumented(f source) (problems []string) {
	want := func(n ast.Node, name string, doc *ast.CommentGroup) {
		if !ast.IsExported(name) {
			return
		}
		words := strings.Fields(strings.TrimSpace(doc.Text()))
		for len(words) > 0 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
			words = words[1:]
		}
		if len(words) == 0 || strings.TrimSuffix(strings.TrimRight(words[0], ",.:"), "'s") != name {
			problems = append(problems, f.at(n, "%s has no comment that begins with its name", name))
		}
	}
	for _, d := range f.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d)) {
				want(d, d.Name.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					doc := spec.Doc
					if doc == nil && len(d.Specs) == 1 {
						doc = d.Doc
					}
					want(spec, spec.Name.Name, doc)
				case *ast.ValueSpec:
					// One comment may speak for a whole group of values.
					if ast.IsExported(spec.Names[0].Name) && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						problems = append(problems, f.at(spec, "%s has no comment", spec.Names[0].Name))
					}
				}
			}
		}
	}
	return problems
}

// checkNoInit says where f has an init function: registering behind the reader's
// back, at a cost paid by every start of the program.
func checkNoInit(f source) (problems []string) {
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			problems = append(problems, f.at(fn, "init functions are not used here"))
		}
	}
	return problems
}

// checkLength says that f is longer than most lines.
func checkLength(f source, most int) []string {
	if f.lines > most {
		return []string{fmt.Sprintf("%s has %d lines, the limit is %d: look for the seam", f.path, f.lines, most)}
	}
	return nil
}

func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// moduleDir returns the folder of an import path of this module.
func moduleDir(importPath string) (string, bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// house is the folder that a package shares with its subfolders, such as
// internal/mcp: inside it the order in houses counts.
func house(dir string) string {
	parts := strings.Split(dir, "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// climbs says why from may not import to in the smallest ordered house that holds both; "" if it may.
func climbs(ordered map[string][]string, from, to string) string {
	var at string
	for dir := range ordered {
		if under(from, dir) && under(to, dir) && len(dir) > len(at) {
			at = dir
		}
	}
	lower, upper := storey(ordered[at], at, to), storey(ordered[at], at, from)
	switch {
	case at == "":
		return ""
	case lower < 0 || upper < 0:
		return "one of them has no place in the order of " + at
	case lower >= upper:
		return fmt.Sprintf("in the order of %s it does not stand below", at)
	}
	return ""
}

// storey is the place of a package in the order of its house, from 0; -1 for none.
func storey(order []string, house, dir string) int {
	room, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(dir, house), "/"), "/")
	if room == "" {
		room = "."
	}
	return slices.IndexFunc(order, func(peers string) bool { return slices.Contains(strings.Fields(peers), room) })
}

// checkHouses says which houses of several packages have no order, which packages
// have no place in the order of their house, and which places have no package.
func checkHouses(ordered map[string][]string, dirs []string) (problems []string) {
	packages := map[string]int{}
	for _, dir := range dirs {
		at := house(dir)
		if packages[at]++; packages[at] == 2 && ordered[at] == nil {
			problems = append(problems, fmt.Sprintf("the packages of %s have no order: say in houses() which may import which", at))
		}
	}
	for _, at := range slices.Sorted(maps.Keys(ordered)) {
		empty := map[string]bool{}
		for _, room := range strings.Fields(strings.Join(ordered[at], " ")) {
			empty[path.Join(at, room)] = true
		}
		for _, dir := range dirs {
			if under(dir, at) && storey(ordered[at], at, dir) < 0 {
				problems = append(problems, fmt.Sprintf("package %s has no place in the order of %s", dir, at))
			}
			for room := range empty {
				if dir == room || room != at && under(dir, room) {
					delete(empty, room)
				}
			}
		}
		for _, room := range slices.Sorted(maps.Keys(empty)) {
			problems = append(problems, fmt.Sprintf("the order of %s names %s, where no package is: remove it", at, room))
		}
	}
	return problems
}

// under reports whether p is dir or lies below it.
func under(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

func unquote(lit *ast.BasicLit) string {
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}
