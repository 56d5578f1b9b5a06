package own

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// Calibration is what cosines of a model mean for the user's own memories. The definitions are those of the built-in
// model's marks, which were measured on public collections: on nine others this finds .53 to .76, .90 to .96, .05 to .12
// and .48 to .57 for that model's .62, .93, .05 and .51.
type Calibration struct {
	Related   float64 // cosine that one in 300 pairs of a project's memories reaches
	Duplicate float64 // that nine in ten texts have with themselves without every fifth word, and one in ten at most with another
	Noise     float64 // median cosine of a question and memories that do not answer it
	Answer    float64 // median cosine of a question and a memory that does; it and Noise are 0 where questions are too few
	Memories  int     // compared with one another
	Pairs     int
	Questions int
}

// What a calibration takes and needs.
const (
	mostCompared  = 600 // memories, spread evenly
	mostAsked     = 200 // questions of a set
	fewMemories   = 50
	fewPairs      = 600 // two of which are related
	shortest      = 10  // words of a memory that is compared
	relatedOneIn  = 300
	leastDistance = 0.02 // of Answer from Noise
	embedded      = 16   // texts at once
)

// Calibrate fits the marks of a model to at most 600 of the newest memories of all projects, and to questions made of
// them as Sets makes them. It is deterministic and only reads. CodeInvalid where memories are too few; errors of the
// model as they are. report is called with the texts embedded and their number.
func Calibrate(ctx context.Context, from Source, e engram.Embedder, report func(done, total int)) (c Calibration, err error) {
	var k kept
	if err := from.View(ctx, func(r engram.Reader) error { return k.read(ctx, r, "") }); err != nil {
		return c, err
	}
	memories := comparable(k.memories)
	if len(memories) < fewMemories {
		return c, tooFew(len(memories), "memories of ten words or more", fewMemories)
	}
	if c.Memories, c.Pairs = len(memories), pairs(memories); c.Pairs < fewPairs {
		return c, tooFew(c.Pairs, "pairs of memories in one project", fewPairs)
	}
	asks := questionsOf(k)
	c.Questions = len(asks)
	if c.Questions < eval.Few {
		asks = nil
	}
	b := embedding{embedder: e, report: report, total: 2*len(memories) + 2*len(asks)}
	texts, thinned := make([]string, len(memories)), make([]string, len(memories))
	for i, m := range memories {
		texts[i] = ledger.EmbeddedText(m)
		thinned[i] = withoutFifths(texts[i])
	}
	vectors, err := b.all(ctx, texts, engram.RoleMemory)
	if err != nil {
		return c, err
	}
	others, err := b.all(ctx, thinned, engram.RoleMemory)
	if err != nil {
		return c, err
	}
	c.compare(memories, b.whole(vectors), b.whole(others))
	if len(asks) == 0 {
		return c, nil
	}
	asked, answers := make([]string, len(asks)), make([]string, len(asks))
	for i, a := range asks {
		asked[i], answers[i] = a.question, a.answer
	}
	questions, err := b.all(ctx, asked, engram.RoleQuery)
	if err != nil {
		return c, err
	}
	right, err := b.all(ctx, answers, engram.RoleMemory)
	if err != nil {
		return c, err
	}
	c.ask(asks, questions, right, memories, vectors)
	return c, nil
}

func tooFew(have int, what string, want int) error {
	return engram.Errorf(engram.CodeInvalid, "there are too few memories to calibrate with: %d %s, and %d are needed", have, what, want).
		WithHint("the thresholds stay as they are; try again when there are more")
}

// comparable returns memories of some length, spread evenly, oldest first.
func comparable(newest []engram.Memory) []engram.Memory {
	var all []engram.Memory
	for _, m := range slices.Backward(newest) {
		if m.Type != engram.TypeSessionSummary && len(strings.Fields(ledger.EmbeddedText(m))) >= shortest {
			all = append(all, m)
		}
	}
	if len(all) <= mostCompared {
		return all
	}
	spread := make([]engram.Memory, mostCompared)
	for i := range spread {
		spread[i] = all[i*len(all)/mostCompared]
	}
	return spread
}

// pairs counts the pairs of memories of one project.
func pairs(memories []engram.Memory) (n int) {
	before := map[string]int{}
	for _, m := range memories {
		n += before[m.Project]
		before[m.Project]++
	}
	return n
}

// An ask is a question and the text of a memory that answers it.
type ask struct{ question, answer, project, id string }

// questionsOf returns questions with their answers: titles ask for their texts, prompts for what was saved after them.
func questionsOf(k kept) (asks []ask) {
	for _, set := range []eval.Set{titles(k.memories).Head(mostAsked), prompts(k).Head(mostAsked)} {
		texts := map[string]string{}
		for _, d := range set.Documents {
			texts[d.ID] = ledger.EmbeddedText(engram.Memory{Title: d.Title, Content: d.Text})
		}
		for _, q := range set.Questions {
			for _, d := range set.Documents {
				if set.Relevant[q.ID][d.ID] {
					asks = append(asks, ask{q.Text, texts[d.ID], q.Group, d.ID})
					break
				}
			}
		}
	}
	return asks
}

// withoutFifths returns a text without every fifth word.
func withoutFifths(s string) string {
	var left []string
	for i, w := range strings.Fields(s) {
		if i%5 != 4 {
			left = append(left, w)
		}
	}
	return strings.Join(left, " ")
}

// embedding embeds texts in batches.
type embedding struct {
	embedder    engram.Embedder
	report      func(done, total int)
	done, total int
}

func (b *embedding) all(ctx context.Context, texts []string, role engram.Role) ([][]float32, error) {
	var vectors [][]float32
	for batch := range slices.Chunk(texts, embedded) {
		vs, err := ledger.VectorsOf(ctx, b.embedder, batch, role)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, vs...)
		if b.done += len(batch); b.report != nil {
			b.report(b.done, b.total)
		}
	}
	return vectors, nil
}

// whole returns the vectors without those of passages.
func (b *embedding) whole(vectors [][]float32) [][]float32 {
	whole := make([][]float32, len(vectors))
	for i, v := range vectors {
		whole[i] = v[:b.embedder.Model().Dimensions]
	}
	return whole
}

// nearest returns the cosine of a question and the nearest of a memory's vectors.
func nearest(question, vectors []float32) float64 {
	best := -1.0
	for v := range slices.Chunk(vectors, len(question)) {
		best = max(best, retrieval.Cosine(question, v))
	}
	return best
}

// compare fits Related and Duplicate.
func (c *Calibration) compare(memories []engram.Memory, vectors, thinned [][]float32) {
	var all, self []float64
	nearest := make([]float64, len(memories))
	for i := range memories {
		self = append(self, retrieval.Cosine(vectors[i], thinned[i]))
		for j := range i {
			if memories[i].Project == memories[j].Project {
				cosine := retrieval.Cosine(vectors[i], vectors[j])
				all = append(all, cosine)
				nearest[i], nearest[j] = max(nearest[i], cosine), max(nearest[j], cosine)
			}
		}
	}
	c.Related = rounded(max(quantile(all, 1-1.0/relatedOneIn), 0.001))
	c.Duplicate = rounded(min(max(quantile(self, 0.1), quantile(nearest, 0.9), c.Related), 1))
}

// ask fits Noise and Answer. Questions that the model finds no nearer to their answers than to others leave them 0.
func (c *Calibration) ask(asks []ask, questions, answers [][]float32, memories []engram.Memory, vectors [][]float32) {
	var right, wrong []float64
	for i, a := range asks {
		right = append(right, nearest(questions[i], answers[i]))
		for j, m := range memories {
			if m.Project == a.project && string(m.ID) != a.id {
				wrong = append(wrong, nearest(questions[i], vectors[j]))
			}
		}
	}
	if noise, answer := quantile(wrong, 0.5), quantile(right, 0.5); len(wrong) > 0 && answer >= noise+leastDistance {
		c.Noise, c.Answer = rounded(noise), rounded(answer)
	}
}

// quantile returns the value that a share of values is not above; 0 for no values. It sorts them.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(int(share*float64(len(values))), len(values)-1)]
}

func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
