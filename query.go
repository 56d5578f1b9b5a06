package engram

import (
	"slices"
	"time"
)

// Filter narrows a list or a search. The zero value matches every live memory.
type Filter struct {
	Project   string // "" is every project, and memories without one
	Types     []Type // any of them
	Scope     Scope  // "" is every scope
	Beyond    bool   // matches only memories of no single project: personal and global ones
	Tags      []string
	Topic     string // this topic key and those below it: "auth" matches auth and auth/tokens; "" is any
	SessionID string
	Since     time.Time // created at or after
	Until     time.Time // created before
	Metadata  map[string]any
	Forgotten bool // only forgotten memories instead of live ones
	// MinStrength matches memories at least this strong now; 0 is any. Stores ignore it: the engine computes
	// the present strength.
	MinStrength float64
	// Current excludes memories superseded by a live memory that itself matches the filter. Search channels
	// ignore it: the engine checks relations when it joins their hits.
	Current bool

	// The rest is for lists and counts alone: search channels ignore it.

	WithForgotten bool      // forgotten memories too
	Projectless   bool      // only memories without a project; Project is "" then
	TopicKey      string    // exactly this topic key; "" is any
	Title         string    // exactly this title; "" is any
	Hash          string    // this NormalizedHash; "" is any
	Anchor        string    // anchored to this path, as in Anchor.Path, or below it; "" is any
	Stale         bool      // NoteAnchors recorded a Stale state
	Mark          TrustMark // with this mark; "" is any
	// Lasting matches memories that are permanent, have an importance of at least 0.7, or a type that holds until
	// changed (preference, policy).
	Lasting    bool
	DueBefore  time.Time // due for review before it, and not superseded; the zero time is any
	Unembedded string    // without a vector of this model; alone, and in OrderNumber
}

// Order is the order of a list of memories.
type Order int

// The orders.
const (
	OrderNewest  Order = iota // newest first; forgotten ones most recently forgotten first
	OrderLatest               // highest number first
	OrderNumber               // by number, from Page.After.Num on
	OrderDue                  // longest overdue first; needs Filter.DueBefore
	OrderFlagged              // longest flagged first; needs Filter.Mark
	OrderLasting              // permanent ones first, then by importance, then by number, highest first
)

// Page is a range of a list.
type Page struct {
	Order  Order // of a list of memories
	Limit  int   // at least 1
	Offset int   // at least 0
	// After continues a list of memories, newest first, behind a position, whatever was saved or forgotten
	// meanwhile. The zero Position is the beginning. In OrderNumber only its number counts. Lists of other
	// things, of forgotten memories, and in other orders ignore it.
	After Position
}

// Position is the place of a memory in a list, newest first.
type Position struct {
	CreatedAt time.Time
	Num       int64
}

// PositionOf returns the place of m.
func PositionOf(m Memory) Position { return Position{m.CreatedAt, m.Num} }

// Before reports whether m comes after p in a list; every memory comes after the zero Position.
func (p Position) Before(m Memory) bool {
	if p.Num == 0 {
		return true
	}
	if !m.CreatedAt.Equal(p.CreatedAt) {
		return m.CreatedAt.Before(p.CreatedAt)
	}
	return m.Num < p.Num
}

// LexicalQuery asks the lexical channel.
type LexicalQuery struct {
	// Terms are analysed words from text.Query, never raw input. A memory must have one of them.
	Terms  []Term
	All    bool // requires every term, joined ones excepted
	Filter Filter
	Limit  int  // at least 1
	Alone  bool // omits Lexical.Beside and Parts
	// Room, unless nil, is used for Lexical.Beside and Parts. They are valid until it is used again.
	Room *LexicalRoom
}

// LexicalRoom is memory for Lexical.Beside and Parts. The zero LexicalRoom is ready.
type LexicalRoom struct {
	Beside map[int64]*Beside
	Parts  map[int64][]float32

	places  []Beside
	numbers []float32
}

// For empties the maps, and returns a Beside for each of hits, of any value, and zeros for as many hits and terms, for the
// maps to point to.
func (r *LexicalRoom) For(hits, terms int) ([]Beside, []float32) {
	if r.Beside == nil {
		r.Beside, r.Parts = make(map[int64]*Beside, hits), make(map[int64][]float32, hits)
	}
	clear(r.Beside)
	clear(r.Parts)
	r.places = slices.Grow(r.places[:0], hits)[:hits]
	r.numbers = slices.Grow(r.numbers[:0], hits*terms)[:hits*terms]
	clear(r.numbers)
	return r.places, r.numbers
}

// Term is one analysed word of a question.
type Term struct {
	Word    string // as in the index: lower case, stemmed
	Written string // lower case, not stemmed; matches by prefix where the index lacks Word
	// Also are other indexed words that mean the same, such as an abbreviation or the stem in another language.
	// A memory that has any of them has the term, which is counted once.
	Also    []string
	Foreign bool // of a question in another language than English
	Stop    bool // a stop word: matches only titles
	Joined  bool // the parts of the preceding word as one
	Time    bool // part of an expression of time: matches literally, but is not required
}

// Words returns the indexed words that have the term: Word and Also, each once.
func (t Term) Words() []string {
	words := make([]string, 1, 1+len(t.Also))
	words[0] = t.Word
	for _, w := range t.Also {
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// Lexical is the answer of the lexical channel.
type Lexical struct {
	Hits   []Ranked    // best first; BM25 with document frequencies of the project
	Words  []WordCount // what the index has for each term, in the order of the terms
	Rows   int         // live memories in the searched project or store
	Length float64     // their mean number of indexed words
	// Beside has for each hit in a session its neighbours there, with sizes as far as the index knows them. Nil
	// where the store does not compute them.
	Beside map[int64]*Beside
	// Parts has for each hit what each word adds to its score, in the order of Words; nil with Alone. Hits that only
	// share a prefix with the question have none.
	Parts map[int64][]float32
}

// WordCount is what the index has for a term of the question.
type WordCount struct {
	Term     Term
	Matched  []string // the matching indexed words; several for a prefix match; empty: none
	Repaired bool     // Matched is a spelling correction
	Rows     int      // how many of Lexical.Rows have it
}

// Beside is the neighbours of a memory in its session.
type Beside struct {
	Session int64     // the same number for memories of one session
	Size    int       // of the memory's own title and content, in bytes
	At      time.Time // when it was created
	Before  Neighbour // saved just before it; Num 0 for none
	After   Neighbour // saved just after it
}

// Neighbour is a memory next to another one.
type Neighbour struct {
	Num  int64
	Size int // of title and content, in bytes
	At   time.Time
}

// Exposure is one showing of a memory to a session.
type Exposure struct {
	At        time.Time
	SessionID string // "" when unknown
	Project   string
	Operation string // search, recall, context, get, remind
	Query     string // the question, without private spans
	Memory    int64  // Num; 0: nothing was shown
	Rank      int    // from 1, also when all results had been shown before; 0: nothing was found
	Tokens    int    // approximate cost of showing it
	Fallback  bool   // a channel could not answer, or an empty question listed the newest
}

// ExposureCount is how often a memory was requested, and when last.
type ExposureCount struct {
	Count int
	Last  time.Time
}

// Ranked is one hit of one channel.
type Ranked struct {
	Num   int64
	Score float64 // greater is better; comparable within one answer only
}

// Channel is a way of searching.
type Channel string

// The channels.
const (
	ChannelLexical Channel = "fts"
	ChannelVector  Channel = "vector"
	ChannelGraph   Channel = "graph"
	ChannelRerank  Channel = "rerank" // a reranking model scored it
	ChannelTopic   Channel = "topic"  // the query is a topic key
	ChannelRecent  Channel = "recent" // an empty query: the newest
)

// Why explains the rank of a hit.
type Why struct {
	Channels []ChannelRank
	Factors  []Factor
	Notes    []string // explanations without a number: the relation it was reached by, what superseded it
}

// ChannelRank is a hit's place in one channel.
type ChannelRank struct {
	Channel Channel
	Rank    int // from 1
	Score   float64
}

// Factor is one named part of a score.
type Factor struct {
	Name  string
	Value float64
}

// State is a memory's place in its review cycle.
type State string

// The states.
const (
	StateActive      State = "active"
	StateNeedsReview State = "needs_review"
)

// Hit is a found memory with its score and the reasons for it.
type Hit struct {
	Memory    Memory
	Score     float64 // greater is better
	State     State
	Repeats   int64          // Num of a better hit that says the same; 0: none
	Relations []RelationNote // relations that change how the memory should be read
	Flagged   []string       // why it is flagged as instruction-like, in words; nil: not flagged, or approved
	Anchors   []Anchored     // with the present state of their places; nil for none
	// Relevance is the likeness to the question times Strength, the present strength; both 0 to 1. Set only
	// when a search ranks by it; then it equals Score.
	Relevance, Strength float64
	Why                 Why
}

// Note returns what changes how the memory should be read.
func (h Hit) Note() Note {
	return Note{State: h.State, Relations: h.Relations, Flagged: h.Flagged, Anchors: h.Anchors}
}

// RelationNote is a relation as seen from one of its memories.
type RelationNote struct {
	Relation Relation
	Outgoing bool // the memory is the source
	Other    Memory
	Withheld bool // the title of Other is instruction-like and not approved
	// Via is the memory whose relation this is, when the memory supersedes it directly or through others; 0: it
	// is the memory's own.
	Via int64
}

// Note is what changes how a memory should be read.
type Note struct {
	State     State
	Relations []RelationNote // superseding, superseded, contradicting, possibly contradicting; oldest first
	Flagged   []string       // why it is flagged as instruction-like, in words; nil: not flagged, or approved
	Anchors   []Anchored     // with the present state of their places; nil for none
	Line      string         // what a context says of the memory; "" if that was not made yet
}

// Notes has the note of each memory of an answer, by number.
type Notes map[int64]Note

// Found is the answer to a search.
type Found struct {
	Query string // the question, without private spans
	Hits  []Hit  // relevant ones, best first; without one, the nearest
	// Uncertain says that Hits are the nearest, at most three, none of which is surely relevant.
	Uncertain bool
	// BelowThreshold are hits below the relevance threshold, best first: near enough to show separately, too
	// far to be an answer. Without Hits, nothing relevant is stored.
	BelowThreshold []Hit
	Repaired       []Repair // words of the question missing in the index, with their corrections
	// Aliases are words of the question that memories have in another form, such as an abbreviation, with these forms.
	Aliases []Repair
	Times   []TimeSpan // the expressions of time in the question that affected the ranking
	// Degraded names each channel that could not answer, with the reason; empty when all did.
	Degraded []string
	// WordsAlone says that the vector channel was requested and failed: no model, an error, or no memory has
	// its vector.
	WordsAlone bool
	// Rows is how many live memories of the filter's project were searched; 0 without a search for words.
	Rows int
}

// Listed reports whether Hits are a list of the newest, as without a question or where it asks for a type or a time
// alone, rather than ranked.
func (f Found) Listed() bool {
	return len(f.Hits) > 0 && len(f.Hits[0].Why.Channels) > 0 && f.Hits[0].Why.Channels[0].Channel == ChannelRecent
}

// InOrder merges relevant hits and those below the threshold by rank, best first. below[i] says that hit i is
// below the threshold, as uncertain ones are.
func (f Found) InOrder() (hits []Hit, below []bool) {
	n, i, j := len(f.Hits)+len(f.BelowThreshold), 0, 0
	if n > 0 { // they are large
		hits, below = make([]Hit, 0, n), make([]bool, 0, n)
	}
	for i < len(f.Hits) || j < len(f.BelowThreshold) {
		isBelow := i == len(f.Hits) || j < len(f.BelowThreshold) && f.BelowThreshold[j].Score > f.Hits[i].Score
		if isBelow {
			hits = append(hits, f.BelowThreshold[j])
			j++
		} else {
			hits = append(hits, f.Hits[i])
			i++
		}
		below = append(below, isBelow || f.Uncertain)
	}
	return hits, below
}

// Cut keeps the best n hits; those below the threshold go first.
func (f *Found) Cut(n int) {
	f.Hits = f.Hits[:min(len(f.Hits), n)]
	f.BelowThreshold = f.BelowThreshold[:min(len(f.BelowThreshold), n-len(f.Hits))]
}

// LimitBelowThreshold keeps hits below the threshold only where they help: none beside uncertain ones, which are
// the best of them, or three or more relevant ones; else the best three.
func (f *Found) LimitBelowThreshold() {
	const enough, most = 3, 3
	if f.Uncertain || len(f.Hits) >= enough {
		f.BelowThreshold = nil
	}
	f.BelowThreshold = f.BelowThreshold[:min(len(f.BelowThreshold), most)]
}

// Nothing says where an answer without results looked, and what other projects hold. The zero value, without a
// project, is an empty store.
type Nothing struct {
	Project string // the searched project; "" is every one
	Here    int    // live memories there
	Others  int    // in other projects, without personal and global ones, which are found anywhere
	Stored  bool   // whether any project has memories
	Nearest bool   // the answer is not empty, but uncertain
}

// Repair is a corrected spelling, or an alias.
type Repair struct {
	Written string
	Read    []string // words of the store
}

// TimeSpan is a span of time in a question.
type TimeSpan struct {
	Phrase string    // as written
	From   time.Time // inclusive; zero: from the beginning
	To     time.Time // exclusive; zero: open
}

// Timeline is what was saved around one memory in its session.
type Timeline struct {
	Focus   Memory
	Before  []Memory // oldest first
	After   []Memory // oldest first
	Session Session
	Total   int   // live memories in the session
	Notes   Notes // of Focus, Before and After
	// Flagged says why Session's summary is flagged as instruction-like, in words; nil: not flagged.
	Flagged []string
}

// Context is what a new session should know.
type Context struct {
	Sessions []SessionActivity // newest activity first
	Prompts  []Prompt          // newest first
	Memories []Memory          // the most valuable, newest first
	// Personal are the most valuable personal and global memories of other projects or none, newest first.
	Personal []Memory
	Notes    Notes     // of Memories and Personal
	LeftOut  []LeftOut // further valuable memories, best first
	Tokens   int       // approximate cost of all as text; at most Budget
	Budget   int
	// Again says that the session was shown all Memories before, because no others remained.
	Again bool
	// Withheld counts flagged memories, which are pending for a person. WithheldPrompts counts flagged prompts,
	// which are not.
	Withheld, WithheldPrompts int
	Degraded                  []string // what failed, with the reason
}

// LeftOut is a memory that was not shown, with the reason.
type LeftOut struct {
	Memory Memory
	Reason string
}

// Empty reports whether the context holds nothing.
func (c Context) Empty() bool {
	return len(c.Sessions) == 0 && len(c.Prompts) == 0 && len(c.Memories) == 0 && len(c.Personal) == 0 && c.Withheld == 0 && c.WithheldPrompts == 0
}
