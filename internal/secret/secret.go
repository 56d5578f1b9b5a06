// Package secret finds passwords, keys and tokens in texts by the rules of gitleaks
// (https://github.com/gitleaks/gitleaks, MIT licence): people want to record what they did with a
// key, while the key itself would be readable by everyone with access to the memory.
//
// A rule is a regular expression, with keywords, a minimum randomness, and exceptions. Rules about
// paths are left out.
package secret

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ./rulesgen

// rule recognises one kind of secret.
type rule struct {
	id       string
	regex    string
	entropy  float64  // minimum entropy of the secret in bits per byte, exclusive; 0: any
	group    int      // group of the expression with the secret; 0: the first nonempty one
	keywords []string // in lower case; the text has one of them
	also     []string // in lower case; the text also has all of these
	named    bool     // a match begins with a keyword that names the secret
	opens    bool     // a match begins with a keyword
	bounded  bool     // with opens: no letter, digit or _ precedes it
	mixed    int      // minimum changes between kinds of characters; 0: any
	allowed  []allowance
}

// allowance describes matches that are not secrets.
type allowance struct {
	of      string // subject of the expressions: "match", "line" or "", the secret
	regexes []string
	words   []string // in lower case, in the secret
}

// Span is a secret in a text.
type Span struct {
	From, To int    // bytes
	Rule     string // its kind, such as github-pat
}

// Scanner finds secrets. It may be used concurrently and should be kept: an expression is compiled
// when a text first has one of its keywords.
type Scanner struct {
	rules []compiled
	words *words
	every func() *compiledAllowance
}

type compiled struct {
	*rule
	once       sync.Once
	expression *regexp.Regexp
	allowances []compiledAllowance
}

type compiledAllowance struct {
	allowance
	expressions []*regexp.Regexp
}

// Shared returns the Scanner of the process: making one takes a third of a millisecond, and so does each expression.
var Shared = sync.OnceValue(New)

// New returns a Scanner with all rules.
func New() *Scanner {
	own := ours()
	s := &Scanner{rules: make([]compiled, len(own)+len(rules)),
		every: sync.OnceValue(func() *compiledAllowance { a := compile(everywhere()); return &a })}
	for i := range s.rules {
		if i < len(own) {
			s.rules[i].rule = &own[i]
		} else {
			s.rules[i].rule = &rules[i-len(own)]
		}
	}
	s.words = newWords(s.rules)
	return s
}

func (c *compiled) ready() {
	c.once.Do(func() {
		x := c.regex
		if c.named || c.opens {
			x = `\A(?:` + x + `)`
		}
		c.expression = regexp.MustCompile(x)
		for _, a := range c.allowed {
			c.allowances = append(c.allowances, compile(a))
		}
	})
}

func compile(a allowance) compiledAllowance {
	c := compiledAllowance{allowance: a}
	for _, x := range a.regexes {
		c.expressions = append(c.expressions, regexp.MustCompile(x))
	}
	return c
}

// Find returns the secrets of a text in order, without overlap.
func (s *Scanner) Find(text string) []Span {
	var room [32]place // most texts have fewer
	places := s.words.places(room[:0], text)
	if len(places) == 0 {
		return nil
	}
	var found []Span
	var lower []byte
	for len(places) > 0 { // grouped by rule
		n := 1
		for n < len(places) && places[n].rule == places[0].rule {
			n++
		}
		r := &s.rules[places[0].rule]
		if len(r.also) > 0 && lower == nil {
			lower = lowerASCII(text)
		}
		if !slices.ContainsFunc(r.also, func(w string) bool { return !bytes.Contains(lower, []byte(w)) }) {
			found = s.found(found, r, text, places[:n])
		}
		places = places[n:]
	}
	return outermost(tables(found, text))
}

func (s *Scanner) found(found []Span, r *compiled, text string, places []place) []Span {
	for _, m := range r.matches(text, places) {
		from, to := r.secretOf(m)
		if from == to || r.entropy > 0 && entropy(text[from:to]) <= r.entropy || r.mixed > 0 && !mixed(text[from:to], r.mixed) {
			continue
		}
		match, secret, line := text[m[0]:m[1]], text[from:to], lineAround(text, m[0], m[1])
		if s.every().holds(match, secret, line) || slices.ContainsFunc(r.allowances, func(a compiledAllowance) bool { return a.holds(match, secret, line) }) {
			continue
		}
		found = append(found, Span{from, to, r.id})
	}
	return found
}

// longest is how many bytes after its name a named secret may end: our own expressions take some
// 700 with all repetitions.
const longest = 1 << 10

// matches returns the matches of an expression, as regexp does.
func (c *compiled) matches(text string, places []place) (all [][]int) {
	if !c.named && !c.opens {
		c.ready()
		return c.expression.FindAllStringSubmatchIndex(text, -1)
	}
	end, run, looked := 0, 0, 0
	for _, p := range places {
		if p.at < end || c.bounded && p.at > 0 && inWord(text[p.at-1]) || c.named && !likely(text, p.at) {
			continue
		}
		if c.mixed > 0 && run <= p.at { // unlike a value, most texts about passwords have nothing mixed
			if run, looked = mixedRun(text, max(p.at, looked), p.at+longest, c.mixed); run == 0 {
				continue
			}
		}
		rest := text[p.at:]
		if c.named {
			rest = rest[:min(longest, len(rest))]
		}
		c.ready()
		m := c.expression.FindStringSubmatchIndex(rest)
		if m == nil {
			continue
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += p.at
			}
		}
		all, end = append(all, m), m[1]
	}
	return all
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// likely reports whether the text at a keyword can be the name of a secret, a sign such as = or :,
// and a value. It is false only if no expression of a named rule can match, and costs a hundredth
// of one: names such as key and token are in every other text.
func likely(text string, at int) bool {
	const (
		mostName  = 80 // the name with its surroundings
		leastText = 8  // the value
	)
	i, end := at, min(len(text), at+mostName)
	for i < end && !sign(text[i]) {
		if c := text[i]; !inWord(c) && !strings.ContainsRune(" \t\n\v\f\r.-'\"", rune(c)) {
			return false
		}
		i++
	}
	if i == end || i == len(text) {
		return false
	}
	for i < len(text) && (sign(text[i]) || strings.IndexByte(" \t\n\v\f\r'\"`", text[i]) >= 0) {
		i++
	}
	n := 0
	for i+n < len(text) && n < leastText && strings.IndexByte(" \t\n\v\f\r'\"`;", text[i+n]) < 0 {
		n++
	}
	return n == leastText
}

// sign reports whether a character may separate a name from a value.
func sign(c byte) bool { return c == '=' || c == '>' || c == ':' || c == '|' || c == '?' || c == ',' }

// lowerASCII lowers ASCII letters and keeps the length.
func lowerASCII(text string) []byte {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + ('a' - 'A')
		}
	}
	return lower
}

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

// entropy returns the bits per byte of a text (Shannon 1948).
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

// outermost merges overlapping spans, named by the first in the order of rules.
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

// Version names the rules: texts scanned by another Version may have secrets that these find. A
// test enforces that it is raised with every change.
const Version = "5"

// Digest identifies the rules by 16 hex digits of a SHA-256.
func Digest() string {
	h := sha256.New()
	for _, r := range append(ours(), rules...) {
		fmt.Fprintf(h, "%s %s %v %d %q %q %d", r.id, r.regex, r.entropy, r.group, r.keywords, r.also, r.mixed)
		for _, a := range r.allowed {
			fmt.Fprintf(h, "%s %q %q", a.of, a.regexes, a.words)
		}
	}
	fmt.Fprintf(h, "%q %q %v %d %d %d %d", passwordColumn, keyColumn, leastKeyBits, mixedCell, mixedCode, mixedKey, shortestKey)
	a := everywhere()
	fmt.Fprintf(h, "%q %q", a.regexes, a.words)
	return hex.EncodeToString(h.Sum(nil))[:16]
}
