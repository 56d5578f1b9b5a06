package capture

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// mostSummary is the maximum length of a session summary, in bytes.
const mostSummary = 16 << 10

const leastSummary = 20 // words

// summarised returns a session summary that an agent wrote before compaction.
func summarised(t Turn) []Proposal {
	s := Summary(t.Text)
	if words(s) < leastSummary {
		return nil
	}
	if len(s) > mostSummary {
		s = strings.ToValidUTF8(s[:mostSummary], "")
		if i := strings.LastIndexByte(s, '\n'); i > mostSummary/2 {
			s = s[:i]
		}
	}
	title := "Session summary"
	if of := subject(s); of != "" {
		title += ": " + of
	}
	return []Proposal{{Type: engram.TypeSessionSummary, Title: headline(title), Content: s, Why: "the agent summarised the session before compaction", Importance: 0.5, At: t.At}}
}

// subject returns the topic of a summary in a few words: the request if a heading introduces it,
// else the first meaningful sentence, or "".
func subject(s string) string {
	asked, first := "", ""
	inIntent := false
	for _, p := range prose(s) {
		for i, sentence := range p {
			head, rest, labelled := strings.Cut(sentence, ":")
			if i == 0 && labelled && words(head) <= mostLabel {
				inIntent = isIntent(head)
				if sentence = strings.TrimSpace(rest); sentence == "" {
					continue // a header of its own
				}
			} else if i == 0 && words(sentence) <= mostLabel && isIntent(sentence) {
				inIntent = true
				continue
			}
			if words(sentence) < leastSubject || aboutItself().MatchString(sentence) {
				continue
			}
			if inIntent && asked == "" {
				asked = sentence
			}
			if first == "" {
				first = sentence
			}
		}
		if asked != "" {
			break
		}
	}
	if asked == "" {
		asked = first
	}
	return headline(askedFor().ReplaceAllString(asked, ""))
}

const (
	mostLabel    = 6 // words of a header before a colon
	leastSubject = 3 // words of a sentence that names a topic
)

func isIntent(head string) bool { return intent().MatchString(strings.TrimSpace(head)) }

// Headings of agents' summaries, in English and Spanish.
var (
	intent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:[0-9]+[.)]\s*)?(?:primary |main |user(?:'s)? |initial )?(?:request|requests|intent|goals?|` +
			`objectives?|task|overview|objetivos?|petici[oó]n|tarea|resumen)(?: (?:and|y) (?:intent|intenci[oó]n|` +
			`goals?))?$`)
	})
	// aboutItself matches remarks about the summary, not the session.
	aboutItself = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:this session is being continued|the (?:conversation|summary|session) (?:is|below|so far)|` +
			`let me|here is|here's|below is|looking at|i(?:'ll| will| need to) (?:analy|go|summar)|analysis\b|` +
			`summary\b|another language model)`)
	})
	// askedFor matches the introduction of a request, which every summary has.
	askedFor = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:the )?user(?:'s)?(?: (?:initially|first|then|explicitly|has|had|primarily))* (?:(?:asked|` +
			`wants|wanted|requested|needs|needed|would like|instructed)(?: (?:me|us|the assistant|claude|` +
			`the agent))?(?: (?:to|for|that(?: (?:we|i))?))?|(?:primary |main )?(?:request|goal|intent) (?:is|` +
			`was)(?: to)?) `)
	})
)

// Summary returns the actual summary in an agent's text. Agents are asked to think first, between <analysis>
// tags or below "Analysis:", and to put the summary between <summary> tags or below "Summary:". If there are
// such marks only the marked summary counts, "" if it is missing; other texts are returned trimmed.
//
// Remove private text before, since it may begin in the analysis and end after it.
func Summary(s string) string {
	s = strings.TrimSpace(s)
	thought := false
	if from := lineWith(s, "<analysis>"); from >= 0 {
		thought = true
		before := s[:from]
		_, after, closed := strings.Cut(s[from:], "</analysis>")
		if !closed { // cut off, or not closed by the model
			after = ""
			if at := lineWith(s[from:], "<summary>"); at >= 0 {
				after = s[from:][at:]
			}
		}
		s = strings.TrimSpace(before + "\n" + after)
	}
	if at := lineWith(s, "<summary>"); at >= 0 {
		s = s[at+len("<summary>"):]
		if end := strings.LastIndex(s, "</summary>"); end >= 0 {
			s = s[:end]
		}
		return unlabelled(s)
	}
	if !thought && startsWith(s, "analysis:") {
		at := lineWith(s, "summary:")
		if at < 0 {
			return ""
		}
		s = s[at:]
	}
	return unlabelled(s)
}

func unlabelled(s string) string {
	s = strings.TrimSpace(s)
	if startsWith(s, "summary:") {
		s = s[len("summary:"):]
	}
	return strings.TrimSpace(s)
}

// lineWith returns where the first line begins that starts with mark, in lower case, after white
// space, or -1. In the middle of a line a mark is just mentioned.
func lineWith(s, mark string) int {
	for at := 0; ; {
		bare := strings.TrimLeft(s[at:], " \t\r\n")
		at = len(s) - len(bare)
		if startsWith(bare, mark) {
			return at
		}
		end := strings.IndexByte(bare, '\n')
		if end < 0 {
			return -1
		}
		at += end
	}
}

// startsWith reports whether a text starts with mark, which is in lower-case ASCII.
func startsWith(s, mark string) bool {
	return len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark)
}
