package engram_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Every check is shown a source that breaks its rule and one that keeps it: a check
// that cannot fail keeps nothing.

func TestImportCheckSeesWrongArrows(t *testing.T) {
	known := map[string]row{
		".":                   {room: "root"},
		"internal/lifecycle":  {room: "rule"},
		"internal/engine":     {room: "engine"},
		"internal/sqlite":     {room: "technology", modules: []string{"modernc.org/sqlite"}},
		"internal/mcp":        {room: "frontend"},
		"internal/mcp/mem":    {room: "frontend"},
		"internal/mcp/tool":   {room: "frontend"},
		"internal/httpapi":    {room: "frontend"},
		"internal/enginetest": {room: "testkit"},
	}
	for _, tt := range []struct{ name, file, imported, want string }{
		{"the root imports nothing of ours", "memory.go", modulePath + "/internal/engine", ". (root) may not import internal/engine (engine)"},
		{"a technology never calls the engine", "internal/sqlite/memory.go", modulePath + "/internal/engine", "(technology) may not import internal/engine"},
		{"a technology knows the nouns", "internal/sqlite/memory.go", modulePath, ""},
		{"a technology may use a rule", "internal/sqlite/memory.go", modulePath + "/internal/lifecycle", ""},
		{"a frontend never reaches past the engine", "internal/httpapi/save.go", modulePath + "/internal/sqlite", "(frontend) may not import internal/sqlite"},
		{"a frontend never imports another", "internal/httpapi/save.go", modulePath + "/internal/mcp", "(frontend) may not import internal/mcp"},
		{"a dialect belongs to its frontend", "internal/mcp/mem/save.go", modulePath + "/internal/mcp", ""},
		{"so do its other parts", "internal/mcp/mem/save.go", modulePath + "/internal/mcp/tool", ""},
		{"a frontend calls verbs", "internal/httpapi/save.go", modulePath + "/internal/engine", ""},
		{"a rule knows no verb", "internal/lifecycle/admit.go", modulePath + "/internal/engine", "(rule) may not import internal/engine"},
		{"a module is used where its row names it", "internal/sqlite/open.go", "modernc.org/sqlite", ""},
		{"a module is used nowhere else", "internal/engine/save.go", "modernc.org/sqlite", "internal/engine may not use modernc.org/sqlite"},
		{"a module whose name begins alike is another", "internal/sqlite/open.go", "modernc.org/sqlitex", "may not use modernc.org/sqlitex"},
		{"a test may stand on a test kit", "internal/httpapi/save_test.go", modulePath + "/internal/enginetest", ""},
		{"the program may not", "internal/httpapi/save.go", modulePath + "/internal/enginetest", "may not import internal/enginetest"},
		{"a package without a row may import nothing", "internal/new/new.go", modulePath + "/internal/engine", "may not import internal/engine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, tt.file, "package x\nimport _ \""+tt.imported+"\"\n")
			wantProblem(t, f, checkImports(f, known, rooms(), nil), tt.want)
		})
	}
}

func TestHouseCheckSeesStepsUp(t *testing.T) {
	const house, inner = "internal/house", "internal/house/attic"
	ordered := map[string][]string{house: {"cellar", "left right", "attic", "."}, inner: {"chest", "."}}
	known := map[string]row{}
	for _, dir := range []string{house, house + "/cellar", house + "/left", house + "/right", inner, inner + "/chest", house + "/shed"} {
		known[dir] = row{room: "rule"}
	}
	for _, tt := range []struct{ name, file, imported, want string }{
		{"down one step", house + "/left/x.go", house + "/cellar", ""},
		{"down from the roof", house + "/x.go", house + "/left", ""},
		{"up", house + "/cellar/x.go", house + "/left", "it does not stand below"},
		{"up to the roof", house + "/cellar/x.go", house, "it does not stand below"},
		{"across", house + "/left/x.go", house + "/right", "it does not stand below"},
		{"across, into a folder of its own", house + "/left/x.go", inner + "/chest", "in the order of " + house + " it"},
		{"down from a folder of its own", inner + "/chest/x.go", house + "/right", ""},
		{"down inside a folder of its own", inner + "/x.go", inner + "/chest", ""},
		{"up inside a folder of its own", inner + "/chest/x.go", inner, "in the order of " + inner + " it"},
		{"from a room without a place", house + "/shed/x.go", house + "/cellar", "has no place in the order"},
		{"up in a test", house + "/cellar/x_test.go", house, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, tt.file, "package x\nimport _ \""+modulePath+"/"+tt.imported+"\"\n")
			wantProblem(t, f, checkImports(f, known, rooms(), ordered), tt.want)
		})
	}
	got := checkHouses(ordered, slices.Sorted(maps.Keys(known)))
	if want := []string{"package internal/house/shed has no place in the order of internal/house"}; !slices.Equal(got, want) {
		t.Errorf("checkHouses\n got: %q\nwant: %q", got, want)
	}
	delete(known, house+"/cellar")
	wantProblem(t, source{path: house}, checkHouses(ordered, slices.Sorted(maps.Keys(known))), "names internal/house/cellar, where no package is")
	dirs := []string{"internal/other", "internal/other/a", "internal/single"}
	wantProblem(t, source{path: house}, checkHouses(nil, dirs), "the packages of internal/other have no order")
}

func TestReservedImportCheck(t *testing.T) {
	reserved := map[string][]string{"database/sql": {"internal/sqlite"}}
	for _, tt := range []struct {
		name, file, imported string
		pure                 bool
		want                 string
	}{
		{"SQL in the store", "internal/sqlite/open.go", "database/sql", false, ""},
		{"SQL in a frontend", "internal/httpapi/open.go", "database/sql", false, "database/sql is not for internal/httpapi"},
		{"files in a pure package", "memory.go", "os", true, "os does input or output"},
		{"words in a pure package", "memory.go", "strings", true, ""},
		{"files in a technology", "internal/git/facts.go", "os", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, tt.file, "package x\nimport _ \""+tt.imported+"\"\n")
			wantProblem(t, f, checkReservedImports(f, reserved, tt.pure, []string{"os"}), tt.want)
		})
	}
}

func TestReservedCallCheck(t *testing.T) {
	reserved := map[string][]string{"time.Now": {"internal/app/"}, "panic": {}, "os.Stdout": {"cmd/"}}
	for _, tt := range []struct{ name, file, body, want string }{
		{"a clock that is read", "internal/engine/save.go", `import "time"; var _ = time.Now()`, "time.Now is reserved"},
		{"a clock that is passed on", "internal/engine/save.go", `import "time"; func f() { g(time.Now) }`, "time.Now is reserved"},
		{"a clock under another name", "internal/engine/save.go", `import clock "time"; var _ = clock.Now()`, "time.Now is reserved"},
		{"a method that is called Now", "internal/engine/save.go", `import "time"; func f(e engine) time.Time { return e.Now() }`, ""},
		{"the clock where it is read for all", "internal/app/app.go", `import "time"; func f() { g(time.Now) }`, ""},
		{"a panic", "internal/engine/save.go", `func f() { panic("no") }`, "panic is reserved"},
		{"standard output as a value", "internal/mcp/serve.go", `import "os"; func f() { g(os.Stdout) }`, "os.Stdout is reserved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, tt.file, "package x\n"+tt.body+"\n")
			wantProblem(t, f, checkCalls(f, reserved), tt.want)
		})
	}
}

func TestSleepCheck(t *testing.T) {
	const sleep = `import "time"; func f() { time.Sleep(1) }`
	for _, tt := range []struct{ name, file, body, want string }{
		{"by the real clock", "internal/app/nightly_test.go", sleep, "time.Sleep is reserved"},
		{"by a bubble's clock", "internal/app/nightly_test.go", `import _ "testing/synctest"; ` + sleep, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, tt.file, "package x\n"+tt.body+"\n")
			wantProblem(t, f, checkSleep(f), tt.want)
		})
	}
}

func TestSQLCheck(t *testing.T) {
	for _, tt := range []struct{ name, literal, want string }{
		{"a query", "`SELECT id FROM memories`", "SQL belongs to the store"},
		{"a query over lines", "`\n\tSELECT id\n\tFROM memories`", "SQL belongs to the store"},
		{"a setting", "`PRAGMA journal_mode=WAL`", "SQL belongs to the store"},
		{"prose", "`Select a memory from the list`", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, "internal/engine/save.go", "package x\nconst q = "+tt.literal+"\n")
			wantProblem(t, f, checkNoSQL(f), tt.want)
		})
	}
}

func TestPackageCommentCheck(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"none", "package x\n", "has no comment"},
		{"one short line", "// Package x is short.\npackage x\n", "too short"},
		{"a line that says nothing", "// Package x provides x utilities for everything that one could ever want.\npackage x\n", "provides"},
		{"another name", "// Package y holds the rules that act on\n// memories.\npackage x\n", "opens with"},
		{"what it holds", "// Package x holds the rules that act on memories as time passes.\n// Nothing here reads a clock.\npackage x\n", ""},
		{"a program", "// Command x asks a running server every question\n// of a label set.\npackage main\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, "internal/x/x.go", tt.text)
			wantProblem(t, f, checkPackageComment("internal/x", []source{f}), tt.want)
		})
	}
}

func TestDocCommentCheck(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"a bare function", "func Save() {}", "Save has no comment"},
		{"a comment about something else", "// This saves.\nfunc Save() {}", "Save has no comment"},
		{"a function", "// Save saves.\nfunc Save() {}", ""},
		{"a bare method", "// T is a thing.\ntype T struct{}\nfunc (*T) Save() {}", "Save has no comment"},
		{"a method nobody outside sees", "type t struct{}\nfunc (t) Save() {}", ""},
		{"a bare type", "type T struct{}", "T has no comment"},
		{"a type with an article", "// A T is a thing.\ntype T struct{}", ""},
		{"a bare constant", "const Max = 3", "Max has no comment"},
		{"a group with one comment", "// The limits.\nconst (\n\tMax = 3\n\tMin = 1\n)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, "x.go", "package x\n\n"+tt.body+"\n")
			wantProblem(t, f, checkExportsDocumented(f), tt.want)
		})
	}
}

func TestStateCheck(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"a function variable", "var now = func() int { return 1 }", "is a function"},
		{"a function under another name", "var hook = save\nfunc save() {}", "can be replaced"},
		{"a function of another package", `import "time"; var now = time.Now`, "stands for time.Now"},
		{"a variable without a value", "var cache map[string]int", "has no value"},
		{"a made map", "var cache = make(map[string]int)", "made empty"},
		{"an empty map", "var cache = map[string]int{}", "empty map"},
		{"a lock", `import "sync"; var mu = &sync.Mutex{}`, "sync.Mutex"},
		{"a counter", "var n = 1\nfunc f() { n++ }", "f changes the package variable n"},
		{"an element", "var m = map[string]int{`a`: 1}\nfunc f() { m[`b`] = 2 }", "f changes the package variable m"},
		{"a local of the same name", "var n = 1\nfunc f() int { n := 2; n++; return n }", ""},
		{"a table", "var m = map[string]int{`a`: 1}", ""},
		{"a table that is built once", "var m = func() map[string]int { return nil }()", ""},
		{"an error", `import "errors"; var ErrGone = errors.New("gone")`, ""},
		{"a pattern", `import "regexp"; var word = regexp.MustCompile("a")`, ""},
		{"an embedded file", "//go:embed x.md\nvar text string", ""},
		{"a claim about an interface", "var _ I = (*T)(nil)\nfunc f() { _ = g() }", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf(t, "internal/x/x.go", "package x\n"+tt.body+"\n")
			wantProblem(t, f, checkNoMutableState([]source{f}), tt.want)
		})
	}
}

func TestStateCheckLetsTheLinkerWrite(t *testing.T) {
	for text, want := range map[string]string{
		"package main\nvar version string\n":                             "",
		"package main\nvar version string\nfunc f() { version = `1` }\n": "f changes the package variable version",
		"package x\nvar version string\n":                                "has no value",
	} {
		f := sourceOf(t, "cmd/x/main.go", text)
		wantProblem(t, f, checkNoMutableState([]source{f}), want)
	}
}

func TestInitAndLengthChecks(t *testing.T) {
	f := sourceOf(t, "x.go", "package x\n\nfunc init() {}\n")
	wantProblem(t, f, checkNoInit(f), "init functions are not used")
	wantProblem(t, f, checkLength(f, 2), "has 3 lines, the limit is 2")
	wantProblem(t, f, checkLength(f, 3), "")
	method := sourceOf(t, "x.go", "package x\n\nfunc (t T) init() {}\n")
	wantProblem(t, method, checkNoInit(method), "")
}

func sourceOf(t *testing.T, name, text string) source {
	t.Helper()
	f, err := parse(name, []byte(text))
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return f
}

// wantProblem fails unless got is empty, for want "", or one problem contains want.
func wantProblem(t *testing.T, f source, got []string, want string) {
	t.Helper()
	if want == "" && len(got) == 0 || want != "" && slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, want) }) {
		return
	}
	t.Errorf("%s\n got: %q\nwant: %q", f.path, got, want)
}
