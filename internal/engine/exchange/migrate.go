package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// MigrateInput says how another program's memories come in.
type MigrateInput struct {
	// Project is the project that everything goes into; "": its own.
	Project string
	DryRun  bool // report the outcome, and change nothing
	// Own says that the source was this person's earlier program, and that this store was empty: memories and prompts
	// keep their numbers, and memories by agents keep that origin.
	Own bool
	// Progress is called with the number of records written, and of all; nil: not called.
	Progress func(done, total int)
}

// Migrate brings in another program's memories as Import does with a file and ImportMerge. A file that was only
// touched changes nothing. The caller closes the source.
//
// Notes include those of the source. Errors are those of the source and of Import.
func (p *Porter) Migrate(ctx context.Context, s engram.Source, in MigrateInput) (Imported, error) {
	head, records, err := s.Read(ctx)
	if err != nil {
		return Imported{}, err
	}
	var flags []engram.ImportNote
	res, err := p.ImportRecords(ctx, head, p.flagging(ctx, p.dated(ctx, records), &flags),
		ImportInput{Mode: ImportMerge, Project: in.Project, DryRun: in.DryRun, Progress: in.Progress, own: in.Own})
	if in.Own && len(flags) > 0 {
		// All of it was reported here before: one line leaves room for notes about broken items.
		many := fmt.Sprint(len(flags))
		if len(flags) == engram.MostImportNotes {
			many += " or more"
		}
		flags = []engram.ImportNote{{Item: "memories that read like an instruction to an agent", Reason: fmt.Sprintf("%s, the first is %s: they are imported because the store is your own; forget those that are not yours", many, flags[0].Item)}}
	}
	for _, n := range append(flags, s.Notes()...) {
		res.Note(n)
	}
	return res, err
}

// flagging notes memories that look like instructions to an agent. They come in: the store is the person's own, and
// may hold rules for agents. What is here already, word for word, was reported when it came.
func (p *Porter) flagging(ctx context.Context, records iter.Seq2[engram.Record, error], flags *[]engram.ImportNote) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for r, err := range records {
			if err == nil && r.Memory != nil && r.Memory.Memory.DeletedAt.IsZero() && len(*flags) < engram.MostImportNotes {
				if why := FlagReason(r.Memory.Memory); why != "" {
					var here engram.Memory
					if here, err = p.hereOf(ctx, r.Memory.Memory); err == nil && here.Content != r.Memory.Memory.Content {
						*flags = append(*flags, engram.ImportNote{Item: r.Item, Name: r.Memory.Memory.Title, Reason: why})
					}
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Metadata fields for the state of a source that has no times of its own.
const (
	sourceDigest  = "source_digest"
	sourceCreated = "source_created_at"
	sourceUpdated = "source_updated_at"
)

// dated gives memories that only have the time of their file the times under which they came in last, unless they
// changed. A file gets a new time with any change or copy, by which all of it would be later than local edits.
func (p *Porter) dated(ctx context.Context, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		undated := false // the source has no times of its own
		for r, err := range records {
			switch {
			case err != nil:
			case r.Memory != nil && r.Memory.Memory.Metadata[engram.SourceDated] != nil:
				undated = true
				err = p.date(ctx, &r.Memory.Memory)
			case r.Relation != nil && undated:
				err = p.dateRelation(ctx, &r.Relation.Relation)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// dateRelation gives a relation that is here the time when it first came in, unless its reason differs and it was not
// edited here.
func (p *Porter) dateRelation(ctx context.Context, x *engram.Relation) error {
	here, found, err := walk.IfThere(ledger.Read(ctx, p.ledger, func(r engram.Reader) (engram.Relation, error) {
		return r.Relation(ctx, engram.RelationRef{ID: x.ID})
	}))
	if found && (here.Reason == screen.Line(x.Reason) || !here.UpdatedAt.Equal(here.CreatedAt)) {
		x.CreatedAt, x.UpdatedAt = here.CreatedAt, here.CreatedAt
	}
	return err
}

func (p *Porter) date(ctx context.Context, m *engram.Memory) error {
	m.CreatedAt, m.UpdatedAt = ledger.Instant(m.CreatedAt), ledger.Instant(m.UpdatedAt)
	saying := *m
	saying.CreatedAt, saying.UpdatedAt = time.Time{}, time.Time{}
	text, err := json.Marshal(saying)
	if err != nil {
		return nil // metadata that is not JSON: the import reports it
	}
	sum := ledger.Digest(string(text))
	here, err := p.hereOf(ctx, *m)
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

// hereOf returns the memory of a source as it is here; the zero Memory when it is not.
func (p *Porter) hereOf(ctx context.Context, m engram.Memory) (here engram.Memory, err error) {
	_, sync := names(m)
	here, _, err = walk.IfThere(ledger.Read(ctx, p.ledger, func(r engram.Reader) (engram.Memory, error) {
		return r.Memory(ctx, engram.Ref{SyncID: sync})
	}))
	return here, err
}

// FlagReason returns why a memory looks like an instruction to an agent; "" if it does not.
func FlagReason(m engram.Memory) string {
	if found := screen.SuspicionsIn(screen.ShownTexts(m)); len(found) > 0 {
		return "imported although it reads like an instruction to an agent: " + screen.WhyAndWhere(found[0].Reasons[0])
	}
	return ""
}
