// Package widget holds the parts that screens are made of: a list that reads its items page by page, a line of input,
// text that scrolls, Markdown, the difference of two texts, and bars. Widgets know no screens and do no I/O: a screen
// reads what a list needs, and hands it in.
package widget

import (
	"fmt"
	"slices"
)

// Page is a part of a list.
type Page[T any] struct {
	Items []T
	Total int // of the whole list; -1 if unknown
}

// window is how many items a list keeps, whatever its length.
const window = 120

// List is a list of any length of which a window is in memory. The zero value is empty; Key must be set.
type List[T any] struct {
	Key    func(T) string // names an item across readings
	Cursor int            // index of the item that is selected; 0 in an empty list
	top    int            // index of the first visible item
	start  int            // index of items[0]
	items  []T
	total  int  // as far as known
	more   bool // the end is not known: there is at least one more
	read   bool // it was read at least once
	marked map[string]bool
	rows   int // visible items
	above  int // new items above the first visible one since it was moved last
}

// Len returns the number of items as far as it is known.
func (l *List[T]) Len() int { return l.total }

// Known reports whether the list was read.
func (l *List[T]) Known() bool { return l.read }

// Reset empties the list, before another one is read into it.
func (l *List[T]) Reset() { *l = List[T]{Key: l.Key, rows: l.rows} }

// At returns the item with an index; ok is false if it is not in memory.
func (l *List[T]) At(i int) (item T, ok bool) {
	if i < l.start || i >= l.start+len(l.items) {
		return item, false
	}
	return l.items[i-l.start], true
}

// Current returns the selected item.
func (l *List[T]) Current() (T, bool) { return l.At(l.Cursor) }

// Move moves the cursor by n items.
func (l *List[T]) Move(n int) { l.To(l.Cursor + n) }

// To moves the cursor to an index, or as near as there is one.
func (l *List[T]) To(i int) {
	l.Cursor = max(0, min(i, l.total-1))
	l.above = 0
	l.scroll()
}

// Page returns how many items a page has.
func (l *List[T]) Page() int { return max(1, l.rows) }

// Resize sets how many items are visible.
func (l *List[T]) Resize(rows int) {
	l.rows = max(1, rows)
	l.scroll()
}

// scroll makes the cursor visible.
func (l *List[T]) scroll() {
	l.top = max(min(l.top, l.Cursor), l.Cursor-max(1, l.rows)+1)
	l.top = max(0, min(l.top, l.total-max(1, l.rows)))
}

// Visible returns the indexes of the visible items: from the first to before the last.
func (l *List[T]) Visible() (from, to int) { return l.top, min(l.total, l.top+max(1, l.rows)) }

// Click moves the cursor to a visible row, from 0; it reports whether there is an item.
func (l *List[T]) Click(row int) bool {
	i := l.top + row
	if row < 0 || row >= l.rows || i >= l.total {
		return false
	}
	l.Cursor, l.above = i, 0
	return true
}

// Need returns the range that should be read now: around the cursor, when the window does not reach a page beyond what
// is visible.
func (l *List[T]) Need() (offset, limit int, needed bool) {
	offset = max(0, l.Cursor-window/2)
	if !l.read {
		return offset, window, true
	}
	from, to := max(0, l.top-l.Page()/2), min(l.total, l.top+l.Page()+l.Page()/2)
	if from < l.start || to > l.start+len(l.items) || l.more && l.Cursor+l.Page() >= l.total {
		return offset, max(window, 2*l.Page()), true
	}
	return 0, 0, false
}

// Again returns the range to read when something has changed.
func (l *List[T]) Again() (offset, limit int) {
	return max(0, l.Cursor-window/2), max(window, 2*l.Page())
}

// Set takes a page that was read from an offset. The cursor stays on its item, wherever that is now, and the item on its
// line, unless the list shows its beginning.
func (l *List[T]) Set(offset, limit int, p Page[T]) {
	was, known := l.Current()
	before := l.total
	l.start, l.items, l.read = offset, p.Items, true
	l.total, l.more = p.Total, false
	if p.Total < 0 {
		l.total = offset + len(p.Items)
		if l.more = len(p.Items) >= limit; !l.more && len(p.Items) == 0 && offset > 0 {
			l.total = min(before, offset)
		}
		l.total = max(l.total, 0)
	}
	if known {
		l.follow(l.Key(was), before)
	}
	l.Cursor = max(0, min(l.Cursor, l.total-1))
	l.scroll()
}

// follow moves the cursor to where its item is now.
func (l *List[T]) follow(key string, before int) {
	at := -1
	for i, item := range l.items {
		if l.Key(item) == key {
			at = l.start + i
			break
		}
	}
	shift := at - l.Cursor
	if at < 0 {
		return // it is gone: what takes its place is selected
	}
	l.Cursor = at
	if l.top > 0 {
		l.top = max(0, l.top+shift)
		if l.total > before && shift > 0 {
			l.above += shift
		}
	}
}

// Select moves the cursor to the item with a key, if it is in memory.
func (l *List[T]) Select(key string) bool {
	for i, item := range l.items {
		if l.Key(item) == key {
			l.To(l.start + i)
			return true
		}
	}
	return false
}

// Mark selects the item at the cursor for an action on several, or no longer.
func (l *List[T]) Mark() {
	item, ok := l.Current()
	if !ok {
		return
	}
	if l.marked == nil {
		l.marked = map[string]bool{}
	}
	if key := l.Key(item); l.marked[key] {
		delete(l.marked, key)
	} else {
		l.marked[key] = true
	}
}

// Marked reports whether an item is marked.
func (l *List[T]) Marked(item T) bool { return l.marked[l.Key(item)] }

// Marks returns the keys of the marked items.
func (l *List[T]) Marks() (keys []string) {
	for k := range l.marked {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Unmark removes all marks; it reports whether there were any.
func (l *List[T]) Unmark() bool {
	had := len(l.marked) > 0
	l.marked = nil
	return had
}

// Center scrolls so that the cursor is in the middle.
func (l *List[T]) Center() {
	l.top = l.Cursor - l.rows/2
	l.scroll()
}

// Position says which items are visible: "1–20 of 50".
func (l *List[T]) Position() string {
	if !l.read {
		return "…"
	}
	if l.total == 0 {
		return "0 of 0"
	}
	from, to := l.Visible()
	s := fmt.Sprintf("%d–%d of %d", from+1, to, l.total)
	if l.more {
		s += "+"
	}
	if l.above > 0 {
		s = fmt.Sprintf("↑ %d new  %s", l.above, s)
	}
	if n := len(l.marked); n > 0 {
		s = fmt.Sprintf("%d selected  %s", n, s)
	}
	return s
}
