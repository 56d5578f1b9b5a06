package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// meaning is the vector channel of one question. Without a model it is empty.
type meaning struct {
	model  engram.Model
	vector []float32           // of the question, centred and led by feedback; nil when there is none
	plain  []float32           // of the question, as the model gives it
	finds  []engram.Ranked     // by cosine, best first
	near   map[int64][]float32 // the vectors of the finds of both channels
}

// nearDepth is how many finds of each channel are compared by their vectors: reading
// those is much of what a search costs, and 200 find nothing more on four label sets.
const nearDepth = 120

// byMeaning asks the vector channel. Whatever keeps it from answering is told in
// Degraded; the words answer then alone.
func (q *question) byMeaning(ctx context.Context) error {
	if q.in.Mode == ModeLexical || q.in.All {
		if q.in.Mode == ModeSemantic {
			q.degrade("meaning does not tell who has every word; nothing is found by meaning")
		}
		return nil
	}
	if q.embedder == nil {
		q.wordsAlone = true
		if q.in.Mode == ModeSemantic {
			q.degrade("no embedding model is configured; nothing is found by meaning")
		}
		return nil
	}
	q.meaning.model = q.embedder.Model()
	vector, err := q.embedded(ctx, q.embedder)
	if err != nil {
		return q.silent(ctx, err)
	}
	if err = q.near(ctx, vector); engram.CodeOf(err) == engram.CodeInternal {
		return q.silent(ctx, err) // a damaged vector: the words are whole
	}
	return err
}

// silent tells why nothing is found by meaning.
func (q *question) silent(ctx context.Context, err error) error {
	q.meaning, q.wordsAlone = meaning{}, true
	reason := err.Error()
	if hint := engram.HintOf(err); hint != "" {
		reason += ": " + hint
	}
	q.degrade("finding by meaning did not work: %s", reason)
	return ctx.Err()
}

// near finds what is near to the question's vector.
func (q *question) near(ctx context.Context, vector []float32) error {
	q.meaning.vector = retrieval.Centred(vector, q.leans.mean)
	found, err := q.r.Nearest(ctx, engram.VectorQuery{Model: q.meaning.model.Fingerprint, Vector: q.meaning.vector,
		Filter: q.in.Filter, Limit: nearDepth})
	if err != nil {
		return err
	}
	// What the words found gets its cosine too.
	union := numsOf(found)
	for _, h := range q.lexical.Hits[:min(len(q.lexical.Hits), nearDepth)] {
		union = append(union, h.Num)
	}
	union = append(union, q.beyond...)
	slices.Sort(union)
	if q.meaning.near, err = q.r.Vectors(ctx, q.meaning.model.Fingerprint, slices.Compact(union)); err != nil {
		return err
	}
	q.distant(found)
	q.nearest()
	for i, f := range q.meaning.finds {
		q.channel(f, engram.ChannelVector, i+1)
	}
	return q.uncovered(ctx)
}

// embedded is the vector of the question. Where the model can weigh words, those that
// everybody uses here count less: a name that is in every memory tells none apart.
func (q *question) embedded(ctx context.Context, e engram.Embedder) ([]float32, error) {
	if weighing, ok := e.(engram.WordEmbedder); ok && !q.wordless() {
		var words []string
		var weights []float64
		for _, w := range q.lexical.Words {
			if w.Term.Joined || w.Term.Time {
				continue // its parts are there; a time is no matter
			}
			words = append(words, meant(w))
			weights = append(weights, retrieval.WordWeight(w.Rows, q.lexical.Rows))
		}
		plain := make([]float64, len(words))
		for i := range plain {
			plain[i] = 1
		}
		var err error
		if q.meaning.plain, err = weighing.EmbedWords(ctx, words, plain); err != nil {
			return nil, err
		}
		vector, err := weighing.EmbedWords(ctx, words, weights)
		if err == nil {
			err = cmp.Or(checkVector(e, q.meaning.plain), checkVector(e, vector))
		}
		return vector, err
	}
	vectors, err := vectorsOf(ctx, e, []string{q.in.Query}, engram.RoleQuery)
	if err != nil {
		return nil, err
	}
	q.meaning.plain = vectors[0]
	return vectors[0], nil
}

// nearest ranks what was found by the question's vector.
func (q *question) nearest() {
	q.meaning.finds = q.meaning.finds[:0]
	for num, v := range q.meaning.near {
		q.meaning.finds = append(q.meaning.finds, engram.Ranked{Num: num, Score: retrieval.Cosine(q.meaning.vector, v)})
	}
	retrieval.Sort(q.meaning.finds)
}

// meant is the word that a word of the question was read as.
func meant(w engram.WordCount) string {
	if w.Repaired && len(w.Matched) > 0 {
		return w.Matched[0]
	}
	return w.Term.Written
}

// uncovered tells when there are memories and none has a vector: then the channel is
// silent for a reason that somebody can remove.
func (q *question) uncovered(ctx context.Context) error {
	if len(q.meaning.finds) > 0 || q.lexical.Rows == 0 {
		return nil
	}
	models, err := q.r.Models(ctx)
	for _, m := range models {
		if m.Model.Fingerprint == q.meaning.model.Fingerprint {
			return err
		}
	}
	q.wordsAlone = true
	q.degrade("no memory has a vector of %s yet: run engram reembed", q.meaning.model.Name)
	return err
}

// expandByFeedback ranks by meaning again, for the question moved towards what was found
// first, and joins the channels anew.
func (q *question) expandByFeedback(ctx context.Context) error {
	if q.meaning.vector == nil {
		return nil
	}
	var near [][]float32
	for _, f := range q.finds[:min(len(q.finds), retrieval.PRFHits)] {
		if v := q.meaning.near[f.Num]; v != nil {
			near = append(near, v)
		}
	}
	q.meaning.vector = retrieval.PseudoRelevanceFeedback(q.meaning.vector, near)
	q.nearest()
	return q.fuse(ctx)
}

// leaning is what the vectors of a project have in common.
type leaning struct {
	mean     []float32 // nil where there are too few
	cohesion float64   // how far neighbours speak of the same matter, 0 to 1
}

// leanings remembers them for a while: they move slowly, and reading some hundred
// vectors costs as much as the rest of a search.
type leanings struct {
	sync.Mutex
	at  time.Time
	all map[string]leaning // by model and project
}

const (
	leaningAge    = time.Minute
	leaningSample = 512 // vectors that it is reckoned from
	leaningLeast  = 100 // fewer memories have no common lean worth taking off
)

// leaning returns what a project's vectors have in common.
func (e *Engine) leaning(ctx context.Context, r engram.Reader, model, project string) (leaning, error) {
	now, key := e.now(), model+"\x00"+project
	e.leanings.Lock()
	if e.leanings.at.IsZero() || now.Sub(e.leanings.at) > leaningAge || now.Before(e.leanings.at) {
		e.leanings.at, e.leanings.all = now, map[string]leaning{}
	}
	l, known := e.leanings.all[key]
	e.leanings.Unlock()
	if known {
		return l, nil
	}
	vectors, err := r.NewestVectors(ctx, model, project, leaningSample)
	if err != nil {
		return l, err
	}
	l.cohesion = retrieval.Cohesion(vectors)
	if len(vectors) < leaningLeast {
		return l, nil // not remembered: it may grow in a moment
	}
	l.mean = retrieval.Mean(vectors)
	e.leanings.Lock()
	defer e.leanings.Unlock()
	e.leanings.all[key] = l
	return l, nil
}

// Near is a memory, and how near what it says is to something else.
type Near struct {
	Memory engram.Memory
	Cosine float64 // of their vectors; what it means stands in the model's marks
}

// nearWidest is how many memories are looked through at most, where no filter can say
// what is wanted.
const nearWidest = 500

// nearFrom returns the live memories of m's project and scope from a cosine on, the
// nearest to vector first, at most so many; m itself is left out. vector is of the model
// in force: without one, and without a model, nothing is near.
//
// No project is a project here and not every one, which a filter cannot say. There it
// looks further and further, as long as what it finds is related.
func (e *Engine) nearFrom(ctx context.Context, r engram.Reader, m engram.Memory, vector []float32, most int, least float64) ([]Near, error) {
	if e.embedder == nil || len(vector) == 0 || most < 1 {
		return nil, nil
	}
	model := e.embedder.Model()
	q := engram.VectorQuery{Model: model.Fingerprint, Vector: vector, Limit: most + 1,
		Filter: engram.Filter{Project: m.Project, Scope: m.Scope}, Close: true}
	for {
		ranked, err := r.Nearest(ctx, q)
		if err != nil {
			return nil, err
		}
		all := len(ranked) < q.Limit || q.Limit > nearWidest || ranked[len(ranked)-1].Score < least
		for len(ranked) > 0 && ranked[len(ranked)-1].Score < least {
			ranked = ranked[:len(ranked)-1]
		}
		near, err := memoriesNear(ctx, r, m, ranked, most)
		if err != nil || all || len(near) == most {
			return near, err
		}
		q.Limit *= 8
	}
}

// memoriesNear reads what was ranked, in its order, as far as it is where m is.
func memoriesNear(ctx context.Context, r engram.Reader, m engram.Memory, ranked []engram.Ranked, most int) ([]Near, error) {
	cosine := make(map[int64]float64, len(ranked))
	for _, found := range ranked {
		cosine[found.Num] = found.Score
	}
	ms, err := r.Memories(ctx, numsOf(ranked))
	if err != nil {
		return nil, err
	}
	var near []Near
	for _, other := range ms {
		if len(near) < most && isBeside(other, m) {
			near = append(near, Near{other, cosine[other.Num]})
		}
	}
	return near, nil
}

// isBeside reports whether other is another live memory of m's project and scope.
func isBeside(other, m engram.Memory) bool {
	return other.Num != m.Num && !other.Forgotten() && other.Project == m.Project && other.Scope == m.Scope
}

// replaced tells which of the memories a live one has taken the place of.
func replaced(ctx context.Context, r engram.Reader, nums []int64) (map[int64]bool, error) {
	// The newest of each is enough but where it was forgotten, which leaves some more.
	const mostLookedAt = 5
	ties, err := r.RelationsOf(ctx, nums, []engram.Verb{engram.VerbSupersedes}, mostLookedAt)
	if err != nil || len(ties) == 0 {
		return nil, err
	}
	by := mapped(ties, func(t engram.Relation) int64 { return t.Source })
	newer, err := r.Memories(ctx, by)
	if err != nil {
		return nil, err
	}
	live := map[int64]bool{}
	for _, m := range newer {
		live[m.Num] = !m.Forgotten()
	}
	old := map[int64]bool{}
	for _, t := range ties {
		old[t.Target] = old[t.Target] || t.Supersedes() && live[t.Source]
	}
	return old, nil
}

// rerankDepth is how many of the best finds a reranker reads: behind them hardly
// anything relevant stands, and each costs it as much as the first.
const rerankDepth = 50

// ReasonNoReranker is what Degraded says when a reranking was asked for in vain.
const ReasonNoReranker = "no reranking model is configured; the order is that of the search"

// rerank lets the reranker order the best finds again. It runs outside of the
// transaction: a model takes as long as it takes. One that fails leaves the order and
// is told in Degraded.
func (e *Engine) rerank(ctx context.Context, found *engram.Found) error {
	if e.reranker == nil {
		found.Degraded = append(found.Degraded, ReasonNoReranker)
		return nil
	}
	first := 0
	if len(found.Hits) > 0 && isFrom(found.Hits[0], engram.ChannelTopic) {
		first = 1 // it was named, not found
	}
	hits := found.Hits[first:min(len(found.Hits), rerankDepth)]
	if len(hits) == 0 {
		return nil
	}
	texts := mapped(hits, func(h engram.Hit) string { return embeddedText(h.Memory) })
	scores, err := e.reranker.Rerank(ctx, found.Query, texts)
	if err == nil {
		err = checkScores(scores, len(hits))
	}
	if err != nil {
		found.Degraded = append(found.Degraded, fmt.Sprintf("%s could not rerank: %v", e.reranker.Name(), err))
		return ctx.Err()
	}
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	// The scores of a search fall with the rank; a reranker's are on a scale of their own.
	ranked := make([]engram.Hit, len(hits))
	for i, at := range order {
		h := hits[at]
		h.Score = hits[i].Score
		h.Why.Channels = append(slices.Clone(h.Why.Channels), engram.ChannelRank{Channel: engram.ChannelRerank, Rank: i + 1, Score: scores[at]})
		ranked[i] = h
	}
	copy(hits, ranked)
	return nil
}

// checkScores refuses an answer that orders nothing: what compares with no number would
// stand anywhere.
func checkScores(scores []float64, texts int) error {
	if len(scores) != texts {
		return fmt.Errorf("%d scores for %d texts", len(scores), texts)
	}
	none := func(s float64) bool { return math.IsNaN(s) || math.IsInf(s, 0) } // JSON has neither
	if i := slices.IndexFunc(scores, none); i >= 0 {
		return fmt.Errorf("the score of text %d is not a number", i+1)
	}
	return nil
}
