package hook_test

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram/internal/attend"
)

// notes is a notebook in memory.
type notes struct {
	mu      sync.Mutex
	noted   map[string][]attend.Note
	waiting []attend.Pending
	broken  bool // it keeps nothing, as on a full disk
}

var errFull = errors.New("no space left on device")

func (n *notes) Add(session string, note attend.Note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken {
		return errFull
	}
	if n.noted == nil {
		n.noted = map[string][]attend.Note{}
	}
	n.noted[session] = append(n.noted[session], note)
	return nil
}

func (n *notes) Claim(session string, kinds []string, choose func([]attend.Note) []attend.Note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken {
		return errFull
	}
	if n.noted == nil {
		n.noted = map[string][]attend.Note{}
	}
	of := slices.DeleteFunc(slices.Clone(n.noted[session]), func(note attend.Note) bool { return !slices.Contains(kinds, note.Kind) })
	n.noted[session] = append(n.noted[session], choose(of)...)
	return nil
}

func (n *notes) All(session string) ([]attend.Note, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.noted[session]), nil
}

func (n *notes) End(session string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.noted, session)
	return nil
}

func (n *notes) AddPending(w attend.Pending) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken {
		return errFull
	}
	n.waiting = append(n.waiting, w)
	return nil
}

func (n *notes) Pending(session string) (all []attend.Pending, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.waiting {
		if w.Session == session {
			all = append(all, w)
		}
	}
	return all, nil
}

func (n *notes) Written(_ string, keys []string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting = slices.DeleteFunc(n.waiting, func(w attend.Pending) bool { return slices.Contains(keys, w.Key) })
	return nil
}

func (n *notes) Unwritten() (sessions []string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.waiting {
		if !slices.Contains(sessions, w.Session) {
			sessions = append(sessions, w.Session)
		}
	}
	return sessions, nil
}

func (n *notes) Sweep(time.Time) error { return nil }
