// Package hook handles the life-cycle events of agents: `engram hook AGENT EVENT` decodes an event in
// the agent's dialect (dialect), finds its project (place), handles it (session.go, brief.go) and
// writes what it learned (write.go).
//
// It never fails and never delays the agent: work that takes too long is dropped, and unwritten
// items stay in the notebook for the next event.
package hook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
	"github.com/alanbuscaglia/engram/internal/project"
)

// Notes records what happens in sessions, without private and secret text: package notebook.
type Notes interface {
	// Add adds a note, All returns the notes, oldest first, and End removes them.
	Add(session string, n attend.Note) error
	All(session string) ([]attend.Note, error)
	End(session string) error
	// Claim adds the notes that choose returns, given those of some kinds, oldest first, while no
	// other process adds any to the session. After an error nothing was added.
	Claim(session string, kinds []string, choose func(noted []attend.Note) []attend.Note) error
	// AddPending adds an item to be written, Pending returns the items in order, and Written
	// removes written ones by key.
	AddPending(w attend.Pending) error
	Pending(session string) ([]attend.Pending, error)
	Written(session string, keys []string) error
	// Unwritten returns the sessions with pending items.
	Unwritten() ([]string, error)
	// Sweep removes sessions without any event since before.
	Sweep(before time.Time) error
}

// Options configure Handle. All but Folder, Project, NoCapture, Off, BringIn, Log and Within are
// required.
type Options struct {
	// Engine returns the engine, on first use: most events do not need the store.
	Engine func() *engine.Engine
	Notes  Notes
	Now    func() time.Time
	NewID  func() engram.ID // for keys
	Folder string           // of the process, for agents that give none
	// Project is the configured project; "" is that of the folder.
	Project   string
	NoCapture bool                      // do not extract learnings from messages
	Off       func(project string) bool // whether a project is disabled; nil: none is
	// BringIn imports new records from the repository around a folder, within a share of the
	// event's time, and returns a line about it, or "". May be nil.
	BringIn func(ctx context.Context, project, dir string) (line string, err error)
	// Log receives failures. It may be called concurrently.
	Log func(Trouble)
	// Within limits the time of an event. Default 150 ms.
	Within time.Duration
}

// Handle handles the event in in and returns the answer; nil is no answer, as for unknown events
// and invalid input. It returns within Options.Within even if in never ends or the store is busy;
// the work goes on until the process ends. Only recording text that does not come again, such as a
// prompt, and finishing a claim may take recordWithin times as long.
func Handle(ctx context.Context, o Options, agent, event string, in io.Reader) []byte {
	o.Within = cmp.Or(o.Within, 150*time.Millisecond)
	if o.Log == nil {
		o.Log = func(Trouble) {}
	}
	if o.Off == nil {
		o.Off = func(string) bool { return false }
	}
	ctx, cancel := context.WithTimeout(ctx, o.Within-o.Within/tellPart)
	defer cancel()
	r := &run{Options: o, name: agent, agent: dialect.AgentOf(agent), saved: make(chan struct{})}
	kind, known := dialect.KindOf(event)
	r.kind = kind
	r.unsaved.Store(known && lasts(kind))
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil { // a bug must not disturb the agent
				r.trouble("panic", bugOf(p))
			}
		}()
		r.handle(ctx, event, in)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.trouble(overdue, context.Cause(ctx))
		rest := time.NewTimer(o.Within / tellPart)
		defer rest.Stop()
		select {
		case <-done:
			return r.answer(context.Background())
		case <-rest.C:
		}
		last, cancel := context.WithTimeout(context.Background(), (recordWithin-1)*o.Within)
		defer cancel()
		if r.unsaved.Load() {
			select {
			case <-done:
			case <-r.saved:
			case <-last.Done():
				r.trouble("settle", context.DeadlineExceeded)
			}
		}
		return r.answer(last)
	}
	return r.answer(context.Background())
}

// tellPart is the part of Options.Within, one in so many, that is for telling what was read before: reading ends
// before it.
const tellPart = 5

// recordWithin times Options.Within is the time after which Handle returns in any case: 750 ms by
// default. Thirty agents at once on two cores take half of it.
const recordWithin = 5

type run struct {
	Options
	name    string // of the agent
	kind    dialect.Kind
	agent   dialect.Agent
	event   dialect.Event
	at      time.Time
	project string           // "" if unknown, such as in a folder of several
	dir     string           // folder of the event, or of its repository
	unkept  []attend.Pending // items that the notebook refused; written now or never
	brought string           // report of an import, not yet sent

	unsaved atomic.Bool   // there is text to record that does not come again
	saved   chan struct{} // closed once it is recorded

	found atomic.Pointer[string] // project, for error reports
	doing atomic.Pointer[string] // current step, for error reports

	mu       sync.Mutex
	said     []byte
	answered bool
	claiming chan struct{} // closed when the current claim is sent, or nil
}

// recorded marks the text that does not come again as recorded.
func (r *run) recorded() {
	if r.unsaved.CompareAndSwap(true, false) {
		close(r.saved)
	}
}

// say sets the answer, and reports whether it is in time.
func (r *run) say(a dialect.Answer) bool {
	b := dialect.Encode(r.name, r.event, a)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		return false
	}
	r.said = b
	return true
}

// handle reads the event and runs its step.
func (r *run) handle(ctx context.Context, name string, in io.Reader) {
	kind, known := dialect.KindOf(name)
	if !known {
		return
	}
	if lasts(kind) {
		defer r.recorded()
	}
	r.do("read")
	text, cut, err := dialect.Read(kind, in)
	if cut || err != nil {
		defer func() {
			r.recorded()
			if err := dialect.Discard(in); err != nil {
				r.trouble("read", err)
			}
		}()
	}
	if err != nil {
		r.trouble("read", err)
		return
	}
	r.do("decode")
	if r.event, err = dialect.Decode(r.name, kind, name, text); err != nil {
		r.trouble("decode", err)
		return
	}
	r.at = r.Now().UTC()
	r.event.Folder = cmp.Or(r.event.Folder, r.Folder)
	r.dir = r.event.Folder
	if r.event.Session = r.session(); r.event.Session == "" {
		return
	}
	switch kind {
	case dialect.BeforeTool:
		r.beforeTool(ctx)
	case dialect.AfterTool:
		r.afterTool(ctx)
	default:
		s := map[dialect.Kind]step{
			dialect.SessionStart: {do: r.sessionStart}, dialect.Prompt: {do: r.prompt}, dialect.BeforeCompact: {do: r.beforeCompact}, dialect.AfterCompact: {do: r.afterCompact},
			dialect.SubagentStop: {r.subagentStop, true}, dialect.Stop: {r.stop, true}, dialect.SessionEnd: {do: r.sessionEnd},
		}[kind]
		if s.do == nil || r.event.Subagent && !s.subagents {
			return
		}
		notes := r.notes()
		if at := r.place(ctx, notes); at != off {
			s.do(ctx, notes, at)
		}
	}
}

// lasts reports whether events of a kind may have text to record that does not come again.
func lasts(k dialect.Kind) bool {
	return slices.Contains([]dialect.Kind{dialect.Prompt, dialect.AfterCompact, dialect.SubagentStop, dialect.Stop, dialect.SessionEnd}, k)
}

// step handles the events of a kind, unless the project is disabled.
type step struct {
	do        func(ctx context.Context, notes []attend.Note, at where)
	subagents bool // also events of subagents
}

// session returns the id of the session; for an agent without ids, its day in a folder.
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

// short returns a short name for a long text.
func short(head, of string) string {
	sum := sha256.Sum256([]byte(of))
	if head != "" {
		head += "-"
	}
	return head + hex.EncodeToString(sum[:4])
}

// Kinds of notes used only by hooks.
const (
	notePlace    = "place" // Text is the project of the folder Path; "" for one of several projects
	noteRoot     = "root"  // Path is the folder of a repository or configuration, and Text is its project
	noteBare     = "bare"  // Path is a folder outside of repositories in which a tool worked
	noteFile     = "file"  // the memories about the file Path were injected, if there are any; Failed: an attempt began
	noteFault    = "fault" // the same for the error whose digest is Text, since its text may contain a secret
	noteInjected = "told"  // Text lists numbers of injected memories; Failed: they were not injected after all
	noteBrief    = "brief" // the session got its brief, after a compaction if Text says so; Failed: an attempt began, or the brief was not sent after all
)

// note adds a note of now, and reports whether it is recorded.
func (r *run) note(n attend.Note) bool {
	n.At = r.at
	err := r.Notes.Add(r.event.Session, n)
	if err != nil {
		r.trouble("note", err)
	}
	return err == nil
}

func (r *run) notes() []attend.Note {
	all, err := r.Notes.All(r.event.Session)
	if err != nil {
		r.trouble("notes", err)
	}
	return all
}

// where is the result of place.
type where int

const (
	here    where = iota // in a project
	nowhere              // in a folder of several projects before work in one of them, or with an invalid configuration
	off                  // in a disabled project
)

// place finds the project of the folder, unless notes have it; for a folder of several, the one the
// session works in. Without a project nothing is injected, but the session still records what it
// writes.
func (r *run) place(ctx context.Context, notes []attend.Note) where {
	name, known := placeIn(notes, r.event.Folder)
	if !known {
		in, err := r.detect(ctx, r.event.Folder)
		if err != nil {
			return nowhere
		}
		name = in.Name
		if r.Off(name) {
			return off
		}
		r.note(attend.Note{Kind: notePlace, Path: r.event.Folder, Text: name})
		r.noteRoot(in)
	}
	if name == "" {
		name = attend.Workplace(notes)
		r.dir = cmp.Or(rootOf(notes, name), r.dir)
	}
	r.project = name
	r.found.Store(&name)
	switch {
	case r.Off(name):
		return off
	case name == "":
		return nowhere
	}
	return here
}

// placeIn returns a folder's project from notes.
func placeIn(notes []attend.Note, folder string) (name string, known bool) {
	for _, n := range notes {
		if n.Kind == notePlace && n.Path == folder {
			name, known = n.Text, true
		}
	}
	return name, known
}

// rootOf returns the folder of a project's repository from notes.
func rootOf(notes []attend.Note, name string) (root string) {
	for _, n := range notes {
		if n.Kind == noteRoot && n.Text == name && name != "" {
			root = n.Path
		}
	}
	return root
}

// detect finds the project of a folder. A folder of several projects, and one with an invalid
// configuration, have none.
func (r *run) detect(ctx context.Context, folder string) (projects.ProjectInForce, error) {
	r.do("project")
	// Not cancelled: saved items depend on it, and it takes some milliseconds.
	in, err := r.Engine().ProjectFor(context.WithoutCancel(ctx), projects.ProjectRequest{Override: r.Project, Dir: folder})
	if err == nil {
		return in, nil
	}
	r.trouble("project", err)
	if _, problem := errors.AsType[*project.Problem](err); problem {
		in.Name, err = "", nil
	}
	return in, err
}

// noteRoot notes the folder that determined a project, if everything below it belongs to it.
func (r *run) noteRoot(in projects.ProjectInForce) {
	if in.Name != "" && in.Path != "" && decides(in.Source) {
		r.note(attend.Note{Kind: noteRoot, Path: in.Path, Text: in.Name})
	}
}

// decides reports whether a source is a repository or a configuration, not only the name of a
// folder, which says nothing about subfolders.
func decides(s project.Source) bool {
	return slices.Contains([]project.Source{project.SourceConfig, project.SourceRemote, project.SourceRoot, project.SourceChild}, s)
}

// ground returns the project and folder of the repository in which an event's tool works: that of
// its file, else of its command's folder. "" for none.
func (r *run) ground(ctx context.Context, notes []attend.Note) (name, root string) {
	folder := r.toolFolder()
	if folder == "" || r.Project != "" { // the settings name one project for everything
		return "", ""
	}
	for _, n := range notes {
		if n.Kind == noteRoot && n.Text != "" && len(n.Path) > len(root) && within(folder, n.Path) {
			name, root = n.Text, n.Path
		}
	}
	if name != "" && !separate(folder, root) {
		return name, root
	}
	_, placed := placeIn(notes, folder)
	if placed || noted(notes, noteBare, func(n attend.Note) bool { return n.Path == folder }) {
		return "", "" // its repository was looked for before
	}
	in, err := r.detect(ctx, folder)
	switch {
	case err != nil:
		return "", ""
	case in.Name == "" || !decides(in.Source) || !within(folder, in.Path):
		r.note(attend.Note{Kind: noteBare, Path: folder})
		return "", ""
	}
	r.noteRoot(in)
	return in.Name, in.Path
}

// toolFolder returns the nearest existing folder in which a tool works, or "".
func (r *run) toolFolder() string {
	t := r.event.Tool
	var folder string
	switch {
	case t.Path != "":
		folder = filepath.Dir(under(r.event.Folder, t.Path))
	case t.Command != "":
		folder = under(under(r.event.Folder, t.Folder), filepath.FromSlash(attend.FolderOf(t.Command)))
	}
	if !filepath.IsAbs(folder) {
		return ""
	}
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			return ""
		}
		folder = up
	}
}

// under returns path as seen from folder.
func under(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

func within(folder, root string) bool {
	rel, err := filepath.Rel(root, folder)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// separate reports whether folder belongs to another repository or configuration below root.
func separate(folder, root string) bool {
	for folder != root {
		for _, sign := range []string{".git", filepath.Join(".engram", "config.json")} {
			if _, err := os.Lstat(filepath.Join(folder, sign)); err == nil {
				return true
			}
		}
		up := filepath.Dir(folder)
		if up == folder {
			return false
		}
		folder = up
	}
	return false
}

// lessonPlace returns the project and folder for a lesson from some notes: the repository worked
// in, else the project of the folder, else one that the session has visited. Otherwise a folder of
// several projects counts as one, so that the lesson can be found.
func (r *run) lessonPlace(ctx context.Context, worked, notes []attend.Note) (name, dir string) {
	if name = attend.Workplace(worked); name != "" {
		return name, cmp.Or(rootOf(notes, name), r.dir)
	}
	if r.project != "" {
		return r.project, r.dir
	}
	for _, n := range notes {
		if n.Kind == notePlace && n.Text != "" {
			name, dir = n.Text, n.Path
		}
	}
	if name != "" {
		return name, dir
	}
	in, err := r.Engine().ProjectFor(context.WithoutCancel(ctx), projects.ProjectRequest{Override: r.Project, Dir: r.event.Folder, Lenient: true})
	if err != nil {
		r.trouble("project", err)
	}
	return in.Name, r.dir
}

// learned saves a lesson from some notes unless the project is disabled, and reports whether it did.
func (r *run) learned(ctx context.Context, worked, notes []attend.Note, w attend.Pending) bool {
	w.Project, w.Directory = r.lessonPlace(ctx, worked, notes)
	if r.Off(w.Project) {
		return false
	}
	r.waitFor(w)
	return true
}
