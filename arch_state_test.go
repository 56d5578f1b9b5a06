package engram_test

import (
	"go/ast"
	"go/token"
	"strings"
)

// checkNoMutableState says which package variables of one package can change while
// the program runs. What stays allowed is what is written once, where it is
// declared: errors, compiled patterns, embedded files, tables.
func checkNoMutableState(files []source) (problems []string) {
	vars, funcs := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		for _, d := range f.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				funcs[fn.Name.Name] = true
			}
		}
	}
	for _, f := range files {
		for _, spec := range packageVars(f.file) {
			for i, name := range spec.Names {
				vars[name.Name] = name.Name != "_"
				var value ast.Expr
				if i < len(spec.Values) {
					value = spec.Values[i]
				}
				if why := mutable(f, spec, value, funcs); why != "" && name.Name != "_" {
					problems = append(problems, f.at(name, "package variable %s %s", name.Name, why))
				}
			}
		}
	}
	for _, f := range files {
		for _, d := range f.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				problems = append(problems, writes(f, fn, vars)...)
			}
		}
	}
	return problems
}

// packageVars returns the variable declarations at the top of a file, embedded
// files left out.
func packageVars(file *ast.File) (specs []*ast.ValueSpec) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ValueSpec)
			if !embedded(g.Doc) && !embedded(spec.Doc) {
				specs = append(specs, spec)
			}
		}
	}
	return specs
}

func embedded(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:embed ") {
			return true
		}
	}
	return false
}

// mutable says why a package variable with this value is not a constant in all but
// name; "" when nothing speaks against it.
func mutable(f source, spec *ast.ValueSpec, value ast.Expr, funcs map[string]bool) string {
	if value == nil && len(spec.Values) == 0 {
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "string" && f.file.Name.Name == "main" {
			return "" // the linker writes the version into it
		}
		return "has no value: it is there to be changed"
	}
	if star, ok := value.(*ast.UnaryExpr); ok && star.Op == token.AND {
		value = star.X
	}
	switch v := value.(type) {
	case *ast.FuncLit:
		return "is a function: declare it with func"
	case *ast.Ident:
		if funcs[v.Name] {
			return "is a function that can be replaced: call it by its name"
		}
	case *ast.SelectorExpr:
		if x, ok := v.X.(*ast.Ident); ok && imports(f.file, x.Name) {
			return "stands for " + x.Name + "." + v.Sel.Name + ", which can be named itself"
		}
	case *ast.CallExpr:
		if fn, ok := v.Fun.(*ast.Ident); ok && (fn.Name == "make" || fn.Name == "new") {
			return "is made empty: it is there to be changed"
		}
	case *ast.CompositeLit:
		if sel, ok := v.Type.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && (x.Name == "sync" || x.Name == "atomic") {
				return "is a " + x.Name + "." + sel.Sel.Name + ": give it an owner"
			}
		}
		if _, ok := v.Type.(*ast.MapType); ok && len(v.Elts) == 0 {
			return "is an empty map: it is there to be changed"
		}
	}
	return ""
}

func imports(file *ast.File, name string) bool {
	for _, spec := range file.Imports {
		p := unquote(spec.Path)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && p[strings.LastIndex(p, "/")+1:] == name {
			return true
		}
	}
	return false
}

// writes says where fn assigns to one of the package's variables, to an element or
// a field of one. A name that fn declares itself is its own.
func writes(f source, fn *ast.FuncDecl, vars map[string]bool) (problems []string) {
	own := localNames(fn)
	target := func(n ast.Node, e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.SelectorExpr:
				e = x.X
				continue
			case *ast.StarExpr:
				e = x.X
				continue
			case *ast.Ident:
				if vars[x.Name] && !own[x.Name] {
					problems = append(problems, f.at(n, "%s changes the package variable %s", fn.Name.Name, x.Name))
				}
			}
			return
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					target(n, e)
				}
			}
		case *ast.IncDecStmt:
			target(n, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				target(n, n.Key)
			}
		}
		return true
	})
	return problems
}

// localNames returns every name that fn declares anywhere: coarse, but a function
// that shadows a package variable and changes it as well is a riddle anyway.
func localNames(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						names[id.Name] = true
					}
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					names[id.Name] = true
				}
			}
		}
		return true
	})
	return names
}
