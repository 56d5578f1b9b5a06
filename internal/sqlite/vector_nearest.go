package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
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

// Nearest ranks live memories by cosine in three steps: by the signs of their vectors, by levels, and by
// rows. It compares the rows of all memories without a slot.
func (t *tx) Nearest(ctx context.Context, q engram.VectorQuery) ([]engram.Ranked, error) {
	m, found, err := t.model(ctx, q.Model)
	if !found {
		return nil, err
	}
	if err := vector.Check(q.Vector, m.dimensions); err != nil {
		return nil, err
	}
	question := slices.Clone(q.Vector)
	if !vector.Normalise(question) {
		return nil, nil
	}
	s, err := t.scopeOf(ctx, q.Filter, false)
	if err != nil {
		return nil, err
	}
	var near []int64
	if s != nil {
		if near, err = t.near(ctx, m, s, question, q); err != nil {
			return nil, fmt.Errorf("search vectors: %w", err)
		}
	}
	if t.hidden != nil && len(q.Also) > 0 {
		if q.Also, err = column[int64](ctx, t, `SELECT num FROM memories WHERE num IN (SELECT value FROM json_each(?))`, jsonNums(q.Also)); err != nil {
			return nil, err
		}
	}
	return t.rank(ctx, m, question, near, q)
}

// near returns candidates for the nearest memories in scope.
func (t *tx) near(ctx context.Context, m model, s *scope, question []float32, q engram.VectorQuery) ([]int64, error) {
	signs, levels := width(q.Limit, s.rows, q.Close)
	if !s.needsCheck() {
		nums, _, err := t.scan(ctx, m, s, question, signs, levels)
		return nums, err
	}
	// Conditions that need the memories are checked on ever more candidates, until enough pass or all
	// are checked.
	for {
		nums, all, err := t.scan(ctx, m, s, question, signs, signs)
		if err != nil {
			return nil, err
		}
		pass, err := s.check(ctx, nums)
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
func (t *tx) scan(ctx context.Context, m model, s *scope, question []float32, signs, levels int) (nums []int64, all bool, err error) {
	book, err := t.codesOf(ctx, m)
	if err != nil {
		return nil, false, err
	}
	nearest := vector.NewNearestCodes(vector.Signs(question), signs)
	pages := make([][]codePage, len(s.segments))
	for i, g := range slices.Backward(s.segments) {
		w, err := s.in(ctx, g)
		if err != nil {
			return nil, false, err
		}
		if g.num == 0 {
			for slot := range g.docs.Len() {
				if w.pass(slot) {
					nums = append(nums, g.docs.Num(slot))
				}
			}
			continue
		}
		if pages[i], err = t.loadCodes(ctx, book, g.num); err != nil {
			return nil, false, err
		}
		if last := len(pages[i]) - 1; last >= 0 && len(pages[i][last].sizes) > (g.docs.Len()-last*pageSlots)*vector.SignBytes(m.dimensions) {
			return nil, false, errDamagedCodes() // codes beyond the last slot
		}
		for n, page := range slices.Backward(pages[i]) {
			var pass func(int) bool
			if !w.all() {
				pass = func(slot int) bool { return w.pass(n*pageSlots + slot) }
			}
			among := page.pointing()
			nearest.Scan(page.signs[pageHeader:], among[:], int64(i*segmentSlots+n*pageSlots), pass)
		}
	}
	found := nearest.Found()
	all = len(found) < signs
	if len(found) > levels {
		found = refine(found, pages, question, levels)
	}
	for _, at := range found {
		nums = append(nums, s.segments[at/segmentSlots].docs.Num(int(at%segmentSlots)))
	}
	return nums, all, nil
}

// refine keeps the best by levels of found, which are places in pages.
func refine(found []int64, pages [][]codePage, question []float32, most int) []int64 {
	size, e, top := vector.SignBytes(len(question)), vector.NewEstimator(question), vector.NewTop(most)
	for _, at := range found {
		slot := int(at % segmentSlots)
		top.Offer(at, e.Nearness(pages[at/segmentSlots][slot/pageSlots].code(slot%pageSlots, size)))
	}
	found = found[:0]
	for _, r := range top.Ranked() {
		found = append(found, r.Num)
	}
	return found
}

// rank compares the rows of near and of q.Also.
func (t *tx) rank(ctx context.Context, m model, question []float32, near []int64, q engram.VectorQuery) ([]engram.Ranked, error) {
	inScope := make(map[int64]bool, len(near))
	for _, num := range near {
		inScope[num] = true
	}
	asked := near
	for _, num := range q.Also {
		if !inScope[num] && !slices.Contains(asked[len(near):], num) {
			asked = append(asked, num)
		}
	}
	slices.Sort(asked) // in storage order
	also := map[int64]float64{}
	wanted := map[int64]bool{}
	for _, num := range q.Also {
		wanted[num] = true
	}
	top := vector.NewTop(q.Limit)
	err := t.vectorRows(ctx, m, asked, func(num int64, row []byte) error {
		cosine, ok := vector.RowCosine(question, row)
		if ok && inScope[num] {
			top.Offer(num, cosine)
		}
		if ok && wanted[num] {
			also[num] = cosine
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare vectors: %w", err)
	}
	best := top.Ranked()
	for _, r := range best {
		delete(also, r.Num)
	}
	rest := vector.NewTop(len(also))
	for num, cosine := range also {
		rest.Offer(num, cosine)
	}
	return append(best, rest.Ranked()...), nil
}

// vectorRowsSQL reads rows by the primary key.
const vectorRowsSQL = `SELECT v.memory, v.row FROM json_each(?) AS asked CROSS JOIN vectors v ON v.model = ? AND v.memory = asked.value`

// mostKeptRows bounds the vectors of one request that are cached.
const mostKeptRows = 2000

// vectorRows calls fn for each memory that has a vector. It caches rows until the next write, because
// the nearest memories are requested again soon, and each row is on a page of its own.
func (t *tx) vectorRows(ctx context.Context, m model, nums []int64, fn func(num int64, row []byte) error) error {
	rows, err := t.keptRows(ctx, m, nums)
	if err != nil {
		return err
	}
	missing := unread(rows, m, nums)
	if err := t.readVectorRows(ctx, m, missing, rows); err != nil {
		return err
	}
	for _, num := range nums {
		if row := rows[vectorOf{m.num, num}]; row != nil {
			if err := fn(num, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// keptRows returns the cached rows, with room for those of nums.
func (t *tx) keptRows(ctx context.Context, m model, nums []int64) (map[vectorOf][]byte, error) {
	if len(nums) > mostKeptRows {
		return map[vectorOf][]byte{}, nil
	}
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	if u != nil {
		if missing := len(unread(u.rows, m, nums)); missing > 0 {
			u.grow(missing * (vector.RowBytes(m.dimensions) + 100))
		}
		return u.rows, nil
	}
	if t.vectors == nil {
		t.vectors = map[vectorOf][]byte{}
	}
	return t.vectors, nil
}

// unread returns those of nums for which rows has no entry.
func unread(rows map[vectorOf][]byte, m model, nums []int64) []int64 {
	var missing []int64
	for _, num := range nums {
		if _, known := rows[vectorOf{m.num, num}]; !known {
			missing = append(missing, num)
		}
	}
	return missing
}

// readVectorRows adds the memories' vectors to rows, nil for those without one.
func (t *tx) readVectorRows(ctx context.Context, m model, nums []int64, rows map[vectorOf][]byte) error {
	if len(nums) == 0 {
		return nil
	}
	for _, num := range nums {
		rows[vectorOf{m.num, num}] = nil
	}
	arena := make([]byte, 0, len(nums)*vector.RowBytes(m.dimensions))
	var num int64
	var row sql.RawBytes
	err := t.rows(ctx, vectorRowsSQL, []any{jsonNums(nums), m.num}, func(s scanner) error {
		if err := s.Scan(&num, &row); err != nil {
			return err
		}
		start := len(arena)
		arena = append(arena, row...)
		rows[vectorOf{m.num, num}] = arena[start:len(arena):len(arena)]
		return nil
	})
	if err != nil { // remove the placeholders
		for _, num := range nums {
			delete(rows, vectorOf{m.num, num})
		}
	}
	return err
}

// The newest vectors, found by memories_recent and memories_project_recent without reading memories.
const (
	newestVectorsSQL = `SELECT v.row FROM (SELECT num FROM memories WHERE deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT ?) AS m
		CROSS JOIN vectors v ON v.model = ? AND v.memory = m.num`
	projectNewestVectorsSQL = `SELECT v.row FROM (SELECT num FROM memories WHERE project = ? AND deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT ?) AS m
		CROSS JOIN vectors v ON v.model = ? AND v.memory = m.num`
)

// mostKeptNewest bounds the cached vectors of a project; larger callers keep what they compute from
// them.
const mostKeptNewest = 128

// NewestVectors returns the vectors of the newest live memories of a project, which the caller must not
// change.
func (t *tx) NewestVectors(ctx context.Context, fingerprint, project string, most int) ([][]float32, error) {
	m, found, err := t.model(ctx, fingerprint)
	if err != nil || !found {
		return nil, err
	}
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	key := newestOf{m.num, project, most}
	if u != nil {
		if vs, known := u.newest[key]; known {
			return vs, nil
		}
	}
	query, args := newestVectorsSQL, []any{most, m.num}
	if project != "" {
		num, known, err := t.knownProject(ctx, project)
		if err != nil || !known {
			return nil, err
		}
		query, args = projectNewestVectorsSQL, []any{num, most, m.num}
	}
	var vs [][]float32
	err = t.rows(ctx, query, args, func(s scanner) error {
		var row []byte
		if err := s.Scan(&row); err != nil {
			return err
		}
		v, ok := vector.Row(row, m.dimensions)
		if !ok {
			return engram.Errorf(engram.CodeInternal, "a vector is damaged").WithHint("rebuild it with {reembed --all}")
		}
		vs = append(vs, v)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the newest vectors: %w", err)
	}
	if u != nil && len(vs) <= mostKeptNewest {
		u.grow(len(vs) * (4*m.dimensions + 100))
		u.newest[key] = vs
	}
	return vs, nil
}

const (
	// liveFromSQL reads live memories by number, skipping forgotten ones.
	liveFromSQL = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num > ? AND m.deleted_at IS NULL ORDER BY m.num LIMIT ?`
	coveredSQL  = `SELECT (SELECT coalesce(sum(live), 0) FROM tallies) - memories FROM models WHERE num = ?`
)

// unembedded returns live memories without a vector of the model, by number. It compares two counts
// first, and finds the memories by the pages of codes, without reading others.
func (t *tx) unembedded(ctx context.Context, fingerprint string, after int64, limit int) ([]engram.Memory, error) {
	m, found, err := t.model(ctx, fingerprint)
	if err != nil {
		return nil, err
	}
	if !found {
		return t.memories(ctx, liveFromSQL, after, limit)
	}
	var missing int64
	if err := t.row(ctx, coveredSQL, []any{m.num}, &missing); err != nil {
		return nil, fmt.Errorf("count vectors: %w", err)
	}
	if missing == 0 {
		return nil, nil
	}
	nums, err := t.missing(ctx, m, after, limit)
	if err != nil {
		return nil, err
	}
	return t.Memories(ctx, nums)
}

// missing returns the first numbers, after after, of live memories without a vector.
func (t *tx) missing(ctx context.Context, m model, after int64, limit int) ([]int64, error) {
	cat, err := t.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	book, err := t.codesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	first := vector.NewTop(limit)
	offer := func(num int64) {
		if num > after {
			first.Offer(num, -float64(num))
		}
	}
	for _, g := range cat.segments {
		if err := t.load(ctx, g); err != nil {
			return nil, err
		}
		pages, err := t.loadCodes(ctx, book, g.num)
		if err != nil {
			return nil, err
		}
		for slot := range g.docs.Len() {
			if g.docs.Live(slot) && !(slot/pageSlots < len(pages) && pages[slot/pageSlots].has(slot%pageSlots)) {
				offer(g.docs.Num(slot))
			}
		}
	}
	if err := t.missingFresh(ctx, m, cat.fresh, offer); err != nil {
		return nil, err
	}
	var nums []int64
	for _, r := range first.Ranked() {
		nums = append(nums, r.Num)
	}
	return nums, nil
}

// missingFresh offers the unsealed memories without a vector; fresh may be nil.
func (t *tx) missingFresh(ctx context.Context, m model, fresh *segment, offer func(num int64)) error {
	if fresh == nil {
		return nil
	}
	var nums []int64
	for slot := range fresh.docs.Len() {
		nums = append(nums, fresh.docs.Num(slot))
	}
	have := make(map[int64]bool, len(nums))
	err := t.vectorRows(ctx, m, nums, func(num int64, _ []byte) error {
		have[num] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	for _, num := range nums {
		if !have[num] {
			offer(num)
		}
	}
	return nil
}
