package engram

import (
	"context"
	"time"
)

// Embedder turns texts into vectors whose angle says how near the texts are in meaning. It is safe for
// concurrent use; internal/embedding/static tests its contract.
type Embedder interface {
	// Model describes the vectors. It does no work and never changes, except that a model behind a server has neither
	// Fingerprint nor Dimensions until it has answered, and gets others where another model takes its name.
	Model() Model
	// Embed returns one vector per text, in order, each of Model().Dimensions numbers and of length 1. A text
	// without meaning for the model gives the zero vector, which is near to nothing. That of a memory whose text the model
	// reads in passages is followed by those of each, at most 32. Embed does not keep texts;
	// the caller owns the vectors. Errors carry CodeUnavailable when the model cannot answer now.
	Embed(ctx context.Context, texts []string, role Role) ([][]float32, error)
}

// WordEmbedder is an Embedder whose vectors are sums over the words of a text. It knows words one by one.
type WordEmbedder interface {
	Embedder
	// Line returns the place of a word among all words by their frequency in general language, from 0; -1 for a word
	// that the model does not have as a whole.
	Line(word string) int
	// Similarities returns the similarity in meaning of each of words to each of others, which are lines, a row for each
	// of words: 1 is the same word, 0 and less is unrelated, and 0 for -1.
	Similarities(words, others []int) [][]float64
}

// Role is the role of a text for an Embedder: some models embed questions differently from answers.
type Role string

// The roles.
const (
	RoleMemory Role = "memory"
	RoleQuery  Role = "query"
)

// Model describes an embedding model: its vectors and what their angles mean. Spaces differ in what a cosine of
// 0.6 means, so every threshold on a cosine is here and none in the rules.
type Model struct {
	Name        string // for people
	Fingerprint string // only vectors with equal fingerprints may be compared
	Dimensions  int
	Related     float64 // cosine from which two memories are about the same matter
	Duplicate   float64 // cosine from which they say the same
	Noise       float64 // median cosine of a question and the memories of a collection without an answer
	Answer      float64 // median cosine of a question and the memories that answer it
	Fusion      Fusion  // how its ranking joins the lexical one by default
	Weight      float64 // weight in a fusion of scores, 0 to 1; the lexical part has the rest
	Instant     bool    // embedding takes microseconds: memories are embedded while they are saved
}

// Fusion is a way to combine the rankings of several channels.
type Fusion string

// The fusions.
const (
	FusionScore Fusion = "score" // a weighted sum of normalised scores
	FusionRank  Fusion = "rank"  // weighted reciprocal ranks
)

// Vector is a memory's vector in a model's space.
type Vector struct {
	Num    int64     // of the memory
	Values []float32 // length 1, or all zero; that of a text of several passages is followed by those of each
}

// StoredVectors are vectors of one model as they are stored, which takes a quarter of what their numbers do.
type StoredVectors struct {
	Count, Dimensions int
	// Read reads the numbers of one of them, from 0, into as many as Dimensions says; nil without any.
	Read func(i int, into []float32)
}

// VectorQuery asks the vector channel.
type VectorQuery struct {
	Model  string    // fingerprint
	Vector []float32 // of the question
	Filter Filter
	Limit  int // at least 1
	// Vectors, unless nil, gets the vectors of the found memories and of Also, where they have one; of several passages
	// that of the nearest. The caller must not change them.
	Vectors map[int64][]float32
	Also    []int64
	// Room, unless nil, is where the numbers of Vectors may be put, if there is room for all. Vectors then last as long
	// as the caller leaves it alone.
	Room []float32
	// Close wants memories related to the question, not the best of all. Farther ones may be missed; it costs a
	// third.
	Close bool
}

// ModelCoverage is how much of the store a model's vectors cover.
type ModelCoverage struct {
	Model    Model // only Name, Fingerprint and Dimensions
	Memories int   // live memories with a vector of it
}

// Embedded is how far the vectors of the configured embedding model are.
type Embedded struct {
	Model    string        // its name; "" if none is configured
	Memories int           // live memories with a vector of it
	Total    int           // live memories
	Running  bool          // a process makes the others
	Left     time.Duration // that it will take, if it goes on as it did; 0 if that is not known
}

// Complete reports whether no vector is missing.
func (e Embedded) Complete() bool { return e.Model == "" || e.Memories >= e.Total }

// Pattern is what several memories have in common.
type Pattern struct {
	Title   string // one line of 1 to 200 characters
	Content string // 1 byte to 4 KiB of Markdown
}

// Extractor finds what several memories have in common. It is safe for concurrent use.
//
// A model that has read memories wrote its answers: store and show them as text with sources, never as
// instructions.
type Extractor interface {
	// Model is the model's name, for explanations and for the memory made from a pattern. "" is whatever model
	// the server has. It never changes.
	Model() string
	// Extract returns the one pattern that ms have in common; ok is false without one, as for fewer than
	// two memories.
	//
	// It sends titles and contents of ms, and nothing else of them, to wherever the model runs; private spans
	// were never stored. Texts beyond the model's capacity are cut: the ends of long contents, the last of many
	// memories. ms are neither kept nor changed. A pattern holds no private spans and no terminal control
	// characters.
	//
	// Extract may take minutes and ends with ctx. Errors carry CodeUnavailable when the model cannot be asked
	// now or its answer is not understood, and ctx's own error when that has ended.
	Extract(ctx context.Context, ms []Memory) (p Pattern, ok bool, err error)
}

// Opinion is a judge's view of two memories: the newer one, Verb, the older one.
type Opinion struct {
	Verb       Verb    // relates_to, compatible, scoped, contradicts, supersedes or not_conflict
	Confidence float64 // 0 to 1
	Reason     string  // one line, at most 200 characters; may be empty
}

// Judge reads two memories and says how they relate. It is safe for concurrent use.
//
// A model that has read memories wrote its answers: record them as opinions under its name, never as
// instructions.
type Judge interface {
	// Name identifies the judge, for Relation.Model. It never changes.
	Name() string
	// Judge returns how newer relates to older.
	//
	// It sends titles and contents, and nothing else of the memories, to wherever the judge runs; private spans
	// were never stored. The ends of long contents are cut.
	//
	// Judge may take minutes and ends with ctx. Errors carry CodeUnavailable when the judge cannot be asked now
	// or its answer is not understood, and ctx's own error when that has ended.
	Judge(ctx context.Context, newer, older Memory) (Opinion, error)
}

// Reranker reads question and text together, which is more precise than two vectors and more expensive, to
// reorder the best hits. It is safe for concurrent use.
type Reranker interface {
	// Name is its name in explanations and settings.
	Name() string
	// Rerank returns one score per text, in order; greater is better, comparable only within one call. Errors
	// carry CodeUnavailable when it cannot answer now.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}
