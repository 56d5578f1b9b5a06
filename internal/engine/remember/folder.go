package remember

import (
	"context"
	"errors"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// Folders remembers the folders of sessions for the Writers of a process: places in a text are looked up in files before
// the transaction, and reading the session for that alone is a transaction more. What it says is checked in the save's
// own. It is safe for concurrent use; the zero Folders is empty.
type Folders struct {
	mu sync.Mutex
	of map[string]string
}

const mostFolders = 1024

func (f *Folders) get(session string) (dir string, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, known = f.of[session]
	return dir, known
}

func (f *Folders) put(session, dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil || len(f.of) >= mostFolders {
		f.of = map[string]string{}
	}
	f.of[session] = dir
}

// errMoved is the error of a save that was prepared for another folder than its session has.
var errMoved = errors.New("the session has another folder")

// checkFolders returns errMoved unless the sessions still have the remembered folders by which drafts were anchored.
func (w *Writer) checkFolders(ctx context.Context, r engram.Reader, intakes []Intake) error {
	for i := range intakes {
		t := &intakes[i]
		if !t.remembered {
			continue
		}
		s, err := r.Session(ctx, t.Draft.SessionID)
		if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
			return err
		}
		if s.Directory != t.folder {
			w.folders.put(t.Draft.SessionID, s.Directory)
			return errMoved
		}
	}
	return nil
}
