package vault

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// VaultExportInput says which memories get notes. Existing notes are kept up to date regardless of Limit and Since,
// because links lead to them.
type VaultExportInput struct {
	Project string // "" is every one
	Limit   int    // only the newest; 0 is all
	Since   time.Time
	Force   bool // overwrite notes that were edited or deleted in the vault
	DryRun  bool
	// Progress is called with the number of notes checked, and of all; nil: not called.
	Progress func(done, total int)
}

// VaultExported is the outcome of an export. Paths are in the order in which their memories were made.
type VaultExported struct {
	Project string // canonical; "" for every one
	Created int
	Updated int
	Deleted int
	Skipped int
	Edited  []string // left alone because they were edited
	Missing []string // left alone because they were deleted
	Aside   []string // edited notes that Force replaced, under their new names
	Remarks []engram.NoteRemark
	Hubs    engram.HubsDone
}

// ExportVault writes changed and new notes for memories and hubs, and removes those of forgotten and erased memories.
// Notes that were edited or deleted in the vault are left alone and reported; ImportVault brings the edits back.
// CodeNotFound for an unknown project; else as Vault.Begin.
func (k *Keeper) ExportVault(ctx context.Context, v engram.Vault, in VaultExportInput) (res VaultExported, err error) {
	if in.Limit < 0 {
		return res, engram.Errorf(engram.CodeInvalid, "limit %d is negative", in.Limit)
	}
	if res.Project, err = k.existingProject(ctx, in.Project); err != nil {
		return res, err
	}
	notes, err := v.Begin(ctx, engram.VaultMode{DryRun: in.DryRun, Force: in.Force})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, notes.End()) }()
	x := vaultExport{keeper: k, in: in, notes: notes, res: &res}
	err = x.run(ctx)
	res.Remarks = notes.Remarks()
	return res, err
}

// existingProject returns the canonical name of an existing project; "" stays "".
func (k *Keeper) existingProject(ctx context.Context, name string) (string, error) {
	return ledger.Read(ctx, k.ledger, func(r engram.Reader) (string, error) { return projects.ProjectIfNamed(ctx, r, name) })
}

type vaultExport struct {
	keeper *Keeper
	in     VaultExportInput
	notes  engram.VaultNotes
	res    *VaultExported
	all    surveyed
	hubs   map[int64][]engram.Hub // by the memory that they link to
}

func (x *vaultExport) run(ctx context.Context) (err error) {
	if x.all, err = x.keeper.survey(ctx, x.res.Project); err != nil {
		return err
	}
	placed := x.choose()
	for _, o := range placed {
		x.notes.Place(o.NotePlace)
	}
	hubs, of, err := x.keeper.hubsOf(ctx, x.all, placed, x.res.Project)
	if err != nil {
		return err
	}
	x.hubs = of
	if err := x.put(ctx, placed); err != nil {
		return err
	}
	if err := x.remove(ctx); err != nil {
		return err
	}
	projects, err := x.projectsIn(ctx)
	if err != nil {
		return err
	}
	if x.res.Hubs, err = x.notes.PutHubs(hubs, projects); err != nil {
		return err
	}
	x.res.Aside = append(x.res.Aside, x.res.Hubs.Aside...)
	return x.notes.Dress()
}

// choose returns the memories that get a note, oldest first.
func (x *vaultExport) choose() []*outline {
	known := map[engram.ID]bool{}
	for _, id := range x.notes.Known() {
		known[id] = true
	}
	newest := slices.SortedFunc(maps.Values(x.all.live), func(a, b *outline) int {
		return cmp.Or(b.made.Compare(a.made), cmp.Compare(b.num, a.num))
	})
	var chosen []*outline
	for i, o := range newest {
		if known[o.ID] || !o.made.Before(x.in.Since) && (x.in.Limit == 0 || i < x.in.Limit) {
			chosen = append(chosen, o)
		}
	}
	slices.SortFunc(chosen, func(a, b *outline) int { return cmp.Compare(a.num, b.num) })
	return chosen
}

// put writes the notes page by page, to hold the texts of one page only.
func (x *vaultExport) put(ctx context.Context, placed []*outline) error {
	done := 0
	for page := range slices.Chunk(placed, walk.ExportPage) {
		if err := ctx.Err(); err != nil {
			return err
		}
		notes, err := x.read(ctx, page)
		if err != nil {
			return err
		}
		for _, n := range notes {
			d, err := x.notes.Put(n)
			if err != nil {
				return err
			}
			x.count(d)
		}
		if done += len(page); x.in.Progress != nil {
			x.in.Progress(done, len(placed))
		}
	}
	return nil
}

// read returns the notes of a page of memories, without those forgotten meanwhile.
func (x *vaultExport) read(ctx context.Context, page []*outline) (notes []engram.VaultNote, err error) {
	nums := walk.Mapped(page, func(o *outline) int64 { return o.num })
	err = x.keeper.ledger.View(ctx, func(r engram.Reader) error {
		ms, err := r.Memories(ctx, nums)
		if err != nil {
			return err
		}
		out, err := x.keeper.screen.ExportRedactor(ctx, r, false)
		if err != nil {
			return err
		}
		rs, err := engram.RelationsOf(ctx, r, nums, nil, mostLinks)
		if err != nil {
			return err
		}
		others, err := x.others(ctx, r, rs)
		if err != nil {
			return err
		}
		of := map[int64][]engram.Relation{}
		for _, r := range rs {
			of[r.Source] = append(of[r.Source], r)
			if r.Target != r.Source {
				of[r.Target] = append(of[r.Target], r)
			}
		}
		for _, m := range ms {
			if !m.Forgotten() {
				notes = append(notes, engram.VaultNote{Memory: out.Memory(m), Links: linksOf(m.Num, of[m.Num], others), Hubs: x.hubs[m.Num]})
			}
		}
		return nil
	})
	return notes, err
}

// mostLinks is how many relations of a verb and a direction a note shows, the newest.
const mostLinks = 50

// others returns the live memories at the other ends of relations.
func (x *vaultExport) others(ctx context.Context, r engram.Reader, rs []engram.Relation) (map[int64]engram.NotePlace, error) {
	places := map[int64]engram.NotePlace{}
	var elsewhere []int64
	for _, rel := range rs {
		for _, num := range []int64{rel.Source, rel.Target} {
			if o := x.all.live[num]; o != nil {
				places[num] = o.NotePlace
			} else {
				elsewhere = append(elsewhere, num)
			}
		}
	}
	if len(elsewhere) == 0 {
		return places, nil
	}
	ms, err := r.Memories(ctx, elsewhere)
	for _, m := range ms {
		if !m.Forgotten() {
			places[m.Num] = engram.NotePlace{ID: m.ID, Project: m.Project, Type: m.Type, Title: m.Title}
		}
	}
	return places, err
}

// linksOf returns the relations of one memory for its note, outgoing first.
func linksOf(num int64, rs []engram.Relation, others map[int64]engram.NotePlace) []engram.NoteLink {
	var links []engram.NoteLink
	for _, outgoing := range []bool{true, false} {
		for _, r := range rs {
			own, other := r.Source, r.Target
			if !outgoing {
				own, other = other, own
			}
			place, lives := others[other]
			if own != num || !lives || r.Status == engram.RelationIgnored || r.Verb == engram.VerbNotConflict {
				continue
			}
			links = append(links, engram.NoteLink{Verb: r.Verb, Outgoing: outgoing, Pending: r.Status == engram.RelationPending,
				ID: place.ID, Title: place.Title, Reason: r.Reason})
		}
	}
	return links
}

func (x *vaultExport) count(d engram.NoteDone) {
	if d.Aside != "" {
		x.res.Aside = append(x.res.Aside, d.Aside)
	}
	switch d.Act {
	case engram.NoteCreated:
		x.res.Created++
	case engram.NoteUpdated:
		x.res.Updated++
	case engram.NoteDeleted:
		x.res.Deleted++
	case engram.NoteSkipped:
		x.res.Skipped++
	case engram.NoteEdited:
		x.res.Edited = append(x.res.Edited, d.Path)
	case engram.NoteMissing:
		x.res.Missing = append(x.res.Missing, d.Path)
	}
}

// remove removes the notes of forgotten and erased memories. A note of an unknown memory belongs to another store
// that shares the vault.
func (x *vaultExport) remove(ctx context.Context) error {
	lives := map[engram.ID]bool{}
	for _, o := range x.all.live {
		lives[o.ID] = true
	}
	var unseen []engram.ID
	for _, id := range x.notes.Known() {
		if !lives[id] && !x.all.forgotten[id] {
			unseen = append(unseen, id)
		}
	}
	erased, err := x.keeper.erasedNotes(ctx, x.notes, unseen)
	if err != nil {
		return err
	}
	for _, id := range x.notes.Known() {
		if !x.all.forgotten[id] && !erased[id] {
			continue
		}
		d, err := x.notes.Remove(id)
		if err != nil {
			return err
		}
		if d.Act != engram.NoteSkipped {
			x.count(d)
		}
	}
	return nil
}

// projectsIn returns the projects whose hubs are complete in this export.
func (x *vaultExport) projectsIn(ctx context.Context) (names []string, err error) {
	if x.res.Project != "" {
		return []string{x.res.Project}, nil
	}
	err = x.keeper.ledger.View(ctx, func(r engram.Reader) error {
		all, err := r.Projects(ctx, true)
		names = append(names, "")
		for _, p := range all {
			// A project that was merged into another is an alias of it.
			names = append(append(names, p.Name), p.Aliases...)
		}
		return err
	})
	return names, err
}

// erasedNotes returns the ids in notes whose memories were erased. An erasure that came with one shared project
// counts for notes of that only.
func (k *Keeper) erasedNotes(ctx context.Context, notes engram.VaultNotes, ids []engram.ID) (map[engram.ID]bool, error) {
	erased := map[engram.ID]bool{}
	if len(ids) == 0 {
		return erased, nil
	}
	names := walk.Mapped(ids, func(id engram.ID) string { return string(id) })
	var erasure ledger.Tombstones
	here := map[engram.ID]bool{}
	err := k.ledger.View(ctx, func(r engram.Reader) (err error) {
		if erasure, err = ledger.ReadErased(ctx, r); err != nil {
			return err
		}
		all, err := r.Named(ctx, names)
		for _, m := range all {
			here[m.ID] = true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if here[id] || !erasure.Anywhere(engram.EntityMemory, string(id)) {
			continue
		}
		c, _, err := notes.Replicated(id) // an unreadable one has no project
		if err != nil {
			return nil, err
		}
		erased[id] = erasure.Has(engram.EntityMemory, c.Memory.Project, string(id))
	}
	return erased, nil
}
