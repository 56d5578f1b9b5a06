package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
)

// MendInput asks for repairs.
type MendInput struct {
	DoctorInput
	// Progress, when it is not nil, is told how many memories have a vector, of how many,
	// while they are embedded.
	Progress func(done, total int)
}

// Mended says what was repaired.
type Mended struct {
	Report health.Report // how the store is now
	Backup string        // file of the copy that was made first; "" when nothing in the database was to be changed
	Steps  []Mend        // in the order in which they were taken
}

// Mend is one repair.
type Mend struct {
	health.Step
	Done string // what was done; "" when it failed
	Err  error  // why it failed
}

// Mend repairs what is safe to repair of what Doctor would find, after a backup of the
// whole database, and looks again. Sessions and relations change by entries of the
// journal, under the verb "doctor", and can be undone; what else is mended is made of
// the memories, which are not touched. A repair that fails does not keep the others from
// being made. Errors are those of Doctor, and of a backup that cannot be made: then
// nothing was changed.
func (e *Engine) Mend(ctx context.Context, in MendInput) (Mended, error) {
	var m Mended
	name, checks, f, p, err := e.diagnose(ctx, in.DoctorInput)
	if err != nil {
		return m, err
	}
	plan := health.Plan(checks, f, p)
	for _, s := range plan {
		if s.Stores() && m.Backup == "" {
			if m.Backup, err = e.clinic.Backup(ctx, beforeRepair); err != nil {
				return m, fmt.Errorf("nothing was changed, because there is no backup: %w", err)
			}
		}
	}
	for _, s := range plan {
		done := Mend{Step: s}
		done.Done, done.Err = e.remedy(ctx, s, name, f, in)
		m.Steps = append(m.Steps, done)
		if ctx.Err() != nil {
			return m, ctx.Err()
		}
	}
	m.Report, err = e.Doctor(ctx, in.DoctorInput)
	return m, err
}

// remedy takes one step and says what it did.
func (e *Engine) remedy(ctx context.Context, s health.Step, name string, f health.Facts, in MendInput) (string, error) {
	switch s.Remedy {
	case health.CloseFiles:
		files, err := e.clinic.Tighten(ctx)
		return fmt.Sprintf("files and folders closed to others: %d", len(files)), err
	case health.ListChunks:
		files, err := e.clinic.ListChunks(ctx)
		return "made anew, and to be committed: " + strings.Join(files, ", "), err
	case health.MoveSessions:
		r := Repair{Project: name, Check: string(s.Check)}
		err := e.moveStrays(ctx, &r, health.Strays(s.Check, f), false)
		return fmt.Sprintf("sessions moved to their projects: %d (memories: %d, prompts: %d)", r.Counts.SessionsApplied, r.Counts.MemoriesApplied, r.Counts.PromptsApplied), err
	case health.RemoveRelations:
		n, err := e.removeRelations(ctx)
		return fmt.Sprintf("relations removed: %d", n), err
	case health.CutSecrets:
		n, err := e.cutSecrets(ctx, "doctor")
		return fmt.Sprintf("secrets cut out of %d texts; the copy that was made first has them still", n), err
	case health.Reindex:
		err := e.store.Update(ctx, func(tx engram.Tx) error { return tx.Reindex(ctx) })
		return "made the index of words and the codes of vectors anew", err
	case health.Embed, health.EmbedAnew:
		res, err := e.Reembed(ctx, ReembedInput{All: s.Remedy == health.EmbedAnew, Progress: in.Progress})
		return fmt.Sprintf("memories embedded: %d of %d", res.Embedded, res.Total), err
	}
	emptied, err := e.clinic.Shorten(ctx)
	if err == nil && !emptied {
		err = engram.Errorf(engram.CodeUnavailable, "a reader is in the way").WithHint("end what reads all the time, and try again")
	}
	return "emptied the write-ahead log", err
}

// removeRelations takes away those that lead nowhere. They are looked for again: the
// report names the first few alone.
func (e *Engine) removeRelations(ctx context.Context) (n int, err error) {
	f, err := e.clinic.Examine(ctx, health.Query{Checks: []health.ID{health.Nowhere}, Most: 1 << 30})
	if err == nil {
		err = f.Relations.Err
	}
	if err != nil {
		return 0, err
	}
	err = e.write(ctx, "doctor", func(o *op) error {
		for _, num := range f.Relations.First {
			was, err := o.tx.Relation(ctx, engram.RelationRef{Num: num})
			if engram.CodeOf(err) == engram.CodeNotFound || err == nil && was.Removed() {
				continue
			}
			if err != nil {
				return err
			}
			now := was
			now.RemovedAt, now.UpdatedAt = o.at, o.at
			if err := o.replaceRelation(ctx, was, now, "", "its memory is not there"); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}
