package storetest

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// hostile are words that mean something to some query language, or to none.
func hostile() []string {
	return []string{"", " ", `"`, `""`, `a"b`, `" OR "`, `'`, `';--`, `\`, `*`, `kettle*`, `^kettle`, `-kettle`, `+`, `title:kettle`, `title : kettle`,
		`NEAR(`, `NEAR(a b, 2)`, `AND`, `OR`, `NOT`, `(`, `)`, `{title}: x`, `a AND (b`, `%`, `_`, `?`, `?1`, `:x`, `$1`, "\x00", "a\x00b", "\x00\"",
		"\xff\xfe", "a\xc0\xafb", "·p1", "·", "\u202e", "\ufeff", "🫖", "\n", "a\nb", strings.Repeat("x", 1<<17), strings.Repeat(`"`, 1000),
		strings.Repeat("(", 1000), "SELECT 1", "DROP TABLE memories", "<script>", "../../etc", "кет", "茶"}
}

func hostileCases() []testCase {
	return []testCase{
		{"no question is an error", func(k *kit) {
			k.write("the kettle", "boils at noon")
			for _, word := range append(hostile(), strings.Join(hostile(), " ")) {
				question := "kettle " + word
				for _, all := range []bool{false, true} {
					q := engram.LexicalQuery{Terms: text.Query(question), All: all, Limit: 10}
					err := k.store.View(k.Context(), func(r engram.Reader) error {
						if _, err := r.Lexical(k.Context(), q); err != nil {
							return err
						}
						_, err := r.SearchPrompts(k.Context(), q.Terms, "", 10)
						return err
					})
					if err != nil {
						k.Errorf("question %.60q (all %v): %v", question, all, err)
					}
				}
			}
		}},
		{"no term is an error, even one that no analyser would give", func(k *kit) {
			k.write("the kettle", "boils at noon")
			for _, word := range hostile() {
				for _, term := range []engram.Term{{Word: word, Written: word}, {Word: word, Written: word, Stop: true}, {Word: word}, {Word: word, Written: word, Joined: true}} {
					terms := []engram.Term{{Word: "kettl", Written: "kettle"}, term}
					err := k.store.View(k.Context(), func(r engram.Reader) error {
						found, err := Hits(k.Context(), r, engram.LexicalQuery{Terms: terms, Limit: 10})
						if err != nil {
							return err
						}
						if len(found) != 1 {
							return fmt.Errorf("found %d memories, want the one with the other term", len(found))
						}
						if _, err := r.Lexical(k.Context(), engram.LexicalQuery{Terms: terms, All: true, Limit: 10}); err != nil {
							return err
						}
						_, err = r.SearchPrompts(k.Context(), terms, "", 10)
						return err
					})
					if err != nil {
						k.Errorf("term %.60q (stop %v, joined %v): %v", word, term.Stop, term.Joined, err)
					}
				}
			}
		}},
		{"no filter is an error", func(k *kit) {
			k.write("the kettle", "boils at noon")
			for _, word := range hostile() {
				for _, f := range []engram.Filter{{Project: word}, {Types: []engram.Type{engram.Type(word)}}, {Scope: engram.Scope(word)},
					{Tags: []string{word}}, {SessionID: word}, {Metadata: map[string]any{word: word}}} {
					err := k.store.View(k.Context(), func(r engram.Reader) error {
						if _, err := r.List(k.Context(), f, engram.Page{Limit: 10}); err != nil {
							return fmt.Errorf("list: %w", err)
						}
						_, err := r.Lexical(k.Context(), engram.LexicalQuery{Terms: text.Query("kettle"), Filter: f, Limit: 10})
						return err
					})
					if err != nil {
						k.Errorf("filter %.100q: %v", fmt.Sprintf("%+v", f), err)
					}
				}
			}
		}},
		{"hostile texts are kept and found as they are", func(k *kit) {
			for _, word := range hostile() {
				if strings.ToValidUTF8(word, "") != word || strings.ContainsRune(word, 0) {
					continue // Validate refuses these before any store sees them
				}
				m := k.save(func(m *engram.Memory) {
					m.Title, m.Content, m.Tags = "kettle "+word, "x"+word, []string{"t" + word}
					m.Metadata = map[string]any{word: word}
				})
				k.sameMemory("read back", k.read(engram.ByNum(m.Num)), m)
				k.same(fmt.Sprintf("by the tag %.40q", m.Tags[0]), numsOf(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter.Tags = m.Tags })), []int64{m.Num})
				k.same(fmt.Sprintf("by the metadata %.40q", word), nums(k.list(engram.Filter{Metadata: m.Metadata})), []int64{m.Num})
			}
		}},
	}
}
