package brief

import (
	"crypto/sha256"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// mostLines bounds the lines of a generation: some 300 bytes each.
const mostLines = 1 << 10

// Lines remembers what contexts say of texts: a server tells the same memories again and again, and a gist takes ten
// times as long as a digest. It forgets what was not asked for lately. It is safe for concurrent use; the zero Lines remembers none yet.
type Lines struct {
	mu         sync.Mutex
	young, old map[[sha256.Size]byte]string
}

// of is render.ContextLine.
func (l *Lines) of(m engram.Memory) string {
	own := m.OwnSummary()
	h := sha256.New()
	h.Write([]byte{byte(len(own)), byte(len(own) >> 8), byte(len(own) >> 16)})
	h.Write([]byte(own))
	h.Write([]byte(m.Content))
	var text [sha256.Size]byte
	h.Sum(text[:0])
	if line, known := l.known(text); known {
		return line
	}
	line := render.ContextLine(m)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(text, line)
	return line
}

func (l *Lines) known(text [sha256.Size]byte) (line string, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line, known = l.young[text]; known {
		return line, true
	}
	if line, known = l.old[text]; known {
		l.put(text, line)
	}
	return line, known
}

func (l *Lines) put(text [sha256.Size]byte, line string) {
	if l.young == nil || len(l.young) >= mostLines {
		l.young, l.old = map[[sha256.Size]byte]string{}, l.young
	}
	l.young[text] = line
}
