// Package recent keeps what a process has read lately and may need again, within a number of bytes.
//
// It is for what never changes under its key, such as a part of a segment in one version: nothing is ever
// outdated, whatever other connections commit, so there is nothing to invalidate.
package recent

import "sync"

// Cache keeps values by key. It is safe for concurrent use; the zero Cache is empty.
//
// It has two generations: when the young one is full, it becomes the old one, which is dropped. What is
// asked for returns to the young one. That drops what was used least recently, roughly, without a list.
type Cache[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]entry[V]
	bytes      int // of young
}

type entry[V any] struct {
	value V
	bytes int
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(k K, most int) (v V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, known := c.young[k]; known {
		return e.value, true
	}
	e, known := c.old[k]
	if known {
		delete(c.old, k)
		c.put(k, e, most)
	}
	return e.value, known
}

// Put keeps a value of about so many bytes, of which the cache holds most at most. What is larger than a
// half of these is not kept.
func (c *Cache[K, V]) Put(k K, v V, bytes, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(k, entry[V]{v, bytes}, most)
}

func (c *Cache[K, V]) put(k K, e entry[V], most int) {
	if e.bytes > most/2 {
		return
	}
	if c.young == nil || c.bytes+e.bytes > most/2 {
		c.young, c.old, c.bytes = c.old, c.young, 0
		if clear(c.young); c.young == nil {
			c.young = map[K]entry[V]{}
		}
	}
	if was, known := c.young[k]; known {
		c.bytes -= was.bytes
	}
	c.young[k] = e
	c.bytes += e.bytes
}
