package review

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// ProposeInput is what was found in one place: a transcript or a commit.
type ProposeInput struct {
	Source  string // program that wrote it: claude-code, git
	Place   string // id of the session or commit
	Session string // session of accepted proposals; "" is the project's open one
	Project string // resolved; "" is no project
	Found   []capture.Proposal
}

// Proposed is the result of Propose.
type Proposed struct {
	New     []engram.Deferred // new proposals, in order
	Known   int               // proposed before, accepted or not
	Said    int               // a memory or another proposal says nearly the same
	Refused int               // not valid, or nothing left after redaction
}

// Proposer stores proposals for a person to review (Deferred, of DeferredProposal). It remembers its proposals,
// so that similar texts in two transcripts are proposed once. It is for one goroutine.
type Proposer struct {
	desk    *Desk
	dryRun  bool
	waiting map[string][][]float32 // vectors of pending proposals, by project
	seen    map[string]bool        // names proposed by this dry run
}

// Proposer returns a new Proposer. A dry run writes nothing, and its New have no number.
func (k *Desk) Proposer(dryRun bool) *Proposer {
	return &Proposer{desk: k, dryRun: dryRun, waiting: map[string][][]float32{}, seen: map[string]bool{}}
}

// Propose stores what was never proposed before and is not said by a memory or pending proposal of the project,
// after redacting private spans and secrets. It stores at most most; the rest is proposed next time.
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
		return res, p.desk.ledger.View(ctx, func(r engram.Reader) error { return work(r, func(*engram.Deferred) error { return nil }) })
	}
	err = p.desk.ledger.Update(ctx, func(tx engram.Tx) error {
		res = counted
		return work(tx, func(d *engram.Deferred) error {
			if err := tx.ReplicaTx().PutPulled(ctx, "", proposalMark(d.Record.Memory.Memory.SyncID), d.FirstAt); err != nil {
				return err
			}
			return tx.ReplicaTx().PutDeferred(ctx, d)
		})
	})
	return res, err
}

// proposalMark returns the mark that records a proposal. Marks share a table with the ids of pulled batches,
// which are hexadecimal.
func proposalMark(name string) string { return "proposal:" + name }

type draftProposal struct {
	memory engram.Memory
	why    string
}

// drafts returns the proposals as memories with ids derived from text and project: transcripts are copied when
// a session is resumed and commits are cherry-picked, and the copies must get the same id.
func (p *Proposer) drafts(in ProposeInput, res *Proposed) (all []draftProposal) {
	for _, f := range in.Found {
		importance := f.Importance
		m, err := p.desk.remember.Draft(remember.SaveInput{Title: f.Title, Content: f.Content, Type: f.Type, Project: in.Project,
			SessionID: in.Session, ToolName: in.Source, Origin: engram.OriginImport, Importance: &importance})
		if err != nil || strings.TrimSpace(strings.ReplaceAll(m.Content, redact.Mark, "")) == "" {
			res.Refused++
			continue
		}
		name := m.NormalizedHash
		if f.Key != "" {
			name = in.Source + "\n" + in.Place + "\n" + f.Key
		}
		m.SyncID, m.CreatedAt = "obs-"+ledger.Digest("proposal\n"+m.Project+"\n"+name), f.At.UTC()
		all = append(all, draftProposal{m, screen.Line(p.desk.screen.CleanText(f.Why))})
	}
	return all
}

// vectors returns the vectors of the drafts; nil without an instant model.
func (p *Proposer) vectors(ctx context.Context, drafts []draftProposal) ([][]float32, error) {
	if p.desk.ledger.Embedder == nil || !p.desk.ledger.Embedder.Model().Instant || p.desk.ledger.Embedder.Model().Duplicate <= 0 {
		return nil, nil
	}
	texts := walk.Mapped(drafts, func(d draftProposal) string { return ledger.EmbeddedText(d.memory) })
	vectors, err := ledger.VectorsOf(ctx, p.desk.ledger.Embedder, texts, engram.RoleMemory)
	if err != nil {
		return nil, ctx.Err() // without vectors nothing is similar
	}
	return vectors, nil
}

// each sorts the drafts into known, said and new, and stores the new ones.
func (p *Proposer) each(ctx context.Context, r engram.Reader, in ProposeInput, drafts []draftProposal, vectors [][]float32, most int, res *Proposed, put func(*engram.Deferred) error) error {
	known, err := p.known(ctx, r, drafts)
	if err != nil {
		return err
	}
	at := p.desk.ledger.Now()
	for i, d := range drafts {
		var v []float32
		if vectors != nil {
			v = vectors[i]
		}
		if known[d.memory.SyncID] {
			res.Known++
			continue
		}
		if said, err := p.said(ctx, r, &d.memory, v); err != nil {
			return err
		} else if said {
			res.Said++
			continue
		}
		if len(res.New) >= most {
			return nil
		}
		w := engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: d.memory}}, Project: d.memory.Project,
			Batch: "backfill:" + screen.Line(in.Source) + ":" + screen.Line(in.Place), Why: engram.DeferredProposal, Reason: d.why, FirstAt: at, LastAt: at}
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

// known reports which drafts were proposed before, by name.
func (p *Proposer) known(ctx context.Context, r engram.Reader, drafts []draftProposal) (map[string]bool, error) {
	put, err := r.Replica().Pulled(ctx, "", walk.Mapped(drafts, func(d draftProposal) string { return proposalMark(d.memory.SyncID) }))
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, d := range drafts {
		name := d.memory.SyncID
		known[name] = put[proposalMark(name)] || p.seen[name]
	}
	return known, nil
}

// said reports whether a memory or pending proposal of the project says the same or nearly the same. It
// resolves m's project alias.
func (p *Proposer) said(ctx context.Context, r engram.Reader, m *engram.Memory, v []float32) (bool, error) {
	var err error
	if m.Project, err = projects.CanonicalProject(ctx, r, m.Project); err != nil {
		return false, err
	}
	_, found, err := engram.ByHash(ctx, r, m.Project, m.NormalizedHash, time.Time{}, func(engram.Memory) bool { return true })
	if err != nil || found || v == nil {
		return found, err
	}
	mark := p.desk.ledger.Embedder.Model().Duplicate
	near, err := p.desk.search.NearFrom(ctx, r, *m, v, 1, mark)
	if err != nil || len(near) > 0 {
		return len(near) > 0, err
	}
	waiting, err := p.ofProject(ctx, r, m.Project)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(waiting, func(w []float32) bool { return vector.Cosine(w, v) >= mark }), nil
}

// ofProject returns the vectors of a project's pending proposals.
func (p *Proposer) ofProject(ctx context.Context, r engram.Reader, project string) ([][]float32, error) {
	if all, read := p.waiting[project]; read {
		return all, nil
	}
	var texts []string
	err := sync.EachDeferred(ctx, r, project, func(d engram.Deferred) error {
		if d.Why == engram.DeferredProposal && d.Project == project && d.Record.Memory != nil {
			texts = append(texts, ledger.EmbeddedText(d.Record.Memory.Memory))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all [][]float32
	if len(texts) > 0 {
		if all, err = ledger.VectorsOf(ctx, p.desk.ledger.Embedder, texts, engram.RoleMemory); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			all = nil
		}
	}
	p.waiting[project] = all
	return all, nil
}

// Proposals returns the pending proposals of a project, by name or alias, oldest first; "" is every project.
func (k *Desk) Proposals(ctx context.Context, project string) ([]engram.Deferred, error) {
	return k.sync.PendingFor(ctx, project, func(why engram.Deferral) bool { return why == engram.DeferredProposal })
}

// ProposalEdit changes a proposal on acceptance; "" keeps the proposed value.
type ProposalEdit struct {
	Title, Content string
	Type           engram.Type
	// Read says that the person saw the whole text and why it was flagged (SuspicionsOf), so accepting approves
	// it too (Approve).
	Read bool
}

// AcceptProposal saves a proposal like Save, at the time it was said and in the session it was found in. Undo
// forgets the memory and makes the proposal pending again. Unless edit.Read is set, a flagged text stays
// flagged, and a warning says so.
//
// CodeNotFound for a number that is not pending, CodeInvalid for a record that is no proposal.
func (k *Desk) AcceptProposal(ctx context.Context, num int64, edit ProposalEdit) (remember.SaveResult, error) {
	d, err := ledger.Read(ctx, k.ledger, func(r engram.Reader) (engram.Deferred, error) { return sync.PendingAt(ctx, r, num) })
	if err != nil {
		return remember.SaveResult{}, err
	}
	if d.Why != engram.DeferredProposal || d.Record.Memory == nil {
		return remember.SaveResult{}, engram.Errorf(engram.CodeInvalid, "record %d is not a proposal", num).WithHint("{sync deferred} shows what it is")
	}
	t, err := k.remember.IntakeOf(proposedInput(d, edit))
	if err != nil {
		return remember.SaveResult{}, err
	}
	begun := k.exposure.Tally.Begin()
	all, err := k.acceptIntake(ctx, d, t, edit.Read)
	k.exposure.Tally.Saved(begun, remember.ActionsOf(all), err)
	if err != nil {
		return remember.SaveResult{}, err
	}
	return all[0], nil
}

// isProposal reports whether a pending record is a proposal.
func (k *Desk) isProposal(ctx context.Context, num int64) (proposed bool, err error) {
	err = k.ledger.View(ctx, func(r engram.Reader) error {
		d, found, err := r.Replica().DeferredAt(ctx, num)
		proposed = found && d.Why == engram.DeferredProposal // AcceptDeferred reports CodeNotFound
		return err
	})
	return proposed, err
}

// acceptedProposal accepts a proposal and returns the result of AcceptDeferred; err is that of isProposal.
func (k *Desk) acceptedProposal(ctx context.Context, num int64, err error) (sync.Accepted, error) {
	if err != nil {
		return sync.Accepted{}, err
	}
	saved, err := k.AcceptProposal(ctx, num, ProposalEdit{})
	if err != nil {
		return sync.Accepted{}, err
	}
	res := sync.Accepted{Imported: engram.Imported{Mode: exchange.ImportMerge, Op: saved.Op}, Memory: saved.Memory.Num, Warnings: saved.Warnings}
	if saved.Action == ledger.ActionInserted {
		res.Memories.Added = 1
	} else {
		res.Memories.Changed = 1
	}
	return res, nil
}

func proposedInput(d engram.Deferred, edit ProposalEdit) remember.SaveInput {
	m := d.Record.Memory.Memory
	return remember.SaveInput{Title: cmp.Or(strings.TrimSpace(edit.Title), m.Title), Content: cmp.Or(strings.TrimSpace(edit.Content), m.Content),
		Type: cmp.Or(edit.Type, m.Type), Project: d.Project, SessionID: m.SessionID, ToolName: m.ToolName, Origin: m.Origin, Tags: m.Tags, Importance: &m.Importance}
}

// acceptIntake saves a proposal and marks it as decided in one transaction.
func (k *Desk) acceptIntake(ctx context.Context, d engram.Deferred, t remember.Intake, read bool) ([]remember.SaveResult, error) {
	at := d.Record.Memory.Memory.CreatedAt
	out, err := k.remember.LookAhead(ctx, []remember.Intake{t})
	if err != nil {
		return nil, err
	}
	all := make([]remember.SaveResult, 1)
	err = k.ledger.Write(ctx, "save", func(o *ledger.Tx) error {
		o.Embedded = out.Embedded
		if _, err := sync.PendingAt(ctx, o.Store, d.Num); err != nil { // another process may have decided
			return err
		}
		t := t // copied, since a transaction may be retried
		if !at.After(o.At) {
			t.Draft.CreatedAt, t.Draft.UpdatedAt = at, at
		}
		if t.Draft.SessionID, err = pastSession(ctx, o, t.Draft.SessionID, d.Project, at); err != nil {
			return err
		}
		if all[0], err = remember.NewSaver(k.remember, o, out).Save(ctx, t); err != nil {
			return err
		}
		if err := approveRead(ctx, o, t.Draft, read, &all[0]); err != nil {
			return err
		}
		all[0].Report(&t, out)
		all[0].Op = o.First
		if err := decided(ctx, o, d, all[0].Memory.Num, "a person took it"); err != nil {
			return err
		}
		return remember.CountSaves(ctx, o, all)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// approveRead approves the flagged texts that were shown in the draft. The memory may have existed before, with
// other flagged texts that were not shown.
func approveRead(ctx context.Context, o *ledger.Tx, draft engram.Memory, read bool, res *remember.SaveResult) error {
	shown := map[string]bool{}
	if read {
		for _, s := range screen.SuspicionsOf(draft) {
			shown[s.Digest] = true
		}
	}
	if err := o.ApproveThat(ctx, res.Memory, func(s screen.Suspicious) bool { return shown[s.Digest] }); err != nil {
		return err
	}
	warnings, err := screen.WarnAccepted(ctx, o.Store, res.Memory)
	res.Warnings = append(res.Warnings, warnings...)
	return err
}

// pastSession creates the session of a transcript, as ended. It returns "" without an id, or if the id belongs
// to another project's session: then the save uses the open session.
func pastSession(ctx context.Context, o *ledger.Tx, id, project string, at time.Time) (string, error) {
	if id == "" {
		return "", nil
	}
	was, err := o.Store.Session(ctx, id)
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		return "", err
	}
	name, _, ensured := projects.EnsureProject(ctx, o, project)
	switch {
	case ensured != nil:
		return "", ensured
	case err == nil && was.Project != name:
		return "", nil
	case err == nil:
		return id, extendSession(ctx, o, was, at)
	}
	if at.IsZero() {
		at = o.At
	}
	s := engram.Session{ID: id, Project: name, StartedAt: at, ActiveAt: at, EndedAt: at}
	if err := s.Validate(); err != nil {
		return "", err
	}
	return id, o.PutSession(ctx, nil, s, "read in a transcript")
}

// extendSession widens the time span of an imported, finished session to cover its memories.
func extendSession(ctx context.Context, o *ledger.Tx, was engram.Session, at time.Time) error {
	s := was
	if at.IsZero() || at.After(o.At) || s.EndedAt.IsZero() || s.Directory != "" {
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
	return o.PutSession(ctx, &was, s, "more was read in its transcript")
}
