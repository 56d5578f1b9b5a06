package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// takeNew makes a memory of a note that somebody wrote, as soon as a hundred were gathered.
func (x *vaultImport) takeNew(ctx context.Context, e engram.NoteEdit) error {
	in := SaveInput{Title: e.Fields.Title, Content: e.Fields.Content, Type: e.Fields.Type, Scope: e.Fields.Scope,
		Project: e.Project, TopicKey: e.Fields.TopicKey, Tags: e.Fields.Tags, Permanent: e.Fields.Permanent,
		Origin: engram.OriginImport}
	if !slices.Contains(e.Lacks, "importance") {
		in.Importance = &e.Fields.Importance
	}
	t, err := x.intakeOf(in)
	m := t.draft
	if engram.CodeOf(err) == engram.CodeInvalid {
		x.tell(e, VaultRejected, VaultItem{Reason: flawText(err)})
		return nil
	}
	if err != nil || x.res.Project != "" && m.Project != x.res.Project {
		return err
	}
	if x.fresh.near(m) { // what is known of it depends on that
		if err := x.create(ctx); err != nil {
			return err
		}
	}
	same, why, err := x.known(ctx, m)
	switch {
	case err != nil:
		return err
	case same.Num != 0 && !slices.Contains(x.notes.Known(), same.ID):
		x.res.Unchanged++ // it is the note of that memory from now on
		return x.notes.Settle(e, same.ID, saidBy(e, same))
	case same.Num != 0:
		why = fmt.Sprintf("memory #%d says this already", same.Num)
	}
	if why != "" {
		x.tell(e, VaultRejected, VaultItem{Reason: why})
		return nil
	}
	if x.fresh = append(x.fresh, freshNote{e, t}); len(x.fresh) < mostEdits {
		return nil
	}
	return x.create(ctx)
}

// freshNote is a note that is to become a memory.
type freshNote struct {
	engram.NoteEdit
	intake
}

// freshNotes are those that are saved in one operation.
type freshNotes []freshNote

// near reports whether one of them says what m says, or has its topic.
func (f freshNotes) near(m engram.Memory) bool {
	return slices.ContainsFunc(f, func(n freshNote) bool {
		return n.draft.NormalizedHash == m.NormalizedHash || m.TopicKey != "" && n.draft.TopicKey == m.TopicKey
	})
}

// create saves the notes that were gathered. Those that turn out to be no memory are told, and
// the others are saved without them.
func (x *vaultImport) create(ctx context.Context) error {
	if err := x.flush(ctx); err != nil { // edits are told first
		return err
	}
	fresh := x.fresh
	x.fresh = nil
	for len(fresh) > 0 && !x.in.DryRun {
		intakes := make([]intake, len(fresh))
		for i, n := range fresh {
			intakes[i] = n.intake
		}
		all, err := x.saveAll(ctx, vaultVerb, intakes, true)
		if err == nil {
			return x.created(fresh, all)
		}
		wrong, ok := errors.AsType[*BatchError](err)
		if !ok {
			return err
		}
		for _, item := range slices.Backward(wrong.Items) {
			if engram.CodeOf(item.Err) != engram.CodeInvalid {
				return item.Err
			}
			x.tell(fresh[item.Index].NoteEdit, VaultRejected, VaultItem{Reason: flawText(item.Err)})
			fresh = slices.Delete(fresh, item.Index, item.Index+1)
		}
	}
	for _, n := range fresh {
		x.tell(n.NoteEdit, VaultCreated, VaultItem{})
	}
	return nil
}

// created tells what notes became, and the vault with it.
func (x *vaultImport) created(fresh freshNotes, all []SaveResult) error {
	x.wrote(all[0].Op)
	for i, n := range fresh {
		m := all[i].Memory
		x.tell(n.NoteEdit, VaultCreated, VaultItem{ID: m.ID, Num: m.Num})
		if err := x.notes.Settle(n.NoteEdit, m.ID, saidBy(n.NoteEdit, m)); err != nil {
			return err
		}
	}
	return nil
}

// saidBy is what a note says, and where it tells nothing what its memory says.
func saidBy(e engram.NoteEdit, m engram.Memory) engram.NoteDigest {
	said, now := e.Fields.Digest(), engram.NoteFieldsOf(m).Digest()
	for i, field := range engram.NoteFieldNames() {
		if slices.Contains(e.Lacks, field) {
			said[i] = now[i]
		}
	}
	return said
}

// known is a memory that says what a new one says, if there is one, else why the new one
// cannot be: its topic is taken.
func (x *vaultImport) known(ctx context.Context, m engram.Memory) (same engram.Memory, why string, err error) {
	err = x.store.View(ctx, func(r engram.Reader) error {
		name := m.Project
		if p, known, err := r.Project(ctx, name); err != nil {
			return err
		} else if known {
			name = p.Name
		}
		same, _, err = r.ByHash(ctx, name, m.NormalizedHash, time.Time{}, func(engram.Memory) bool { return true })
		if err != nil || same.Num != 0 || m.TopicKey == "" {
			return err
		}
		other, found, err := r.ByTopic(ctx, name, m.Scope, m.TopicKey)
		if found {
			why = fmt.Sprintf("the topic %s is that of memory #%d: edit its note", m.TopicKey, other.Num)
		}
		return err
	})
	return same, why, err
}
