package engine

import (
	"context"
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
	return e.waitingFor(ctx, project, func(why engram.Deferral) bool { return why == engram.DeferredProposal })
}
