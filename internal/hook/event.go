// Package hook is what an agent's life-cycle events run: `engram hook AGENT EVENT` reads the
// JSON of an event (decode.go) in the agent's own words (dialect.go), does what belongs to
// it (handle.go, session.go, work.go, write.go), and answers in the agent's shape (answer.go).
//
// It never fails and never keeps the agent waiting: what cannot be done in time is left
// undone, and what was to be written then waits in the notebook for the next event.
package hook

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
)

// where is what place found.
type where int

const (
	here    where = iota // in a project
	nowhere              // in a folder of several projects of which none is worked in yet, or one that says nonsense of its own
	off                  // in a project that is switched off
)

// place finds the project of the folder, if notes do not have it; of a folder of several, the one the
// session worked in. Without one nothing is told, but what is written belongs to the session.
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

// placeIn is the project that notes have of a folder.
func placeIn(notes []attend.Note, folder string) (name string, known bool) {
	for _, n := range notes {
		if n.Kind == notePlace && n.Path == folder {
			name, known = n.Text, true
		}
	}
	return name, known
}

// rootOf is the folder of a project's repository, as notes have it.
func rootOf(notes []attend.Note, name string) (root string) {
	for _, n := range notes {
		if n.Kind == noteRoot && n.Text == name && name != "" {
			root = n.Path
		}
	}
	return root
}

// detect asks a folder for its project. A folder of several projects, and one that says
// nonsense of its own, have none.
func (r *run) detect(ctx context.Context, folder string) (engine.ProjectInForce, error) {
	r.do("project")
	// Not given up in the middle: what is kept belongs to it, and it takes some milliseconds.
	in, err := r.Engine().ProjectFor(context.WithoutCancel(ctx), engine.ProjectRequest{Override: r.Project, Dir: folder})
	if err == nil {
		return in, nil
	}
	r.trouble("project", err)
	if _, told := errors.AsType[*project.Problem](err); told {
		in.Name, err = "", nil
	}
	return in, err
}

// noteRoot notes the folder that decided a project, if everything below it is of it.
func (r *run) noteRoot(in engine.ProjectInForce) {
	if in.Name != "" && in.Path != "" && decides(in.Source) {
		r.note(attend.Note{Kind: noteRoot, Path: in.Path, Text: in.Name})
	}
}

// decides reports a source that a repository or a configuration is, and not only the name of
// a folder, which says nothing of those below it.
func decides(s project.Source) bool {
	switch s {
	case project.SourceConfig, project.SourceRemote, project.SourceRoot, project.SourceChild:
		return true
	}
	return false
}

// ground is the project of the repository in which the tool of an event is at work, and that
// repository's folder: the one of its file, else the one that its command runs in. "" for none.
func (r *run) ground(ctx context.Context, notes []attend.Note) (name, root string) {
	folder := r.toolFolder()
	if folder == "" || r.Project != "" { // settings have one project for everything
		return "", ""
	}
	for _, n := range notes {
		if n.Kind == noteRoot && n.Text != "" && len(n.Path) > len(root) && within(folder, n.Path) {
			name, root = n.Text, n.Path
		}
	}
	if name != "" && !apart(folder, root) {
		return name, root
	}
	if !r.unknown(notes, folder) {
		return "", ""
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

// unknown reports whether it was not yet found out whether a folder is in a repository.
func (r *run) unknown(notes []attend.Note, folder string) bool {
	_, placed := placeIn(notes, folder)
	return !placed && !noted(notes, noteBare, func(n attend.Note) bool { return n.Path == folder })
}

// toolFolder is the folder in which a tool is at work: an existing one, for a file may be the
// first of its folder. "" for a tool that is at work in none.
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

// under is a path as it is seen from a folder.
func under(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// within reports whether a folder is another one, or in it.
func within(folder, root string) bool {
	rel, err := filepath.Rel(root, folder)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// apart reports whether there is another repository, or another configuration, between a
// folder and one that it is in.
func apart(folder, root string) bool {
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

// lessonPlace is where a lesson of some notes belongs: the repository that was worked in, else the
// project of the folder, else one that the session has been in. A folder of several projects in
// none of which anything was done counts as one, because nobody would find it otherwise.
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
	in, err := r.Engine().ProjectFor(context.WithoutCancel(ctx), engine.ProjectRequest{Override: r.Project, Dir: r.event.Folder, Lenient: true})
	if err != nil {
		r.trouble("project", err)
	}
	return in.Name, r.dir
}

// learned has something kept that was learned in the work of some notes, unless where it
// belongs is switched off. It reports whether it is kept.
func (r *run) learned(ctx context.Context, worked, notes []attend.Note, w attend.Pending) bool {
	w.Project, w.Directory = r.lessonPlace(ctx, worked, notes)
	if r.Off(w.Project) {
		return false
	}
	r.waitFor(w)
	return true
}

// Kind is what happened.
type Kind string

// The kinds.
const (
	SessionStart  Kind = "session-start"
	Prompt        Kind = "prompt"
	BeforeTool    Kind = "before-tool"
	AfterTool     Kind = "after-tool"
	BeforeCompact Kind = "before-compact"
	AfterCompact  Kind = "after-compact"
	SubagentStop  Kind = "subagent-stop"
	Stop          Kind = "stop"
	SessionEnd    Kind = "session-end"
)

// Kinds are all of them, in the order of a session.
func Kinds() []Kind {
	return []Kind{SessionStart, Prompt, BeforeTool, AfterTool, BeforeCompact, AfterCompact, SubagentStop, Stop, SessionEnd}
}

// names are what agents call the events, without case, dashes and underscores.
var names = sync.OnceValue(func() map[string]Kind {
	all := map[string]Kind{
		"userpromptsubmit": Prompt, "beforeagent": Prompt, "beforesubmitprompt": Prompt, "userpromptsubmitted": Prompt, "preuserprompt": Prompt, "promptsubmit": Prompt,
		"preinvocation": Prompt,
		"pretooluse":    BeforeTool, "beforeshellexecution": BeforeTool, "beforereadfile": BeforeTool, "beforemcpexecution": BeforeTool,
		"prereadcode": BeforeTool, "prewritecode": BeforeTool, "preruncommand": BeforeTool, "premcptooluse": BeforeTool,
		"posttooluse": AfterTool, "posttoolusefailure": AfterTool, "aftershellexecution": AfterTool, "afterfileedit": AfterTool, "aftermcpexecution": AfterTool,
		"postreadcode": AfterTool, "postwritecode": AfterTool, "postruncommand": AfterTool, "postmcptooluse": AfterTool,
		"precompact": BeforeCompact, "precompress": BeforeCompact, "postcompact": AfterCompact,
		"afteragent": Stop, "agentstop": Stop, "postcascaderesponse": Stop, "afteragentresponse": Stop,
		"taskstart": SessionStart, "taskresume": SessionStart, "agentspawn": SessionStart, "taskcomplete": SessionEnd, "taskcancel": SessionEnd,
	}
	for _, k := range Kinds() {
		all[plain(string(k))] = k
	}
	return all
})

func plain(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "-", ""), "_", "")
}

// KindOf is the kind that a name stands for: ours, or that of an agent; known is false for
// one that is neither, which a later version of the agent may send.
func KindOf(name string) (k Kind, known bool) {
	k, known = names()[plain(name)]
	return k, known
}

// Event is what an agent tells.
type Event struct {
	Kind     Kind
	Name     string // what the agent calls it, "" when it does not say
	Session  string // the agent's id of it; "" when it has none
	Folder   string // the one that the agent works in; "" when it is not told
	Subagent bool   // it is about a helper of the agent

	Source     string // of a session's start: startup, resume, clear, compact
	Prompt     string
	Summary    string // that compaction made
	Last       string // what the agent said last
	Transcript string // path of a file that has what it said; "" when there is none
	Again      bool   // the agent goes on because of what was said at the last stop

	Tool Tool
}

// Tool is the use of one.
type Tool struct {
	Name    string
	Path    string // the file that it reads or writes, as the agent writes it
	Writes  bool   // it changes the file
	Command string // that it runs
	Folder  string // in which it runs that, where the agent says so; from the event's folder on
	Failed  bool
	Stopped bool   // by the person, which is no failure
	Error   string // what it said when it failed, or the end of what it printed
}
