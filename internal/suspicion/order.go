package suspicion

// sentence is one sentence as the rules of words look at it.
type sentence struct {
	text   string
	tokens []token
	has    sign // of all its tokens
	attack bool // it is about attacks, or the next one is: what was quoted is often named behind it
}

// orders finds what is said to the agent past the person, sentence by sentence.
func orders(t sentences, found *findings) {
	for i := range t.begins {
		s := t.of(i)
		for _, r := range wordRules {
			if s.has&r.needs != r.needs {
				continue
			}
			if from, to, ok := r.find(s); ok && !s.cited(from) {
				found.add(r.code, r.why, s.tokens[from].from, s.tokens[to].to)
			}
		}
	}
}

// wordRule finds one kind of order in a sentence.
type wordRule struct {
	code  Code
	why   string
	needs sign                                     // what a sentence must have before find looks at it
	find  func(s sentence) (from, to int, ok bool) // the tokens that it is said with
}

var wordRules = []wordRule{
	{Override, "overrides the agent's earlier instructions", setAside, sentence.override},
	{Override, "asks to ignore the agent's instructions", not | obey, sentence.disobeyed},
	{Override, "assigns the agent another role", you | now, sentence.persona},
	{Override, "gives the agent new instructions", your | made, sentence.replaced},
	{Secrecy, "asks not to tell the user", not | report, sentence.untold},
	{Secrecy, "asks to keep it from the user", not | know | person, sentence.unknown},
	{Secrecy, "asks to hide something from the user", hide | person, sentence.hiding},
	{Bypass, "asks to act without asking the user", not | ask, sentence.unasked},
	{Order, "a standing order runs or fetches what is on another machine", addressed, sentence.standing},
	{Planted, "asks to distort answers to the user", advise, sentence.bent},
	{Planted, "asks to insert something into the agent's answers", put | answer, sentence.seeded},
	{Exfil, "secrets, files or the conversation are to be sent to an address", addressed, sentence.sent},
	{Exfil, "a file of secrets is to be read and passed on", secretFile | read1, sentence.passed},
	{Exfil, "asks the agent to reveal its instructions", spill | your, sentence.spilled},
}

// next is the first token behind i, with at most gap between, that has one of these signs; -1
// when none has.
func (s sentence) next(i int, want sign, gap int) int {
	for j := i + 1; j < len(s.tokens) && j <= i+1+gap; j++ {
		if s.tokens[j].is&want != 0 {
			return j
		}
	}
	return -1
}

// prev is next backwards.
func (s sentence) prev(i int, want sign, gap int) int {
	for j := i - 1; j >= 0 && j >= i-1-gap; j-- {
		if s.tokens[j].is&want != 0 {
			return j
		}
	}
	return -1
}

// each calls f for the tokens that have one of these signs until it says true.
func (s sentence) each(want sign, f func(i int) (from, to int, ok bool)) (from, to int, ok bool) {
	for i, t := range s.tokens {
		if t.is&want == 0 {
			continue
		}
		if from, to, ok = f(i); ok {
			return from, to, true
		}
	}
	return 0, 0, false
}

// commands reports a verb that tells somebody to do it: it opens a sentence or a part of one,
// or stands behind a word such as must, please or then.
func (s sentence) commands(i int) bool {
	if i > 0 && s.tokens[i-1].is&aside != 0 && s.tokens[i-1].is&must == 0 && !s.tokens[i].opens {
		// "remember to run", "make sure to run", but not "is used to run".
		return s.word(i-1) == "to" && i > 1 && s.tokens[i-2].is&must != 0
	}
	return !s.negated(i) && (i == 0 || s.tokens[i].opens || s.tokens[i-1].is&(must|session) != 0)
}

// negated reports a verb that says what not to do. "Do not hesitate to run" is none.
func (s sentence) negated(i int) bool {
	if s.tokens[i].opens {
		return false
	}
	j := s.prev(i, not, 0)
	return j >= 0
}

// together reports that no comma, colon or quote mark stands between two tokens.
func (s sentence) together(i, j int) bool {
	for _, t := range s.tokens[i+1 : j+1] {
		if t.opens {
			return false
		}
	}
	return true
}

// word is the word as it stands there, in lower case.
func (s sentence) word(i int) string { return lowered(s.text[s.tokens[i].from:s.tokens[i].to]) }

// last reports that nothing of the same part of the sentence follows.
func (s sentence) last(i int) bool {
	return i == len(s.tokens)-1 || s.tokens[i+1].opens || s.word(i+1) == "and"
}

// cited reports words between quote marks in a sentence about attacks: a test of a filter, a
// note on how one was tried.
func (s sentence) cited(i int) bool {
	if !s.attack {
		return false
	}
	open := false
	for _, c := range s.text[s.tokens[0].from:s.tokens[i].from] {
		switch c {
		case '"', '`', '\'':
			open = !open
		case '“', '«', '‘':
			open = true
		case '”', '»', '’':
			open = false
		}
	}
	return open
}
