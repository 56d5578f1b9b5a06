package projects

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// ProjectRequest asks which project a call concerns.
type ProjectRequest struct {
	Explicit  string // named by the caller; an unknown one is an error
	Chosen    string // picked by the user for an ambiguous folder; trusted
	SessionID string // session whose project counts (writes); must exist if given
	Override  string // the process's --project or ENGRAM_PROJECT
	Dir       string // folder to detect a project in otherwise
	Write     bool   // apply the rules for writes to Explicit
	Trusted   bool   // accept a new Explicit name whatever Dir says: the caller works elsewhere
	Lenient   bool   // use the base name of an ambiguous folder instead of an error
	// AsOf makes Explicit the name of a project at that time, even if merged, renamed or removed since. The
	// zero time is now.
	AsOf time.Time
}

// ProjectInForce is the project of a call and how it was determined.
type ProjectInForce struct {
	Name      string
	Source    project.Source
	Path      string   // deciding folder; "" if none
	Available []string // choices in an ambiguous folder
	Warning   string
}

// ProjectFor determines the project of a call: the chosen, the named, the session's, the process's, or the
// folder's, in this order. Errors carry a *project.Problem; for an ambiguous folder the result lists the
// choices beside the error.
func (g *Registry) ProjectFor(ctx context.Context, r ProjectRequest) (ProjectInForce, error) {
	// Errors repeat the input.
	r.Chosen, r.Explicit, r.Override = redact.Private(r.Chosen), redact.Private(r.Explicit), redact.Private(r.Override)
	r.SessionID = screen.Line(r.SessionID)
	if r.Chosen != "" {
		return ProjectInForce{Name: screen.NormalProject(r.Chosen), Source: project.SourceChosen}, nil
	}
	if r.Explicit != "" {
		return g.explicitProject(ctx, r)
	}
	if r.SessionID != "" {
		s, err := g.Session(ctx, r.SessionID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			err = unknownSession(r.SessionID)
		}
		if err != nil {
			return ProjectInForce{}, err
		}
		if s.Project != "" {
			return ProjectInForce{Name: s.Project, Source: project.SourceSession, Path: s.Directory}, nil
		}
	}
	if r.Override != "" {
		p := ProjectInForce{Name: screen.NormalProject(r.Override), Source: project.SourceOverride}
		if p.Name != r.Override {
			p.Warning = fmt.Sprintf("Project name normalized: %q → %q", r.Override, p.Name)
		}
		err := g.checkName(ctx, r.Override)
		wrong, hasCode := errors.AsType[*engram.Error](err)
		if !g.resolved || !hasCode || wrong.Code != engram.CodeInvalid {
			return p, err
		}
		if p, err = g.FolderProject(ctx, r); err == nil {
			p.Warning = fmt.Sprintf("Ignored project %.60q of the settings: %s; using the project of the folder", r.Override, wrong.Msg)
		}
		return p, err
	}
	return g.FolderProject(ctx, r)
}

// checkName rejects an invalid project name unless such a project exists: names from other programs may contain
// a slash.
func (g *Registry) checkName(ctx context.Context, name string) error {
	wrong := project.Check(name)
	if wrong == nil || project.CheckText(name) != nil || screen.NormalProject(name) == "" {
		return wrong
	}
	err := g.ledger.View(ctx, func(r engram.Reader) error {
		_, known, err := r.Project(ctx, screen.NormalProject(name))
		if known {
			wrong = nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return wrong
}

// FolderProject detects the project of a folder.
func (g *Registry) FolderProject(ctx context.Context, r ProjectRequest) (ProjectInForce, error) {
	facts := project.Facts{Dir: r.Dir}
	if g.Folders != nil {
		var err error
		if facts, err = g.Folders.Facts(ctx, r.Dir); err != nil {
			return ProjectInForce{}, err
		}
	}
	d, err := project.Detect(facts)
	if err != nil && r.Lenient && d.Source == project.SourceAmbiguous {
		d, err = project.Detect(project.Facts{Dir: facts.Dir})
	}
	return ProjectInForce{Name: d.Name, Source: d.Source, Path: d.Path, Available: d.Available, Warning: d.Warning}, err
}

// explicitProject resolves a project named by the caller. Readers must name an existing one. Writers may also
// name the session's or the folder's project, or a new one if the folder tells nothing
// (docs/adr/0005-project-choice.md).
func (g *Registry) explicitProject(ctx context.Context, r ProjectRequest) (ProjectInForce, error) {
	name := screen.NormalProject(r.Explicit)
	in := ProjectInForce{Name: name, Source: project.SourceExplicit}
	wrong := project.Check(r.Explicit)
	if name == "" || project.CheckText(r.Explicit) != nil {
		return in, wrong
	}
	if g.known != nil && !r.Write && r.AsOf.IsZero() {
		if canonical, ok := g.known(ctx, name); ok {
			in.Name = canonical
			return in, nil
		}
	}
	var names []string
	var canonical string
	err := g.ledger.View(ctx, func(rd engram.Reader) error {
		then, err := view.ProjectAt(ctx, rd, name, r.AsOf)
		if err != nil || then != "" {
			canonical = then
			return err
		}
		p, known, err := rd.Project(ctx, name)
		if known {
			canonical = p.Name
		}
		if err != nil || known {
			return err
		}
		names, err = engram.ProjectNames(ctx, rd)
		return err
	})
	if err != nil {
		return in, err
	}
	if canonical != "" {
		in.Name = canonical
		return in, nil
	}
	if wrong != nil {
		return in, wrong
	}
	if !r.Write {
		return in, UnknownProject(fmt.Sprintf("Project %q not found in store", name), name, names)
	}
	if r.Trusted {
		return in, nil
	}
	if r.SessionID != "" {
		s, err := g.Session(ctx, r.SessionID)
		switch {
		case err == nil && s.Project == name:
			return in, nil
		case err != nil && engram.CodeOf(err) != engram.CodeNotFound:
			return in, err
		}
	}
	folder, err := g.FolderProject(ctx, ProjectRequest{Dir: r.Dir})
	if _, hasCode := errors.AsType[*project.Problem](err); err != nil && !hasCode {
		return in, err // the folder could not be read
	}
	switch {
	case err == nil && folder.Source == project.SourceBaseName:
		return in, nil
	case err == nil && folder.Name == name:
		return in, nil
	case folder.Source == project.SourceAmbiguous:
		if err := g.collision(ctx, r, name); err != nil {
			return in, err
		}
		names = folder.Available
	}
	return in, UnknownProject(fmt.Sprintf("Project %q is not backed by known context. Use an existing project, a matching session, "+
		"repo .engram/config.json, or ambiguous-project recovery.", name), name, names)
}

// collision rejects a name to which several folders at hand would be normalized.
func (g *Registry) collision(ctx context.Context, r ProjectRequest, bucket string) error {
	if g.Folders == nil || r.Explicit == bucket {
		return nil
	}
	facts, err := g.Folders.Facts(ctx, r.Dir)
	if err != nil {
		return err
	}
	var same []string
	for _, child := range facts.Children {
		if base := filepath.Base(child); project.Normalize(base) == bucket {
			same = append(same, base)
		}
	}
	if len(same) < 2 {
		return nil
	}
	return engram.Errorf(engram.CodeConflict, "Project %q collapses to stored bucket %q, but multiple exact candidates would share that bucket: %v",
		r.Explicit, bucket, same).WithHint("set project_name in each repository's .engram/config.json").
		WithCause(&project.Problem{Reason: project.ReasonCollision, Available: same})
}

// UnknownProject is the error for a name that no project has, with similar names as a hint.
func UnknownProject(msg, name string, names []string) error {
	const most = 20
	similar := project.Similar(name, names)
	available := append(slices.Clone(similar), slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(similar, n) })...)
	err := engram.Errorf(engram.CodeNotFound, "%s", msg).WithHint("see {projects list}")
	if len(similar) > 0 {
		err = err.WithHint("did you mean %q?", similar[0])
	}
	return err.WithCause(&project.Problem{Reason: project.ReasonUnknown, Available: available[:min(len(available), most)]})
}

// ManualSession is the prefix of ids of sessions for saves without a session.
const ManualSession = "manual-save"

// Placement is where something is saved.
type Placement struct {
	Project  string // canonical, aliases resolved
	Session  string
	Warnings []string
}

// PlaceInput asks where something is to be saved.
type PlaceInput struct {
	Project   string // "" is the session's
	Session   string // "" is the project's open one, else manual-save-PROJECT
	Directory string // of a new session
	Create    bool   // make a session that does not exist
	// Used is the canonical name of a project that is known to have memories; "" for none.
	Used string
}

// Place finds or creates the project and session of a save. A session without a project takes the named one.
func Place(ctx context.Context, o *ledger.Tx, in PlaceInput) (Placement, error) {
	p := Placement{Session: in.Session}
	var s engram.Session
	known := false
	if in.Session != "" {
		var err error
		s, err = o.Store.Session(ctx, in.Session)
		switch known = err == nil; {
		case engram.CodeOf(err) == engram.CodeNotFound && !in.Create:
			return p, unknownSession(in.Session)
		case !known && engram.CodeOf(err) != engram.CodeNotFound:
			return p, err
		case in.Project == "":
			in.Project = s.Project
		}
	}
	var err error
	if p.Project, p.Warnings, err = ensure(ctx, o, in.Project, known && in.Project == s.Project, in.Used); err != nil {
		return p, err
	}
	switch {
	case in.Session == "":
		p.Session, err = openSession(ctx, o, p.Project, in.Directory)
		return p, err
	case !known:
		return p, newSession(ctx, o, in.Session, p.Project, in.Directory)
	case s.Project == "" && p.Project != "":
		now := s
		now.Project = p.Project
		return p, o.PutSession(ctx, &s, now, "filled in")
	case s.Project != p.Project:
		return p, engram.Errorf(engram.CodeConflict, "Session %q belongs to project %q, but request targeted %q", in.Session, s.Project, p.Project).
			WithHint("leave the project out, or start a session for it").
			WithCause(&project.Problem{Reason: project.ReasonSession, SessionProject: s.Project, Project: p.Project})
	}
	return p, nil
}

func unknownSession(id string) error {
	return engram.Errorf(engram.CodeNotFound, "Session %q was provided but does not exist", id).
		WithHint("start it with mem_session_start, or leave session_id out").
		WithCause(&project.Problem{Reason: project.ReasonUnknownSession})
}

// EnsureProject returns the canonical name of a project and creates it if need be. It warns if the project has
// no memories and another one has a similar name.
func EnsureProject(ctx context.Context, o *ledger.Tx, name string) (canonical string, warnings []string, err error) {
	return ensure(ctx, o, name, false, "")
}

// ensure is EnsureProject of a name that may be known to be canonical, and with a project that is known to have
// memories.
func ensure(ctx context.Context, o *ledger.Tx, name string, known bool, used string) (canonical string, warnings []string, err error) {
	if name == "" {
		return "", nil, nil
	}
	if !known {
		var p engram.Project
		if p, known, err = o.Store.Project(ctx, name); err != nil {
			return "", nil, err
		}
		if known {
			name = p.Name
		}
	}
	if known && name != used {
		some, err := o.Store.List(ctx, engram.Filter{Project: name}, engram.Page{Limit: 1})
		if err != nil || len(some) > 0 {
			return name, nil, err
		}
	} else if known {
		return name, nil, nil
	}
	if warnings, err = warnSimilar(ctx, o, name); err != nil || known {
		return name, warnings, err
	}
	if err := project.CheckText(name); err != nil {
		return "", nil, err
	}
	return name, warnings, o.InsertProject(ctx, engram.Project{Name: name, CreatedAt: o.At}, "first use")
}

func warnSimilar(ctx context.Context, o *ledger.Tx, name string) ([]string, error) {
	names, err := engram.ProjectNames(ctx, o.Store)
	if err != nil {
		return nil, err
	}
	similar := project.Similar(name, names)
	if len(similar) == 0 {
		return nil, nil
	}
	st, err := o.Store.Stats(ctx, similar[0])
	if err != nil || st.Memories == 0 {
		return nil, err
	}
	memories := fmt.Sprintf("%d memories", st.Memories)
	if st.Memories == 1 {
		memories = "1 memory"
	}
	return []string{fmt.Sprintf("Project %q has no memories. Similar project found: %q (%s). Consider using that name instead.",
		name, similar[0], memories)}, nil
}

// openSession returns the session for saves without one.
func openSession(ctx context.Context, o *ledger.Tx, name, dir string) (string, error) {
	open, err := o.Store.Sessions(ctx, engram.SessionFilter{Project: name, Projectless: name == "", Open: true, SkipPrefix: ManualSession}, engram.Page{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(open) > 0 {
		return open[0].ID, nil
	}
	for n := 1; ; n++ {
		id := manualID(name, n)
		switch s, err := o.Store.Session(ctx, id); {
		case engram.CodeOf(err) == engram.CodeNotFound:
			return id, newSession(ctx, o, id, name, dir)
		case err != nil:
			return "", err
		case s.Project == name:
			return id, nil
		}
		// Merging projects moved it to another one.
	}
}

// manualID returns the id of the nth manual session of a project, from 1. A name too long for an id is replaced
// by a digest.
func manualID(name string, n int) string {
	id := ManualSession
	switch {
	case len(id)+1+len(name) > engram.MaxName:
		id += "-" + ledger.Digest(name)
	case name != "":
		id += "-" + name
	}
	if n > 1 {
		return id + "." + strconv.Itoa(n)
	}
	return id
}

// IsManual reports whether id is that of a manual session of the project.
func IsManual(id, name string) bool {
	if i := strings.LastIndexByte(id, '.'); i > 0 {
		if n, err := strconv.Atoi(id[i+1:]); err == nil && id == manualID(name, n) {
			return true
		}
	}
	return id == manualID(name, 1)
}

func newSession(ctx context.Context, o *ledger.Tx, id, name, dir string) error {
	begun := o.Happened(o.Then)
	s := engram.Session{ID: id, Project: name, Directory: screen.Line(dir), StartedAt: begun, ActiveAt: begun}
	if err := s.Validate(); err != nil {
		return err
	}
	return o.PutSession(ctx, nil, s, "first use")
}

// Folders collects facts about a folder's project; internal/git implements it.
type Folders interface {
	Facts(ctx context.Context, dir string) (project.Facts, error)
}

// recentFolders caches facts briefly: a server asks about the same folder at every call, and asking git costs
// more than a save.
type recentFolders struct {
	folders Folders
	now     func() time.Time

	mu    sync.Mutex
	facts map[string]recentFacts
}

type recentFacts struct {
	facts project.Facts
	until time.Time
}

const (
	folderMemory = 3 * time.Second // a person who renames a remote does not notice
	maxFolders   = 1000
)

// Facts returns the facts of dir, possibly cached. Errors are not cached.
func (r *recentFolders) Facts(ctx context.Context, dir string) (project.Facts, error) {
	now := r.now()
	r.mu.Lock()
	known, ok := r.facts[dir]
	r.mu.Unlock()
	// A clock that ran backwards must not extend the cache.
	if left := known.until.Sub(now); ok && left > 0 && left <= folderMemory {
		return known.facts, nil
	}
	facts, err := r.folders.Facts(ctx, dir)
	if err != nil {
		return facts, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.facts) >= maxFolders {
		clear(r.facts)
	}
	r.facts[dir] = recentFacts{facts: facts, until: now.Add(folderMemory)}
	return facts, nil
}

// Session returns one session.
func (g *Registry) Session(ctx context.Context, id string) (s engram.Session, err error) {
	err = g.ledger.View(ctx, func(r engram.Reader) error {
		if s, err = r.Session(ctx, screen.Line(id)); err != nil {
			return err
		}
		one := []engram.SessionActivity{{Session: s}}
		err = g.screen.ShownSessions(ctx, r, one)
		s = one[0].Session
		return err
	})
	return s, err
}
