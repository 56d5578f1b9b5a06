package attend

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Limits of the error text that is examined, in bytes: of the output, and of the lines left after
// noise is removed. The cause stands near the beginning or the end, so half is kept of each.
const (
	maxFaultText = 256 << 10
	maxFault     = 16 << 10
)

// Limits of the extracted error.
const (
	maxFaultLine = 200 // characters of a line
	faultNames   = 3   // names of failed tests
	faultNear    = 12  // lines after a test's name that are searched for the reason
)

// Fault returns the search query for an error: the failed test, if any, and the most telling line,
// without colours, times and runner noise, in at most maxFaultLine characters; "" for a text
// without lines. The first of equally good lines counts, and closing lines of a runner (FAIL, exit
// status 1) only if there is nothing else.
func Fault(text string) string {
	if text == "" { // as for each prompt: without an error its patterns need not be compiled
		return ""
	}
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

// endOf returns the most telling line of an error that has only closing lines of runners.
func endOf(lines []faultLine) int {
	best := 0
	for i, l := range lines {
		if endSays(l.text) > endSays(lines[best].text) {
			best = i
		}
	}
	return best
}

// endSays ranks closing lines: ended (Exit code 1), failed (FAIL), what failed (FAILED: 2 of 7).
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

// saysOf returns the line that best explains why the test on line at failed: near it, else
// anywhere, or -1.
func saysOf(lines []faultLine, at int) int {
	if at >= 0 {
		if near := says(lines[at+1 : min(len(lines), at+1+faultNear)]); near >= 0 {
			return at + 1 + near
		}
	}
	return says(lines)
}

type testName struct {
	name string
	at   int // line that names it; -1: none
}

// named returns the first failed test, in its most specific form: a subtest or the full name.
func named(lines []faultLine) testName {
	t := testName{at: -1}
	for i, l := range lines {
		if l.kind == faultName && (t.at < 0 || strings.HasPrefix(l.name, t.name+"/") || strings.HasSuffix(l.name, " "+t.name)) {
			t = testName{l.name, i}
		}
	}
	return t
}

// says returns the most telling line, or -1.
func says(lines []faultLine) int {
	best := -1
	for i, l := range lines {
		if l.kind == faultSays && (best < 0 || l.rank < lines[best].rank) {
			best = i
		}
	}
	return best
}

// faultHead returns the most telling lines of an error in order: failed tests and causes first,
// then lines around them as far as there is room.
func faultHead(text string, most int) string {
	lines := faultLines(text)
	picked := tellingLines(lines, most)
	if len(picked) == 0 { // no line explains the failure
		for i, l := range lines[:min(len(lines), most)] {
			if l.kind != faultEnd {
				picked = append(picked, i)
			}
		}
	}
	if len(picked) == 0 && len(lines) > 0 {
		picked = []int{endOf(lines)}
	}
	out := make([]string, 0, len(picked))
	for _, i := range picked {
		out = append(out, cut(lines[i].text, maxFaultLine))
	}
	return strings.Join(out, "\n")
}

// tellingLines returns the numbers of the lines that explain a failure and of those around them.
func tellingLines(lines []faultLine, most int) []int {
	rank := 1
	if i := says(lines); i >= 0 {
		rank = max(rank, lines[i].rank)
	}
	var picked []int
	take := func(i int) {
		if i >= 0 && len(picked) < most && !slices.Contains(picked, i) {
			picked = append(picked, i)
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
	for _, i := range slices.Clone(picked) {
		take(placeOf(lines, i))
		for next := i + 1; next < len(lines) && lines[next].kind != faultEnd && lines[next].kind != faultName; next++ {
			take(next)
		}
	}
	slices.Sort(picked)
	return picked
}

// placeOf returns the location line shortly before a line that explains a failure, or -1: a
// traceback has a line of code in between.
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

// ErrorLines returns an error without lines about success or progress, one line each: the part worth
// keeping where there is no room for all.
func ErrorLines(text string) string {
	var b strings.Builder
	for i, l := range faultLines(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// cut shortens s to at most so many characters, with an ellipsis if something is missing.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(most, 1)-1]), " ") + "…"
}

// faultKind classifies a line of an error.
type faultKind int

const (
	faultNoise faultKind = iota // success, or the rest of a stack
	faultEnd                    // a runner's closing line: there was a failure
	faultPlace                  // the location that the next lines belong to
	faultPlain                  // anything else
	faultSays                   // the cause; the lower its rank, the better
	faultName                   // the name of a failed test
)

type faultLine struct {
	text string
	kind faultKind
	rank int    // of faultSays, from 0
	name string // of faultName
	said string // the cause without the runner's prefix, if the line has one
}

// faultPatterns recognise lines of an error. They compile on first use. The formats are those of
// the common runners, compilers and linters.
type faultPatterns struct {
	escapes *regexp.Regexp // terminal colours
	bar     *regexp.Regexp // progress bars
	logged  *regexp.Regexp // log times of Go, syslog and logrus
	moment  *regexp.Regexp // log times, which differ on each run
	before  *regexp.Regexp // prefixes of a build tool
	hull    *regexp.Regexp // an agent's report about a command, instead of its plain output
	hulls   *regexp.Regexp // lines of such a report that are not output
	took    *regexp.Regexp // duration of a test
	noise   *regexp.Regexp
	end     *regexp.Regexp
	place   *regexp.Regexp
	names   *regexp.Regexp
	telling []*regexp.Regexp // most telling first
	warning *regexp.Regexp
}

var faults = sync.OnceValue(func() faultPatterns {
	return faultPatterns{
		escapes: regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)?`),
		bar:     regexp.MustCompile(`^[^\pL]*\d{1,3}(\.\d+)?\s?%|[#=>█▓▒░━]{4}.*\d\s?%|\d\s?%.*[#=>█▓▒░━]{3}|^[\w ]+:\s+\d{1,3}% \(\d+/\d+\)|^[\x{2800}-\x{28ff}]`),
		logged: regexp.MustCompile(`^\[?\d{4}/\d\d/\d\d[T ]\d\d:\d\d:\d\d[.,\d]*\]?:?\s*|^\[\d\d:\d\d:\d\d[.,\d]*\]\s+|` +
			`^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} \d\d:\d\d:\d\d\s+|^time="[^"]*"\s*`),
		moment: regexp.MustCompile(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(Z|[+-]\d\d:?\d\d)?\]?\s*|^\d\d:\d\d:\d\d[.,\d]*\s+`),
		before: regexp.MustCompile(`^(#\d+ (\d+\.\d+ )?|npm (ERR!|error) |\[ERROR\] |[│╷╵|] |ELIFECYCLE )`),
		hull:   regexp.MustCompile(`(?m)^(Exit Code:|Process Group PGID:|Background PIDs:|Signal:)`),
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

// faultLines returns the lines of an error without noise. Lines about success are dropped before
// the limits apply, however many there are.
func faultLines(text string) []faultLine {
	if len(text) > maxFaultText {
		text = text[:maxFaultText/2] + "\n" + text[len(text)-maxFaultText/2:]
	}
	p := faults()
	text = p.escapes.ReplaceAllString(strings.ToValidUTF8(text, ""), "")
	hull := p.hull.MatchString(text)
	var lines []faultLine
	size := 0
	for raw := range strings.Lines(text) {
		l := p.shown(raw)
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

// middleless drops the middle of an error that is longer than maxFault.
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

// read classifies a line.
func (p faultPatterns) read(l string) faultLine {
	line := faultLine{text: l, kind: faultPlain, said: l}
	// One group of m matches, which is the name.
	if m := p.names.FindStringSubmatch(l); m != nil && !p.end.MatchString(cmp.Or(m[1:]...)) && !numbered(l) {
		line.kind, line.name = faultName, strings.TrimSuffix(p.took.ReplaceAllString(cmp.Or(m[1:]...), ""), ":")
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

// numbered reports whether a line only counts failures: × 3 problems.
func numbered(l string) bool {
	_, rest, _ := strings.Cut(l, " ")
	return rest != "" && unicode.IsDigit(rune(rest[0])) && l[0] >= utf8.RuneSelf
}

// shown returns a line as a terminal shows it in the end, without control characters and log time;
// "" for a progress bar.
func (p faultPatterns) shown(line string) string {
	line = strings.TrimRight(line, "\r\n")
	line = line[strings.LastIndexByte(line, '\r')+1:] // a carriage return overwrites the line
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(line), " "))
	if p.bar.MatchString(line) {
		return ""
	}
	return p.logged.ReplaceAllString(line, "")
}
