package recent

import "sync"

// Spare keeps one value that is not in use, for the next that needs one. Unlike a sync.Pool it keeps it over collections,
// which would let each of them cost a new one. It is safe for concurrent use; the zero Spare is empty.
type Spare[T any] struct {
	mu  sync.Mutex
	one *T
}

// Take returns the value that was given last, or a new one.
func (s *Spare[T]) Take() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.one
	if s.one = nil; one == nil {
		one = new(T)
	}
	return one
}

// Give gives a value that is no longer used.
func (s *Spare[T]) Give(one *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.one = one
}
