package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// ProposeInput is what was found in one place: a transcript, a commit.
type ProposeInput struct {
	Source  string // by whom it was written: claude-code, git
	Place   string // the session's id, or the commit's
	Session string // that what is taken of it belongs to; "" is the project's open one
	Project string // already decided; "" is no project
	Found   []capture.Proposal
}

// Proposed says what became of it.
type Proposed struct {
	New     []engram.Deferred // what waits for a person now, in the order in which it was found
	Known   int               // was proposed before, whatever the person said to it
	Said    int               // a memory, or another proposal, says nearly the same
	Refused int               // can be no memory, or has nothing left without what is private
}

// Proposer puts proposals aside for a person to look at (Deferred, of DeferredProposal). It
// remembers what it has put aside, so that what two transcripts say alike is proposed once.
// It is used by one goroutine.
type Proposer struct {
	e       *Engine
	dryRun  bool
	waiting map[string][][]float32 // vectors of what waits, by project
	seen    map[string]bool        // names of what a dry run would have put aside
}

// Proposer returns one. A dry run writes nothing, and its New have no number.
func (e *Engine) Proposer(dryRun bool) *Proposer {
	return &Proposer{e: e, dryRun: dryRun, waiting: map[string][][]float32{}, seen: map[string]bool{}}
}

// Propose puts aside what of in was never proposed before, and is not said already by a
// memory of the project or by something else that waits. Private spans and secrets leave it
// first. At most most are put aside; what comes behind them is proposed the next time.
func (p *Proposer) Propose(ctx context.Context, in ProposeInput, most int) (Proposed, error) {
	var res Proposed
	drafts := p.drafts(in, &res)
	if len(drafts) == 0 || most < 1 {
		return res, nil
	}
	vectors, err := p.vectors(ctx, drafts)
	if err != nil {
		return res, err
	}
	work := func(r engram.Reader, put func(*engram.Deferred) error) error {
		return p.each(ctx, r, in, drafts, vectors, most, &res, put)
	}
	counted := res
	if p.dryRun {
		return res, p.e.store.View(ctx, func(r engram.Reader) error { return work(r, func(*engram.Deferred) error { return nil }) })
	}
	err = p.e.store.Update(ctx, func(tx engram.Tx) error {
		res = counted
		return work(tx, func(d *engram.Deferred) error {
			if err := tx.PutPulled(ctx, "", proposalMark(*d), d.FirstAt); err != nil {
				return err
			}
			return tx.PutDeferred(ctx, d)
		})
	})
	return res, err
}

// proposalMark is under what it is remembered that something was proposed: among the
// batches that were read, whose ids are hexadecimal digits.
func proposalMark(d engram.Deferred) string { return "proposal:" + d.Record.Memory.Memory.SyncID }

// draftProposal is a proposal as a memory that nobody has taken yet.
type draftProposal struct {
	memory engram.Memory
	why    string
}

// drafts are the proposals as memories, each named by what it says and the project. The
// same name is given to the same text wherever it was found: transcripts are copied when a
// session is taken up again, and commits are picked.
func (p *Proposer) drafts(in ProposeInput, res *Proposed) (all []draftProposal) {
	for _, f := range in.Found {
		importance := f.Importance
		m, err := p.e.draft(SaveInput{Title: f.Title, Content: f.Content, Type: f.Type, Project: in.Project,
			SessionID: in.Session, ToolName: in.Source, Origin: engram.OriginImport, Importance: &importance})
		if err != nil || strings.TrimSpace(strings.ReplaceAll(m.Content, redact.Mark, "")) == "" {
			res.Refused++
			continue
		}
		name := m.NormalizedHash
		if f.Key != "" {
			name = in.Source + "\n" + in.Place + "\n" + f.Key
		}
		m.SyncID, m.CreatedAt = "obs-"+digest("proposal\n"+m.Project+"\n"+name), f.At.UTC()
		all = append(all, draftProposal{m, line(p.e.CleanText(f.Why))})
	}
	return all
}

// vectors are those of the drafts; nil without a model that answers at once.
func (p *Proposer) vectors(ctx context.Context, drafts []draftProposal) ([][]float32, error) {
	if p.e.embedder == nil || !p.e.embedder.Model().Instant || p.e.embedder.Model().Duplicate <= 0 {
		return nil, nil
	}
	texts := make([]string, len(drafts))
	for i, d := range drafts {
		texts[i] = embeddedText(d.memory)
	}
	vectors, err := vectorsOf(ctx, p.e.embedder, texts, engram.RoleMemory)
	if err != nil {
		return nil, ctx.Err() // nothing is near then
	}
	return vectors, nil
}

// each decides of each draft, and puts aside what is new.
func (p *Proposer) each(ctx context.Context, r engram.Reader, in ProposeInput, drafts []draftProposal, vectors [][]float32, most int, res *Proposed, put func(*engram.Deferred) error) error {
	known, err := p.known(ctx, r, drafts)
	if err != nil {
		return err
	}
	at := p.e.now()
	for i, d := range drafts {
		var v []float32
		if vectors != nil {
			v = vectors[i]
		}
		if known[d.memory.SyncID] {
			res.Known++
			continue
		}
		if said, err := p.said(ctx, r, &d.memory, v); err != nil || said {
			if err != nil {
				return err
			}
			res.Said++
			continue
		}
		if len(res.New) >= most {
			return nil
		}
		w := engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: d.memory}}, Project: d.memory.Project,
			Batch: "backfill:" + line(in.Source) + ":" + line(in.Place), Why: engram.DeferredProposal, Reason: d.why, FirstAt: at, LastAt: at}
		if err := put(&w); err != nil {
			return err
		}
		known[d.memory.SyncID], p.seen[d.memory.SyncID] = true, true
		if v != nil {
			p.waiting[d.memory.Project] = append(p.waiting[d.memory.Project], v)
		}
		res.New = append(res.New, w)
	}
	return nil
}

// known tells by their names which drafts were proposed before.
func (p *Proposer) known(ctx context.Context, r engram.Reader, drafts []draftProposal) (map[string]bool, error) {
	marks := make([]string, len(drafts))
	names := map[string]string{}
	for i, d := range drafts {
		marks[i] = proposalMark(engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: d.memory}}})
		names[marks[i]] = d.memory.SyncID
	}
	put, err := r.Pulled(ctx, "", marks)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for mark, name := range names {
		known[name] = put[mark] || p.seen[name]
	}
	return known, nil
}

// said reports whether a memory of the project says the same already, or nearly the same,
// or something that waits does. It gives m the name that its project has.
func (p *Proposer) said(ctx context.Context, r engram.Reader, m *engram.Memory, v []float32) (bool, error) {
	if here, known, err := r.Project(ctx, m.Project); err != nil {
		return false, err
	} else if known {
		m.Project = here.Name
	}
	_, found, err := r.ByHash(ctx, m.Project, m.NormalizedHash, time.Time{}, func(engram.Memory) bool { return true })
	if err != nil || found || v == nil {
		return found, err
	}
	mark := p.e.embedder.Model().Duplicate
	near, err := p.e.nearFrom(ctx, r, *m, v, 1, mark)
	if err != nil || len(near) > 0 {
		return len(near) > 0, err
	}
	waiting, err := p.ofProject(ctx, r, m.Project)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(waiting, func(w []float32) bool { return vector.Cosine(w, v) >= mark }), nil
}

// ofProject are the vectors of what waits of a project.
func (p *Proposer) ofProject(ctx context.Context, r engram.Reader, project string) ([][]float32, error) {
	if all, read := p.waiting[project]; read {
		return all, nil
	}
	var texts []string
	err := eachDeferred(ctx, r, project, func(d engram.Deferred) error {
		if d.Why == engram.DeferredProposal && d.Project == project && d.Record.Memory != nil {
			texts = append(texts, embeddedText(d.Record.Memory.Memory))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := [][]float32{}
	if len(texts) > 0 {
		if all, err = vectorsOf(ctx, p.e.embedder, texts, engram.RoleMemory); err != nil {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			all = [][]float32{}
		}
	}
	p.waiting[project] = all
	return all, nil
}

// Proposals returns what waits as a proposal, oldest first; of a project, by its name or an
// alias, or with "" of every one.
func (e *Engine) Proposals(ctx context.Context, project string) ([]engram.Deferred, error) {
	return e.pendingFor(ctx, project, func(why engram.Deferral) bool { return why == engram.DeferredProposal })
}

// ProposalEdit is what a person has otherwise of a proposal; "" leaves what is proposed.
type ProposalEdit struct {
	Title, Content string
	Type           engram.Type
	// Read says that the person was shown all of the text, and why it reads like an order where it
	// does (SuspicionsOf): then that is approved with it (Approve).
	Read bool
}

// AcceptProposal saves what was proposed as Save does, with the time at which it happened, in the session in which it was
// found. Undo takes it back: the memory is forgotten, and the proposal waits again. Accepting does not approve an order
// in the text: unless the edit says that it was read, such a memory waits as suspect, and the warnings say so.
//
// CodeNotFound for a number under which nothing waits, CodeInvalid for what is no proposal.
func (e *Engine) AcceptProposal(ctx context.Context, num int64, edit ProposalEdit) (SaveResult, error) {
	d, err := view(ctx, e, func(r engram.Reader) (engram.Deferred, error) { return pendingAt(ctx, r, num) })
	if err != nil {
		return SaveResult{}, err
	}
	if d.Why != engram.DeferredProposal || d.Record.Memory == nil {
		return SaveResult{}, engram.Errorf(engram.CodeInvalid, "what waits under number %d is no proposal", num).WithHint("{sync deferred} shows what it is")
	}
	t, err := e.intakeOf(proposedInput(d, edit))
	if err != nil {
		return SaveResult{}, err
	}
	begun := e.tally.begin()
	all, err := e.acceptIntake(ctx, d, t, edit.Read)
	e.tally.saved(begun, actionsOf(all), err)
	if err != nil {
		return SaveResult{}, err
	}
	return all[0], nil
}

// isProposal reports whether what waits under a number is a proposal.
func (e *Engine) isProposal(ctx context.Context, num int64) (proposed bool, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		d, found, err := r.DeferredAt(ctx, num)
		proposed = found && d.Why == engram.DeferredProposal // CodeNotFound is AcceptDeferred's
		return err
	})
	return proposed, err
}

// acceptedProposal accepts a proposal as AcceptDeferred tells it; err is why that cannot be
// known.
func (e *Engine) acceptedProposal(ctx context.Context, num int64, err error) (Accepted, error) {
	if err != nil {
		return Accepted{}, err
	}
	saved, err := e.AcceptProposal(ctx, num, ProposalEdit{})
	if err != nil {
		return Accepted{}, err
	}
	res := Accepted{Imported: engram.Imported{Mode: ImportMerge, Op: saved.Op}, Memory: saved.Memory.Num, Warnings: saved.Warnings}
	if saved.Action == ActionInserted {
		res.Memories.Added = 1
	} else {
		res.Memories.Changed = 1
	}
	return res, nil
}

// proposedInput is a proposal as what is to be saved.
func proposedInput(d engram.Deferred, edit ProposalEdit) SaveInput {
	m := d.Record.Memory.Memory
	return SaveInput{Title: cmp.Or(strings.TrimSpace(edit.Title), m.Title), Content: cmp.Or(strings.TrimSpace(edit.Content), m.Content),
		Type: cmp.Or(edit.Type, m.Type), Project: d.Project, SessionID: m.SessionID, ToolName: m.ToolName, Origin: m.Origin, Tags: m.Tags, Importance: &m.Importance}
}

// acceptIntake saves one proposal in one transaction, in which it waits no longer.
func (e *Engine) acceptIntake(ctx context.Context, d engram.Deferred, t intake, read bool) ([]SaveResult, error) {
	at := d.Record.Memory.Memory.CreatedAt
	out, err := e.lookAhead(ctx, []intake{t})
	if err != nil {
		return nil, err
	}
	all := make([]SaveResult, 1)
	err = e.write(ctx, "save", func(o *op) error {
		o.embedded = out.embedded
		if _, err := pendingAt(ctx, o.tx, d.Num); err != nil { // somebody else may have decided meanwhile
			return err
		}
		t := t // of this try: a transaction may be tried again
		if !at.After(o.at) {
			t.draft.CreatedAt, t.draft.UpdatedAt = at, at
		}
		if t.draft.SessionID, err = o.pastSession(ctx, t.draft.SessionID, d.Project, at); err != nil {
			return err
		}
		if all[0], err = newSaver(o, out).save(ctx, t); err != nil {
			return err
		}
		if err := o.approveRead(ctx, t.draft, read, &all[0]); err != nil {
			return err
		}
		all[0].report(t, out)
		all[0].Op = o.first
		if err := o.decided(ctx, d, all[0].Memory.Num, "a person took it"); err != nil {
			return err
		}
		return o.countSaves(ctx, all)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// approveRead approves what of a memory was read in a draft. It may have been there before, with texts
// of its own that nobody has shown anybody.
func (o *op) approveRead(ctx context.Context, draft engram.Memory, read bool, res *SaveResult) error {
	shown := map[string]bool{}
	if read {
		for _, s := range suspicionsOf(draft) {
			shown[s.digest] = true
		}
	}
	if err := o.approveThat(ctx, res.Memory, func(s suspicious) bool { return shown[s.digest] }); err != nil {
		return err
	}
	warnings, err := o.warnTakenIn(ctx, res.Memory)
	res.Warnings = append(res.Warnings, warnings...)
	return err
}

// warnTakenIn says of a memory that a person has just taken in that it is told to nobody unasked, if
// it is: to take it in was not to approve of the order.
func (o *op) warnTakenIn(ctx context.Context, m engram.Memory) ([]string, error) {
	why, err := flagged(ctx, o.tx, []engram.Memory{m})
	if err != nil || len(why[m.Num]) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("Memory #%d reads like an order to an agent (%s): it is told to nobody unasked until engram review approve %d",
		m.Num, strings.Join(why[m.Num], "; "), m.Num)}, nil
}

// pastSession makes the session that was read about, as it is over. "" where there is none,
// or where one of that name is of another project: then what is saved belongs to the open
// session.
func (o *op) pastSession(ctx context.Context, id, project string, at time.Time) (string, error) {
	if id == "" {
		return "", nil
	}
	was, err := o.tx.Session(ctx, id)
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		return "", err
	}
	name, _, ensured := o.ensureProject(ctx, project)
	switch {
	case ensured != nil:
		return "", ensured
	case err == nil && was.Project != name:
		return "", nil
	case err == nil:
		return id, o.reach(ctx, was, at)
	}
	if at.IsZero() {
		at = o.at
	}
	s := engram.Session{ID: id, Project: name, StartedAt: at, ActiveAt: at, EndedAt: at}
	if err := s.Validate(); err != nil {
		return "", err
	}
	return id, o.putSession(ctx, nil, s, "read in a transcript")
}

// reach has a session that is over, and that only what was read of it tells of, last from the first
// to the last of its memories: nobody has noted when it began and ended.
func (o *op) reach(ctx context.Context, was engram.Session, at time.Time) error {
	s := was
	if at.IsZero() || at.After(o.at) || s.EndedAt.IsZero() || s.Directory != "" {
		return nil
	}
	if at.Before(s.StartedAt) {
		s.StartedAt = at
	}
	if at.After(s.EndedAt) {
		s.ActiveAt, s.EndedAt = at, at
	}
	if s == was {
		return nil
	}
	return o.putSession(ctx, &was, s, "more was read in its transcript")
}
