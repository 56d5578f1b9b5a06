package segments

import "sync"

// Sealing is what a process seals of a space, beside the saves; the zero Sealing has begun nothing. It is safe for
// concurrent use.
type Sealing struct {
	mu    sync.Mutex
	over  bool
	doing chan struct{} // closed when it is done; nil if nothing is sealed
}

// Begin reports whether the caller may seal, and then must call end.
func (s *Sealing) Begin() (end func(), may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.doing != nil {
		return nil, false
	}
	doing := make(chan struct{})
	s.doing = doing
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.doing = nil
		close(doing)
	}, true
}

// End lets nothing begin, and waits for the end of what has begun.
func (s *Sealing) End() {
	s.mu.Lock()
	s.over = true
	doing := s.doing
	s.mu.Unlock()
	if doing != nil {
		<-doing
	}
}
