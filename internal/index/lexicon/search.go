package lexicon

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// Search ranks the memories that match q, best first, by exact BM25 over every memory that passes f, which
// stands for q.Filter. The rarity of a word is counted in the project, or in the store if no project is
// requested.
//
// It reads the lists of all words in all segments first, because the weight of a word depends on the
// number of memories that have it; then it adds up the scores segment by segment.
func (x *Index) Search(ctx context.Context, q engram.LexicalQuery, f Filter) (engram.Lexical, error) {
	if len(q.Terms) == 0 {
		return engram.Lexical{}, nil
	}
	sc, err := x.scope(ctx, f, q.Alone) // session scores need all documents
	if err != nil || sc == nil {
		return engram.Lexical{}, err
	}
	for _, g := range sc.segments {
		if err := x.readWords(ctx, g); err != nil {
			return engram.Lexical{}, fmt.Errorf("search: %w", err)
		}
	}
	s := &search{scope: sc, query: q, room: x.Cache.rooms.Take()}
	defer x.Cache.rooms.Give(s.room)
	s.decoded = s.decoded[:0]
	if err := s.run(ctx); err != nil {
		return engram.Lexical{}, fmt.Errorf("search: %w", err)
	}
	answer := engram.Lexical{Hits: vector.Ranked(s.hits), Rows: sc.Rows, Length: s.collection().Length, Beside: s.beside, Parts: s.parted}
	for _, w := range s.terms {
		rows := w.rows
		if w.tool != nil {
			rows = min(rows+w.tool.rows, sc.Rows)
		}
		answer.Words = append(answer.Words, engram.WordCount{Term: w.term, Matched: w.matched, Repaired: w.repaired, Rows: rows})
	}
	return answer, nil
}

// search is the state of one query.
type search struct {
	scope *Scope
	query engram.LexicalQuery
	terms []*word
	asked map[string][]postings.List // lists of the query's words, by segment in scope
	tools map[string]*word           // tool names by the query's word
	hits  []vector.Placed

	beside map[int64]*engram.Beside
	parted map[int64][]float32

	*room
	scratch []postings.Posting // of a list for which decoded has no room
	tf      []uint32           // scratch space for postings.Union
}

// room is space that one search after the other uses.
type room struct {
	decoded       []postings.Posting // for holdings
	sums          sums
	stands        []standing // the hits
	before, after []standing // their neighbours
	byPlace       []int      // their indexes, by segment and slot
}

// mostDecoded is how many postings are kept in the room until the search is over, as they are read up to three
// times: 2 MB.
const mostDecoded = 1 << 18

// word is a term of the query with its matches in the index.
type word struct {
	term     engram.Term
	matched  []string  // indexed words that match it
	repaired bool      // matched are corrections of what was written
	spread   []holding // by segment in scope
	rows     int       // memories of the project that contain it
	tool     *word     // the same word in tool names; nil if none has it
	isTool   bool      // it is the tool of another word
}

// holding is what one segment has of a word.
type holding struct {
	list postings.List      // of a single indexed word
	all  []postings.Posting // decoded; of several words, only this
}

func (h holding) empty() bool { return h.list.Len() == 0 && len(h.all) == 0 }

// postings returns the postings of a holding, valid until the next call.
func (s *search) postings(h *holding) (ps []postings.Posting, err error) {
	switch {
	case h.all != nil || h.list.Len() == 0:
		return h.all, nil
	case len(s.decoded)+h.list.Len() > mostDecoded:
		s.scratch, err = h.list.Decode(s.scratch[:0])
		return s.scratch, err
	}
	from := len(s.decoded)
	if s.decoded, err = h.list.Decode(s.decoded); err == nil {
		h.all = s.decoded[from:len(s.decoded):len(s.decoded)]
	}
	return h.all, err
}

func (s *search) run(ctx context.Context) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	if err := s.countTools(); err != nil {
		return err
	}
	for _, term := range s.query.Terms {
		w, err := s.look(ctx, term)
		if err != nil {
			return err
		}
		s.terms = append(s.terms, w)
	}
	if s.query.All {
		return s.every(ctx)
	}
	var ws []*word
	for _, w := range s.terms {
		if w.rows > 0 {
			ws = append(ws, w)
		}
		if w.tool != nil {
			ws = append(ws, w.tool)
		}
	}
	var err error
	if s.hits, err = s.rank(ctx, ws, 0, s.query.Limit); err != nil {
		return err
	}
	if len(s.hits) < min(s.query.Limit, enoughHits) {
		if err := s.fill(ctx); err != nil {
			return err
		}
	}
	if s.query.Alone {
		return nil
	}
	stands := s.standing()
	room := s.query.Room
	if room == nil {
		room = new(engram.LexicalRoom)
	}
	places, numbers := room.For(len(stands), len(s.terms))
	s.beside, s.parted = room.Beside, room.Parts
	s.neighbours(stands, places)
	return s.parts(stands, numbers)
}

// every ranks the memories that contain all the words.
func (s *search) every(ctx context.Context) (err error) {
	var ws []*word
	for _, w := range s.terms {
		if w.term.Joined {
			continue
		}
		if w.rows == 0 {
			return nil
		}
		ws = append(ws, w)
	}
	s.hits, err = s.rank(ctx, ws, len(ws), s.query.Limit)
	return err
}

// enoughHits is the number of hits from which on words that only share a prefix are not added.
const enoughHits = 10

// fill appends memories with words that start with those of the query: "auth" should find authentication
// too.
func (s *search) fill(ctx context.Context) error {
	var ws []*word
	for _, term := range s.query.Terms {
		if len(term.Written) < 3 || term.Stop || term.Joined {
			continue
		}
		w := &word{term: term}
		if err := s.beginning(ctx, w, term.Written); err != nil {
			return err
		}
		if w.rows > 0 {
			ws = append(ws, w)
		}
	}
	more, err := s.rank(ctx, ws, 0, s.query.Limit)
	if err != nil {
		return err
	}
	have := map[int64]bool{}
	last := 0.0
	for _, f := range s.hits {
		have[f.Num] = true
		last = f.Score
	}
	for _, f := range more {
		if len(s.hits) == s.query.Limit {
			break
		}
		if have[f.Num] {
			continue
		}
		// Its score belongs to another query, so it is capped to rank after the others.
		if len(have) > 0 {
			f.Score = min(f.Score, last)
		}
		last = f.Score
		s.hits = append(s.hits, f)
	}
	return nil
}

// collection returns the statistics in which rarity is counted.
func (s *search) collection() retrieval.BM25 {
	return retrieval.BM25{Rows: s.scope.Rows, Length: float64(s.scope.tokens) / float64(max(s.scope.Rows, 1))}
}

// briefTerms is up to how many words a query counts as typed into a search box, where a word may be
// incomplete. In longer queries the other words find the answer.
const briefTerms = 6

// look hits the index's match for a term: the exact word, or else the likely intended one. In a brief
// query words with that prefix come first, and substring matches last.
func (s *search) look(ctx context.Context, term engram.Term) (*word, error) {
	w := &word{term: term}
	if err := s.either(ctx, w, term.Words()); err != nil {
		return w, err
	}
	if w.tool = s.tools[term.Word]; w.rows > 0 || w.tool != nil {
		return w, nil
	}
	if term.Stop || term.Time {
		return w, nil
	}
	brief := len(s.query.Terms) <= briefTerms
	if brief && len([]rune(term.Written)) >= 3 {
		if err := s.beginning(ctx, w, term.Written); err != nil || w.rows > 0 {
			return w, err
		}
	}
	if err := s.repair(ctx, w); err != nil || w.rows > 0 {
		return w, err
	}
	if len(s.query.Terms) == 1 {
		return w, s.fragment(ctx, w)
	}
	return w, nil
}

// ask reads the lists of the query's words, those of tool names, too.
func (s *search) ask(ctx context.Context) error {
	var words []string
	for _, term := range s.query.Terms {
		for _, word := range term.Words() {
			if searchable(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	words = append(words, s.toolNames()...)
	lists, err := s.scope.index.lists(ctx, s.scope.segments, words)
	if err != nil {
		return err
	}
	all := 0
	for _, of := range lists {
		for _, l := range of {
			all += l.Len()
		}
	}
	if most := min(all+all/4, mostDecoded); cap(s.decoded) < most { // with those of corrections, at once
		s.decoded = make([]postings.Posting, 0, most)
	}
	s.asked = make(map[string][]postings.List, len(words))
	for i, word := range words {
		s.asked[word] = lists[i]
	}
	return nil
}

// toolNames returns the words of the query that are looked for in tool names, too: none for a search for all words.
func (s *search) toolNames() (names []string) {
	if s.query.All {
		return nil
	}
	for _, t := range s.query.Terms {
		if name := toolMark + t.Word; !t.Stop && !t.Time && !t.Joined && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// countTools finds which words of the query tool names have.
func (s *search) countTools() error {
	s.tools = map[string]*word{}
	for _, name := range s.toolNames() {
		w := &word{isTool: true, spread: make([]holding, len(s.scope.segments))}
		for i, l := range s.asked[name] {
			w.spread[i].list = l
		}
		if err := s.count(w); err != nil {
			return err
		}
		if w.rows > 0 { // otherwise only other projects have it
			s.tools[name[len(toolMark):]] = w
		}
	}
	return nil
}

// searchable reports whether a word may be searched for: words that encode tags and tool names may not.
func searchable(word string) bool {
	return word != "" && !strings.HasPrefix(word, tagMark) && !strings.HasPrefix(word, toolMark)
}

// exactly sets w to one indexed word.
func (s *search) exactly(ctx context.Context, w *word, indexed string) error {
	w.spread = make([]holding, len(s.scope.segments))
	if !searchable(indexed) {
		return nil
	}
	lists, known := s.asked[indexed]
	if !known {
		read, err := s.scope.index.lists(ctx, s.scope.segments, []string{indexed})
		if err != nil {
			return err
		}
		lists = read[0]
	}
	for i, l := range lists {
		w.spread[i].list = l
	}
	w.matched = []string{indexed}
	return s.count(w)
}

// either sets w to those of the words that the project has.
func (s *search) either(ctx context.Context, w *word, words []string) error {
	var had []string
	var last word // of had
	for _, one := range words {
		if err := s.exactly(ctx, w, one); err != nil {
			return err
		}
		if len(w.matched) > 0 {
			had, last = append(had, w.matched...), *w
		}
	}
	if len(had) == 1 {
		*w = last
	}
	if len(had) > 1 {
		slices.Sort(had)
		return s.anyOf(ctx, w, had, postings.Either)
	}
	return nil
}

// count sets how many memories of the project contain the word.
func (s *search) count(w *word) error {
	w.rows = 0
	for i, g := range s.scope.segments {
		n, err := s.rowsIn(g, &w.spread[i])
		if err != nil {
			return err
		}
		w.rows += n
	}
	if w.rows == 0 {
		w.matched = nil
	}
	return nil
}

// rowsIn returns how many memories of the project a holding of segment g has.
func (s *search) rowsIn(g *segment, h *holding) (rows int, err error) {
	if !s.scope.mixed(g) || h.empty() {
		return max(h.list.Len(), len(h.all)), nil
	}
	ps, err := s.postings(h)
	if err != nil {
		return 0, err
	}
	for _, p := range ps {
		if int(p.Slot) >= g.docs.Len() {
			return 0, postings.ErrDamaged
		}
		if s.scope.has(int64(g.docs.Project(int(p.Slot)))) {
			rows++
		}
	}
	return rows, nil
}

// maxMatched bounds the matched words that are reported.
const maxMatched = 32

// beginning sets w to all indexed words with a prefix.
func (s *search) beginning(ctx context.Context, w *word, begins string) error {
	segments := s.scope.segments
	counts, lists := map[string]int{}, make([][]postings.List, len(segments))
	err := s.scope.index.beginning(ctx, segments, begins, func(i int, word, raw []byte) error {
		l, err := postings.ReadList(bytes.Clone(raw))
		if err != nil {
			return err
		}
		lists[i] = append(lists[i], l)
		n, err := s.rowsIn(segments[i], &holding{list: l})
		if n > 0 { // otherwise only other projects have it
			counts[string(word)] += n
		}
		return err
	})
	if err != nil {
		return err
	}
	w.spread = make([]holding, len(segments))
	for i, g := range segments {
		if w.spread[i], err = s.join(g, lists[i], postings.Union); err != nil {
			return err
		}
	}
	w.matched = mostFrequent(counts, maxMatched)
	return s.count(w)
}

// anyOf sets w to several indexed words, whose lists unite merges.
func (s *search) anyOf(ctx context.Context, w *word, words []string, unite merge) error {
	w.spread = make([]holding, len(s.scope.segments))
	read, err := s.scope.index.lists(ctx, s.scope.segments, words)
	if err != nil {
		return err
	}
	for i, g := range s.scope.segments {
		var lists []postings.List
		for _, of := range read {
			if of[i].Len() > 0 {
				lists = append(lists, of[i])
			}
		}
		if w.spread[i], err = s.join(g, lists, unite); err != nil {
			return err
		}
	}
	w.matched = words
	return s.count(w)
}

// merge is postings.Union or postings.Either.
type merge func(into []postings.Posting, lists []postings.List, tf []uint32) ([]postings.Posting, error)

// join merges the lists that segment g has of several words.
func (s *search) join(g *segment, lists []postings.List, unite merge) (h holding, err error) {
	switch len(lists) {
	case 0:
		return holding{}, nil
	case 1:
		return holding{list: lists[0]}, nil
	}
	if len(s.tf) < g.slots {
		s.tf = make([]uint32, max(g.slots, MaxSlots))
	}
	most := 0
	for _, l := range lists {
		most += l.Len()
	}
	if len(s.decoded)+most > mostDecoded {
		h.all, err = unite(nil, lists, s.tf[:g.slots])
		return h, err
	}
	from := len(s.decoded)
	s.decoded, err = unite(s.decoded, lists, s.tf[:g.slots])
	h.all = s.decoded[from:len(s.decoded):len(s.decoded)]
	return h, err
}

// mostFrequent returns up to n words with the greatest counts, sorted by word.
func mostFrequent(counts map[string]int, n int) []string {
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	words = words[:min(n, len(words))]
	slices.Sort(words)
	return words
}
