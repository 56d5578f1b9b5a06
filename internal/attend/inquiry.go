package attend

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram/internal/text"
)

// inquiries are the shapes by which a prompt that is nothing but a question is known.
type inquiries struct {
	lead, order, open, sentence, ours, known *regexp.Regexp
}

var asking = sync.OnceValue(func() inquiries {
	return inquiries{
		// What stands before a question and is none of its words.
		lead: regexp.MustCompile(`(?i)^((hi|hey|hello|ok|okay|so|and|but|please|sorry|wait|quick question|one more question)\b[\s,.!:-]*|` +
			`((can|could|would) you (please )?(tell|remind) (me|us)|(please )?remind (me|us)|do you (know|remember)|(any|no) idea|i wonder|i('m| am) wondering)\b[\s,:]*(again\b[\s,]*|about\b\s*)?)+`),
		// A request that is put as a question, and one about what the agent itself does.
		order: regexp.MustCompile(`(?i)\b(you|your|yours|you're|you've|please|shall i|let's|lets|puedes|podrías|kannst du|könntest|peux-tu|pourrais)\b`),
		open: regexp.MustCompile(`(?i)^(how|what|what's|whats|which|where|where's|when|who|who's|whose|why|is|are|was|were|do|does|did|has|have|must|should|may|can|could|` +
			`cómo|qué|cuál|dónde|cuándo|quién|wie|was|welche[rsn]?|wo|wann|wer|warum|comment|quel(le)?s?|où|quand|pourquoi|como|qual|onde|quando)\b`),
		sentence: regexp.MustCompile(`[.!?;:]\s|[。！？\n]`),
		ours:     regexp.MustCompile(`(?i)\b(we|our|ours|us|we're|we've|here|this (project|repo|repository|codebase)|wir|unsere?[mnrs]?|nous|notre|nos|nuestr[oa]s?|noss[oa]s?)\b`),
		known:    regexp.MustCompile(`(?i)\b(the|der|die|das|dem|den|el|la|los|las|le|les)\b`),
	}
})

// Inquiry is a prompt that is nothing but one question.
type Inquiry struct {
	Words map[string]bool // that say what it is about, as the index has them
	Ours  bool            // it says that it is about what is done here ("we", "our")
	Known bool            // it says that, or speaks of what both know ("the logs"), and not of what anything is
}

// AsksOne reports whether a prompt, as Question gives it, is nothing but one question: a
// single sentence that asks, neither an order in the shape of a question nor about what the
// agent does. Of such a prompt a memory can be weighed by how much of it the memory
// covers; of any other that says little, for it says much besides.
func AsksOne(question string) (Inquiry, bool) {
	p := asking()
	asked := strings.TrimSpace(question)
	asked = asked[len(p.lead.FindString(asked)):]
	body := strings.TrimRight(asked, " ?？؟!.")
	marked := strings.ContainsAny(asked[len(body):], "?？؟")
	open := p.open.MatchString(body)
	if body == "" || p.order.MatchString(body) || p.sentence.MatchString(body) || !marked && !open {
		return Inquiry{}, false
	}
	in := Inquiry{Words: Meant(body), Ours: p.ours.MatchString(body)}
	in.Known = in.Ours || p.known.MatchString(body)
	return in, len(in.Words) >= questionLeast || open && len(in.Words) > 0
}

// Meant are the words of a question that say what it is about, as the index has them.
func Meant(question string) map[string]bool {
	words := map[string]bool{}
	for _, w := range text.Query(question) {
		if !w.Joined && !w.Stop && !Moves(w.Written) {
			words[w.Word] = true
		}
	}
	return words
}
