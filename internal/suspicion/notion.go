package suspicion

import (
	"strings"
	"sync"
)

// notion is what a word is about, for the kinds of order of kind.go: a set of bits. Where a
// sign says how a word stands in a grammar of known orders, a notion says only what is spoken
// of, so that a kind finds it in any order of words.
type notion uint64

// What is done.
const (
	toRun   notion = 1 << iota // run, execute, start
	toFetch                    // download, open, read from
	toSend                     // upload, post, mail, share
	toPut                      // add, append, paste, copy
	toShow                     // print, reveal
	toLift                     // turn off, disable, remove
	toGrant                    // grant, make, invite
	toWipe                     // delete, wipe
	toTell                     // tell, mention, inform
	toAsk                      // ask, confirm
	toClaim                    // say, claim, pretend
	toSteer                    // recommend, rate, review
	toUse                      // install, set, use, replace
	toTreat                    // treat, regard
	toObey                     // follow, obey
	toOmit                     // leave out, omit
	pushes                     // push, merge, deploy, commit: acts that others see

	// What it is done to.
	aKey    // a secret in the singular
	keys    // secrets, or what holds them
	environ // environment
	vars    // variables
	talks   // transcript, conversation
	works   // repository, workspace
	guards  // what protects: firewall, approval, signature check
	bounds  // what an agent is held to: restrictions, its rules file, its system prompt
	setting // what an agent's own settings are called
	summary // summary, report
	traces  // shell history
	feed    // registry, index of packages
	actions // commands, deletions, everything that is done
	admin   // administrator, owner
	group   // organisation, whole project
	public  // public

	// Where.
	outside  // an address on another machine
	stranger // one that is none of the makers' of known tools
	bare     // one without a name or without encryption
	shared   // where others read: a commit message, an issue, a folder public/
	fleeting // a folder that anybody writes to: /tmp

	// Who.
	theAgent
	theYou
	thePerson
	anyone // anybody: who is none in particular
	self   // this note, this memory

	// How it is said.
	each     // whenever, every time
	wide     // all, any, full
	negates  // not, never, no
	lacks    // without
	urges    // must, has to
	limits   // only, locally, until
	reports  // attacker, malware: what the text is about
	voids    // lifted, suspended, "no longer apply"
	outranks // precedence, priority
	free     // freely, unrestricted
	consents // permission, authorised
	best     // positive, badly, "any other"
	uttered  // says, types, "comes up"
	wants    // wants to know, asks
	even     // even when, regardless
	green    // passed, green
	session1 // session, startup, task
	silent   // silently, in the background

	apart // off, out, env: what means something with another word, or by how it is written

	// Not of a word but of how it is used: a verb in the negative.
	untold
	unconfirmed
)

// acts are the notions of verbs: they count only where a verb is an order, or says what an
// agent does.
const acts = toRun | toFetch | toSend | toPut | toShow | toLift | toGrant | toWipe | toTell | toAsk | toClaim | toSteer | toUse | toTreat | toObey | toOmit | pushes

// form is how an English verb stands there; of other languages all forms are plain.
type form uint8

const (
	noVerb form = iota
	plain
	third // runs
	past  // ran
	doing // running

	forms = iota // how many there are
)

// entry is what the rule knows of a word.
type entry struct {
	is    sign
	means notion
	form  form
	heads bool // with the word behind it, it may be one of those that mean something together
}

// entries has every word in the spelling of wordAt. Built at the first use: a program that
// judges no text does not pay for it.
var entries = sync.OnceValue(func() map[string]entry {
	m := make(map[string]entry, 3000) // they are some 2,300, and room for twice as many costs each hook a tenth of a millisecond
	for _, g := range vocabulary() {
		for word := range strings.FieldsSeq(g.words) {
			note(m, word, func(e *entry) { e.is |= g.is })
		}
	}
	for _, g := range verbs() {
		for word := range strings.FieldsSeq(g.words) {
			for f, spellings := range inflected(word) {
				for _, w := range spellings {
					note(m, w, func(e *entry) {
						e.means |= g.means
						if e.form == noVerb || form(f) == plain {
							e.form = form(f)
						}
					})
				}
			}
		}
	}
	for _, g := range notions() {
		for word := range strings.FieldsSeq(g.words) {
			note(m, strings.ReplaceAll(word, "~", " "), func(e *entry) {
				e.means |= g.means
				if g.means&acts != 0 && e.form == noVerb {
					e.form = plain
				}
			})
		}
	}
	return m
})

// note changes the entry of a word, or of two words with a space between them.
func note(m map[string]entry, phrase string, change func(*entry)) {
	var key [2*maxWord + 1]byte
	n := 0
	for word := range strings.FieldsSeq(phrase) {
		if n > 0 {
			key[n] = ' '
			n++
			head := string(key[:n-1])
			e := m[head]
			e.heads = true
			m[head] = e
		}
		_, w := wordAt(word, 0, key[n:n+maxWord])
		n += w
	}
	e := m[string(key[:n])]
	change(&e)
	m[string(key[:n])] = e
}

// inflected gives the spellings of an English verb by their forms; "send/sent" names a past of
// its own.
func inflected(verb string) [forms][]string {
	base, was, own := strings.Cut(verb, "/")
	stem := strings.TrimSuffix(base, "e")
	last := base[len(base)-1:]
	all := [forms][]string{plain: {base}, third: {base + "s"}, doing: {stem + "ing"}, past: {stem + "ed"}}
	switch {
	case strings.HasSuffix(base, "y") && !strings.HasSuffix(base, "ay") && !strings.HasSuffix(base, "oy"):
		all[third], all[past], all[doing] = []string{base[:len(base)-1] + "ies"}, []string{base[:len(base)-1] + "ied"}, []string{base + "ing"}
	case strings.HasSuffix(base, "ss"), strings.HasSuffix(base, "sh"), strings.HasSuffix(base, "ch"):
		all[third] = []string{base + "es"}
	case strings.Contains("ptmbgnd", last):
		all[doing] = append(all[doing], base+last+"ing")
		all[past] = append(all[past], base+last+"ed")
	}
	if own {
		all[past] = []string{was}
	}
	return all
}
