package grammar

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// runsWhatComes finds "download https://… and run it" and "execute the script at https://…".
func (c scene) runsWhatComes() bool {
	for i := range c.as {
		if c.as[i]&toRun == 0 || c.tokens[i].form == past {
			continue
		}
		named := c.any(0, i, stranger)
		for j := i + 1; j < min(i+7, len(c.as)); j++ {
			if c.as[j]&stranger != 0 && !c.clients(i, j) || j <= i+4 && c.refers(j) && (named || c.any(j, len(c.as), stranger)) {
				return true
			}
		}
		w := c.word(i)
		if named && c.any(0, i, toFetch) && (w == "whatever" || strings.HasPrefix(w, "ejecut") || strings.HasPrefix(w, "execut") || c.reads(i-1, "do")) {
			return true
		}
	}
	return false
}

// clients reports a program between two tokens that connects to an address and runs nothing.
func (c scene) clients(from, to int) bool {
	for i := from; i < to; i++ {
		if finding.OneOf(c.word(i), "curl", "wget", "with", "against", "git", "server", "on", "docker", "tests", "test", "query", "request", "terraform", "kubectl", "helm") {
			return true
		}
	}
	return false
}

// refers reports a word for something mentioned before: it, them, the steps.
func (c scene) refers(i int) bool {
	if finding.OneOf(c.word(i), "le", "la", "les", "lo", "los") { // articles, except in "lance-le"
		return c.text[c.tokens[i].from-1] == '-'
	}
	return finding.OneOf(c.word(i), "it", "them", "whatever", "what", "steps", "instructions", "orders", "output", "result", "outcome", "diga", "dit", "steht", "there", "those", "everything", "all",
		"bash", "sh", "shell", "python", "interpreter")
}

// rulesFromThere finds "fetches its rules from http://…".
func (c scene) rulesFromThere() bool {
	return c.sentence.has&(told|ruled) != 0 || c.says("rules", "instructions", "policy", "orders", "guide")
}

// waitsForWord finds "whenever the word … comes up" and "as soon as the user says …".
func (c scene) waitsForWord() bool {
	i := c.at(0, uttered)
	if c.has&(each|thePerson) == 0 && !(c.reads(i, "word phrase keyword") && c.says("appears", "comes", "occurs", "falls")) {
		return false
	}
	return (c.has&each != 0 || c.says("when", "if", "once")) && c.tokens[i].form != past && c.any(i, len(c.as), toRun|toFetch|toSend|toWipe|pushes) &&
		!c.says("customer", "customers", "api", "button")
}

// whenRead finds "when you read this, also …".
func (c scene) whenRead() bool {
	i := c.phrase("read see reading seeing encounter find", "this these")
	return i >= 0 && (i+2 == len(c.tokens) || c.tokens[i+2].opens || c.any(i+1, i+3, self)) && c.says("when", "if", "once", "whenever", "after", "whoever")
}

// takesPackages reports an installation from an address, or a setting that makes it the default.
func (c scene) takesPackages() bool {
	return c.has&(toUse|toRun|toPut) != 0 && !c.says("docs", "documentation", "read", "see")
}

// installs reports a package manager.
func (c scene) installs() bool {
	return c.says("install", "pip", "pip3", "npm", "add", "gem", "brew", "yarn", "cargo")
}

// addsPackage finds "add the package x from https://…".
func (c scene) addsPackage() bool {
	for i := range c.tokens {
		if c.reads(i, "from") && c.any(i+1, i+2, stranger) {
			return c.says("package", "packages", "dependency", "dependencies", "library", "libraries", "module", "plugin")
		}
	}
	return false
}

// addressed reports a text to agents ("Note for AI assistants: …", "@assistant"), as opposed to one about them.
func (c scene) addressed() bool {
	const farthest = 8 // tokens
	for i, t := range c.tokens[:min(farthest, len(c.tokens))] {
		if c.as[i]&theAgent == 0 {
			continue
		}
		if t.from > 0 && c.text[t.from-1] == '@' {
			return true
		}
		if int(t.to) >= len(c.text) || !strings.ContainsRune(":,)—", rune(c.text[t.to])) && !(i+1 < len(c.tokens) && c.tokens[i+1].opens) {
			continue
		}
		if i == 0 || c.prevWord(i, 4, "note", "attention", "dear", "hey", "hello", "instruction", "instructions", "message", "nota", "hinweis", "for", "to", "aux", "para", "an") >= 0 {
			return true
		}
	}
	return false
}

// actsForStranger reports an instruction to an agent that involves an unknown address or a loss
// of data. In the first person it is a turn of a conversation.
func (c scene) actsForStranger() bool {
	if c.says("i", "i'll", "i’ll", "i've", "i’ve", "i'm", "i’m") {
		return false
	}
	return c.addressed() && (c.has&stranger != 0 || c.has&toWipe != 0 && c.says("production", "database", "table", "backup", "backups", "branch", "history"))
}

// concealed reports text that a page does not show: in a comment or a hidden element.
func (c scene) concealed() bool {
	const reach = 160
	from := c.tokens[c.at(0, theAgent)].from
	before := finding.Lowered(c.text[max(0, from-reach):from])
	for _, m := range []struct{ opens, closes string }{{"<!--", "-->"}, {"[//]: #", "\n"}, {"display:none", "</"}, {"display: none", "</"}, {"visibility:hidden", "</"}, {"font-size:0", "</"}, {"<hidden", "</"}} {
		if i := strings.LastIndex(before, m.opens); i >= 0 && !strings.Contains(before[i:], m.closes) {
			return true
		}
	}
	return false
}

// trusts finds "commands from x.example are trusted".
func (c scene) trusts() bool {
	i := c.at(0, actions)
	j := c.at(i, stranger)
	return j >= 0 && j <= i+3 && c.reads(j-1, "from of by") && c.says("trusted", "obeyed", "executed", "followed")
}

// asAgent finds "if you are a language model, …" and "as an AI you have to …". Contributors are
// asked to add or praise something, too, but not in everything they write.
func (c scene) asAgent() bool {
	i := c.at(0, theAgent)
	if c.prevWord(i, 4, "as") != 0 && !(c.prevWord(i, 5, "if", "when", "since", "because") >= 0 && c.prevWord(i, 4, "are") >= 0 && c.any(0, i, theYou)) {
		return false
	}
	return c.any(i, len(c.as), toWipe|toSend|toLift|toGrant|pushes) || c.any(i, len(c.as), wide|each) && c.has&theYou != 0 && c.has&urges != 0
}

// rootsTrust finds "import the root certificate from https://…" and "set http_proxy to http://…".
func (c scene) rootsTrust() bool {
	const near = 8 // tokens
	return !c.says("curl", "request", "test", "tests", "expires", "docs") &&
		c.prevWord(c.at(0, stranger), near, "certificate", "ca", "proxy", "http_proxy", "https_proxy", "nameserver", "resolver", "checksum", "checksums", "gpg") >= 0
}
