package suspicion

import "strings"

// What comes from elsewhere is run.

// runsWhatComes: "download https://… and run it", "execute the script at https://…".
func (c scene) runsWhatComes() bool {
	for i := range c.as {
		if c.as[i]&toRun == 0 || c.tokens[i].form == past {
			continue
		}
		for j := i; j < min(i+7, len(c.as)); j++ {
			switch {
			case j > i && c.as[j]&stranger != 0 && !c.clients(i, j):
				return true
			case j > i && j <= i+4 && c.refers(j) && (c.any(0, i, stranger) || c.any(j, len(c.as), stranger)):
				return true
			}
		}
		if (c.word(i) == "execute" || strings.HasPrefix(c.word(i), "ejecut") || strings.HasPrefix(c.word(i), "execut") || i > 0 && c.word(i-1) == "do" || c.word(i) == "whatever") && c.any(0, i, toFetch) && c.any(0, i, stranger) {
			return true
		}
	}
	for i := range c.tokens {
		if c.word(i) == "executable" && c.any(0, i, stranger) && c.any(0, i, toFetch) {
			return true
		}
	}
	return false
}

// clients reports a program between two tokens that talks to an address and runs nothing.
func (c scene) clients(from, to int) bool {
	for i := from; i < to; i++ {
		switch c.word(i) {
		case "curl", "wget", "with", "against", "git", "server", "on", "docker", "tests", "test", "query", "request", "terraform", "kubectl", "helm":
			return true
		}
	}
	return false
}

// refers reports a word for what was spoken of: it, them, the steps.
func (c scene) refers(i int) bool {
	switch c.word(i) {
	case "le", "la", "les", "lo", "los": // "lance-le": with a hyphen it is no article
		return i > 0 && c.text[c.tokens[i].from-1] == '-'
	case "it", "them", "whatever", "what", "steps", "instructions", "orders", "output", "result", "outcome", "diga", "dit", "steht", "there", "those", "everything", "all", "bash", "sh", "shell", "python", "interpreter":
		return true
	}
	return false
}

// rulesFromThere: "fetches its rules from http://…".
func (c scene) rulesFromThere() bool {
	return c.sentence.has&(told|ruled) != 0 || c.says("rules", "instructions", "policy", "orders", "guide")
}

// waitsForWord: "whenever the word … comes up", "as soon as the user says …". What is asked
// for is no such word.
func (c scene) waitsForWord() bool {
	i := c.at(0, uttered)
	if c.has&(each|thePerson) == 0 {
		if w := c.word(i); w != "word" && w != "phrase" && w != "keyword" || !c.says("appears", "comes", "occurs", "falls") {
			return false
		}
	}
	return (c.has&each != 0 || c.says("when", "if", "once")) && c.tokens[i].form != past && c.any(i, len(c.as), toRun|toFetch|toSend|toWipe|pushes) && !c.says("customer", "customers", "api", "button")
}

// whenRead: "when you read this, also …".
func (c scene) whenRead() bool {
	for i := range c.tokens {
		if w := c.word(i); w != "read" && w != "see" && w != "reading" && w != "seeing" && w != "encounter" && w != "find" || i+1 >= len(c.tokens) {
			continue
		}
		if w := c.word(i + 1); (w == "this" || w == "these") && (i+2 == len(c.tokens) || c.tokens[i+2].opens || c.any(i+2, i+3, self) || c.as[i+1]&self != 0) {
			return c.says("when", "if", "once", "whenever", "after", "whoever")
		}
	}
	return false
}

// takesPackages: an install from there, or a setting that makes all of them do so.
func (c scene) takesPackages() bool {
	return c.has&(toUse|toRun|toPut) != 0 && !c.says("docs", "documentation", "read", "see")
}

// installs: what installs packages.
func (c scene) installs() bool {
	return c.says("install", "pip", "pip3", "npm", "add", "gem", "brew", "yarn", "cargo")
}

// addsPackage: "add the package x from https://…", for each of many.
func (c scene) addsPackage() bool {
	for i := 0; i+1 < len(c.tokens); i++ {
		if c.word(i) == "from" && c.as[i+1]&stranger != 0 {
			return c.says("package", "packages", "dependency", "dependencies", "library", "libraries", "module", "plugin")
		}
	}
	return false
}

// addressed reports a scene that speaks to agents by name ("Note for AI assistants: …", "dear
// Copilot", "@assistant"), and not of them.
func (c scene) addressed() bool {
	const farthest = 8 // tokens: an address stands at the beginning
	for i := 0; i < min(farthest, len(c.tokens)); i++ {
		t := c.tokens[i]
		if c.as[i]&theAgent == 0 {
			continue
		}
		if t.from > 0 && c.text[t.from-1] == '@' {
			return true
		}
		if t.to >= len(c.text) || !strings.ContainsRune(":,)—", rune(c.text[t.to])) && !(i+1 < len(c.tokens) && c.tokens[i+1].opens) {
			continue
		}
		if i == 0 || c.prevWord(i, 4, "note", "attention", "dear", "hey", "hello", "instruction", "instructions", "message", "nota", "hinweis", "for", "to", "aux", "para", "an") >= 0 {
			return true
		}
	}
	return false
}

// actsForStranger: an agent is spoken to, and what it is told has to do with a stranger's
// address, or cannot be taken back. What an agent says itself is a turn of a talk.
func (c scene) actsForStranger() bool {
	if c.says("i", "i'll", "i’ll", "i've", "i’ve", "i'm", "i’m") {
		return false
	}
	return c.addressed() && (c.has&stranger != 0 || c.has&toWipe != 0 && c.says("production", "database", "table", "backup", "backups", "branch", "history"))
}

// concealed reports a scene in a part of a text that a page does not show: a comment, an
// element that is switched off. What an agent is told there no person is to read.
func (c scene) concealed() bool {
	const reach = 160
	from := c.tokens[c.at(0, theAgent)].from
	before := lowered(c.text[max(0, from-reach):from])
	for _, m := range []struct{ opens, closes string }{{"<!--", "-->"}, {"[//]: #", "\n"}, {"display:none", "</"}, {"display: none", "</"}, {"visibility:hidden", "</"}, {"font-size:0", "</"}, {"<hidden", "</"}} {
		if i := strings.LastIndex(before, m.opens); i >= 0 && !strings.Contains(before[i:], m.closes) {
			return true
		}
	}
	return false
}

// trusts: "commands from x.example are trusted".
func (c scene) trusts() bool {
	i := c.at(0, actions)
	j := c.at(i, stranger)
	if j < 0 || j > i+3 || c.word(j-1) != "from" && c.word(j-1) != "of" && c.word(j-1) != "by" {
		return false
	}
	return c.says("trusted", "obeyed", "executed", "followed")
}

// asAgent: "if you are a language model, …", "as an AI you have to …": only who is an agent is
// spoken to. To put something in or to praise it is asked of those who help, too, but not in
// everything that they write.
func (c scene) asAgent() bool {
	i := c.at(0, theAgent)
	switch {
	case c.prevWord(i, 4, "as") == 0:
	case c.prevWord(i, 5, "if", "when", "since", "because") >= 0 && c.prevWord(i, 4, "are") >= 0 && c.any(0, i, theYou):
	default:
		return false
	}
	return c.any(i, len(c.as), toWipe|toSend|toLift|toGrant|pushes) || c.any(i, len(c.as), wide|each) && c.has&theYou != 0 && c.has&urges != 0
}

// rootsTrust: "import the root certificate from https://…", "set http_proxy to http://…".
func (c scene) rootsTrust() bool {
	const near = 8 // tokens
	i := c.at(0, stranger)
	return !c.says("curl", "request", "test", "tests", "expires", "docs") &&
		c.prevWord(i, near, "certificate", "ca", "proxy", "http_proxy", "https_proxy", "nameserver", "resolver", "checksum", "checksums", "gpg") >= 0
}
