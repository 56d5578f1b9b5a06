package library

import (
	"path"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// An entry is what is known of a published model and is not in its files: what its cosines mean.
type entry struct {
	prefix string // before a question
	marks  engram.Model
}

// catalogue has the models that Engram's designs name. Related, Duplicate, Noise and Answer are starting values, read off
// the similarities that their authors print.
func catalogue() map[string]entry {
	return map[string]entry{
		"all-minilm-l6-v2": {marks: engram.Model{Related: 0.6, Duplicate: 0.93, Noise: 0.08, Answer: 0.55, Fusion: engram.FusionScore, Weight: 0.5}},
		"bge-small-en-v1.5": {prefix: "Represent this sentence for searching relevant passages: ",
			marks: engram.Model{Related: 0.78, Duplicate: 0.95, Noise: 0.45, Answer: 0.75, Fusion: engram.FusionScore, Weight: 0.5}},
		"bge-m3": {marks: engram.Model{Related: 0.7, Duplicate: 0.94, Noise: 0.37, Answer: 0.66, Fusion: engram.FusionScore, Weight: 0.5}},
	}
}

// never is a cosine that no two texts have: nothing is merged or related by a model whose cosines are not known.
const never = 2

// entryOf returns a model's entry. One that is not in the catalogue takes part in a search by rank, and in nothing else.
func entryOf(name string) entry {
	if e, ok := catalogue()[strings.ToLower(name)]; ok {
		return e
	}
	return entry{marks: engram.Model{Related: never, Duplicate: never, Fusion: engram.FusionRank, Weight: 0.5}}
}

// Canonical returns the name by which a model is installed, for one as repositories have it: without its owner.
func Canonical(name string) string { return path.Base(strings.TrimSpace(name)) }
