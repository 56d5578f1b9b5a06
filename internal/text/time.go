package text

import (
	"slices"
	"time"
)

// TimePhrase is a part of a question that names a time: "last week", "in March 2025".
type TimePhrase struct {
	Start, End int // bytes in the question, End exclusive

	// From and To bound the time, To exclusive, in the time zone of the given now. A zero From
	// ("before May") or To ("since May") is no bound.
	From, To time.Time
	// Exact means that a year was named ("in May 2023", "2024-03-05"), so nothing was guessed.
	Exact bool
	// Soft means that the phrase hardly narrows the time ("recently"): more may be meant.
	Soft bool
}

// Limits of a question. People ask in twenty words and mention one time; a pasted log is full of
// times but asks for none of them.
const (
	maxTimeWords   = maxTerms
	maxTimePhrases = 4
)

// Times finds the time expressions of a question, in order, without overlap. It reads English, and
// the commonest expressions of Spanish, German, Italian and Portuguese. Nil if it finds none, or
// too many to be meant.
//
// It prefers to miss a time over a false one, since search results shift towards the time. So "may"
// is a month only if it cannot be a verb, words that touch code (last_week, yesterday.log) do not
// count, and times entirely in the future, where no memory is, are left out.
//
// Days begin at midnight in the time zone of now, weeks on Monday, and seasons are northern. A
// month or day without a year is the latest that has begun; a weekday is the latest before today.
// The work is linear in the first hundred words; the rest is ignored.
func Times(question string, now time.Time) []TimePhrase {
	s := timeScan{text: question, words: timeWordsOf(question), calendar: calendar{now: now}}
	s.calendar.today = s.calendar.midnight(now)
	var all []TimePhrase
	for i := 0; i < len(s.words); {
		p, n := s.phrase(i)
		if n == 0 {
			i++
			continue
		}
		i += n
		if p == (TimePhrase{}) || !p.From.Before(now) {
			continue
		}
		if len(all) == maxTimePhrases {
			return nil
		}
		all = append(all, p)
	}
	return firmTimes(all)
}

// firmTimes drops soft phrases if there is a firm one: a question about what was recently said on 3
// June means 3 June.
func firmTimes(all []TimePhrase) []TimePhrase {
	if !slices.ContainsFunc(all, func(p TimePhrase) bool { return !p.Soft }) {
		return all
	}
	return slices.DeleteFunc(all, func(p TimePhrase) bool { return p.Soft })
}

// timeScan is a question being scanned for times.
type timeScan struct {
	text     string
	words    []timeWord
	calendar calendar
}

// phrase reads the phrase that begins at word i and returns its length in words, or 0. A zero
// phrase of n > 0 words looks like a time but is not one.
func (s *timeScan) phrase(i int) (TimePhrase, int) {
	if s.words[i].lex == nil || s.words[i].gluedBefore {
		return TimePhrase{}, 0
	}
	if span, n := s.rule(i, false); n > 0 {
		if near, more := s.beside(i, span, n); more > 0 {
			return s.cut(i, more, near), more
		}
		if !span.far {
			return s.cut(i, n, span), n
		}
	}
	switch s.words[i].lex.lead {
	case leadBefore, leadAfter, leadSince, leadUntil:
		if span, n := s.item(i + 1); n > 0 {
			return s.cut(i, n+1, bounded(s.words[i].lex.lead, span)), n + 1
		}
	case leadBetween, leadFrom:
		if span, n := s.stretch(i); n > 0 {
			return s.cut(i, n, span), n
		}
	}
	return TimePhrase{}, 0
}

// cut returns the phrase of n words from i on that means span.
func (s *timeScan) cut(i, n int, span timeSpan) TimePhrase {
	if span.none {
		return TimePhrase{}
	}
	return TimePhrase{Start: s.words[i].start, End: s.words[i+n-1].end, From: span.from, To: span.to, Exact: span.exact, Soft: span.soft}
}

// item reads a time after a preposition, with or without an article.
func (s *timeScan) item(i int) (timeSpan, int) {
	if i >= len(s.words) || s.words[i].gap != gapSpace {
		return timeSpan{}, 0
	}
	if span, n := s.rule(i, true); n > 0 && !span.none && !span.far {
		return span, n
	}
	if s.words[i].lex != nil && s.words[i].lex.article && i+1 < len(s.words) && s.words[i+1].gap == gapSpace {
		if span, n := s.rule(i+1, true); n > 0 && !span.none && !span.far {
			return span, n + 1
		}
	}
	return timeSpan{}, 0
}

// bounded returns the time before, after, since or until span.
func bounded(lead timeLead, span timeSpan) timeSpan {
	switch lead {
	case leadBefore:
		return timeSpan{to: span.from, exact: span.exact}
	case leadAfter:
		return timeSpan{from: span.to, exact: span.exact}
	case leadSince:
		return timeSpan{from: span.from, exact: span.exact}
	}
	return timeSpan{to: span.to, exact: span.exact}
}

// stretch reads "between X and Y" and "from X to Y".
func (s *timeScan) stretch(i int) (timeSpan, int) {
	first, n := s.item(i + 1)
	at := i + 1 + n
	if n == 0 || at+1 >= len(s.words) || s.words[at].gap != gapSpace || !joinsRange(s.words[i].lex.lead, s.words[at].word) {
		return timeSpan{}, 0
	}
	last, m := s.item(at + 1)
	if m == 0 {
		return timeSpan{}, 0
	}
	return s.calendar.between(first, last), at + 1 + m - i
}

func joinsRange(lead timeLead, word string) bool {
	switch word {
	case "and", "und", "y", "e":
		return lead == leadBetween
	case "to", "until", "till", "through", "bis", "hasta", "a", "al", "até":
		return lead == leadFrom
	}
	return false
}

// beside reads "the week before 3 August" and "two days after the 5th of May", whose first words
// were read as span: the time between the two, including the named day, since people report events
// on that day. 0 if the phrase does not continue so.
func (s *timeScan) beside(i int, span timeSpan, n int) (timeSpan, int) {
	at := i + n
	if span.length == nil || at >= len(s.words) || s.words[at].gap != gapSpace || s.words[at].lex == nil {
		return timeSpan{}, 0
	}
	lead := s.words[at].lex.lead
	if lead != leadBefore && lead != leadAfter {
		return timeSpan{}, 0
	}
	named, m := s.item(at + 1)
	if m == 0 {
		return timeSpan{}, 0
	}
	if lead == leadBefore {
		return timeSpan{from: span.length(named.from, -1), to: named.to, exact: named.exact}, n + 1 + m
	}
	return timeSpan{from: named.from, to: span.length(named.to, +1), exact: named.exact}, n + 1 + m
}

// goesOn reports whether word n is only the beginning of a name: it is followed by a lower-case
// word of meaning ("the release notes", "2048 rows").
func (s *timeScan) goesOn(n int) bool {
	if n+1 >= len(s.words) || s.words[n+1].gap == gapOther {
		return false
	}
	next := s.words[n+1]
	return next.gap != gapComma && !next.capital && !stops().of(next.word).english
}
