// Package eval measures the quality of rankings with the usual figures of information retrieval,
// and reads sets of questions with known answers.
//
// Relevance is binary: a document answers the question or it does not. A document that occurs twice in a
// ranking counts at its first place only. Files are read through the fs.FS passed in.
package eval

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The files of a set, and the first field of the header of its judgements.
const (
	corpusFile    = "corpus.jsonl"
	judgementFile = "qrels.tsv"
	judgementHead = "query-id"
)

// Questions is the file of questions that every set has.
const Questions = "queries.jsonl"

// Document is one text to remember.
type Document struct {
	ID      string    `json:"id"`
	Title   string    `json:"title,omitempty"` // "" for none
	Text    string    `json:"text"`
	Time    time.Time `json:"time,omitzero"` // when it was written; zero if unknown
	Group   string    `json:"group"`         // becomes the project of the memory
	Session string    `json:"session,omitempty"`
	Seq     int       `json:"seq,omitempty"` // its position in the group
}

// Question is asked in the documents of its group.
type Question struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Group string `json:"group"`
}

// Set is a set of documents, questions and judgements.
type Set struct {
	Name      string
	Documents []Document // in the order of the file
	Questions []Question // only those with an answer
	Relevant  map[string]Relevant
	Groups    []string // in the order of the documents, then of the questions
}

// ReadSet reads the set in the folder dir: corpus.jsonl has a Document per line, questions a Question per
// line, qrels.tsv question id, document id and score separated by tabs; each may end in .gz. Missing, invalid
// or repeated lines are CodeInvalid, with file and line.
func ReadSet(files fs.FS, dir, questions string) (Set, error) {
	s := Set{Name: path.Base(dir), Relevant: map[string]Relevant{}}
	known, groups := map[string]bool{}, map[string]bool{}
	group := func(name string) {
		if !groups[name] {
			groups[name] = true
			s.Groups = append(s.Groups, name)
		}
	}
	err := eachJSON(files, path.Join(dir, corpusFile), func(d Document) error {
		switch {
		case d.ID == "":
			return errors.New("the document has no id")
		case known[d.ID]:
			return fmt.Errorf("document %q occurs twice", d.ID)
		}
		known[d.ID] = true
		group(d.Group)
		s.Documents = append(s.Documents, d)
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	if err := s.readRelevant(files, path.Join(dir, judgementFile), known); err != nil {
		return Set{}, err
	}
	asked := map[string]bool{}
	err = eachJSON(files, path.Join(dir, questions), func(q Question) error {
		if asked[q.ID] {
			return fmt.Errorf("question %q occurs twice", q.ID)
		}
		asked[q.ID] = true
		if len(s.Relevant[q.ID]) > 0 {
			group(q.Group)
			s.Questions = append(s.Questions, q)
		}
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	return s, nil
}

func (s *Set) readRelevant(files fs.FS, name string, known map[string]bool) error {
	return eachLine(files, name, func(line string) error {
		f := strings.Split(line, "\t")
		switch {
		case f[0] == judgementHead:
			return nil
		case len(f) != 3:
			return fmt.Errorf("%d fields instead of 3", len(f))
		case f[2] == "0" || strings.HasPrefix(f[2], "-"):
			return nil
		case !known[f[1]]:
			return fmt.Errorf("document %q does not exist", f[1])
		}
		if s.Relevant[f[0]] == nil {
			s.Relevant[f[0]] = Relevant{}
		}
		s.Relevant[f[0]][f[1]] = true
		return nil
	})
}

// eachJSON is eachLine for lines of JSON.
func eachJSON[T any](files fs.FS, name string, fn func(T) error) error {
	return eachLine(files, name, func(line string) error {
		var value T
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			return err
		}
		return fn(value)
	})
}

// eachLine calls fn for every non-empty line of the file. Errors name the file and the line.
func eachLine(files fs.FS, name string, fn func(line string) error) (err error) {
	r, err := open(files, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	// Not bufio.Scanner, which limits the length of lines; transcripts have lines of megabytes.
	buffered := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, readErr := buffered.ReadString('\n')
		if readErr != nil && readErr != io.EOF {
			return engram.Errorf(engram.CodeInvalid, "cannot read line %d of %s", n, name).WithCause(readErr)
		}
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			if err := fn(line); err != nil {
				return engram.Errorf(engram.CodeInvalid, "%s, line %d", name, n).WithCause(err).
					WithHint("repair or remove the line; docs/cli.md describes the files of a set")
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// open opens name, or name.gz decompressed.
func open(files fs.FS, name string) (io.ReadCloser, error) {
	f, err := files.Open(name)
	if err == nil {
		return f, nil
	}
	packed, gzErr := files.Open(name + ".gz")
	if errors.Is(gzErr, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot find %s or %[1]s.gz", name).
			WithHint("a set has the files %s, %s and one with questions, by default queries.jsonl", corpusFile, judgementFile)
	}
	if gzErr != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot open %s", name).WithCause(err)
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		_ = packed.Close() // it was only read
		return nil, engram.Errorf(engram.CodeInvalid, "cannot decompress %s.gz", name).WithCause(err)
	}
	return unpacked{z, packed}, nil
}

type unpacked struct {
	*gzip.Reader
	file io.Closer
}

// Close closes the decompressor and the file.
func (u unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }

// Sets returns the folders of files that are sets: "." if files is a set itself, else those in it.
// CodeInvalid without any, CodeNotFound if the folder does not exist.
func Sets(files fs.FS) ([]string, error) {
	if isSet(files, ".") {
		return []string{"."}, nil
	}
	entries, err := fs.ReadDir(files, ".")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, engram.Errorf(engram.CodeNotFound, "the folder does not exist")
	case err != nil:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot read the folder").WithCause(err)
	}
	var names []string
	for _, e := range entries {
		if isSet(files, e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, engram.Errorf(engram.CodeInvalid, "the folder neither is nor contains a set of questions").
			WithHint("a set has the files %s, %s and %s; {eval --own --write DIR} builds one from your own memories", corpusFile, Questions, judgementFile)
	}
	return names, nil
}

// isSet reports whether a folder has a corpus; anything else missing is an error of ReadSet.
func isSet(files fs.FS, dir string) bool {
	for _, end := range []string{"", ".gz"} {
		if info, err := fs.Stat(files, path.Join(dir, corpusFile+end)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Few is the number of questions below which figures mean nothing.
const Few = 20

// Head returns the set with n of its questions, spread evenly, or with all if n is 0 or too large.
func (s Set) Head(n int) Set {
	if n <= 0 || n >= len(s.Questions) {
		return s
	}
	some := make([]Question, n)
	for i := range some {
		some[i] = s.Questions[i*len(s.Questions)/n]
	}
	s.Questions = some
	return s
}

// Write writes the set in the format of ReadSet. create is called for each of the three files, and its result
// is closed.
func (s Set) Write(create func(name string) (io.WriteCloser, error)) error {
	for _, file := range []struct {
		name string
		fill func(io.Writer) error
	}{
		{corpusFile, func(w io.Writer) error { return writeLines(w, s.Documents) }},
		{Questions, func(w io.Writer) error { return writeLines(w, s.Questions) }},
		{judgementFile, s.writeRelevant},
	} {
		f, err := create(file.name)
		if err != nil {
			return err
		}
		if err := errors.Join(file.fill(f), f.Close()); err != nil {
			return engram.Errorf(engram.CodeUnavailable, "cannot write %s", file.name).WithCause(err)
		}
	}
	return nil
}

func writeLines[T any](w io.Writer, lines []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func (s Set) writeRelevant(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\tcorpus-id\tscore\n", judgementHead); err != nil {
		return err
	}
	for _, q := range s.Questions {
		for _, id := range slices.Sorted(maps.Keys(s.Relevant[q.ID])) {
			if _, err := fmt.Fprintf(w, "%s\t%s\t1\n", q.ID, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Relevant is the set of documents that answer one question.
type Relevant map[string]bool

// Recall returns the share of the relevant documents among the first k:
// |top k ∩ relevant| / |relevant|. It is 0 when nothing is relevant.
//
// Source: Manning, Raghavan, Schütze, "Introduction to Information Retrieval",
// Cambridge 2008, section 8.3.
func Recall(ranking []string, relevant Relevant, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	found := 0
	for _, id := range top(ranking, k) {
		if relevant[id] {
			found++
		}
	}
	return float64(found) / float64(len(relevant))
}

// ReciprocalRank returns 1/rank of the first relevant document among the first k, ranks from 1, and 0 without
// one. Its mean over questions is MRR@k.
//
// Source: Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999.
func ReciprocalRank(ranking []string, relevant Relevant, k int) float64 {
	for i, id := range top(ranking, k) {
		if relevant[id] {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// NDCG returns the discounted cumulative gain of the first k over that of the best
// ranking possible: Σ rel(i)/log2(i+1), ranks from 1, divided by the same sum with
// the relevant documents in front. It lies in [0, 1]; 0 when nothing is relevant.
//
// Source: Järvelin, Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques",
// ACM TOIS 20(4), 2002; with the discount of Burges et al., ICML 2005.
func NDCG(ranking []string, relevant Relevant, k int) float64 {
	var gain, best float64
	for i, id := range top(ranking, k) {
		if relevant[id] {
			gain += discount(i)
		}
	}
	for i := range min(k, len(relevant)) {
		best += discount(i)
	}
	if best == 0 {
		return 0
	}
	return gain / best
}

// discount returns the value of a document at place i, from 0.
func discount(i int) float64 { return 1 / math.Log2(float64(i)+2) }

// top returns the first k different documents of a ranking.
func top(ranking []string, k int) []string {
	seen := make(map[string]bool, k)
	out := make([]string, 0, max(0, min(k, len(ranking))))
	for _, id := range ranking {
		if len(out) >= k {
			break
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Answer is the answer to one question.
type Answer struct {
	Ranking []string      // documents, best first, including those below the relevance threshold
	Strong  []string      // those of Ranking above the relevance threshold
	Took    time.Duration // time to answer
	Tokens  int           // estimated tokens of the answer
}

// Figure is one figure about the answers to a set. Higher is better, except for Lost, Empty and Tokens.
type Figure string

// The figures. Recall@k, MRR and nDCG measure the whole ranking; Precision, Kept, Lost and Abstained only the
// hits above the relevance threshold.
const (
	Recall1   Figure = "recall@1"
	Recall5   Figure = "recall@5"
	Recall10  Figure = "recall@10"
	Recall20  Figure = "recall@20"
	MRR10     Figure = "mrr@10"
	NDCG10    Figure = "ndcg@10"
	Precision Figure = "precision" // relevant share of the hits above the threshold, over all questions together
	Kept      Figure = "kept"      // recall of the hits above the threshold
	Lost      Figure = "lost"      // answerable questions answered "nothing relevant" (false abstention)
	Abstained Figure = "abstained" // unanswerable questions answered "nothing relevant"
	Empty     Figure = "empty"     // questions without any hit, above or below the threshold
	Tokens    Figure = "tokens"    // mean cost of an answer
)

// Figures lists the figures in the order of tables.
func Figures() []Figure {
	return []Figure{Recall1, Recall5, Recall10, Recall20, MRR10, NDCG10, Precision, Kept, Lost, Abstained, Empty, Tokens}
}

// OfUnanswerable reports whether the figure is about unanswerable questions; all others are about answerable
// ones.
func (f Figure) OfUnanswerable() bool { return f == Abstained }

// Share is the contribution of one question to a figure: Part to a sum, Whole to its divisor. For a mean over
// questions Whole is 1.
type Share struct{ Part, Whole float64 }

// Share returns the contribution of an answer to the figure.
func (f Figure) Share(a Answer, relevant Relevant) Share {
	strong := a.Strong
	switch f {
	case Recall1:
		return one(Recall(a.Ranking, relevant, 1))
	case Recall5:
		return one(Recall(a.Ranking, relevant, 5))
	case Recall10:
		return one(Recall(a.Ranking, relevant, 10))
	case Recall20:
		return one(Recall(a.Ranking, relevant, 20))
	case MRR10:
		return one(ReciprocalRank(a.Ranking, relevant, 10))
	case NDCG10:
		return one(NDCG(a.Ranking, relevant, 10))
	case Precision:
		right := 0
		for _, id := range strong {
			if relevant[id] {
				right++
			}
		}
		return Share{float64(right), float64(len(strong))}
	case Kept:
		return one(Recall(strong, relevant, len(strong)))
	case Lost, Abstained:
		return one(yes(len(strong) == 0))
	case Empty:
		return one(yes(len(a.Ranking) == 0))
	case Tokens:
		return one(float64(a.Tokens))
	}
	return Share{}
}

func one(part float64) Share { return Share{part, 1} }

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Ratio returns the figure of all shares: Σ Part / Σ Whole, 0 if Σ Whole is 0.
func Ratio(shares []Share) float64 {
	var sum Share
	for _, s := range shares {
		sum.Part += s.Part
		sum.Whole += s.Whole
	}
	return sum.value()
}

func (s Share) value() float64 {
	if s.Whole == 0 {
		return 0
	}
	return s.Part / s.Whole
}

// Percentile returns the nearest-rank percentile of the answers' times; 0 without answers. share lies in [0,
// 1].
func Percentile(answers []Answer, share float64) time.Duration {
	if len(answers) == 0 {
		return 0
	}
	took := make([]time.Duration, len(answers))
	for i, a := range answers {
		took[i] = a.Took
	}
	slices.Sort(took)
	return took[int(share*float64(len(took)-1)+0.5)]
}

// Paired is one figure of two configurations: A[i] and B[i] are about the same question.
type Paired struct{ A, B []Share }

// Change compares the second configuration with the first.
type Change struct {
	Difference float64 // of B over A
	Low, High  float64 // the 95 % interval around it
	P          float64 // probability of so large a difference by chance, in (0, 1]
}

// Resamples is the number of bootstrap samples of Compare.
const Resamples = 10_000

// Compare tests a difference by a paired bootstrap: questions are resampled with replacement, and the
// difference is computed again. The interval runs from the 2.5th to the 97.5th percentile; P is two-sided,
// twice the share of samples on the other side of zero. Of several sets it compares the means over the sets,
// resampling each separately. The result is deterministic.
//
// Questions of one group are not independent, so the real interval is somewhat wider.
//
// Source: Efron, Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall 1993, chapters 13 and 16; for
// rankings Sakai, "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR 2006.
func Compare(sets ...Paired) Change {
	c := Change{P: 1}
	same := true
	for _, s := range sets {
		c.Difference += (Ratio(s.B) - Ratio(s.A)) / float64(len(sets))
		for i := range s.A {
			same = same && s.A[i] == s.B[i]
		}
	}
	if same { // options that do not affect these questions
		return c
	}
	draws := make([]float64, Resamples)
	// A fixed seed, so that runs over the same answers agree.
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range draws {
		for _, s := range sets {
			draws[i] += s.draw(chance) / float64(len(sets))
		}
	}
	c.Low, c.High, c.P = spread(draws)
	return c
}

// draw resamples the questions and returns their difference.
func (p Paired) draw(chance *rand.Rand) float64 {
	var a, b Share
	for range p.A {
		i := chance.IntN(len(p.A))
		a.Part += p.A[i].Part
		a.Whole += p.A[i].Whole
		b.Part += p.B[i].Part
		b.Whole += p.B[i].Whole
	}
	return b.value() - a.value()
}

// spread returns the percentiles that enclose 95 % of the draws, and twice the smaller share on either side
// of zero. It sorts draws.
func spread(draws []float64) (low, high, p float64) {
	slices.Sort(draws)
	at := func(share float64) float64 { return draws[int(share*float64(len(draws)-1)+0.5)] }
	var below, above int
	for _, d := range draws {
		if d <= 0 {
			below++
		}
		if d >= 0 {
			above++
		}
	}
	// One is added because no number of draws proves a probability of zero.
	p = 2 * float64(min(below, above)+1) / float64(len(draws)+1)
	return at(0.025), at(0.975), min(1, p)
}
