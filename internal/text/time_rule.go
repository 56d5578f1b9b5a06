package text

import (
	"strings"
	"sync"
	"time"
)

type timeRule struct {
	parts []timePart
	span  spanOf
	tied  bool  // only after a preposition: "since March"
	sure  doubt // accepts month names up to this doubt in any case
	last  bool  // no word of meaning may follow: "in 2048 bytes"
}

// spanOf computes the time from what a rule captured; ok reports whether it exists ("31 June",
// "last minute").
type spanOf func(c calendar, m timeMatch) (span timeSpan, ok bool)

// timePart is one word of a rule: one of several literal words, or a class.
type timePart struct {
	words    []string
	class    timeClass
	optional bool
}

type timeClass uint8

const (
	literal timeClass = iota
	classNumber
	classUnit
	classWeekday
	classMonth
	classSeason
	classQuarter
	classPart
	classYear // this and the following are numbers in digits
	classDay
	classDate
	timeClasses
)

// timeMatch holds what a rule captured.
type timeMatch struct {
	is      [timeClasses]uint8 // value of each class, 0: not given
	n       int
	vague   bool
	year    int // 0: not given
	day     int
	ordinal bool // the day was written as 5th
	date    timeSpan
	capital bool // the month's name is capitalised
	doubt   doubt
}

func (m timeMatch) unit() timeUnit        { return timeUnit(m.is[classUnit]) }
func (m timeMatch) weekday() time.Weekday { return time.Weekday(m.is[classWeekday] - 1) }
func (m timeMatch) month() time.Month     { return time.Month(m.is[classMonth]) }
func (m timeMatch) season() season        { return season(m.is[classSeason]) }
func (m timeMatch) quarter() time.Month   { return time.Month(m.is[classQuarter]) }
func (m timeMatch) part() dayPart         { return dayPart(m.is[classPart]) }

// ruleOf parses a rule of the table: words separated by blanks, alternatives by bars; capitals are
// classes; a question mark makes a word optional.
func ruleOf(pattern string, span spanOf) *timeRule {
	classes := map[string]timeClass{"N": classNumber, "UNIT": classUnit, "WEEKDAY": classWeekday, "MONTH": classMonth, "YEAR": classYear,
		"DAY": classDay, "SEASON": classSeason, "QUARTER": classQuarter, "PART": classPart, "DATE": classDate}
	r := &timeRule{span: span}
	for _, word := range strings.Fields(pattern) {
		word, optional := strings.CutSuffix(word, "?")
		p := timePart{optional: optional, class: classes[word]}
		if p.class == literal {
			p.words = strings.Split(word, "|")
		}
		r.parts = append(r.parts, p)
	}
	return r
}

// timeTable is the vocabulary with the rules of each word, and the rules of digits.
type timeTable struct {
	words  map[string]*timeLex
	digits *timeLex
}

// timeLexicon is built on first use: most hook processes never need it, and building it takes as
// long as the rest of their start.
var timeLexicon = sync.OnceValue(func() timeTable {
	lex, digits := timeVocabulary(), &timeLex{digits: true}
	for _, r := range timeRules() {
		first := r.parts[0] // never optional
		for _, w := range first.words {
			if lex[w] == nil {
				lex[w] = &timeLex{}
			}
			lex[w].rules = append(lex[w].rules, r)
		}
		if first.class == literal {
			continue
		}
		for _, l := range lex {
			if l.begins(first.class) {
				l.rules = append(l.rules, r)
			}
		}
		if digits.begins(first.class) {
			digits.rules = append(digits.rules, r)
		}
	}
	return timeTable{lex, digits}
})

// begins reports whether a word can be of a class, or begin it.
func (l *timeLex) begins(c timeClass) bool {
	return l.is[c] > 0 || l.digits && (c == classNumber || c >= classYear)
}

func timeLexOf(word string) *timeLex {
	if word[0] >= '0' && word[0] <= '9' {
		return timeLexicon().digits
	}
	return timeLexicon().words[word]
}
