package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// ProjectRequest asks which project a call is about.
type ProjectRequest struct {
	Explicit  string // named by the caller; must be known: unknown_project else
	Chosen    string // picked by the user after an ambiguous folder; trusted
	SessionID string // a session whose project counts (writes); must exist when given
	Override  string // the process's --project or ENGRAM_PROJECT
	Dir       string // where to look otherwise
	Write     bool   // save's rules for Explicit instead of the readers'
	Trusted   bool   // a new Explicit name is taken whatever Dir says: the caller works elsewhere
	Lenient   bool   // an ambiguous folder gives its base name instead of an error
	// AsOf makes Explicit the name of a project then: of one that was merged, renamed or
	// removed since, too. The zero time is now.
	AsOf time.Time
}

// ProjectInForce is the project of a call and how it was found.
type ProjectInForce struct {
	Name      string
	Source    project.Source
	Path      string   // folder that decided; "" when none did
	Available []string // the choices in an ambiguous folder
	Warning   string
}

// ProjectFor decides the project of a call: the one chosen, named, of the session,
// of the process, of the folder, in this order. Errors carry a *project.Problem; in
// an ambiguous folder the answer holds the choices beside the error.
func (e *Engine) ProjectFor(ctx context.Context, r ProjectRequest) (ProjectInForce, error) {
	// Refusals repeat what was asked for.
	r.Chosen, r.Explicit, r.Override = redact.Private(r.Chosen), redact.Private(r.Explicit), redact.Private(r.Override)
	r.SessionID = line(r.SessionID)
	if r.Chosen != "" {
		return ProjectInForce{Name: normalProject(r.Chosen), Source: project.SourceChosen}, nil
	}
	if r.Explicit != "" {
		return e.explicitProject(ctx, r)
	}
	if r.SessionID != "" {
		s, err := e.Session(ctx, r.SessionID)
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
		p := ProjectInForce{Name: normalProject(r.Override), Source: project.SourceOverride}
		if p.Name != r.Override {
			p.Warning = fmt.Sprintf("Project name normalized: %q → %q", r.Override, p.Name)
		}
		err := e.checkName(ctx, r.Override)
		wrong, told := errors.AsType[*engram.Error](err)
		if !e.settled || !told || wrong.Code != engram.CodeInvalid {
			return p, err
		}
		if p, err = e.folderProject(ctx, r); err == nil {
			p.Warning = fmt.Sprintf("Project %.60q of the settings does not count: %s; that of the folder does", r.Override, wrong.Msg)
		}
		return p, err
	}
	return e.folderProject(ctx, r)
}

// checkName says why a project that somebody names cannot be called so. One that exists
// may be: a name with a slash in it can come from another program.
func (e *Engine) checkName(ctx context.Context, name string) error {
	wrong := project.Check(name)
	if wrong == nil || project.CheckText(name) != nil || normalProject(name) == "" {
		return wrong
	}
	err := e.store.View(ctx, func(r engram.Reader) error {
		_, known, err := r.Project(ctx, normalProject(name))
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

// folderProject is the project of a folder.
func (e *Engine) folderProject(ctx context.Context, r ProjectRequest) (ProjectInForce, error) {
	facts := project.Facts{Dir: r.Dir}
	if e.folders != nil {
		var err error
		if facts, err = e.folders.Facts(ctx, r.Dir); err != nil {
			return ProjectInForce{}, err
		}
	}
	d, err := project.Detect(facts)
	if err != nil && r.Lenient && d.Source == project.SourceAmbiguous {
		d, err = project.Detect(project.Facts{Dir: facts.Dir})
	}
	return ProjectInForce{Name: d.Name, Source: d.Source, Path: d.Path, Available: d.Available, Warning: d.Warning}, err
}

// explicitProject is a project that the caller named. Readers must name a known one.
// Writers may also name that of the session or what the folder says itself;
// and where the folder tells nothing, the caller's word is the best there is, so a
// new name is taken (docs/adr/0005-project-choice.md).
func (e *Engine) explicitProject(ctx context.Context, r ProjectRequest) (ProjectInForce, error) {
	name := normalProject(r.Explicit)
	in := ProjectInForce{Name: name, Source: project.SourceExplicit}
	wrong := project.Check(r.Explicit)
	if name == "" || project.CheckText(r.Explicit) != nil {
		return in, wrong
	}
	var names []string
	var canonical string
	err := e.store.View(ctx, func(rd engram.Reader) error {
		then, err := projectAt(ctx, rd, name, r.AsOf)
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
		names, err = rd.ProjectNames(ctx)
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
		return in, unknownProject(fmt.Sprintf("Project %q not found in store", name), name, names)
	}
	if r.Trusted {
		return in, nil
	}
	if r.SessionID != "" {
		s, err := e.Session(ctx, r.SessionID)
		switch {
		case err == nil && s.Project == name:
			return in, nil
		case err != nil && engram.CodeOf(err) != engram.CodeNotFound:
			return in, err
		}
	}
	folder, err := e.folderProject(ctx, ProjectRequest{Dir: r.Dir})
	if _, told := errors.AsType[*project.Problem](err); err != nil && !told {
		return in, err // the folder could not be asked, which is no answer
	}
	switch {
	case err == nil && folder.Source == project.SourceBaseName:
		return in, nil
	case err == nil && folder.Name == name:
		return in, nil
	case folder.Source == project.SourceAmbiguous:
		if err := e.collision(ctx, r, name); err != nil {
			return in, err
		}
		names = folder.Available
	}
	return in, unknownProject(fmt.Sprintf("Project %q is not backed by known context. Use an existing project, a matching session, "+
		"repo .engram/config.json, or ambiguous-project recovery.", name), name, names)
}

// collision refuses a name that several folders at hand would be normalised to.
func (e *Engine) collision(ctx context.Context, r ProjectRequest, bucket string) error {
	if e.folders == nil || r.Explicit == bucket {
		return nil
	}
	facts, err := e.folders.Facts(ctx, r.Dir)
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

func unknownProject(msg, name string, names []string) error {
	const most = 20
	similar := project.Similar(name, names)
	available := append(slices.Clone(similar), slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(similar, n) })...)
	err := engram.Errorf(engram.CodeNotFound, "%s", msg).WithHint("{projects list} shows what there is")
	if len(similar) > 0 {
		err = err.WithHint("did you mean %q?", similar[0])
	}
	return err.WithCause(&project.Problem{Reason: project.ReasonUnknown, Available: available[:min(len(available), most)]})
}
