package grammar

import "strings"

// sign is the set of grammatical categories of a word, one bit each.
type sign uint64

// The signs, with examples.
const (
	setAside   sign = 1 << iota // ignore, disregard
	prior                       // previous, above
	every                       // all, any
	your                        // your
	told                        // instructions, prompt
	ruled                       // rules, context
	you                         // you, yourself
	agent                       // assistant, model, AI
	person                      // user, human, developer
	not                         // not, never, without
	report                      // tell, inform, mention
	hide                        // hide, conceal, keep
	this                        // this, it
	run                         // run, execute, call
	get                         // fetch, download, visit
	send                        // send, upload, post
	read1                       // read, open, cat
	put                         // include, append, insert
	always                      // always, every, whenever
	before                      // before, at the start of
	session                     // session, conversation, answering
	first                       // first
	obey                        // follow, obey
	secretFile                  // a path of a file with secrets
	addressed                   // an address on another machine
	nearby                      // an address on this machine
	ask                         // asking, confirmation, permission
	asked                       // asks, says, mentions
	advise                      // recommend, suggest, answer
	now                         // now
	unbound                     // unrestricted, jailbroken, DAN
	know                        // know, notice, see
	must                        // must, should, will
	aside                       // excludes an imperative: we, they, it, the
	reported                    // attack, injection, filter
	action                      // command, action, tool
	spill                       // reveal, print, repeat
	system                      // system
	made                        // new, updated, real
	when                        // when, if
	answer                      // response, reply, output
	alter                       // delete, push, merge
)

// Spoken separates the words of topic keys, tags and field names: "never-tell-the-user". The
// result has the length of text. Prose, addresses and single words are unchanged.
func Spoken(text string) string {
	if !joined(text) {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		switch c {
		case '-', '_':
			b[i] = ' '
		case '/':
			b[i] = ':' // a sentence begins after the folder
		}
	}
	return string(b)
}

// joined reports words that are joined by signs. An address has a colon after its scheme.
func joined(text string) bool {
	signs := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '-' || c == '_' || c == '/':
			signs++
		case c <= ' ' || c == ':':
			return false
		}
	}
	return signs >= 2 && !strings.HasPrefix(text, "-")
}
