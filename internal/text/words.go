package text

import (
	"strings"
	"sync"
)

// Words is a list of words separated by blanks, in a variable of a package. It becomes a set when a word is first looked
// up, so that a start pays for no list that it does not ask. It may be used concurrently, and must not be copied.
type Words struct {
	List string

	once sync.Once
	set  map[string]struct{}
}

// Has reports whether word is in the list.
func (w *Words) Has(word string) bool {
	w.once.Do(w.read)
	_, has := w.set[word]
	return has
}

func (w *Words) read() {
	w.set = make(map[string]struct{}, len(w.List)/8)
	for word := range strings.FieldsSeq(w.List) {
		w.set[word] = struct{}{}
	}
}
