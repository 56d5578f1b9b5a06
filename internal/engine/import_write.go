package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// importing is one import at work in its transaction.
type importing struct {
	*op
	in  ImportInput
	res *Imported

	homes    map[string]string // projects by the names they have in the file
	has      map[string]bool   // projects of which the file has memories, by either name
	border   string            // the one project that anything may happen in; "": every one
	sessions map[string]string // those that are here, by the ids they have in the file
	erased   map[string]bool   // what was erased here, by kind and id
	undos    map[int64]bool    // operations that undid an import, or imports that were undone
	topics   []wanted
	copies   int                 // memories that came in as such
	wrong    []engram.ImportNote // items that cannot come in, though what they are about may be here
	ties     []incoming          // relations that wait to be looked up together
	seen     seen
}

// seen has the numbers of what the file has, for ImportReplace.
type seen struct{ memories, prompts, relations numbers }

// numbers is a set of numbers that lie close to each other.
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

func newImporting(o *op, in ImportInput, res *Imported) *importing {
	return &importing{op: o, in: in, res: res, homes: map[string]string{}, has: map[string]bool{}, sessions: map[string]string{"": ""},
		erased: map[string]bool{}, undos: map[int64]bool{}}
}

// refused is why an item does not come in. Any other error ends the import.
type refused struct {
	reason string
	// harmless says that nothing is here that the item could have been about: ImportReplace
	// can do without it.
	harmless bool
}

// Error implements error.
func (r *refused) Error() string { return r.reason }

func (i *importing) run(ctx context.Context, w *waiting) error {
	if err := i.settleBorder(ctx); err != nil {
		return err
	}
	if err := i.readErased(ctx); err != nil {
		return err
	}
	done := 0
	err := w.each(ctx, i.embedAhead, func(b lot) error {
		i.embedded = b.embedded
		for _, r := range b.records {
			if err := i.take(ctx, r); err != nil {
				return err
			}
			if done++; i.in.Progress != nil {
				i.in.Progress(done, w.total)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if err := i.tie(ctx); err != nil {
		return err
	}
	if i.in.Mode == ImportReplace {
		if len(i.wrong) > 0 {
			return refusedReplace(i.wrong)
		}
		if err := i.sweep(ctx); err != nil {
			return err
		}
	}
	i.tellCopies()
	return i.settleTopics(ctx)
}

// readErased reads what was erased here: it stays away.
func (i *importing) readErased(ctx context.Context) error {
	for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession} {
		for after := ""; ; {
			page, err := i.tx.ErasedAfter(ctx, kind, after, exportPage)
			if err != nil {
				return err
			}
			for _, x := range page {
				i.erased[string(kind)+"\x00"+x.ID], i.erased[string(kind)+"\x00"+x.SyncID] = true, true
				after = x.ID
			}
			if len(page) < exportPage {
				break
			}
		}
	}
	return nil
}

func (i *importing) wasErased(kind engram.Entity, ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return id != "" && i.erased[string(kind)+"\x00"+id] })
}

// fate is what became of an item.
type fate int

const (
	unchanged fate = iota
	added
	changed
)

func count(t *engram.ImportTally, o fate) {
	switch o {
	case added:
		t.Added++
	case changed:
		t.Changed++
	default:
		t.Unchanged++
	}
}

// take writes one record, or notes why not.
func (i *importing) take(ctx context.Context, r incoming) error {
	if r.Relation != nil {
		if i.ties = append(i.ties, r); len(i.ties) < exportPage {
			return nil
		}
		return i.tie(ctx)
	}
	var out fate
	var err error
	switch {
	case r.Project != nil && i.in.Project != "":
		return nil // what is said of a project is not said of the one that everything goes into
	case r.Project != nil:
		out, err = i.project(ctx, *r.Project)
	case r.Session != nil:
		out, err = i.session(ctx, *r.Session)
	case r.Prompt != nil:
		out, err = i.prompt(ctx, *r.Prompt)
	case r.Memory != nil:
		out, err = i.memory(ctx, r)
	case r.Erased != nil:
		out, err = i.eraseElsewhere(ctx, *r.Erased)
	}
	return i.settle(r.Record, out, err)
}

// settle counts what became of an item.
func (i *importing) settle(r engram.Record, out fate, err error) error {
	if no, ok := errors.AsType[*refused](err); ok {
		note := engram.ImportNote{Item: r.Item, Name: nameOf(r), Reason: no.reason}
		if i.res.Reject(r, note); !no.harmless {
			i.wrong = append(i.wrong, note)
		}
		return nil
	}
	if err == nil {
		count(i.res.Of(r), out)
	}
	return err
}

// project adds a project, or what is missing of it here.
func (i *importing) project(ctx context.Context, p engram.Project) (fate, error) {
	was, known, err := i.tx.Project(ctx, p.Name)
	if err != nil {
		return unchanged, err
	}
	if known && was.Name != p.Name {
		return unchanged, nil // it was merged into another one here
	}
	var free []string
	for _, a := range p.Aliases {
		_, taken, err := i.tx.Project(ctx, a)
		if err != nil {
			return unchanged, err
		}
		if !taken {
			free = append(free, a)
		}
	}
	if !known {
		p.Aliases = free
		if err := i.tx.PutProject(ctx, p); err != nil {
			return unchanged, err
		}
		return added, i.log(ctx, engram.EntityProject, p.Name, p.Name, "import", nil)
	}
	now := was
	now.Aliases = slices.Concat(was.Aliases, free)
	slices.Sort(now.Aliases)
	if now.Remote == "" {
		now.Remote = p.Remote
	}
	if now.Decay == nil || i.in.Mode == ImportReplace {
		now.Decay = p.Decay
	}
	if len(changes(projectFields(was), projectFields(now))) == 0 {
		return unchanged, nil
	}
	return changed, i.replaceProject(ctx, was, now, "import")
}

// home is the project, as it is called here, of something that is in one in the file; it
// is made if need be.
func (i *importing) home(ctx context.Context, name string) (string, error) {
	if here, known := i.homes[name]; known || name == "" {
		return here, nil
	}
	p, known, err := i.tx.Project(ctx, name)
	if err != nil {
		return "", err
	}
	if !known {
		p.Name = name
		if err := i.tx.PutProject(ctx, engram.Project{Name: name, CreatedAt: i.at}); err != nil {
			return "", err
		}
		if err := i.log(ctx, engram.EntityProject, name, name, "import", nil); err != nil {
			return "", err
		}
	}
	i.homes[name] = p.Name
	return p.Name, nil
}
