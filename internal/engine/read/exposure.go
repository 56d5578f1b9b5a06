package read

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// SearchIn is Search in a session, and records the hits as shown there. Degraded reports an unknown session; ""
// for no session.
func (d *Reader) SearchIn(ctx context.Context, session string, in search.SearchInput) (engram.Found, error) {
	found, err := d.search.SearchFrom(ctx, d.anchors.FolderAsked(ctx, session), in)
	if err != nil || session == "" {
		return found, err
	}
	s := exposure.ShownBy(exposure.OpSearch, found, exposure.PreviewTokens)
	degraded, err := d.exposure.RecordIn(ctx, session, s)
	found.Degraded = append(found.Degraded, degraded...)
	return found, err
}

// SearchWhole is SearchIn for clients that receive whole memories: each hit counts as read, as in Recall. The
// returned hits have the state before.
func (d *Reader) SearchWhole(ctx context.Context, session string, in search.SearchInput) (engram.Found, error) {
	begun := d.exposure.Tally.Begin()
	found, err := d.search.Find(ctx, d.anchors.FolderAsked(ctx, session), in)
	s := exposure.ShownBy(exposure.OpRecall, found, exposure.WholeTokens)
	d.exposure.Tally.Read(begun, in.Filter.Project, s, err)
	if err != nil {
		return found, err
	}
	degraded, err := d.exposure.RecordIn(ctx, session, s)
	found.Degraded = append(found.Degraded, degraded...)
	return found, err
}

// GetIn is Get by a reader: it counts as read, and is recorded as shown in the session, if it exists; "" is
// none.
func (d *Reader) GetIn(ctx context.Context, session string, ref engram.Ref) (Detail, error) {
	detail, err := d.getFrom(ctx, d.anchors.FolderAsked(ctx, session), ref, time.Time{})
	if err != nil {
		return detail, err
	}
	_, err = d.exposure.RecordIn(ctx, session, exposure.Exposure{Operation: exposure.OpGet, Items: []exposure.Item{{Memory: detail.Memory, Tokens: exposure.WholeTokens(detail.Memory)}}})
	return detail, err
}

// Account lists what a session was shown.
type Account struct {
	Session   engram.Session
	Exposures []Shown // oldest first
	Tokens    int     // total
}

// Shown is an exposure with its memory.
type Shown struct {
	engram.Exposure
	// Title and Type are current; "" if nothing was found or it was erased.
	Title string
	Type  engram.Type
	// Deleted reports that the memory was forgotten or erased since. An erased one has lost its number and
	// question too.
	Deleted bool
}

// Why lists what was shown in a session: when, by which operation, for which question, at what cost; as far as
// it is kept. An unknown session is not_found.
func (d *Reader) Why(ctx context.Context, session string) (Account, error) {
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (a Account, err error) {
		if a.Session, err = r.Session(ctx, screen.Line(session)); err != nil {
			return a, err
		}
		exposures, err := ExposuresOf(ctx, r, a.Session.ID)
		if err != nil {
			return a, err
		}
		a.Exposures, err = withMemories(ctx, r, exposures)
		for _, u := range a.Exposures {
			a.Tokens += u.Tokens
		}
		return a, err
	})
}

// Shownness sums up what a session was shown, as far as it is kept.
type Shownness struct {
	Times  int // exposures
	Tokens int // total
	Last   time.Time
	Query  string // the latest question; "" without any
}

// ShownTo sums up what sessions were shown; sessions that were shown nothing, and unknown ones, are left out.
func (d *Reader) ShownTo(ctx context.Context, sessions []string) (map[string]Shownness, error) {
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (map[string]Shownness, error) {
		all := map[string]Shownness{}
		for _, id := range sessions {
			exposures, err := ExposuresOf(ctx, r, id)
			if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
				return nil, err
			}
			for _, e := range exposures {
				all[id] = Shownness{all[id].Times + 1, all[id].Tokens + e.Tokens, e.At, cmp.Or(e.Query, all[id].Query)}
			}
		}
		return all, nil
	})
}

// ExposuresOf returns all exposures of a session, oldest first.
func ExposuresOf(ctx context.Context, r engram.Reader, session string) (all []engram.Exposure, err error) {
	const page = 1000
	for {
		us, err := r.Exposures(ctx, session, engram.Page{Limit: page, Offset: len(all)})
		all = append(all, us...)
		if err != nil || len(us) < page {
			return all, err
		}
	}
}

func withMemories(ctx context.Context, r engram.Reader, exposures []engram.Exposure) ([]Shown, error) {
	nums := walk.Mapped(exposures, func(u engram.Exposure) int64 { return u.Memory })
	slices.Sort(nums)
	ms, err := r.Memories(ctx, slices.Compact(nums))
	if err != nil {
		return nil, err
	}
	known := screen.ByNum(ms)
	return walk.Mapped(exposures, func(u engram.Exposure) Shown {
		m := known[u.Memory]
		// An exposure with a cost showed something: without a memory, it was erased.
		return Shown{Exposure: u, Title: m.Title, Type: m.Type, Deleted: m.Forgotten() || m.Num == 0 && u.Tokens > 0}
	}), nil
}
