package postgres

import (
	"maps"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/embeddings"
)

// names are looked-up row numbers, the rows of projects, sessions, models and facts, as they are in one version of a
// space. They are safe for concurrent use: transactions of a version share them.
type names struct {
	mu       sync.Mutex
	projects map[string]int64 // by any name
	sessions map[string]int64
	rows     map[string]engram.Project // by any name
	asked    map[string]askedSession   // up to mostSessions
	models   embeddings.Models
	facts    map[string]string                         // "" for one that is not set
	decays   map[string]map[string]engram.ProjectDecay // under ""; nil until read
}

// mostNames bounds the cached names of a kind.
const mostNames = 4096

// askedSession is a session without what the memories of the transaction add to it.
type askedSession struct {
	engram.Session
	num int64
}

// mostSessions bounds the cached rows of sessions, which have summaries.
const mostSessions = 64

// knowSession caches a session.
func (n *names) knowSession(s askedSession) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.asked) >= mostSessions {
		n.asked = nil
	}
	keep(&n.asked, s.ID, s)
}

// countSession adds what memories add to a cached session.
func (n *names) countSession(num int64, by sessionChange) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, s := range n.asked {
		if s.num == num {
			n.asked[id] = askedSession{active(s.Session, by), num}
		}
	}
}

// forgetSessions forgets the cached sessions.
func (n *names) forgetSessions() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = nil
}

// keep caches the number of a name.
func keep[K comparable, N any](in *map[K]N, name K, num N) {
	if *in == nil || len(*in) >= mostNames {
		*in = map[K]N{}
	}
	(*in)[name] = num
}

// know caches what a name stands for, in one of the maps.
func know[N any](n *names, in *map[string]N, name string, num N) {
	n.mu.Lock()
	defer n.mu.Unlock()
	keep(in, name, num)
}

// known returns what a name stands for, in one of the maps.
func known[N any](n *names, in *map[string]N, name string) (num N, found bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	num, found = (*in)[name]
	return num, found
}

// copy returns names that can change without these.
func (n *names) copy() *names {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := &names{projects: maps.Clone(n.projects), sessions: maps.Clone(n.sessions), rows: maps.Clone(n.rows), asked: maps.Clone(n.asked), facts: maps.Clone(n.facts), decays: maps.Clone(n.decays)}
	c.models.Copy(&n.models)
	return c
}

// renamed forgets what a change of projects may change.
func (t *tx) renamed() {
	t.names.mu.Lock()
	defer t.names.mu.Unlock()
	t.names.projects, t.names.rows, t.names.decays, t.names.asked = nil, nil, nil, nil
}

// latest are the names in the newest version of a space that a process has seen.
type latest struct {
	mu      sync.Mutex
	version int64
	names   *names
}

// at returns the names of a version, to be shared by its readers.
func (l *latest) at(version int64) *names {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil || version > l.version {
		l.version, l.names = version, &names{}
	}
	if version < l.version { // of a snapshot that others have left
		return &names{}
	}
	return l.names
}

// written installs the names of a version that this process has written.
func (l *latest) written(version int64, n *names) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if version > l.version {
		l.version, l.names = version, n
	}
}
