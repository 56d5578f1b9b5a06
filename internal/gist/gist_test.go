package gist_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

const structured = `**What**: Replaced the Express session middleware with JWT access tokens that live for 15 minutes, and refresh tokens in an httpOnly cookie.
**Why**: Sessions were kept in memory, so that every deploy logged everybody out, and two instances could not share them. We looked at Redis, but it is one more service to run, and the team is small.
**Where**: src/auth/middleware.ts, src/auth/tokens.ts, src/routes/login.ts
**Learned**: The clock of the staging host was 40 seconds ahead; tokens must be verified with a leeway of 60 seconds. Cookies need SameSite=Lax, or the login by OAuth is lost on the way back.
`

const listed = `# Session summary

## Goal
Fix the query in the user list, which made the page take eight
seconds for large tenants.

## Instructions
- [ ] Do not touch the public API

## Discoveries
1. The ORM loads roles lazily: each row issued its own query for the roles of the user.
2. A sequential scan of memberships, since the index was on (role_id, user_id)
---
| a | b |
|---|---|
`

func TestTheSentencesThatCarryMostAreChosen(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		most int
		want string
	}{
		"labels stand before what is not the first": {structured, 280,
			"Replaced the Express session middleware with JWT access tokens that live for 15 minutes, and refresh tokens in an httpOnly cookie. Why: Sessions were kept in memory, so that every deploy logged everybody out, and two instances could not share them."},
		"what is too long ends at a clause": {structured, 100, "Replaced the Express session middleware with JWT access tokens that live for 15 minutes…"},
		"headings, items and hard-wrapped lines": {listed, 200,
			"Fix the query in the user list, which made the page take eight seconds for large tenants. Discoveries: A sequential scan of memberships, since the index was on (role_id, user_id)"},
		"an item without a mark at its end is parted": {"- keep the cookie\n- rotate the key\n", 60, "keep the cookie; rotate the key"},
		"code is no sentence": {"Panic in prod:\n\n```go\nfunc main() { panic(1) }\n```\n\nThe cause was a nil map in `config.Load()`.", 200,
			"Panic in prod: The cause was a nil map in `config.Load()`."},
		"nothing but code":        {"```sql\n\nSELECT 1;\n```\n", 100, "SELECT 1;"},
		"nothing but a table":     {"| a | b |\n|---|---|\n| 1 | 2 |\n", 100, "| a | b |"},
		"nothing but a heading":   {"# Auth\n", 100, "Auth"},
		"nothing":                 {" \n\n---\n", 100, ""},
		"Japanese":                {"認証をJWTに変更しました。再起動のたびに全員がログアウトされてしまうためです。", 16, "認証をJWTに変更しました。"},
		"Chinese, whole":          {"我们使用SQLite。因为读者很多！", 40, "我们使用SQLite。因为读者很多！"},
		"Spanish":                 {"¿Qué hicimos? Decidimos usar SQLite en lugar de Bolt.", 60, "¿Qué hicimos? Decidimos usar SQLite en lugar de Bolt."},
		"abbreviations go on":     {"Use a map, e.g. Config, by J. Doe in v1.2.3 of it. Then stop.", 52, "Use a map, e.g. Config, by J. Doe in v1.2.3 of it."},
		"bold":                    {"We use **SQLite** (**one file**), **not** Bolt.", 60, "We use SQLite (one file), not Bolt."},
		"bold within a word":      {"Say auth**entic**ation, 認証**必須**。", 60, "Say auth**entic**ation, 認証**必須**。"},
		"bold beside bold":        {"It is **one****two** words.", 60, "It is one**two** words."},
		"stars that are not bold": {"There are 2**10 rows in src/**, x ** 2 a **page**.", 60, "There are 2**10 rows in src/**, x ** 2 a **page**."},
		"a quotation":             {"> He said \"no.\" Then he left.", 18, `He said "no."`},
		"a word without an end":   {strings.Repeat("x", 50), 10, strings.Repeat("x", 9) + "…"},
		"marks stay with letters": {strings.Repeat("e\u0301", 8), 8, "e\u0301e\u0301e\u0301…"},
		"no room":                 {"a word", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := gist.Of(c.text, c.most); got != c.want {
				t.Errorf("%q in %d\n got %q\nwant %q", c.text, c.most, got, c.want)
			}
		})
	}
}

func TestALaterSentenceWinsByItsWords(t *testing.T) {
	got := gist.Of("The meeting was long. We also had lunch there. The retry queue of the webhook worker drops events when the retry queue is full, so the webhook worker must block.", 160)
	if !strings.Contains(got, "must block") {
		t.Errorf("got %q", got)
	}
}

func TestOnlyALongContentHasASummary(t *testing.T) {
	for name, c := range map[string]struct {
		m    engram.Memory
		want string
	}{
		"short":                   {engram.Memory{Content: strings.Repeat("a", gist.Long)}, ""},
		"short, in three bytes":   {engram.Memory{Content: strings.Repeat("語", gist.Long)}, ""},
		"long":                    {engram.Memory{Content: structured + listed}, gist.Of(structured+listed, gist.Most)},
		"one that it came with":   {engram.Memory{Content: "a", Summary: "b", Origin: engram.OriginImport}, "b"},
		"one of a person is none": {engram.Memory{Content: structured + listed, Summary: "b", Origin: engram.OriginHuman}, gist.Of(structured+listed, gist.Most)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := gist.Summary(c.m); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// What is said is the text's own, on one line, within its room, and the same each time.
func TestAGistIsOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word", "Another", "retry queue", "e.g.", "v1.2", "。", "認証", ". ", "! ", "\n", "\n\n", "- ", "## ", "**Why**: ", "```", "> ",
			"| a |", "e\u0301", "👩‍💻", "…", ", ", "; ", "\u2028", "\x00", "\xff", " "})
		text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		most := rapid.IntRange(1, 120).Draw(t, "most")
		got := gist.Of(text, most)
		if n := utf8.RuneCountInString(got); n > most {
			t.Fatalf("%q in %d has %d characters: %q", text, most, n, got)
		}
		if strings.ContainsAny(got, "\n\r") || got != gist.Of(text, most) {
			t.Fatalf("%q in %d: %q", text, most, got)
		}
		for word := range strings.FieldsFuncSeq(got, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !strings.Contains(text, word) {
				t.Fatalf("%q in %d: %q is none of its words", text, most, word)
			}
		}
	})
}

func FuzzOf(f *testing.F) {
	f.Add(structured, 100)
	f.Add(listed, 280)
	f.Add("```\n", 3)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if got := gist.Of(text, most); utf8.RuneCountInString(got) > max(0, most) {
			t.Errorf("%q in %d: %q", text, most, got)
		}
	})
}

// BenchmarkOf summarises 2 KB, which happens for each memory of a list.
func BenchmarkOf(b *testing.B) {
	text := strings.Repeat(structured+listed, 3)[:2048]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		gist.Of(text, gist.Most)
	}
}
