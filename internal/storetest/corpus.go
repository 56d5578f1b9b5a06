package storetest

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Corpus makes memories that read, to an index, like what agents save: the same seed
// gives the same memories. Words follow a Zipf–Mandelbrot law (a few are in a third
// of all texts, most in a handful), four in ten are words without meaning, and each
// memory repeats the words of its subject, as real texts do.
type Corpus struct {
	rand  *rand.Rand
	words []string
	cum   []float64 // cumulated frequency of words
	n     int64
}

// NewCorpus returns a corpus with 30,000 words.
func NewCorpus(seed uint64) *Corpus {
	c := &Corpus{rand: rand.New(rand.NewPCG(seed, 1))}
	seen := map[string]bool{}
	total := 0.0
	for len(c.words) < 30_000 {
		w := c.coin()
		if seen[w] {
			continue
		}
		seen[w] = true
		c.words = append(c.words, w)
		// Exponent and shift as measured on English: Mandelbrot, "Structure formelle
		// des textes et communication", Word 10(1), 1954.
		total += 1 / math.Pow(float64(len(c.words))+2.7, 1.05)
		c.cum = append(c.cum, total)
	}
	return c
}

// coin makes a pronounceable word of two to four syllables.
func (c *Corpus) coin() string {
	var b strings.Builder
	for range 2 + c.rand.IntN(3) {
		b.WriteByte("bcdfgklmnprstvz"[c.rand.IntN(15)])
		b.WriteByte("aeiou"[c.rand.IntN(5)])
		if c.rand.IntN(3) == 0 {
			b.WriteByte("lnrst"[c.rand.IntN(5)])
		}
	}
	return b.String()
}

// Word draws a word as often as texts have it.
func (c *Corpus) Word() string {
	x := c.rand.Float64() * c.cum[len(c.cum)-1]
	lo, hi := 0, len(c.cum)-1
	for lo < hi {
		if mid := (lo + hi) / 2; c.cum[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return c.words[lo]
}

var glue = strings.Fields("the of and to in a is that for it was on are as with be by this from at which or an not had have but were one all when")

// Memory makes one memory of about 600 bytes in one of 20 projects, as the engine
// hands them to a store. ID and SyncID are set, the session is its project's.
func (c *Corpus) Memory(now time.Time) engram.Memory {
	c.n++
	var subject [6]string
	for i := range subject {
		subject[i] = c.Word()
	}
	var b strings.Builder
	for b.Len() < 540+c.rand.IntN(120) {
		switch p := c.rand.IntN(10); {
		case p < 4:
			b.WriteString(glue[c.rand.IntN(len(glue))])
		case p < 6:
			b.WriteString(subject[c.rand.IntN(len(subject))])
		default:
			b.WriteString(c.Word())
		}
		if c.rand.IntN(12) == 0 {
			b.WriteString(".\n")
		} else {
			b.WriteByte(' ')
		}
	}
	project := c.Project()
	return engram.Memory{
		ID: engram.ID(fmt.Sprintf("mem_%026d", c.n)), SyncID: fmt.Sprintf("obs-%016x", c.n), Project: project,
		SessionID: "s-" + project, Scope: engram.ScopeProject, Type: engram.KnownTypes()[c.rand.IntN(8)], Origin: engram.OriginAgent,
		Title:   strings.Join(subject[:2+c.rand.IntN(4)], " "),
		Content: b.String(), Importance: engram.DefaultImportance, Strength: 1, TouchedAt: now, CreatedAt: now, UpdatedAt: now,
		RevisionCount: 1, DuplicateCount: 1, NormalizedHash: fmt.Sprintf("%x", sha256.Sum256([]byte(b.String()))),
	}
}

// Project draws one of the 20 projects.
func (c *Corpus) Project() string { return fmt.Sprintf("project-%02d", c.rand.IntN(20)) }

// Question makes a question of n words, four in ten of them without meaning.
func (c *Corpus) Question(n int) string {
	words := make([]string, n)
	for i := range words {
		if c.rand.IntN(10) < 4 {
			words[i] = glue[c.rand.IntN(len(glue))]
		} else {
			words[i] = c.Word()
		}
	}
	return strings.Join(words, " ")
}

// Projects are the names Project draws from.
func (c *Corpus) Projects() []string {
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprintf("project-%02d", i)
	}
	return names
}
