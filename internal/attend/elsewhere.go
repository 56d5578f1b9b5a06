package attend

import (
	"path"
	"strings"
)

// Elsewhere reports whether text names files as place is called, but all of them in other
// folders: what it says is not of the file at place. Places have slashes.
func Elsewhere(text, place string) bool {
	base, found := "/"+path.Base(place), false
	for from := 0; ; {
		i := strings.Index(text[from:], base)
		if i < 0 {
			return found
		}
		at, end := from+i, from+i+len(base)
		from = end
		if !Names(text[at+1:], base[1:]) || !strings.HasPrefix(text[at+1:], base[1:]) {
			continue
		}
		begin := strings.LastIndexFunc(text[:at], func(r rune) bool { return !partOfName(r) && r != '/' && r != '@' }) + 1
		named := strings.TrimLeft(text[begin:end], "./")
		if named == place || strings.HasSuffix(place, "/"+named) || strings.HasSuffix(named, "/"+place) {
			return false
		}
		found = true
	}
}
