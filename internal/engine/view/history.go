package view

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Versions returns the history of a memory whose current text was written at writtenAt.
func Versions(m engram.Memory, revisions []engram.Revision, writtenAt time.Time) engram.History {
	h := engram.NewHistory(m, revisions)
	h.Versions[len(h.Versions)-1].WrittenAt = writtenAt
	return h
}

// HistoryOf returns all versions of a memory, live or forgotten.
func HistoryOf(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.History, error) {
	m, err := r.Memory(ctx, screen.NormalRef(ref))
	if err != nil {
		return engram.History{}, err
	}
	revisions, writtenAt, err := DatedRevisions(ctx, r, m)
	if err != nil {
		return engram.History{}, err
	}
	return Versions(m, revisions, writtenAt), nil
}

// DatedRevisions returns the older texts of a memory and when its current text was written.
func DatedRevisions(ctx context.Context, r engram.Reader, m engram.Memory) ([]engram.Revision, time.Time, error) {
	revisions, err := r.Revisions(ctx, m.Num)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := textWrite(ctx, r, m)
	return revisions, ledger.Date(m, revisions, now), err
}

// textWrite returns the version stamp of a memory's text.
func textWrite(ctx context.Context, r engram.Reader, m engram.Memory) (engram.VersionStamp, error) {
	if p, past := r.(*PastReader); past {
		if s, known, err := p.textWrite(ctx, m.Num); known || err != nil {
			return s, err
		}
	}
	l, err := ledger.MemoryMetadata(ctx, r, m)
	return l.Of(engram.PartText), err
}
