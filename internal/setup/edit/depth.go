package edit

import "strings"

// maxDepth limits open brackets, and names joined in one TOML key. Decoders recurse for each, and a
// stack overflow cannot be recovered. No real configuration has half as many.
const maxDepth = 256

// depthJSON rejects JSON that is nested too deeply. It skips strings and comments like the decoder;
// its result does not matter for invalid JSON.
func depthJSON(src []byte) error {
	depth := 0
	for n := 0; n < len(src); n++ {
		switch rest := src[n:]; src[n] {
		case '"':
			n += textJSON(rest)
		case '/':
			n += max(0, skip(rest)-1)
		case '[', '{':
			if depth++; depth > maxDepth {
				return tooDeep(src, n)
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return nil
}

// textJSON returns the length of a string up to its closing quote.
func textJSON(src []byte) int {
	for n := 1; n < len(src); n++ {
		switch src[n] {
		case '\\':
			n++
		case '"':
			return n
		}
	}
	return len(src)
}

// depthTOML rejects TOML that is nested too deeply, by brackets or by dots in keys.
func depthTOML(src []byte) error {
	depth, dots := 0, 0
	for s := (scanner{src: src}); s.n < len(src); {
		switch c := s.here(); {
		case c == '"' || c == '\'':
			s.text()
			continue
		case c == '#':
			s.line()
			dots = 0
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth = max(0, depth-1)
		case c == '.':
			dots++
		case strings.IndexByte("=,\n", c) >= 0:
			dots = 0
		}
		if max(depth, dots) > maxDepth {
			return tooDeep(src, s.n)
		}
		s.n++
	}
	return nil
}

func tooDeep(src []byte, offset int) error {
	return wrong(placeOf(src, offset), "this is nested too deeply")
}
