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
