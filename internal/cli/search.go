package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

func (p *program) searchCommand() *cobra.Command {
	var f filterFlags
	var match string
	var o searchFlags
	cmd := &cobra.Command{
		Use:     "search QUERY…",
		Aliases: []string{"query"},
		Short:   "Search memories, best first",
		Long: `Search memories by a question, words, an identifier, a path or a topic key: by words, by meaning and along relations.
Hits below the relevance threshold are listed separately, by title; if there are only such hits, nothing relevant is
stored. A question may name a time ("last week", "in March"), which ranks memories of that time higher. An empty query
("") lists the newest memories. Only the current project is searched unless --all-projects is given.`,
		Example: examples("engram search how long do access tokens live",
			"engram search parseConfig --type bugfix,decision --since 30d --mode fts",
			"engram search 'rate limit' --all-projects --explain",
			"engram search 'token lifetime' --as-of 2026-01-31"),
		Args: between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if match != "any" && match != "all" {
				return invalidf("--match %q is unknown", match).WithHint("use any (one word is enough) or all (every word must match)")
			}
			return p.search(cmd, e, strings.Join(args, " "), f, o, match == "all")
		}),
	}
	f.register(cmd, 10)
	f.registerSuperseded(cmd)
	cmd.Flags().StringVar(&match, "match", "any", "`any`: one word is enough; all: every word must match")
	o.register(cmd)
	return cmd
}

// searchFlags are the search options.
type searchFlags struct {
	mode, fusion    string
	hops            int
	rerank, explain bool
	session         string
	asOf            string
}

func (o *searchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.mode, "mode", string(engine.ModeHybrid), "search `mode`: hybrid, semantic (by meaning) or fts (by words)")
	flags.StringVar(&o.fusion, "fusion", "", "`method` to combine channels: score or rank (default: set by the embedding model)")
	flags.IntVar(&o.hops, "hops", 1, "number of relations to follow from each hit; 0 follows none")
	flags.BoolVar(&o.rerank, "rerank", false, "rerank the best hits with the configured reranker")
	callerFlags(cmd, &o.session, &o.asOf)
	flags.BoolVar(&o.explain, "explain", false, "explain why each memory was found")
}

// searchInput returns the search. The query is printed, so it is checked here and loses its private spans.
func (p *program) searchInput(cmd *cobra.Command, e *engine.Engine, query string, f filterFlags, o searchFlags) (engine.SearchInput, error) {
	in := engine.SearchInput{Query: redact.Private(query), Limit: f.limit, Mode: engine.Mode(o.mode), Fusion: engram.Fusion(o.fusion),
		Hops: &o.hops, Rerank: o.rerank}
	err := engram.CheckText("query", query, engram.MaxContent)
	if err != nil {
		return in, err
	}
	if in.AsOf, err = p.when("as-of", o.asOf, e.Now()); err != nil {
		return in, err
	}
	in.Filter, err = p.filter(cmd, e, f, in.AsOf)
	in.Filter.Current = !f.superseded
	return in, err
}

func (p *program) search(cmd *cobra.Command, e *engine.Engine, query string, f filterFlags, o searchFlags, all bool) error {
	in, err := p.searchInput(cmd, e, query, f, o)
	if err != nil {
		return err
	}
	in.All = all
	found, err := e.SearchIn(cmd.Context(), o.session, in)
	if err != nil {
		return err
	}
	p.warnAll(found.Degraded)
	nothing, err := p.nothing(cmd, e, in.Filter.Project, len(found.Hits) > 0 || !in.AsOf.IsZero())
	if err != nil {
		return err
	}
	return p.answerWrapped(foundOf(in.Query, in.Filter.Project, found), and(nothing, func(b *strings.Builder) {
		writeFound(b, in.Query, found, o.explain, p.zone())
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
	in, err := p.searchInput(cmd, e, query, f, s)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("limit") {
		in.Limit = 0 // the engine's default depends on the budget
	}
	r, err := e.Recall(cmd.Context(), engine.RecallInput{SearchInput: in, Budget: o.budget,
		SessionID: s.session, Again: o.again, Zone: p.zone().Zone})
	if err != nil {
		return err
	}
	p.warnAll(r.Degraded)
	if !p.json && len(r.LeftOut) > 0 {
		p.report(func(b *strings.Builder) { writeLeftOut(b, r) })
	}
	nothing, err := p.nothing(cmd, e, in.Filter.Project, r.Found() || len(r.Items) > 0 || !in.AsOf.IsZero())
	if err != nil {
		return err
	}
	return p.answerWrapped(recalledOf(in.Filter.Project, r), and(nothing, func(b *strings.Builder) { writeRecalled(b, r, s.explain, p.zone()) }))
}

// recalledDoc is the answer of `recall`.
type recalledDoc struct {
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

// writeLeftOut lists the best memories that were left out.
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

func (p *program) contextCommand() *cobra.Command {
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
		Example: examples("engram context", "engram context shop --scope personal", "engram context --budget 800 --session s1"),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 { // before the settings are read
				if err := cmd.Flags().Set("project", args[0]); err != nil {
					return err
				}
			}
			e, err := p.open(cmd)
			if err != nil {
				return err
			}
			return p.context(cmd, e, engine.ContextInput{Superseded: superseded}, scope, all, o)
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only memories of this `scope`: project, personal or global")
	cmd.Flags().BoolVar(&all, "all-projects", false, "of every project")
	cmd.Flags().BoolVar(&superseded, "superseded", false, "include superseded memories")
	o.register(cmd, engine.ContextBudget)
	callerFlags(cmd, &o.session, &o.asOf)
	return cmd
}

func (p *program) context(cmd *cobra.Command, e *engine.Engine, in engine.ContextInput, scope string, all bool, o budgetFlags) error {
	var err error
	in.Budget, in.SessionID, in.Again = o.budget, o.session, o.again
	if in.Scope, err = scopeOf(scope); err != nil {
		return err
	}
	if in.AsOf, err = p.when("as-of", o.asOf, e.Now()); err != nil {
		return err
	}
	if in.Project, err = p.readProjectAt(cmd, e, all, in.AsOf); err != nil {
		return err
	}
	c, err := e.Context(cmd.Context(), in)
	if err != nil {
		return err
	}
	p.warnAll(c.Degraded)
	nothing, err := p.nothing(cmd, e, in.Project, !c.Empty() || len(c.LeftOut) > 0 || !in.AsOf.IsZero())
	if err != nil {
		return err
	}
	return p.answerWrapped(contextOf(in.Project, c, p.zone()), unless(nothing, func(b *strings.Builder) { writeContext(b, c, p.zone()) }))
}

// filterFlags narrow a search or a list.
type filterFlags struct {
	types, tags         []string
	metadata            []string // key=value
	scope, since, until string
	all                 bool
	superseded          bool // include superseded memories
	limit, offset       int
	minStrength         float64
}

// register adds the flags to cmd; limit is the default.
func (f *filterFlags) register(cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.types, "type", nil, "only memories of this `type`, or of several: a,b")
	flags.StringVar(&f.scope, "scope", "", "only memories of this `scope`: project, personal or global")
	flags.StringSliceVar(&f.tags, "tag", nil, "only memories with this `tag`; repeated: with all of them")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "only memories with this metadata `key=value`; repeated: with all of them")
	flags.StringVar(&f.since, "since", "", "only memories created since a `time`: 7d, 12h, 2w, yesterday, 2026-01-31")
	flags.StringVar(&f.until, "until", "", "only memories created before a `time`, in the format of --since")
	flags.BoolVar(&f.all, "all-projects", false, "include every project")
	flags.Float64Var(&f.minStrength, "min-strength", 0, "only memories of at least this strength: `x` from 0 to 1; see engram decay")
	flags.IntVar(&f.limit, "limit", limit, "maximum number of results")
	flagAlias(cmd, "tag", "tags")
}

// registerSuperseded adds --superseded.
func (f *filterFlags) registerSuperseded(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.superseded, "superseded", false, "include superseded memories")
}

// filter returns the Filter for the current project, or for the project at a past time; the zero time is now.
func (p *program) filter(cmd *cobra.Command, e *engine.Engine, f filterFlags, at time.Time) (engram.Filter, error) {
	var out engram.Filter
	if f.limit < 1 {
		return out, invalidf("limit %d is out of range", f.limit).WithHint("use a number from 1")
	}
	if f.offset < 0 {
		return out, invalidf("offset %d is out of range", f.offset).WithHint("use a number from 0")
	}
	for _, t := range f.types {
		out.Types = append(out.Types, engram.Type(strings.TrimSpace(t)))
	}
	out.Tags, out.MinStrength = f.tags, f.minStrength
	var err error
	if out.Metadata, err = metadataOf(f.metadata); err != nil {
		return out, err
	}
	if out.Scope, err = scopeOf(f.scope); err != nil {
		return out, err
	}
	if out.Since, err = p.when("since", f.since, e.Now()); err != nil {
		return out, err
	}
	if out.Until, err = p.when("until", f.until, e.Now()); err != nil {
		return out, err
	}
	out.Project, err = p.readProjectAt(cmd, e, f.all, at)
	return out, err
}

// when parses a time given to a flag; "" is the zero time.
func (p *program) when(flag, given string, now time.Time) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	t, ok := text.When(given, now.In(p.loaded.Timezone))
	if !ok {
		return t, invalidf("--%s %q is not a time", flag, given).WithHint("use %s", text.WhenForms)
	}
	return t, nil
}

// countOf parses an optional number of memories to list.
func countOf(args []string, limit *int) error {
	if len(args) == 0 {
		return nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return invalidf("%q is not a number of memories to show", args[0]).WithHint("use a number from 1")
	}
	*limit = n
	return nil
}

// nothing returns the sentence for an answer without results, "" if there are results or with --json. It
// names the number of memories here and in other projects.
func (p *program) nothing(cmd *cobra.Command, e *engine.Engine, project string, found bool) (string, error) {
	if found || p.json {
		return "", nil
	}
	n, err := e.Nothing(cmd.Context(), project)
	if err != nil {
		return "", err
	}
	return render.Nothing(n, "--all-projects", `engram save "title" "content"`) + "\n", nil
}

// unless writes the sentence of nothing if there is one, else the results.
func unless(nothing string, write func(*strings.Builder)) func(*strings.Builder) {
	return func(b *strings.Builder) {
		if nothing != "" {
			b.WriteString(nothing)
			return
		}
		write(b)
	}
}

// and writes the results, and the sentence of nothing below them.
func and(nothing string, write func(*strings.Builder)) func(*strings.Builder) {
	return func(b *strings.Builder) {
		write(b)
		b.WriteString(nothing)
	}
}
