package wrapped

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// kind is one way of asking.
type kind struct {
	name      string
	natural   bool // made from the questions of the set, not from its documents
	templates []string
	pick      func(c *corpus, i int, chance *rand.Rand) (picked, bool)
}

// picked is what a question is made of.
type picked struct {
	parts   []string // for the places of a template
	group   string
	answers eval.Relevant
}

// The kinds of known items, which `engram eval --own` measures.
const (
	Title     = "title"
	Beginning = "title begun"
	Twelve    = "12 words"
)

// plainly returns the template of a kind that is asked without any wrapping.
func plainly() []string { return []string{"{0}"} }

// kinds lists the ways of asking. In templates {0} is the rarest part.
func kinds() []kind {
	return []kind{
		{Title, false, plainly(), pickTitle},
		{Beginning, false, plainly(), pickBeginning},
		{Twelve, false, plainly(), run(12)},
		{"8 words", false, plainly(), run(8)},
		{"200 bytes", false, plainly(), piece(200)},
		{"1000 bytes", false, plainly(), piece(1_000)},
		{"rare word", false, plainly(), words(0)},
		{"three words", false, []string{"{0} {1} {2}"}, pickThree},
		{"identifier", false, plainly(), named(isIdentifier)},
		{"path", false, plainly(), named(isPath)},
		{"remember", false, []string{
			"do you remember anything about {0}?",
			"what do you know about {0}?",
			"do we have anything on {0}?",
			"have we ever talked about {0}?",
			"is there something stored about {0}?",
			"what was the thing with {0} again?",
			"did I tell you about {0} before?",
			"what do you remember of {0}?",
		}, words(0)},
		{"chatty", false, []string{
			"tell me everything we know about {0} please",
			"I need a quick reminder of the whole story around {0}",
			"could you please give me a short summary of all that has to do with {0}, thank you",
			"sorry to bother you, but I completely forgot what the deal with {0} was",
			"let's start the day with a recap of {0}, as detailed as you can",
			"before we continue, I would like to hear what you have got on {0}",
			"ok so a colleague just mentioned {0} in a meeting and I have no idea what he means",
			"please look into your memory and tell me whatever you find regarding {0}",
		}, words(0)},
		{"chatty two", false, []string{
			"can you quickly look up what we noted on {1} {0}?",
			"please check if something was written down about {1} and {0} some time ago",
			"I remember there was an issue around {1} and {0}, can you find the details?",
			"hi! what did we say about the {1} in {0} the other day?",
			"could you help me find the entry that mentions {0} together with {1}?",
			"remind me please how {1} and {0} are connected",
			"any idea why I would have written about {0} and {1}?",
			"I am looking for that piece where {1} came up next to {0}",
		}, words(1)},
		{"two usual", false, []string{
			"how did we deal with the {1} problem that affected {2} in {0}?",
			"what was the reason why {1} and {2} were changed in {0}?",
			"who worked on {1} when {2} was broken in {0}?",
			"which file should I look at for the {1} of {2} in {0}?",
			"what went wrong with {1} after the {2} update of {0}?",
			"where did we leave off with the {1} and the {2} for {0}?",
			"why does {0} behave differently when {1} and {2} are involved?",
			"is the trouble between {1} and {2} in {0} solved by now?",
		}, words(2)},
		{"three usual", false, []string{
			"how did we deal with the {1} problem that affected {2} and {3} in {0}?",
			"what was the reason why {1}, {2} and {3} were changed in {0}?",
			"who worked on {1} when {2} was broken and {3} failed in {0}?",
			"which file should I look at for the {1} of {2} and {3} in {0}?",
			"what went wrong with {1} and {3} after the {2} update of {0}?",
			"where did we leave off with the {1}, the {2} and the {3} for {0}?",
			"why does {0} behave differently when {1}, {2} and {3} are involved?",
			"is the trouble between {1} and {2} in {0} solved, and what about {3}?",
		}, words(3)},
		{"natural", true, plainly(), pickNatural},
		{"natural in chat", true, []string{
			"hey, quick question: {0} thanks!",
			"hi there, hope you are doing well. {0}",
			"sorry, one more thing before lunch: {0} I would really appreciate your help",
			"ok, next topic. {0} please answer in one or two sentences",
			"I was wondering about something this morning: {0}",
			"my boss keeps asking me this and I can never answer: {0}",
			"{0} (no hurry, just curious)",
			"can you help me out here? {0} take your time and think step by step",
		}, pickNatural},
		{"log line", false, []string{
			"{date}T{clock}.{ms}Z ERROR [pid={pid}] request_id={id} server/handler.go:{line}: {0}",
			"{date} {clock},{ms} - root - WARNING - [{hex}] {0} (worker.py:{line})",
			"[{clock}] pid {pid} tid 0x{hex} FATAL src/main.rs:{line} -- {0}",
			`{"level":"error","ts":"{date}T{clock}Z","caller":"cmd/run.go:{line}","msg":"{0}","trace":"{id}"}`,
			"Nov 12 {clock} host-{pid} daemon[{pid}]: <err> {0} code={line} session={hex}",
			"E{line} {clock}.{ms} {pid} controller.cc:{line}] {0} rid={id} took {ms}ms",
			"{date} {clock}.{ms} [http-nio-8080-exec-7] WARN c.e.s.Service(Service.java:{line}) - {0} traceId={hex}",
			"worker-{pid} | {date} {clock} | level=error req={id} at app.js:{line}:17 {0}",
		}, run(8)},
	}
}

// pickTitle picks the title of a document, if at most mostSame share it.
func pickTitle(c *corpus, i int, _ *rand.Rand) (picked, bool) {
	title := strings.TrimSpace(c.set.Documents[i].Title)
	same := c.titles[plain(title)]
	if len(strings.Fields(title)) < 3 || len(same) > mostSame {
		return picked{}, false
	}
	return c.picked(i, same, title)
}

// begun is the number of words of a title begun.
const begun = 5

// pickBeginning picks the first words of a longer title, in lower case.
func pickBeginning(c *corpus, i int, _ *rand.Rand) (picked, bool) {
	start := beginning(c.set.Documents[i].Title)
	same := c.beginnings[start]
	if start == "" || len(same) > mostSame {
		return picked{}, false
	}
	return c.picked(i, same, start)
}

// run picks n words in a row out of the middle of a text.
func run(n int) func(*corpus, int, *rand.Rand) (picked, bool) {
	return func(c *corpus, i int, chance *rand.Rand) (picked, bool) {
		fields := strings.Fields(c.set.Documents[i].Text)
		const around = 2 // words that must stand before and after it
		if len(fields) < n+2*around {
			return picked{}, false
		}
		start := around + chance.IntN(len(fields)-n-2*around+1)
		words := strings.Join(fields[start:start+n], " ")
		return c.picked(i, c.containing(words), words)
	}
}

// piece picks about n bytes out of a text at least a fifth longer, cut between words.
func piece(n int) func(*corpus, int, *rand.Rand) (picked, bool) {
	return func(c *corpus, i int, chance *rand.Rand) (picked, bool) {
		text := c.set.Documents[i].Text
		if len(text) < n+n/5 {
			return picked{}, false
		}
		start := chance.IntN(len(text) - n + 1)
		for start > 0 && text[start-1] != ' ' && text[start-1] != '\n' {
			start--
		}
		end := start + n
		for end > start && end < len(text) && text[end] != ' ' && text[end] != '\n' {
			end--
		}
		cut := strings.TrimSpace(text[start:min(end, len(text))])
		if len(cut) < n/2 || !utf8.ValidString(cut) {
			return picked{}, false
		}
		return c.picked(i, c.containing(cut), cut)
	}
}

// words picks a rare word of a document and usual ones.
func words(usual int) func(*corpus, int, *rand.Rand) (picked, bool) {
	return func(c *corpus, i int, chance *rand.Rand) (picked, bool) {
		return c.pickWords(i, chance, pool{1, c.rare}, pool{usual, c.usual})
	}
}

// pickThree picks three words that few documents have.
func pickThree(c *corpus, i int, chance *rand.Rand) (picked, bool) {
	return c.pickWords(i, chance, pool{3, c.uncommon})
}

// pool is a number of words of which test is true, by how many documents have them.
type pool struct {
	n    int
	test func(documents int) bool
}

// pickWords picks words of a document by chance from each pool. Documents that have all of them are answers.
func (c *corpus) pickWords(i int, chance *rand.Rand, pools ...pool) (picked, bool) {
	candidates := c.words(i)
	var parts []string
	for _, p := range pools {
		var fit []string
		for _, w := range candidates {
			if p.test(len(c.having[w.stem])) && !slices.Contains(parts, w.written) {
				fit = append(fit, w.written)
			}
		}
		if len(fit) < p.n {
			return picked{}, false
		}
		chance.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
		parts = append(parts, fit[:p.n]...)
	}
	return c.picked(i, c.havingAll(parts), parts...)
}

// named picks a name in a text, of which is is true and which at most mostSame documents have.
func named(is func(string) bool) func(*corpus, int, *rand.Rand) (picked, bool) {
	return func(c *corpus, i int, chance *rand.Rand) (picked, bool) {
		var fit []string
		for _, n := range names(c.set.Documents[i].Text) {
			if is(n) && len(c.named[n]) <= mostSame && !slices.Contains(fit, n) {
				fit = append(fit, n)
			}
		}
		if len(fit) == 0 {
			return picked{}, false
		}
		n := fit[chance.IntN(len(fit))]
		return c.picked(i, c.named[n], n)
	}
}

// pickNatural picks a question of the set.
func pickNatural(c *corpus, i int, _ *rand.Rand) (picked, bool) {
	q := c.set.Questions[i]
	return picked{[]string{q.Text}, q.Group, c.set.Relevant[q.ID]}, true
}

// picked makes a question about document i, which documents answers.
func (c *corpus) picked(i int, documents []int, parts ...string) (picked, bool) {
	answers := eval.Relevant{}
	for _, d := range documents {
		answers[c.set.Documents[d].ID] = true
	}
	return picked{parts, c.set.Documents[i].Group, answers}, answers[c.set.Documents[i].ID]
}
