package static_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
)

func builtIn(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("model.bin")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestManifestOfTheBuiltInModel(t *testing.T) {
	got := static.New().Model()
	if got.Name != "static-30k-256" || got.Dimensions != 256 || got.Fusion != engram.FusionScore || !got.Instant {
		t.Errorf("got %+v", got)
	}
	opened, err := static.Open(builtIn(t))
	if err != nil {
		t.Fatal(err)
	}
	if opened.Model() != got {
		t.Errorf("before the table is read: %+v\nafterwards: %+v", got, opened.Model())
	}
}

func TestVectorsAreThoseOfThePlainWay(t *testing.T) {
	p, m := readPlain(t, builtIn(t)), static.New()
	check := func(t interface{ Fatalf(string, ...any) }, ctx *testing.T, text string) {
		vs, err := m.Embed(ctx.Context(), []string{text}, engram.RoleMemory)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want, tokens := p.embed(text)
		for i := range want {
			if math.Abs(float64(vs[0][i])-want[i]) > 1e-6 {
				t.Fatalf("number %d of %q\n got %v\nwant %v, of %q", i, text, vs[0][i], want[i], tokens)
			}
		}
	}
	for _, tt := range []struct{ name, text string }{
		{"nothing", ""},
		{"prose", "We moved the nightly export to the queue because two workers wrote the same file."},
		{"words in words", "parseHTTPHeader readURLs URLsOf userID IDs getX2Y iPhone XMLs7 APIsé ABCs"},
		{"paths and options", "src/app/main_test.go --dry-run=true C++ C# f# a+b #12 ## ++"},
		{"apostrophes", "don't it's o’clock 'quoted' rock'n'roll dogs' ’tis a''b it'5"},
		{"accents", "Café naïve straße Ærøskøbing Łódź Đuro smörgåsbord İstanbul ǅ ﬁ ẽ ơ"},
		{"accents of their own", "cafe\u0301 n\u0303 \u0301a"},
		{"other scripts", "日本語 テスト Привет κόσμος ภาษา 한국어 a日b"},
		{"digits", "2026-06-12 0x1F v1.2.3 ٣ ２"},
		{"unknown words", "qzxqzx zzzzzzzzzz internationalisationalism antidisestablishmentarianism"},
		{"the longest words there are", strings.Repeat("a", 64) + " " + strings.Repeat("a", 65) + " " + strings.Repeat("é", 64) + " " + strings.Repeat("é", 65)},
		{"the last token that counts", strings.Repeat("kettle ", 511) + "lid steam boil"},
		{"pieces across the end", strings.Repeat("kettle ", 510) + "qzxqzxqzxqzx boil"},
		{"bad bytes", "ab\xffcd caf\xc3 \xed\xa0\x80x don'\xff"},
	} {
		t.Run(tt.name, func(t *testing.T) { check(t, t, tt.text) })
	}
	t.Run("any text", func(t *testing.T) {
		part := rapid.OneOf(
			rapid.SampledFrom(strings.Fields("the error URLs HTTPServer fooBar don't it’s queue's re-index café ŁÓDŹ über İ 日本 #1 C++ ## x ' s A aB ABc ABs ABsé \xff ́ 12 _")),
			rapid.SampledFrom([]string{" ", "\n", "", "", "."}),
			rapid.StringN(0, 4, -1),
		)
		rapid.Check(t, func(rt *rapid.T) {
			check(rt, t, strings.Join(rapid.SliceOfN(part, 0, 30).Draw(rt, "parts"), ""))
		})
	})
}

func TestWhatMeansNothing(t *testing.T) {
	vs, err := static.New().Embed(t.Context(), []string{"日本語", "", "!?", "\xff\xff"}, engram.RoleQuery)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		for _, x := range v {
			if x != 0 {
				t.Fatalf("text %d: got %v…, want the zero vector", i, v[:4])
			}
		}
	}
}

func TestEmbeddingTakesThreeAllocations(t *testing.T) {
	m := static.New()
	texts := []string{sentence, sentence, sentence}
	got := testing.AllocsPerRun(20, func() {
		if _, err := m.Embed(t.Context(), texts, engram.RoleMemory); err != nil {
			t.Error(err)
		}
	})
	if got > 3 {
		t.Errorf("%d texts took %v allocations, want 3: the list, the numbers, the tokens", len(texts), got)
	}
}

// sentence has 31 tokens, the length of a short memory.
const sentence = "The importer reads each record in one transaction and writes the checkpoint beside it, so that a crash in the middle loses nothing and a second run starts from the last"

func BenchmarkEmbed(b *testing.B) {
	m := static.New()
	for _, bench := range []struct{ name, text string }{
		{"tokens=31", sentence},
		{"tokens=7", "where does the importer keep its checkpoint"},
		{"tokens=512", strings.Repeat(sentence+" ", 20)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			texts := []string{bench.text}
			for b.Loop() {
				if _, err := m.Embed(b.Context(), texts, engram.RoleMemory); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirst is what the first text of a process costs.
func BenchmarkFirst(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := static.New().Embed(b.Context(), []string{sentence}, engram.RoleQuery); err != nil {
			b.Fatal(err)
		}
	}
}
