package contradiction

import (
	"strconv"
	"strings"
)

// A number as it was written, and what it counts.
type number struct {
	value float64
	exact string // a version, which is compared as it is written
	unit  dimension
	of    string // the stem of what it counts or names: goroutines in "8 goroutines", port in "port 3000"
	text  string // with its unit, as written
	word  bool   // written in letters
}

// dimension is what a unit measures. Quantities are kept in its smallest unit.
type dimension uint8

const (
	noUnit dimension = iota
	duration
	size
	share
)

type unit struct {
	dimension dimension
	factor    float64
}

// units by their names; seconds, bytes and hundredths are 1.
var units = func() map[string]unit {
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
}()

// numberWords are numbers in letters. One is left out: it is mostly a pronoun.
var numberWords = func() map[string]float64 {
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
}()

// identities are words whose number is a name: what has another is another thing.
var identities = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`issue issues pr pull mr rfc adr line lines step sprint migration commit error ticket section
		chapter phase task story bug case item row test day linea zeile ligne paso schritt`) {
		m[w] = true
	}
	for w := range months {
		m[w] = true
	}
	return m
}()

// months stand beside the number of a day.
var months = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep oct nov dec
		enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
		januar februar marz mai juni juli oktober dezember`) {
		m[w] = true
	}
	return m
}()

// readNumber reads a word that begins with a digit (80%, 2,000, 512Mi, 1.24, 30s).
// What has digits but is no number, such as a date, a hash or #12, is not one.
func readNumber(w string) (n number, ok bool) {
	s := w
	if len(s) > 1 && (s[0] == 'v' || s[0] == 'V') && digit(s[1]) {
		s = s[1:]
	}
	if len(s) == 0 || !digit(s[0]) || len(s) > 24 {
		return n, false
	}
	i, dots := 0, 0
	for i < len(s) && (digit(s[i]) || i+1 < len(s) && (s[i] == '.' || s[i] == ',' || s[i] == '_') && digit(s[i+1])) {
		if s[i] == '.' {
			dots++
		}
		i++
	}
	figures, tail := s[:i], s[i:]
	n.text = w
	if s != w && dots == 0 {
		return n, false // v2 is the name of something
	}
	tail = strings.TrimPrefix(tail, "-")
	if tail != "" {
		u, known := units[strings.ToLower(tail)]
		if !known {
			return n, false
		}
		n.unit = u.dimension
		n.value = parse(figures) * u.factor
		return n, true
	}
	n.value = parse(figures)
	if dots > 1 || s != w {
		n.exact = figures
	}
	return n, true
}

func parse(figures string) float64 {
	f, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(figures), 64)
	if err != nil {
		return 0 // versions, which have exact
	}
	return f
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// same reports whether two numbers say the same.
func (n number) same(o number) bool {
	if n.exact != "" || o.exact != "" {
		return strings.TrimPrefix(n.text, "v") == strings.TrimPrefix(o.text, "v")
	}
	return n.value == o.value && (n.unit == o.unit || n.unit == noUnit || o.unit == noUnit)
}
