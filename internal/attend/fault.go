package attend

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// How much of an error is looked at: of what was printed, and of what is left of that
// without what went well. What went wrong stands near the beginning or near the end, and
// both halves are looked at.
const (
	maxFaultText = 256 << 10
	maxFault     = 16 << 10
)

// How much of an error is told.
const (
	maxFaultLine = 200 // characters of a line
	faultNames   = 3   // tests that failed
	faultNear    = 12  // lines after a test within which it is said why it failed
)

// Fault is what one would search for to find an error again: the failed test, if any, and the line
// that says best what went wrong, without colours, times and runner noise, in maxFaultLine
// characters; "" for a text without a line. The first of equally good lines counts, and closing
// lines of a runner (FAIL, exit status 1) only where nothing else is there.
func Fault(text string) string {
	lines := faultLines(text)
	name, said := named(lines), ""
	if name.at >= 0 {
		said = lines[name.at].said
	}
	if i := saysOf(lines, name.at); i >= 0 {
		said = lines[i].said
	}
	switch i := slices.IndexFunc(lines, func(l faultLine) bool { return l.kind == faultPlain }); {
	case name.at >= 0 && said != "" && !strings.HasPrefix(said, name.name):
		return cut(name.name+": "+said, maxFaultLine)
	case name.at >= 0 && said == "":
		return cut(name.name, maxFaultLine)
	case said != "":
		return cut(said, maxFaultLine)
	case i >= 0:
		return cut(lines[i].text, maxFaultLine)
	case len(lines) > 0:
		return cut(lines[endOf(lines)].text, maxFaultLine)
	}
	return ""
}

// endOf is the line that says most where nothing is said but what runners say in the end.
func endOf(lines []faultLine) int {
	best := 0
	for i, l := range lines {
		if endSays(l.text) > endSays(lines[best].text) {
			best = i
		}
	}
	return best
}

// endSays is how much a runner says in the end: that it ended (Exit code 1), that it failed
// (FAIL), or what did (FAILED: 2 of 7 checks).
func endSays(line string) int {
	for _, code := range []string{"exit code", "exit status", "process exited", "command failed with exit"} {
		if len(line) >= len(code) && strings.EqualFold(line[:len(code)], code) {
			return 0
		}
	}
	if !strings.Contains(line, " ") {
		return 1
	}
	return 2
}

// saysOf is the line that says best why the test on line at failed: below it, or else
// anywhere; -1: none does.
func saysOf(lines []faultLine, at int) int {
	if at >= 0 {
		if near := says(lines[at+1 : min(len(lines), at+1+faultNear)]); near >= 0 {
			return at + 1 + near
		}
	}
	return says(lines)
}

// testName is the name of a test that failed.
type testName struct {
	name string
	at   int // the line that names it; -1: none does
}

// named is the first test that failed; its innermost part and its full name go before it.
func named(lines []faultLine) testName {
	t := testName{at: -1}
	for i, l := range lines {
		if l.kind == faultName && (t.at < 0 || strings.HasPrefix(l.name, t.name+"/") || strings.HasSuffix(l.name, " "+t.name)) {
			t = testName{l.name, i}
		}
	}
	return t
}

// says is the line that says best what went wrong; -1: none does.
func says(lines []faultLine) int {
	best := -1
	for i, l := range lines {
		if l.kind == faultSays && (best < 0 || l.rank < lines[best].rank) {
			best = i
		}
	}
	return best
}

// faultHead are the lines of an error that say most, in their order: the tests that failed
// and what went wrong first, and where there is room for them what stands around these.
func faultHead(text string, most int) string {
	lines := faultLines(text)
	told := tellingLines(lines, most)
	if len(told) == 0 { // nothing says what went wrong
		for i, l := range lines[:min(len(lines), most)] {
			if l.kind != faultEnd {
				told = append(told, i)
			}
		}
	}
	if len(told) == 0 && len(lines) > 0 {
		told = []int{endOf(lines)}
	}
	out := make([]string, 0, len(told))
	for _, i := range told {
		out = append(out, cut(lines[i].text, maxFaultLine))
	}
	return strings.Join(out, "\n")
}

// tellingLines are the lines that say what went wrong and those around them, by number.
func tellingLines(lines []faultLine, most int) []int {
	rank := 1
	if i := says(lines); i >= 0 {
		rank = max(rank, lines[i].rank)
	}
	var told []int
	take := func(i int) {
		if i >= 0 && len(told) < most && !slices.Contains(told, i) {
			told = append(told, i)
		}
	}
	names := 0
	for i, l := range lines {
		switch {
		case l.kind == faultName && names < faultNames:
			names++
			take(i)
		case l.kind == faultSays && l.rank <= rank:
			take(i)
		}
	}
	for _, i := range slices.Clone(told) {
		take(placeOf(lines, i))
		for next := i + 1; next < len(lines) && lines[next].kind != faultEnd && lines[next].kind != faultName; next++ {
			take(next)
		}
	}
	slices.Sort(told)
	return told
}

// placeOf is where a line that says what went wrong belongs, as a line shortly before it
// has it: a traceback has a line of code between. -1: none has.
func placeOf(lines []faultLine, i int) int {
	const back = 3
	for at := i - 1; at >= max(0, i-back); at-- {
		switch lines[at].kind {
		case faultPlace:
			return at
		case faultName, faultEnd:
			return -1
		}
	}
	return -1
}

// Told is an error without what went well and without what only says how far something has
// come, one line each: what is worth keeping of it where there is no room for all.
func Told(text string) string {
	var b strings.Builder
	for i, l := range faultLines(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// cut is s with at most so many characters, and a sign where some are missing.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(most, 1)-1]), " ") + "…"
}

// faultKind says what a line of an error is good for.
type faultKind int

const (
	faultNoise faultKind = iota // says that something went well, or where a stack goes on
	faultEnd                    // what a runner says in the end: that there was a failure
	faultPlace                  // where the lines after it belong
	faultPlain                  // anything else
	faultSays                   // says what went wrong; the lower its rank, the better
	faultName                   // names the test that failed
)

// faultLine is a line of an error.
type faultLine struct {
	text string
	kind faultKind
	rank int    // of faultSays, from 0
	name string // of faultName
	said string // what went wrong, where the line says it; without what a runner puts before
}

// faultPatterns are what is recognised in an error, compiled when the first one comes. The
// formats are those of the common runners, compilers and linters, as they print them.
type faultPatterns struct {
	escapes *regexp.Regexp // the colours of a terminal
	moment  *regexp.Regexp // when something was logged, which is never the same twice
	before  *regexp.Regexp // what a builder puts before the lines of what it runs
	hull    *regexp.Regexp // that a text is an agent's account of a command rather than what the command printed
	hulls   *regexp.Regexp // the lines of such an account that are not what was printed
	took    *regexp.Regexp // how long a test took
	noise   *regexp.Regexp
	end     *regexp.Regexp
	place   *regexp.Regexp
	names   *regexp.Regexp
	telling []*regexp.Regexp // the most telling ones first
	warning *regexp.Regexp
}

var faults = sync.OnceValue(func() faultPatterns {
	return faultPatterns{
		escapes: regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)?`),
		moment:  regexp.MustCompile(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(Z|[+-]\d\d:?\d\d)?\]?\s*|^\d\d:\d\d:\d\d[.,\d]*\s+`),
		before:  regexp.MustCompile(`^(#\d+ (\d+\.\d+ )?|npm (ERR!|error) |\[ERROR\] |[│╷╵|] |ELIFECYCLE )`),
		hull:    regexp.MustCompile(`(?m)^(Exit Code:|Process Group PGID:|Background PIDs:|Signal:)`),
		hulls: regexp.MustCompile(`^(Command|Directory|Exit Code|Signal|Background PIDs|Process Group PGID): ?|^(Output|Error|Stdout|Stderr): \((none|empty)\)$|` +
			`^(Chunk ID|Wall time|Process exited with code|Original token count)\b`),
		took: regexp.MustCompile(` \(\d[\d.]* ?m?s\)$`),
		noise: regexp.MustCompile(`^(ok [\w./-]+( |$)|\? [\w./-]+ \[no test files\]|=== (RUN|PAUSE|CONT|NAME)|--- (PASS|SKIP)|PASS\b|[✓✔√] |ok \d+ -|\[(INFO|WARNING|DEBUG)\]|` +
			`test \S+ \.\.\. (ok|ignored)|(Compiling|Downloading|Downloaded|Fetching|Collecting|Checking|Updating|Finished|Running|Installing) |> [\w@./-]+( [\w:]+)?$|npm (warn|notice|WARN)|` +
			`goroutine \d+ |created by |node:internal|at (node:|async node:)|at .*node_modules|stack backtrace:|note: run with|(make|gmake)(\[\d+\])?: (Entering|Leaving)|` +
			`Use -v to see|\[no tests to run\]|\S+ PASSED\b|.* \.\.\. ok$|hint: )`),
		end: regexp.MustCompile(`^(FAIL( |$)|FAILED\b|(make|gmake)(\[\d+\])?: \*\*\* \[|(exit status|Exit code)\b|Process exited|error: (Recipe|could not compile|aborting due to|Command failed with exit|script )|` +
			`={3,}|[-_⎯]{3,}|Traceback|(code|errno|syscall|path|Lifecycle script|workspace|location|command|Exit status|Failed at the|This is probably not|A complete log|Test failed) ?|` +
			`Command failed|BUILD FAIL|FAILURE:|\* (What went wrong|Try|Where)|Execution failed for task|Failed to execute goal|> Task |Found \d+ (error|fixable)|[✖✗✘×] \d+ (problem|error)|\d+ (problem|error|warning)s?\b|` +
			`\d+ (failed|passed|examples?|tests?|failing|passing)\b|Tests?( Suites| Files)?:|Snapshots:|Time:|Ran (all|\d+)|Finished in|test result:|(F|f)ailures:?$|Failed examples:|Errors were|` +
			`For more information|Some errors have|Automatic merge failed|Help: |short test summary|Re-run|\[Help|error Command failed|-> \[Help)`),
		place: regexp.MustCompile(`^(File "[^"]+", line \d+|--> \S+:\d+|(/|[A-Za-z]:\\|\.{0,2}/)?[\w.@/\\-]+\.[A-Za-z]\w{0,4}$|# [\w./-]+$)`),
		names: regexp.MustCompile(`^(?:--- FAIL: (?P<go>\S+)|● (?P<jest>[^.].*› .+|\S.*)|FAIL (?P<vitest>\S+ > .+)|(?:FAILED|ERROR) (?P<pytest>\S+::\S+)|(?P<pytestv>\S+::\S+) (?:FAILED|ERROR)|` +
			`(?:FAIL|ERROR): (?P<unittest>test\S* \(.+\))|test (?P<cargo>\S+) \.\.\. FAILED|(?P<gradle>\w+ > .+) FAILED$|Failed (?P<dotnet>[\w.]+) \[|(?:[✖✗✘✕×]|not ok \d+ -) (?P<node>\D.*)|` +
			`\d+\) (?P<spec>\D.*)|---- (?P<cargoout>\S+) stdout ----)`),
		telling: []*regexp.Regexp{
			regexp.MustCompile(`^(panic:|fatal error:|fatal:|[\w.]*(Error|Exception|Warning|Failed)\b( \[\w+\])?:|AssertionError|KeyError|(RecursionError|AssertionError|StopIteration|KeyboardInterrupt)$|thread '.*' panicked|E [^ ]|CONFLICT \(|Uncaught )`),
			regexp.MustCompile(`^(vet: )?[\w.@/\\-]+\.\w+:\d+(:\d+)?:? |^\S+\(\d+,\d+\): error|^\d+:\d+ error |^[A-Z]{1,5}\d{3,4} |^E: |^Failure/Error:|^Error from server|^\S+\.\w+:\[\d+,\d+\] |\*\*\* No rule|^(standard_|/bin/)?\w+: line \d+:`),
			regexp.MustCompile(`(?i)\b(error|err)(\[\w+\])?:|\berror TS\d+`),
			regexp.MustCompile(`(?i)\b(undefined|cannot|can't|could not|unable to|no such|not found|denied|refused|rejected|unexpected|expected|mismatch|missing|invalid|timed out|timeout|deadlock|conflict|exceeded|asserting)\b`),
			regexp.MustCompile(`(?i)\b(fail(ed|ure|s)?|error)\b`),
		},
		warning: regexp.MustCompile(`(?i)^([^ ]+ )?warning\b`),
	}
})

// faultLines are the lines of an error that have something in them and are not noise. What
// went well is left out before anything is, however much of it there is.
func faultLines(text string) []faultLine {
	text = bounded(text, maxFaultText)
	p := faults()
	text = p.escapes.ReplaceAllString(strings.ToValidUTF8(text, ""), "")
	hull := p.hull.MatchString(text)
	var lines []faultLine
	size := 0
	for raw := range strings.Lines(text) {
		l := shown(raw)
		if hull {
			if p.hulls.MatchString(l) {
				continue
			}
			for _, before := range []string{"Output: ", "Error: ", "Stdout: ", "Stderr: "} {
				l = strings.TrimPrefix(l, before)
			}
		}
		l = p.moment.ReplaceAllString(l, "")
		for range 2 {
			l = p.before.ReplaceAllString(l, "")
		}
		if !strings.ContainsFunc(l, unicode.IsLetter) {
			continue
		}
		if line := p.read(l); line.kind != faultNoise {
			lines = append(lines, line)
			size += len(l)
		}
	}
	return middleless(lines, size)
}

// middleless leaves out the middle of an error that is longer than maxFault.
func middleless(lines []faultLine, size int) []faultLine {
	if size <= maxFault {
		return lines
	}
	head, tail := 0, len(lines)
	for left := maxFault / 2; head < tail && left > 0; head++ {
		left -= len(lines[head].text)
	}
	for left := maxFault / 2; head < tail && left > 0; tail-- {
		left -= len(lines[tail-1].text)
	}
	return append(lines[:head:head], lines[tail:]...)
}

// bounded is text with at most so many bytes, of its beginning and of its end.
func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most/2] + "\n" + text[len(text)-most/2:]
}

// read says what a line is good for.
func (p faultPatterns) read(l string) faultLine {
	line := faultLine{text: l, kind: faultPlain, said: l}
	if m := p.names.FindStringSubmatch(l); m != nil && !p.end.MatchString(nameIn(m)) && !numbered(l) {
		line.kind, line.name = faultName, strings.TrimSuffix(p.took.ReplaceAllString(nameIn(m), ""), ":")
		_, line.said, _ = strings.Cut(l, " - ")
		return line
	}
	switch {
	case p.noise.MatchString(l):
		line.kind = faultNoise
		return line
	case p.end.MatchString(l):
		line.kind = faultEnd
		return line
	case p.place.MatchString(l):
		line.kind = faultPlace
		return line
	case p.warning.MatchString(l):
		return line
	}
	for rank, telling := range p.telling {
		if telling.MatchString(l) {
			line.kind, line.rank, line.said = faultSays, rank, strings.TrimPrefix(l, "E ")
			break
		}
	}
	return line
}

// numbered reports whether a line only counts what failed: × 3 problems.
func numbered(l string) bool {
	_, rest, _ := strings.Cut(l, " ")
	return rest != "" && unicode.IsDigit(rune(rest[0])) && l[0] >= utf8.RuneSelf
}

// nameIn is the one group that was found.
func nameIn(found []string) string {
	for _, group := range found[1:] {
		if group != "" {
			return group
		}
	}
	return ""
}

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
