package contradiction

import (
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Words with a meaning only next to another.
var (
	switching = text.Words{List: "turn turns turned turning switch switches switched"}
	voting    = text.Words{List: "turned voted shot"}
	deciding  = text.Words{List: "decide decided advise advises advised recommend recommends recommended voted argued"}
	// having are verbs with any number of objects.
	having = text.Words{List: "have has had tiene tienen tenemos hat haben habe"}

	// half are words that weaken the not before them.
	half = text.Words{List: "only just necessarily merely simply solo nur seulement"}

	// fileLabels and eventLabels precede a colon, alone.
	fileLabels  = text.Words{List: "where files file paths dónde donde"}
	eventLabels = text.Words{List: "done next today yesterday accomplished progress goal todo open hecho pendiente"}

	// identities are words with a number as a name: another number is another thing.
	identities = text.Words{List: `issue issues pr pull mr rfc adr line lines step sprint migration commit error ticket
		section chapter phase task story bug case item row test day linea zeile ligne paso schritt`}

	// months stand next to the number of a day.
	months = text.Words{List: `january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep oct nov dec
		enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
		januar februar marz mai juni juli oktober dezember`}
)

// mark says that a word is in a list that is asked for most words of a text. The lexicon knows it, so that asking costs
// nothing.
type mark uint8

// The marks, each with its words.
const (
	being      mark = 1 << iota
	single          // every
	mutual          // symmetric relations
	inTime          // temporal order
	byWhom          // introduce the agent of a passive
	opensEvent      // mark a clause as an event if it begins with them
)

var marked = [...]string{
	"is are was were be been kept stays es son ist sind est sont",
	"every cada jede",
	`and or y e o und oder et ou pair pairs paired talk talks works meets met married compatible conflict conflicts equals
		equal differ differs same next near beside between together connected linked joined friends`,
	"before after antes despues",
	"by por von vom durch par",
	`fixed fix fixes added add adds merged removed worked increased reduced cut implemented refactored
		update updates bump bumps upgrade upgrades deployed shipped published tagged profiled measured benchmarked`,
}

// marked reports whether the word at i has a mark; there may be no such word.
func (c *clause) marked(i int, m mark) bool {
	return i >= 0 && i < len(c.words) && c.words[i].marks&m != 0
}

// aloneBefore reports whether a state that the next word follows is complete: "" is the end of a clause.
func aloneBefore(next string) bool {
	switch next {
	case "", "in", "by", "for", "until", "everywhere":
		return true
	}
	return false
}

// irregular are forms that the stemmer does not unify.
func irregular() map[string]string {
	return map[string]string{
		"built": "build", "written": "write", "wrote": "write", "sent": "send", "kept": "keep", "held": "hold",
		"taken": "take", "took": "take", "made": "make", "given": "give", "driven": "drive", "shown": "show",
		"drawn": "draw", "known": "know", "thrown": "throw", "bound": "bind", "spent": "spend", "left": "leave",
		"lost": "lose", "paid": "pay", "sold": "sell", "bought": "buy", "broke": "break", "caught": "catch",
		"began": "begin", "begun": "begin", "grew": "grow", "hid": "hide", "hidden": "hide", "meant": "mean",
		"understood": "understand",
	}
}

// foldWord returns a word of the tables in the form of a text that was read.
func foldWord(w string) (folded string) {
	text.Scan(w, func(t text.Token) {
		if t.Kind == text.Plain {
			folded += t.Word
		}
	})
	return folded
}

func stemOf(w string) (stem string) {
	text.Scan(w, func(t text.Token) { stem = t.Text() })
	return stem
}

// units by name; seconds, bytes and percent are 1.
var units = sync.OnceValue(func() map[string]unit {
	m := map[string]unit{}
	add := func(d dimension, factor float64, names string) {
		for n := range strings.FieldsSeq(names) {
			m[n] = unit{d, factor}
		}
	}
	add(duration, 1e-9, "ns nanoseconds")
	add(duration, 1e-6, "us µs microseconds")
	add(duration, 1e-3, "ms millisecond milliseconds milisegundos")
	add(duration, 1, "s sec secs second seconds segundo segundos sekunde sekunden seconde secondes")
	add(duration, 60, "min mins minute minutes minuto minutos minuten")
	add(duration, 3600, "h hr hrs hour hours hora horas stunde stunden heure heures")
	add(duration, 86400, "d day days dia dias tag tage tagen jour jours")
	add(duration, 7*86400, "week weeks semana semanas woche wochen semaine semaines")
	add(duration, 30*86400, "month months mes meses monat monate monaten mois")
	add(duration, 365*86400, "year years ano anos jahr jahre jahren an ans")
	add(size, 1, "b byte bytes")
	add(size, 1e3, "k kb kib ki")
	add(size, 1e6, "mb mib mi megabytes")
	add(size, 1e9, "gb gib gi gigabytes")
	add(size, 1e12, "tb tib ti")
	add(share, 1, "% percent prozent")
	return m
})

// numberWords are numbers in letters; join handles one, mostly a pronoun, before a noun.
func numberWords() map[string]float64 {
	m := map[string]float64{}
	for i, line := range strings.Split(`two dos zwei deux
three tres drei trois
four cuatro vier quatre
five cinco funf cinq
six seis sechs
seven siete sieben sept
eight ocho acht huit
nine nueve neun neuf
ten diez zehn dix`, "\n") {
		for w := range strings.FieldsSeq(line) {
			m[w] = float64(i + 2)
		}
	}
	return m
}
