package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// Importing is one import in its transaction.
type Importing struct {
	Porter *Porter
	Tx     *ledger.Tx
	In     ImportInput
	Res    *Imported

	projectNames map[string]string // canonical project names by the names in the file
	forgets      map[string]int    // memories that are not in the file, by project
	others       []string          // projects of the file that were skipped
	passed       map[string]bool   // names of skipped memories
	has          map[string]bool   // projects, by either name, of which the file has memories
	Border       string            // the one project that may change; "": every one
	sessionHomes map[string]string // projects of sessions, as far as looked up
	erased       ledger.Tombstones
	renamed      map[string]engram.ID // memories that have another name here, by their name in the records
	undos        map[int64]bool       // undos of imports, and undone imports
	topics       map[int64]heldTopic  // shadowed topics of memories that came in, by number
	heldTopic    *heldTopic           // of the current memory
	Absent       map[string]bool      // names of current records' memories that are not here
	over         []int64              // new or changed relations that supersede
	newest       engram.Clock         // of everything that came in
	Reason       string               // of journal entries
	Batch        string               // the remote's id for the batch of the records; "": they are from a file
	// later defers a record that cannot come in yet; nil: it is rejected.
	Later     func(ctx context.Context, r engram.Record, why engram.Deferral, reason string) error
	regrouped []string            // sessions whose project changed
	copies    int                 // memories that came in as copies
	Skipped   bool                // something was skipped because it is of another project
	wrong     []engram.ImportNote // rejected items whose things may be here
	relations []Incoming          // collected, to look their memories up together
	seen      seen
}

// seen has the numbers of the things in the file, for ImportReplace.
type seen struct{ memories, prompts, relations numbers }

// numbers is a set of numbers from a dense range.
type numbers []uint64

func (m *numbers) add(num int64) {
	for int64(len(*m)) <= num/64 {
		*m = append(*m, 0)
	}
	(*m)[num/64] |= 1 << (num % 64)
}

func (m numbers) has(num int64) bool {
	return num/64 < int64(len(m)) && m[num/64]&(1<<(num%64)) != 0
}

// NewImporting returns the import of records within an operation, which counts into res.
func NewImporting(e *Porter, o *ledger.Tx, in ImportInput, res *Imported) *Importing {
	return &Importing{Porter: e, Tx: o, In: in, Res: res, projectNames: map[string]string{}, has: map[string]bool{}, sessionHomes: map[string]string{},
		forgets: map[string]int{}, passed: map[string]bool{},
		undos: map[int64]bool{}, topics: map[int64]heldTopic{}, Absent: map[string]bool{}, renamed: map[string]engram.ID{}, Reason: "import"}
}

// Refused is why an item does not come in. Any other error ends the import.
type Refused struct {
	Reason string
	// harmless says that no thing here can be the item's: ImportReplace can do without it.
	harmless bool
}

// Error implements error.
func (r *Refused) Error() string { return r.Reason }

// leftAlone is why something stays as it is: it belongs to another project than the import may change.
type leftAlone struct{ project string }

// Error implements error.
func (l *leftAlone) Error() string {
	if l.project == "" {
		return "it is in another project here, which stays unchanged"
	}
	return fmt.Sprintf("it is in project %q here, which stays unchanged", l.project)
}

func (i *Importing) run(ctx context.Context, w *spooledRecords) error {
	if err := i.Begin(ctx); err != nil {
		return err
	}
	done := 0
	err := w.each(ctx, i.computeNew, func(b spooledBatch) error {
		i.Tx.Embedded, i.Tx.Judged = b.computed.vectors, b.computed.flags
		for _, r := range b.records {
			if err := i.Take(ctx, r); err != nil {
				return err
			}
			if r.Memory != nil {
				i.present(r.Memory.Memory.ID, r.Memory.Memory.SyncID) // or it would be computed again
			}
			if done++; i.In.Progress != nil {
				i.In.Progress(done, w.total)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if err := i.Relate(ctx); err != nil {
		return err
	}
	if i.In.Mode == ImportReplace {
		if len(i.wrong) > 0 {
			return refusedReplace(i.wrong)
		}
		if i.In.Only != "" && len(i.has) == 0 {
			return i.hasNothingOf()
		}
		if err := i.sweep(ctx); err != nil {
			return err
		}
	}
	if i.copies > 0 {
		i.Res.Note(engram.ImportNote{Item: "memories", Reason: fmt.Sprintf("%d of them are in other projects here, which stay unchanged: they were imported as copies with new ids and %s in their metadata", i.copies, copyField)})
	}
	return i.End(ctx)
}

// Begin reads what every record is compared with; End follows the last record.
func (i *Importing) Begin(ctx context.Context) (err error) {
	if i.Border, err = i.ProjectHere(ctx, cmp.Or(i.In.Project, i.In.Only)); err != nil {
		return err
	}
	i.erased, err = ledger.ReadErased(ctx, i.Tx.Store)
	return err
}

// End resolves what depends on several records.
func (i *Importing) End(ctx context.Context) error {
	if err := i.Tx.ResolvePlaces(ctx, i.regrouped); err != nil {
		return err
	}
	if err := i.reportTopics(ctx); err != nil {
		return err
	}
	if err := i.Tx.ResolveRelations(ctx, i.over); err != nil {
		return err
	}
	return i.Tx.Store.ReplicaTx().SeeClock(ctx, i.newest)
}

// Outcome is what became of a record.
type Outcome int

// The outcomes of records.
const (
	Unchanged Outcome = iota
	added
	changed
)

// Count adds an outcome to a tally.
func Count(t *engram.ImportTally, o Outcome) {
	switch o {
	case added:
		t.Added++
	case changed:
		t.Changed++
	default:
		t.Unchanged++
	}
}

// Take writes one record, or notes why not.
func (i *Importing) Take(ctx context.Context, r Incoming) error {
	if of, err := i.ofAnother(ctx, r.Record); of || err != nil {
		return err
	}
	if r.Causal != nil {
		i.newest = max(i.newest, r.Causal.Newest().At) // later local writes must be later
	}
	if r.Relation != nil {
		if i.relations = append(i.relations, r); len(i.relations) < walk.ExportPage {
			return nil
		}
		return i.Relate(ctx)
	}
	var out Outcome
	var err error
	switch {
	case r.Project != nil && i.In.Project != "":
		// A project record does not describe the one that everything goes into.
	case r.Project != nil:
		out, err = i.project(ctx, r.Record)
	case r.Session != nil:
		out, err = i.session(ctx, r)
	case r.Prompt != nil:
		out, err = i.prompt(ctx, r)
	case r.Memory != nil:
		out, err = i.memory(ctx, r)
	case r.Erased != nil:
		out, err = i.eraseElsewhere(ctx, *r.Erased)
	}
	return i.Resolved(ctx, r.Record, out, err)
}

// Resolved counts the outcome of a record; err may be the reason why it does not come in, and is returned otherwise.
func (i *Importing) Resolved(ctx context.Context, r engram.Record, out Outcome, err error) error {
	if no, ok := errors.AsType[*missing](err); ok {
		if i.Later != nil {
			return i.Later(ctx, r, engram.DeferredMissing, no.reason)
		}
		err = &Refused{Reason: no.reason, harmless: true}
	}
	if no, ok := errors.AsType[*Refused](err); ok {
		note := engram.ImportNote{Item: r.Item, Name: ledger.NameOf(r), Reason: no.Reason}
		if i.Res.Reject(r, note); !no.harmless {
			i.wrong = append(i.wrong, note)
		}
		return nil
	}
	if alone, ok := errors.AsType[*leftAlone](err); ok {
		i.Res.Note(engram.ImportNote{Item: r.Item, Name: ledger.NameOf(r), Reason: alone.Error()})
		i.Skipped, err = true, nil
	}
	if err == nil {
		Count(i.Res.Of(r), out)
	}
	return err
}

// ensureProject returns the canonical name of a project, which it makes if need be.
func (i *Importing) ensureProject(ctx context.Context, name string) (string, error) {
	if here, known := i.projectNames[name]; known || name == "" {
		return here, nil
	}
	p, known, err := i.Tx.Store.Project(ctx, name)
	if err != nil {
		return "", err
	}
	if !known {
		p.Name = name
		if err := i.Tx.InsertProject(ctx, engram.Project{Name: name, CreatedAt: i.Tx.At}, i.Reason); err != nil {
			return "", err
		}
	}
	i.projectNames[name] = p.Name
	return p.Name, nil
}

// LookUp finds out which memories of some records are not here, which for most of a file is all there is to know. It
// adds to earlier results.
func (i *Importing) LookUp(ctx context.Context, records []Incoming) error {
	var names []string
	for _, r := range records {
		if r.Memory == nil {
			continue
		}
		for _, name := range ledger.NamesOf(r.Record) {
			if name != "" {
				names = append(names, name)
				i.Absent[name] = true
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	found, err := i.Tx.Store.Named(ctx, names)
	for _, f := range found {
		i.present(f.ID, f.SyncID)
	}
	return err
}

// fresh returns the records of memories that are not here, as far as lookUp knows.
func (i *Importing) fresh(records []Incoming) []Incoming {
	var all []Incoming
	for _, r := range records {
		if r.Memory != nil && i.isAbsent(r.Memory.Memory.ID, r.Memory.Memory.SyncID) {
			all = append(all, r)
		}
	}
	return all
}

func (i *Importing) isAbsent(id engram.ID, sync string) bool {
	return (id == "" || i.Absent[string(id)]) && i.Absent[sync]
}

func (i *Importing) present(id engram.ID, sync string) {
	delete(i.Absent, string(id))
	delete(i.Absent, sync)
}

// Find returns the memory with an id or sync id, forgotten or not.
func (i *Importing) Find(ctx context.Context, id engram.ID, sync string) (m engram.Memory, found bool, err error) {
	if i.isAbsent(id, sync) {
		return m, false, nil
	}
	if ref := engram.ByID(id); ref.Whole() {
		m, found, err = walk.IfThere(i.Tx.Store.Memory(ctx, ref))
	}
	if sync != "" && !found && err == nil {
		m, found, err = walk.IfThere(i.Tx.Store.Memory(ctx, engram.Ref{SyncID: sync}))
	}
	return m, found, err
}

// numbered gives revisions free numbers, their own where possible, and raises m's count: it is the number of the
// current text.
func numbered(known []engram.Revision, m *engram.Memory, more []engram.Revision) []engram.Revision {
	used := map[int]bool{}
	for _, r := range known {
		used[r.Number] = true
	}
	out := slices.Clone(more)
	for n := range out {
		if own := out[n].Number; own < 1 || own >= m.RevisionCount || used[own] {
			for used[m.RevisionCount] {
				m.RevisionCount++
			}
			out[n].Number = m.RevisionCount
			m.RevisionCount++
		}
		used[out[n].Number] = true
	}
	for used[m.RevisionCount] {
		m.RevisionCount++
	}
	return out
}

// reportTwice notes a memory that the file has more than once, with different texts.
func (i *Importing) reportTwice(r Incoming, here engram.Memory) {
	m := r.Memory.Memory
	if i.Batch == "" && !r.Tombstone && i.seen.memories.has(here.Num) && (m.Title != here.Title || m.Content != here.Content) {
		i.Res.Note(engram.ImportNote{Item: r.Item, Name: ledger.NameOf(r.Record), Reason: "the file has it more than once, with different texts: the later one is current, the other an earlier version"})
	}
}

// vectors keeps the vectors that came along if they are of a current model that cannot compute them at once. It
// reports invalid ones; the memory comes in without.
func (i *Importing) vectors(ctx context.Context, m engram.Memory, r Incoming) error {
	for _, row := range r.Memory.Vectors {
		if len(row.Values) == 0 {
			i.Res.Note(engram.ImportNote{Item: r.Item, Name: ledger.NameOf(r.Record), Reason: "one of its vectors has values that are not numbers: imported without that vector"})
			continue
		}
		all := i.Porter.ledger.Embedders()
		at := slices.IndexFunc(all, func(e engram.Embedder) bool { return e.Model().Fingerprint == row.Model })
		if at < 0 {
			continue
		}
		model := all[at].Model()
		switch {
		case vector.CheckPassages(row.Values, model.Dimensions) != nil:
			i.Res.Note(engram.ImportNote{Item: r.Item, Name: ledger.NameOf(r.Record), Reason: fmt.Sprintf(
				"its vector has %d numbers instead of %d: imported without the vector", len(row.Values), model.Dimensions)})
		case !model.Instant && !m.Forgotten():
			return i.Tx.Store.PutVectors(ctx, model, []engram.Vector{{Num: m.Num, Values: row.Values}})
		}
	}
	return nil
}
