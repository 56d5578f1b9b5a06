package storetest

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Corpus generates memories that look to an index like those of agents, reproducibly by seed. Word
// frequencies follow a Zipf–Mandelbrot law (a few words are in a third of all texts, most in a handful),
// four in ten are stop words, and each memory repeats the words of its subject, like real texts.
type Corpus struct {
	rand  *rand.Rand
	words []string
	cum   []float64 // cumulative frequency of words
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
		// Exponent and shift are those measured for English: Mandelbrot, "Structure formelle des textes
		// et communication", Word 10(1), 1954.
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

// Word draws a word by frequency.
func (c *Corpus) Word() string {
	i, _ := slices.BinarySearch(c.cum, c.rand.Float64()*c.cum[len(c.cum)-1])
	return c.words[i]
}

var glue = strings.Fields("the of and to in a is that for it was on are as with be by this from at which or an not had have but were one all when")

// Memory generates a memory of about 600 bytes in one of 20 projects, as the engine passes them to a
// store. ID and SyncID are set; the session is its project's.
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

// Question generates a query of n words, four in ten of them stop words.
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

// Projects returns the names that Project draws from.
func (c *Corpus) Projects() []string {
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprintf("project-%02d", i)
	}
	return names
}
