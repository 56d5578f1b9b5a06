package tokenizer

import (
	"encoding/binary"
	"strings"

	"github.com/rivo/uniseg"
)

// A charsmap replaces characters as SentencePiece does: a trie of what is replaced, in a double array, and the
// replacements, each ended by a zero byte. It is close to NFKC and not the same.
//
// Source: google/sentencepiece, src/normalizer.cc; Yata's darts-clone for the array's units.
type charsmap struct {
	units []uint32
	texts string
}

// longestCluster is the bytes from which a grapheme cluster is not looked up as a whole, a rule of the reference.
const longestCluster = 6

// newCharsmap reads a map: the length of the trie in bytes, the trie, the replacements.
func newCharsmap(file []byte) (*charsmap, error) {
	if len(file) < 4 {
		return nil, invalid("has a character map without content")
	}
	n := binary.LittleEndian.Uint32(file)
	rest := file[4:]
	switch {
	case n < 4 || n%4 != 0 || uint64(n) > uint64(len(rest)):
		return nil, invalid("has a character map that is cut off")
	case uint64(n) < uint64(len(rest)) && rest[len(rest)-1] != 0:
		return nil, invalid("has a character map whose last text has no end")
	}
	m := &charsmap{units: make([]uint32, n/4), texts: string(rest[n:])}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(rest[4*i:])
	}
	return m, nil
}

// The parts of a unit: the distance to its children, whether it ends a key, and the byte that leads to it.
func distance(u uint32) uint32 { return (u >> 10) << ((u & (1 << 9)) >> 6) }
func ends(u uint32) bool       { return u&(1<<8) != 0 }
func label(u uint32) uint32    { return u & (1<<31 | 0xff) }

// replacement returns what replaces the shortest key that s begins with; the reference takes the shortest, too.
func (m *charsmap) replacement(s string) (string, bool) {
	at := distance(m.units[0])
	for i := 0; i < len(s) && s[i] != 0; i++ {
		at ^= uint32(s[i])
		if uint64(at) >= uint64(len(m.units)) || label(m.units[at]) != uint32(s[i]) {
			return "", false
		}
		u := m.units[at]
		at ^= distance(u)
		if !ends(u) {
			continue
		}
		if uint64(at) >= uint64(len(m.units)) {
			return "", false
		}
		from := m.units[at] &^ (1 << 31)
		if uint64(from) >= uint64(len(m.texts)) {
			return "", false
		}
		text, _, _ := strings.Cut(m.texts[from:], "\x00")
		return text, true
	}
	return "", false
}

func (m *charsmap) normalise(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	state := -1
	var cluster string
	for s != "" {
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if len(cluster) < longestCluster {
			if text, ok := m.replacement(cluster); ok {
				out.WriteString(text)
				continue
			}
		}
		for i, r := range cluster {
			c := cluster[i : i+len(string(r))]
			if text, ok := m.replacement(c); ok {
				c = text
			}
			out.WriteString(c)
		}
	}
	return out.String()
}
