package ledger

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// KeepSecrets records the secrets that a person keeps in a memory.
func (o *Tx) KeepSecrets(ctx context.Context, num int64, w *screen.Redactor) error {
	if w == nil || len(w.Kept) == 0 || num == 0 {
		return nil
	}
	marks := make([]engram.Trust, len(w.Kept))
	for i, digest := range w.Kept {
		marks[i] = engram.Trust{Memory: num, Mark: engram.TrustSecret, Text: digest, At: o.At}
	}
	return o.Store.PutTrust(ctx, marks...)
}

// InheritSecrets copies the marks of kept secrets to the memory into which another was merged.
func (o *Tx) InheritSecrets(ctx context.Context, kept, gone engram.Memory) error {
	marks, err := o.Store.Trust(ctx, []int64{gone.Num})
	if err != nil {
		return err
	}
	for _, m := range marks[gone.Num] {
		if m.Mark == engram.TrustSecret {
			m.Memory = kept.Num
			if err := o.Store.PutTrust(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// JudgeText flags a memory if its new text is instruction-like, so that reviews need not search all memories,
// or removes the flag. was is nil for a new memory.
func (o *Tx) JudgeText(ctx context.Context, was *engram.Memory, now engram.Memory) error {
	if was != nil && was.Origin == now.Origin && slices.Equal(screen.ShownTexts(*was), screen.ShownTexts(now)) {
		return nil
	}
	found := o.suspicionsOf(now)
	if was != nil && len(found) > 0 {
		approved, err := screen.ApprovedOf(ctx, o.Store, []engram.Memory{now})
		if err != nil {
			return err
		}
		found = approved.Suspicions(now)
	}
	if len(found) > 0 {
		o.Pending[now.Num] = true
		return o.Store.PutTrust(ctx, engram.Trust{Memory: now.Num, Mark: engram.TrustFlagged, Reasons: screen.CodesOf(found), At: o.At})
	}
	if was == nil {
		return nil
	}
	delete(o.Pending, now.Num)
	return o.Store.DropTrust(ctx, now.Num, engram.TrustFlagged)
}

// suspicionsOf returns the suspicions computed before the operation, or computes them.
func (o *Tx) suspicionsOf(m engram.Memory) []screen.Suspicious {
	if o.Judged != nil {
		if found, known := o.Judged[screen.JudgedBy(m)]; known {
			return found
		}
	}
	return screen.SuspicionsOf(m)
}

// WarnChanged is warnPending for a changed memory; nil if the change did not flag it.
func (o *Tx) WarnChanged(ctx context.Context, m engram.Memory) ([]string, error) {
	if !o.Pending[m.Num] {
		return nil, nil
	}
	why, err := screen.Flagged(ctx, o.Store, []engram.Memory{m})
	if err != nil {
		return nil, err
	}
	return []string{screen.PendingWarning(m.Num, why[m.Num])}, nil
}
