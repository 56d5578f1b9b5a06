package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// VaultImportInput says what to import from a vault.
type VaultImportInput struct {
	Project string // "" is every one; notes of others are skipped
	// Forget forgets the memories whose notes were deleted, instead of only reporting them.
	Forget bool
	DryRun bool
}

// VaultAct is the outcome of one note.
type VaultAct string

// The acts.
const (
	VaultRevised  VaultAct = "revised"  // the memory has the note's text
	VaultCreated  VaultAct = "created"  // a new note became a memory
	VaultConflict VaultAct = "conflict" // both were changed: the memory stays as it is
	VaultMissing  VaultAct = "missing"  // the note was deleted, and the memory stays
	VaultForgot   VaultAct = "forgotten"
	VaultRejected VaultAct = "rejected" // the note was not imported
	VaultNoted    VaultAct = "noted"    // something in it was ignored
)

// VaultItem is the outcome of one note, and why.
type VaultItem struct {
	Path   string
	Line   int // of Reason, from 1; 0: the whole note
	Act    VaultAct
	ID     engram.ID   // "" for a note without a memory
	Num    int64       // 0 likewise, and for a creation in a dry run
	Fields []string    // changed or conflicting ones
	Code   engram.Code // of a rejection or a conflict; else ""
	Reason string      // for a person; "" where the act says everything
	Aside  string      // where the text of the note is kept; "": where it was
}

// VaultImported is the outcome of an import.
type VaultImported struct {
	Project    string
	Items      []VaultItem // edits first, then new notes, then notes without effect; nothing of untouched notes
	Op         int64       // the last operation that undo takes back; 0: nothing was changed
	Ops        int         // number of operations
	First      int64       // the first operation named vault; 0: none
	Replicated int64       // the operation that imported notes of other stores; 0: none
	Unchanged  int         // edited notes that match their memories
}

// Count returns the number of items with an act.
func (v VaultImported) Count(act VaultAct) int {
	n := 0
	for _, i := range v.Items {
		if i.Act == act {
			n++
		}
	}
	return n
}

// ImportVault brings in what people changed in a vault since it was exported: an edited note becomes a revision of
// its memory, a new note a memory. It compares each field with the note as it was written. Where both sides changed a
// field, the memory keeps its text, and the note is put aside under another name. A note comes in whole or not at
// all; unreadable notes are reported. The next ExportVault rewrites the notes.
func (k *Keeper) ImportVault(ctx context.Context, v engram.Vault, in VaultImportInput) (res VaultImported, err error) {
	if res.Project, err = k.existingProject(ctx, in.Project); err != nil {
		return res, err
	}
	notes, err := v.Begin(ctx, engram.VaultMode{DryRun: in.DryRun})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, notes.End()) }()
	x := vaultImport{keeper: k, in: in, notes: notes, res: &res}
	err = x.run(ctx)
	for _, r := range notes.Remarks() {
		res.Items = append(res.Items, VaultItem{Path: r.Path, Act: VaultNoted, Reason: r.Reason})
	}
	return res, err
}

type vaultImport struct {
	keeper  *Keeper
	in      VaultImportInput
	notes   engram.VaultNotes
	res     *VaultImported
	edits   []engram.NoteEdit // of memories, not yet written
	fresh   freshNotes        // not yet saved
	deleted []deletedNote     // memories not yet forgotten
	// replicated are the memories from notes of other stores; nil for those that were reported already.
	replicated map[engram.ID]*engram.Memory
}

// mostEdits is how many edits are written in one transaction and operation: other writers wait for it.
const mostEdits = 100

// vaultOperation is the name of all operations of an import but the one for notes of other stores, so that they can
// be undone together, and without others' operations.
const vaultOperation = "vault"

func (x *vaultImport) run(ctx context.Context) error {
	if err := x.replicate(ctx); err != nil {
		return err
	}
	for e, err := range x.notes.Edits(ctx) {
		if err != nil {
			return errors.Join(err, x.create(ctx), x.forget(ctx))
		}
		if err := x.take(ctx, e); err != nil {
			return err
		}
	}
	return errors.Join(x.create(ctx), x.forget(ctx))
}

func (x *vaultImport) take(ctx context.Context, e engram.NoteEdit) error {
	if own, err := x.speaksOfMerges(ctx, e); err != nil {
		return err
	} else if own {
		e.Flaw, e.Line = nil, 0
	}
	switch {
	case e.Flaw != nil:
		act := VaultRejected
		if engram.CodeOf(e.Flaw) == engram.CodeConflict {
			act = VaultConflict
		}
		x.report(e, act, VaultItem{Line: e.Line, Code: engram.CodeOf(e.Flaw), Reason: flawText(e.Flaw)})
		return nil
	case e.Deleted:
		return x.takeDeletion(ctx, e)
	case e.ID == "":
		return x.takeNew(ctx, e)
	}
	if m, known := x.replicated[e.ID]; known {
		// The edit of another store's note stays open for that store.
		if m == nil || e.Base != nil {
			return nil
		}
		return x.notes.Settle(e, e.ID, digestOf(e, *m))
	}
	if x.edits = append(x.edits, e); len(x.edits) < mostEdits {
		return nil
	}
	return x.flush(ctx)
}

// speaksOfMerges reports whether merge markers in a note are the memory's own text.
func (x *vaultImport) speaksOfMerges(ctx context.Context, e engram.NoteEdit) (own bool, err error) {
	shows := func(text string) bool { return strings.Contains("\n"+text, "\n<<<<<<< ") }
	if engram.CodeOf(e.Flaw) != engram.CodeConflict || e.ID == "" || !shows(e.Fields.Content) {
		return false, nil
	}
	m, _, err := walk.IfThere(ledger.Read(ctx, x.keeper.ledger, func(r engram.Reader) (engram.Memory, error) { return r.Memory(ctx, engram.ByID(e.ID)) }))
	return shows(m.Content), err
}

// flawText returns an error with its hint.
func flawText(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		if e.Hint != "" {
			return e.Error() + ": " + e.Hint
		}
		return e.Error()
	}
	return err.Error()
}

func (x *vaultImport) report(e engram.NoteEdit, act VaultAct, item VaultItem) {
	item.Path, item.Act = e.Path, act
	if item.ID == "" {
		item.ID = e.ID
	}
	if item.Code == "" && act == VaultRejected {
		item.Code = engram.CodeInvalid
	} else if act == VaultConflict {
		item.Code = engram.CodeConflict
	}
	x.res.Items = append(x.res.Items, item)
}

func (x *vaultImport) flush(ctx context.Context) error {
	if len(x.edits) == 0 {
		return nil
	}
	edits := x.edits
	x.edits = nil
	var taken []takenEdit
	var first int64
	err := x.keeper.ledger.TryWrite(ctx, x.in.DryRun, vaultOperation, func(o *ledger.Tx) (err error) {
		taken = make([]takenEdit, len(edits))
		for i, e := range edits {
			if taken[i], err = takeEdit(ctx, o, e, x.res.Project); err != nil {
				return fmt.Errorf("note %s: %w", e.Path, err)
			}
		}
		first = o.First
		return nil
	})
	if err != nil {
		return err
	}
	x.wrote(first)
	for i, t := range taken {
		if err := x.resolve(edits[i], t); err != nil {
			return err
		}
	}
	return nil
}

func (x *vaultImport) wrote(op int64) {
	if op != 0 && !x.in.DryRun {
		x.res.First = cmp.Or(x.res.First, op)
		x.res.Op = op
		x.res.Ops++
	}
}

// resolve reports what became of an edit, and tells the vault.
func (x *vaultImport) resolve(e engram.NoteEdit, t takenEdit) (err error) {
	item := VaultItem{Num: t.memory.Num, Reason: strings.Join(t.noted, "; ")}
	switch {
	case t.passed:
		return nil
	case t.act != "":
		item.Reason = t.reason
		x.report(e, t.act, item)
		return nil
	case len(t.clash) > 0:
		item.Fields, item.Reason = t.clash, "memory and note were both changed; the memory stays as it is"
		if item.Aside, err = x.notes.SetAside(e); err != nil {
			return err
		}
		x.report(e, VaultConflict, item)
		if len(t.revised) > 0 {
			x.report(e, VaultRevised, VaultItem{Num: t.memory.Num, Fields: t.revised})
		}
		return nil
	}
	if err := x.notes.Settle(e, e.ID, t.base); err != nil {
		return err
	}
	switch {
	case len(t.revised) > 0:
		item.Fields = t.revised
		x.report(e, VaultRevised, item)
	case item.Reason != "":
		x.report(e, VaultNoted, item)
	default:
		x.res.Unchanged++
	}
	return nil
}

func (x *vaultImport) takeNew(ctx context.Context, e engram.NoteEdit) error {
	in := remember.SaveInput{Title: e.Fields.Title, Content: e.Fields.Content, Type: e.Fields.Type, Scope: e.Fields.Scope,
		Project: e.Project, TopicKey: e.Fields.TopicKey, Tags: e.Fields.Tags, Permanent: e.Fields.Permanent,
		Origin: engram.OriginImport}
	if !slices.Contains(e.Lacks, "importance") {
		in.Importance = &e.Fields.Importance
	}
	t, err := x.keeper.remember.IntakeOf(in)
	m := t.Draft
	if engram.CodeOf(err) == engram.CodeInvalid {
		x.report(e, VaultRejected, VaultItem{Reason: flawText(err)})
		return nil
	}
	if err != nil || x.res.Project != "" && m.Project != x.res.Project {
		return err
	}
	if x.fresh.near(m) { // the checks below depend on the earlier notes
		if err := x.create(ctx); err != nil {
			return err
		}
	}
	same, why, err := x.known(ctx, m)
	switch {
	case err != nil:
		return err
	case same.Num != 0 && !slices.Contains(x.notes.Known(), same.ID):
		x.res.Unchanged++ // from now on it is the note of that memory
		return x.notes.Settle(e, same.ID, digestOf(e, same))
	case same.Num != 0:
		why = fmt.Sprintf("memory #%d says this already", same.Num)
	}
	if why != "" {
		x.report(e, VaultRejected, VaultItem{Reason: why})
		return nil
	}
	if x.fresh = append(x.fresh, freshNote{e, t}); len(x.fresh) < mostEdits {
		return nil
	}
	return x.create(ctx)
}

type freshNote struct {
	engram.NoteEdit
	remember.Intake
}

type freshNotes []freshNote

// near reports whether one of them has the text or the topic of m.
func (f freshNotes) near(m engram.Memory) bool {
	return slices.ContainsFunc(f, func(n freshNote) bool {
		return n.Draft.NormalizedHash == m.NormalizedHash || m.TopicKey != "" && n.Draft.TopicKey == m.TopicKey
	})
}

// create saves the collected notes. It reports invalid ones, and saves the others without them.
func (x *vaultImport) create(ctx context.Context) error {
	if err := x.flush(ctx); err != nil { // edits are reported first
		return err
	}
	fresh := x.fresh
	x.fresh = nil
	for len(fresh) > 0 && !x.in.DryRun {
		intakes := walk.Mapped(fresh, func(n freshNote) remember.Intake { return n.Intake })
		all, err := x.keeper.remember.SaveAll(ctx, vaultOperation, intakes, true)
		if err == nil {
			return x.created(fresh, all)
		}
		wrong, ok := errors.AsType[*remember.BatchError](err)
		if !ok {
			return err
		}
		for _, item := range slices.Backward(wrong.Items) {
			if engram.CodeOf(item.Err) != engram.CodeInvalid {
				return item.Err
			}
			x.report(fresh[item.Index].NoteEdit, VaultRejected, VaultItem{Reason: flawText(item.Err)})
			fresh = slices.Delete(fresh, item.Index, item.Index+1)
		}
	}
	for _, n := range fresh {
		x.report(n.NoteEdit, VaultCreated, VaultItem{})
	}
	return nil
}

func (x *vaultImport) created(fresh freshNotes, all []remember.SaveResult) error {
	x.wrote(all[0].Op)
	for i, n := range fresh {
		m := all[i].Memory
		x.report(n.NoteEdit, VaultCreated, VaultItem{ID: m.ID, Num: m.Num})
		if err := x.notes.Settle(n.NoteEdit, m.ID, digestOf(n.NoteEdit, m)); err != nil {
			return err
		}
	}
	return nil
}

// digestOf returns the note's digest, with fields that the note omits taken from its memory.
func digestOf(e engram.NoteEdit, m engram.Memory) engram.NoteDigest {
	digest, now := e.Fields.Digest(), engram.NoteFieldsOf(m).Digest()
	for i, field := range engram.NoteFieldNames() {
		if slices.Contains(e.Lacks, field) {
			digest[i] = now[i]
		}
	}
	return digest
}

// known returns a memory with the same text, or why the new one is rejected: its topic is taken.
func (x *vaultImport) known(ctx context.Context, m engram.Memory) (same engram.Memory, why string, err error) {
	err = x.keeper.ledger.View(ctx, func(r engram.Reader) error {
		name := m.Project
		if p, known, err := r.Project(ctx, name); err != nil {
			return err
		} else if known {
			name = p.Name
		}
		same, _, err = engram.ByHash(ctx, r, name, m.NormalizedHash, time.Time{}, func(engram.Memory) bool { return true })
		if err != nil || same.Num != 0 || m.TopicKey == "" {
			return err
		}
		other, found, err := engram.ByTopic(ctx, r, name, m.Scope, m.TopicKey)
		if found {
			why = fmt.Sprintf("topic %s belongs to memory #%d: edit its note", m.TopicKey, other.Num)
		}
		return err
	})
	return same, why, err
}

// takeDeletion collects the memory of a deleted note to be forgotten, if that is wanted.
func (x *vaultImport) takeDeletion(ctx context.Context, e engram.NoteEdit) error {
	m, err := ledger.Read(ctx, x.keeper.ledger, func(r engram.Reader) (engram.Memory, error) { return r.Memory(ctx, engram.ByID(e.ID)) })
	switch {
	case engram.CodeOf(err) == engram.CodeNotFound:
		return nil // another store's
	case err != nil:
		return err
	case x.res.Project != "" && m.Project != x.res.Project:
		return nil
	case m.Forgotten():
		x.notes.Drop(e)
		return nil
	case !x.in.Forget:
		x.report(e, VaultMissing, VaultItem{Num: m.Num, Reason: "the note was deleted; the memory stays as it is"})
		return nil
	}
	if x.deleted = append(x.deleted, deletedNote{e, m.Num}); len(x.deleted) < mostEdits {
		return nil
	}
	return x.forget(ctx)
}

type deletedNote struct {
	engram.NoteEdit
	num int64
}

func (x *vaultImport) forget(ctx context.Context) error {
	deleted := x.deleted
	x.deleted = nil
	if len(deleted) == 0 {
		return nil
	}
	if !x.in.DryRun {
		refs := walk.Mapped(deleted, func(g deletedNote) engram.Ref { return engram.ByNum(g.num) })
		var first int64
		err := x.keeper.ledger.Write(ctx, vaultOperation, func(o *ledger.Tx) error {
			_, err := forget.ForgetAll(ctx, o, refs)
			first = o.First
			return err
		})
		if err != nil {
			return err
		}
		x.wrote(first)
	}
	for _, g := range deleted {
		x.notes.Drop(g.NoteEdit)
		x.report(g.NoteEdit, VaultForgot, VaultItem{Num: g.num, Reason: "the note was deleted"})
	}
	return nil
}
