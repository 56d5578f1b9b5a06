package finding

// MaxLine limits the part of a line that is checked, in bytes.
const MaxLine = 8 << 10

// Chars is a set of ASCII characters, one bit each.
type Chars [2]uint64

// CharsOf returns the ASCII characters of a line.
func CharsOf(line string) (has Chars) {
	for i := range len(line) {
		if c := line[i]; c < 128 {
			has[c>>6] |= 1 << (c & 63)
		}
	}
	return has
}

// Any reports whether the line has one of these characters.
func (has Chars) Any(of string) bool {
	for i := range len(of) {
		if has[of[i]>>6]&(1<<(of[i]&63)) != 0 {
			return true
		}
	}
	return false
}
