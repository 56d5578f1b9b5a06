package lifecycle_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestATextSaysWholeSentences(t *testing.T) {
	for _, tt := range []struct {
		text, part string
		want       bool
	}{
		{"Something. Parser cache\nmore", "parser cache", true},
		{"The parser cache is full.", "Parser cache", false},
		{"", "Parser cache", false},
		{"Parser cache", "", false},
	} {
		if got := lifecycle.SaidIn(tt.text).Says(lifecycle.SaidIn(tt.part)); got != tt.want {
			t.Errorf("does %q say %q: got %v, want %v", tt.text, tt.part, got, tt.want)
		}
	}
}

func TestATextIsFoundInAnotherHoweverItIsSet(t *testing.T) {
	for _, tt := range []struct {
		name, text, part string
		want             bool
	}{
		{"as it is", "One. Two. Three.", "Two.", true},
		{"without the marks of a list", "The cache is read at night.\nIt is written by day.", "- The cache is read at night.\n- It is written by day.", true},
		{"in another case, without the stop", "so: the Cache is  READ at night, always", "The cache is read at night.", true},
		{"within a sentence that says the contrary", "Never use Redis here", "use redis", true},
		{"within a text without spaces", "这是一个缓存的说明。", "缓存", true},
		{"sentences without spaces between", "其一。缓存在夜里写。其三。", "缓存在夜里写", true},
		{"nothing but marks", "a --- b", "---", true},
		{"a part of it alone", "The cache is read.", "The cache is read at night.", false},
		{"the words in another order", "At night the cache is read", "the cache is read at night", false},
		{"in other words", "The user prefers dark mode in the editor", "User likes the dark mode", true},
		{"no text", "something", " \n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lifecycle.SaidIn(tt.text).Holds(lifecycle.SaidIn(tt.part)); got != tt.want {
				t.Errorf("does %q hold %q: got %v, want %v", tt.text, tt.part, got, tt.want)
			}
		})
	}
}

// However two texts were merged, erasing one must name the memory that holds it.
func TestWhatWasMergedIsFoundInIt(t *testing.T) {
	text := rapid.StringMatching(`([-*] )?[A-Za-z。？.!?; \n-]{0,30}[a-z][。.!? ]{0,2}`)
	rapid.Check(t, func(t *rapid.T) {
		old, m := engram.Memory{Title: "t", Content: text.Draw(t, "old")}, engram.Memory{Title: "t", Content: text.Draw(t, "new")}
		if more := rapid.SampledFrom([]string{"", old.Content + " And more.", old.Content + ", in short", "The " + old.Content}).Draw(t, "more"); more != "" {
			m.Content = more
		}
		if lifecycle.Adds(old, m) == lifecycle.AddsBeside {
			return
		}
		one := lifecycle.SaidIn(lifecycle.Merged(old, m, noon(), lifecycle.DefaultPolicy()).Content)
		for _, part := range []string{old.Content, m.Content} {
			if !one.Holds(lifecycle.SaidIn(part)) {
				t.Errorf("%q and %q became one that does not hold %q", old.Content, m.Content, part)
			}
		}
	})
}
