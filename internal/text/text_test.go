package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func TestIndex(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain words are stemmed", "Fixed failing connections", "fix fail connect"},
		{"words without meaning stay out of the content", "it was the lock that we had held", "lock held"},
		{"camel case gives parts and the whole", "getUserName", "get user name getusernam"},
		{"an acronym before a word is cut before its last letter", "HTTPServer parses URLs", "http server httpserver pars url"},
		{"snake case gives parts and the whole", "max_open_conns", "max open conn maxopenconn"},
		{"a path gives its parts, a file name its whole", "internal/auth/token.go", "intern auth token go tokengo"},
		{"long chains are not joined", "a-very-long-chain-of-words", "long chain word"},
		{"a hyphen joins", "pre-commit hook", "pre commit precommit hook"},
		{"versions", "Go 1.26.8", "go 1 26 8"},
		{"possessives and contractions", "the user's session doesn't end", "user session end"},
		{"typographic apostrophes", "user’s", "user"},
		{"an accent after an apostrophe is nobody's", "数’\u0301数", "数 数"},
		{"Arabic elongation and vowels", "كتـَابٌ", "كتاب"},
		{"accents and full width fold", "Café Ｅｎｇｒａｍ naïve", "cafe engram naiv"},
		{"letters that do not decompose", "Łódź Ørsted", "lodz orst"},
		{"languages named by a letter", "C++ and C# and F#, issue #12", "cpp csharp fsharp issu 12"},
		{"Chinese gives characters and pairs", "数据库", "数 据 数据 库 据库"},
		{"a lone character", "猫 is", "猫"},
		{"mixed scripts are cut", "Go言語", "go 言 語 言語"},
		{"Cyrillic stays whole", "Память агента", "память агента"},
		{"Hindi keeps its vowel signs", "मेमोरी", "मेमोरी"},
		{"emoji and punctuation are nothing", "🚀 --- ... \x00\x1b[31m", "31m"},
		{"invalid UTF-8 is passed over", "ok\xff\xfebad", "ok bad"},
		{"data is not a word", strings.Repeat("Zm9v", 40) + " end", "end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := text.Index("", tt.in); got != tt.want {
				t.Errorf("Index(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTitlesKeepEveryWord(t *testing.T) {
	if got, _ := text.Index("How to do it", ""); got != "how to do it" {
		t.Errorf("got %q", got)
	}
}

func TestQuery(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"words without meaning are left out", "How did we fix the login timeout?", []string{"fix", "login", "timeout"}},
		{"unless there is nothing else", "what is this", []string{"what", "is", "thi"}},
		{"each word once", "cache Cache caching", []string{"cach"}},
		{"syntax is text", `"auth" AND (NEAR* OR title:x) ^ -- '`, []string{"auth", "near", "titl", "x", "titlex"}},
		{"pairs, not characters", "数据库", []string{"数据", "据库"}},
		{"a lone character", "猫", []string{"猫"}},
		{"nothing at all", " \t?!", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, term := range text.Query(tt.in) {
				got = append(got, term.Word)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Query(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

// A store that asks for every word leaves the joined ones aside.
func TestAQuestionIsNeverOfJoinedWordsAlone(t *testing.T) {
	for _, q := range []string{"isA", "to.a of_the", "aA", "what isA of_the"} {
		terms := text.Query(q)
		if len(terms) == 0 || slices.ContainsFunc(terms, func(term engram.Term) bool { return term.Joined }) {
			t.Errorf("Query(%q) = %+v, want words that stand alone", q, terms)
		}
	}
	if terms := text.Query("get_user"); len(terms) != 3 || !terms[2].Joined {
		t.Errorf("beside its parts a joined form is one: %+v", terms)
	}
}

func TestAHugeQuestionIsCut(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), 3+i%17) + " ")
	}
	if n := len(text.Query(b.String())); n == 0 || n > 100 {
		t.Errorf("%d terms, want 1 to 100", n)
	}
}

// FuzzIndex checks what stores rely on: tokens hold letters, digits and marks only,
// and a memory is found by any word of its own.
func FuzzIndex(f *testing.F) {
	for _, s := range []string{"getUserName", "it's 数据库 C++", "\xff\x00", "İstanbul ΌΣΟΣ ﬁ", "a'b’c--d__e", "e\u0301\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "'’") && text.Query(s) != nil && len(text.Query(s)[0].Also) > 0 {
			return // an article before an apostrophe is cut off in the language of the question
		}
		title, content := text.Index(s, s)
		for _, tok := range strings.Fields(title + " " + content) {
			if !utf8.ValidString(tok) || strings.ContainsFunc(tok, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r) || r < utf8.RuneSelf && unicode.IsUpper(r)
			}) {
				t.Fatalf("Index(%q) gave token %q", s, tok)
			}
		}
		indexed := map[string]bool{}
		for _, tok := range strings.Fields(title) {
			indexed[tok] = true
		}
		for _, term := range text.Query(s) {
			if !indexed[term.Word] {
				t.Fatalf("Query(%q) asks for %q, which Index does not have: %q", s, term.Word, title)
			}
		}
	})
}

const prose = `Chose JWT access tokens with a 15 minute lifetime over server sessions because the gateway has no shared
store. Refresh tokens rotate atomically in internal/auth/refresh.go (rotateRefreshToken); reuse of an old one revokes
the whole family. What we learned: clock skew between pods was up to 40 s, so validation allows a leeway of one minute.
The load test showed no difference in p99 latency against opaque tokens, and the session table could be dropped, which
ended the nightly lock contention on user_sessions that had caused the timeouts reported by the billing team.`

func BenchmarkIndex(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		text.Index("Chose JWT over sessions", prose)
	}
}

func BenchmarkQuery(b *testing.B) {
	for b.Loop() {
		text.Query("why did we choose JWT tokens over server sessions for the gateway?")
	}
}
