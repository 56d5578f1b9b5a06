package engram_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var textsFile = flag.String("texts", "", "file that TestWordsInTexts writes every user-facing text to")

// A userText is a string literal or a description in a struct tag that a person or an agent may read.
type userText struct {
	at   string // path:line
	text string
	node ast.Node
}

// notTexts are the folders whose strings are patterns, word lists, SQL and test kits.
func notTexts() []string {
	return []string{"internal/suspicion", "internal/text", "internal/contradiction", "internal/capture", "internal/wording",
		"internal/secret", "internal/attend", "internal/storetest", "internal/enginetest", "internal/replica/replicatest",
		"internal/eval/live", "internal/gist"}
}

var (
	twoWords = regexp.MustCompile(`\pL{2,}[,:;.)"'}]* .*\pL{2,}|\pL{2,} %`)
	sqlText  = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WITH|ALTER|PRAGMA|VACUUM|ATTACH|FROM|WHERE|AND|OR|ORDER|JOIN|LEFT|ON|SET|UNION|LIMIT|GROUP|REPLACE|BEGIN|VALUES|COALESCE|NOT|EXISTS|CASE)\b`)
)

// textsOf returns the user-facing texts of f: its string literals of two words and more,
// and the doc tags of its fields.
func textsOf(f source) (all []userText) {
	if f.test || slices.ContainsFunc(notTexts(), func(d string) bool { return under(f.dir, d) }) {
		return nil
	}
	tags := map[ast.Node]bool{}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				tags[n.Tag] = true
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				return true
			}
			s := unquote(n)
			if tags[n] {
				s = reflect.StructTag(s).Get("doc")
			}
			if twoWords.MatchString(s) && !sqlText.MatchString(s) {
				all = append(all, userText{at: fmt.Sprintf("%s:%d", f.path, f.fset.Position(n.Pos()).Line), text: s, node: n})
			}
		}
		return true
	})
	return all
}

func TestWordsInTexts(t *testing.T) {
	var out strings.Builder
	for _, f := range tree(t) {
		for _, u := range textsOf(f) {
			fmt.Fprintf(&out, "%s: %s\n", u.at, u.text)
		}
	}
	if *textsFile != "" {
		if err := os.WriteFile(*textsFile, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
