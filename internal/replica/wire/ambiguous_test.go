package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

func TestWhatAReaderWouldLoseUnseenIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, item, want string }{
		{"an ordinary item", `{"content":"one","tags":["a","b"],"metadata":{"content":"two"}}`, ""},
		{"a field twice", `{"content":"one","content":"two"}`, "content is there twice"},
		{"a field twice in another case", `{"content":"one", "id":"x", "Content":"two"}`, "content is there twice"},
		{"a field twice among many", `{"content":"one",` + manyFields() + `,"Content":"two"}`, "content is there twice"},
		{"many fields", `{"content":"one",` + manyFields() + `}`, ""},
		{"a field twice in the capitals of another alphabet", `{"é":1,"É":2}`, "é is there twice"},
		{"a field twice, once in escapes", `{"content":"one","\u0063ontent":"two"}`, "content is there twice"},
		{"a value like a name", `{"id":"content","content":"id"}`, ""},
		{"a quote within a text", `{"content":"a \" ,\"content\":\\","id":"x"}`, ""},
		{"a whole letter in two escapes", `{"content":"\ud83d\ude00"}`, ""},
		{"the first lone surrogate", `{"content":"a \ud83d b"}`, "lone surrogate"},
		{"the second lone surrogate", `{"content":"\uDE00"}`, "lone surrogate"},
		{"two first halves", `{"content":"\ud83d\ud83d"}`, "lone surrogate"},
		{"an escape that is escaped", `{"content":"\\ud83d"}`, ""},
		{"half a letter in metadata", `{"metadata":{"k":["\ud83d"]}}`, "lone surrogate"},
		{"nested as deep as may be", `{"m":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`, ""},
		{"nested deeper", `{"m":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, "nested more than 1000 deep"},
		{"no object", `["a","a"]`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := wire.Ambiguous([]byte(tt.item))
			if got := ""; err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) || err == nil && tt.want != got {
				t.Errorf("%.80s\n got %v\nwant %q", tt.item, err, tt.want)
			}
		})
	}
}

// manyFields are more than are compared one by one.
func manyFields() string {
	var all []string
	for n := range 100 {
		all = append(all, fmt.Sprintf(`"f%d":%d`, n, n))
	}
	return strings.Join(all, ",")
}
