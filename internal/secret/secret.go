// Package secret finds passwords, keys and tokens in a text, by the rules of gitleaks
// (https://github.com/gitleaks/gitleaks, MIT licence): what people meant to write down is
// what was done with a key, and the key itself would be read by whoever may read the memory.
//
// A rule is a regular expression, words of which the text must have one, how random the match
// must look, and what is known to be no secret. What a rule says of paths is left out.
package secret

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ./rulesgen

// rule tells one kind of secret.
type rule struct {
	id       string
	regex    string
	entropy  float64  // bits a byte that the secret must have more than; 0: any
	group    int      // of the expression that is the secret; 0: the first that says something
	keywords []string // in lower case; the text has one of them
	named    bool     // a match begins with one of the keywords
	allowed  []allowance
}

// allowance is what is no secret, although it matches.
type allowance struct {
	of      string // what the expressions are about: "match", "line" or "", the secret
	regexes []string
	words   []string // in lower case, in the secret
}

// Span is a secret in a text.
type Span struct {
	From, To int    // bytes
	Rule     string // what it is, such as github-pat
}

// Scanner finds secrets. It may be used by several goroutines at once, and is worth keeping:
// an expression is compiled when the first text has one of its words.
type Scanner struct {
	rules []compiled
	every func() *compiledAllowance
}

type compiled struct {
	rule
	expression func() (*regexp.Regexp, []compiledAllowance)
}

type compiledAllowance struct {
	allowance
	expressions []*regexp.Regexp
}

// New returns a Scanner with all rules.
func New() *Scanner {
	s := &Scanner{every: sync.OnceValue(func() *compiledAllowance { a := compile(everywhere()); return &a })}
	for _, r := range slices.Concat(ours(), rules()) {
		s.rules = append(s.rules, compiled{r, sync.OnceValues(func() (*regexp.Regexp, []compiledAllowance) {
			all := make([]compiledAllowance, len(r.allowed))
			for i, a := range r.allowed {
				all[i] = compile(a)
			}
			if r.named {
				r.regex = `\A` + r.regex
			}
			return regexp.MustCompile(r.regex), all
		})})
	}
	return s
}

func compile(a allowance) compiledAllowance {
	c := compiledAllowance{allowance: a}
	for _, x := range a.regexes {
		c.expressions = append(c.expressions, regexp.MustCompile(x))
	}
	return c
}

// Find returns the secrets of a text in their order; none lies within another.
func (s *Scanner) Find(text string) []Span {
	var found []Span
	lower := lowerASCII(text)
	for _, r := range s.rules {
		if len(r.keywords) > 0 && !slices.ContainsFunc(r.keywords, func(w string) bool { return strings.Contains(lower, w) }) {
			continue
		}
		expression, allowed := r.expression()
		for _, m := range r.matches(expression, text, lower) {
			from, to := r.secretOf(m)
			if from == to || r.entropy > 0 && entropy(text[from:to]) <= r.entropy {
				continue
			}
			match, secret, line := text[m[0]:m[1]], text[from:to], lineAround(text, m[0], m[1])
			if s.every().holds(match, secret, line) || slices.ContainsFunc(allowed, func(a compiledAllowance) bool { return a.holds(match, secret, line) }) {
				continue
			}
			found = append(found, Span{from, to, r.id})
		}
	}
	return outermost(found)
}

// Redact puts a mark into the place of each secret of a text, and returns which rules found
// them, each once; nil when there is none.
func (s *Scanner) Redact(text string, mark func(rule string) string) (clean string, kinds []string) {
	found := s.Find(text)
	if len(found) == 0 {
		return text, nil
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.From])
		b.WriteString(mark(f.Rule))
		at = f.To
		kinds = append(kinds, f.Rule)
	}
	b.WriteString(text[at:])
	slices.Sort(kinds)
	return b.String(), slices.Compact(kinds)
}

// longest is how many bytes behind its name a secret that has one may end.
const longest = 1 << 10

// matches are where an expression matches, as regexp tells it.
func (r rule) matches(x *regexp.Regexp, text, lower string) (all [][]int) {
	if !r.named {
		return x.FindAllStringSubmatchIndex(text, -1)
	}
	var at []int
	for _, name := range r.keywords {
		for from := 0; ; {
			n := strings.Index(lower[from:], name)
			if n < 0 {
				break
			}
			at = append(at, from+n)
			from += n + len(name)
		}
	}
	slices.Sort(at)
	end := 0
	for _, from := range at {
		if from < end {
			continue
		}
		m := x.FindStringSubmatchIndex(text[from:min(from+longest, len(text))])
		if m == nil {
			continue
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += from
			}
		}
		all, end = append(all, m), m[1]
	}
	return all
}

// lowerASCII is a text with small letters, and as long as it.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + ('a' - 'A')
		}
	}
	return string(lower)
}

// secretOf is where the secret of a match lies.
func (r rule) secretOf(m []int) (from, to int) {
	if r.group > 0 {
		return m[2*r.group], m[2*r.group+1]
	}
	for g := 1; g < len(m)/2; g++ {
		if m[2*g] >= 0 && m[2*g] < m[2*g+1] {
			return m[2*g], m[2*g+1]
		}
	}
	return m[0], m[1]
}

func (a compiledAllowance) holds(match, secret, line string) bool {
	about := secret
	switch a.of {
	case "match":
		about = match
	case "line":
		about = line
	}
	if slices.ContainsFunc(a.expressions, func(x *regexp.Regexp) bool { return x.MatchString(about) }) {
		return true
	}
	lower := strings.ToLower(secret)
	return slices.ContainsFunc(a.words, func(w string) bool { return strings.Contains(lower, w) })
}

func lineAround(text string, from, to int) string {
	start := strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		return text[start : to+end]
	}
	return text[start:]
}

// entropy is how many bits a byte of a text tells (Shannon 1948).
func entropy(text string) float64 {
	var count [256]int
	for i := range len(text) {
		count[text[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			share := float64(n) / float64(len(text))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}

// outermost joins spans that overlap; of those the first in the order of rules gives the name.
func outermost(all []Span) []Span {
	slices.SortStableFunc(all, func(a, b Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	var out []Span
	for _, s := range all {
		if n := len(out); n > 0 && s.From < out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}
