package attend

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Thresholds of Neglect. Six edits are a change that took some thought, two or three a correction;
// a fixed command is a lesson whatever it took. The second time takes twice as much, and there is
// no third: an agent that was asked twice has decided.
const (
	neglectEdits = 6
	neglectAsks  = 2
)

// Neglect returns the text to ask a stopping agent that worked much and saved nothing, including a
// session summary unless there is one; "" if there is nothing to ask. saved is the number of
// memories of the session.
//
// Work is counted since the last save or the last time it asked (KindAsked, which the caller adds):
// edits, and each fixed command as half the threshold. It asks at most twice a session. The caller
// must not ask again an agent that goes on because it was asked.
func Neglect(notes []Note, saved int) (ask string) {
	asked, from, saves, summed := 0, 0, 0, false
	for i, n := range notes {
		switch {
		case n.Kind == KindAsked:
			asked, from = asked+1, i+1
		case n.Kind == KindTool && !n.Failed && Saves(n.Tool):
			saves, from = saves+1, i+1
			summed = summed || saver(n.Tool) == summary
		}
	}
	if asked >= neglectAsks || saved > saves && from == 0 { // saved by other means, at an unknown time
		return ""
	}
	edits, files := 0, map[string]bool{}
	for _, n := range notes[from:] {
		if n.Kind == KindTool && n.Writes && !n.Failed {
			edits++
			files[n.Path] = true
		}
	}
	fixed := len(Outcomes(notes[from:]))
	if edits+fixed*neglectEdits/2 < neglectEdits*(1+asked) {
		return ""
	}
	var done []string // zero counts are not mentioned
	if edits > 0 {
		done = append(done, "made "+counted(edits, "edit")+" in "+counted(len(files), "file"))
	}
	if fixed > 0 {
		done = append(done, "got "+counted(fixed, "failing command")+" to pass")
	}
	since := "In this session"
	if from > 0 {
		since = "Since the last memory was saved"
		if notes[from-1].Kind == KindAsked {
			since = "Since you were asked last"
		}
	}
	return since + " you " + strings.Join(done, " and ") + ". If something of it is worth knowing in a later session (a decision and its reason, " +
		"a bug and its cause, how something works here, what the person prefers), save it now with mem_save, one memory for each; " +
		"if nothing is, save none." + closing(summed)
}

// closing asks for a session summary, unless there is one.
func closing(summed bool) string {
	if summed {
		return " Then finish."
	}
	return " And if the work is done that the person asked for, close it with mem_session_summary: the goal, what was done, what was found out, what is left."
}

// summary is the tool that saves a session summary.
const summary = "mem_session_summary"

// Saves reports whether a tool by this name, in an agent's spelling ("mcp__engram__mem_save"), is
// one of ours that saves something.
func Saves(tool string) bool { return saver(tool) != "" }

// saver returns the plain name of our saving tool; "" for other tools.
func saver(tool string) string {
	tool = strings.ToLower(tool)
	for _, name := range []string{"mem_save", "mem_update", summary, "mem_capture_passive", "remember"} {
		if strings.HasSuffix(tool, name) {
			return name
		}
	}
	return ""
}

func counted(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// What identifies a prompt as a single question.
var (
	// Introductions before a question.
	leadOfInquiry = lazily(`(?i)^((hi|hey|hello|ok|okay|so|and|but|please|sorry|wait|quick question|one more question)\b[\s,.!:-]*|` +
		`((can|could|would) you (please )?(tell|remind) (me|us)|(please )?remind (me|us)|do you (know|remember)|(any|no) idea|i wonder|i('m| am) wondering)\b[\s,:]*(again\b[\s,]*|about\b\s*)?)+`)
	// A request in the form of a question, or a question about the agent itself.
	orderInInquiry = lazily(`(?i)\b(you|your|yours|you're|you've|please|shall i|let's|lets|puedes|podrías|kannst du|könntest|peux-tu|pourrais)\b`)
	openInquiry    = lazily(`(?i)^(how|what|what's|whats|which|where|where's|when|who|who's|whose|why|is|are|was|were|do|does|did|has|have|must|should|may|can|could|` +
		`cómo|qué|cuál|dónde|cuándo|quién|wie|was|welche[rsn]?|wo|wann|wer|warum|comment|quel(le)?s?|où|quand|pourquoi|como|qual|onde|quando)\b`)
	oursInInquiry  = lazily(`(?i)\b(we|our|ours|us|we're|we've|here|this (project|repo|repository|codebase)|wir|unsere?[mnrs]?|nous|notre|nos|nuestr[oa]s?|noss[oa]s?)\b`)
	knownInInquiry = lazily(`(?i)\b(the|der|die|das|dem|den|el|la|los|las|le|les)\b`)
)

// introduced returns the length of the introductions before a question.
func introduced(question string) int {
	for _, w := range []string{"hi", "hey", "hello", "ok", "so", "and", "but", "please", "sorry", "wait", "quick", "one more", "can you", "could you", "would you", "remind", "do you",
		"any idea", "no idea", "i wonder", "i'm", "i am"} {
		if len(question) >= len(w) && strings.EqualFold(question[:len(w)], w) {
			return len(leadOfInquiry().FindString(question))
		}
	}
	return 0
}

// requests reports a question that requests something of the agent, or is about it.
func requests(question string) bool {
	low := strings.ToLower(question)
	for _, w := range []string{"you", "please", "shall i", "let's", "lets", "puedes", "podrías", "kannst", "könntest", "peux", "pourrais"} {
		if strings.Contains(low, w) {
			return orderInInquiry().MatchString(question)
		}
	}
	return false
}

// opens reports a question by its first word, in ASCII without an expression.
func opens(question string) bool {
	if !ascii(question) {
		return openInquiry().MatchString(question)
	}
	for word := range words(question) {
		return strings.HasPrefix(question, word) && slices.Contains(strings.Fields(`how what which where when who whose whats why is are was were do does did has have must should may can could
			wie was welche welcher welches welchen wo wann wer warum comment quel quels quelle quelles quand pourquoi como qual onde quando`), strings.ToLower(word))
	}
	return false
}

// ours reports a question about the work here ("we", "our").
func ours(question string) bool {
	if !ascii(question) {
		return oursInInquiry().MatchString(question)
	}
	const here = " we our ours us here wir unser unsere unserem unseren unserer unseres nous notre nos nuestro nuestra nuestros nuestras nosso nossa nossos nossas "
	at := 0
	for word := range words(question) {
		at = strings.Index(question[at:], word) + at + len(word)
		low := strings.ToLower(word)
		if strings.Contains(here, " "+low+" ") || strings.HasPrefix(low, "unser") && oursInInquiry().MatchString(question) {
			return true
		}
		if low == "this" && at < len(question) && question[at] == ' ' {
			for next := range words(question[at:]) {
				if strings.HasPrefix(question[at+1:], next) && slices.Contains([]string{"project", "repo", "repository", "codebase"}, strings.ToLower(next)) {
					return true
				}
				break
			}
		}
	}
	return false
}

// refers reports a question about something that both know ("the logs").
func refers(question string) bool {
	if !ascii(question) {
		return knownInInquiry().MatchString(question)
	}
	for word := range words(question) {
		if strings.Contains(" the der die das dem den el la los las le les ", " "+strings.ToLower(word)+" ") {
			return true
		}
	}
	return false
}

// goesOn reports a sentence after the first.
func goesOn(question string) bool {
	for i, r := range question {
		if strings.ContainsRune("。！？\n", r) || strings.ContainsRune(".!?;:", r) && i+1 < len(question) && strings.IndexByte(" \t\n\f\r", question[i+1]) >= 0 {
			return true
		}
	}
	return false
}

// words returns the words of an ASCII text.
func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Inquiry is a prompt that is a single question.
type Inquiry struct {
	Words map[string]bool // words of meaning, in index form
	Ours  bool            // it asks about the work here ("we", "our")
	Known bool            // Ours, or it refers to something both know ("the logs"), not to things in general
}

// AsksOne reports whether a prompt, as Question returns it, is a single sentence that asks, not a
// command and not about the agent. Only for such a prompt does it matter how much of it a memory
// covers.
func AsksOne(question string) (Inquiry, bool) {
	asked := strings.TrimSpace(question)
	asked = asked[introduced(asked):]
	body := strings.TrimRight(asked, " ?？؟!.")
	marked := strings.ContainsAny(asked[len(body):], "?？؟")
	open := opens(body)
	if body == "" || !marked && !open || requests(body) || goesOn(body) {
		return Inquiry{}, false
	}
	in := Inquiry{Words: Meant(body), Ours: ours(body)}
	in.Known = in.Ours || refers(body)
	return in, len(in.Words) >= questionLeast || open && len(in.Words) > 0
}

// Meant returns the words of meaning of a question, in index form.
func Meant(question string) map[string]bool {
	words := map[string]bool{}
	for _, w := range text.Query(question) {
		if !w.Joined && !w.Stop && !Moves(w.Written) {
			words[w.Word] = true
		}
	}
	return words
}

// Below returns notes with paths relative to the outermost folder that contains them, since other
// machines have the repository elsewhere. A file outside all of them keeps its last folder. around
// holds parents of several repositories, for files outside folders.
func Below(notes []Note, folders, around []string) []Note {
	from := slices.Concat(outermostFirst(folders), outermostFirst(around))
	out := slices.Clone(notes)
	for i, n := range out {
		out[i].Path = inside(n.Path, from)
		for _, f := range from {
			out[i].Command, out[i].Error = unrooted(out[i].Command, f), unrooted(out[i].Error, f)
		}
	}
	return out
}

func outermostFirst(folders []string) (all []string) {
	for _, f := range folders {
		if f = path.Clean(filepath.ToSlash(f)); f != "." && f != "/" {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return all
}

// inside returns a file relative to the first folder that contains it.
func inside(file string, folders []string) string {
	if !filepath.IsAbs(file) && !path.IsAbs(file) {
		return file
	}
	file = path.Clean(filepath.ToSlash(file))
	for _, f := range folders {
		if rest, ok := strings.CutPrefix(file, f+"/"); ok {
			return rest
		}
	}
	if dir := path.Base(path.Dir(file)); dir != "/" && dir != "." {
		return "…/" + dir + "/" + path.Base(file)
	}
	return file
}

// unrooted makes the paths below a folder in text relative to it.
func unrooted(text, folder string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, folder)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		rest := text[at+len(folder):]
		after, _ := utf8.DecodeRuneInString(rest)
		b.WriteString(text[:at])
		switch name, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, "/")); {
		case at > 0 && (partOfName(before) || before == '/') || rest != "" && partOfName(after):
			b.WriteString(folder) // the middle or the beginning of another path
		case after == '/' && partOfName(name):
			rest = rest[1:]
		default:
			b.WriteString(".")
		}
		text = rest
	}
}

// Weights of what two errors have in common: a specific error class or a name from the code decides
// alone, a file or a generic class is half of that, a word a third.
const (
	alikeEnough = 6
	alikeName   = 6
	alikeFile   = 3
	alikeWord   = 2
)

// alikePatterns match the identifying parts of an error.
type alikePatterns struct {
	file  *regexp.Regexp // with its folder
	class *regexp.Regexp
	code  *regexp.Regexp // error code of a compiler or linter
	name  *regexp.Regexp // identifier in the code

	generic map[string]bool // error classes that say too little
	matcher map[string]bool // names of common test libraries
	failure map[string]bool // words that only say that something failed, or a tool's usual wording
}

var alikeParts = sync.OnceValue(func() alikePatterns {
	return alikePatterns{
		file:  regexp.MustCompile(`[\w.@/\\-]*\w\.[A-Za-z][A-Za-z0-9]{0,4}\b`),
		class: regexp.MustCompile(`\b[A-Z]\w*(?:Error|Exception|Warning)\b`),
		code:  regexp.MustCompile(`\b[A-Z]{1,5}\d{3,5}\b|\bE[A-Z]{4,}\b`),
		name:  regexp.MustCompile(`\b[A-Za-z]\w*_\w+\b|\b[A-Za-z][a-z0-9]+[A-Z]\w*\b`),

		generic: wordSet("AssertionError", "TypeError", "ValueError", "KeyError", "IndexError", "NameError", "AttributeError", "RuntimeError", "SyntaxError", "ReferenceError",
			"RangeError", "OSError", "IOError", "RuntimeException", "IllegalArgumentException", "IllegalStateException", "NullPointerException", "NoMethodError", "ArgumentError", "StandardError"),
		matcher: wordSet("toBe", "toEqual", "toStrictEqual", "toContain", "toThrow", "toHaveBeenCalled", "assertEqual", "assertTrue", "assertFalse", "assert_eq", "node_modules", "exit_code"),
		failure: wordSet("error", "errors", "err", "fail", "fails", "failed", "failure", "failing", "exception", "cannot", "could", "unable", "found", "find", "missing", "undefined", "unknown",
			"invalid", "unexpected", "expected", "received", "expect", "want", "got", "assert", "assertion", "test", "tests", "file", "files", "directory", "folder", "module", "modules", "named",
			"name", "type", "line", "column", "code", "exit", "status", "process", "command", "complete", "successfully", "solve", "argument", "arguments", "value", "object", "resource", "server",
			"such", "does", "doesn", "have", "has", "not", "rule", "make", "target", "access", "denied", "run", "runs", "passed", "bin", "usr", "src", "lib", "main", "app", "build", "python", "node",
			"npm", "cargo", "docker", "kubectl", "git", "pytest", "jest", "eslint", "ruff", "tsc", "panic", "runtime", "traceback", "recent", "call", "last", "string", "number", "int", "function", "method",
			"property", "properties", "read", "reading", "import", "imported", "package", "packages", "stop", "than", "with", "into", "failures", "edited", "until"),
	}
})

// Alike reports whether a text describes an error like fault (Fault): the same class or identifier,
// the same file and more, or several of the same telling words.
func Alike(fault, memoryText string) bool {
	memoryText = strings.ToLower(memoryText)
	p, sum := alikeParts(), 0
	known := map[string]bool{}
	add := func(part string, weight int) {
		part = strings.ToLower(part)
		if !known[part] && Names(memoryText, part) {
			sum += weight
		}
		known[part] = true
	}
	for _, file := range p.file.FindAllString(fault, -1) {
		add(path.Base(strings.ReplaceAll(file, `\`, "/")), alikeFile)
	}
	for _, class := range p.class.FindAllString(fault, -1) {
		weight := alikeName
		if p.generic[class] {
			weight = alikeFile
		}
		add(class, weight)
	}
	for _, name := range slices.Concat(p.code.FindAllString(fault, -1), p.name.FindAllString(fault, -1)) {
		if !p.matcher[name] {
			add(name, alikeName)
		}
	}
	return sum+alikeWord*p.sameWords(p.file.ReplaceAllString(fault, " "), memoryText, known) >= alikeEnough
}

// sameWords counts the different telling words of fault in the text of a memory, without the names and files in
// known, which were compared before.
func (p alikePatterns) sameWords(fault, memoryText string, known map[string]bool) int {
	has := map[string]bool{}
	text.Scan(memoryText, func(t text.Token) { has[t.Text()] = true })
	same := map[string]bool{}
	for _, w := range text.Query(fault) {
		if !w.Joined && !w.Stop && !known[strings.ToLower(w.Written)] && len(w.Written) > 2 && strings.ContainsFunc(w.Written, unicode.IsLetter) && !p.failure[strings.ToLower(w.Written)] && has[w.Word] {
			same[w.Word] = true
		}
	}
	return len(same)
}

// wordSet makes a set, since each word of a text is looked up in lists of a hundred.
func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// Elsewhere reports whether text names files called like place, but all in other folders, so that
// it is not about the file at place. Places use slashes.
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
