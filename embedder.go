package engram

import "context"

// Embedder turns texts into vectors whose angle says how near the texts are in
// meaning. embeddingtest is its contract. It may be used by many goroutines.
type Embedder interface {
	// Model describes the vectors. It does no work and never changes.
	Model() Model
	// Embed returns one vector per text, in order, each of Model().Dimensions numbers
	// and of length 1. A text that means nothing to the model gives the zero vector,
	// which is near to nothing. Embed does not keep texts; the vectors are the caller's.
	// Errors carry CodeUnavailable when the model cannot answer now.
	Embed(ctx context.Context, texts []string, role Role) ([][]float32, error)
}

// WordEmbedder is an Embedder whose vectors are sums over the words of a text. It can
// weigh the words of a question, and hold words against each other.
type WordEmbedder interface {
	Embedder
	// EmbedWords returns the vector of a text made of words, each counting as weights
	// says; of length 1, or zero when none means anything.
	EmbedWords(ctx context.Context, words []string, weights []float64) ([]float32, error)
	// Similarities returns how near each of words is to each of others in meaning: a row
	// for each of words. 1 is the same word, 0 and less has nothing to do with it.
	Similarities(words, others []string) [][]float64
}

// Role says what a text is to an Embedder: some models treat a question otherwise
// than the text that answers it.
type Role string

// The roles.
const (
	RoleMemory Role = "memory"
	RoleQuery  Role = "query"
)

// Model is an embedding model's manifest: what its vectors are and what their angles
// mean. A cosine of 0.6 says something else in each space, so every mark on a cosine
// stands here and none in the rules.
type Model struct {
	Name        string // as a person calls it
	Fingerprint string // vectors of equal fingerprints may be compared, others never
	Dimensions  int
	Related     float64 // cosine from which on two memories speak of the same matter
	Duplicate   float64 // cosine from which on they say the same
	Noise       float64 // median cosine of a question and the memories of a collection that does not answer it
	Answer      float64 // median cosine of a question and the memories that answer it
	Fusion      Fusion  // how its ranking joins the lexical one by default
	Weight      float64 // its part in a fusion of scores, 0 to 1; the lexical part is the rest
	Instant     bool    // a text costs microseconds: memories are embedded as they are saved, not afterwards
}

// Fusion is a way to join the rankings of several channels.
type Fusion string

// The fusions.
const (
	FusionScore Fusion = "score" // a weighted sum of normalised scores
	FusionRank  Fusion = "rank"  // weighted reciprocal ranks
)

// Vector is a memory's place in a model's space.
type Vector struct {
	Num    int64     // of the memory
	Values []float32 // length 1, or all zero
}

// VectorQuery asks the vector channel.
type VectorQuery struct {
	Model  string    // fingerprint
	Vector []float32 // of the question
	Filter Filter
	Limit  int     // at least 1
	Also   []int64 // memories whose score is wanted wherever they rank; the filter does not apply to them
	// Close wants what is related and not the best of what there is: of what is farther
	// some may be missed, which costs a third.
	Close bool
}

// ModelUse says how far a model's vectors cover the store.
type ModelUse struct {
	Model    Model // Name, Fingerprint and Dimensions alone
	Memories int   // live memories that have a vector of it
}

// Pattern is what several memories have in common, said once.
type Pattern struct {
	Title   string // one line of 1 to 200 characters
	Content string // 1 byte to 4 KiB of Markdown
}

// Extractor finds what several memories have in common. It may be used by many
// goroutines.
//
// What it answers was written by a model that has read memories: text to store as such
// and to show with its sources, never an instruction.
type Extractor interface {
	// Model is what the model is called where it is asked; explanations and the memory
	// that comes of a pattern name it. "" is whatever model is there. It never changes.
	Model() string
	// Extract returns the one pattern that ms have in common. ok is false when they have
	// none; fewer than two memories never have.
	//
	// The titles and contents of ms leave the process for wherever the model runs, and
	// nothing else of them does; private spans were never stored, so none is sent. What a
	// model cannot take in is left out: the ends of long contents, the last of many
	// memories. ms are neither kept nor changed. A pattern holds no private spans and no characters that
	// act on a terminal.
	//
	// Extract may take minutes; it ends with ctx. Errors carry CodeUnavailable when the
	// model cannot be asked now or what it says is not understood, and ctx's own error
	// when that has ended.
	Extract(ctx context.Context, ms []Memory) (p Pattern, ok bool, err error)
}

// Opinion is what a judge says of two memories: the newer one, Verb, the older one.
type Opinion struct {
	Verb       Verb    // relates_to, compatible, scoped, contradicts, supersedes or not_conflict
	Confidence float64 // 0 to 1
	Reason     string  // one line, at most 200 characters; may be empty
}

// Judge reads two memories and says how they relate. It may be used by many goroutines.
//
// What it answers was written by a model that has read memories: an opinion to record
// under its name, never an instruction.
type Judge interface {
	// Name is who judges, for Relation.Model. It never changes.
	Name() string
	// Judge says how newer relates to older.
	//
	// Titles and contents leave the process for wherever the judge is, and nothing else of
	// the memories does; private spans were never stored, so none is sent. The ends of long
	// contents are left out.
	//
	// Judge may take minutes; it ends with ctx. Errors carry CodeUnavailable when the judge
	// cannot be asked now or what it says is not understood, and ctx's own error when that
	// has ended.
	Judge(ctx context.Context, newer, older Memory) (Opinion, error)
}

// Reranker reads a question and a text together, which says more than two vectors
// can and costs more; it orders the best of what was found. It may be used by many
// goroutines.
type Reranker interface {
	// Name is what explanations and settings call it.
	Name() string
	// Rerank returns one score per text, in order; greater is better, comparable within
	// one call only. Errors carry CodeUnavailable when it cannot answer now.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}
