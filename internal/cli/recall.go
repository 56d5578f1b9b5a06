package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// sessionUsage is what help says of --session.
const sessionUsage = "`id` of the calling session; engram why reports what it was shown"

// budgetFlags say how much is shown, and to whom; recall and context share them.
type budgetFlags struct {
	budget  int
	session string
	asOf    string // of a context
	again   bool
}

func (o *budgetFlags) register(cmd *cobra.Command, budget int) {
	cmd.Flags().IntVar(&o.budget, "budget", budget, "token budget; 0 is the default")
	cmd.Flags().BoolVar(&o.again, "again", false, "include memories that the session has already seen")
}

func (p *program) recallCommand() *cobra.Command {
	var f filterFlags
	var s searchFlags
	var o budgetFlags
	cmd := &cobra.Command{
		Use:   "recall QUERY…",
		Short: "Answer a question within a token budget",
		Long: `Answer a question with a block of Markdown to paste into a prompt: the best memories, up to a token budget (one token is
about four letters of English, or one character of Chinese, Japanese or Korean). Whole memories are preferred to parts of
long ones, and repetitions are left out. Standard error lists what was left out, with reasons. With --session, memories
that this session has already seen are left out.`,
		Example: examples("engram recall how do we sign in", "engram recall 'release steps' --budget 1000 --session s1",
			"engram recall 'rate limit' --type decision --all-projects --json"),
		Args: between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return p.recall(cmd, e, strings.Join(args, " "), f, s, o)
		}),
	}
	f.register(cmd, 50)
	f.registerSuperseded(cmd)
	s.register(cmd)
	o.register(cmd, engine.RecallBudget)
	return cmd
}

func (p *program) recall(cmd *cobra.Command, e *engine.Engine, query string, f filterFlags, s searchFlags, o budgetFlags) error {
	if err := engram.CheckText("query", query, engram.MaxContent); err != nil {
		return err
	}
	at, err := p.when("as-of", s.asOf, e.Now())
	if err != nil {
		return err
	}
	filter, err := p.filter(cmd, e, f, at)
	if err != nil {
		return err
	}
	filter.Current = !f.superseded
	limit := 0 // the engine's default follows the budget
	if cmd.Flags().Changed("limit") {
		limit = f.limit
	}
	in := s.input(redact.Private(query), filter, limit)
	in.AsOf = at
	r, err := e.Recall(cmd.Context(), engine.RecallInput{SearchInput: in, Budget: o.budget,
		SessionID: s.session, Again: o.again, Zone: p.zone().Zone})
	if err != nil {
		return err
	}
	p.warnAll(r.Degraded)
	if !p.json && len(r.LeftOut) > 0 {
		p.tell(func(b *strings.Builder) { writeLeftOut(b, r) })
	}
	nothing, err := p.nothing(cmd, e, filter.Project, r.Found() || len(r.Items) > 0 || !at.IsZero())
	if err != nil {
		return err
	}
	return p.answerWrapped(recalledOf(filter.Project, r), and(nothing, func(b *strings.Builder) { writeRecalled(b, r, s.explain, p.zone()) }))
}

// recalledDoc is the answer of `recall`.
type recalledDoc struct {
	Query    string             `json:"query"`
	Project  string             `json:"project"` // "" is every project
	Budget   int                `json:"budget"`  // in tokens
	Tokens   int                `json:"tokens"`  // what text costs, about; never more than budget
	Text     string             `json:"text"`    // all items as one block to paste
	Items    []document.Shown   `json:"items"`   // best first
	LeftOut  []document.LeftOut `json:"left_out"`
	Repaired []document.Repair  `json:"repaired"`
	Times    []document.Time    `json:"times"`
	Degraded []string           `json:"degraded"`
}

func recalledOf(project string, r engine.Recalled) recalledDoc {
	d := recalledDoc{Query: r.Query, Project: project, Budget: r.Budget, Tokens: r.Tokens, Text: r.Text, Items: []document.Shown{},
		LeftOut: document.Each(r.LeftOut, document.LeftOutOf), Repaired: document.Each(r.Repaired, document.RepairOf), Times: document.Each(r.Times, document.TimeOf), Degraded: document.OrEmpty(r.Degraded)}
	for i, item := range r.Items {
		d.Items = append(d.Items, document.ShownOf(i+1, item.Hit, item.Text, item.Whole, item.Tokens))
	}
	return d
}

func writeRecalled(b *strings.Builder, r engine.Recalled, explain bool, o render.Options) {
	if len(r.Items) == 0 {
		fmt.Fprintf(b, "Nothing to recall for: %s\n", quote(render.Line(r.Query, 100)))
		return
	}
	fmt.Fprintln(b, strings.TrimRight(r.Text, "\n"))
	if explain {
		f := engram.Found{}
		for _, item := range r.Items {
			f.Hits = append(f.Hits, item.Hit)
		}
		f.Repaired, f.Times = r.Repaired, r.Times
		writeWhy(b, f, o)
	}
}

// writeLeftOut says what was left out: the first few, which came nearest.
func writeLeftOut(b *strings.Builder, r engine.Recalled) {
	const most = 10
	fmt.Fprintf(b, "%d of %d tokens used. Left out:\n", r.Tokens, r.Budget)
	for _, l := range r.LeftOut[:min(most, len(r.LeftOut))] {
		fmt.Fprintf(b, "  #%d [%s] %s: %s\n", l.Memory.Num, render.Line(string(l.Memory.Type), 0), render.Line(l.Memory.Title, 100), l.Reason)
	}
	if more := len(r.LeftOut) - most; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}
