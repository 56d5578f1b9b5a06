package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func lexicalCases() []testCase {
	return []testCase{
		{"queries find what was written", (*kit).findsWhatWasWritten},
		{"a word in the title counts more than in the content", func(k *kit) {
			content := k.write("three plain words", "speaks of caching")
			title := k.write("caching plain words", "speaks of three")
			k.same("order", numsOf(k.find("caching")), []int64{title.Num, content.Num})
		}},
		{"a rare word counts more than a common one", func(k *kit) {
			rare := k.write("notes one", "postgres vacuum")
			for i := range 8 {
				k.write(fmt.Sprintf("notes %d", i), "postgres index")
			}
			found := k.find("postgres vacuum index")
			k.same("found", len(found), 9)
			k.same("first", found[0].Num, rare.Num)
		}},
		{"hits are ordered by score, then newest first", func(k *kit) {
			for range 6 {
				k.write("same title", "same words here")
			}
			found := k.find("words")
			k.same("order", numsOf(found), []int64{6, 5, 4, 3, 2, 1})
			if !slices.IsSortedFunc(found, func(a, b engram.Ranked) int { return int(math.Copysign(1, b.Score-a.Score)) }) && found[0].Score < found[5].Score {
				k.Errorf("scores rise: %v", found)
			}
		}},
		{"the limit keeps the best hits", func(k *kit) {
			for i := range 12 {
				k.write(fmt.Sprintf("kettle %d", i), strings.Repeat("kettle ", i+1)+strings.Repeat("pot ", 12-i))
			}
			all := numsOf(k.find("kettle"))
			k.same("all", len(all), 12)
			k.same("three", numsOf(k.find("kettle", func(q *engram.LexicalQuery) { q.Limit = 3 })), all[:3])
		}},
		{"any word is enough, unless all are required", func(k *kit) {
			both := k.write("first", "tunnel bridge")
			one := k.write("second", "tunnel road")
			k.same("any", slices.Sorted(slices.Values(numsOf(k.find("tunnel bridge")))), []int64{both.Num, one.Num})
			all := func(q *engram.LexicalQuery) { q.All = true }
			k.same("all", numsOf(k.find("tunnel bridge", all)), []int64{both.Num})
			k.same("all, one of them nowhere", numsOf(k.find("tunnel bridge zeppelin", all)), []int64(nil))
			k.same("all, in another spelling", numsOf(k.find("TunnelBridge", all)), []int64{both.Num})
		}},
		{"a prefix matches words of the requested project only", func(k *kit) {
			k.write("letters", "the mailer retries")
			k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Content = "", "", "the mailcoach of another house" })
			here := k.lexical("mail", func(q *engram.LexicalQuery) { q.Filter.Project = "app" })
			k.same("in the project", here.Words[0].Matched, []string{"mailer"})
			k.same("anywhere", k.lexical("mail").Words[0].Matched, []string{"mailcoach", "mailer"})
		}},
		{"filters apply to the search", func(k *kit) {
			k.furnish()
			for _, tt := range filters() {
				if tt.filter.Forgotten {
					continue // the lexical channel ignores forgotten memories
				}
				found := numsOf(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter = tt.filter }))
				k.same("kettle in "+tt.name, sortedTitles(read1(k, engram.Reader.Memories, found)), tt.want)
			}
		}},
		{"filter values do not match words of texts", func(k *kit) {
			k.save(func(m *engram.Memory) { m.Tags, m.Type = []string{"lantern"}, "candle" })
			k.same("by its type", len(k.find("candle")), 0)
			k.same("by its project", len(k.find("app")), 0)
			k.same("by its tag, which is found like a title", len(k.find("lantern")), 1)
			tagged := func(q *engram.LexicalQuery) { q.Filter.Tags = []string{"title"} }
			k.same("a text's word as a tag", len(k.find("title", tagged)), 0)
		}},
		{"a forgotten memory is not found until it is restored", func(k *kit) {
			m := k.write("the kettle", "boils")
			k.forget(m, 50)
			k.same("forgotten", len(k.find("kettle")), 0)
			k.same("asked for forgotten ones", len(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter.Forgotten = true })), 0)
			k.replace(m, func(*engram.Memory) {})
			k.same("restored", len(k.find("kettle")), 1)
		}},
		{"replaced text is no longer found, the new text is", func(k *kit) {
			m := k.save(func(m *engram.Memory) {
				m.Title, m.Content, m.Tags, m.TopicKey = "walnut", "chestnut", []string{"hazel"}, "nut/almond"
			})
			k.replace(m, func(m *engram.Memory) {
				m.Title, m.Content, m.Tags, m.TopicKey = "salmon", "herring", []string{"tuna"}, "fish/trout"
			})
			for _, word := range []string{"walnut", "chestnut", "hazel", "almond"} {
				k.same("old word "+word, len(k.find(word)), 0)
			}
			for _, word := range []string{"salmon", "herring", "tuna", "trout"} {
				k.same("new word "+word, len(k.find(word)), 1)
			}
		}},
		{"a changed project, type, scope or tag is found by the new value only", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.Title, m.Tags = "kettle", []string{"old"} })
			k.save(in("other"))
			k.replace(m, func(m *engram.Memory) {
				m.Project, m.SessionID, m.Type, m.Scope, m.Tags = "other", "s-other", engram.TypeFact, engram.ScopeGlobal, []string{"new"}
			})
			for _, f := range []engram.Filter{{Project: "app"}, {Types: []engram.Type{engram.TypeManual}}, {Scope: engram.ScopeProject}, {Tags: []string{"old"}}} {
				k.same(fmt.Sprintf("by the old %+v", f), len(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter = f })), 0)
			}
			for _, f := range []engram.Filter{{Project: "other"}, {Types: []engram.Type{engram.TypeFact}}, {Scope: engram.ScopeGlobal}, {Tags: []string{"new"}}} {
				k.same(fmt.Sprintf("by the new %+v", f), len(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter = f })), 1)
			}
		}},
		{"counting a repeat keeps a memory found", func(k *kit) {
			m := k.write("kettle", "boils")
			k.replace(m, func(m *engram.Memory) { m.DuplicateCount, m.LastSeenAt = 2, at(60) })
			k.same("found", numsOf(k.find("kettle")), []int64{m.Num})
		}},
		{"a mistyped word finds what was meant, and the answer reports it", func(k *kit) {
			k.write("pool", "the connection pool was exhausted")
			k.write("other", "database migrations run at night, in the kitchen")
			for _, tt := range []struct{ typed, meant string }{
				{"conection", "connect"}, {"conenction", "connect"}, {"connnection", "connect"}, {"oconnection", "connect"},
				{"databse", "databas"}, {"kitchne", "kitchen"}, {"kitcehn", "kitchen"}, {"exhaustde", "exhaust"}, {"migartion", "migrat"},
			} {
				answer := k.lexical(tt.typed + " at night")
				if len(answer.Hits) == 0 || len(answer.Words) != 2 {
					k.Errorf("%s: got %+v, want hits and two words", tt.typed, answer)
					continue
				}
				got := answer.Words[0]
				if !got.Repaired || !slices.Equal(got.Matched, []string{tt.meant}) || got.Rows != 1 {
					k.Errorf("%s: got %+v, want %s, repaired, in 1 memory", tt.typed, got, tt.meant)
				}
				if night := answer.Words[1]; night.Repaired || night.Rows != 1 {
					k.Errorf("night beside %s: got %+v, want it as it was written", tt.typed, night)
				}
			}
		}},
		{"numbers, versions and short words are not corrected", func(k *kit) {
			k.write("release", "version 12345 cut, error a1b2c3d4")
			for _, word := range []string{"12346", "a1b2c3d5", "cot"} {
				answer := k.lexical(word)
				k.same(word, len(answer.Hits), 0)
				k.same("rows of "+word, answer.Words[0].Rows, 0)
			}
		}},
		{"an exact word weighs more than a corrected one", func(k *kit) {
			exact := k.write("kettle one", "carbon")
			repaired := k.write("kettle two", "zeppelin")
			k.same("order", numsOf(k.find("zepplin carbon")), []int64{exact.Num, repaired.Num})
		}},
		{"corrections stay within the project", func(k *kit) {
			k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Title = "other", "s-other", "zeppelin" })
			k.write("here", "nothing of it")
			answer := k.lexical("zepplin", func(q *engram.LexicalQuery) { q.Filter.Project = "app" })
			k.same("found", len(answer.Hits), 0)
			k.same("in its own project", len(k.find("zepplin", func(q *engram.LexicalQuery) { q.Filter.Project = "other" })), 1)
		}},
		{"a substring finds a word when nothing else does", func(k *kit) {
			m := k.write("net", "the loadbalancer drops packets")
			answer := k.lexical("balanc")
			k.same("found", numsOf(answer.Hits), []int64{m.Num})
			k.same("words", len(answer.Words[0].Matched), 1)
		}},
		{"rarity is counted within the project, whatever else is filtered", func(k *kit) {
			k.saveMany(6, func(i int, m *engram.Memory) {
				m.Title, m.Type = fmt.Sprint("kettle ", i), []engram.Type{engram.TypeFact, engram.TypeManual}[i%2]
			})
			k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Title = "other", "s-other", "kettle" })
			answer := k.lexical("kettle", func(q *engram.LexicalQuery) {
				q.Filter.Project, q.Filter.Types = "app", []engram.Type{engram.TypeFact}
			})
			k.same("hits", len(answer.Hits), 3)
			k.same("rows of the word", answer.Words[0].Rows, 6)
			k.same("rows", answer.Rows, 6)
			k.same("rows of the store", k.lexical("kettle").Rows, 7)
		}},
		{"no words find nothing", func(k *kit) {
			k.write("kettle", "boils")
			k.same("found", len(k.find("")), 0)
			k.same("in an unknown project", len(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter.Project = "nowhere" })), 0)
		}},
		{"an empty store finds nothing", func(k *kit) {
			k.same("found", len(k.find("kettle")), 0)
			k.same("all words", len(k.find("kettle", func(q *engram.LexicalQuery) { q.All = true })), 0)
		}},
	}
}

// lexical returns the whole answer of the lexical channel.
func (k *kit) lexical(question string, change ...func(*engram.LexicalQuery)) engram.Lexical {
	k.Helper()
	q := engram.LexicalQuery{Terms: text.Query(question), Limit: 50}
	for _, c := range change {
		c(&q)
	}
	return read1(k, engram.Reader.Lexical, q)
}

// write saves a memory with these texts.
func (k *kit) write(title, content string) engram.Memory {
	k.Helper()
	return k.save(func(m *engram.Memory) { m.Title, m.Content = title, content })
}

func (k *kit) findsWhatWasWritten() {
	for _, m := range [][2]string{
		{"pool", "We fixed the failing connections by raising max_open_conns in internal/db/pool.go"},
		{"login", "getUserName returned an empty string, HTTPServer answered 401 Unauthorized"},
		{"chinese", "数据库连接池已满"},
		{"japanese", "ログイン画面のタイムアウトを修正した"},
		{"russian", "Память агента переживает перезапуск"},
		{"accents", "Der Fußgänger im Café, naïve Lösung"},
		{"authentication", "tokens are refreshed by the middleware"},
		{"languages", "C++ core with a C# front, Go 1.26.8 around it"},
		{"what is this about", "indexing"},
	} {
		k.write(m[0], m[1])
	}
	for _, tt := range []struct{ name, question, want string }{
		{"another form of the word", "fix failure of a connection", "pool"},
		{"a whole question, with words that are nowhere", "How did we fix those failing connections yesterday?", "pool"},
		{"parts of snake case", "open conns", "pool"},
		{"the identifier as written", "max_open_conns", "pool"},
		{"the identifier in camel case", "maxOpenConns", "pool"},
		{"a file name", "pool.go", "pool"},
		{"a path", "internal/db/pool.go", "pool"},
		{"a part of camel case", "user name", "login"},
		{"camel case in lower case", "getusername", "login"},
		{"an acronym", "http", "login"},
		{"other case", "UNAUTHORIZED", "login"},
		{"Chinese", "连接", "chinese"},
		{"Japanese", "タイムアウト", "japanese"},
		{"Cyrillic in capitals", "ПАМЯТЬ", "russian"},
		{"accents left out", "naive cafe", "accents"},
		{"the beginning of a word", "authe", "authentication"},
		{"a word that is almost whole", "authenticatio", "authentication"},
		{"a word typed too long", "refreshedly", "authentication"},
		{"a language named by a letter", "c++", "languages"},
		{"a version", "1.26.8", "languages"},
		{"words without meaning find titles", "what is this", "what is this about"},
		{"nothing of it is there", "zeppelin", ""},
	} {
		title := ""
		if found := k.find(tt.question); len(found) > 0 {
			title = k.read(engram.ByNum(found[0].Num)).Title
		}
		k.same(tt.name+": first find of "+tt.question, title, tt.want)
	}
}

// Hits returns the hits of the lexical channel.
func Hits(ctx context.Context, r engram.Reader, q engram.LexicalQuery) ([]engram.Ranked, error) {
	answer, err := r.Lexical(ctx, q)
	return answer.Hits, err
}

// hostile returns words with a meaning in some query language, malformed ones and long ones.
func hostile() []string {
	return []string{"", " ", `"`, `""`, `a"b`, `" OR "`, `'`, `';--`, `\`, `*`, `kettle*`, `^kettle`, `-kettle`, `+`, `title:kettle`, `title : kettle`,
		`NEAR(`, `NEAR(a b, 2)`, `AND`, `OR`, `NOT`, `(`, `)`, `{title}: x`, `a AND (b`, `%`, `_`, `?`, `?1`, `:x`, `$1`, "\x00", "a\x00b", "\x00\"",
		"\xff\xfe", "a\xc0\xafb", "·p1", "·", "\u202e", "\ufeff", "🫖", "\n", "a\nb", strings.Repeat("x", 1<<17), strings.Repeat(`"`, 1000),
		strings.Repeat("(", 1000), "SELECT 1", "DROP TABLE memories", "<script>", "../../etc", "кет", "茶"}
}

func hostileCases() []testCase {
	return []testCase{
		{"no query is an error", func(k *kit) {
			k.write("the kettle", "boils at noon")
			for _, word := range append(hostile(), strings.Join(hostile(), " ")) {
				question := "kettle " + word
				for _, all := range []bool{false, true} {
					q := engram.LexicalQuery{Terms: text.Query(question), All: all, Limit: 10}
					err := k.store.View(k.Context(), func(r engram.Reader) error {
						_, err := r.Lexical(k.Context(), q)
						_, err2 := r.SearchPrompts(k.Context(), q.Terms, "", 10)
						return errors.Join(err, err2)
					})
					if err != nil {
						k.Errorf("question %.60q (all %v): %v", question, all, err)
					}
				}
			}
		}},
		{"no term is an error, even one that text.Query would not return", func(k *kit) {
			k.write("the kettle", "boils at noon")
			for _, word := range hostile() {
				for _, term := range []engram.Term{{Word: word, Written: word}, {Word: word, Written: word, Stop: true}, {Word: word}, {Word: word, Written: word, Joined: true}} {
					terms := []engram.Term{{Word: "kettl", Written: "kettle"}, term}
					err := k.store.View(k.Context(), func(r engram.Reader) error {
						found, err := Hits(k.Context(), r, engram.LexicalQuery{Terms: terms, Limit: 10})
						k.same(fmt.Sprintf("memories found with the term %.60q", word), len(found), 1)
						_, err2 := r.Lexical(k.Context(), engram.LexicalQuery{Terms: terms, All: true, Limit: 10})
						_, err3 := r.SearchPrompts(k.Context(), terms, "", 10)
						return errors.Join(err, err2, err3)
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
						_, err := r.List(k.Context(), f, engram.Page{Limit: 10})
						_, err2 := r.Lexical(k.Context(), engram.LexicalQuery{Terms: text.Query("kettle"), Filter: f, Limit: 10})
						return errors.Join(err, err2)
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
					continue // Validate rejects these before they reach a store
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
