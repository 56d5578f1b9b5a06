package engine

import (
	"context"
	"encoding/json"
	"fmt"
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
	// Own says that it is what this person's earlier program kept, and that this store was empty:
	// memories and prompts keep their numbers, and agents' memories are trusted as such.
	Own bool
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
	var told []engram.ImportNote
	f.options.Formats = map[string]engram.Format{NativeFormat: given{head, e.flagging(ctx, e.dated(ctx, records), &told)}}
	res, err := f.Import(ctx, strings.NewReader(""), ImportInput{Project: in.Project, DryRun: in.DryRun, Progress: in.Progress, own: in.Own})
	if in.Own && len(told) > 0 {
		// All of it was told here before: one line is enough, and leaves those about what is broken to be seen.
		many := fmt.Sprint(len(told))
		if len(told) == engram.MostImportNotes {
			many += " or more"
		}
		told = []engram.ImportNote{{Item: "memories that read like an instruction to an agent", Reason: fmt.Sprintf("%s, of which the first is %s: they come in, as the store is your own; forget what is not yours", many, told[0].Item)}}
	}
	for _, n := range append(told, s.Notes()...) {
		res.Note(n)
	}
	return res, err
}

// flagging tells memories that read like an instruction to an agent. They come in all the
// same: the store is the person's own, and rules for agents are what some of them hold. What
// is here already, word for word, was told when it came.
func (e *Engine) flagging(ctx context.Context, records iter.Seq2[engram.Record, error], told *[]engram.ImportNote) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for r, err := range records {
			if err == nil && r.Memory != nil && r.Memory.Memory.DeletedAt.IsZero() && len(*told) < engram.MostImportNotes {
				if why := suspect(r.Memory.Memory); why != "" {
					var here engram.Memory
					if here, err = e.hereOf(ctx, r.Memory.Memory); err == nil && here.Content != r.Memory.Memory.Content {
						*told = append(*told, engram.ImportNote{Item: r.Item, Name: r.Memory.Memory.Title, Reason: why})
					}
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
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
	here, err := e.hereOf(ctx, *m)
	if err != nil {
		return err
	}
	was := here.Metadata
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

// hereOf is the memory of a source as it is here; the zero Memory when it is not here.
func (e *Engine) hereOf(ctx context.Context, m engram.Memory) (here engram.Memory, err error) {
	_, sync := names(m)
	err = e.store.View(ctx, func(r engram.Reader) (err error) {
		if here, err = r.Memory(ctx, engram.Ref{SyncID: sync}); engram.CodeOf(err) == engram.CodeNotFound {
			return nil
		}
		return err
	})
	return here, err
}
