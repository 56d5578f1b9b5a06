package engine

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// MigrateInput says how what another program keeps comes in.
type MigrateInput struct {
	// Project is what everything goes into, whatever the source says; "": where it was.
	Project string
	DryRun  bool // tells what would become of it, and changes nothing
	// Progress is told how many records were written, of how many; nil: nobody.
	Progress func(done, total int)
}

// Migrate brings in what another program keeps, as Import does with a file and
// ImportMerge: read to its end first, written in one transaction, known again when it comes
// a second time, and taken back by Undo. A file that was merely touched changes nothing. The
// source stays the caller's to close.
//
// Notes of what is returned have those of the source as well. Errors are those of the
// source and of Import.
func (e *Engine) Migrate(ctx context.Context, s engram.Source, in MigrateInput) (Imported, error) {
	head, records, err := s.Read(ctx)
	if err != nil {
		return Imported{}, err
	}
	// An engine that knows one format, which is the source: Import has no other way in.
	f := *e
	f.formats = map[string]engram.Format{NativeFormat: given{head, e.dated(ctx, records)}}
	res, err := f.Import(ctx, strings.NewReader(""), ImportInput{Project: in.Project, DryRun: in.DryRun, Progress: in.Progress})
	for _, n := range s.Notes() {
		res.Note(n)
	}
	return res, err
}

// given is a format whose file was read already.
type given struct {
	head    engram.Snapshot
	records iter.Seq2[engram.Record, error]
}

// Write implements engram.Format.
func (given) Write(io.Writer, engram.Snapshot, iter.Seq2[engram.Record, error]) error {
	return engram.Errorf(engram.CodeInvalid, "what other programs keep is not written")
}

// Fit implements engram.Format.
func (given) Fit(r engram.Record) (engram.Record, bool) { return r, false }

// Read implements engram.Format.
func (g given) Read(io.Reader) (engram.Snapshot, iter.Seq2[engram.Record, error], error) {
	return g.head, g.records, nil
}

// The fields of metadata in which the state of a source is kept that has no times of its own.
const (
	sourceDigest  = "source_digest"
	sourceCreated = "source_created_at"
	sourceUpdated = "source_updated_at"
)

// dated gives memories of which only the file's time is known the one under which they came
// in last, unless they say something else by now. A file has a new time whenever anything in
// it changes, or when it is copied; by that, all of it would be later than whatever was
// edited here since.
func (e *Engine) dated(ctx context.Context, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		undated := false // the source has no times of its own
		for r, err := range records {
			switch {
			case err != nil:
			case r.Memory != nil && r.Memory.Memory.Metadata[engram.SourceDated] != nil:
				undated = true
				err = e.date(ctx, &r.Memory.Memory)
			case r.Relation != nil && undated:
				err = e.dateRelation(ctx, &r.Relation.Relation)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// dateRelation gives a relation that is here the time of when it first came in, unless it
// has been left alone since and says something else by now.
func (e *Engine) dateRelation(ctx context.Context, x *engram.Relation) error {
	return e.store.View(ctx, func(r engram.Reader) error {
		here, err := r.Relation(ctx, engram.RelationRef{ID: x.ID})
		switch {
		case engram.CodeOf(err) == engram.CodeNotFound:
			return nil
		case err != nil:
			return err
		case here.Reason == line(x.Reason) || !here.UpdatedAt.Equal(here.CreatedAt):
			x.CreatedAt, x.UpdatedAt = here.CreatedAt, here.CreatedAt
		}
		return nil
	})
}

func (e *Engine) date(ctx context.Context, m *engram.Memory) error {
	m.CreatedAt, m.UpdatedAt = instant(m.CreatedAt), instant(m.UpdatedAt)
	saying := *m
	saying.CreatedAt, saying.UpdatedAt = time.Time{}, time.Time{}
	text, err := json.Marshal(saying)
	if err != nil {
		return nil // metadata that is no JSON: whoever takes it in says so
	}
	sum := digest(string(text))
	was, err := e.metadataOf(ctx, *m)
	if err != nil {
		return err
	}
	if was[sourceDigest] == sum {
		for _, t := range []struct {
			field string
			at    *time.Time
		}{{sourceCreated, &m.CreatedAt}, {sourceUpdated, &m.UpdatedAt}} {
			text, _ := was[t.field].(string)
			if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
				*t.at = at.UTC()
			}
		}
	}
	m.Metadata = maps.Clone(m.Metadata)
	m.Metadata[sourceDigest] = sum
	m.Metadata[sourceCreated], m.Metadata[sourceUpdated] = m.CreatedAt.Format(time.RFC3339Nano), m.UpdatedAt.Format(time.RFC3339Nano)
	return nil
}

// metadataOf is the metadata that a memory of a source has here; nil when it is not here.
func (e *Engine) metadataOf(ctx context.Context, m engram.Memory) (metadata map[string]any, err error) {
	_, sync := names(m)
	err = e.store.View(ctx, func(r engram.Reader) error {
		here, err := r.Memory(ctx, engram.Ref{SyncID: sync})
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil
		}
		metadata = here.Metadata
		return err
	})
	return metadata, err
}
