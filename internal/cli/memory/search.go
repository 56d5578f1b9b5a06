package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

func searchCommand(p *command.Program) *cobra.Command {
	var f command.FilterFlags
	var match string
	var o searchFlags
	cmd := &cobra.Command{
		Use:     "search QUERY…",
		Aliases: []string{"query"},
		Short:   "Search memories, best first",
		Long: `Search memories by a question, words, an identifier, a path or a topic key: by words, by meaning and along relations.
Hits below the relevance threshold are listed separately, by title; if there are only such hits, up to three that may be
relevant come first, as uncertain. A question may name a time ("last week", "in March"), which ranks memories of that
time higher. An empty query ("") lists the newest memories. Only the current project is searched unless --all-projects
is given.`,
		Example: command.Examples("engram search how long do access tokens live",
			"engram search parseConfig --type bugfix,decision --since 30d --mode fts",
			"engram search 'rate limit' --all-projects --explain",
			"engram search 'token lifetime' --as-of 2026-01-31"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if match != "any" && match != "all" {
				return command.Invalidf("--match %q is unknown", match).WithHint("use any (one word is enough) or all (every word must match)")
			}
			return runSearch(p, cmd, e, strings.Join(args, " "), f, o, match == "all")
		}),
	}
	f.Register(cmd, 10)
	f.RegisterSuperseded(cmd)
	cmd.Flags().StringVar(&match, "match", "any", "`any`: one word is enough; all: every word must match")
	o.register(cmd)
	return cmd
}

type searchFlags struct {
	mode, fusion    string
	hops            int
	rerank, explain bool
	session         string
	asOf            string
}

func (o *searchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.mode, "mode", string(search.ModeHybrid), "search `mode`: hybrid, semantic (by meaning) or fts (by words)")
	flags.StringVar(&o.fusion, "fusion", "", "`method` to combine channels: score or rank (default: set by the embedding model)")
	flags.IntVar(&o.hops, "hops", 1, "number of relations to follow from each hit; 0 follows none")
	flags.BoolVar(&o.rerank, "rerank", false, "rerank the best hits with the configured reranker")
	callerFlags(cmd, &o.session, &o.asOf)
	flags.BoolVar(&o.explain, "explain", false, "explain why each memory was found")
}

// searchInput returns the search. The query is printed, so it is checked here and loses its private spans.
func searchInput(p *command.Program, cmd *cobra.Command, e *engine.Engine, query string, f command.FilterFlags, o searchFlags) (search.SearchInput, error) {
	in := search.SearchInput{Query: redact.Private(query), Limit: f.Limit, Mode: search.Mode(o.mode), Fusion: engram.Fusion(o.fusion),
		Hops: &o.hops, Rerank: o.rerank}
	err := engram.CheckText("query", query, engram.MaxContent)
	if err != nil {
		return in, err
	}
	if in.AsOf, err = p.When("as-of", o.asOf, e.Now()); err != nil {
		return in, err
	}
	in.Filter, err = p.Filter(cmd, e, f, in.AsOf)
	in.Filter.Current = !f.Superseded
	return in, err
}

func runSearch(p *command.Program, cmd *cobra.Command, e *engine.Engine, query string, f command.FilterFlags, o searchFlags, all bool) error {
	in, err := searchInput(p, cmd, e, query, f, o)
	if err != nil {
		return err
	}
	in.All = all
	found, err := e.SearchIn(cmd.Context(), o.session, in)
	if err != nil {
		return err
	}
	p.WarnAll(found.Degraded)
	nothing, err := p.Nothing(cmd, e, in.Filter.Project, len(found.Hits) > 0 || !in.AsOf.IsZero(), found.Uncertain)
	if err != nil {
		return err
	}
	return p.AnswerWrapped(func() any { return foundOf(in.Query, in.Filter.Project, found) }, command.WithNothing(nothing, func(b *strings.Builder) {
		writeFound(b, in.Query, found, o.explain, p.Zone())
	}))
}

// callerFlags adds --session and --as-of.
func callerFlags(cmd *cobra.Command, session, asOf *string) {
	cmd.Flags().StringVar(session, "session", "", "`id` of the calling session; engram why reports what it was shown")
	cmd.Flags().StringVar(asOf, "as-of", "", "as of a past `time`: 7d, yesterday, 2026-01-31")
}

// budgetFlags are the flags shared by recall and context.
type budgetFlags struct {
	budget  int
	session string
	asOf    string // only of context
	again   bool
}

func (o *budgetFlags) register(cmd *cobra.Command, budget int) {
	cmd.Flags().IntVar(&o.budget, "budget", budget, "token budget; 0 is the default")
	cmd.Flags().BoolVar(&o.again, "again", false, "include memories that the session has already seen")
}

func recallCommand(p *command.Program) *cobra.Command {
	var f command.FilterFlags
	var s searchFlags
	var o budgetFlags
	cmd := &cobra.Command{
		Use:   "recall QUERY…",
		Short: "Answer a question within a token budget",
		Long: `Answer a question with a block of Markdown to paste into a prompt: the best memories, up to a token budget (one token is
about four letters of English, or one character of Chinese, Japanese or Korean). Whole memories are preferred to parts of
long ones, and repetitions are left out. Standard error lists what was left out, with reasons. With --session, memories
that this session has already seen are left out.`,
		Example: command.Examples("engram recall how do we sign in", "engram recall 'release steps' --budget 1000 --session s1",
			"engram recall 'rate limit' --type decision --all-projects --json"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return recall(p, cmd, e, strings.Join(args, " "), f, s, o)
		}),
	}
	f.Register(cmd, 50)
	f.RegisterSuperseded(cmd)
	s.register(cmd)
	o.register(cmd, search.RecallBudget)
	return cmd
}

func recall(p *command.Program, cmd *cobra.Command, e *engine.Engine, query string, f command.FilterFlags, s searchFlags, o budgetFlags) error {
	in, err := searchInput(p, cmd, e, query, f, s)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("limit") {
		in.Limit = 0 // the engine's default depends on the budget
	}
	r, err := e.Recall(cmd.Context(), search.RecallInput{SearchInput: in, Budget: o.budget,
		SessionID: s.session, Again: o.again, Zone: p.Zone().Zone})
	if err != nil {
		return err
	}
	p.WarnAll(r.Degraded)
	if !p.JSON && len(r.LeftOut) > 0 {
		p.Report(func(b *strings.Builder) { writeLeftOut(b, r) })
	}
	nothing, err := p.Nothing(cmd, e, in.Filter.Project, r.Found() || len(r.Items) > 0 || !in.AsOf.IsZero(), r.Uncertain)
	if err != nil {
		return err
	}
	return p.AnswerWrapped(func() any { return recalledOf(in.Filter.Project, r) }, command.WithNothing(nothing, func(b *strings.Builder) { writeRecalled(b, r, s.explain, p.Zone()) }))
}

// RecalledDoc is the answer of `recall`.
type RecalledDoc struct {
	Query    string             `json:"query"`
	Project  string             `json:"project"` // "" is every project
	Budget   int                `json:"budget"`  // in tokens
	Tokens   int                `json:"tokens"`  // estimated tokens of text; at most budget
	Text     string             `json:"text"`    // all items as one block
	Items    []document.Shown   `json:"items"`   // best first
	LeftOut  []document.LeftOut `json:"left_out"`
	Repaired []document.Repair  `json:"repaired"`
	Times    []document.Time    `json:"times"`
	Degraded []string           `json:"degraded"`
}

func recalledOf(project string, r search.Recalled) RecalledDoc {
	d := RecalledDoc{Query: r.Query, Project: project, Budget: r.Budget, Tokens: r.Tokens, Text: r.Text, Items: []document.Shown{},
		LeftOut: document.Each(r.LeftOut, document.LeftOutOf), Repaired: document.Each(r.Repaired, document.RepairOf), Times: document.Each(r.Times, document.TimeOf), Degraded: document.OrEmpty(r.Degraded)}
	for i, item := range r.Items {
		shown := document.ShownOf(i+1, item.Hit, item.Text, item.Whole, item.Tokens)
		shown.Uncertain = r.Uncertain
		d.Items = append(d.Items, shown)
	}
	return d
}

func writeRecalled(b *strings.Builder, r search.Recalled, explain bool, o render.Options) {
	if len(r.Items) == 0 {
		fmt.Fprintf(b, "Nothing to recall for: %s\n", command.Quote(render.Line(r.Query, 100)))
		return
	}
	fmt.Fprintln(b, strings.TrimRight(r.Text, "\n"))
	if explain {
		f := engram.Found{Uncertain: r.Uncertain}
		for _, item := range r.Items {
			f.Hits = append(f.Hits, item.Hit)
		}
		f.Repaired, f.Aliases, f.Times = r.Repaired, r.Aliases, r.Times
		writeWhy(b, f, o)
	}
}

// writeLeftOut lists the best memories that were left out.
func writeLeftOut(b *strings.Builder, r search.Recalled) {
	const most = 10
	fmt.Fprintf(b, "%d of %d tokens used. Left out:\n", r.Tokens, r.Budget)
	for _, l := range r.LeftOut[:min(most, len(r.LeftOut))] {
		fmt.Fprintf(b, "  #%d [%s] %s: %s\n", l.Memory.Num, render.Line(string(l.Memory.Type), 0), render.Line(l.Memory.Title, 100), l.Reason)
	}
	if more := len(r.LeftOut) - most; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

func contextCommand(p *command.Program) *cobra.Command {
	var o budgetFlags
	var scope string
	var all, superseded bool
	cmd := &cobra.Command{
		Use:   "context [PROJECT]",
		Short: "Show what a new session should know",
		Long: `Show what a new session should know: recent sessions, recent prompts and the most valuable memories, up to a token budget
(one token is about four letters of English, or one character of Chinese, Japanese or Korean). Permanent and important
memories, decisions and preferences, and memories that are read often or are new come first. With --session, memories
that this session has already seen are left out, unless nothing else remains.`,
		Example: command.Examples("engram context", "engram context shop --scope personal", "engram context --budget 800 --session s1"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 { // before the settings are read
				if err := cmd.Flags().Set("project", args[0]); err != nil {
					return err
				}
			}
			e, err := p.Open(cmd)
			if err != nil {
				return err
			}
			return showContext(p, cmd, e, brief.ContextInput{Superseded: superseded}, scope, all, o)
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only memories of this `scope`: project, personal or global")
	cmd.Flags().BoolVar(&all, "all-projects", false, "of every project")
	cmd.Flags().BoolVar(&superseded, "superseded", false, "include superseded memories")
	o.register(cmd, search.ContextBudget)
	callerFlags(cmd, &o.session, &o.asOf)
	return cmd
}

func showContext(p *command.Program, cmd *cobra.Command, e *engine.Engine, in brief.ContextInput, scope string, all bool, o budgetFlags) error {
	var err error
	in.Budget, in.SessionID, in.Again = o.budget, o.session, o.again
	if in.Scope, err = command.ScopeOf(scope); err != nil {
		return err
	}
	if in.AsOf, err = p.When("as-of", o.asOf, e.Now()); err != nil {
		return err
	}
	if in.Project, err = p.ReadProjectAt(cmd, e, all, in.AsOf); err != nil {
		return err
	}
	c, err := e.Context(cmd.Context(), in)
	if err != nil {
		return err
	}
	p.WarnAll(c.Degraded)
	nothing, err := p.Nothing(cmd, e, in.Project, !c.Empty() || len(c.LeftOut) > 0 || !in.AsOf.IsZero(), false)
	if err != nil {
		return err
	}
	return p.AnswerWrapped(func() any { return contextOf(in.Project, c, p.Zone()) }, command.UnlessNothing(nothing, func(b *strings.Builder) { writeContext(b, c, p.Zone()) }))
}

// countOf parses an optional number of memories to list.
func countOf(args []string, limit *int) error {
	if len(args) == 0 {
		return nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return command.Invalidf("%q is not a number of memories to show", args[0]).WithHint("use a number from 1")
	}
	*limit = n
	return nil
}

// FoundDoc is the answer of `search`.
type FoundDoc struct {
	Query          string         `json:"query"`
	Project        string         `json:"project"` // "" is every project
	Hits           []document.Hit `json:"hits"`    // best first; empty if nothing may be relevant
	BelowThreshold []document.Hit `json:"weak"`    // below the relevance threshold, best first; ranks continue those of hits
	// How the question was read: unknown words, expressions of time.
	Repaired []document.Repair `json:"repaired"`
	Times    []document.Time   `json:"times"`
	Degraded []string          `json:"degraded"`
}

func foundOf(query, project string, f engram.Found) FoundDoc {
	hits, below := document.HitsOf(f)
	return FoundDoc{Query: query, Project: project, Hits: hits, BelowThreshold: below,
		Repaired: document.Each(f.Repaired, document.RepairOf), Times: document.Each(f.Times, document.TimeOf), Degraded: document.OrEmpty(f.Degraded)}
}

// ContextDoc is the answer of `context`.
type ContextDoc struct {
	Project  string             `json:"project"` // "" is every project
	Text     string             `json:"text"`    // the text for a new session
	Sessions []SessionDoc       `json:"sessions"`
	Prompts  []PromptDoc        `json:"prompts"`
	Memories []document.Marked  `json:"memories"`         // newest first
	Personal []document.Marked  `json:"personal"`         // personal and global memories of other projects, newest first
	Budget   int                `json:"budget"`           // in tokens
	Tokens   int                `json:"tokens"`           // estimated tokens of text
	Again    bool               `json:"again"`            // the session has seen all of them; there is nothing else
	Withheld int                `json:"withheld"`         // memories withheld as instruction-like, pending review
	Left     int                `json:"withheld_prompts"` // prompts left out as instruction-like
	LeftOut  []document.LeftOut `json:"left_out"`         // memories that did not fit, best first
	Degraded []string           `json:"degraded"`
}

func contextOf(project string, c engram.Context, o render.Options) ContextDoc {
	return ContextDoc{project, render.Context(c, o), document.Each(c.Sessions, activityOf), document.Each(c.Prompts, promptOf), document.MarkedOfAll(c.Memories, c.Notes),
		document.MarkedOfAll(c.Personal, c.Notes), c.Budget, c.Tokens, c.Again, c.Withheld, c.WithheldPrompts, document.Each(c.LeftOut, document.LeftOutOf), document.OrEmpty(c.Degraded)}
}

func writeFound(b *strings.Builder, query string, f engram.Found, explain bool, o render.Options) {
	text, cut := render.Search(query, f, o)
	fmt.Fprintln(b, text)
	if explain {
		writeWhy(b, f, o)
	}
	if cut {
		fmt.Fprintf(b, "\nengram get %d shows the whole memory.\n", f.Hits[0].Memory.Num)
	}
}

// factorText describes the effect of a factor on the score: most multiply it, some are added, and the
// relevance only separates the list.
func factorText(f engram.Factor) string {
	if name, added := strings.CutPrefix(f.Name, "+ "); added {
		return fmt.Sprintf("%s + %.4g", name, f.Value)
	}
	if f.Name == "relevance" {
		return fmt.Sprintf("%s %.4g", f.Name, f.Value)
	}
	return fmt.Sprintf("%s × %.4g", f.Name, f.Value)
}

// writeWhy explains how the question was read and how each hit got its rank.
func writeWhy(b *strings.Builder, f engram.Found, o render.Options) {
	if len(f.Hits)+len(f.BelowThreshold) > 0 {
		fmt.Fprint(b, "\nWhy:\n")
	}
	for _, r := range f.Repaired {
		fmt.Fprintf(b, "  %q is not in any memory; searched for %s\n", render.Line(r.Written, 0), render.Line(strings.Join(r.Read, ", "), 0))
	}
	for _, r := range f.Aliases {
		fmt.Fprintf(b, "  %q also stands for %s\n", render.Line(r.Written, 0), render.Line(strings.Join(r.Read, ", "), 0))
	}
	for _, t := range f.Times {
		fmt.Fprintf(b, "  %q was interpreted as %s\n", render.Line(t.Phrase, 0), span(t, o))
	}
	for i, h := range slices.Concat(f.Hits, f.BelowThreshold) {
		fmt.Fprintf(b, "  [%d] #%d score %.4g", i+1, h.Memory.Num, h.Score)
		for _, c := range h.Why.Channels {
			fmt.Fprintf(b, " | %s: rank %d, %.4g", c.Channel, c.Rank, c.Score)
		}
		for _, v := range h.Why.Factors {
			fmt.Fprintf(b, " | %s", factorText(v))
		}
		for _, n := range h.Why.Notes {
			fmt.Fprintf(b, " | %s", render.Line(n, 0))
		}
		if i >= len(f.Hits) || f.Uncertain {
			fmt.Fprint(b, " | below the threshold")
		}
		fmt.Fprintln(b)
	}
}

func span(t engram.TimeSpan, o render.Options) string {
	switch {
	case t.From.IsZero():
		return "before " + render.Time(t.To, o)
	case t.To.IsZero():
		return "since " + render.Time(t.From, o)
	}
	return render.Time(t.From, o) + " to " + render.Time(t.To, o)
}

func writeContext(b *strings.Builder, c engram.Context, o render.Options) {
	switch {
	case c.Empty() && len(c.LeftOut) > 0:
		fmt.Fprintf(b, "Nothing fits into the token budget: %s left out.\n", command.Count(len(c.LeftOut), "memory is", "memories are"))
		return
	case c.Empty():
		fmt.Fprintln(b, "No previous session memories found.")
		return
	}
	fmt.Fprintln(b, strings.TrimRight(render.Context(c, o), "\n"))
}
