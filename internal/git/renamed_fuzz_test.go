package git

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzChanges: whatever git says, or stops saying, reading ends, and each file that went was named.
func FuzzChanges(f *testing.F) {
	name := strings.Repeat("ab", 20)
	f.Add([]byte(name + "\x00\nR100\x00a\x00b\x00D\x00c\x00" + name + "\x00\nR050\x00b\x00c d\x00"))
	f.Add([]byte("R\x00\x00"))
	f.Add([]byte("D\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		words := bytes.Count(text, []byte{0}) + 1
		_, err := eachChange(bytes.NewReader(text), func(path string, d departure) bool {
			if words--; words < 0 || !bytes.Contains(text, []byte(path)) || !bytes.Contains(text, []byte(d.to)) {
				t.Fatalf("of %q came %q, %+v", text, path, d)
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
