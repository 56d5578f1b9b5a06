package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// Clinic is what a doctor needs beside the verbs: a look at the store from outside,
// and the few repairs that concern files, not memories.
type Clinic interface {
	// Examine finds out what q asks for. It changes nothing, and works also where the
	// store cannot be opened: what cannot be found out is told in the facts. The error is
	// that of ctx.
	Examine(ctx context.Context, q health.Query) (health.Facts, error)
	// Probe tries the write lock of the store and how far the write-ahead log can be
	// shortened. No memory changes, but the file may.
	Probe(ctx context.Context) health.Log
	// Backup copies the whole database and returns where to. The name says before what it was
	// made, a word such as doctor or replace; of each word the newest few copies stay.
	Backup(ctx context.Context, before string) (file string, err error)
	// Shorten empties the write-ahead log; done is false when a reader is in the way.
	Shorten(ctx context.Context) (done bool, err error)
	// Tighten takes the rights of others on the store's files away, and returns on which.
	Tighten(ctx context.Context) (files []string, err error)
	// ListChunks makes the list of the chunks of the repository fit them, and returns what files
	// were written.
	ListChunks(ctx context.Context) (files []string, err error)
}

// What copies of the database are made before.
const (
	beforeRepair  = "doctor"
	beforeReplace = "replace"
)

// DoctorInput asks how the store is.
type DoctorInput struct {
	Project ProjectRequest // whose sessions and memories are judged
	All     bool           // those of every project; Project.Explicit is not looked at
	Check   string         // one of health.IDs; "" is every check
	Full    bool           // read everything, however long it takes: every index entry, every text
}

// Doctor says how the store is. It changes nothing, and it answers also when the store
// is damaged or cannot be opened: then the report says so. A check that does not exist
// is told in the report, too. Errors are those of a project that is not known or cannot
// be decided, with a *project.Problem, and of ctx.
func (e *Engine) Doctor(ctx context.Context, in DoctorInput) (health.Report, error) {
	if e.clinic == nil {
		return health.Report{}, engram.Errorf(engram.CodeUnavailable, "this engine has no doctor")
	}
	name, checks, f, p, err := e.diagnose(ctx, in)
	if err != nil {
		return health.Report{}, err
	}
	judged := make([]health.Check, len(checks))
	for i, id := range checks {
		judged[i] = health.Judge(id, f, p)
	}
	return health.NewReport(name, judged), nil
}

// diagnose collects the facts for the checks that in asks for.
func (e *Engine) diagnose(ctx context.Context, in DoctorInput) (name string, checks []health.ID, f health.Facts, p health.Policy, err error) {
	p = health.DefaultPolicy()
	if e.clinic == nil {
		return name, nil, f, p, engram.Errorf(engram.CodeUnavailable, "this engine has no doctor")
	}
	if name, err = e.patient(ctx, in); err != nil {
		return name, nil, f, p, err
	}
	if checks = health.IDs(); in.Check != "" {
		checks = []health.ID{health.ID(line(in.Check))}
	}
	q := health.Query{Checks: checks, Full: in.Full, Project: name, Now: e.now(), Most: p.Examples, Digest: hashOf}
	if e.embedder != nil {
		q.Model = e.embedder.Model()
	}
	if f, err = e.clinic.Examine(ctx, q); err != nil {
		return name, checks, f, p, err
	}
	// Never on a damaged file: whoever opens it to write may change it.
	if q.Wants(health.LockContention, health.LogCheckpoint) && !f.Missing && f.Steady() {
		f.Log = e.clinic.Probe(ctx)
	}
	if q.Wants(health.Secrets) && !f.Missing && f.Steady() {
		f.Secrets = e.keptSecrets(ctx, in.Full, p.Examples)
	}
	return name, checks, f, p, errors.Join(ctx.Err(), e.placeSessions(ctx, f, p))
}

// patient is the canonical name of the project that a doctor is to look at; "" is all.
// A store that cannot be read does not know its projects, and is to be looked at all
// the same.
func (e *Engine) patient(ctx context.Context, in DoctorInput) (string, error) {
	if in.All {
		return "", nil
	}
	if in.Project.Explicit == "" {
		at, err := e.ProjectFor(ctx, ProjectRequest{Override: in.Project.Override, Dir: in.Project.Dir, Lenient: in.Project.Lenient})
		return at.Name, err
	}
	name := normalProject(redact.Private(in.Project.Explicit))
	wrong := project.Check(redact.Private(in.Project.Explicit))
	if name == "" || project.CheckText(redact.Private(in.Project.Explicit)) != nil {
		return name, wrong
	}
	f, err := e.clinic.Examine(ctx, health.Query{})
	if err != nil || f.Err != nil {
		return name, err
	}
	if canonical, known := f.Names[name]; known {
		return canonical, nil
	}
	if wrong != nil {
		return name, wrong
	}
	var names []string
	for alias, canonical := range f.Names {
		if alias == canonical {
			names = append(names, alias)
		}
	}
	slices.Sort(names)
	return name, unknownProject("Project \""+name+"\" not found in store", name, names)
}

// placeSessions says which project each session is named for, and which its folder is.
// Folders are asked once each, and only so many: where there is a repository, asking
// starts git.
func (e *Engine) placeSessions(ctx context.Context, f health.Facts, p health.Policy) error {
	known := map[string]project.Detection{}
	for i := range f.Sessions.List {
		s := &f.Sessions.List[i]
		s.Named = namedFor(s.ID, s.Project, f.Names)
		if e.folders == nil {
			continue
		}
		d, asked := known[s.Directory]
		if !asked {
			if s.Directory == "" || len(known) >= p.Folders {
				continue
			}
			facts, err := e.folders.Facts(ctx, s.Directory)
			if err != nil {
				return err
			}
			if d, err = project.Detect(facts); err != nil {
				d = project.Detection{} // an ambiguous folder tells nothing
			}
			known[s.Directory] = d
		}
		s.Folder, s.Source, s.FolderPath = d.Name, string(d.Source), d.Path
		if canonical, ok := f.Names[d.Name]; ok {
			s.Folder = canonical
		}
	}
	return nil
}

// namedFor is the canonical project in whose name a session holds what is saved outside
// one; "" when its id is of another kind. A name too long for an id is a digest there,
// which can be compared alone.
func namedFor(id, project string, names map[string]string) string {
	named, ok := strings.CutPrefix(id, manualSession+"-")
	if !ok || named == "" {
		return ""
	}
	if isManual(id, project) {
		return project
	}
	if canonical, known := names[named]; known {
		return canonical
	}
	for alias, canonical := range names {
		if canonical == project && isManual(id, alias) {
			return project
		}
	}
	return named
}
