package mem

import "sync"

// asking knows which session asks: the one that was started last in this process and
// has not ended. Tools that read have no argument for it. The zero value is ready; it
// may be used concurrently.
type asking struct {
	mu      sync.Mutex
	session string
	told    bool // it had a context
}

func (a *asking) began(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session != session {
		a.session, a.told = session, false
	}
}

func (a *asking) ended(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session == session {
		a.session, a.told = "", false
	}
}

// now returns the session that asks, "" when it is not known.
func (a *asking) now() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session
}

// context returns the session that asks for its context. again says that it had one
// before: an agent asks a second time because its own was compacted, and it has
// forgotten what it was told.
func (a *asking) context() (session string, again bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	again, a.told = a.told, true
	return a.session, again && a.session != ""
}
