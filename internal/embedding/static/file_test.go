package static_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
)

// smallFile is a model of two dimensions with a few words; entry t has the vector
// (t+1, -1) × 0.5.
func smallFile(words ...string) []byte {
	vocabulary := strings.Join(words, "\n")
	b := make([]byte, 32, 64)
	copy(b, "ESTATIC1")
	binary.LittleEndian.PutUint32(b[8:], uint32(len(words)))
	binary.LittleEndian.PutUint32(b[16:], 2)
	binary.LittleEndian.PutUint32(b[20:], uint32(len(vocabulary)))
	b = append(b, vocabulary...)
	for range words {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(0.5))
	}
	for i := range words {
		b = append(b, byte(i+1), 0xff)
	}
	return sealed(b)
}

// sealed sets the checksum.
func sealed(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[24:], crc32.ChecksumIEEE(b[28:]))
	return b
}

func TestOpenASmallFile(t *testing.T) {
	m, err := static.Open(smallFile("ket", "kettle", "##tl", "##e", "漢", "#"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, text string
		want       [2]float64
	}{
		{"a whole word", "kettle", [2]float64{2, -1}},
		{"a word and its pieces", "KETTLETLE", [2]float64{2 + 3 + 4, -3}},
		{"the longest beginning", "ketx", [2]float64{1, -1}},
		{"a byte that nothing says", "ketxe", [2]float64{1 + 4, -2}},
		{"a beginning that nothing says", "xketxe", [2]float64{4, -1}},
		{"a piece is no word", "tl", [2]float64{}},
		{"a sign", "ket#", [2]float64{1 + 6, -2}},
		{"a rune of its own", "ket漢ket", [2]float64{1 + 5 + 1, -3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vs, err := m.Embed(t.Context(), []string{tt.text}, engram.RoleMemory)
			if err != nil {
				t.Fatal(err)
			}
			length := math.Hypot(tt.want[0], tt.want[1])
			for i, w := range tt.want {
				if length > 0 {
					w /= length
				}
				if math.Abs(float64(vs[0][i])-w) > 1e-6 {
					t.Errorf("%q: got %v, want %v of length 1", tt.text, vs[0], tt.want)
				}
			}
		})
	}
}

func TestAFileThatIsNoModelIsRefused(t *testing.T) {
	good := smallFile("ket", "kettle", "##tl")
	change := func(at int, to ...byte) []byte {
		b := slices.Clone(good)
		copy(b[at:], to)
		return b
	}
	for _, tt := range []struct {
		name string
		file []byte
	}{
		{"nothing", nil},
		{"half a header", good[:20]},
		{"a header alone", good[:32]},
		{"a byte short", good[:len(good)-1]},
		{"a byte long", append(slices.Clone(good), 0)},
		{"another kind", change(0, 'X')},
		{"a later format", change(7, '2')},
		{"an altered row", change(len(good)-1, 0x10)},
		{"an altered word", change(33, 'x')},
		{"an altered reserve", change(28, 1)},
		{"an altered checksum", change(24, 0, 0, 0, 0)},
		{"no entries", sealed(change(8, 0, 0, 0, 0))},
		{"more entries than there can be", sealed(change(8, 0, 0, 1, 0))},
		{"entries without end", sealed(change(8, 0xff, 0xff, 0xff, 0xff))},
		{"hashed rows", sealed(change(12, 1))},
		{"no dimensions", sealed(change(16, 0))},
		{"dimensions without end", sealed(change(16, 0xff, 0xff, 0xff, 0xff))},
		{"a vocabulary without end", sealed(change(20, 0xff, 0xff, 0xff, 0xff))},
		{"a word too few", sealed(change(35, 'x'))},
		{"a word too many", sealed(change(34, '\n'))},
		{"an empty word", smallFile("a", "", "b")},
		{"a scale that is no number", sealed(change(len(good)-6-4, 0, 0, 0xc0, 0x7f))},
		{"a scale below zero", sealed(change(len(good)-6-4, 0, 0, 0, 0xbf))},
		{"a scale too great", sealed(change(len(good)-6-4, 0xff, 0xff, 0x7f, 0x7f))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := static.Open(tt.file)
			e, ok := errors.AsType[*engram.Error](err)
			if m != nil || !ok || e.Code != engram.CodeInvalid || e.Hint == "" {
				t.Errorf("got %v, error %v (code %q, hint %q), want code invalid and a hint", m, err, engram.CodeOf(err), engram.HintOf(err))
			}
		})
	}
	if _, err := static.Open(good); err != nil {
		t.Errorf("the file itself: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	good := smallFile("ket", "kettle", "##tl", "##e")
	f.Add(good, "kettle")
	f.Add(good[:40], "ket")
	f.Add(smallFile("\xff", "##\x00", "##"), "\xff")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		if len(file) >= 32 {
			file = sealed(slices.Clone(file)) // or nothing would come past the checksum
		}
		m, err := static.Open(file)
		if err != nil {
			if engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("%x: code %q (%v), want invalid", file, engram.CodeOf(err), err)
			}
			return
		}
		vs, err := m.Embed(t.Context(), []string{text}, engram.RoleMemory)
		if err != nil {
			t.Fatal(err)
		}
		checkLength(t, text, vs[0])
	})
}

func FuzzEmbed(f *testing.F) {
	for _, s := range []string{"", "fooBar HTTPServer URLs don't", "caf\xc3", "漢字 #+", "İß’", strings.Repeat("ab#", 300)} {
		f.Add(s)
	}
	m, p := static.New(), readPlain(f, builtIn(f))
	f.Fuzz(func(t *testing.T, text string) {
		vs, err := m.Embed(t.Context(), []string{text}, engram.RoleQuery)
		if err != nil {
			t.Fatal(err)
		}
		checkLength(t, text, vs[0])
		want, tokens := p.embed(text)
		for i := range want {
			if math.Abs(float64(vs[0][i])-want[i]) > 1e-6 {
				t.Fatalf("number %d of %q: got %v, want %v, of %q", i, text, vs[0][i], want[i], tokens)
			}
		}
	})
}

func checkLength(t *testing.T, text string, v []float32) {
	t.Helper()
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum != 0 && !(math.Abs(sum-1) < 1e-4) {
		t.Errorf("%q: the vector has length %v, want 0 or 1", text, math.Sqrt(sum))
	}
}
