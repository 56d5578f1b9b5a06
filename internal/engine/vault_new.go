package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// takeNew makes a memory of a note that somebody wrote.
func (x *vaultImport) takeNew(ctx context.Context, e engram.NoteEdit) error {
	in := SaveInput{Title: e.Fields.Title, Content: e.Fields.Content, Type: e.Fields.Type, Scope: e.Fields.Scope,
		Project: e.Project, TopicKey: e.Fields.TopicKey, Tags: e.Fields.Tags, Permanent: e.Fields.Permanent,
		Origin: engram.OriginImport}
	if !slices.Contains(e.Lacks, "importance") {
		in.Importance = &e.Fields.Importance
	}
	m, err := x.draft(in)
	if engram.CodeOf(err) == engram.CodeInvalid {
		x.tell(e, VaultRejected, VaultItem{Reason: flawText(err)})
		return nil
	}
	if err != nil || x.res.Project != "" && m.Project != x.res.Project {
		return err
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
	if x.in.DryRun {
		x.tell(e, VaultCreated, VaultItem{})
		return nil
	}
	saved, err := x.Save(ctx, in)
	if engram.CodeOf(err) == engram.CodeInvalid {
		x.tell(e, VaultRejected, VaultItem{Reason: flawText(err)})
		return nil
	}
	if err != nil {
		return err
	}
	x.tell(e, VaultCreated, VaultItem{ID: saved.Memory.ID, Num: saved.Memory.Num})
	return x.notes.Settle(e, saved.Memory.ID, saidBy(e, saved.Memory))
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
