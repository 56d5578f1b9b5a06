package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// comments are the doc comments of types and fields in the source: "import/path.Type" and
// "import/path.Type.Field".
type comments map[string]string

const module = "github.com/alanbuscaglia/engram"

// readComments reads the packages that define the documents.
func readComments(t *testing.T, packages map[string]bool) comments {
	t.Helper()
	out := comments{}
	for pkg := range packages {
		// The tests of a package run in its folder, which is internal/cli.
		dir := path.Join("../..", strings.TrimPrefix(pkg, module))
		files, err := fs.Glob(os.DirFS(dir), "*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: got %d files, %v; want the source of %s", dir, len(files), err, pkg)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path.Join(dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			out.read(pkg, file)
		}
	}
	return out
}

func (c comments) read(pkg string, file *ast.File) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			typ := spec.(*ast.TypeSpec)
			key := pkg + "." + typ.Name.Name
			c[key] = oneLine(gen.Doc.Text() + typ.Doc.Text())
			body, ok := typ.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range body.Fields.List {
				for _, name := range f.Names {
					c[key+"."+name.Name] = oneLine(f.Doc.Text() + f.Comment.Text())
				}
			}
		}
	}
}

// ofField returns the meaning of a key, without the leading Go name.
func (c comments) ofField(f field) string {
	return withoutName(c[f.in.PkgPath()+"."+f.in.Name()+"."+f.name], f.name)
}

// ofType returns the description of a document.
func (c comments) ofType(t reflect.Type) string {
	text := withoutName(c[t.PkgPath()+"."+t.Name()], t.Name())
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// withoutName removes "Name is " from the beginning of a comment.
func withoutName(text, name string) string {
	return regexp.MustCompile(`^`+name+` (is|are|says|counts) `).ReplaceAllString(text, "")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
