package engram

import "time"

// Filter narrows what is listed or found. The zero value lets every live memory pass.
type Filter struct {
	Project string // "" is every project, memories of no project included
	Types   []Type // any of them
	Scope   Scope  // "" is every scope
	// Beyond lets only those pass that are of no single project: personal ones, which belong to
	// their author, and global ones.
	Beyond    bool
	Tags      []string
	Topic     string // this topic key, and those below it: "auth" has auth and auth/tokens; "" is every memory
	SessionID string
	Since     time.Time // created at or after
	Until     time.Time // created before
	Metadata  map[string]any
	Forgotten bool // only forgotten memories instead of only live ones
	// MinStrength lets only those pass that are as strong now; 0 hides nothing. Stores do
	// not look at it: what a strength is now is a rule's answer, and the engine gives it.
	MinStrength float64
	// Current lets only those pass in whose place no live memory has been put that passes
	// the filter itself. Channels that find do not heed it: who joins their finds looks at
	// the relations.
	Current bool
}

// Page is a stretch of a list.
type Page struct {
	Limit  int // at least 1
	Offset int // at least 0
	// After is where a list of memories goes on: with those that come after it, newest first,
	// whatever was saved or forgotten meanwhile. The zero Position is the beginning. Lists of
	// other things, and of what was forgotten, do not heed it.
	After Position
}

// Position is the place of a memory in a list, newest first.
type Position struct {
	CreatedAt time.Time
	Num       int64
}

// PositionOf is the place of m.
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
	// Terms are analysed words, as text.Query gives them: a memory needs one of
	// them. Never raw input.
	Terms []Term
	// All asks for memories that have every term, joined ones aside.
	All    bool
	Filter Filter
	Limit  int // at least 1
	// Alone spares the store what sessions have to say: Lexical.Sessions and Beside may be nil.
	Alone bool
}

// Term is one analysed word of a question.
type Term struct {
	Word    string // as the index holds it: lower case, stemmed
	Written string // lower case, not stemmed; where the index lacks Word, words that begin like it are taken
	Stop    bool   // carries no meaning: only titles are searched for it
	Joined  bool   // the parts of the word before it, written as one
	Time    bool   // part of an expression of time: it means itself, and a memory need not have it
}

// Lexical is the answer of the lexical channel.
type Lexical struct {
	Hits   []Ranked    // best first; BM25, rarity counted within the project
	Words  []WordCount // what the index has of each term, in the order of the terms
	Rows   int         // live memories in the project asked, or in the store
	Length float64     // mean number of indexed words of these
	// Sessions has for each of Hits the score of its session, taken as one long text, or
	// of the stretch of it in which the hit stands; comparable among each other only.
	// Without an entry a hit stands in none. Nil where the store does not reckon them.
	Sessions map[int64]float64
	// Beside has for each of Hits that stands in a session who stands next to it there, the
	// sizes as far as the index tells them. Nil where the store does not say.
	Beside map[int64]Beside
}

// WordCount says what stands in the index for a term of the question.
type WordCount struct {
	Term     Term
	Matched  []string // the indexed words that count for it; several where only beginnings fit; empty: none
	Repaired bool     // Matched is not what was written but what was probably meant
	Rows     int      // memories among Lexical.Rows that have it
}

// Beside is who stands next to a memory in its session.
type Beside struct {
	Session int64     // the same number for memories of one session
	Size    int       // of the memory's own title and content, in bytes
	Before  Neighbour // saved just before it; its Num is 0 when nobody was
	After   Neighbour // saved just after it
}

// Neighbour is a memory next to another one.
type Neighbour struct {
	Num  int64
	Size int // of title and content, in bytes
}

// Exposure is one showing of a memory to somebody.
type Exposure struct {
	At        time.Time
	SessionID string // "" when it is not known
	Project   string
	Operation string // search, recall, context, get, remind
	Query     string // what was asked, private spans removed
	Memory    int64  // Num; 0: nothing was shown
	Rank      int    // from 1, also where nothing was shown because all of it had been before; 0: nothing was found
	Tokens    int    // what showing it cost, about
	Fallback  bool   // a channel could not answer, or an empty question listed the newest
}

// UseCount says how often a memory was asked for, and when last.
type UseCount struct {
	Count int
	Last  time.Time
}

// Ranked is one find of one channel.
type Ranked struct {
	Num   int64
	Score float64 // greater is better; comparable within one answer only
}

// Channel is a way of finding.
type Channel string

// The channels.
const (
	ChannelLexical Channel = "fts"
	ChannelVector  Channel = "vector"
	ChannelGraph   Channel = "graph"
	ChannelRerank  Channel = "rerank" // a reranking model read it
	ChannelTopic   Channel = "topic"  // the query is a topic key
	ChannelRecent  Channel = "recent" // nothing was asked: the newest
)

// Why says how a hit came to its place.
type Why struct {
	Channels []ChannelRank
	Factors  []Factor
	Notes    []string // what no number says: by which relation it was reached, what took its place
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

// Hit is a memory that was found, with its score and the reasons for it.
type Hit struct {
	Memory    Memory
	Score     float64 // greater is better
	State     State
	Repeats   int64          // Num of a better find that says the same; 0: none does
	Relations []RelationNote // ties that change how the memory should be read
	Flagged   []string       // why it reads like an order to an agent, in words; nil: it does not, or was approved
	Anchors   []Anchored     // the memory's, with what became of their places; nil for none
	// Relevance is how like the question the memory is, times Strength, its strength now: 0 to
	// 1 both. Only of a search that was asked to rank by it; then it is the Score, too.
	Relevance, Strength float64
	Why                 Why
}

// Note returns what changes how the memory should be read.
func (h Hit) Note() Note { return Note{h.State, h.Relations, h.Flagged, h.Anchors} }

// RelationNote is a relation as seen from one of its memories.
type RelationNote struct {
	Relation Relation
	Outgoing bool // the memory is the source
	Other    Memory
	Withheld bool // the title of Other reads like an order to an agent, and nobody approved it
	// Via is the memory that stands between: its relation it is, and the memory's own only
	// because it supersedes that one, directly or through others. 0: it is the memory's own.
	Via int64
}

// Note is what changes how a memory should be read.
type Note struct {
	State     State
	Relations []RelationNote // what supersedes it or is superseded by it, what contradicts it or may; the oldest first
	Flagged   []string       // why it reads like an order to an agent, in words; nil: it does not, or was approved
	Anchors   []Anchored     // the memory's, with what became of their places; nil for none
}

// Notes has the note of each memory of an answer, by its number.
type Notes map[int64]Note

// Found is the answer to a search.
type Found struct {
	Query string // as it was asked, private spans removed
	Hits  []Hit  // what is relevant, best first
	// BelowThreshold are finds below the floor, best first: near enough to be shown apart, too far
	// to be an answer. With no Hits, nothing relevant is stored.
	BelowThreshold []Hit
	// Repaired are words of the question that nothing has, with those that were searched
	// for instead.
	Repaired []Repair
	// Times are the expressions of time in the question that drew its finds nearer.
	Times []TimeSpan
	// Degraded names each channel that could not answer, with the reason. Empty when
	// all did.
	Degraded []string
	// WordsAlone says that the vector channel was to be asked and could not answer: there is
	// no model, it failed, or no memory has a vector of it.
	WordsAlone bool
	// Rows is how many live memories were searched, as far as the filter is about a project;
	// 0 where no words were.
	Rows int
}

// InOrder returns relevant and weak finds together, best first: the ranking as it was
// before the floor parted it. weak[i] says that hit i is below the floor.
func (f Found) InOrder() (hits []Hit, weak []bool) {
	i, j := 0, 0
	for i < len(f.Hits) || j < len(f.BelowThreshold) {
		below := i == len(f.Hits) || j < len(f.BelowThreshold) && f.BelowThreshold[j].Score > f.Hits[i].Score
		if below {
			hits = append(hits, f.BelowThreshold[j])
			j++
		} else {
			hits = append(hits, f.Hits[i])
			i++
		}
		weak = append(weak, below)
	}
	return hits, weak
}

// Cut leaves the best n finds; weak ones go first.
func (f *Found) Cut(n int) {
	f.Hits = f.Hits[:min(len(f.Hits), n)]
	f.BelowThreshold = f.BelowThreshold[:min(len(f.BelowThreshold), n-len(f.Hits))]
}

// LimitBelowThreshold leaves as many weak finds as help somebody who found little: none beside three
// relevant ones or more, else the best three.
func (f *Found) LimitBelowThreshold() {
	const enough, most = 3, 3
	if len(f.Hits) >= enough {
		f.BelowThreshold = nil
	}
	f.BelowThreshold = f.BelowThreshold[:min(len(f.BelowThreshold), most)]
}

// Nothing is what an answer in which nothing was found tells of where it looked, and of what is
// elsewhere. The zero value, of no project, is an empty store.
type Nothing struct {
	Project string // that was looked in; "" is every one
	Here    int    // live memories there
	Others  int    // in other projects, but for what is personal or global, which is found anywhere
	Stored  bool   // there are memories at all, of whatever project
}

// Repair is a word that was probably mistyped.
type Repair struct {
	Written string
	Read    []string // words of the store
}

// TimeSpan is a stretch of time that a question speaks of.
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
	// Flagged says why the summary of Session reads like an order to an agent, in words; nil where
	// it does not.
	Flagged []string
}

// Context is what a new session should know.
type Context struct {
	Sessions []SessionActivity // newest activity first
	Prompts  []Prompt          // newest first
	Memories []Memory          // those that are worth most, newest first
	// Personal are memories of other projects, or of none, that are personal or global: those that
	// are worth most, the newest first.
	Personal []Memory
	Notes    Notes // of Memories and Personal
	// LeftOut are memories that were worth telling too, best first.
	LeftOut []LeftOut
	Tokens  int // what all of it costs as text, about; never more than Budget
	Budget  int
	// Again says that the session was shown every one of Memories before: nothing
	// else remained.
	Again bool
	// Withheld is how many memories were worth telling and read like orders to an agent: they wait
	// for a person. WithheldPrompts were left out for the same, and wait for nobody.
	Withheld, WithheldPrompts int
	Degraded                  []string // what could not be done, with the reason
}

// LeftOut is a memory that was not shown, with the reason.
type LeftOut struct {
	Memory Memory
	Reason string
}

// Empty reports whether there is nothing to tell.
func (c Context) Empty() bool {
	return len(c.Sessions) == 0 && len(c.Prompts) == 0 && len(c.Memories) == 0 && len(c.Personal) == 0 && c.Withheld == 0 && c.WithheldPrompts == 0
}
