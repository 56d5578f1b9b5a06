package attend

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxFault is how many bytes of an error are looked at. What went wrong stands near its
// beginning or near its end, and both halves are.
const maxFault = 16 << 10

// maxFaultLine is the length in characters of a line that is told of an error.
const maxFaultLine = 200

// faultPatterns are what is recognised in an error, compiled when the first one comes.
type faultPatterns struct {
	telling []*regexp.Regexp // lines that say what went wrong, the most telling ones first
	escapes *regexp.Regexp   // the colours of a terminal
	moment  *regexp.Regexp   // when something was logged, which is never the same twice
	summary *regexp.Regexp   // what a runner says in the end
}

var faults = sync.OnceValue(func() faultPatterns {
	return faultPatterns{
		telling: []*regexp.Regexp{
			regexp.MustCompile(`^(panic:|fatal error:|fatal:|[\w.]*(Error|Exception)\b.*:|thread '.*' panicked)`),
			regexp.MustCompile(`(?i)\b(error|err)(\[\w+\])?:|\berror TS\d+`),
			regexp.MustCompile(`(?i)\b(undefined|cannot|can't|could not|unable to|no such|not found|denied|refused|unexpected|expected|mismatch|missing|invalid|timed out|deadlock|conflict|exceeded)\b`),
			regexp.MustCompile(`(?i)\b(fail(ed|ure)?|error)\b`),
		},
		escapes: regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`),
		moment:  regexp.MustCompile(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(Z|[+-]\d\d:?\d\d)?\]?\s*|^\d\d:\d\d:\d\d[.,\d]*\s+`),
		summary: regexp.MustCompile(`^(-{3} FAIL|FAIL\b|make(\[\d+\])?:|npm (ERR!|error)|exit status|Exit code|Process exited|error: Recipe|={3,}|-{3,}$|Traceback)`),
	}
})

// Fault is the line of an error text that says best what went wrong, without colours and
// time, cut to maxFaultLine characters: what one would search for. "" for a text without
// a line.
//
// Of lines that say it alike the first one counts, as the others follow from it. What a
// runner says in the end (FAIL, exit status 1) says nothing of the matter, and counts only
// where nothing else is said.
func Fault(text string) string {
	lines := faultLines(text)
	for _, telling := range faults().telling {
		for _, l := range lines {
			if telling.MatchString(l) && !faults().summary.MatchString(l) {
				return cut(l, maxFaultLine)
			}
		}
	}
	for _, l := range lines {
		if !faults().summary.MatchString(l) {
			return cut(l, maxFaultLine)
		}
	}
	if len(lines) > 0 {
		return cut(lines[0], maxFaultLine)
	}
	return ""
}

// faultHead are the first lines of an error, from the one that says what went wrong on.
func faultHead(text string, most int) string {
	lines, fault := faultLines(text), Fault(text)
	from := 0
	for i, l := range lines {
		if cut(l, maxFaultLine) == fault {
			from = i
			break
		}
	}
	lines = lines[from:min(len(lines), from+most)]
	for i, l := range lines {
		lines[i] = cut(l, maxFaultLine)
	}
	return strings.Join(lines, "\n")
}

// faultLines are the lines of an error that have something in them.
func faultLines(text string) []string {
	if len(text) > maxFault {
		text = text[:maxFault/2] + "\n" + text[len(text)-maxFault/2:]
	}
	var lines []string
	for l := range strings.Lines(faults().escapes.ReplaceAllString(strings.ToValidUTF8(text, ""), "")) {
		l = faults().moment.ReplaceAllString(shown(l), "")
		if strings.ContainsFunc(l, unicode.IsLetter) {
			lines = append(lines, l)
		}
	}
	return lines
}

// cut is s with at most so many characters, and a sign where some are missing.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most-1]), " ") + "…"
}
