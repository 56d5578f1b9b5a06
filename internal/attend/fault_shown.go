package attend

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// shownPatterns are what a terminal shows of a line besides what it says.
type shownPatterns struct {
	title  *regexp.Regexp // of the terminal's window
	moment *regexp.Regexp // when something was logged: as Go, syslog and logrus write it
	bar    *regexp.Regexp // how far something has come
}

var shownParts = sync.OnceValue(func() shownPatterns {
	return shownPatterns{
		title: regexp.MustCompile(`\x1b\][^\x07\x1b]*(\x07|\x1b\\)?`),
		moment: regexp.MustCompile(`^\[?\d{4}/\d\d/\d\d[T ]\d\d:\d\d:\d\d[.,\d]*\]?:?\s*|^\[\d\d:\d\d:\d\d[.,\d]*\]\s+|` +
			`^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} \d\d:\d\d:\d\d\s+|^time="[^"]*"\s*`),
		bar: regexp.MustCompile(`^[^\pL]*\d{1,3}(\.\d+)?\s?%|[#=>█▓▒░━]{4}.*\d\s?%|\d\s?%.*[#=>█▓▒░━]{3}|^[\w ]+:\s+\d{1,3}% \(\d+/\d+\)|^[\x{2800}-\x{28ff}]`),
	}
})

// shown is a line of an error as a terminal shows it in the end, on one line, without what is
// no text and without when it was; "" for one that only shows how far something has come.
func shown(line string) string {
	p := shownParts()
	line = strings.TrimRight(p.title.ReplaceAllString(line, ""), "\r\n")
	line = line[strings.LastIndexByte(line, '\r')+1:] // it was written over
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(line), " "))
	if p.bar.MatchString(line) {
		return ""
	}
	return p.moment.ReplaceAllString(line, "")
}
