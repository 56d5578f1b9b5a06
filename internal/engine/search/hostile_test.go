package search_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// hostile are questions that break naive uses of a full-text index.
func hostile() []string {
	return []string{
		`"`, `""`, `"""`, `'`, `it's`, `say "hello`, `"a" "b`, `*`, `a*`, `*a`, `**`, `^a`, `^`, `a ^b`, `{}`, `{title} : a`, `title:`, `title : a`,
		`- title : a`, `-a`, `+a`, `a + b`, `NEAR`, `NEAR(`, `NEAR(a b, 5)`, `NEAR(a b`, `a NEAR/5 b`, `AND`, `a AND`, `OR OR`, `NOT a`, `a NOT b`, `(a`, `a)`, `(`, `)`, `((()))`,
		`a AND (b OR c`, `memories_fts`, `rank`, `rank = 'x'`, `rowid`, `scope : ·p1`, `·p1`, `·tbugfix`, `"·p0"`, `; DROP TABLE memories; --`, `' OR 1=1 --`, `%`, `_`, `\`, `\"`,
		`a:b:c`, `::`, `a.b.c`, `...`, `--`, `--no-verify`, `/`, `//`, `a/b`, `@`, `#1`, `$1`, `?1`, `:a`, `=`, `<>`, `<private>`, `</private>`, `<private`, `[]`, `|`, `~`, "`", `!`,
		"a\x00b", "\x00", "\xff", "\xff\xfe\xfd", "a\xc3", "\xed\xa0\x80", "\u202e", "\ufeff", "\u200b", "🚀", "👩‍👩‍👧‍👦", "ﷺ", "e\u0301", "İ", "ß", "ǅ", "数", "データ", "ไทย", "한국어", "العربية",
		strings.Repeat("(", 5000), strings.Repeat(`"`, 5001), strings.Repeat("a ", 50_000), strings.Repeat("a", 100_000), strings.Repeat("ab", 63) + "x",
		strings.Repeat("NOT ", 2000), strings.Repeat("数据", 30_000), strings.Repeat("é", 60_000), strings.Repeat("\x00", 3000), strings.Repeat("w", 1<<20+1),
	}
}

// ask searches with every option, and fails on any error.
func ask(w enginetest.World, q string) {
	w.Helper()
	for _, in := range []search.SearchInput{
		{Query: q}, {Query: q, All: true}, {Query: q, Filter: engram.Filter{Project: "demo", Types: []engram.Type{"bugfix"}, Tags: []string{"auth"}}},
		{Filter: engram.Filter{Project: q, SessionID: q, Types: []engram.Type{engram.Type(q)}, Tags: []string{q}, Scope: engram.Scope(q), Metadata: map[string]any{q: q}}},
		{Query: "pool", Filter: engram.Filter{Types: []engram.Type{engram.Type(q)}}}, {Query: "pool", Filter: engram.Filter{Tags: []string{q}}},
		{Query: "pool", Filter: engram.Filter{Metadata: map[string]any{q: q}}},
	} {
		found, err := w.Search(w.Context(), in)
		if err != nil {
			w.Fatalf("question %.200q (%d bytes), input %.300v: %v", q, len(q), in, err)
		}
		if len(found.Hits) > 10 {
			w.Fatalf("question %.200q: %d hits", q, len(found.Hits))
		}
	}
	if _, err := w.SearchPrompts(w.Context(), q, "", 0); err != nil {
		w.Fatalf("prompts with %.200q: %v", q, err)
	}
}

// Of a question of a mebibyte only the beginning is read, which bounds its cost in every script.
func TestOnlyTheBeginningOfALongQuestionIsRead(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	lock, cache := w.Note("数据库迁移的锁", "迁移时要先取得咨询锁。"), w.Note("缓存过期", "缓存在十分钟后过期。")
	filler := strings.Repeat("。，", 1<<19/len("。，"))
	for _, tt := range []struct {
		query string
		want  int64
	}{
		{"缓存过期" + filler + "数据库迁移", cache}, {"数据库迁移" + filler + "缓存过期", lock},
	} {
		found := w.MustSearch(search.SearchInput{Query: tt.query})
		short := w.MustSearch(search.SearchInput{Query: tt.query[:text.MaxQuestion-text.MaxQuestion%3]})
		enginetest.Same(t, "finds", enginetest.HitNums(found.Hits), enginetest.HitNums(short.Hits))
		if len(found.Hits) != 1 || found.Hits[0].Memory.Num != tt.want {
			t.Errorf("found %v, want #%d alone", enginetest.HitNums(found.Hits), tt.want)
		}
	}
}

func TestNoQuestionIsAnError(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "why is the pool exhausted", Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	for _, q := range hostile() {
		ask(w, q)
	}
	if got := w.MustFind("pool"); len(got) != 1 {
		t.Errorf("afterwards pool finds %v", got)
	}
}

func TestNoGeneratedQuestionIsAnError(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	piece := rapid.OneOf(rapid.SampledFrom(hostile()[:100]), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"pool", "auth", "JWT", "getUserByEmail", "数据库", " ", "\n"}))
	rapid.Check(t, func(rt *rapid.T) {
		ask(w.In(t), strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(rt, "question"), rapid.SampledFrom([]string{"", " "}).Draw(rt, "glue")))
	})
}

func FuzzSearch(f *testing.F) {
	w, _ := enginetest.Library(f)
	for _, q := range hostile() {
		if len(q) < 1000 {
			f.Add(q)
		}
	}
	f.Fuzz(func(t *testing.T, q string) {
		ask(w.In(t), q)
	})
}

func TestAPrivateQuestionIsNotRepeated(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	found := w.MustSearch(search.SearchInput{Query: "pool <private>" + enginetest.Marker + "</private>"})
	if found.Query != "pool [REDACTED]" || len(found.Hits) == 0 || found.Hits[0].Memory.Num != num["pool"] {
		t.Errorf("got %q, %v", found.Query, enginetest.HitNums(found.Hits))
	}
}
