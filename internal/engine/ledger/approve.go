package ledger

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// ApprovalField is the name under which a journal entry records an approval. It is not a field of the memory:
// undo takes back only the approval.
const ApprovalField = "approved"

// Approve approves every flagged text of a memory.
func (o *Tx) Approve(ctx context.Context, m engram.Memory) error {
	return o.ApproveThat(ctx, m, func(screen.Suspicious) bool { return true })
}

// ApproveThat approves the flagged texts for which read returns true.
func (o *Tx) ApproveThat(ctx context.Context, m engram.Memory, read func(screen.Suspicious) bool) error {
	known, err := screen.ApprovedOf(ctx, o.Store, []engram.Memory{m})
	if err != nil {
		return err
	}
	all := known.Suspicions(m)
	open := slices.DeleteFunc(slices.Clone(all), func(s screen.Suspicious) bool { return !read(s) })
	if len(open) > 0 {
		marks := make([]engram.Trust, len(open))
		for i, s := range open {
			marks[i] = engram.Trust{Memory: m.Num, Mark: engram.TrustApproved, Text: s.Digest, At: o.At}
		}
		if err := o.Store.PutTrust(ctx, marks...); err != nil {
			return err
		}
		if err := o.Log(ctx, engram.EntityMemory, Key(m.Num), m.Project, "a person read it", map[string]any{ApprovalField: false}); err != nil {
			return err
		}
	}
	if len(open) < len(all) {
		return nil
	}
	return o.Store.DropTrust(ctx, m.Num, engram.TrustFlagged)
}

// Unapprove takes back the approval of a memory and flags it again if needed.
func (o *Tx) Unapprove(ctx context.Context, m engram.Memory) error {
	if err := o.Store.DropTrust(ctx, m.Num, engram.TrustApproved); err != nil {
		return err
	}
	found := screen.SuspicionsOf(m)
	if len(found) == 0 {
		return nil
	}
	if err := o.Store.PutTrust(ctx, engram.Trust{Memory: m.Num, Mark: engram.TrustFlagged, Reasons: screen.CodesOf(found), At: o.At}); err != nil {
		return err
	}
	return o.Log(ctx, engram.EntityMemory, Key(m.Num), m.Project, "the approval was taken back", map[string]any{ApprovalField: true})
}

// PendingField is the journal field that holds why a record was pending.
const PendingField = "waited"

// DecidedWas is the journal entry of a decision on a record. It has no text: that stands in the memory and is
// erased with it, or in the record.
type DecidedWas struct {
	Pending engram.Deferral `json:"waited"`
	LastAt  time.Time       `json:"last_at"`
	Memory  int64           `json:"memory"` // that it became; 0: refused
}

func (w DecidedWas) fields() map[string]any {
	return map[string]any{PendingField: w.Pending, "last_at": w.LastAt, "memory": w.Memory}
}

// PutPending writes d over was.
func (o *Tx) PutPending(ctx context.Context, d engram.Deferred, was DecidedWas, reason string) error {
	p, _, err := o.Store.Project(ctx, d.Project) // "" if the project does not exist here yet
	if err != nil {
		return err
	}
	if err := o.Store.ReplicaTx().PutDeferred(ctx, &d); err != nil {
		return err
	}
	return o.Log(ctx, engram.EntityPending, engram.PendingName(d.Num), p.Name, reason, was.fields())
}

// WithoutText removes the text of an accepted record, so that erasing its memory erases all of it.
func WithoutText(d engram.Deferred) engram.Deferred {
	r := *d.Record.Memory
	r.Memory.Title, r.Memory.Content, r.Memory.NormalizedHash, r.Memory.Tags = "", "", "", nil
	d.Record.Memory = &r
	return d
}

// WithText restores a record's text from its memory.
func WithText(d engram.Deferred, m engram.Memory) engram.Deferred {
	r := *d.Record.Memory
	r.Memory.Title, r.Memory.Content, r.Memory.NormalizedHash, r.Memory.Tags, r.Memory.Type = m.Title, m.Content, m.NormalizedHash, m.Tags, m.Type
	d.Record.Memory = &r
	return d
}
