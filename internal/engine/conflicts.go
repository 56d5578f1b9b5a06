package engine

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// StatusOrphaned is the status of a conflict with a forgotten memory, whatever its relation's own status.
const StatusOrphaned engram.RelationStatus = "orphaned"

// ConflictStatuses returns the statuses of a conflict in the order of its life.
func ConflictStatuses() []engram.RelationStatus {
	return []engram.RelationStatus{engram.RelationPending, engram.RelationJudged, engram.RelationIgnored, StatusOrphaned}
}

// Conflict is a candidate for a contradiction, or a verdict on one, with its memories.
type Conflict struct {
	Relation engram.Relation
	Source   engram.Memory // may be forgotten
	Target   engram.Memory
}

// Status is the relation's, or StatusOrphaned.
func (c Conflict) Status() engram.RelationStatus {
	if c.Source.Forgotten() || c.Target.Forgotten() {
		return StatusOrphaned
	}
	return c.Relation.Status
}

// ConflictFilter selects conflicts.
type ConflictFilter struct {
	Project string                // "" is every project
	Status  engram.RelationStatus // one of ConflictStatuses; "" is every one
	Since   time.Time             // flagged at or after
	Page    engram.Page           // Limit 0 is 50, at most 500
}

// Default and maximum of a page of conflicts.
const (
	defaultConflicts = 50
	MaxConflicts     = 500
)

// Conflicts lists candidates and verdicts, newest first, with their total. An unknown status is CodeInvalid.
func (e *Engine) Conflicts(ctx context.Context, f ConflictFilter) (list []Conflict, total int, err error) {
	filter, err := conflictFilter(f)
	if err != nil {
		return nil, 0, err
	}
	if f.Page.Limit, err = limited("limit", f.Page.Limit, defaultConflicts, MaxConflicts); err != nil {
		return nil, 0, err
	}
	if f.Page.Offset < 0 {
		return nil, 0, engram.Errorf(engram.CodeInvalid, "offset %d is out of range", f.Page.Offset).WithHint("use a number from 0")
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		var rs []engram.Relation
		if rs, total, err = r.ListRelations(ctx, filter, f.Page); err != nil {
			return err
		}
		list, err = conflictsOf(ctx, r, rs)
		return err
	})
	return list, total, err
}

func conflictFilter(f ConflictFilter) (engram.RelationFilter, error) {
	out := engram.RelationFilter{Project: normalProject(f.Project), Since: f.Since, Judgments: true}
	switch f.Status {
	case "":
	case StatusOrphaned:
		out.Ends = engram.EndsForgotten
	case engram.RelationPending, engram.RelationJudged, engram.RelationIgnored:
		out.Ends, out.Statuses = engram.EndsLive, []engram.RelationStatus{f.Status}
	default:
		names := mapped(ConflictStatuses(), func(s engram.RelationStatus) string { return string(s) })
		return out, engram.Errorf(engram.CodeInvalid, "status %.40q does not exist", f.Status).WithHint("use one of %s", strings.Join(names, ", "))
	}
	return out, nil
}

func conflictsOf(ctx context.Context, r engram.Reader, rs []engram.Relation) ([]Conflict, error) {
	ms, err := r.Memories(ctx, endsOf(rs))
	if err != nil {
		return nil, err
	}
	known := byNum(ms)
	return mapped(rs, func(rel engram.Relation) Conflict { return Conflict{rel, known[rel.Source], known[rel.Target]} }), nil
}

func conflictOf(ctx context.Context, r engram.Reader, rel engram.Relation) (Conflict, error) {
	list, err := conflictsOf(ctx, r, []engram.Relation{rel})
	if err != nil {
		return Conflict{}, err
	}
	return list[0], nil
}

// Conflict returns one conflict, or its replacement. CodeNotFound if it does not exist, if it was removed
// without a later verdict on the pair, or if the relation needs no judgment.
func (e *Engine) Conflict(ctx context.Context, ref engram.RelationRef) (Conflict, error) {
	ref.ID = strings.ToLower(line(ref.ID))
	return view(ctx, e, func(r engram.Reader) (c Conflict, err error) {
		rel, err := r.Relation(ctx, ref)
		if err != nil {
			return c, err
		}
		if rel, err = inPlaceOf(ctx, r, rel); err != nil {
			return c, err
		}
		if !rel.Judgment() {
			return c, engram.Errorf(engram.CodeNotFound, "relation %s is not a conflict", rel.ID).WithHint("{conflicts list} lists the conflicts")
		}
		return conflictOf(ctx, r, rel)
	})
}

// ConflictStats counts conflicts.
type ConflictStats struct {
	ByVerb   map[engram.Verb]int // judged ones
	ByStatus map[engram.RelationStatus]int
}

// ConflictStats counts the conflicts of a project; "" is every project. Zero counts have no entry.
func (e *Engine) ConflictStats(ctx context.Context, project string) (ConflictStats, error) {
	return view(ctx, e, func(r engram.Reader) (ConflictStats, error) {
		s := ConflictStats{map[engram.Verb]int{}, map[engram.RelationStatus]int{}}
		count := func(status engram.RelationStatus, verbs ...engram.Verb) (int, error) {
			f, err := conflictFilter(ConflictFilter{Project: project, Status: status})
			if err != nil {
				return 0, err
			}
			f.Verbs = verbs
			_, n, err := r.ListRelations(ctx, f, engram.Page{Limit: 1})
			return n, err
		}
		for _, status := range ConflictStatuses() {
			if n, err := count(status); err != nil {
				return s, err
			} else if n > 0 {
				s.ByStatus[status] = n
			}
		}
		for _, verb := range Verdicts() {
			if n, err := count(engram.RelationJudged, verb); err != nil {
				return s, err
			} else if n > 0 {
				s.ByVerb[verb] = n
			}
		}
		return s, nil
	})
}

// Ignore dismisses a candidate without a verdict: it leaves the queue, and the pair is not flagged again.
// Repeating it with the same reason writes nothing. CodeConflict if it was judged.
func (e *Engine) Ignore(ctx context.Context, ref engram.RelationRef, reason string) (Conflict, error) {
	if err := (raw{"reason", reason}).check(); err != nil {
		return Conflict{}, err
	}
	return perform(ctx, e, "ignore", func(o *op) (c Conflict, err error) {
		_, was, err := o.judgeable(ctx, ref)
		if err != nil {
			return c, err
		}
		if was.Status == engram.RelationJudged {
			return c, engram.Errorf(engram.CodeConflict, "relation %s is judged already: %s", was.ID, was.Verb).
				WithHint("{conflicts judge %s VERDICT} replaces the verdict", was.ID)
		}
		reason = o.redactor().line(reason)
		if was.Status == engram.RelationIgnored && (reason == "" || reason == was.Reason) {
			return conflictOf(ctx, o.tx, was)
		}
		now := was
		now.Status, now.UpdatedAt = engram.RelationIgnored, o.at
		if reason != "" {
			now.Reason = reason
		}
		if c, err = conflictOf(ctx, o.tx, now); err != nil {
			return c, err
		}
		return c, o.replaceRelation(ctx, was, now, c.Source.Project, "set aside")
	})
}

// CompareInput is a verdict on two memories that need not have been flagged: A, and its relation to B.
type CompareInput struct {
	A, B       engram.Ref
	Verb       engram.Verb // one of Verdicts; with supersedes, A replaces B
	Confidence float64     // 0 to 1
	Reasoning  string
	Model      string // the model that judged; "" if unknown
	ActorKind  string // one of the kinds; "" is KindSystem
}

// Compare records a verdict on two memories and replaces earlier ones. It also keeps a verdict of no
// contradiction, so that the pair is never flagged again. Errors are those of Judge, and CodeNotFound for a
// memory that is not live.
func (e *Engine) Compare(ctx context.Context, in CompareInput) (Conflict, error) {
	return e.compare(ctx, in, func(*op) error { return nil })
}

// compare is Compare if check returns nil.
func (e *Engine) compare(ctx context.Context, in CompareInput, check func(*op) error) (Conflict, error) {
	v, err := e.verdict(in.verdict())
	if err != nil {
		return Conflict{}, err
	}
	return perform(ctx, e, "compare", func(o *op) (c Conflict, err error) {
		a, err := o.live(ctx, in.A)
		if err != nil {
			return c, absent(in.A, err)
		}
		b, err := o.live(ctx, in.B)
		if err != nil {
			return c, absent(in.B, err)
		}
		if a.Num == b.Num {
			return c, engram.Errorf(engram.CodeInvalid, "memory %s cannot be compared with itself", in.A)
		}
		if err := check(o); err != nil {
			return c, err
		}
		v.source, v.target = a.Num, b.Num
		return o.resolve(ctx, v, nil)
	})
}

// verdict returns the same verdict for a relation that is still to be found.
func (in CompareInput) verdict() JudgeInput {
	in.ActorKind = cmp.Or(in.ActorKind, KindSystem)
	return JudgeInput{Verb: in.Verb, Reason: in.Reasoning, Confidence: &in.Confidence, Model: in.Model, ActorKind: in.ActorKind}
}

// Absent says which memory does not exist; code and message are those of Err.
type Absent struct {
	Ref engram.Ref
	Err error
}

// Error implements error.
func (a *Absent) Error() string { return a.Err.Error() }

// Unwrap returns Err.
func (a *Absent) Unwrap() error { return a.Err }

func absent(ref engram.Ref, err error) error {
	if engram.CodeOf(err) != engram.CodeNotFound {
		return err
	}
	return &Absent{ref, err}
}
