package lexicon

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Limits of the search for corrections, in blocks of a segment: a block is some two hundred words and
// takes 15 µs to read. They cover 50,000 memories when only words with one initial are compared, 10,000 when all
// words are; in larger scopes the newest memories are searched.
const (
	repairBlocks   = 120
	fragmentBlocks = 400
)

const (
	leastRepaired = 4 // letters; shorter words have too many similar ones
	longWord      = 8 // letters; longer words may have two errors
	leastFragment = 3
	maxFragments  = 8 // words that one substring may match
)

// repair sets w to the indexed word that was probably meant: the one with the fewest typing errors, or
// the longest prefix of what was written (a truncated word has no stem). In a question in another language it must be a
// word of a text in another language: decidimos is no mistyped decided.
func (s *search) repair(ctx context.Context, w *word) error {
	term := w.term
	n := utf8.RuneCountInString(term.Written)
	if n < leastRepaired {
		return nil
	}
	most := 0
	if letters(term.Written) {
		most = 1
		if n >= longWord {
			most = 2
		}
	}
	found, errors, err := s.nearest(ctx, w, most)
	if err != nil {
		return err
	}
	if found != "" && errors == 1 {
		w.repaired = true
		return s.exactly(ctx, w, found)
	}
	r := []rune(term.Written)
	for n := len(r) - 1; n >= max(leastRepaired, len(r)-6); n-- {
		begins := string(r[:n])
		if err := s.exactly(ctx, w, begins); err != nil {
			return err
		}
		if w.rows == 0 {
			continue
		}
		fits, err := s.fits(ctx, term, begins)
		if err != nil {
			return err
		}
		if w.repaired = fits; fits {
			return nil
		}
		*w = word{term: term, spread: make([]holding, len(s.scope.segments))}
	}
	if found != "" {
		w.repaired = true
		return s.exactly(ctx, w, found)
	}
	return nil
}

// letters reports whether a word is spelled with letters only: a similar number, version or hash is a
// different thing, not a typo.
func letters(word string) bool { return !strings.ContainsAny(word, "0123456789") }

// nearest returns the indexed word with the fewest typing errors, at most most, preferring the same
// initial, then the more frequent word; "" if there is no such word.
func (s *search) nearest(ctx context.Context, w *word, most int) (found string, errors int, err error) {
	if most == 0 {
		return "", 0, nil
	}
	written := w.term.Written
	first, size := utf8.DecodeRuneInString(written)
	second, _ := utf8.DecodeRuneInString(written[size:])
	for _, initial := range []rune{first, second} {
		counts, distance, err := s.near(ctx, w, string(initial), most)
		if err != nil {
			return "", 0, err
		}
		for word, n := range counts {
			if initial != first && !strings.HasPrefix(word, string(second)+string(first)) && !strings.HasPrefix(word, written[size:]) {
				continue // another initial is only accepted for swapped or prepended letters
			}
			if found == "" || cmp.Or(cmp.Compare(distance[word], distance[found]), cmp.Compare(counts[found], n), cmp.Compare(word, found)) < 0 {
				found = word
			}
		}
		if found != "" {
			return found, distance[found], nil
		}
	}
	return "", 0, nil
}

// near returns the indexed words with a prefix and at most most typing errors: their approximate
// frequencies and error counts.
func (s *search) near(ctx context.Context, w *word, initial string, most int) (counts, distance map[string]int, err error) {
	counts, distance = map[string]int{}, map[string]int{}
	forms := formsOf(w.term)
	budget := repairBlocks
	for _, g := range slices.Backward(s.scope.segments) { // newest first, in case the budget runs out
		if budget <= 0 {
			break
		}
		budget -= g.blocksOf(initial)
		words, err := s.scope.index.mistyped(ctx, g, initial, forms, most)
		if err != nil {
			return nil, nil, err
		}
		mixed := s.scope.mixed(g)
		var some []string
		for _, l := range words {
			distance[l.word] = l.errors
			if mixed {
				some = append(some, l.word)
			} else {
				counts[l.word] += l.rows
			}
		}
		if err := s.countIn(ctx, g, some, counts); err != nil {
			return nil, nil, err
		}
	}
	for word, n := range counts {
		fits, err := s.fits(ctx, w.term, word)
		if err != nil {
			return nil, nil, err
		}
		if n == 0 || !fits { // only other projects have it
			delete(counts, word)
		}
	}
	return counts, distance, nil
}

// fits reports whether a word may be what a term meant. Indexed words do not tell their language, but texts in other
// languages have stems beside them.
func (s *search) fits(ctx context.Context, term engram.Term, word string) (fits bool, err error) {
	if !term.Foreign {
		return true, nil
	}
	r := []rune(word)
	begins := text.ForeignMark + string(r[:min(len(r), leastRepaired)])
	err = s.scope.index.beginning(ctx, s.scope.segments, begins, func(i int, stem, raw []byte) error {
		stem = stem[len(text.ForeignMark):]
		if fits || !strings.HasPrefix(word, string(stem)) && !bytes.HasPrefix(stem, []byte(word)) {
			return nil
		}
		l, err := postings.ReadList(raw)
		if err != nil {
			return err
		}
		n, err := s.rowsIn(s.scope.segments[i], &holding{list: l})
		fits = n > 0
		return err
	})
	return fits, err
}

// formsOf returns the spellings of a term. The index has stems, but an error in the ending may prevent
// stemming.
func formsOf(term engram.Term) (forms []form) {
	for _, word := range slices.Compact([]string{term.Word, term.Written}) {
		width := 1
		if strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			width = utf8.UTFMax
		}
		forms = append(forms, form{word, lettersOf(word), width})
	}
	return forms
}

// errorsTo returns the smallest number of typing errors between a word and a form; more than most if
// there are too many.
func errorsTo(word string, forms []form, most int) int {
	least, letters := most+1, lettersOf(word)
	for _, f := range forms {
		if !f.mayBe(len(word), letters, most) {
			continue
		}
		// A stem is shorter than the word written, so it tolerates fewer errors.
		bears := most
		if min(len(word), len(f.word)) < longWord {
			bears = min(most, 1)
		}
		if n, ok := text.Typos(word, f.word, bears); ok {
			least = min(least, n)
		}
	}
	return least
}

// countIn adds to counts the memories of the project in segment g that have each of the words.
func (s *search) countIn(ctx context.Context, g *segment, words []string, counts map[string]int) error {
	if len(words) == 0 {
		return nil
	}
	lists, err := s.scope.index.lists(ctx, []*segment{g}, words)
	if err != nil {
		return err
	}
	for i, word := range words {
		n, err := s.rowsIn(g, &holding{list: lists[i][0]})
		if err != nil {
			return err
		}
		counts[word] += n
	}
	return nil
}

// blocksOf returns how many blocks of a segment may contain words with a prefix.
func (g *segment) blocksOf(initial string) int {
	end, _ := slices.BinarySearch(g.firsts, initial+"\xff")
	return max(end-max(g.blockOf(initial), 0), 1)
}

// rowsOf counts the memories of the project in an encoded list of segment g; 0 if it is damaged, which
// reading it later reports.
func (s *search) rowsOf(g *segment, raw []byte) int {
	l, err := postings.ReadList(raw)
	if err != nil {
		return 0
	}
	n, err := s.rowsIn(g, &holding{list: l})
	if err != nil {
		return 0
	}
	return n
}

// fragment sets w to the most frequent words that contain the substring. In large scopes it searches the
// newest memories.
func (s *search) fragment(ctx context.Context, w *word) error {
	part := []byte(w.term.Written)
	if utf8.RuneCount(part) < leastFragment {
		return nil
	}
	counts := map[string]int{}
	budget := fragmentBlocks
	for _, g := range slices.Backward(s.scope.segments) {
		budget -= len(g.firsts)
		err := s.scope.index.walk(ctx, g, "", func(word, raw []byte) bool {
			if bytes.Contains(word, part) && word[0] >= ' ' { // neither a tag nor a foreign stem
				if n := s.rowsOf(g, raw); n > 0 {
					counts[string(word)] += n
				}
			}
			return true
		})
		if err != nil {
			return err
		}
		if budget < 0 {
			break
		}
	}
	if len(counts) == 0 {
		return nil
	}
	w.repaired = true
	return s.anyOf(ctx, w, mostFrequent(counts, maxFragments), postings.Union)
}
