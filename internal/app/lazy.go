package app

import (
	"context"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// lazyStore opens a store when it is first used. An open that failed is tried again
// by the next call: a server outlives a disk that was full for a minute.
type lazyStore struct {
	open func(context.Context) (engram.Store, error)

	mu     sync.Mutex
	store  engram.Store
	opened func() // called once the store is open; nil: nothing
	closed bool
}

// whenOpen has fn called when the store is opened, or now if it is.
func (l *lazyStore) whenOpen(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = fn
	if l.store != nil {
		fn()
	}
}

// get returns the store, opened. Callers that come while it opens wait for it.
func (l *lazyStore) get(ctx context.Context) (engram.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, engram.Errorf(engram.CodeUnavailable, "the store is closed")
	}
	if l.store == nil {
		s, err := l.open(ctx)
		if err != nil {
			return nil, err
		}
		l.store = s
		if l.opened != nil {
			l.opened()
		}
	}
	return l.store, nil
}

// View implements engram.Store.
func (l *lazyStore) View(ctx context.Context, fn func(engram.Reader) error) error {
	s, err := l.get(ctx)
	if err != nil {
		return err
	}
	return s.View(ctx, fn)
}

// Update implements engram.Store.
func (l *lazyStore) Update(ctx context.Context, fn func(engram.Tx) error) error {
	s, err := l.get(ctx)
	if err != nil {
		return err
	}
	return s.Update(ctx, fn)
}

// Close implements engram.Store. A store that was never used has nothing to close,
// and closing twice is closing once.
func (l *lazyStore) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.store == nil {
		return nil
	}
	s := l.store
	l.store = nil
	return s.Close()
}

// logHolds reports whether the store's log may hold what was erased, because somebody
// keeps it from being emptied.
func (l *lazyStore) logHolds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.store.(interface{ LogHolds() bool })
	return ok && s.LogHolds()
}
