package capture

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// MostPlaces limits the places returned for a text.
const MostPlaces = 32

// mostCaptured is the length of the longest path recognised in a sentence.
const mostCaptured = 200

// Places returns the words of a text that look like files of a repository, in order, each once, at
// most MostPlaces: "internal/a.go", "a.go:12-20", "docs/x.md#L3". Only the repository can tell
// whether such a file exists. URLs, dates, versions and numbers do not match.
func Places(text string) []engram.Place {
	var all []engram.Place
	seen := map[engram.Place]bool{}
	for at := 0; at < len(text) && len(all) < MostPlaces; {
		n := strings.IndexFunc(text[at:], aroundPath)
		if n < 0 {
			n = len(text) - at
		}
		if word := text[at : at+n]; len(word) >= 3 && len(word) <= mostCaptured && strings.ContainsAny(word, "./") {
			if p, is := placeIn(word); is && !seen[p] {
				seen[p] = true
				all = append(all, p)
			}
		}
		at += n + 1
		for at < len(text) && text[at]&0xc0 == 0x80 { // the rest of a multi-byte separator
			at++
		}
	}
	return all
}

// aroundPath reports whether a character separates a path from the text; blanks always do.
func aroundPath(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', '`', '"', '\'', '<', '>', '(', ')', '[', ']', '{', '}', ',', ';', '|', '*', '=', '…', '“', '”', '‘', '’', '«', '»', '→', '—', '\u00a0', '\u3000', '、', '。', '，', '；':
		return true
	}
	return r < ' '
}

func placeIn(word string) (engram.Place, bool) {
	word = strings.TrimRight(word, ".,:!?")
	word = strings.TrimPrefix(word, "./")
	if strings.Contains(word, "://") || strings.ContainsAny(word, `\$@%&?~`) || strings.Contains(word, "//") {
		return engram.Place{}, false
	}
	p, err := engram.ParsePlace(word)
	if err != nil {
		return p, false
	}
	if p.First > 0 { // a column may follow the line
		if q, err := engram.ParsePlace(p.Path); err == nil && q.First > 0 {
			p = q
		}
	}
	return p, looksLikeFile(p.Path)
}

// looksLikeFile reports whether a word may be the path of a file: a name that is more than an
// extension, with a folder before it or an extension of letters.
func looksLikeFile(path string) bool {
	if strings.HasSuffix(path, "/") || strings.Contains(path, ":") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." || part == "." {
			return false
		}
	}
	slash := strings.LastIndexByte(path, '/')
	base := path[slash+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return slash > 0 && letters(base)
	}
	ending := base[dot+1:]
	return len(base) > 1 && len(ending) > 0 && len(ending) <= 12 && letters(ending)
}

func letters(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 })
}
