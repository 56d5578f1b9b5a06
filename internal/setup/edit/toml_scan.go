package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// statement is a table header or a key with its value in a TOML file.
type statement struct {
	from, to int // its lines, including the last line end
	at       int // where it begins in its first line
	header   bool
	list     bool     // an array-of-tables header: [[…]]
	table    []string // the table it belongs to; a header's own
	path     []string // full path of what it defines
}

// in reports whether it belongs to the table at a path, or to a subtable.
func (s statement) in(path []string) bool { return begins(s.table, path) }

// bars reports whether it defines the table at a path in a form that excludes a header or cannot be
// replaced by one: inline, by a dotted key, or as a list.
func (s statement) bars(path []string) bool {
	return !s.in(path) && (!s.header || s.list) && (begins(path, s.path) || begins(s.path, path))
}

// begins reports whether a path starts with another one.
func begins(path, with []string) bool {
	return len(path) >= len(with) && slices.Equal(path[:len(with)], with)
}

// statements splits a valid TOML file (https://toml.io/en/v1.1.0).
func statements(src []byte) []statement {
	var all []statement
	var table []string
	for sc := (scanner{src: src}); sc.n < len(src); {
		s := statement{from: sc.n}
		sc.blanks()
		s.at = sc.n
		switch sc.here() {
		case 0, '\r', '\n', '#':
			sc.line()
			continue
		case '[':
			s.header, s.list = true, strings.HasPrefix(string(src[sc.n:min(sc.n+2, len(src))]), "[[")
			for sc.here() == '[' {
				sc.n++
			}
			table = sc.key()
			s.path = table
			sc.line()
		default:
			s.path = slices.Concat(table, sc.key())
			sc.value()
		}
		s.table, s.to = table, sc.n
		all = append(all, s)
	}
	return all
}

// scanner scans a TOML file from byte n.
type scanner struct {
	src []byte
	n   int
}

// here returns the next byte, 0 at the end.
func (s *scanner) here() byte {
	if s.n < len(s.src) {
		return s.src[s.n]
	}
	return 0
}

func (s *scanner) blanks() {
	for s.here() == ' ' || s.here() == '\t' {
		s.n++
	}
}

func (s *scanner) line() {
	if n := bytes.IndexByte(s.src[s.n:], '\n'); n >= 0 {
		s.n += n + 1
		return
	}
	s.n = len(s.src)
}

// key reads dotted names up to their end.
func (s *scanner) key() []string {
	from := s.n
	for s.n < len(s.src) && !strings.ContainsRune("=]\n", rune(s.here())) {
		if c := s.here(); c == '"' || c == '\'' {
			s.text()
		} else {
			s.n++
		}
	}
	// Names have quotes and escapes like values, so the decoder reads them.
	meta, err := toml.Decode(string(s.src[from:s.n])+" = 0", new(map[string]any))
	if keys := meta.Keys(); err == nil && len(keys) > 0 {
		return keys[len(keys)-1]
	}
	return nil
}

// valueOf returns the position of a key's value, without a comment after it.
func valueOf(src []byte, of statement) (from, to int) {
	s := scanner{src: src, n: of.at}
	s.key()
	s.n++ // the equals sign
	s.blanks()
	from = s.n
	return from, s.value()
}

// value skips a value and the rest of its last line, across strings, lists, tables and comments,
// and returns where the value itself ends.
func (s *scanner) value() (end int) {
	for depth := 0; s.n < len(s.src); {
		switch c := s.here(); c {
		case '"', '\'':
			s.text()
			end = s.n
			continue
		case '#':
			s.line()
			if depth <= 0 {
				return end
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		s.n++
		switch last := s.src[s.n-1]; {
		case last == '\n' && depth <= 0:
			return end
		case strings.IndexByte(" \t\r\n", last) < 0:
			end = s.n
		}
	}
	return end
}

// text skips a string of one of the four kinds.
func (s *scanner) text() {
	quote := s.src[s.n : s.n+1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(s.src[s.n:], long) {
		quote = long
	}
	for s.n += len(quote); s.n < len(s.src); s.n++ {
		switch {
		case s.here() == '\\' && quote[0] == '"':
			s.n++
		case bytes.HasPrefix(s.src[s.n:], quote):
			s.n += len(quote)
			for more := 0; len(quote) == 3 && more < 2 && s.here() == quote[0]; more++ {
				s.n++ // the string may end in one or two quotes
			}
			return
		}
	}
	s.n = min(s.n, len(s.src))
}
