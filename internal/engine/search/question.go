package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// depth limits the finds per channel; lower ranks in all channels are no answers.
const depth = 400

// Question is one search being answered. Its steps are defined in the order in which answer runs them; each
// reorders the finds and records in why what it did.
type Question struct {
	finder *Finder
	r      engram.Reader
	in     SearchInput
	Terms  []engram.Term

	embedder  engram.Embedder // for the question; nil: none
	ahead     []float32       // what it said before the words were known; nil if it was not asked
	mute      error           // why it could not say anything
	leans     leaning
	lexical   engram.Lexical
	byWord    []engram.Ranked   // the hits of lexical as it ranked them
	lent      map[int64]float64 // what their context added
	meaning   meaning
	second    *second         // nil: the embedder is alone
	beyond    []int64         // newest memories outside the project that may be found
	finds     []engram.Ranked // best first
	room      *room           // of a search, until its end
	memories  map[int64]*engram.Memory
	fading    Fading
	texts     *retrieval.Texts  // of the finds that were read
	led       map[int64]int64   // find from which relations lead to a memory
	around    []engram.Relation // of the memories in asked, as byRelation read them
	asked     map[int64]bool
	newer     map[int64][]int64 // memories that supersede a memory
	hidden    map[int64]bool    // finds replaced by a memory that supersedes them
	repeats   map[int64]int64   // better find with the same text
	matched   map[int64]matched // finds by how their texts match
	asking    asking
	types     map[engram.Type][]bool // which terms name it, by type
	typed     []engram.Type          // that each term names
	named     map[int64]int          // known items by kind
	textCache *cachedTexts           // parsed texts, one snapshot for all steps
	why       map[int64]*engram.Why
	blank     []engram.Why      // preallocated entries of why
	phrases   []text.TimePhrase // time expressions in the question
	times     []engram.TimeSpan
	degraded  []string

	share      map[int64]float64 // of the best score, before known items went first
	likeness   map[int64]float64 // of the finds of a search by strength (relevance.go)
	uncertain  map[int64]bool    // finds to show as uncertain; nil where something is certain
	wordsAlone bool              // the vector channel failed
}

// room is most of what a question allocates beside texts, for the next one.
type room struct {
	lexical engram.LexicalRoom
	fuser   retrieval.Fuser
	texts   retrieval.Texts     // Question.texts
	near    map[int64][]float32 // meaning.near
	numbers []float32           // of its vectors
}

func (f *Finder) takeRoom() *room {
	if r, some := f.rooms.Get().(*room); some {
		return r
	}
	return &room{near: map[int64][]float32{}}
}

// vectors returns a room for the numbers of so many vectors.
func (r *room) vectors(count, dimensions int) []float32 {
	if n := count * dimensions; cap(r.numbers) < n { // slices.Grow would write them
		r.numbers = make([]float32, n)
	}
	return r.numbers[:count*dimensions]
}

// end gives the room back: no vector and no find of the question may be used any more.
func (q *Question) end() {
	clear(q.room.near)
	q.room.texts.Gather(nil, nil)
	q.finder.rooms.Put(q.room)
	q.room, q.finds, q.meaning, q.texts, q.lexical = nil, nil, meaning{}, nil, engram.Lexical{}
}

// NewQuestion fixes the time, so that "yesterday" means the same in every step.
func NewQuestion(f *Finder, r engram.Reader, in SearchInput) *Question {
	in.Query = text.Clip(in.Query, text.MaxQuestion)
	at, still := f.ledger.Now(), *f
	still.ledger = f.ledger.At(at)
	phrases := text.Times(in.Query, at.In(f.ledger.Zone))
	textCache := f.textCache.open()
	return &Question{finder: &still, r: r, in: in, phrases: phrases, Terms: f.aliases.Add(withTimes(text.Query(in.Query), in.Query, phrases)),
		memories: make(map[int64]*engram.Memory, candidates), led: map[int64]int64{}, types: map[engram.Type][]bool{}, newer: map[int64][]int64{}, hidden: map[int64]bool{}, textCache: textCache, why: make(map[int64]*engram.Why, candidates)}
}

func (q *Question) now() time.Time { return q.finder.ledger.Now() }

// Wordless reports whether a question has no meaningful word; then it can match titles only.
func (q *Question) Wordless() bool { return len(q.Terms) == 0 || q.Terms[0].Stop } // text.Query gives stop words alone or not at all

func (q *Question) answer(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		q.prepare, q.byWords, q.byMeaning, q.fuse, q.expandByFeedback, q.read, q.byNearWords, q.weigh, q.byType, q.byMatch,
		q.rerankByMMR, q.byRelation, q.namedFirst, q.newestFirst,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// prepare chooses the embedder and reads settings and the project's leaning.
func (q *Question) prepare(ctx context.Context) (err error) {
	q.leans.cohesion = 0.5 // unknown
	if q.fading, err = q.finder.Fading(ctx, q.r); err != nil {
		return err
	}
	if err = q.choose(ctx); err != nil || q.embedder == nil {
		return err
	}
	if q.in.All {
		return nil // neither sessions nor meaning are used
	}
	leans, err := q.finder.leaning(ctx, q.r, q.room, q.embedder.Model(), q.in.Filter.Project)
	switch {
	case err == nil:
		q.leans = leans
	case engram.CodeOf(err) == engram.CodeInternal && q.in.Mode == ModeLexical: // damaged vectors, which a lexical search ignores
		return nil
	case engram.CodeOf(err) == engram.CodeInternal:
		return q.silent(ctx, err)
	}
	return err
}

// byWords asks the lexical channel and raises finds by their context.
func (q *Question) byWords(ctx context.Context) (err error) {
	q.lexical, err = q.r.Lexical(ctx, engram.LexicalQuery{Terms: q.Terms, All: q.in.All, Filter: q.in.Filter, Limit: depth, Room: &q.room.lexical})
	if err == nil {
		err = q.byWordsBeyond(ctx)
	}
	if err != nil || q.in.Mode == ModeSemantic {
		q.lexical.Hits = nil // the word counts still serve the threshold
		return err
	}
	q.byWord = q.lexical.Hits
	if q.in.All {
		return nil
	}
	q.inContext()
	return nil
}

// inContext raises finds by the words of the memories around them.
func (q *Question) inContext() {
	q.lexical.Hits, q.lent = retrieval.Context(q.lexical.Hits, q.lexical.Beside, q.lexical.Parts, q.leans.cohesion)
}

// fuse merges the channels.
func (q *Question) fuse(context.Context) error {
	if q.meaning.vector != nil {
		q.fuseFor(retrieval.PRFHits)
	} else {
		q.fuseFor(q.most())
	}
	return nil
}

// most returns how many of the best finds are read.
func (q *Question) most() int {
	if q.in.Filter.MinStrength > 0 {
		return math.MaxInt // only the memories themselves tell their strength
	}
	return max(candidates, 3*q.in.Limit)
}

// fuseFor merges the channels: the best finds, so many, are first and in order. 0 is for finds that have been read.
func (q *Question) fuseFor(best int) {
	weight := q.meaning.model.Weight
	switch {
	case q.in.Mode == ModeSemantic:
		weight = 1
	case len(q.meaning.finds) == 0:
		weight = 0
	}
	if q.fusion(q.meaning.model) == engram.FusionRank {
		retrieval.Sort(q.meaning.finds)
		q.finds = q.room.fuser.Ranks(weight, q.lexical.Hits, q.meaning.finds)
	} else {
		q.finds = q.room.fuser.Scores(weight, q.lexical.Hits, q.meaning.finds)
	}
	if best == 0 && q.secondLast() {
		q.keepSecond()
	} else {
		q.fuseSecond()
	}
	retrieval.SortBest(q.finds, best)
}

// fusion returns how the ranking of a model joins others.
func (q *Question) fusion(m engram.Model) engram.Fusion { return cmp.Or(q.in.Fusion, m.Fusion) }

// explained returns why a memory was found, with its ranks in the channels: most finds are never shown, so they
// are computed last.
func (q *Question) explained(num int64) engram.Why {
	why := *q.whyOf(num)
	var channels []engram.ChannelRank
	if i := slices.IndexFunc(q.byWord, func(f engram.Ranked) bool { return f.Num == num }); i >= 0 {
		channels = append(channels, engram.ChannelRank{Channel: engram.ChannelLexical, Rank: i + 1, Score: q.byWord[i].Score})
	}
	if i := slices.IndexFunc(q.meaning.first, func(f engram.Ranked) bool { return f.Num == num }); i >= 0 {
		rank := 1
		for _, f := range q.meaning.first {
			if retrieval.Compare(f, q.meaning.first[i]) < 0 {
				rank++
			}
		}
		channels = append(channels, engram.ChannelRank{Channel: engram.ChannelVector, Rank: rank, Score: q.meaning.first[i].Score})
	}
	why.Channels = append(channels, why.Channels...)
	if score, some := q.lent[num]; some {
		why.Factors = append([]engram.Factor{{Name: "+ context", Value: score}}, why.Factors...)
	}
	return why
}

func (q *Question) whyOf(num int64) *engram.Why {
	w := q.why[num]
	if w == nil {
		if len(q.blank) == 0 {
			q.blank = make([]engram.Why, candidates)
		}
		w, q.blank = &q.blank[0], q.blank[1:]
		q.why[num] = w
	}
	return w
}

func (q *Question) factor(num int64, factors ...engram.Factor) {
	w := q.whyOf(num)
	w.Factors = append(w.Factors, factors...)
}

func (q *Question) note(num int64, format string, args ...any) {
	w := q.whyOf(num)
	w.Notes = append(w.Notes, fmt.Sprintf(format, args...))
}

func (q *Question) degrade(format string, args ...any) {
	q.degraded = append(q.degraded, fmt.Sprintf(format, args...))
}

// read reads the memories of the best finds and drops those that do not pass the filter, such as session
// neighbours.
func (q *Question) read(ctx context.Context) error {
	best := q.finds[:min(len(q.finds), q.most())]
	ms, err := q.r.Memories(ctx, walk.NumsOf(best))
	if err != nil {
		return err
	}
	q.take(ms)
	q.finds = q.known(best)
	q.finds = q.finds[:min(len(q.finds), max(candidates, 3*q.in.Limit))]
	q.texts = q.passages(&q.room.texts, q.finds)
	return nil
}

// take adds those memories that pass the filter.
func (q *Question) take(ms []engram.Memory) {
	for i := range ms {
		if q.passes(ms[i]) {
			q.memories[ms[i].Num] = &ms[i]
		}
	}
}

// passes reports whether a memory passes the filter, with its minimum strength.
func (q *Question) passes(m engram.Memory) bool {
	return q.in.passes(m) && q.fading.passes(m, q.in.Filter, q.now())
}

// byNearWords raises finds that contain words similar in meaning to missing words of the question, and fuses
// the channels again.
func (q *Question) byNearWords(ctx context.Context) error {
	similar, ok := q.finder.ledger.Embedder.(engram.WordEmbedder)
	if !ok || q.in.Mode != ModeHybrid || q.in.All || len(q.lexical.Hits) == 0 {
		return nil // without any matching word, similar words are too weak
	}
	var sought []retrieval.Sought
	for _, w := range q.lexical.Words {
		if w.Term.Joined || w.Term.Stop || w.Term.Time {
			continue
		}
		s := retrieval.Sought{Written: meant(w), Terms: append([]string{w.Term.Word}, w.Matched...), Having: w.Rows}
		sought = append(sought, s)
	}
	same := q.defined()
	for i, s := range sought {
		sought[i].Same = same[s.Written]
	}
	gains := retrieval.Fill(sought, q.texts, q.lexical.Rows, similar)
	for num, gain := range gains {
		q.factor(num, engram.Factor{Name: "+ near words", Value: gain})
	}
	words := slices.Grow(slices.Clone(q.lexical.Hits), len(gains))
	for i, h := range words {
		words[i].Score += gains[h.Num]
		delete(gains, h.Num)
	}
	for num, gain := range gains {
		words = append(words, engram.Ranked{Num: num, Score: gain})
	}
	q.lexical.Hits = words
	q.fuseFor(0)
	q.finds = q.known(q.finds)
	retrieval.Sort(q.finds)
	return nil
}

// passages makes texts those of finds.
func (q *Question) passages(texts *retrieval.Texts, finds []engram.Ranked) *retrieval.Texts {
	said := walk.Mapped(finds, func(f engram.Ranked) retrieval.Said { return q.textCache.said(q.memories[f.Num]) })
	return texts.Gather(walk.NumsOf(finds), said)
}

// candidates is the least number of best finds that are read. 100 find no more on four label sets; a third or
// more may be neighbours that do not pass the filter.
const candidates = 60

// known returns the finds that were read and passed.
func (q *Question) known(finds []engram.Ranked) []engram.Ranked {
	known := make([]engram.Ranked, 0, min(len(finds), len(q.memories)))
	for _, f := range finds {
		if q.memories[f.Num] != nil {
			known = append(known, f)
		}
	}
	return known
}

// repaired returns the corrected words of the question, spelled as in the finds: the index has only stems.
func (q *Question) repaired() []engram.Repair {
	if q.in.Mode == ModeSemantic {
		return nil // no words were searched
	}
	var all []engram.Repair
	for _, w := range q.lexical.Words {
		if !w.Repaired || w.Term.Joined {
			continue
		}
		read := walk.Mapped(w.Matched, func(stem string) string { return q.texts.Spelt(stem, w.Term.Written) })
		all = append(all, engram.Repair{Written: w.Term.Written, Read: read})
	}
	return all
}

// aliases returns the words of the question that memories have in another form of the same language, spelled as in the
// finds.
func (q *Question) aliases() []engram.Repair {
	if q.in.Mode == ModeSemantic {
		return nil // no words were searched
	}
	var all []engram.Repair
	for _, w := range q.lexical.Words {
		if w.Repaired || w.Term.Joined {
			continue
		}
		var read []string
		for _, stem := range w.Matched {
			if stem != w.Term.Word && slices.Contains(w.Term.Also, stem) && !strings.HasPrefix(stem, text.ForeignMark) {
				read = append(read, q.texts.Spelt(stem, w.Term.Written))
			}
		}
		if len(read) > 0 {
			all = append(all, engram.Repair{Written: w.Term.Written, Read: read})
		}
	}
	return all
}

func (q *Question) hits(finds []engram.Ranked) []engram.Hit {
	hits := make([]engram.Hit, 0, len(finds))
	for _, f := range finds {
		if q.hidden[f.Num] {
			continue
		}
		m, first := q.memories[f.Num], q.repeats[f.Num]
		if q.hidden[first] {
			first = 0 // filtering repeats must not drop the only visible one
		}
		hits = append(hits, engram.Hit{Memory: *m, Score: f.Score, State: lifecycle.State(*m, q.now()), Repeats: first,
			Relevance: q.likeness[f.Num], Why: q.explained(f.Num)})
	}
	return hits
}

// repeatDepth limits the finds compared with each other: the cost is quadratic, and readers see fewer.
const repeatDepth = 50

// rerankByMMR lowers finds whose text repeats another find. Of those that say the same the newest stays, or
// the one that the question names.
func (q *Question) rerankByMMR(context.Context) error {
	best := q.finds[:min(len(q.finds), repeatDepth)]
	repeats := retrieval.Repeats(q.texts, walk.NumsOf(best))
	if len(repeats) == 0 {
		return nil
	}
	score, newest := map[int64]float64{}, map[int64]int64{} // by the best of those that say the same
	for _, f := range best {
		first := cmp.Or(repeats[f.Num], f.Num)
		score[f.Num] = f.Score
		if kept := newest[first]; kept == 0 || f.Num > kept && q.named[f.Num] >= q.named[kept] {
			newest[first] = f.Num
		}
	}
	q.repeats = map[int64]int64{}
	for i, f := range best {
		first := cmp.Or(repeats[f.Num], f.Num)
		if kept := newest[first]; kept != f.Num {
			best[i].Score *= retrieval.RepeatFactor
			q.share[f.Num] *= retrieval.RepeatFactor
			q.repeats[f.Num] = kept
			q.factor(f.Num, engram.Factor{Name: "repeat", Value: retrieval.RepeatFactor})
			q.note(f.Num, "repeats #%d", kept)
		} else if first != f.Num {
			best[i].Score = score[first]
			q.note(f.Num, "is newer than #%d, which says the same", first)
		}
	}
	retrieval.Sort(q.finds)
	return nil
}

// textCacheBytes is the default size of the text cache, some thousands of memories. Parsing texts is a third of
// a search's cost, and agents ask about the same subjects all day.
const textCacheBytes = 5 << 20

// textCache keeps parsed texts between searches. An entry is valid only for the exact text it was parsed from,
// so it needs no invalidation.
//
// A full cache is emptied as a whole, since its texts share one lexicon; parsing some thousand texts again
// takes 50 ms.
type textCache struct {
	sync.Mutex
	most int // bytes
	now  *cachedTexts
}

// cachedTexts is the content of a textCache. A search keeps to one, since words of different lexicons cannot be
// compared.
type cachedTexts struct {
	sync.Mutex
	lexicon *retrieval.Lexicon
	entries map[int64]*cachedText // by memory
	bytes   int                   // of entries; the lexicon counts its own
}

// cachedText is a text with its parsed forms.
type cachedText struct {
	title, topic, content string
	tags                  []string
	said                  *retrieval.Said // nil until needed
	inOrder               []uint32        // nil until needed
}

// entryBytes is the approximate overhead of an entry.
const entryBytes = 320

// open returns the current texts for one search, emptied if too large.
func (s *textCache) open() *cachedTexts {
	s.Lock()
	defer s.Unlock()
	switch {
	case s.now == nil:
		s.now = &cachedTexts{lexicon: retrieval.NewLexicon(), entries: map[int64]*cachedText{}}
	case s.now.size() > s.most:
		s.now = s.now.fresh()
	}
	return s.now
}

// fresh returns an empty one with room for as much.
func (s *cachedTexts) fresh() *cachedTexts {
	s.Lock()
	defer s.Unlock()
	return &cachedTexts{lexicon: s.lexicon.Fresh(), entries: make(map[int64]*cachedText, len(s.entries))}
}

func (s *cachedTexts) size() int {
	s.Lock()
	defer s.Unlock()
	return s.bytes + s.lexicon.Bytes()
}

// entry returns the entry of a memory's current text.
func (s *cachedTexts) entry(m *engram.Memory) *cachedText {
	b, known := s.entries[m.Num]
	if known && b.content == m.Content && b.title == m.Title && b.topic == m.TopicKey && slices.Equal(b.tags, m.Tags) {
		return b
	}
	b = &cachedText{title: m.Title, topic: m.TopicKey, content: m.Content, tags: slices.Clone(m.Tags)}
	s.entries[m.Num] = b
	s.bytes += entryBytes + len(m.Title) + len(m.TopicKey) + len(m.Content) // replaced entries still count, so the cache is emptied earlier
	return b
}

// said returns a memory's text for retrieval.Texts.
func (s *cachedTexts) said(m *engram.Memory) retrieval.Said {
	s.Lock()
	defer s.Unlock()
	b := s.entry(m)
	if b.said == nil {
		said := s.lexicon.Say(retrieval.Passage{Num: m.Num, Title: m.Title, Content: m.Content})
		b.said = &said
		s.bytes += said.Bytes()
	}
	return *b.said
}

// How much of a question and of a memory is compared for words in a row, in bytes.
const (
	mostAsked    = 2 << 10
	mostCompared = 16 << 10
)

// inOrder returns the words of a memory as they follow each other.
func (s *cachedTexts) inOrder(m *engram.Memory) []uint32 {
	s.Lock()
	defer s.Unlock()
	b := s.entry(m)
	if b.inOrder == nil {
		b.inOrder = slices.Clip(inOrder(text.Title(*m)+"\n"+m.Content, mostCompared))
		s.bytes += 4 * len(b.inOrder)
	}
	return b.inOrder
}

// inOrder returns the words of the beginning of a text as they follow each other, with stop words and in no other form.
// A hash stands for a word; that two words share one has no consequence worth its cost.
func inOrder(s string, most int) []uint32 {
	words := []uint32{}
	text.Scan(text.Clip(s, most), func(t text.Token) {
		if t.Kind == text.Plain {
			hash := uint32(2166136261) // FNV-1a
			for i := range len(t.Word) {
				hash = (hash ^ uint32(t.Word[i])) * 16777619
			}
			words = append(words, hash)
		}
	})
	return words
}

// Said returns lexical finds as hits.
func (q *Question) Said(ctx context.Context, finds []engram.Ranked) ([]engram.Hit, error) {
	ms, err := q.r.Memories(ctx, walk.NumsOf(finds))
	if err != nil {
		return nil, err
	}
	byNum := screen.ByNum(ms)
	var hits []engram.Hit
	for i, f := range finds {
		if m, ok := byNum[f.Num]; ok {
			hits = append(hits, engram.Hit{Memory: m, Score: f.Score, State: lifecycle.State(m, q.now()),
				Why: engram.Why{Channels: []engram.ChannelRank{{Channel: engram.ChannelLexical, Rank: i + 1, Score: f.Score}}}})
		}
	}
	return hits, nil
}
