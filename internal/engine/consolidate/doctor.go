package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// Clinic gives the doctor access to the store's files: examination from outside, and repairs of files.
type Clinic interface {
	// Examine collects the facts for q. It changes nothing and also works on a store that cannot be opened:
	// facts name what it could not find out. The error is that of ctx.
	Examine(ctx context.Context, q health.Query) (health.Facts, error)
	// Probe tries the store's write lock and measures how far the write-ahead log can be truncated. It may
	// change the file, but no memory.
	Probe(ctx context.Context) health.Log
	// Backup copies the whole database and returns the file, "" for one on a server, which its host copies. Its name
	// says what it precedes, such as doctor or replace; the newest few copies of each kind are kept.
	Backup(ctx context.Context, before string) (file string, err error)
	// Shorten empties the write-ahead log; done is false if a reader blocks it.
	Shorten(ctx context.Context) (done bool, err error)
	// Tighten removes other users' access to the store's files and returns the changed files.
	Tighten(ctx context.Context) (files []string, err error)
	// ListChunks rewrites the repository's list of chunks to match them, and returns the written files.
	ListChunks(ctx context.Context) (files []string, err error)
}

// beforeRepair is the reason for a copy of the database.
const beforeRepair = "doctor"

// DoctorInput selects what to check.
type DoctorInput struct {
	Project projects.ProjectRequest // whose sessions and memories are checked
	All     bool                    // check every project; ignores Project.Explicit
	Check   string                  // one of health.IDs; "" is every check
	Full    bool                    // read every index entry and every text, however long it takes
}

// Doctor reports the health of the store. It changes nothing, and reports a store that is damaged or cannot be
// opened, or an unknown check, instead of failing. Errors are those of an unknown or undecidable project, with
// a *project.Problem, and of ctx.
func (c *Consolidator) Doctor(ctx context.Context, in DoctorInput) (health.Report, error) {
	name, checks, f, p, err := c.diagnose(ctx, in)
	if err != nil {
		return health.Report{}, err
	}
	var judged []health.Check
	for _, id := range checks {
		if in.Check != "" || health.Concerns(id, f) {
			judged = append(judged, health.Judge(id, f, p))
		}
	}
	return health.NewReport(name, judged), nil
}

// diagnose collects the facts for the requested checks.
func (c *Consolidator) diagnose(ctx context.Context, in DoctorInput) (name string, checks []health.ID, f health.Facts, p health.Policy, err error) {
	p = health.DefaultPolicy()
	if c.clinic == nil {
		return name, nil, f, p, engram.Errorf(engram.CodeUnavailable, "this engine has no doctor")
	}
	if name, err = c.doctorProject(ctx, in); err != nil {
		return name, nil, f, p, err
	}
	if checks = health.IDs(); in.Check != "" {
		checks = []health.ID{health.ID(screen.Line(in.Check))}
	}
	q := health.Query{Checks: checks, Full: in.Full, Project: name, Now: c.ledger.Now(), Most: p.Examples, Digest: screen.HashOf}
	if c.ledger.Embedder != nil {
		if q.Model = c.ledger.Configured().Model(); q.Model.Fingerprint == "" {
			q.Model = c.ledger.Embedder.Model()
		}
	}
	if f, err = c.clinic.Examine(ctx, q); err == nil && len(f.Vectors.Former) > 0 && !f.Missing && f.Steady() {
		err = c.generations(ctx, q, &f)
	}
	if err != nil {
		return name, checks, f, p, err
	}
	// Never on a damaged file: opening it for writing may change it.
	if q.Wants(health.LockContention, health.LogCheckpoint) && !f.Missing && f.Steady() {
		f.Log = c.clinic.Probe(ctx)
	}
	if q.Wants(health.Secrets) && !f.Missing && f.Steady() {
		f.Secrets = c.keptSecrets(ctx, in.Full, p.Examples)
	}
	return name, checks, f, p, errors.Join(ctx.Err(), c.placeSessions(ctx, f, p))
}

// generations leaves only the models whose vectors nothing uses, and examines the vectors of a model at a server, whose
// fingerprint the store knows by its name.
func (c *Consolidator) generations(ctx context.Context, q health.Query, f *health.Facts) error {
	var models []engram.ModelCoverage
	var used uses
	err := c.ledger.View(ctx, func(r engram.Reader) (err error) {
		if models, err = r.Models(ctx); err == nil {
			used, err = usesIn(ctx, r)
		}
		return err
	})
	if err != nil {
		return err
	}
	configured := c.ledger.Configured().Model()
	at := slices.IndexFunc(models, func(m engram.ModelCoverage) bool {
		return configured.Fingerprint == "" && m.Model.Name == configured.Name
	})
	if at >= 0 {
		q.Model, q.Checks = models[at].Model, []health.ID{health.VectorsInStep}
		again, err := c.clinic.Examine(ctx, q)
		if err != nil {
			return err
		}
		f.Vectors = again.Vectors
	}
	for _, m := range models {
		if m.Model.Fingerprint == c.ledger.Embedder.Model().Fingerprint || used.lately(m.Model.Fingerprint, q.Now) {
			f.Vectors.Former = slices.DeleteFunc(f.Vectors.Former, func(name string) bool { return name == m.Model.Name })
		}
	}
	return nil
}

// doctorProject returns the canonical name of the project to check; "" is all. It also works on a store that
// cannot be read.
func (c *Consolidator) doctorProject(ctx context.Context, in DoctorInput) (string, error) {
	if in.All {
		return "", nil
	}
	if in.Project.Explicit == "" {
		at, err := c.projects.ProjectFor(ctx, projects.ProjectRequest{Override: in.Project.Override, Dir: in.Project.Dir, Lenient: in.Project.Lenient})
		return at.Name, err
	}
	name := screen.NormalProject(redact.Private(in.Project.Explicit))
	wrong := project.Check(redact.Private(in.Project.Explicit))
	if name == "" || project.CheckText(redact.Private(in.Project.Explicit)) != nil {
		return name, wrong
	}
	f, err := c.clinic.Examine(ctx, health.Query{})
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
	return name, projects.UnknownProject("Project \""+name+"\" not found in store", name, names)
}

// placeSessions sets the project that each session's id names and that of its folder. Each folder is asked
// once, up to a limit: asking may start git.
func (c *Consolidator) placeSessions(ctx context.Context, f health.Facts, p health.Policy) error {
	known := map[string]project.Detection{}
	for i := range f.Sessions.List {
		s := &f.Sessions.List[i]
		s.Named = namedFor(s.ID, s.Project, f.Names)
		if c.projects.Folders == nil {
			continue
		}
		d, asked := known[s.Directory]
		if !asked {
			if s.Directory == "" || len(known) >= p.Folders {
				continue
			}
			facts, err := c.projects.Folders.Facts(ctx, s.Directory)
			if err != nil {
				return err
			}
			if d, err = project.Detect(facts); err != nil {
				d = project.Detection{} // an ambiguous folder says nothing
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

// namedFor returns the canonical project that the id of a manual session names; "" for other sessions. An id
// with a digest, for a long name, can only be compared.
func namedFor(id, project string, names map[string]string) string {
	named, ok := strings.CutPrefix(id, projects.ManualSession+"-")
	if !ok || named == "" {
		return ""
	}
	if projects.IsManual(id, project) {
		return project
	}
	if canonical, known := names[named]; known {
		return canonical
	}
	for alias, canonical := range names {
		if canonical == project && projects.IsManual(id, alias) {
			return project
		}
	}
	return named
}

// FixInput requests repairs.
type FixInput struct {
	DoctorInput
	// Progress, if not nil, receives the number of memories embedded so far and in all.
	Progress func(done, total int)
}

// Fixed is the result of Fix.
type Fixed struct {
	Report health.Report // after the repairs
	Backup string        // file of the backup made first; "" if no repair changes the database
	Steps  []Fix         // in the order taken
}

// Fix is one repair.
type Fix struct {
	health.Step
	Done string // what was done; "" if it failed
	Err  error  // why it failed
}

// Fix repairs what Doctor found and is safe to repair, after a backup of the whole database, and checks again.
// Changes of sessions and relations are journaled as the operation "doctor" and can be undone; everything else
// is rebuilt from the memories. A failed repair does not stop the others. Errors are those of Doctor, and of a
// failed backup: then nothing was changed.
func (c *Consolidator) Fix(ctx context.Context, in FixInput) (Fixed, error) {
	var m Fixed
	name, checks, f, p, err := c.diagnose(ctx, in.DoctorInput)
	if err != nil {
		return m, err
	}
	plan := health.Plan(checks, f, p)
	for _, s := range plan {
		if s.Stores() && m.Backup == "" {
			if m.Backup, err = c.clinic.Backup(ctx, beforeRepair); err != nil {
				return m, fmt.Errorf("nothing was changed, because there is no backup: %w", err)
			}
		}
	}
	for _, s := range plan {
		done := Fix{Step: s}
		done.Done, done.Err = c.remedy(ctx, s, name, f, in)
		m.Steps = append(m.Steps, done)
		if ctx.Err() != nil {
			return m, ctx.Err()
		}
	}
	m.Report, err = c.Doctor(ctx, in.DoctorInput)
	return m, err
}

// remedy takes one step and describes it.
func (c *Consolidator) remedy(ctx context.Context, s health.Step, name string, f health.Facts, in FixInput) (string, error) {
	switch s.Remedy {
	case health.CloseFiles:
		files, err := c.clinic.Tighten(ctx)
		return fmt.Sprintf("files and folders closed to others: %d", len(files)), err
	case health.ListChunks:
		files, err := c.clinic.ListChunks(ctx)
		return "rewritten, to be committed: " + strings.Join(files, ", "), err
	case health.MoveSessions:
		r := Repair{Project: name, Check: string(s.Check)}
		err := c.moveStrays(ctx, &r, health.Strays(s.Check, f), false)
		return fmt.Sprintf("sessions moved to their projects: %d (memories: %d, prompts: %d)", r.Counts.SessionsApplied, r.Counts.MemoriesApplied, r.Counts.PromptsApplied), err
	case health.RemoveRelations:
		n, err := c.removeRelations(ctx)
		return fmt.Sprintf("relations removed: %d", n), err
	case health.CutSecrets:
		n, err := c.cutSecrets(ctx, "doctor")
		return fmt.Sprintf("secrets removed from %d texts; the backup still contains them", n), err
	case health.Reindex:
		err := c.ledger.Update(ctx, func(tx engram.Tx) error { return tx.Reindex(ctx) })
		return "rebuilt the word index and the vector codes", err
	case health.Embed, health.EmbedAnew:
		res, err := c.Reembed(ctx, ReembedInput{All: s.Remedy == health.EmbedAnew, Progress: in.Progress})
		return fmt.Sprintf("memories embedded: %d of %d", res.Embedded, res.Total), err
	}
	emptied, err := c.clinic.Shorten(ctx)
	if err == nil && !emptied {
		err = engram.Errorf(engram.CodeUnavailable, "a reader blocks the write-ahead log").WithHint("end long-running readers and try again")
	}
	return "emptied the write-ahead log", err
}

// removeRelations removes relations with a missing memory. It examines the store again, since the report lists
// only the first few.
func (c *Consolidator) removeRelations(ctx context.Context) (n int, err error) {
	f, err := c.clinic.Examine(ctx, health.Query{Checks: []health.ID{health.Nowhere}, Most: 1 << 30})
	if err == nil {
		err = f.Relations.Err
	}
	if err != nil {
		return 0, err
	}
	err = c.ledger.Write(ctx, "doctor", func(o *ledger.Tx) error {
		for _, num := range f.Relations.First {
			was, err := o.Store.Relation(ctx, engram.RelationRef{Num: num})
			if engram.CodeOf(err) == engram.CodeNotFound || err == nil && was.Removed() {
				continue
			}
			if err != nil {
				return err
			}
			if _, err := relate.RemoveRelation(ctx, o, was, "", "its memory does not exist"); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// RepairMode says how far a repair goes.
type RepairMode string

// The modes.
const (
	RepairPlan   RepairMode = "plan"    // list the sessions to move
	RepairDryRun RepairMode = "dry_run" // move them, count, and roll back
	RepairApply  RepairMode = "apply"   // move them, after a backup
)

// RepairInput selects sessions to move to the project they belong to.
type RepairInput struct {
	Project string // their current project; required, must exist
	Check   string // health.ManualSession or health.SessionFolder
	Mode    RepairMode
}

// Repair is the result or the plan of a repair.
type Repair struct {
	Project string
	Check   string
	Mode    RepairMode
	Status  string // planned, dry_run, applied, or noop if there is nothing to do
	Actions []RepairAction
	Skipped []RepairSkip
	Counts  RepairCounts
	Backup  string // file of the backup made first; "" unless applied
}

// RepairAction moves one session.
type RepairAction struct {
	Session, From, To string
	Source, Path      string // how the folder's project was detected, and the deciding folder; "" for a name
}

// RepairSkip is a session that was found but not moved.
type RepairSkip struct{ Session, Reason, Message string }

// RepairCounts counts sessions and what moves with them.
type RepairCounts struct {
	SessionsPlanned, MemoriesPlanned, PromptsPlanned int
	SessionsApplied, MemoriesApplied, PromptsApplied int
}

// Repair moves the sessions that the check finds in a project, with their memories and prompts, to the project
// they belong to. Applied, it makes a backup first and journals the operation "doctor", which can be undone. An
// unknown project is not_found, another check is invalid.
func (c *Consolidator) Repair(ctx context.Context, in RepairInput) (Repair, error) {
	r := Repair{Check: in.Check, Mode: in.Mode, Status: "noop", Actions: []RepairAction{}}
	id := health.ID(in.Check)
	if id != health.ManualSession && id != health.SessionFolder {
		return r, engram.Errorf(engram.CodeInvalid, "cannot repair check %q this way", screen.Line(in.Check)).
			WithHint("use %s or %s; {doctor --fix} repairs others", health.ManualSession, health.SessionFolder)
	}
	if in.Project == "" {
		return r, engram.Errorf(engram.CodeInvalid, "a project is required").WithHint("name it")
	}
	name, _, f, _, err := c.diagnose(ctx, DoctorInput{Project: projects.ProjectRequest{Explicit: in.Project}, Check: in.Check})
	if r.Project = name; err != nil {
		return r, err
	}
	if err := errors.Join(f.Err, f.Sessions.Err); err != nil {
		return r, err
	}
	strays := health.Strays(id, f)
	r.plan(strays)
	switch {
	case len(r.Actions) == 0:
		return r, nil
	case in.Mode == RepairApply:
		if r.Backup, err = c.clinic.Backup(ctx, beforeRepair); err != nil {
			return r, err
		}
		r.Status = "applied"
		return r, c.moveStrays(ctx, &r, strays, false)
	case in.Mode == RepairDryRun:
		r.Status = "dry_run"
	default:
		r.Status = "planned"
	}
	// Counting what would move requires moving it.
	err = c.moveStrays(ctx, &r, strays, true)
	return r, err
}

// plan lists the sessions to move and to skip.
func (r *Repair) plan(strays []health.Stray) {
	for _, s := range strays {
		if !movable(s, r.Check) {
			r.Skipped = append(r.Skipped, RepairSkip{s.ID, "manual_name_unknown_project", "There is no project " + s.To + "."})
			continue
		}
		a := RepairAction{Session: s.ID, From: s.Project, To: s.To}
		if r.Check == string(health.SessionFolder) {
			a.Source, a.Path = s.Source, s.FolderPath
		}
		r.Actions = append(r.Actions, a)
	}
}

// movable reports whether a session may move. A name in an id is no reason to create a project; a repository
// is.
func movable(s health.Stray, check string) bool {
	return s.Known || check == string(health.SessionFolder)
}

// moveStrays moves sessions in one transaction and counts what moved with them.
func (c *Consolidator) moveStrays(ctx context.Context, r *Repair, strays []health.Stray, rehearse bool) error {
	var counts RepairCounts
	err := c.ledger.Write(ctx, "doctor", func(o *ledger.Tx) error {
		counts = RepairCounts{}
		for _, s := range strays {
			if !movable(s, r.Check) {
				continue
			}
			if err := moveSession(ctx, o, s, &counts); err != nil {
				return err
			}
		}
		if rehearse {
			return ledger.ErrDryRun
		}
		return nil
	})
	if err != nil && !(rehearse && errors.Is(err, ledger.ErrDryRun)) {
		return err
	}
	r.Counts = counts
	if rehearse {
		r.Counts.SessionsApplied, r.Counts.MemoriesApplied, r.Counts.PromptsApplied = 0, 0, 0
	}
	return nil
}

// moveSession moves a session and what belongs to it to another project, unless it moved meanwhile.
func moveSession(ctx context.Context, o *ledger.Tx, s health.Stray, c *RepairCounts) error {
	const reason = "belongs there"
	was, err := o.Store.Session(ctx, s.ID)
	if engram.CodeOf(err) == engram.CodeNotFound || err == nil && was.Project != s.Project {
		return nil
	}
	if err != nil {
		return err
	}
	to, _, err := projects.EnsureProject(ctx, o, s.To)
	if err != nil {
		return err
	}
	now := was
	now.Project = to
	if err := o.PutSession(ctx, &was, now, reason); err != nil {
		return err
	}
	memories, err := moveMemories(ctx, o, was, to, reason)
	if err != nil {
		return err
	}
	prompts, err := movePrompts(ctx, o, was, to, reason)
	c.SessionsPlanned, c.SessionsApplied = c.SessionsPlanned+1, c.SessionsApplied+1
	c.MemoriesPlanned, c.MemoriesApplied = c.MemoriesPlanned+memories, c.MemoriesApplied+memories
	c.PromptsPlanned, c.PromptsApplied = c.PromptsPlanned+prompts, c.PromptsApplied+prompts
	return err
}

// moveMemories moves the memories of a session, forgotten ones too. A topic that the other project already has
// stays with that project's memory.
func moveMemories(ctx context.Context, o *ledger.Tx, s engram.Session, to, reason string) (n int, err error) {
	for _, forgotten := range []bool{false, true} {
		some, err := walk.Drain(func() ([]engram.Memory, error) {
			return o.Store.List(ctx, engram.Filter{Project: s.Project, SessionID: s.ID, Forgotten: forgotten}, engram.Page{Limit: 100})
		}, func(was engram.Memory) error {
			now := was
			now.Project = to
			if was.TopicKey != "" && !was.Forgotten() {
				if _, taken, err := engram.ByTopic(ctx, o.Store, to, was.Scope, was.TopicKey); err != nil {
					return err
				} else if taken {
					now.TopicKey = ""
				}
			}
			return o.ReplaceMemory(ctx, was, now, reason)
		})
		if n += some; err != nil {
			return n, err
		}
	}
	return n, nil
}

func movePrompts(ctx context.Context, o *ledger.Tx, s engram.Session, to, reason string) (int, error) {
	return walk.Drain(func() ([]engram.Prompt, error) {
		return o.Store.Prompts(ctx, engram.PromptFilter{Project: s.Project, SessionID: s.ID}, engram.Page{Limit: 100})
	},
		func(was engram.Prompt) error {
			now := was
			now.Project = to
			return o.ReplacePrompt(ctx, was, now, reason)
		})
}
