package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

type ingestInput struct {
	merge, dryRun bool
	batch         int
	said          string // --origin
	origin        engram.Origin
}

func ingestCommand(p *command.Program) *cobra.Command {
	var in ingestInput
	cmd := &cobra.Command{
		Use:   "ingest [FILE|-|JSON]",
		Short: "Save many memories from JSON",
		Long: `Save many memories from JSON: a list of objects, or one object per line (JSONL), from a file, standard input or the
argument itself. An object has content and optionally title, type, scope, project, topic_key, session_id, tool_name, tags,
metadata, importance, permanent, files (a list of values as for save --file) and related; any other field is an error.

Each batch of --batch memories is one transaction: if one memory is invalid, none of its batch is saved. The command
reports its position and the reason, saves the other batches, and exits with 2. Memories that already exist stay
unchanged, so correct the file and run the command again. Memory use does not grow with the size of the file.`,
		Example: command.Examples("engram ingest memories.jsonl", `engram ingest '[{"title":"Ports","content":"The shop listens on 8443."}]'`, "engram ingest memories.jsonl --dry-run", `jq -c '.notes[]' notes.json | engram ingest - --merge --json`),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if in.batch < 1 || in.batch > remember.MaxBatch {
				return command.Invalidf("--batch %d is out of range", in.batch).WithHint("use a number from 1 to %d", remember.MaxBatch)
			}
			in.origin = engram.OriginImport
			if in.said != "" {
				var err error
				if in.origin, err = originOf(in.said); err != nil {
					return err
				}
			}
			return ingest(p, cmd, e, command.Argument(args, 0, "-"), in)
		}),
	}
	cmd.Flags().BoolVar(&in.merge, "merge", false, "merge near-duplicates")
	cmd.Flags().StringVar(&in.said, "origin", "", "`origin`: human, agent or tool (default: imported)")
	cmd.Flags().IntVar(&in.batch, "batch", remember.MaxBatch, "memories per batch (saved all or none), from 1 to 100")
	cmd.Flags().BoolVar(&in.dryRun, "dry-run", false, "preview without changing anything")
	return cmd
}

func ingest(p *command.Program, cmd *cobra.Command, e *engine.Engine, name string, in ingestInput) error {
	file, err := jsonReader(p, name)
	if err != nil {
		return err
	}
	defer file.Close()
	run := ingestion{p: p, in: in, doc: newIngestedDoc(in.dryRun), save: e.Ingest, try: e.TryBatch}
	if in.dryRun {
		run.save = run.try
	}
	if run.project, err = p.WriteProject(cmd, e); err != nil {
		return err
	}
	begun := e.Now()
	run.bar = p.Progress("saving")
	err = run.all(cmd.Context(), newDrafts(exchange.Unpack(file)))
	run.bar.End()
	if err != nil {
		return run.doc.failed(err)
	}
	if run.doc.Contested > 0 && !in.dryRun {
		// Candidates flagged meanwhile may be gone: a later item can supersede what an earlier one
		// contradicted.
		pending := relate.ConflictFilter{Status: engram.RelationPending, Since: begun, Page: engram.Page{Limit: 1}}
		if _, run.doc.Contested, err = e.Conflicts(cmd.Context(), pending); err != nil {
			return err
		}
	}
	p.WarnBeside(run.doc.Warnings...)
	if err := p.Answer(run.doc, run.doc.write); err != nil {
		return err
	}
	return run.doc.verdict()
}

// jsonReader is FileReader for arguments that may be JSON themselves.
func jsonReader(p *command.Program, name string) (io.ReadCloser, error) {
	if start := strings.TrimSpace(name); strings.HasPrefix(start, "[") || strings.HasPrefix(start, "{") {
		return io.NopCloser(strings.NewReader(start)), nil
	}
	return p.FileReader(name)
}

// ingestion is one run of `ingest`, batch by batch.
type ingestion struct {
	p       *command.Program
	in      ingestInput
	project string
	// try is save with a rollback; a dry run uses it for both.
	save, try func(context.Context, []remember.SaveInput) ([]remember.SaveResult, error)
	bar       *command.Progress
	doc       IngestedDoc
}

func (g *ingestion) all(ctx context.Context, from *drafts) error {
	for {
		batch, err := from.next(g.in.batch)
		if err != nil || len(batch) == 0 {
			return err
		}
		g.doc.Read += len(batch)
		if err := g.one(ctx, batch); err != nil {
			return err
		}
		g.bar.Report(g.doc.Read, 0)
	}
}

// one saves a batch, or rejects its invalid items. If some items cannot be parsed, the others are only
// validated.
func (g *ingestion) one(ctx context.Context, batch []draftItem) error {
	var saves []remember.SaveInput
	var fine []int // indexes in batch of the items in saves
	for i := range batch {
		d := &batch[i]
		var save remember.SaveInput
		if d.err == nil {
			save, d.err = saveOf(g.p, d.draft, g.project, g.in)
		}
		if d.err == nil {
			saves, fine = append(saves, save), append(fine, i)
		}
	}
	save := g.save
	if len(fine) < len(batch) {
		save = g.try
	}
	if len(fine) > 0 {
		saved, err := save(ctx, saves)
		refused, ok := errors.AsType[*remember.BatchError](err)
		switch {
		case ok:
			for _, item := range refused.Items {
				batch[fine[item.Index]].err = item.Err
			}
		case err != nil:
			return err
		case len(fine) == len(batch):
			g.doc.add(saved)
			return nil
		}
	}
	for _, d := range batch {
		if d.err != nil {
			g.reject(d, d.err)
		} else {
			g.doc.Unsaved++
		}
	}
	return nil
}

// reject records an invalid item, in the answer only the first thousand.
func (g *ingestion) reject(d draftItem, err error) {
	g.doc.Wrong++
	if g.doc.Wrong > mostIngested {
		return
	}
	row := rejectedRow{Item: d.place, Line: d.line, Code: engram.CodeOf(err), Reason: command.MessageOf(err)}
	g.doc.Rejected = append(g.doc.Rejected, row)
	if !g.p.JSON {
		g.bar.End()
		g.p.Warn(row.String())
	}
}

// failed returns err, which ended the run, with the number of memories saved before.
func (d *IngestedDoc) failed(err error) error {
	if n := d.saved(); n > 0 && !d.DryRun {
		if known, ok := errors.AsType[*engram.Error](err); ok {
			return engram.Errorf(known.Code, "%d memories were saved, then: %s", n, known.Msg).
				WithHint("%s", strings.ReplaceAll(known.Hint, "nothing was changed", "the others were not saved")).WithCause(known.Err)
		}
	}
	return err
}

// verdict returns an error if items were invalid.
func (d *IngestedDoc) verdict() error {
	if d.Wrong == 0 {
		return nil
	}
	err := command.Invalidf("%s wrong", command.Count(d.Wrong, "memory is", "memories are"))
	others := "nothing was saved"
	if n := d.saved(); n > 0 {
		others = command.Count(n, "other was saved", "others were saved")
	}
	switch {
	case d.DryRun:
		return err.WithHint("see the reasons above")
	case d.Unsaved > 0:
		return err.WithHint("%s; %s valid, but a batch is saved all or none: correct the file and run the command again, or use --batch 1", others, command.Count(d.Unsaved, "memory is", "memories are"))
	}
	return err.WithHint("%s; see the reasons above", others)
}

func saveOf(p *command.Program, d document.Draft, project string, o ingestInput) (remember.SaveInput, error) {
	in := remember.SaveInput{Title: d.Title, Content: d.Content, Type: d.Type, Project: d.Project, TopicKey: d.TopicKey,
		SessionID: d.SessionID, NewSession: true, Directory: p.Dir, ToolName: d.ToolName, Origin: o.origin,
		Tags: d.Tags, Metadata: d.Metadata, Importance: d.Importance, Permanent: d.Permanent, Files: d.Files, Once: true}
	if in.Project == "" && in.SessionID == "" {
		in.Project = project
	}
	if o.merge {
		in.Admit = remember.AdmitMerging
	}
	var err error
	if in.Scope, err = command.ScopeOf(d.Scope); err != nil {
		return in, err
	}
	in.Related, err = command.RefsOf(d.Related)
	return in, err
}

// mostIngested limits the rows of the answer: a file may have any number of memories.
const mostIngested = 1000

// IngestedDoc is the answer of `ingest`.
type IngestedDoc struct {
	Read     int                   `json:"read"`     // items in the input, valid or not
	DryRun   bool                  `json:"dry_run"`  // nothing was saved; the other fields say what would have been
	Saved    map[ledger.Action]int `json:"saved"`    // number of memories by action
	Rejected []rejectedRow         `json:"rejected"` // invalid items in input order, at most a thousand
	Wrong    int                   `json:"wrong"`    // number of invalid items
	Unsaved  int                   `json:"unsaved"`  // valid items that were not saved because their batch has an invalid one
	// Contested is the number of pending pairs that may contradict each other, including those not listed.
	Contested int           `json:"contested"`
	Warnings  []string      `json:"warnings"`
	Memories  []ingestedRow `json:"memories"` // saved memories in input order, at most a thousand
	Ops       int           `json:"ops"`      // number of operations to undo; 0 if nothing was changed
	FirstOp   int64         `json:"first_op"` // the first operation; 0 if there is no operation
	LastOp    int64         `json:"last_op"`  // the last operation
}

// rejectedRow is an invalid item of the input.
type rejectedRow struct {
	Item   int         `json:"item"` // position, from 1
	Line   int         `json:"line"` // line where it begins, from 1
	Code   engram.Code `json:"code"`
	Reason string      `json:"reason"`
}

func (r rejectedRow) String() string {
	return fmt.Sprintf("memory %d (line %d): %s", r.Item, r.Line, r.Reason)
}

type ingestedRow struct {
	document.Named
	Action     ledger.Action        `json:"action"`
	Reason     string               `json:"reason"`
	Candidates []document.Candidate `json:"candidates"`
}

func newIngestedDoc(dryRun bool) IngestedDoc {
	return IngestedDoc{DryRun: dryRun, Saved: map[ledger.Action]int{}, Rejected: []rejectedRow{}, Warnings: []string{}, Memories: []ingestedRow{}}
}

// saved returns the number of new or changed memories.
func (d *IngestedDoc) saved() (n int) {
	for action, of := range d.Saved {
		if action != ledger.ActionRepeated { // it existed already
			n += of
		}
	}
	return n
}

// add records a saved batch.
func (d *IngestedDoc) add(saved []remember.SaveResult) {
	if op := saved[0].Op; op != 0 {
		if d.FirstOp == 0 {
			d.FirstOp = op
		}
		d.LastOp = op
		d.Ops++
	}
	for _, s := range saved {
		d.Saved[s.Action]++
		d.Contested += len(s.Candidates)
		if len(d.Memories) < mostIngested {
			d.Memories = append(d.Memories, ingestedRow{document.NamedOf(s.Memory), s.Action, s.Reason, document.Each(s.Candidates, candidateOf)})
		}
		for _, w := range s.Warnings {
			if len(d.Warnings) < mostIngested && !slices.Contains(d.Warnings, w) {
				d.Warnings = append(d.Warnings, w)
			}
		}
	}
}

func (d *IngestedDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s read", command.Count(d.Read, "memory", "memories"))
	between := ": "
	part := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(b, "%s%d %s", between, n, what)
			between = ", "
		}
	}
	part(d.Saved[ledger.ActionInserted], string(ledger.ActionInserted))
	part(d.Saved[ledger.ActionRevised], string(ledger.ActionRevised))
	part(d.Saved[ledger.ActionRepeated], "unchanged")
	part(d.Saved[ledger.ActionMerged], string(ledger.ActionMerged))
	part(d.Wrong, "wrong")
	part(d.Unsaved, "skipped with its batch")
	fmt.Fprintln(b, command.Would(d.DryRun, " (dry run)", ""))
	if d.DryRun {
		return
	}
	if d.Contested > 0 {
		fmt.Fprintf(b, "%s of memories may contradict each other: engram conflicts list\n", command.Count(d.Contested, "pair", "pairs"))
	}
	switch d.Ops {
	case 0:
	case 1:
		fmt.Fprintf(b, "To undo: engram undo %d\n", d.FirstOp)
	default: // other writers may have operations in between
		fmt.Fprintf(b, "To undo: engram undo %d..%d --verb ingest\n", d.FirstOp, d.LastOp)
	}
}
