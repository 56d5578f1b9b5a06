package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// Notes is where it is kept what happens in sessions: package notebook. What is private and
// what is secret leaves a text before it is kept.
type Notes interface {
	// Add notes something, All returns what was noted, oldest first, and End forgets it.
	Add(session string, n attend.Note) error
	All(session string) ([]attend.Note, error)
	End(session string) error
	// Claim adds what choose returns of the notes of some kinds, oldest first, while nobody else
	// adds any to the session; none is fine. An error says that nothing was added.
	Claim(session string, kinds []string, choose func(noted []attend.Note) []attend.Note) error
	// AddPending keeps what is to be written, Waiting returns it in its order, and Written takes
	// out by keys what was.
	AddPending(w attend.Pending) error
	Pending(session string) ([]attend.Pending, error)
	Written(session string, keys []string) error
	// Unwritten returns sessions of which something waits.
	Unwritten() ([]string, error)
	// Sweep forgets what was noted of sessions that nothing was heard of since before.
	Sweep(before time.Time) error
}

// Options are what hooks work with. All but Folder, Project, NoCapture, Off, BringIn, Log and Within
// are required.
type Options struct {
	// Engine returns the engine; it is called when something has to be asked of the store,
	// for most events need none.
	Engine func() *engine.Engine
	Notes  Notes
	Now    func() time.Time
	NewID  func() engram.ID // for keys
	Folder string           // of the process, for agents that tell none
	// Project is that of everything, as settings have it; "" is that of the folder.
	Project   string
	NoCapture bool                      // what an agent says is not looked through for learnings
	Off       func(project string) bool // whether a project is switched off; nil: none is
	// BringIn brings in what is new in the repository around a folder, within a share of the event's
	// time, and says so in a line; "" when nothing is. nil: nothing is ever.
	BringIn func(ctx context.Context, project, dir string) (line string, err error)
	// Log is told what could not be done. Several goroutines may call it.
	Log func(Trouble)
	// Within is how long an event may take. Default 150 ms.
	Within time.Duration
}

// Handle handles the event that in tells of and returns the answer; nil is silence, as for unknown
// names and for what is no event. It returns within Options.Within even if in never ends or the store
// is busy; the work goes on until the process ends. Only what nobody says again, such as a prompt,
// and what is about to be told may take settleWithin times as long until it is noted.
func Handle(ctx context.Context, o Options, agent, event string, in io.Reader) []byte {
	if o.Within == 0 {
		o.Within = 150 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = func(Trouble) {}
	}
	if o.Off == nil {
		o.Off = func(string) bool { return false }
	}
	ctx, cancel := context.WithTimeout(ctx, o.Within)
	defer cancel()
	r := &run{Options: o, name: agent, agent: agentOf(agent), settled: make(chan struct{})}
	kind, known := KindOf(event)
	r.kind = kind
	r.owes.Store(known && kind.lasts())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil { // a bug must not be the agent's
				r.trouble("panic", bugOf(p))
			}
		}()
		r.handle(ctx, event, in)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.trouble(overdue, context.Cause(ctx))
		last, cancel := context.WithTimeout(context.Background(), (settleWithin-1)*o.Within)
		defer cancel()
		if r.owes.Load() {
			select {
			case <-done:
			case <-r.settled:
			case <-last.Done():
				r.trouble("settle", context.DeadlineExceeded)
			}
		}
		return r.answer(last.Done())
	}
	return r.answer(nil)
}

// settleWithin is after how many times Options.Within Handle returns in any case: 750 ms, as
// long as nothing else is set. Thirty agents that ask at once on two cores take half of it.
const settleWithin = 5

// run is one event at work.
type run struct {
	Options
	name    string // of the agent
	kind    Kind
	agent   agent
	event   Event
	at      time.Time
	project string           // "" where it is not known, such as in a folder of several
	dir     string           // the folder of the event, or that of the repository which stands for it
	unkept  []attend.Pending // what the notes refused; it is written now or never
	brought string           // what is to be said of what was brought in; "" when that was said

	owes    atomic.Bool   // there is something to keep that nobody says again
	settled chan struct{} // closed when it is kept

	found atomic.Pointer[string] // project, for whoever tells of trouble
	doing atomic.Pointer[string] // what is under way

	mu       sync.Mutex
	said     []byte
	answered bool
	claiming chan struct{} // closed when what is being claimed is said; nil when nothing is
}

// settle says that what nobody says again is kept.
func (r *run) settle() {
	if r.owes.CompareAndSwap(true, false) {
		close(r.settled)
	}
}

// say is what the agent is answered. It reports whether that is still in time.
func (r *run) say(a Answer) bool {
	b := Encode(r.name, r.event, a)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		return false
	}
	r.said = b
	return true
}

// handle reads the event and does what belongs to it.
func (r *run) handle(ctx context.Context, name string, in io.Reader) {
	kind, known := KindOf(name)
	if !known {
		return
	}
	if kind.lasts() {
		defer r.settle()
	}
	r.do("read")
	text, cut, err := Read(kind, in)
	if cut || err != nil {
		defer func() {
			r.settle()
			if err := readAway(in); err != nil {
				r.trouble("read", err)
			}
		}()
	}
	if err != nil {
		r.trouble("read", err)
		return
	}
	r.do("decode")
	if r.event, err = Decode(r.name, kind, name, text); err != nil {
		r.trouble("decode", err)
		return
	}
	r.at = r.Now().UTC()
	if r.event.Folder == "" {
		r.event.Folder = r.Folder
	}
	r.dir = r.event.Folder
	if r.event.Session = r.session(); r.event.Session == "" {
		return
	}
	if step, ok := r.steps()[kind]; ok {
		step(ctx)
	}
}

// lasts reports a kind of which something may have to be kept that nobody says again.
func (k Kind) lasts() bool {
	switch k {
	case Prompt, AfterCompact, SubagentStop, Stop, SessionEnd:
		return true
	}
	return false
}

// steps are what belongs to each kind.
func (r *run) steps() map[Kind]func(context.Context) {
	return map[Kind]func(context.Context){
		SessionStart: r.sessionStart, Prompt: r.prompt, BeforeTool: r.beforeTool, AfterTool: r.afterTool,
		BeforeCompact: r.beforeCompact, AfterCompact: r.afterCompact, SubagentStop: r.subagentStop, Stop: r.stop, SessionEnd: r.sessionEnd,
	}
}

// session is the id of the session. For an agent that has none, its day in a folder is one.
func (r *run) session() string {
	id := r.event.Session
	if len(id) > engram.MaxName || engram.CheckText("session id", id, engram.MaxName) != nil {
		return short("session", id)
	}
	if id == "" {
		return r.name[:min(len(r.name), 40)] + "-" + r.at.Format("20060102") + "-" + short("", r.event.Folder)
	}
	return id
}

// short is a name for something long.
func short(head, of string) string {
	sum := sha256.Sum256([]byte(of))
	if head != "" {
		head += "-"
	}
	return head + hex.EncodeToString(sum[:4])
}

// The kinds of notes that are of hooks alone.
const (
	notePlace = "place" // Text is the project of the folder Path; "" for one of several projects
	noteRoot  = "root"  // Path is the folder of a repository, or of a configuration, and Text is its project
	noteBare  = "bare"  // the folder Path, in which a tool was at work, is in no repository
	noteFile  = "file"  // the agent was reminded of the file Path, if there was anything; Failed: that was begun, and it is not known to have ended
	noteFault = "fault" // the agent was reminded of an error whose digest is Text, which may have a secret in it; Failed as for a file
	noteTold  = "told"  // Text are numbers of memories that are told; Failed: they were not, after all
	noteBrief = "brief" // the session is told what it should know, after a compaction if Text says so; Failed: that was begun, and it is not known to have ended, or it was not told after all
)

// note notes something that happens now, and reports whether that is kept.
func (r *run) note(n attend.Note) bool {
	n.At = r.at
	err := r.Notes.Add(r.event.Session, n)
	if err != nil {
		r.trouble("note", err)
	}
	return err == nil
}

// notes are what was noted of the session.
func (r *run) notes() []attend.Note {
	all, err := r.Notes.All(r.event.Session)
	if err != nil {
		r.trouble("notes", err)
	}
	return all
}
