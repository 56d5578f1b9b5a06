package engine

import (
	"context"
	"errors"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
)

// RepairMode says how far a repair goes.
type RepairMode string

// The modes.
const (
	RepairPlan   RepairMode = "plan"    // say which sessions would move
	RepairDryRun RepairMode = "dry_run" // move them, count what moved, and take it all back
	RepairApply  RepairMode = "apply"   // move them, after a backup
)

// RepairInput asks for the sessions of a project to be put where they belong.
type RepairInput struct {
	Project string // that they are under now; required, and must be known
	Check   string // health.ManualSession or health.SessionFolder
	Mode    RepairMode
}

// Repair is what was, or would be, done.
type Repair struct {
	Project string
	Check   string
	Mode    RepairMode
	Status  string // planned, dry_run, applied, or noop when there is nothing to do
	Actions []RepairAction
	Skipped []RepairSkip
	Counts  RepairCounts
	Backup  string // file of the copy that was made first; "" unless applied
}

// RepairAction moves one session.
type RepairAction struct {
	Session, From, To string
	Source, Path      string // what the folder's project was known by, and the folder that decided; "" for a name
}

// RepairSkip is a session that was found and is left.
type RepairSkip struct{ Session, Reason, Message string }

// RepairCounts counts what moves with sessions.
type RepairCounts struct {
	SessionsPlanned, MemoriesPlanned, PromptsPlanned int
	SessionsApplied, MemoriesApplied, PromptsApplied int
}

// Repair gives the sessions of a project that the check finds, with their memories and
// prompts, to the project they belong to. Applied, it makes a backup first and writes
// the journal under the verb "doctor", so that undo takes it back. A project that is not
// known is not_found, another check is invalid.
func (e *Engine) Repair(ctx context.Context, in RepairInput) (Repair, error) {
	r := Repair{Check: in.Check, Mode: in.Mode, Status: "noop", Actions: []RepairAction{}}
	id := health.ID(in.Check)
	if id != health.ManualSession && id != health.SessionFolder {
		return r, engram.Errorf(engram.CodeInvalid, "check %q cannot be repaired so", line(in.Check)).
			WithHint("%s and %s can; {doctor --fix} mends others", health.ManualSession, health.SessionFolder)
	}
	if in.Project == "" {
		return r, engram.Errorf(engram.CodeInvalid, "a project is required").WithHint("name it")
	}
	name, _, f, _, err := e.diagnose(ctx, DoctorInput{Project: ProjectRequest{Explicit: in.Project}, Check: in.Check})
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
		if r.Backup, err = e.clinic.Backup(ctx, beforeRepair); err != nil {
			return r, err
		}
		r.Status = "applied"
		return r, e.moveStrays(ctx, &r, strays, false)
	case in.Mode == RepairDryRun:
		r.Status = "dry_run"
	default:
		r.Status = "planned"
	}
	// How much would move is known by moving it.
	err = e.moveStrays(ctx, &r, strays, true)
	return r, err
}

// plan names what moves and what stays.
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

// movable reports whether a session may move: the name in an id is no reason to make a
// project of it, a repository is.
func movable(s health.Stray, check string) bool {
	return s.Known || check == string(health.SessionFolder)
}

// errRehearsed takes back what was written to see what it would be.
var errRehearsed = errors.New("rehearsed")

// moveStrays moves sessions in one transaction and counts what went with them.
func (e *Engine) moveStrays(ctx context.Context, r *Repair, strays []health.Stray, rehearse bool) error {
	var c RepairCounts
	err := e.write(ctx, "doctor", func(o *op) error {
		c = RepairCounts{}
		for _, s := range strays {
			if !movable(s, r.Check) {
				continue
			}
			if err := o.moveSession(ctx, s, &c); err != nil {
				return err
			}
		}
		if rehearse {
			return errRehearsed
		}
		return nil
	})
	if rehearse && errors.Is(err, errRehearsed) {
		err = nil
	}
	if err != nil {
		return err
	}
	r.Counts = c
	if rehearse {
		r.Counts.SessionsApplied, r.Counts.MemoriesApplied, r.Counts.PromptsApplied = 0, 0, 0
	}
	return nil
}

// moveSession gives a session, and what of it is under its project, to another project.
// One that moved meanwhile is left.
func (o *op) moveSession(ctx context.Context, s health.Stray, c *RepairCounts) error {
	const reason = "belongs there"
	was, err := o.tx.Session(ctx, s.ID)
	if engram.CodeOf(err) == engram.CodeNotFound || err == nil && was.Project != s.Project {
		return nil
	}
	if err != nil {
		return err
	}
	to, _, err := o.ensureProject(ctx, s.To)
	if err != nil {
		return err
	}
	now := was
	now.Project = to
	if err := o.putSession(ctx, &was, now, reason); err != nil {
		return err
	}
	memories, err := o.moveMemories(ctx, was, to, reason)
	if err != nil {
		return err
	}
	prompts, err := o.movePrompts(ctx, was, to, reason)
	c.SessionsPlanned, c.SessionsApplied = c.SessionsPlanned+1, c.SessionsApplied+1
	c.MemoriesPlanned, c.MemoriesApplied = c.MemoriesPlanned+memories, c.MemoriesApplied+memories
	c.PromptsPlanned, c.PromptsApplied = c.PromptsPlanned+prompts, c.PromptsApplied+prompts
	return err
}

// moveMemories moves the memories of a session, forgotten ones too. A topic that the
// other project has already stays with that project's memory.
func (o *op) moveMemories(ctx context.Context, s engram.Session, to, reason string) (n int, err error) {
	for _, forgotten := range []bool{false, true} {
		for {
			// What moved is no longer in the list: the first page is always the next.
			list, err := o.tx.List(ctx, engram.Filter{Project: s.Project, SessionID: s.ID, Forgotten: forgotten}, engram.Page{Limit: 100})
			if err != nil || len(list) == 0 {
				if err != nil {
					return n, err
				}
				break
			}
			for _, was := range list {
				now := was
				now.Project = to
				if was.TopicKey != "" && !was.Forgotten() {
					if _, taken, err := o.tx.ByTopic(ctx, to, was.Scope, was.TopicKey); err != nil {
						return n, err
					} else if taken {
						now.TopicKey = ""
					}
				}
				if err := o.replaceMemory(ctx, was, now, reason); err != nil {
					return n, err
				}
				n++
			}
		}
	}
	return n, nil
}

// movePrompts moves the prompts of a session.
func (o *op) movePrompts(ctx context.Context, s engram.Session, to, reason string) (n int, err error) {
	for {
		list, err := o.tx.Prompts(ctx, s.Project, s.ID, engram.Page{Limit: 100})
		if err != nil || len(list) == 0 {
			return n, err
		}
		for _, was := range list {
			now := was
			now.Project = to
			if err := o.replacePrompt(ctx, was, now, reason); err != nil {
				return n, err
			}
			n++
		}
	}
}
