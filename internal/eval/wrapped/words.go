package wrapped

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// mostSame is the number of documents that may have a title, a rare word or a name. A question about more of
// them asks for nothing in particular.
const mostSame = 3

// corpus is a set with what its documents have. Lists of documents are indices, in order.
type corpus struct {
	set             eval.Set
	having          map[string][]int // documents by stem
	titles          map[string][]int // by title as plain returns it
	beginnings      map[string][]int // by the beginning of the title
	named           map[string][]int // by identifier or path
	groups          map[string][]int // documents by group
	asked           map[string][]int // questions by group
	groupOf         map[string]string
	fields          map[string][]string // stems of the fields that a filler has used
	rare            func(documents int) bool
	uncommon, usual func(documents int) bool
}

func newCorpus(set eval.Set) *corpus {
	c := &corpus{set: set, having: map[string][]int{}, titles: map[string][]int{}, beginnings: map[string][]int{},
		named: map[string][]int{}, groups: map[string][]int{}, asked: map[string][]int{}, groupOf: map[string]string{}, fields: map[string][]string{}}
	for i, d := range set.Documents {
		add(c.titles, plain(d.Title), i)
		add(c.beginnings, beginning(d.Title), i)
		add(c.groups, d.Group, i)
		c.groupOf[d.ID] = d.Group
		for _, stem := range stems(d.Title + "\n" + d.Text) {
			add(c.having, stem, i)
		}
		for _, n := range names(d.Title + "\n" + d.Text) {
			add(c.named, n, i)
		}
	}
	for i, q := range set.Questions {
		add(c.asked, q.Group, i)
	}
	c.rare, c.uncommon, c.usual = bands(len(set.Documents))
	return c
}

// add appends a document to a list that does not end with it.
func add(lists map[string][]int, key string, i int) {
	if list := lists[key]; len(list) == 0 || list[len(list)-1] != i {
		lists[key] = append(list, i)
	}
}

// bands returns what is rare, uncommon and usual by the number of documents that have a word, of all
// documents. Usual words are frequent without being in every text.
func bands(all int) (rare, uncommon, usual func(int) bool) {
	return func(n int) bool { return n <= mostSame },
		func(n int) bool { return n <= max(10, all/100) },
		func(n int) bool { return n > mostSame && n >= all/500 && n <= max(8, all/5) }
}

// word is a word of a text that a question can be made of.
type word struct{ written, stem string }

// words returns the different words of a document that are letters alone and name a topic, in lower case.
func (c *corpus) words(i int) []word {
	var found []word
	seen := map[string]bool{}
	d := c.set.Documents[i]
	for _, f := range strings.Fields(d.Title + " " + d.Text) {
		f = trim(f)
		const shortest, longest = 4, 24
		if len(f) < shortest || len(f) > longest || strings.ContainsFunc(f, func(r rune) bool { return !unicode.IsLetter(r) }) {
			continue
		}
		w := word{written: strings.ToLower(f)}
		terms := text.Query(f) // camel case has several
		if len(terms) != 1 || terms[0].Stop || text.Asks(w.written) || seen[terms[0].Word] {
			continue
		}
		w.stem = terms[0].Word
		seen[w.stem] = true
		found = append(found, w)
	}
	return found
}

// stems returns the stems of a text, each once, without stop words.
func stems(s string) []string {
	var out []string
	seen := map[string]bool{}
	text.Scan(s, func(t text.Token) {
		if t.Stop || seen[t.Word] {
			return
		}
		seen[t.Word] = true
		out = append(out, t.Text())
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// havingAll returns the documents that have all words.
func (c *corpus) havingAll(words []string) []int {
	var lists [][]int
	for _, w := range words {
		for _, stem := range stems(w) {
			lists = append(lists, c.having[stem])
		}
	}
	return common(lists)
}

// containing returns the documents that contain s literally, apart from case and spaces.
func (c *corpus) containing(s string) []int {
	asked := plain(s)
	var lists [][]int
	for _, stem := range stems(s) {
		lists = append(lists, c.having[stem])
	}
	candidates := common(lists)
	if len(lists) == 0 { // stop words alone
		candidates = make([]int, len(c.set.Documents))
		for i := range candidates {
			candidates[i] = i
		}
	}
	return slices.DeleteFunc(candidates, func(i int) bool {
		d := c.set.Documents[i]
		return !strings.Contains(plain(d.Title+"\n"+d.Text), asked)
	})
}

// common returns what all lists have; nil without lists.
func common(lists [][]int) []int {
	if len(lists) == 0 {
		return nil
	}
	slices.SortStableFunc(lists, func(a, b []int) int { return len(a) - len(b) })
	out := slices.Clone(lists[0])
	for _, l := range lists[1:] {
		out = slices.DeleteFunc(out, func(i int) bool {
			_, found := slices.BinarySearch(l, i)
			return !found
		})
	}
	return out
}

// plain returns s in lower case with single spaces.
func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// beginning returns the first words of a title that has more, in lower case; "" for a shorter one.
func beginning(title string) string {
	fields := strings.Fields(strings.ToLower(title))
	if len(fields) <= begun {
		return ""
	}
	return strings.Join(fields[:begun], " ")
}

// trim cuts punctuation around a word.
func trim(w string) string { return strings.Trim(w, "`'\"“”‘’()[]{}<>,;:.!?*|=~^") }

// names returns the identifiers and paths of a text, in order.
func names(s string) []string {
	var found []string
	for _, f := range strings.Fields(s) {
		if f = trim(f); isIdentifier(f) || isPath(f) {
			found = append(found, f)
		}
	}
	return found
}

var (
	// snake_case, camelCase, pkg.Name, std::name
	identifierForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*$`) })
	identifierSign = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]|::|->|[a-z_]\.[A-Za-z_]\w*[._A-Z]`)
	})
	// src/main.rs, /etc/hosts, a/b/c; not and/or, http://example.org
	pathForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w.~@-]*(?:/[\w.@-]+)+$`) })
	pathSign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/.*/|\.\w+$`) })
)

const shortestName, longestName = 5, 80

func isIdentifier(s string) bool {
	return len(s) >= shortestName && len(s) <= longestName && identifierForm().MatchString(s) && identifierSign().MatchString(s)
}

func isPath(s string) bool {
	return len(s) >= shortestName && len(s) <= longestName && strings.Contains(s, "/") && pathForm().MatchString(s) && pathSign().MatchString(s) &&
		strings.ContainsFunc(s, unicode.IsLetter)
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
