package contradiction

import (
	"math"
	"strconv"
	"strings"
)

// number is a number as written, and what it counts.
type number struct {
	value   float64
	figures string // as written, without a unit; "" for a number word
	version bool   // 1.20 is not 1.2, but 1.20.3 is a 1.20
	unit    dimension
	of      string // the stem of what it counts or names: goroutines in "8 goroutines", port in "port 3000"
	text    string // with its unit, as written
}

// dimension is what a unit measures. Values are in its smallest unit.
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

// readNumber parses a word that begins with a digit (80%, 2,000, 512Mi, 1.24, 30s, v1.2). nil for
// other words with digits, such as a date, a hash, #12, and v2, which is a name.
func readNumber(w string) *number {
	s := w
	if len(s) > 1 && (s[0] == 'v' || s[0] == 'V') && digit(s[1]) {
		s = s[1:]
	}
	if len(s) == 0 || !digit(s[0]) || len(s) > 24 {
		return nil
	}
	i, dots := 0, 0
	for i < len(s) && (digit(s[i]) || i+1 < len(s) && (s[i] == '.' || s[i] == ',' || s[i] == '_') && digit(s[i+1])) {
		if s[i] == '.' {
			dots++
		}
		i++
	}
	prefixed := s != w
	if prefixed && dots == 0 {
		return nil
	}
	figures, tail := s[:i], strings.TrimPrefix(s[i:], "-")
	if tail == "" {
		return &number{value: parse(figures), figures: figures, version: prefixed || dots > 1, text: w}
	}
	u, known := units()[strings.ToLower(tail)]
	if !known {
		return nil
	}
	return &number{value: parse(figures) * u.factor, figures: figures, unit: u.dimension, text: w}
}

// parse parses figures with thousands separators. 0 for several points, as in a version.
func parse(figures string) float64 {
	if strings.ContainsAny(figures, ",_") {
		figures = strings.ReplaceAll(strings.ReplaceAll(figures, ",", ""), "_", "")
	}
	f, err := strconv.ParseFloat(figures, 64)
	if err != nil {
		return 0
	}
	return f
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// same reports whether two numbers are equal.
func (n *number) same(o *number) bool {
	if n.version || o.version {
		return n.figures == o.figures || strings.HasPrefix(n.figures, o.figures+".") || strings.HasPrefix(o.figures, n.figures+".")
	}
	const rounding = 1e-9
	return math.Abs(n.value-o.value) <= rounding*math.Abs(n.value) && (n.unit == o.unit || n.unit == noUnit || o.unit == noUnit)
}

// numbers compares the numbers of two clauses. comparable is false if no two numbers count the same
// and differ; numbers that both clauses have are skipped.
func (m *meeting) numbers() (d Difference, comparable bool) {
	for i := range m.a.words {
		a := m.a.words[i].num
		if a == nil || m.b.counts(a) {
			continue
		}
		for j := range m.b.words {
			b := m.b.words[j].num
			if b == nil || m.a.counts(b) || !alike(a, b) {
				continue
			}
			if m.foreign() > 0 {
				return d, true // about something else
			}
			return Difference{KindNumber, shorten(a.text), shorten(b.text), m.surely(0)}, true
		}
	}
	return d, false
}

// counts reports whether the clause has the number, unless both explicitly count different things:
// two workers are not two attempts.
func (c *clause) counts(n *number) bool {
	for i := range c.words {
		o := c.words[i].num
		if o != nil && o.same(n) && (alike(o, n) || !o.said() || !n.said()) {
			return true
		}
	}
	return false
}

// said reports whether it is known what the number counts.
func (n *number) said() bool { return n.unit != noUnit || n.of != "" }

// alike reports whether two numbers count the same: both a duration, a size or a share, or both
// workers, ports, versions of Go, or both nothing specific.
func alike(a, b *number) bool {
	switch {
	case a.unit != noUnit || b.unit != noUnit:
		return a.unit == b.unit
	case a.of == "" || b.of == "":
		return a.of == b.of
	}
	return like(a.of, b.of)
}
