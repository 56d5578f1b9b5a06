package text_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/text"
)

// TestSpellings says which spellings find one another: all of a row have the tokens
// of its first.
func TestSpellings(t *testing.T) {
	for _, tt := range []struct {
		name string
		same []string
		want string
	}{
		{"Turkish i with and without its dot", []string{"ISTANBUL", "İstanbul", "ıstanbul", "istanbul"}, "istanbul"},
		{"German ß", []string{"strasse", "Straße", "STRASSE", "STRAẞE"}, "strass"},
		{"ligatures of letters", []string{"aether", "Æther", "æther"}, "aether"},
		{"French œ", []string{"oeuvre", "Œuvre"}, "oeuvr"},
		{"Greek sigma at the end of a word", []string{"όσος", "ΌΣΟΣ", "οσοσ"}, "οσοσ"},
		{"Cyrillic ё", []string{"елка", "Ёлка", "ёлка"}, "елка"},
		{"Arabic with and without vowels", []string{"محمد", "مُحَمَّد", "محمـــد"}, "محمد"},
		{"Arabic alef with and without hamza", []string{"احمد", "أحمد"}, "احمد"},
		{"Hebrew with and without points", []string{"שלום", "שָׁלוֹם"}, "שלום"},
		{"Vietnamese", []string{"tieng viet", "Tiếng Việt"}, "tieng viet"},
		{"composed and decomposed", []string{"cafe", "caf\u00e9", "cafe\u0301", "CAFÉ"}, "cafe"},
		{"full width", []string{"abc 12", "ＡＢＣ　１２"}, "abc 12"},
		{"ligatures of type", []string{"file flow", "ﬁle ﬂow"}, "file flow"},
		{"titled digraphs", []string{"dzep", "ǅep", "Ǆep"}, "dzep"},
		{"dressed digits", []string{"1 2", "1\ufe0f\u20e3 2\ufe0f\u20e3"}, "1 2"},
		{"C++ in letters", []string{"cpp", "C++", "c++", "CPP"}, "cpp"},
		{"C# in letters", []string{"csharp", "C#"}, "csharp"},
		{"camel case and snake case", []string{"max open conns maxopenconns", "maxOpenConns", "max_open_conns", "MAX_OPEN_CONNS", "MaxOpenConns"}, "max open conn maxopenconn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, s := range tt.same {
				if _, got := text.Index("", s); got != tt.want {
					t.Errorf("Index(%q) = %q, want %q", s, got, tt.want)
				}
			}
		})
	}
}

// TestWhatDevelopersLookFor says which tokens the names of their world have.
func TestWhatDevelopersLookFor(t *testing.T) {
	sha := "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"
	for _, tt := range []struct {
		name, in string
		want     []string // among others
	}{
		{"an error code", "error[E0499]: cannot borrow", []string{"e0499", "borrow"}},
		{"a vulnerability", "CVE-2026-34742", []string{"cve", "2026", "34742"}},
		{"a hash", sha, []string{sha}},
		{"a SHA-512", strings.Repeat("0123456789abcdef", 8), []string{strings.Repeat("0123456789abcdef", 8)}},
		{"a UUID", "3F2504E0-4F89-11D3-9A0C-0305E82C3301", []string{"3f2504e0", "4f89", "11d3", "9a0c", "0305e82c3301"}},
		{"an address", "10.20.30.40:7437", []string{"10", "20", "30", "40", "7437"}},
		{"an IPv6 address", "2001:db8::ff00:42:8329", []string{"2001", "db8", "ff00", "42", "8329"}},
		{"an e-mail address", "ann.lee@example.org", []string{"ann", "lee", "exampl", "org"}},
		{"a URL", "https://example.org/a/page?x=1&lang=de#frag", []string{"exampl", "org", "page", "lang", "de", "frag"}},
		{"a Windows path", `C:\Users\Ann\go.mod`, []string{"user", "ann", "go", "mod", "gomod"}},
		{"a flag of a shell command", "git commit --no-verify", []string{"git", "commit", "verifi", "noverifi"}},
		{"a variable", "${DATA_DIR} and $HOME", []string{"data", "dir", "datadir", "home"}},
		{"numbers with separators", "1,000.5 and 3.14", []string{"1", "000", "5", "3", "14"}},
		{"hexadecimal", "0x7fff", []string{"0x7fff"}},
		{"names with digits in them", "IPv6 OAuth2 utf8 base64 k8s x86_64", []string{"ipv6", "oauth2", "utf8", "base64", "k8s", "x86"}},
		{"a path of modules", "std::collections::HashMap", []string{"std", "collect", "hash", "map"}},
		{"a package of a scope", "@angular/core", []string{"angular", "core"}},
		{"acronyms within a name", "XMLHttpRequest", []string{"xml", "http", "request", "xmlhttprequest"}},
		{"a dot file", ".gitignore", []string{"gitignor"}},
		{"a time", "2026-06-12T09:30:00Z", []string{"2026", "06", "30"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, content := text.Index("", tt.in)
			have := strings.Fields(content)
			for _, want := range tt.want {
				if !slices.Contains(have, want) {
					t.Errorf("Index(%q) = %q, which lacks %q", tt.in, have, want)
				}
			}
		})
	}
}

func TestWhatIsNoWord(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"emoji", "🚀 ❤️ 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽"}, {"a mark without a letter", "\u0301 \ufe0f \u20e3"}, {"punctuation", "¿¡…—«»“”·•"},
		{"invisible characters", "\u200b\u200d\u2060\ufeff\u202e"}, {"control characters", "\x00\x07\x1b\x7f\u0085"}, {"nothing", ""},
		{"data in base 64", strings.Repeat("QUJD", 33)}, {"minified letters", strings.Repeat("x", 129)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			title, content := text.Index(tt.in, tt.in)
			if title+content != "" || text.Query(tt.in) != nil {
				t.Errorf("Index(%q) = %q, %q, Query = %v; want nothing", tt.in, title, content, text.Query(tt.in))
			}
		})
	}
}

// A token that somebody reads in an index, and asks for, must be found.
func TestTokensAreTheirOwnTokens(t *testing.T) {
	letters := rapid.SampledFrom([]rune("aAzZiIİıßẞéeςσΣدأЁ数据ナ가ไ्न19_-.:'’ +#\u0301\ufe0f\u20e3"))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringOf(letters), rapid.String()).Draw(t, "text")
		text.Scan(s, func(tok text.Token) {
			var again []text.Token
			text.Scan(tok.Word, func(a text.Token) { again = append(again, a) })
			if !slices.ContainsFunc(again, func(a text.Token) bool { return a.Text() == tok.Text() }) {
				t.Fatalf("%q in %q has the token %q, but alone it has %+v", tok.Word, s, tok.Text(), again)
			}
		})
	})
}
