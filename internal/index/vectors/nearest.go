package vectors

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// Minimum number of memories that each step passes to the next. Measured with the built-in model: of the
// ten nearest of 100,000, 99.7 % pass, of the fifty nearest 98 %.
const (
	bySigns  = 4000 // then compared by levels
	byLevels = 200  // then compared by rows
)

// The same, per requested memory, if only close ones are requested. Measured with the built-in model on
// three collections: none of the ten nearest above its related mark is missed.
const (
	closeBySigns  = 48
	closeByLevels = 4
)

// width returns how many of the memories in scope each step keeps for limit results. Small scopes need
// fewer.
func width(limit, among int, onlyClose bool) (signs, levels int) {
	if onlyClose {
		return closeBySigns * limit, closeByLevels * limit
	}
	levels = max(byLevels, limit+limit/4)
	return max(min(bySigns, among*2/5), 5*levels), levels
}

// Nearest ranks the live memories that pass f, which stands for q.Filter, by cosine in three steps: by the
// signs of their vectors, by levels, and by rows. It compares the rows of all memories without a slot. No
// memory passes a nil filter.
func (x *Index) Nearest(ctx context.Context, q engram.VectorQuery, f *lexicon.Filter) ([]engram.Ranked, error) {
	m, known, err := x.model(ctx, q.Model)
	if !known {
		return nil, err
	}
	if err := vector.Check(q.Vector, m.Dimensions); err != nil {
		return nil, err
	}
	question := slices.Clone(q.Vector)
	if !vector.Normalise(question) {
		return nil, nil
	}
	var near []int64
	if f != nil {
		if near, err = x.near(ctx, m, *f, question, q); err != nil {
			return nil, fmt.Errorf("search vectors: %w", err)
		}
	}
	return x.rank(ctx, m, question, near, q)
}

// near returns candidates for the nearest memories that pass a filter.
func (x *Index) near(ctx context.Context, m index.Model, f lexicon.Filter, question []float32, q engram.VectorQuery) ([]int64, error) {
	s, err := x.Words.Scope(ctx, f)
	if err != nil || s == nil {
		return nil, err
	}
	parts, err := s.Parts(ctx)
	if err != nil {
		return nil, err
	}
	signs, levels := width(q.Limit, s.Rows, q.Close)
	if s.Check == nil {
		nums, _, err := x.scan(ctx, m, parts, question, signs, levels)
		return nums, err
	}
	// Conditions that need the memories are checked on ever more candidates, until enough pass or all
	// are checked.
	for {
		nums, all, err := x.scan(ctx, m, parts, question, signs, signs)
		if err != nil {
			return nil, err
		}
		pass, err := s.Check(ctx, nums)
		if err != nil {
			return nil, err
		}
		nums = slices.DeleteFunc(nums, func(num int64) bool { return !pass[num] })
		if all || len(nums) >= levels {
			return nums, nil
		}
		signs *= 8
	}
}

// scan returns the numbers of the nearest memories in scope by code, the best by signs and of these the
// best by levels, and of all memories without a code. all reports that these are all in scope.
func (x *Index) scan(ctx context.Context, m index.Model, parts []*lexicon.Part, question []float32, signs, levels int) (nums []int64, all bool, err error) {
	book, err := x.codesOf(ctx, m)
	if err != nil {
		return nil, false, err
	}
	at := x.Cache.rooms.Take()
	defer x.Cache.rooms.Give(at)
	nearest := &at.nearest
	nearest.Reset(vector.Signs(question), signs)
	pages, err := x.loadCodes(ctx, book, parts)
	if err != nil {
		return nil, false, err
	}
	for i, p := range slices.Backward(parts) {
		if p.Num() == 0 {
			for slot := range p.Docs.Len() {
				if p.Pass(slot) {
					nums = append(nums, p.Docs.Num(slot))
				}
			}
			continue
		}
		if last := len(pages[i]) - 1; last >= 0 && len(pages[i][last].sizes) > (p.Docs.Len()-last*pageSlots)*vector.SignBytes(m.Dimensions) {
			return nil, false, errDamagedCodes(p.Num()) // codes beyond the last slot
		}
		for n, page := range slices.Backward(pages[i]) {
			var pass func(int) bool
			if !p.All() {
				pass = func(slot int) bool { return p.Pass(n*pageSlots + slot) }
			}
			among := page.pointing()
			nearest.Scan(page.signs[pageHeader:], among[:], int64(i*lexicon.MaxSlots+n*pageSlots), pass)
		}
	}
	at.found = nearest.Found(at.found[:0])
	found := at.found
	all = len(found) < signs
	if len(found) > levels {
		found = at.refine(found, pages, question, levels)
	}
	for _, place := range found {
		nums = append(nums, parts[place/lexicon.MaxSlots].Docs.Num(int(place%lexicon.MaxSlots)))
	}
	return nums, all, nil
}

// Vectors that have much in common are told apart by less than the levels say. If the last that is kept is as near as
// this, by vector.Estimator.Nearness of a unit vector of one number, and within doubt of the certain-th, which is three
// standard deviations, wider times as many are kept. Few questions to the built-in model need that.
const (
	alikeFrom = 0.45 // a cosine of about .52
	certain   = 10
	doubt     = 3 * 0.37
	wider     = 4
)

// comparedAtOnce is how many codes are compared by levels at once: of 256 numbers they take 32 kB.
const comparedAtOnce = 512

// refine keeps the best by levels of found, which are places in pages.
func (r *room) refine(found []int64, pages [][]codePage, question []float32, most int) []int64 {
	r.estimator.Reset(question)
	size := vector.SignBytes(len(question))
	r.scores = slices.Grow(r.scores[:0], len(found))
	for some := range slices.Chunk(found, comparedAtOnce) {
		r.codes = r.codes[:0]
		for _, at := range some { // they lie far apart: copied, their reads do not wait for each other
			slot := int(at % lexicon.MaxSlots)
			signs, sizes := pages[at/lexicon.MaxSlots][slot/pageSlots].code(slot%pageSlots, size)
			r.codes = append(append(r.codes, signs...), sizes...)
		}
		r.scores = r.estimator.NearnessOfAll(r.scores, r.codes)
	}
	best := r.best(found, most)
	last := len(best) - 1
	if most >= byLevels && len(best) == most && best[last].Score > alikeFrom*math.Sqrt(float64(len(question))) && best[certain-1].Score-best[last].Score < doubt {
		best = r.best(found, wider*most)
	}
	found = found[:0]
	for _, b := range best {
		found = append(found, b.Num)
	}
	return found
}

// best ranks places by their scores.
func (r *room) best(found []int64, most int) []engram.Ranked {
	top := vector.NewTop(most)
	for i, at := range found {
		top.Offer(at, r.scores[i])
	}
	return top.Ranked()
}

// rank compares the rows of near, and adds to q.Vectors those of the nearest and of q.Also.
func (x *Index) rank(ctx context.Context, m index.Model, question []float32, near []int64, q engram.VectorQuery) ([]engram.Ranked, error) {
	slices.Sort(near)
	asked := near
	if q.Vectors != nil { // in one statement
		asked = slices.Concat(near, q.Also)
		slices.Sort(asked) // in storage order
		asked = slices.Compact(asked)
	}
	nums, rows := make([]int64, 0, len(asked)), make([][]byte, 0, len(asked))
	top := vector.NewTop(q.Limit)
	err := x.vectorRows(ctx, m, asked, func(num int64, row []byte) error {
		if nums, rows = append(nums, num), append(rows, row); q.Vectors != nil {
			if _, among := slices.BinarySearch(near, num); !among {
				return nil
			}
		}
		if _, cosine, ok := vector.Nearest(question, row); ok {
			top.Offer(num, cosine)
		}
		return nil
	})
	found := top.Ranked()
	if err != nil || q.Vectors == nil {
		return found, err
	}
	shown := slices.Clone(q.Also)
	for _, r := range found {
		shown = append(shown, r.Num)
	}
	slices.Sort(shown)
	return found, readNearest(q, m, question, slices.Compact(shown), nums, rows)
}

// mostKeptRows bounds the vectors of one request that are cached.
const mostKeptRows = 2000

// vectorRows calls fn for each memory that has a vector. It caches rows until the next write, because
// the nearest memories are requested again soon, and each row is on a page of its own.
func (x *Index) vectorRows(ctx context.Context, m index.Model, nums []int64, fn func(num int64, row []byte) error) error {
	rows, kept, missing, err := x.keptRows(ctx, m, nums)
	if err != nil {
		return err
	}
	read, err := x.readVectorRows(ctx, m, missing, rows)
	if err != nil {
		return err
	}
	if kept != nil {
		kept.passages += max(0, read-len(missing)*vector.RowBytes(m.Dimensions))
	}
	for _, num := range nums {
		if row := rows[num]; row != nil {
			if err := fn(num, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// keptRows returns the cached rows, with room for those of nums, where they are kept beyond the transaction, and which of
// nums are missing.
func (x *Index) keptRows(ctx context.Context, m index.Model, nums []int64) (rows map[int64][]byte, u *Seen, missing []int64, err error) {
	if len(nums) > mostKeptRows {
		return map[int64][]byte{}, nil, nums, nil
	}
	if u, err = x.Seen(ctx); err != nil {
		return nil, nil, nil, err
	}
	if u == nil {
		if x.rows == nil {
			x.rows = rowsOf{}
		}
		rows = x.rows.of(m.Num)
		return rows, nil, unread(rows, nums), nil
	}
	if missing = unread(u.rows.of(m.Num), nums); len(missing) > 0 {
		u.grow(len(missing)*(vector.RowBytes(m.Dimensions)+100) + u.passages)
		u.passages = 0
	}
	if rows = u.rows.of(m.Num); len(rows) == 0 { // maybe just emptied
		missing = nums
	}
	return rows, u, missing, nil
}

// unread returns those of nums for which rows has no entry.
func unread(rows map[int64][]byte, nums []int64) []int64 {
	var missing []int64
	for _, num := range nums {
		if _, known := rows[num]; !known {
			missing = append(missing, num)
		}
	}
	return missing
}

// readVectorRows adds the memories' vectors to rows, and returns how many bytes it read. Those without one are asked for
// again next time: it may be made meanwhile.
func (x *Index) readVectorRows(ctx context.Context, m index.Model, nums []int64, rows map[int64][]byte) (read int, err error) {
	if len(nums) == 0 {
		return 0, nil
	}
	err = x.Rows.Rows(ctx, m.Num, nums, func(num int64, row []byte) error {
		read += len(row)
		rows[num] = row
		return nil
	})
	return read, err
}

// Newest returns the vectors of the most newest live memories of a project, or of Several. Callers keep what they compute
// from them.
func (x *Index) Newest(ctx context.Context, fingerprint string, project int64, most int) (engram.StoredVectors, error) {
	m, found, err := x.model(ctx, fingerprint)
	if err != nil || !found {
		return engram.StoredVectors{}, err
	}
	rows := make([][]byte, 0, min(most, 512))
	err = x.Rows.NewestRows(ctx, m.Num, project, most, func(row []byte) error {
		row = vector.First(row, m.Dimensions)
		if !vector.IsRow(row, m.Dimensions) {
			return engram.Errorf(engram.CodeInternal, "a vector is damaged").WithHint("rebuild it with {reembed --all}")
		}
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		return engram.StoredVectors{}, err
	}
	return engram.StoredVectors{Count: len(rows), Dimensions: m.Dimensions, Read: func(i int, into []float32) { vector.ReadRow(into, rows[i]) }}, nil
}

// Missing returns the first numbers, after after, of live memories without a vector of a model; all reports
// that the model is unknown, so that every memory lacks one. It compares two counts first, and finds the memories
// by the pages of codes, without reading others.
func (x *Index) Missing(ctx context.Context, fingerprint string, after int64, limit int) (nums []int64, all bool, err error) {
	m, found, err := x.model(ctx, fingerprint)
	if err != nil || !found {
		return nil, !found, err
	}
	if err := x.Flush(ctx); err != nil {
		return nil, false, err
	}
	if lacking, err := x.Rows.Lacking(ctx, m.Num); err != nil || lacking == 0 {
		return nil, false, err
	}
	nums, err = x.missing(ctx, m, after, limit)
	return nums, false, err
}

// missing returns the first numbers, after after, of live memories without a vector.
func (x *Index) missing(ctx context.Context, m index.Model, after int64, limit int) ([]int64, error) {
	parts, err := x.Words.Segments(ctx)
	if err != nil {
		return nil, err
	}
	book, err := x.codesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	pages, err := x.loadCodes(ctx, book, parts)
	if err != nil {
		return nil, err
	}
	first := vector.NewTop(limit)
	for i, p := range parts {
		has, err := x.having(ctx, m, pages[i], p)
		if err != nil {
			return nil, err
		}
		for slot := range p.Docs.Len() {
			if num := p.Docs.Num(slot); num > after && p.Pass(slot) && !has(slot) {
				first.Offer(num, -float64(num))
			}
		}
	}
	var nums []int64
	for _, r := range first.Ranked() {
		nums = append(nums, r.Num)
	}
	return nums, nil
}

// having returns which slots of a segment have vectors: by their codes, or by their rows if they are not
// sealed.
func (x *Index) having(ctx context.Context, m index.Model, pages []codePage, p *lexicon.Part) (func(slot int) bool, error) {
	if p.Num() != 0 {
		return func(slot int) bool { return slot/pageSlots < len(pages) && pages[slot/pageSlots].has(slot%pageSlots) }, nil
	}
	nums := make([]int64, p.Docs.Len())
	for slot := range nums {
		nums[slot] = p.Docs.Num(slot)
	}
	have := make(map[int64]bool, len(nums))
	err := x.vectorRows(ctx, m, nums, func(num int64, _ []byte) error {
		have[num] = true
		return nil
	})
	return func(slot int) bool { return have[nums[slot]] }, err
}
