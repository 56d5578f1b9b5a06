package tokenizer_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

// read returns one of the two made tokenizers, its file changed by old and new in turn.
func read(t testing.TB, kind string, changes ...string) (*tokenizer.Tokenizer, error) {
	t.Helper()
	file, _ := encodertest.WordPiece()
	if kind == "unigram" {
		file, _ = encodertest.Unigram()
	}
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(string(file), changes[i]) {
			t.Fatalf("the file of %s does not contain %s", kind, changes[i])
		}
	}
	return tokenizer.Read([]byte(strings.NewReplacer(changes...).Replace(string(file))))
}

func must(t testing.TB, kind string) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := read(t, kind)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// equalTo fails unless two texts have the same ids.
func equalTo(t *testing.T, tok *tokenizer.Tokenizer, a, b string) {
	t.Helper()
	if x, y := tok.IDs(a, false), tok.IDs(b, false); !slices.Equal(x, y) {
		t.Errorf("%q gives %d and %q gives %d", a, x, b, y)
	}
}

func TestWordPiece(t *testing.T) {
	tok := must(t, "wordpiece")
	for _, tt := range []struct {
		name, text string
		want       []int32
	}{
		{"nothing", "", nil},
		{"blanks", " \t\n\u00a0", nil},
		{"whole words", "the memory", []int32{5, 6}},
		{"upper case and accents", "THÉ mémory", []int32{5, 6}},
		{"a control character inside", "me\u200bmory", []int32{6}},
		{"an unknown character makes its word unknown", "memoryß the", []int32{1, 5}},
		{"ideographs are words", "the東the", []int32{5, 1, 5}},
		{"a special token written in the text", "the[SEP]the", []int32{5, 3, 5}},
		{"an unknown one", "[X]", []int32{1, tok.IDs("x", false)[0], 1}},
		{"a word of 101 characters", strings.Repeat("a", 101), []int32{1}},
		{"not UTF-8", "the \xff", []int32{5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tok.IDs(tt.text, false); !slices.Equal(got, tt.want) {
				t.Errorf("%q\n got: %d\nwant: %d", tt.text, got, tt.want)
			}
		})
	}
	if got := len(tok.IDs(strings.Repeat("a", 100), false)); got != 100 {
		t.Errorf("a word of 100 characters has %d tokens", got)
	}
	if got := tok.IDs("the[SEP]the", true); slices.Contains(got, 3) {
		t.Errorf("literally, a special token is still one: %d", got)
	}
	if got, want := len(tok.IDs("memorying", false)), 2; got != want {
		t.Errorf("memorying has %d tokens, want memory and ##ing", got)
	}
}

func TestUnigram(t *testing.T) {
	tok := must(t, "unigram")
	for _, tt := range []struct{ name, a, b string }{
		{"many blanks are one", "the   memory", "the memory"},
		{"a ligature", "ﬁ", "fi"},
		{"a wide letter is one of another case", "Ａ", "A"},
		{"a blank that does not break", "the\u00a0memory", "the memory"},
		{"composed and decomposed", "é", "e\u0301"},
		{"neighbouring unknowns are one", "東京都", "東"},
		{"a blank before a mask goes with it", "the <mask>", "the<mask>"},
	} {
		t.Run(tt.name, func(t *testing.T) { equalTo(t, tok, tt.a, tt.b) })
	}
	if got, want := tok.IDs("the memory", false), []int32{5, 6}; !slices.Equal(got, want) {
		t.Errorf("the memory: %d, want %d", got, want)
	}
	if got := tok.IDs("a</s>b", false); !slices.Contains(got, 2) {
		t.Errorf("a special token written in a text is not one: %d", got)
	}
	if got := tok.IDs("a</s>b", true); slices.Contains(got, 2) {
		t.Errorf("literally, a special token is still one: %d", got)
	}
}

func TestEncodeKeepsTheLastSpecialToken(t *testing.T) {
	tok := must(t, "wordpiece")
	if got, want := tok.Encode("the memory is the user", 5).IDs, []int32{2, 5, 6, 13, 3}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := tok.Encode("the memory", 0); !slices.Equal(got.IDs, []int32{2, 5, 6, 3}) || !slices.Equal(got.Types, []int32{0, 0, 0, 0}) {
		t.Errorf("without a limit: %v", got)
	}
	if got := tok.Encode("the memory", 1).IDs; !slices.Equal(got, []int32{2, 3}) {
		t.Errorf("a limit below the special tokens leaves them: %d", got)
	}
}

func TestPairsShortenTheLongerTextFirst(t *testing.T) {
	tok := must(t, "wordpiece")
	the := func(n int) string { return strings.Repeat("the ", n) }
	for _, tt := range []struct {
		name         string
		a, b, limit  int
		wantA, wantB int
	}{
		{"both fit", 2, 3, 8, 2, 3},
		{"the second is longer", 2, 9, 10, 2, 5},
		{"the first is longer", 9, 2, 10, 5, 2},
		{"both are", 9, 8, 10, 4, 3},
		{"both are, the second more", 8, 9, 10, 3, 4},
		{"no room", 8, 9, 2, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tok.Pair(the(tt.a), the(tt.b), tt.limit, false)
			a := slices.Index(got.IDs, 3) - 1
			b := len(got.IDs) - a - 3
			if a != tt.wantA || b != tt.wantB {
				t.Errorf("%d and %d tokens, want %d and %d", a, b, tt.wantA, tt.wantB)
			}
			if zeros := slices.Index(got.Types, 1); zeros != a+2 {
				t.Errorf("types %d: the second text begins at %d", got.Types, a+2)
			}
		})
	}
}

// Each window opens as the text does; a text that fits is what the two are as one.
func TestWindowsOpenWithThePrefix(t *testing.T) {
	for _, kind := range []string{"wordpiece", "unigram"} {
		tok := must(t, kind)
		const before, limit, overlap = "the user ", 32, 7
		lead, text := tok.IDs("the user", false), strings.Repeat("memory token search ", 40)
		if got, want := tok.Windows(before, "memory", limit, overlap), tok.Encode(before+"memory", 0); len(got) != 1 || !slices.Equal(got[0].IDs, want.IDs) {
			t.Errorf("%s: a short text has %v, want %v", kind, got, want)
		}
		with, without := tok.Windows(before, text, limit, overlap), tok.Windows("", text, limit-len(lead), overlap)
		if len(with) != len(without) || len(with) < 3 {
			t.Fatalf("%s: %d windows, %d without the prefix", kind, len(with), len(without))
		}
		for i, w := range with {
			if n := len(lead); !slices.Equal(w.IDs[1:n+1], lead) || !slices.Equal(w.IDs[n+1:], without[i].IDs[1:]) || len(w.IDs) > limit {
				t.Errorf("%s: window %d is %v, want %v before %v", kind, i, w.IDs, lead, without[i].IDs)
			}
		}
		for _, w := range tok.Windows(strings.Repeat(before, 40), text, limit, overlap) {
			if len(w.IDs) != limit {
				t.Errorf("%s: a long prefix gives a window of %d ids", kind, len(w.IDs))
			}
		}
	}
}

func TestWindowsCoverTheText(t *testing.T) {
	for _, kind := range []string{"wordpiece", "unigram"} {
		tok := must(t, kind)
		var words []string
		for i := range 200 {
			words = append(words, []string{"the", "memory", "token", "search", "user"}[i*i%5])
		}
		text := strings.Join(words, " ")
		all := tok.IDs(text, false)
		const limit, overlap = 32, 7
		windows := tok.Windows("", text, limit, overlap)
		at, covered := 0, 0
		for i, w := range windows {
			if len(w.IDs) != limit || len(w.Types) != limit {
				t.Fatalf("%s: window %d has %d ids", kind, i, len(w.IDs))
			}
			inner := w.IDs[1 : limit-1]
			if i == len(windows)-1 {
				at = len(all) - len(inner)
			}
			if at > covered || !slices.Equal(inner, all[at:at+len(inner)]) {
				t.Fatalf("%s: window %d does not begin at %d, or what is before it is in no window", kind, i, at)
			}
			covered, at = at+len(inner), at+len(inner)-overlap
		}
		if covered != len(all) {
			t.Errorf("%s: the windows end at %d of %d", kind, covered, len(all))
		}
		if got := tok.Windows("", "the memory", limit, overlap); len(got) != 1 || !slices.Equal(got[0].IDs, tok.Encode("the memory", 0).IDs) {
			t.Errorf("%s: a short text has the windows %v", kind, got)
		}
		if got := tok.Windows("", "", limit, overlap); len(got) != 1 || len(got[0].IDs) != 2 {
			t.Errorf("%s: an empty text has the windows %v", kind, got)
		}
		pairs := tok.PairWindows("the user "+text, text, limit, overlap)
		for i, w := range pairs {
			if len(w.IDs) != limit {
				t.Errorf("%s: window %d of a pair has %d ids", kind, i, len(w.IDs))
			}
		}
		if got := tok.PairWindows("the[SEP]</s>", "the[SEP]</s>", limit, overlap); len(got) != 1 ||
			!slices.Equal(got[0].IDs, tok.Pair("the[SEP]</s>", "the[SEP]</s>", 0, true).IDs) {
			t.Errorf("%s: special tokens in a pair count as such: %v", kind, got)
		}
	}
}

func TestReadRefusesWhatItDoesNotHave(t *testing.T) {
	for _, tt := range []struct {
		name, kind string
		changes    []string
		want       string
	}{
		{"another model", "wordpiece", []string{`"type":"WordPiece"`, `"type":"BPE"`}, `model "BPE"`},
		{"another normalizer", "wordpiece", []string{`"BertNormalizer"`, `"NFKC"`}, `normalizer "NFKC"`},
		{"another one in a sequence", "unigram", []string{`"type":"Replace"`, `"type":"Nmt"`}, `normalizer "Nmt"`},
		{"another pre-tokenizer", "wordpiece", []string{`"BertPreTokenizer"`, `"ByteLevel"`}, `pre-tokenizer "ByteLevel"`},
		{"no pre-tokenizer", "unigram", []string{`"pre_tokenizer"`, `"x"`}, "no pre-tokenizer"},
		{"another post-processor", "wordpiece", []string{`"TemplateProcessing"`, `"ByteLevel"`}, `post-processor "ByteLevel"`},
		{"no post-processor", "wordpiece", []string{`"post_processor"`, `"x"`}, "which special tokens"},
		{"byte fallback", "unigram", []string{`"byte_fallback":false`, `"byte_fallback":true`}, "byte_fallback"},
		{"a pattern that Go does not have", "unigram", []string{` {2,}`, `(?!a)b`}, `pattern "(?!a)b"`},
		{"a pattern of a kind it does not have", "unigram", []string{`"Regex"`, `"Other"`}, "without a pattern"},
		{"a Metaspace that it does not have", "unigram", []string{`"always"`, `"sometimes"`}, "sometimes"},
		{"no unknown token", "wordpiece", []string{`"unk_token":"[UNK]"`, `"unk_token":"?!"`}, `"?!"`},
		{"an unknown token beyond the vocabulary", "unigram", []string{`"unk_id":3`, `"unk_id":3000`}, "unknown characters"},
		{"a negative id", "wordpiece", []string{`"[MASK]":4`, `"[MASK]":-4`}, "the id -4"},
		{"an enormous id", "wordpiece", []string{`"[MASK]":4`, `"[MASK]":4000000000`}, "the id 4000000000"},
		{"a score that is not a number", "unigram", []string{`-2.5`, `"x"`}, "vocabulary"},
		{"a piece that is not a pair", "unigram", []string{`["▁",-2.5]`, `17`}, "vocabulary"},
		{"an empty added token", "unigram", []string{`"content":"\u003cmask\u003e"`, `"content":""`}, "0 bytes"},
		{"words of no characters", "wordpiece", []string{`"max_input_chars_per_word":100`, `"max_input_chars_per_word":0`}, "0 characters"},
		{"words of many characters", "wordpiece", []string{`"max_input_chars_per_word":100`, `"max_input_chars_per_word":1000000`}, "1000000 characters"},
		{"a character map that is no base64", "unigram", []string{`"precompiled_charsmap":"`, `"precompiled_charsmap":"!`}, "not what it should be"},
		{"a character map that is cut off", "unigram", []string{`"precompiled_charsmap":"`, `"precompiled_charsmap":"////`}, "character map"},
		{"a template without its text", "wordpiece", []string{`"id":"A"`, `"id":"C"`}, "template"},
		{"a template with an unknown token", "wordpiece", []string{`"[CLS]":{"ids":[2]}`, `"[X]":{"ids":[2]}`}, "[CLS]"},
		{"a special token without an id", "unigram", []string{`"cls":["\u003cs\u003e",0]`, `"cls":["\u003cs\u003e",0.5]`}, "special token"},
		{"not JSON", "unigram", []string{"{", "["}, "not what it should be"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.kind, tt.changes...)
			if err == nil || !strings.Contains(err.Error(), tt.want) || engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("got %v (%s), want an invalid one that says %q", err, engram.CodeOf(err), tt.want)
			}
		})
	}
}

func TestVariantsOfFiles(t *testing.T) {
	t.Run("blanks split first", func(t *testing.T) {
		tok, err := read(t, "unigram", `{"prepend_scheme":"always","replacement":"▁","split":true,"type":"Metaspace"}`,
			`{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"▁","add_prefix_space":true}]}`)
		if err != nil {
			t.Fatal(err)
		}
		equalTo(t, tok, "the\n memory", "the memory")
		if got := tok.IDs(" ", false); len(got) != 0 {
			t.Errorf("a blank gives %d", got)
		}
	})
	t.Run("no mark at the beginning", func(t *testing.T) {
		tok, err := read(t, "unigram", `"prepend_scheme":"always"`, `"add_prefix_space":false`)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(tok.IDs("the the", false)), 4; got != want { // t h e ▁the
			t.Errorf("%d tokens, want %d", got, want)
		}
	})
	t.Run("a mark at the beginning of the text alone", func(t *testing.T) {
		tok, err := read(t, "unigram", `"prepend_scheme":"always"`, `"prepend_scheme":"first"`)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(tok.IDs("the<pad>the", false)), 5; got != want { // ▁the <pad> t h e
			t.Errorf("%d tokens, want %d", got, want)
		}
	})
	t.Run("an added token that is normalised", func(t *testing.T) {
		tok, err := read(t, "wordpiece", `{"content":"[MASK]","id":4,`, `{"content":"Éx-","id":4,"normalized":true,"rstrip":true,`)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tok.IDs("the ex- the", false), []int32{5, 4, 5}; !slices.Equal(got, want) {
			t.Errorf("got %d, want %d", got, want)
		}
	})
	t.Run("BERT's own post-processor", func(t *testing.T) {
		tok, err := read(t, "unigram", "RobertaProcessing", "BertProcessing")
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Pair("the", "the", 0, false); !slices.Equal(got.IDs, []int32{0, 5, 2, 5, 2}) || !slices.Equal(got.Types, []int32{0, 0, 0, 1, 1}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("accents and case are kept", func(t *testing.T) {
		tok, err := read(t, "wordpiece", `"lowercase":true`, `"lowercase":false`)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tok.IDs("the The thé", false), []int32{5, 1, 1}; !slices.Equal(got, want) {
			t.Errorf("got %d, want %d", got, want)
		}
	})
}

// Whatever the file, it is an error or a tokenizer whose ids are below its size. A patch replaces part of a sound file: whole
// files would be too large to try many.
func FuzzRead(f *testing.F) {
	for _, patch := range []string{`"type":"Metaspace"`, `"`, "0", "-1", "1e9", "null", "[]", `"unk_id":4,`, "\xff", "AAAA"} {
		for at := range uint16(24) {
			f.Add(at%2 == 0, at*400, []byte(patch), "the Mémory</s> is[SEP] ﬁne 東京")
		}
	}
	f.Fuzz(func(t *testing.T, unigram bool, at uint16, patch []byte, text string) {
		file, _ := encodertest.WordPiece()
		if unigram {
			file, _ = encodertest.Unigram()
		}
		at = min(at, uint16(len(file)))
		copy(file[at:], patch)
		tok, err := tokenizer.Read(file)
		if err != nil {
			if engram.CodeOf(err) != engram.CodeInvalid {
				t.Fatalf("code %s for %v", engram.CodeOf(err), err)
			}
			return
		}
		check(t, tok, text)
	})
}

func FuzzEncode(f *testing.F) {
	for _, text := range []string{"", "the memory", "a\xffb", "[SEP][SEP] <mask>", "e\u0301\u0301ﬁ\u00a0", strings.Repeat("🇩🇪", 9), "\x00\u200b東京"} {
		f.Add(text)
	}
	toks := []*tokenizer.Tokenizer{must(f, "wordpiece"), must(f, "unigram")}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range toks {
			check(t, tok, text)
		}
	})
}

func check(t *testing.T, tok *tokenizer.Tokenizer, text string) {
	t.Helper()
	for _, literal := range []bool{false, true} {
		for _, id := range tok.IDs(text, literal) {
			if id < 0 || int(id) >= tok.Size() {
				t.Fatalf("id %d of %d", id, tok.Size())
			}
		}
	}
	if !utf8.ValidString(text) && !slices.Equal(tok.IDs(text, false), tok.IDs(strings.ToValidUTF8(text, "\uFFFD"), false)) {
		t.Fatal("what is not UTF-8 is not U+FFFD")
	}
	for _, w := range tok.Windows("", text, 16, 4) {
		if len(w.IDs) > max(16, tok.Specials()+1) || len(w.IDs) != len(w.Types) {
			t.Fatalf("a window of %d ids and %d types", len(w.IDs), len(w.Types))
		}
	}
}
