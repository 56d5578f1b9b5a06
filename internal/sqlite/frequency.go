package sqlite

import "sync"

// frequencies remembers how common the common words are, for one process. Counting
// them is most of the cost of a question about a large store, and they change slowly;
// rare words are counted each time, which costs nothing.
type frequencies struct {
	mu    sync.Mutex
	total int // memories when the counts were begun
	rows  map[string]int
}

const (
	worthKeeping = 500    // memories; below it counting is as quick as looking up
	maxKept      = 20_000 // words, a megabyte or so
)

// get returns the count of a word if it is known and not out of date: the store must
// not have grown by a tenth since.
func (f *frequencies) get(expr string, total int) (rows int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows == nil || total > f.total+f.total/10 || total < f.total {
		f.rows, f.total = map[string]int{}, total
	}
	rows, ok = f.rows[expr]
	return rows, ok
}

func (f *frequencies) put(expr string, rows int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rows >= worthKeeping && len(f.rows) < maxKept {
		f.rows[expr] = rows
	}
}
