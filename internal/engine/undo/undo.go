// Package undo takes operations back: it restores from the journal what an operation changed, or a range of them, and
// says what it left alone because it was changed since.
package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
)

// Reverter takes operations back. It is safe for concurrent use.
type Reverter struct {
	ledger *ledger.Ledger
}

// New returns a Reverter.
func New(l *ledger.Ledger) *Reverter {
	return &Reverter{ledger: l}
}

// UndoInput says which operation to undo.
type UndoInput struct {
	// Op is the number of the operation in Log. 0 is the latest of Project that can be undone, including imports and
	// pulls that changed other projects too, and the deletion of a project; an erase in the way is forbidden.
	Op      int64
	Project string // "" is every project
	DryRun  bool   // report the outcome, and change nothing
}

// Undo takes back one operation, as an operation of its own: the journal keeps everything, and an undo can be undone.
// A memory that the operation made is forgotten, not erased; a changed one gets its old values and text, and its
// current text becomes a revision. Counters and times stay as they are.
//
// It overwrites no later change: that is a conflict, which names the operation to undo first. An operation of which
// nothing is left to take back is a conflict too, with the reasons. Undoing an erase is forbidden. An operation from
// before the journal is not_found.
func (v *Reverter) Undo(ctx context.Context, in UndoInput) (engram.Undone, error) {
	res, erased, err := v.attempt(ctx, in)
	if erased != 0 {
		err = v.afterErase(ctx, erased, screen.NormalProject(in.Project))
	}
	if err != nil {
		return engram.Undone{}, v.tried(ctx, in.Op, err)
	}
	return res, nil
}

// attempt is Undo, except that it does not check what its errors offer. erased is the erase that an undo of the latest
// operation met first; 0 for none.
func (v *Reverter) attempt(ctx context.Context, in UndoInput) (res engram.Undone, erased int64, err error) {
	err = v.ledger.TryWrite(ctx, in.DryRun, "undo", func(o *ledger.Tx) (err error) {
		if in.Op == 0 {
			res, erased, err = undoLatest(ctx, o, screen.NormalProject(in.Project))
		} else {
			res, err = undo(ctx, o, in.Op)
		}
		return err
	})
	if in.DryRun {
		res.Op = 0
	}
	return res, erased, err
}

// undoError is why an operation cannot be undone.
type undoError struct {
	refused *engram.Error
	offers  int64 // the operation whose undo the hint offers; 0: nothing of the operation is left to undo
}

// offering returns refused with a hint that offers the undo of op; format has its number.
func offering(refused *engram.Error, op int64, format string) error {
	return &undoError{refused.WithHint(format, op), op}
}

// Error implements error.
func (u *undoError) Error() string { return u.refused.Error() }

// Unwrap returns the error for the caller.
func (u *undoError) Unwrap() error { return u.refused }

// tried returns the error of an undo, without the offer of another undo that cannot be done either.
func (v *Reverter) tried(ctx context.Context, number int64, err error) error {
	refused, is := errors.AsType[*undoError](err)
	if !is || refused.offers == 0 {
		return err
	}
	if refused.offers != number {
		_, _, err2 := v.attempt(ctx, UndoInput{Op: refused.offers, DryRun: true})
		further, is := errors.AsType[*undoError](err2)
		if err2 == nil || is && further.offers != 0 && further.offers != number && further.offers != refused.offers {
			return err
		}
	}
	return engram.Errorf(refused.refused.Code, "%s", refused.refused.Msg).WithHint("see {log}")
}

func isNothingLeft(err error) bool {
	refused, is := errors.AsType[*undoError](err)
	return is && refused.offers == 0
}

// Erases reports whether an operation removes for good.
func Erases(verb string) bool { return verb == "erase" || strings.HasSuffix(verb, "_erase") }

// undoLatest undoes the latest operation of a project of which something is left. It stops at an erase and returns
// it: a person who has just erased something does not mean an earlier operation.
func undoLatest(ctx context.Context, o *ledger.Tx, project string) (res engram.Undone, erased int64, err error) {
	err = eachStanding(ctx, o.Store, engram.JournalFilter{Project: project, WithDeleted: true}, func(op engram.Operation) (bool, error) {
		if Erases(op.Name) {
			erased = op.Op
			return false, nil
		}
		u, err := undo(ctx, o, op.Op)
		if isNothingLeft(err) {
			return true, nil
		}
		res = u
		return false, err
	})
	if err == nil && erased == 0 && res.Op == 0 {
		err = engram.Errorf(engram.CodeNotFound, "there is nothing to undo").WithHint("{log --all-projects} shows what every project has")
	}
	return res, erased, err
}

// eachStanding calls do with the operations in force, the latest first, until it returns false. Undos are part of
// what they undo, and skipped.
func eachStanding(ctx context.Context, r engram.Reader, f engram.JournalFilter, do func(engram.Operation) (more bool, err error)) error {
	const page = 100
	for offset := 0; ; offset += page {
		ops, err := r.Operations(ctx, f, engram.Page{Limit: page, Offset: offset})
		if err != nil {
			return err
		}
		for _, op := range ops {
			if op.Undoes != 0 {
				continue
			}
			standing, err := Stands(ctx, r, op)
			if err != nil {
				return err
			}
			if !standing {
				continue
			}
			if more, err := do(op); err != nil || !more {
				return err
			}
		}
		if len(ops) < page {
			return nil
		}
	}
}

func erasedForGood(op int64) *engram.Error {
	return engram.Errorf(engram.CodeForbidden, "operation %d erased for good and cannot be undone", op).
		WithHint("a backup or a replica may still have what it erased")
}

// mostTries is how many operations before an erase are tried for the hint.
const mostTries = 20

// afterErase is the error of an undo that met an erase first. Its hint names the latest operation that can be undone.
func (v *Reverter) afterErase(ctx context.Context, erased int64, project string) error {
	var before []int64
	err := v.ledger.View(ctx, func(r engram.Reader) error {
		return eachStanding(ctx, r, engram.JournalFilter{Project: project, WithDeleted: true}, func(op engram.Operation) (bool, error) {
			if !Erases(op.Name) {
				before = append(before, op.Op)
			}
			return len(before) < mostTries, nil
		})
	})
	if err != nil {
		return err
	}
	for _, number := range before {
		switch _, _, err := v.attempt(ctx, UndoInput{Op: number, DryRun: true}); engram.CodeOf(err) {
		case "":
			return erasedForGood(erased).WithHint("undo the latest operation before it that can be undone: {undo %d}", number)
		case engram.CodeInternal, engram.CodeUnavailable:
			return err
		}
	}
	return erasedForGood(erased)
}

// Stands reports whether an operation is in force: it was not undone, or its undo was, and so on.
func Stands(ctx context.Context, r engram.Reader, op engram.Operation) (bool, error) {
	standing := true
	for op.UndoneBy != 0 {
		standing = !standing
		var err error
		if op, _, err = engram.OperationOf(ctx, r, op.UndoneBy); err != nil {
			return false, err
		}
	}
	return standing, nil
}

type undoing struct {
	tx        *ledger.Tx
	res       engram.Undone
	moves     []view.Move           // between projects, since the operation
	relations []int64               // that came back
	added     map[ledger.Thing]bool // by other stores: taking it back only hides it
	// once are the things with a single entry of the operation, if no entry is later than the operation: they need no
	// look-up of later entries. nil otherwise.
	once map[ledger.Thing]bool
}

func undo(ctx context.Context, o *ledger.Tx, number int64) (engram.Undone, error) {
	u := &undoing{tx: o}
	err := u.run(ctx, number)
	return u.res, err
}

func (u *undoing) run(ctx context.Context, number int64) error {
	undone, entries, err := u.entriesOf(ctx, number)
	if err != nil {
		return err
	}
	if Erases(undone.Name) {
		return erasedForGood(number)
	}
	standing, err := Stands(ctx, u.tx.Store, undone)
	if err != nil {
		return err
	}
	if !standing {
		return offering(engram.Errorf(engram.CodeConflict, "operation %d was undone by operation %d", number, undone.UndoneBy), undone.UndoneBy, "to redo it: {undo %d}")
	}
	u.res.Undone, u.tx.Undoes, u.res.Projects = undone, number, projectsOf(entries)
	if u.added, err = u.cameIn(ctx, undone, entries); err != nil {
		return err
	}
	if u.moves, err = u.movesSince(ctx, undone); err != nil {
		return err
	}
	before := u.tx.First
	u.noteOnce(entries)
	for i := len(entries) - 1; i >= 0; i-- {
		if err := u.take(ctx, entries[i]); err != nil {
			return err
		}
	}
	if err := u.checkRelations(ctx); err != nil {
		return err
	}
	if err := u.resolvePlacesOf(ctx, entries); err != nil {
		return err
	}
	if err := u.tx.ResolveTopics(ctx); err != nil {
		return err
	}
	if u.res.Op = u.tx.First; u.tx.First == before {
		return u.nothingLeft()
	}
	return nil
}

func (u *undoing) nothingLeft() error {
	const most = 5
	why := "everything it changed has changed since"
	if n := len(u.res.Left); n > 0 {
		why = strings.Join(u.res.Left[:min(n, most)], ", ")
		if n > most {
			why += fmt.Sprintf(", and %d more", n-most)
		}
	}
	return &undoError{refused: engram.Errorf(engram.CodeConflict, "operation %d (%s) cannot be taken back: %s", u.res.Undone.Op, u.res.Undone.Name, why).
		WithHint("see {log}")}
}

// noteOnce fills once, which saves a quarter of the work of undoing an import.
func (u *undoing) noteOnce(entries []engram.Mutation) {
	u.once, u.tx.Logged = nil, nil
	if len(entries) == 0 || entries[len(entries)-1].Seq != u.tx.Last {
		return
	}
	u.once, u.tx.Logged = make(map[ledger.Thing]bool, len(entries)), map[ledger.Thing]bool{}
	for _, entry := range entries {
		of := ledger.Thing{Entity: entry.Entity, Key: entry.Key}
		_, again := u.once[of]
		u.once[of] = !again
	}
}

func projectsOf(entries []engram.Mutation) []string {
	names := map[string]bool{}
	for _, entry := range entries {
		names[entry.Project] = true
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// cameIn returns what an import or a pull added that other stores had written; for an undo, what the operation at the
// start of its chain did. Taking that back only hides it: it stays with the other stores. Setting back a change of
// something that was here is a write.
func (u *undoing) cameIn(ctx context.Context, op engram.Operation, entries []engram.Mutation) (map[ledger.Thing]bool, error) {
	for op.Undoes != 0 {
		var err error
		if op, entries, err = engram.OperationOf(ctx, u.tx.Store, op.Undoes); err != nil {
			if engram.CodeOf(err) == engram.CodeNotFound {
				return nil, nil // the journal begins later
			}
			return nil, err
		}
	}
	if op.Name != "import" && op.Name != "pull" {
		return nil, nil
	}
	added := map[ledger.Thing]bool{}
	for _, entry := range entries {
		if entry.Was == nil {
			added[ledger.Thing{Entity: entry.Entity, Key: entry.Key}] = true
		}
	}
	return added, nil
}

// entriesOf reads an operation; its error says if the journal begins later.
func (u *undoing) entriesOf(ctx context.Context, number int64) (engram.Operation, []engram.Mutation, error) {
	op, entries, err := engram.OperationOf(ctx, u.tx.Store, number)
	if engram.CodeOf(err) != engram.CodeNotFound {
		return op, entries, err
	}
	begins, beginsErr := engram.JournalBegins(ctx, u.tx.Store)
	if beginsErr == nil && !begins.IsZero() {
		return op, nil, engram.Errorf(engram.CodeNotFound, "the journal has no operation %d: it begins on %s", number, begins.Format("2 January 2006")).
			WithHint("see {log}")
	}
	return op, nil, err
}

func (u *undoing) take(ctx context.Context, entry engram.Mutation) error {
	u.tx.Hides = u.added[ledger.Thing{Entity: entry.Entity, Key: entry.Key}]
	switch entry.Entity {
	case engram.EntityMemory:
		return u.takeMemory(ctx, entry)
	case engram.EntityRelation:
		return u.takeRelation(ctx, entry)
	case engram.EntityPrompt:
		return u.takePrompt(ctx, entry)
	case engram.EntitySession:
		return u.takeSession(ctx, entry)
	case engram.EntityProject:
		return u.takeProject(ctx, entry)
	case engram.EntityErased:
		return u.takeErased(ctx, entry)
	case engram.EntityPending:
		return u.takePending(ctx, entry)
	}
	u.leave("entry %d is about a %s, which this version does not know", entry.Seq, entry.Entity)
	return nil
}

func (u *undoing) changed(entry engram.Mutation, format string, args ...any) {
	u.res.Changes = append(u.res.Changes, engram.UndoChange{Entity: entry.Entity, Key: entry.Key, What: fmt.Sprintf(format, args...)})
}

func (u *undoing) leave(format string, args ...any) {
	u.res.Left = append(u.res.Left, fmt.Sprintf(format, args...))
}

func (u *undoing) reason() string { return fmt.Sprintf("undo of operation %d", u.res.Undone.Op) }

// since returns the later entries about the thing of an entry, oldest first, with what moves between projects did to
// it, which only their own entries say.
func (u *undoing) since(ctx context.Context, entry engram.Mutation) ([]engram.Mutation, error) {
	const page = 200
	var later []engram.Mutation
	of := ledger.Thing{Entity: entry.Entity, Key: entry.Key}
	for offset := 0; !u.once[of] || u.tx.Logged[of]; offset += page {
		es, err := u.tx.Store.Mutations(ctx, engram.JournalSpan{Entity: entry.Entity, Key: entry.Key}, engram.Page{Limit: page, Offset: offset})
		if err != nil {
			return nil, err
		}
		end := slices.IndexFunc(es, func(e engram.Mutation) bool { return e.Seq <= entry.Seq })
		if end >= 0 {
			es = es[:end]
		}
		later = append(later, es...)
		if end >= 0 || len(es) < page {
			break
		}
	}
	for _, m := range u.moves {
		if m.Entry.Seq <= entry.Seq {
			continue
		}
		was, err := m.Changed(entry.Entity, entry.Key)
		if err != nil {
			return nil, err
		}
		if was != nil {
			moved := m.Entry
			moved.Was = was
			later = append(later, moved)
		}
	}
	slices.SortFunc(later, func(a, b engram.Mutation) int { return cmp.Compare(a.Seq, b.Seq) })
	return later, nil
}

// UndoRangeInput says which operations to undo: those in force from First to Last, of a project and a name. Erases
// and undos are skipped.
type UndoRangeInput struct {
	First, Last int64
	Project     string // "" is every project
	Operation   string // "" is every name
	DryRun      bool
	Progress    func(done, total int) // called after each; nil: not called
}

// UndoRange undoes several operations, the latest first, each in its own transaction so that other writers hardly
// wait: what one sleep did, for example. It stops at the first that cannot be undone, and returns the others with the
// error. Operations of which nothing is left are skipped; nothing to undo is not_found.
func (v *Reverter) UndoRange(ctx context.Context, in UndoRangeInput) ([]engram.Undone, error) {
	if in.First < 1 || in.Last < in.First {
		return nil, engram.Errorf(engram.CodeInvalid, "%d..%d is not a range of operations", in.First, in.Last).WithHint("give the first number, then the last, as {log} shows them")
	}
	ops, err := v.standing(ctx, in)
	if err != nil {
		return nil, err
	}
	var all []engram.Undone
	if in.DryRun {
		if all, err = v.undoDry(ctx, ops); err != nil {
			return nil, err
		}
		ops = nil
	}
	for i, op := range ops {
		switch u, err := v.Undo(ctx, UndoInput{Op: op}); {
		case isNothingLeft(err):
		case err != nil:
			return all, err
		default:
			all = append(all, u)
		}
		if in.Progress != nil {
			in.Progress(i+1, len(ops))
		}
	}
	if len(all) == 0 {
		return nil, engram.Errorf(engram.CodeNotFound, "from %d to %d there is nothing to undo", in.First, in.Last).WithHint("see {log}")
	}
	return all, nil
}

// undoDry undoes all of them in one transaction, because each builds on the one before, and rolls it back.
func (v *Reverter) undoDry(ctx context.Context, ops []int64) (all []engram.Undone, err error) {
	return all, v.ledger.TryWrite(ctx, true, "undo", func(o *ledger.Tx) error {
		for _, number := range ops {
			same := *o
			one := &same
			one.First = 0
			u, err := undo(ctx, one, number)
			if isNothingLeft(err) {
				continue
			}
			if err != nil {
				return err
			}
			u.Op, o.Clock = 0, one.Clock
			all = append(all, u)
		}
		return nil
	})
}

// standing returns the operations of a range that can be undone, the latest first.
func (v *Reverter) standing(ctx context.Context, in UndoRangeInput) (ops []int64, err error) {
	f := engram.JournalFilter{Project: screen.NormalProject(in.Project), Operation: screen.Line(in.Operation)}
	err = v.ledger.View(ctx, func(r engram.Reader) error {
		return eachStanding(ctx, r, f, func(op engram.Operation) (bool, error) {
			if op.Op >= in.First && op.Op <= in.Last && !Erases(op.Name) {
				ops = append(ops, op.Op)
			}
			return op.Op >= in.First, nil
		})
	})
	return ops, err
}
