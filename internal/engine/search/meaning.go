package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// meaning is the vector channel of one question, empty without a model.
type meaning struct {
	model  engram.Model
	vector []float32           // of the question, centred and moved by feedback; nil if unknown
	plain  []float32           // of the question, as the model returned it
	first  []engram.Ranked     // finds by the question's own vector, in no order
	finds  []engram.Ranked     // by cosine, in no order
	near   map[int64][]float32 // vectors of the finds of both channels, in room
}

// nearDepth limits the finds of each channel whose vectors are read, a large part of a search's cost; 200 find
// nothing more on four label sets.
const nearDepth = 120

// byMeaning asks the vector channel. If it fails, Degraded says why and the words answer alone.
func (q *Question) byMeaning(ctx context.Context) error {
	if q.in.Mode == ModeLexical || q.in.All {
		if q.in.Mode == ModeSemantic {
			q.degrade("cannot search by meaning: every word must match")
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
	vector, err := q.embedded(ctx, q.embedder)
	if err != nil {
		return q.silent(ctx, err)
	}
	q.meaning.model = q.embedder.Model()
	if err = q.near(ctx, vector); err == nil {
		err = q.bySecond(ctx)
	}
	if engram.CodeOf(err) == engram.CodeInternal {
		return q.silent(ctx, err) // damaged vectors leave the word index usable
	}
	return err
}

// choose chooses the embedder, and a second one beside it. One that reads questions as they are written is asked now, so
// that what it cannot answer is known before the words are.
func (q *Question) choose(ctx context.Context) error {
	l := q.finder.ledger
	all, none, err := l.QueryEmbedders(ctx, q.r)
	if err != nil || len(all) == 0 {
		return err
	}
	q.embedder = all[len(all)-1]
	if q.in.Mode == ModeLexical || q.in.All || q.in.Query == "" {
		return nil
	}
	if _, knows := q.embedder.(engram.WordEmbedder); !knows {
		q.ahead, q.mute = q.reading(ctx, q.embedder)
	}
	if e := all[0]; len(all) > 1 {
		vector, err := q.reading(ctx, e)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			q.instead(e, q.embedder, err)
			return nil
		case l.Covers(e) && !l.Covers(q.embedder):
			q.embedder, q.ahead, q.mute = e, vector, nil
		case l.Covers(e):
			q.second = &second{embedder: e, plain: vector}
		default:
			none = true // it is another than that of the vectors
		}
	}
	if configured := l.Configured(); q.embedder != configured && (q.second == nil || q.second.embedder != configured) {
		return q.unready(ctx, configured, none)
	}
	return nil
}

// instead reports that another model finds by meaning.
func (q *Question) instead(of, by engram.Embedder, why error) {
	reason := why.Error()
	if hint := engram.HintOf(why); hint != "" {
		reason += ": " + hint
	}
	q.degrade("%s cannot be asked, so %s finds by meaning: %s", of.Model().Name, by.Model().Name, reason)
}

// reading returns what an embedder makes of the question as it is written.
func (q *Question) reading(ctx context.Context, e engram.Embedder) ([]float32, error) {
	vectors, err := ledger.VectorsOf(ctx, e, []string{q.in.Query}, engram.RoleQuery)
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// unready reports why another model than the configured one finds by meaning, except that its vectors are
// being made.
func (q *Question) unready(ctx context.Context, configured engram.Embedder, none bool) error {
	if u, ok := configured.(interface{ Unusable() error }); ok {
		if why := u.Unusable(); why != nil {
			q.instead(configured, q.embedder, why)
			return nil
		}
	}
	if !none {
		return nil
	}
	models, err := q.r.Models(ctx)
	if len(models) > 0 {
		q.degrade("no memory has a vector of %s yet, so %s finds by meaning: run engram reembed", configured.Model().Name, q.embedder.Model().Name)
	}
	return err
}

// silent drops the vector channel and reports why.
func (q *Question) silent(ctx context.Context, err error) error {
	q.meaning, q.second, q.wordsAlone = meaning{}, nil, true
	reason := err.Error()
	if hint := engram.HintOf(err); hint != "" {
		reason += ": " + hint
	}
	q.degrade("cannot search by meaning: %s", reason)
	return ctx.Err()
}

func (q *Question) near(ctx context.Context, vector []float32) error {
	q.meaning.vector = retrieval.Centred(vector, q.leans.mean)
	most, depth, ahead := min(len(q.lexical.Hits), nearDepth), nearDepth, q.wordsAhead()
	if ahead {
		depth = fewNear
	}
	q.meaning.near = q.room.near
	found, err := q.r.Nearest(ctx, engram.VectorQuery{Model: q.meaning.model.Fingerprint, Vector: q.meaning.vector,
		Filter: q.in.Filter, Limit: depth, Close: ahead, Vectors: q.meaning.near, Room: q.room.vectors(depth+most+len(q.beyond), q.meaning.model.Dimensions),
		Also: slices.Concat(walk.NumsOf(q.lexical.Hits[:most]), q.beyond)}) // finds by words get a cosine too
	if err != nil {
		return err
	}
	q.distant(found)
	q.nearest()
	q.meaning.first = slices.Clone(q.meaning.finds)
	return q.uncovered(ctx)
}

// fewNear is how many finds by meaning are wanted where words are ahead: the nearest measure the others, and are among the
// nearest of what feedback makes of the question. Finds by words behind the first nearDepth get a cosine if they are among
// these few. With 24, one of 10,000 questions and words asked of all label sets has another find in ninth place, with 32
// none.
const fewNear = 32

// wordsAhead reports whether all the finds that will be read are finds by words: whatever its cosine, no find by meaning
// alone reaches the score that the last of them has by its words.
func (q *Question) wordsAhead() bool {
	hits, last, weight := q.lexical.Hits, q.most()-1, q.meaning.model.Weight
	return last < len(hits) && len(q.beyond) == 0 && q.second == nil && q.in.Mode == ModeHybrid &&
		q.fusion(q.meaning.model) == engram.FusionScore && (1-weight)*hits[last].Score > weight*hits[0].Score
}

// embedded returns the vector of the question. A model that knows words gets those that say what is asked for,
// corrected; other models read the question as written.
func (q *Question) embedded(ctx context.Context, e engram.Embedder) ([]float32, error) {
	if q.ahead != nil || q.mute != nil {
		q.meaning.plain = q.ahead
		return q.ahead, q.mute
	}
	asked := q.in.Query
	if _, knows := e.(engram.WordEmbedder); knows && !q.Wordless() {
		var words []string
		for _, w := range q.lexical.Words {
			if !w.Term.Joined && !w.Term.Time { // its parts are included; a time is no subject
				words = append(words, meant(w))
			}
		}
		asked = strings.Join(words, " ")
	}
	vectors, err := ledger.VectorsOf(ctx, e, []string{asked}, engram.RoleQuery)
	if err != nil {
		return nil, err
	}
	q.meaning.plain = vectors[0]
	return q.meaning.plain, nil
}

// nearest compares the known vectors with the question's.
func (q *Question) nearest() {
	q.meaning.finds = slices.Grow(q.meaning.finds[:0], len(q.meaning.near))
	for num, v := range q.meaning.near {
		q.meaning.finds = append(q.meaning.finds, engram.Ranked{Num: num, Score: retrieval.Cosine(q.meaning.vector, v)})
	}
}

// meant returns the word as corrected.
func meant(w engram.WordCount) string {
	if w.Repaired && len(w.Matched) > 0 {
		return w.Matched[0]
	}
	return w.Term.Written
}

// uncovered reports that no memory has a vector, which a reembed fixes.
func (q *Question) uncovered(ctx context.Context) error {
	if len(q.meaning.finds) > 0 || q.lexical.Rows == 0 {
		return nil
	}
	models, err := q.r.Models(ctx)
	if slices.ContainsFunc(models, func(m engram.ModelCoverage) bool { return m.Model.Fingerprint == q.meaning.model.Fingerprint }) {
		return err
	}
	q.wordsAlone = true
	q.degrade("no memory has a vector of %s yet: run engram reembed", q.meaning.model.Name)
	return err
}

// expandByFeedback is pseudo-relevance feedback: it moves the question towards the best finds, ranks by meaning
// again, and fuses the channels.
func (q *Question) expandByFeedback(context.Context) error {
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
	q.fuseFor(q.most())
	return nil
}

// leaning is what the vectors of a project have in common.
type leaning struct {
	mean     []float32 // nil if there are too few
	cohesion float64   // how far neighbours share a subject, 0 to 1
	of       int       // number of vectors it is computed from
}

// leanings caches them: they change slowly, and reading hundreds of vectors costs as much as the rest of a
// search.
type leanings struct {
	sync.Mutex
	at  time.Time
	all map[string]leaning // by model and project
}

const (
	leaningAge    = time.Minute
	leaningSample = 512 // vectors it is computed from
	leaningLeast  = 100 // fewer memories have no lean worth removing
	leaningGrowth = 8   // a small project that grows by this part of it is looked at again
)

// leaning returns the cached or computed leaning of a project.
func (f *Finder) leaning(ctx context.Context, r engram.Reader, room *room, model engram.Model, project string) (leaning, error) {
	now, key := f.ledger.Now(), model.Fingerprint+"\x00"+project
	f.leanings.Lock()
	if f.leanings.at.IsZero() || now.Sub(f.leanings.at) > leaningAge || now.Before(f.leanings.at) {
		f.leanings.at, f.leanings.all = now, map[string]leaning{}
	}
	l, known := f.leanings.all[key]
	f.leanings.Unlock()
	if known && l.of >= leaningLeast {
		return l, nil
	}
	if known { // a small project may grow much in a moment
		live, err := r.Count(ctx, engram.Filter{Project: project})
		if err != nil || max(live, l.of)-min(live, l.of) <= l.of/leaningGrowth || max(live, l.of) < retrieval.LeastCohesion {
			return l, err
		}
	}
	vectors, err := r.NewestVectors(ctx, model.Fingerprint, project, leaningSample)
	if err != nil {
		return leaning{}, err
	}
	l = leaning{of: vectors.Count}
	l.mean, l.cohesion = retrieval.Lean(vectors, room.vectors(2*nearDepth, model.Dimensions))
	if l.of < leaningLeast {
		l.mean = nil
	}
	f.leanings.Lock()
	defer f.leanings.Unlock()
	f.leanings.all[key] = l
	return l, nil
}

// Near is a memory and its similarity to a text.
type Near struct {
	Memory engram.Memory
	Cosine float64 // of their vectors; the model's marks give it meaning
}

// nearWidest limits the memories examined for no project, which no filter selects.
const nearWidest = 500

// Seek is a memory and its vector, to find what is near them.
type Seek struct {
	Memory engram.Memory
	Vector []float32
}

// NearFrom is NearEach for one memory.
func (f *Finder) NearFrom(ctx context.Context, r engram.Reader, m engram.Memory, vector []float32, most int, least float64) ([]Near, error) {
	near, err := f.NearEach(ctx, r, []Seek{{m, vector}}, most, least, nil)
	if err != nil {
		return nil, err
	}
	return near[0], nil
}

// NearEach returns, for each of seeks, up to most live memories of its memory's project and scope with a cosine of at
// least least, nearest to its vector first, without the memory. Vectors belong to the current model; without one the
// result is empty. It reads the memories of all results together, and beside them calls beside, unless nil, with their
// numbers and perhaps those of others.
//
// A filter cannot select memories without a project, so for these it widens the search while results are near
// enough.
func (f *Finder) NearEach(ctx context.Context, r engram.Reader, seeks []Seek, most int, least float64,
	beside func(ctx context.Context, nums []int64) error) ([][]Near, error) {
	near := make([][]Near, len(seeks))
	if f.ledger.Embedder == nil || most < 1 {
		return near, nil
	}
	model := f.ledger.Embedder.Model().Fingerprint
	var open []int // the seeks that are not answered yet
	for i, s := range seeks {
		if len(s.Vector) > 0 {
			open = append(open, i)
		}
	}
	for limit := most + 1; len(open) > 0; limit *= 8 {
		ranked, nums := make([][]engram.Ranked, len(open)), []int64(nil)
		whole := make([]bool, len(open))
		for k, i := range open {
			m := seeks[i].Memory
			found, err := r.Nearest(ctx, engram.VectorQuery{Model: model, Vector: seeks[i].Vector, Limit: limit,
				Filter: engram.Filter{Project: m.Project, Scope: m.Scope}, Close: true})
			if err != nil {
				return nil, err
			}
			whole[k] = len(found) < limit || limit > nearWidest || found[len(found)-1].Score < least
			for len(found) > 0 && found[len(found)-1].Score < least {
				found = found[:len(found)-1]
			}
			if limit == most+1 && len(found) == limit && m.Num == 0 && m.Project != "" {
				found = found[:most] // it does not find itself, nor others that are not beside it
			}
			ranked[k], nums = found, append(nums, walk.NumsOf(found)...)
		}
		slices.Sort(nums)
		nums = slices.Compact(nums)
		var ms []engram.Memory
		reads := []func(context.Context) error{func(ctx context.Context) (err error) { ms, err = r.Memories(ctx, nums); return err }}
		if beside != nil {
			reads = append(reads, func(ctx context.Context) error { return beside(ctx, nums) })
		}
		if err := engram.Together(ctx, r, reads...); err != nil {
			return nil, err
		}
		var wider []int
		for k, i := range open {
			near[i] = memoriesNear(ms, seeks[i].Memory, ranked[k], most)
			if !whole[k] && len(near[i]) < most {
				wider = append(wider, i)
			}
		}
		open = wider
	}
	return near, nil
}

// memoriesNear returns the first most ranked memories that share m's project and scope, of ms, which are by number.
func memoriesNear(ms []engram.Memory, m engram.Memory, ranked []engram.Ranked, most int) []Near {
	var near []Near
	for _, found := range ranked {
		at, known := slices.BinarySearchFunc(ms, found.Num, func(m engram.Memory, num int64) int { return cmp.Compare(m.Num, num) })
		if len(near) == most || !known || !IsBeside(ms[at], m) {
			continue
		}
		if near == nil {
			near = make([]Near, 0, min(most, len(ranked))) // they are large
		}
		near = append(near, Near{ms[at], found.Score})
	}
	return near
}

// IsBeside reports whether other is another live memory of m's project and scope.
func IsBeside(other, m engram.Memory) bool {
	return other.Num != m.Num && !other.Forgotten() && other.Project == m.Project && other.Scope == m.Scope
}

// Replaced returns which of the memories a live one supersedes.
func Replaced(ctx context.Context, r engram.Reader, nums []int64) (map[int64]bool, error) {
	// The newest relations suffice, plus some whose source was forgotten.
	const mostLookedAt = 5
	relations, err := engram.RelationsTo(ctx, r, nums, []engram.Verb{engram.VerbSupersedes}, mostLookedAt)
	if err != nil || len(relations) == 0 {
		return nil, err
	}
	newer, err := r.Memories(ctx, walk.Mapped(relations, func(t engram.Relation) int64 { return t.Source }))
	if err != nil {
		return nil, err
	}
	known := screen.ByNum(newer)
	old := map[int64]bool{}
	for _, t := range relations {
		by, there := known[t.Source]
		old[t.Target] = old[t.Target] || t.Supersedes() && there && !by.Forgotten()
	}
	return old, nil
}

// rerankDepth is how many of the best hits a reranker reads: few relevant ones follow, and each costs the same.
const rerankDepth = 50

// ReasonNoReranker is reported in Degraded for a reranking without a reranker.
const ReasonNoReranker = "no reranking model is configured; the order is that of the search"

// rerank lets the reranker reorder the best hits. It runs outside the transaction, since a model may be slow.
// If it fails, the order stays and Degraded says so.
func (f *Finder) rerank(ctx context.Context, found *engram.Found) error {
	if f.reranker == nil {
		found.Degraded = append(found.Degraded, ReasonNoReranker)
		return nil
	}
	first := 0
	if len(found.Hits) > 0 && isFrom(found.Hits[0], engram.ChannelTopic) {
		first = 1 // named by its topic, not found
	}
	hits := found.Hits[first:min(len(found.Hits), rerankDepth)]
	if len(hits) == 0 {
		return nil
	}
	texts := walk.Mapped(hits, func(h engram.Hit) string { return ledger.EmbeddedText(h.Memory) })
	scores, err := f.reranker.Rerank(ctx, found.Query, texts)
	if err == nil {
		err = checkScores(scores, len(hits))
	}
	if err != nil {
		found.Degraded = append(found.Degraded, fmt.Sprintf("%s could not rerank: %v", f.reranker.Name(), err))
		return ctx.Err()
	}
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	// Keep scores that fall with the rank: the reranker's have another scale.
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

// checkScores rejects scores that cannot be compared.
func checkScores(scores []float64, texts int) error {
	if len(scores) != texts {
		return fmt.Errorf("%d scores for %d texts", len(scores), texts)
	}
	if i := slices.IndexFunc(scores, ledger.NotFinite); i >= 0 { // JSON has no such numbers
		return fmt.Errorf("the score of text %d is not a number", i+1)
	}
	return nil
}
