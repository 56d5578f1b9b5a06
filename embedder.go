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
