// Package wrapped generates questions with known answers from any corpus: known items (titles, runs of words,
// identifiers), and the ways in which people wrap what they ask for (chat, log lines, whole sentences). The
// kinds are in kinds.go, the words that questions are made of in words.go. A plan (plan.go) says what to store and
// what to ask; filler.go makes a store as large as wanted.
//
// Everything is a pure function of the corpus and a seed. A kind that the corpus cannot give, such as titles of
// texts without titles, has no questions.
package wrapped

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// Question is a question of a kind.
type Question struct {
	eval.Question        // Group is that of the memory it was made from
	Kind          string // one of Kinds
	// Held says that the template is for checking, not for fitting. False for kinds without templates.
	Held    bool
	Answers eval.Relevant // every document that answers it; some may be of other groups
	// Elsewhere is a group without an answer; "" if all have one, or if the question is not part of a Plan.
	Elsewhere string
}

// Options says which questions to generate. The zero value is DefaultEach of each kind from every group.
type Options struct {
	Seed  uint64          // the same seed and corpus give the same questions
	Each  int             // questions per kind; 0 is DefaultEach
	Kinds []string        // names of kinds; nil is all
	From  map[string]bool // groups; nil is all. Questions that other groups answer, too, are left out
}

// DefaultEach is the default number of questions per kind.
const DefaultEach = 50

// Kinds lists the names of the kinds of questions, in the order of tables.
func Kinds() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Questions generates questions from the documents of a set and, for the natural kinds, from its questions.
// They come kind by kind, spread evenly over the groups.
func Questions(set eval.Set, o Options) []Question {
	if o.Each <= 0 {
		o.Each = DefaultEach
	}
	c := newCorpus(set)
	var all []Question
	for _, k := range kinds() {
		if o.Kinds == nil || slices.Contains(o.Kinds, k.name) {
			all = append(all, c.ask(k, o)...)
		}
	}
	return all
}

// ask generates the questions of a kind.
func (c *corpus) ask(k kind, o Options) []Question {
	chance := rand.New(rand.NewPCG(o.Seed, number(k.name))) // its own, so that kinds do not affect each other
	templates := chance.Perm(len(k.templates))
	fitting := (len(templates) + 1) / 2 // the first of templates; the others are held
	count, sources := len(c.set.Documents), c.groups
	if k.natural {
		count, sources = len(c.set.Questions), c.asked
	}
	seen := map[string]bool{}
	var questions []Question
	for _, i := range inTurns(sources, count, chance) {
		if len(questions) == o.Each {
			break
		}
		p, ok := k.pick(c, i, chance)
		if !ok || o.From != nil && !c.within(p.answers, o.From) {
			continue
		}
		next := len(questions) % len(templates)
		template := k.templates[templates[next]]
		q := Question{Kind: k.name, Held: next >= fitting, Answers: p.answers}
		q.ID, q.Group, q.Text = fmt.Sprintf("%s-%d", k.name, len(questions)+1), p.group, fill(template, p.parts, chance)
		if !seen[q.Text] {
			seen[q.Text] = true
			questions = append(questions, q)
		}
	}
	return questions
}

// within reports whether every answer is of one of the groups.
func (c *corpus) within(answers eval.Relevant, groups map[string]bool) bool {
	for id := range answers {
		if !groups[c.groupOf[id]] {
			return false
		}
	}
	return true
}

// inTurns returns the indices below count, shuffled, one of each group in turn, so that a large group does not
// decide alone.
func inTurns(groups map[string][]int, count int, chance *rand.Rand) []int {
	order := make([][]int, 0, len(groups))
	for _, name := range sortedKeys(groups) {
		mine := slices.Clone(groups[name])
		chance.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
		order = append(order, mine)
	}
	out := make([]int, 0, count)
	for turn := 0; len(out) < count; turn++ {
		for _, mine := range order {
			if turn < len(mine) {
				out = append(out, mine[turn])
			}
		}
	}
	return out
}

// fill puts the parts into the places {0}, {1}, … of a template, and values by chance into the places that log
// lines have.
func fill(template string, parts []string, chance *rand.Rand) string {
	var pairs []string
	for i, p := range parts {
		pairs = append(pairs, fmt.Sprintf("{%d}", i), p)
	}
	for _, name := range []string{"date", "clock", "pid", "line", "hex", "id", "ms"} {
		pairs = append(pairs, "{"+name+"}", noise(name, chance))
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// noise returns a value as log lines have it.
func noise(name string, chance *rand.Rand) string {
	switch name {
	case "date":
		return fmt.Sprintf("2026-%02d-%02d", 1+chance.IntN(12), 1+chance.IntN(28))
	case "clock":
		return fmt.Sprintf("%02d:%02d:%02d", chance.IntN(24), chance.IntN(60), chance.IntN(60))
	case "hex":
		return fmt.Sprintf("%08x", chance.Uint32())
	case "id":
		return fmt.Sprintf("%08x-%04x-%04x", chance.Uint32(), chance.IntN(1<<16), chance.IntN(1<<16))
	case "ms":
		return fmt.Sprint(1 + chance.IntN(2_000))
	}
	return fmt.Sprint(10 + chance.IntN(60_000))
}

// number returns a number that is the same for the same name.
func number(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return h.Sum64()
}
