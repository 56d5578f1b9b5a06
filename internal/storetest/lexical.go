package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func lexicalCases() []testCase {
	return []testCase{
		{"people find what was written", (*kit).findsWhatWasWritten},
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
		{"scores fall, and equal ones put the newer memory first", func(k *kit) {
			for range 6 {
				k.write("same title", "same words here")
			}
			found := k.find("words")
			k.same("order", numsOf(found), []int64{6, 5, 4, 3, 2, 1})
			if !slices.IsSortedFunc(found, func(a, b engram.Ranked) int { return int(math.Copysign(1, b.Score-a.Score)) }) && found[0].Score < found[5].Score {
				k.Errorf("scores rise: %v", found)
			}
		}},
		{"no more than the limit, the best ones", func(k *kit) {
			for i := range 12 {
				k.write(fmt.Sprintf("kettle %d", i), strings.Repeat("kettle ", i+1)+strings.Repeat("pot ", 12-i))
			}
			all := numsOf(k.find("kettle"))
			k.same("all", len(all), 12)
			k.same("three", numsOf(k.find("kettle", func(q *engram.LexicalQuery) { q.Limit = 3 })), all[:3])
		}},
		{"any word is enough, unless all are asked for", func(k *kit) {
			both := k.write("first", "tunnel bridge")
			one := k.write("second", "tunnel road")
			k.same("any", slices.Sorted(slices.Values(numsOf(k.find("tunnel bridge")))), []int64{both.Num, one.Num})
			all := func(q *engram.LexicalQuery) { q.All = true }
			k.same("all", numsOf(k.find("tunnel bridge", all)), []int64{both.Num})
			k.same("all, one of them nowhere", numsOf(k.find("tunnel bridge zeppelin", all)), []int64(nil))
			k.same("all, in another spelling", numsOf(k.find("TunnelBridge", all)), []int64{both.Num})
		}},
		{"a beginning stands for the words of the project asked, and for no other's", func(k *kit) {
			k.write("letters", "the mailer retries")
			k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Content = "", "", "the mailcoach of another house" })
			here := k.lexical("mail", func(q *engram.LexicalQuery) { q.Filter.Project = "app" })
			k.same("in the project", here.Words[0].Matched, []string{"mailer"})
			k.same("anywhere", k.lexical("mail").Words[0].Matched, []string{"mailcoach", "mailer"})
		}},
		{"finds are told who stands next to them", (*kit).findsKnowTheirNeighbours},
		{"filters are part of the question", func(k *kit) {
			k.furnish()
			for _, tt := range filters() {
				if tt.filter.Forgotten {
					continue // the lexical channel does not know forgotten memories
				}
				var ms []engram.Memory
				for _, f := range k.find("kettle", func(q *engram.LexicalQuery) { q.Filter = tt.filter }) {
					ms = append(ms, k.read(engram.ByNum(f.Num)))
				}
				k.same("kettle in "+tt.name, sortedTitles(ms), tt.want)
			}
		}},
		{"words of a filter are not words of a text", func(k *kit) {
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
		{"replaced text is no longer found, the new one is", func(k *kit) {
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
		{"a changed project, type, scope or tag is found by the new one only", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.Title, m.Tags = "kettle", []string{"old"} })
			k.save(func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" })
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
		{"a mistyped word finds what was meant, and the answer says so", func(k *kit) {
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
		{"numbers, versions and short words are not repaired", func(k *kit) {
			k.write("release", "version 12345 cut, error a1b2c3d4")
			for _, word := range []string{"12346", "a1b2c3d5", "cot"} {
				answer := k.lexical(word)
				k.same(word, len(answer.Hits), 0)
				k.same("rows of "+word, answer.Words[0].Rows, 0)
			}
		}},
		{"a word as it was written is worth more than a repaired one", func(k *kit) {
			exact := k.write("kettle one", "carbon")
			repaired := k.write("kettle two", "zeppelin")
			k.same("order", numsOf(k.find("zepplin carbon")), []int64{exact.Num, repaired.Num})
		}},
		{"a repair stays within the project", func(k *kit) {
			k.save(func(m *engram.Memory) { m.Project, m.SessionID, m.Title = "other", "s-other", "zeppelin" })
			k.write("here", "nothing of it")
			answer := k.lexical("zepplin", func(q *engram.LexicalQuery) { q.Filter.Project = "app" })
			k.same("found", len(answer.Hits), 0)
			k.same("in its own project", len(k.find("zepplin", func(q *engram.LexicalQuery) { q.Filter.Project = "other" })), 1)
		}},
		{"a part of a word finds it when nothing else does", func(k *kit) {
			m := k.write("net", "the loadbalancer drops packets")
			answer := k.lexical("balanc")
			k.same("found", numsOf(answer.Hits), []int64{m.Num})
			k.same("words", len(answer.Words[0].Matched), 1)
		}},
		{"rarity is counted within the project, whatever else is filtered", func(k *kit) {
			for i := range 6 {
				k.save(func(m *engram.Memory) {
					m.Title, m.Type = fmt.Sprint("kettle ", i), []engram.Type{engram.TypeFact, engram.TypeManual}[i%2]
				})
			}
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
func (k *kit) lexical(question string, change ...func(*engram.LexicalQuery)) (answer engram.Lexical) {
	k.Helper()
	q := engram.LexicalQuery{Terms: text.Query(question), Limit: 50}
	for _, c := range change {
		c(&q)
	}
	k.view(func(r engram.Reader) (err error) {
		answer, err = r.Lexical(k.Context(), q)
		return err
	})
	return answer
}

// findsKnowTheirNeighbours holds what the lexical channel says of neighbours against what
// the memories themselves say.
func (k *kit) findsKnowTheirNeighbours() {
	forgotten := map[int]bool{9: true, 10: true, 40: true}
	var saved []engram.Memory
	for i := range 60 {
		saved = append(saved, k.save(func(m *engram.Memory) {
			m.SessionID = []string{"s-app", "s-two", ""}[i*i%7%3]
			if i%3 == 0 {
				m.Content = "the kettle boils " + strings.Repeat("over ", i)
			}
		}))
	}
	for i := range forgotten {
		k.forget(saved[i], 100)
	}
	answer := k.lexical("kettle", func(q *engram.LexicalQuery) { q.Filter.Project = "app" })
	var want map[int64]engram.Beside
	k.view(func(r engram.Reader) (err error) {
		want, err = r.Beside(k.Context(), numsOf(answer.Hits))
		return err
	})
	k.same("finds in a session", len(answer.Beside), len(want))
	for num, w := range want {
		got := answer.Beside[num]
		k.same(fmt.Sprintf("before and after %d", num), []int64{got.Before.Num, got.After.Num}, []int64{w.Before.Num, w.After.Num})
		for other, o := range answer.Beside {
			k.same(fmt.Sprintf("%d and %d are of one session", num, other), o.Session == got.Session, want[other].Session == w.Session)
		}
		if got.Size <= 0 || got.After.Num != 0 && got.After.Size <= 0 {
			k.Errorf("sizes of %d and what follows: got %+v", num, got)
		}
	}
	if len(want) < 10 {
		k.Errorf("%d finds stand in a session", len(want))
	}
}

// write saves a memory of these texts.
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

// Hits is what the lexical channel of r finds.
func Hits(ctx context.Context, r engram.Reader, q engram.LexicalQuery) ([]engram.Ranked, error) {
	answer, err := r.Lexical(ctx, q)
	return answer.Hits, err
}
