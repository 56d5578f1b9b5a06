package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// approvalField is the name under which an entry notes that a text was approved. It is no
// field of the memory: an undo takes the approval back, and nothing else is changed by it.
const approvalField = "approved"

// Approve lets a live memory be told unasked, as it is now: somebody read it. Another text of
// it is not approved by that. A memory that is due for review, or whose code changed, counts as
// reviewed (Reviewed), for whoever read it has checked it. Approving twice is fine, and so is what
// needs no approval.
//
// To approve is a person's to do: no tool offers it. The command line and HTTP do, which are the
// person's faces: whoever can run programs there can write to the database as well, and http_token
// keeps out whoever cannot read the person's settings.
func (e *Engine) Approve(ctx context.Context, ref engram.Ref) (ReviewResult, error) {
	return e.approveIf(ctx, ref, func(engram.Reader, engram.Memory) error { return nil })
}

// approveIf is Approve of a memory to which fits, in the same transaction, has nothing to object.
func (e *Engine) approveIf(ctx context.Context, ref engram.Ref, fits func(engram.Reader, engram.Memory) error) (ReviewResult, error) {
	var res ReviewResult
	anew := e.anchorAnew(ctx, ref)
	err := e.write(ctx, "approve", func(o *op) error {
		m, err := o.live(ctx, ref)
		if err != nil {
			return err
		}
		if err := fits(o.tx, m); err != nil {
			return err
		}
		if err := o.approve(ctx, m); err != nil {
			return err
		}
		return o.noteReviewed(ctx, m, anew, &res)
	})
	if err != nil {
		return ReviewResult{}, err
	}
	return res, nil
}

// approve marks what of a memory reads like an order.
func (o *op) approve(ctx context.Context, m engram.Memory) error {
	return o.approveThat(ctx, m, func(suspicious) bool { return true })
}

// approveThat is approve of those texts that somebody has read.
func (o *op) approveThat(ctx context.Context, m engram.Memory, read func(suspicious) bool) error {
	known, err := approvedOf(ctx, o.tx, []engram.Memory{m})
	if err != nil {
		return err
	}
	all := known.suspicions(m)
	open := slices.DeleteFunc(slices.Clone(all), func(s suspicious) bool { return !read(s) })
	if len(open) > 0 {
		marks := make([]engram.Trust, len(open))
		for i, s := range open {
			marks[i] = engram.Trust{Memory: m.Num, Mark: engram.TrustApproved, Text: s.digest, At: o.at}
		}
		if err := o.tx.PutTrust(ctx, marks...); err != nil {
			return err
		}
		if err := o.log(ctx, engram.EntityMemory, key(m.Num), m.Project, "somebody read it", map[string]any{approvalField: false}); err != nil {
			return err
		}
	}
	if len(open) < len(all) {
		return nil
	}
	return o.tx.DropTrust(ctx, m.Num, engram.TrustSuspect)
}

// noteReviewed begins the time until the next review of a memory that is due anew, and anchors one
// to the code of now that waits because that changed.
func (o *op) noteReviewed(ctx context.Context, m engram.Memory, anew anchoredAhead, res *ReviewResult) error {
	seen, err := o.tx.SeenAnchors(ctx, []int64{m.Num})
	if err != nil {
		return err
	}
	due := !m.ReviewAfter.IsZero() && !m.ReviewAfter.After(o.at)
	if res.Memory, res.Op = m, o.first; !due && !seen[m.Num].Stale() {
		return nil
	}
	return o.reviewAs(ctx, m, anew, "reviewed", func(m engram.Memory, now time.Time) (time.Time, error) {
		if !due {
			return m.ReviewAfter, nil
		}
		return lifecycle.ReviewAfter(m, now, o.policy), nil
	}, res)
}

// Refuse forgets a memory that somebody has read and does not want: it is hidden, and Undo
// brings it back.
func (e *Engine) Refuse(ctx context.Context, ref engram.Ref) (ReviewResult, error) {
	var res ReviewResult
	err := e.write(ctx, "refuse", func(o *op) (err error) {
		if res.Memory, err = o.live(ctx, ref); err != nil {
			return err
		}
		err = o.forget(ctx, &res.Memory, "refused by whoever reviewed it")
		res.Op = o.first
		return err
	})
	if err != nil {
		return ReviewResult{}, err
	}
	return res, nil
}

// unapprove takes the approval of a memory back: it is suspect again as far as it reads like an
// order.
func (o *op) unapprove(ctx context.Context, m engram.Memory) error {
	if err := o.tx.DropTrust(ctx, m.Num, engram.TrustApproved); err != nil {
		return err
	}
	found := suspicionsOf(m)
	if len(found) == 0 {
		return nil
	}
	if err := o.tx.PutTrust(ctx, engram.Trust{Memory: m.Num, Mark: engram.TrustSuspect, Reasons: codesOf(found), At: o.at}); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityMemory, key(m.Num), m.Project, "the approval was taken back", map[string]any{approvalField: true})
}

// takeApproval makes a memory approved, or not, as it was before an entry.
func (u *undoing) takeApproval(ctx context.Context, entry engram.Mutation, m engram.Memory, before bool) error {
	if before {
		u.changed(entry, "approved: %s", m.Title)
		return u.approve(ctx, m)
	}
	u.changed(entry, "not approved any more: %s", m.Title)
	return u.unapprove(ctx, m)
}
