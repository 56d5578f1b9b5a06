package library

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/own"
)

// An Entry is a published model that is known by name: where it is, what its files must be, and what is not in them.
type Entry struct {
	Name       string
	Repository string // at the hub
	Revision   string // a commit; or a reference, whose commit is then the hub's to say
	License    string
	Reranker   bool
	Dimensions int
	Bytes      int64  // of all files, roughly
	Files      []File // whose content is known; the hub's word counts for others

	tokens int // that a text or window has at most; 0 is the model's own limit
	marks  engram.Model
}

// catalogue has the models that Engram's designs name. Related, Duplicate, Noise and Answer are starting values, read off
// the similarities that their authors print.
//
// Commits, sizes and hashes were compared in several public projects that pin them. bge-m3 has its weights in the form
// that is read here only in a proposal of the hub's own, whose hashes are not known.
func catalogue() []Entry {
	return []Entry{
		{Name: "all-MiniLM-L6-v2", Repository: "sentence-transformers/all-MiniLM-L6-v2", Revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
			License: "apache-2.0", Dimensions: 384, Bytes: 91_400_000, Files: []File{
				{"config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
				{"tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
				{weightsFile, 90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}},
			marks: engram.Model{Related: 0.6, Duplicate: 0.93, Noise: 0.08, Answer: 0.55, Fusion: engram.FusionScore, Weight: 0.5}},
		{Name: "bge-small-en-v1.5", Repository: "BAAI/bge-small-en-v1.5", Revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
			License: "mit", Dimensions: 384, Bytes: 134_200_000, Files: []File{
				{"config.json", 743, "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750"},
				{"tokenizer.json", 711_396, "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"},
				{weightsFile, 133_466_304, "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad"}},
			marks: engram.Model{Related: 0.78, Duplicate: 0.95, Noise: 0.45, Answer: 0.75, Fusion: engram.FusionScore, Weight: 0.5}},
		{Name: "bge-m3", Repository: "BAAI/bge-m3", Revision: "refs/pr/38",
			License: "mit", Dimensions: 1024, Bytes: 2_290_000_000, tokens: 1024,
			marks: engram.Model{Related: 0.7, Duplicate: 0.94, Noise: 0.37, Answer: 0.66, Fusion: engram.FusionScore, Weight: 0.5}},
		{Name: "bge-reranker-base", Repository: "BAAI/bge-reranker-base", Revision: "2cfc18c9415c912f9d8155881c133215df768a70",
			License: "mit", Reranker: true, Bytes: 1_129_400_000, Files: []File{
				{"config.json", 799, "289adf7ada1eb6b4afa7589a48a032d45a076cf2e46dcdb3b4cabc33be14f708"},
				{"tokenizer.json", 17_098_107, "9eb652ac4e40cc093272bbbe0f55d521cf67570060227109b5cdc20945a4489e"},
				{weightsFile, 1_112_206_140, "ced967c45fd1902eb92716c9ceeca7c95a936770ea9db611f5a841b926e33fbd"}}},
	}
}

// Catalogue returns the published models that are known by name, smallest first.
func Catalogue() []Entry {
	return slices.SortedFunc(slices.Values(catalogue()), func(a, b Entry) int { return cmp.Compare(a.Bytes, b.Bytes) })
}

// Published returns the entry of a model that is named without an owner, by its repository, or by that of Xenova, whose
// copies earlier designs used. Repositories of others that have the same name are other models.
func Published(name string) (Entry, bool) {
	owner, _, owned := strings.Cut(strings.TrimSpace(name), "/")
	for _, e := range catalogue() {
		if strings.EqualFold(Canonical(name), e.Name) && (!owned || strings.EqualFold(name, e.Repository) || strings.EqualFold(owner, "Xenova")) {
			return e, true
		}
	}
	return Entry{}, false
}

// never is a cosine that no two texts have: nothing is merged or related by a model whose cosines are not known.
const never = 2

// entryOf returns a model's entry. One that is not in the catalogue takes part in a search by rank, and in nothing else.
func entryOf(name string) Entry {
	if e, ok := Published(name); ok {
		return e
	}
	if name == own.Name {
		return Entry{Name: name, marks: engram.Model{Related: never, Duplicate: never, Fusion: engram.FusionScore, Weight: own.Weight}}
	}
	return Entry{marks: engram.Model{Related: never, Duplicate: never, Fusion: engram.FusionRank, Weight: 0.5}}
}

// Canonical returns the name by which a model is installed, for one as repositories have it: without its owner.
func Canonical(name string) string { return path.Base(strings.TrimSpace(name)) }

// missing is the error for a model that is not installed.
func missing(name string) error {
	err := engram.Errorf(engram.CodeNotFound, "the model %s is not installed", name)
	if e, ok := Published(name); ok {
		return err.WithHint("run {model pull %s} (%d MiB), or {model add FOLDER}", e.Name, (e.Bytes+1<<19)>>20)
	}
	return err.WithHint("{model list} has those that are; others come with {model pull OWNER/NAME} or {model add FOLDER}")
}
