package text

import (
	"slices"
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

// spanOf computes the time from what a rule captured; ok reports whether it exists ("31 June", "last minute").
type spanOf func(c calendar, m timeMatch) (span timeSpan, ok bool)

// timePart is one word of a rule: one of several literal words, or a class.
type timePart struct {
	words    string // alternatives between bars
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
	r := &timeRule{span: span, parts: make([]timePart, 0, strings.Count(pattern, " ")+1)}
	for word := range strings.FieldsSeq(pattern) {
		word, optional := strings.CutSuffix(word, "?")
		p := timePart{optional: optional, class: classOf(word)}
		if p.class == literal {
			p.words = word
		}
		r.parts = append(r.parts, p)
	}
	return r
}

func classOf(word string) timeClass {
	switch word {
	case "N":
		return classNumber
	case "UNIT":
		return classUnit
	case "WEEKDAY":
		return classWeekday
	case "MONTH":
		return classMonth
	case "YEAR":
		return classYear
	case "DAY":
		return classDay
	case "SEASON":
		return classSeason
	case "QUARTER":
		return classQuarter
	case "PART":
		return classPart
	case "DATE":
		return classDate
	}
	return literal
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
	var of [timeClasses][]*timeLex
	for c := classNumber; c < timeClasses; c++ {
		for _, l := range lex {
			if l.begins(c) {
				of[c] = append(of[c], l)
			}
		}
		if digits.begins(c) {
			of[c] = append(of[c], digits)
		}
	}
	// The longest match at a word counts, then the first.
	for _, r := range slices.Concat(dayRules(), weekRules(), agoRules(), unitRules(), monthRules(), partRules(), noTimeRules()) {
		first := r.parts[0] // never optional
		for _, l := range of[first.class] {
			l.rules = append(l.rules, r)
		}
		if first.class != literal {
			continue
		}
		for w := range strings.SplitSeq(first.words, "|") {
			if lex[w] == nil {
				lex[w] = &timeLex{}
			}
			lex[w].rules = append(lex[w].rules, r)
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

// timeLex holds the possible meanings of a word to the time rules; most words have one.
type timeLex struct {
	is      [timeClasses]uint8 // its value in each class, from 1; 0: not of the class
	vague   bool               // of number: few, several
	digits  bool               // a number in digits
	doubt   doubt              // of month
	lead    timeLead           // 0: no
	article bool               // the, la, dem
	rules   []*timeRule        // rules that may begin with the word
}

type timeUnit uint8

const (
	unitMinute timeUnit = iota + 1
	unitHour
	unitDay
	unitWeek
	unitMonth
	unitQuarter
	unitYear
)

// doubt says how a month's name may be misread.
type doubt uint8

const (
	plain doubt = iota
	verb        // may, march: in lower case only where it must be a month
	short       // dec, oct: in lower case only with a year
)

type season uint8

const (
	spring season = iota + 1
	summer
	autumn
	winter
)

type dayPart uint8

const (
	morning dayPart = iota + 1
	afternoon
	evening
	night
)

type timeLead uint8

const (
	leadBefore timeLead = iota + 1
	leadAfter
	leadSince
	leadUntil
	leadBetween
	leadFrom
)

// timeWords is about the number of words of the rules.
const timeWords = 400

// timeVocabulary lists the words of the rules, with and without the accents that people omit. It excludes words
// that mostly mean something else: second, sun and sat, and the Portuguese weekdays, which are ordinals.
func timeVocabulary() map[string]*timeLex {
	lex := make(map[string]*timeLex, timeWords)
	var slab []timeLex
	add := func(words string, set func(*timeLex)) {
		for w := range strings.FieldsSeq(words) {
			if lex[w] == nil {
				if len(slab) == 0 {
					slab = make([]timeLex, 64)
				}
				lex[w], slab = &slab[0], slab[1:]
			}
			set(lex[w])
		}
	}
	for class, values := range [timeClasses][]string{
		classNumber: {
			"a an one un una uno ein eine einem einer eines um uma", "two dos zwei due dois duas", "three tres drei tre três",
			"four cuatro vier quattro quatro", "five cinco fünf cinque", "six seis sechs sei", "seven siete sieben sette sete",
			"eight ocho acht otto oito", "nine nueve neun nove", "ten diez zehn dieci dez", "eleven", "twelve",
		},
		classUnit: {
			"minute minutes min mins minuto minutos minuten minuti", "hour hours hora horas stunde stunden ora ore",
			"day days día días dia dias tag tage tagen giorno giorni", "week weeks semana semanas woche wochen settimana settimane",
			"month months mes meses mês monat monate monaten mese mesi", "quarter quarters trimestre trimestres quartal quartale quartalen trimestri",
			"year years año años ano anos jahr jahre jahren anno anni",
		},
		classMonth: {
			"january enero januar gennaio janeiro", "february febrero februar febbraio fevereiro", "march marzo märz maerz março",
			"april abril aprile", "may mayo mai maggio maio", "june junio juni giugno junho", "july julio juli luglio julho",
			"august agosto", "september septiembre settembre setembro", "october octubre oktober ottobre outubro",
			"november noviembre novembre novembro", "december diciembre dezember dicembre dezembro",
		},
		classWeekday: {
			"sunday domingo sonntag domenica", "monday lunes montag lunedì lunedi", "tuesday martes dienstag martedì martedi",
			"wednesday miércoles miercoles mittwoch mercoledì mercoledi", "thursday jueves donnerstag giovedì giovedi",
			"friday viernes freitag venerdì venerdi", "saturday sábado samstag sonnabend sabato",
		},
		classSeason:  {"spring primavera frühling", "summer verano sommer estate", "autumn fall otoño herbst autunno", "winter invierno inverno"},
		classPart:    {"morning", "afternoon", "evening abend sera", "night nacht notte noite"},
		classQuarter: {"q1", "q2", "q3", "q4"},
	} {
		for i, words := range values {
			add(words, func(l *timeLex) { l.is[class] = uint8(i + 1) })
		}
	}
	for i, word := range []string{"couple", "few", "several"} {
		add(word, func(l *timeLex) { l.is[classNumber], l.vague = uint8(i+2), true })
	}
	for i, words := range []string{"jan", "feb", "mar", "apr", "", "jun", "jul", "aug", "sep sept", "oct", "nov", "dec"} {
		add(words, func(l *timeLex) { l.is[classMonth], l.doubt = uint8(i+1), short })
	}
	add("may march mai", func(l *timeLex) { l.doubt = verb })
	for i, words := range []string{"before antes vor prima", "after después despues nach dopo depois", "since desde seit dal dalla", "until till hasta bis fino até",
		"between entre zwischen tra", "from von de"} {
		add(words, func(l *timeLex) { l.lead = leadBefore + timeLead(i) })
	}
	add("the el la los las il lo le dem der den die das del o os as do da al alla", func(l *timeLex) { l.article = true })
	return lex
}
