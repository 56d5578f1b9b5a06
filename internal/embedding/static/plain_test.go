package static_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plain is the model read the plain way: a map, a list of runes, sums in float64. It is
// what the quick way is held against.
type plain struct {
	ids    map[string]int
	words  []string
	values func(id, k int) float64
	n      int
}

func readPlain(t testing.TB, b []byte) *plain {
	t.Helper()
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	v, d, l := u32(8), u32(16), u32(20)
	p := &plain{ids: map[string]int{}, words: strings.Split(string(b[32:32+l]), "\n"), n: d}
	for i, w := range p.words {
		p.ids[w] = i
	}
	if len(p.words) != v || len(p.ids) != v {
		t.Fatalf("%d words, %d of them different, want %d", len(p.words), len(p.ids), v)
	}
	p.values = func(id, k int) float64 {
		scale := math.Float32frombits(uint32(u32(32 + l + 4*id)))
		return float64(scale * float32(int8(b[32+l+4*v+id*d+k])))
	}
	return p
}

// embed returns a text's vector and the entries it is made of.
func (p *plain) embed(text string) (sum []float64, tokens []string) {
	sum = make([]float64, p.n)
	for _, word := range plainWords(text) {
		if len(word) > 64 {
			continue
		}
		prefix := ""
		for rest := word; rest != ""; {
			n := len(rest)
			for n > 0 {
				if _, ok := p.ids[prefix+rest[:n]]; ok {
					break
				}
				n--
			}
			if n == 0 {
				rest, prefix = rest[1:], "##"
				continue
			}
			tokens = append(tokens, prefix+rest[:n])
			rest, prefix = rest[n:], "##"
		}
	}
	tokens = tokens[:min(len(tokens), 512)]
	var squares float64
	for k := range sum {
		for _, token := range tokens {
			sum[k] += p.values(p.ids[token], k)
		}
		squares += sum[k] * sum[k]
	}
	for k := range sum {
		if squares > 0 {
			sum[k] /= math.Sqrt(squares)
		}
	}
	return sum, tokens
}

func plainWords(text string) (words []string) {
	runes := []rune(text)
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return 0
		}
		return runes[i]
	}
	small := func(r rune) bool { return r >= 'a' && r <= 'z' }
	capital := func(r rune) bool { return r >= 'A' && r <= 'Z' }
	word := ""
	end := func() {
		if word != "" {
			words = append(words, word)
		}
		word = ""
	}
	for i, r := range runes {
		switch {
		case capital(r):
			plural := at(i+1) == 's' && !unicode.IsLetter(at(i+2))
			if small(at(i-1)) || capital(at(i-1)) && small(at(i+1)) && !plural {
				end()
			}
			word += string(unicode.ToLower(r))
		case r == '+' || r == '#':
			end()
			word = string(r)
			end()
		case r == '\'' || r == '’':
			if word == "" || !unicode.IsLetter(at(i+1)) {
				end()
			}
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			s := plainFold(unicode.ToLower(r))
			if r = []rune(s)[0]; r >= 0x2E80 {
				end()
				word = s
				end()
			} else {
				word += s
			}
		case unicode.Is(unicode.Mn, r):
		default:
			end()
		}
	}
	end()
	return words
}

// plainFold takes the accents off the letters of western and central Europe by their
// decomposition; a few letters have none.
func plainFold(r rune) string {
	if s, ok := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}[r]; ok {
		return s
	}
	parts := []rune(norm.NFD.String(string(r)))
	if (r >= 0xdf && r <= 0x17f || r == 'ș' || r == 'ț') && len(parts) == 2 {
		return string(parts[0])
	}
	return string(r)
}
