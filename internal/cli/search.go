package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/redact"
)

func (p *program) searchCommand() *cobra.Command {
	var f filterFlags
	var match string
	var o searchFlags
	cmd := &cobra.Command{
		Use:     "search QUERY…",
		Aliases: []string{"query"},
		Short:   "Find memories, best first",
		Long: `Find memories by a question, words, an identifier, a path or a topic key: by words, by meaning and over relations.
What is too far from the question is listed apart, by title; when all of it is, nothing relevant is stored. A question
may say when ("last week", "in March"): memories of that time come forward. No query is an error; an empty one shows
the newest. Only the project in force is searched unless --all-projects is given.`,
		Example: examples("engram search how long do access tokens live",
			"engram search parseConfig --type bugfix,decision --since 30d --mode fts",
			"engram search 'rate limit' --all-projects --explain",
			"engram search 'token lifetime' --as-of 2026-01-31"),
		Args: between(1, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if match != "any" && match != "all" {
				return invalidf("--match %q is unknown", match).WithHint("any: one word is enough; all: every word must be there")
			}
			return p.search(cmd, e, strings.Join(args, " "), f, o, match == "all")
		}),
	}
	f.register(cmd, 10)
	f.registerSuperseded(cmd)
	cmd.Flags().StringVar(&match, "match", "any", "`any` word is enough, or all must be there")
	o.register(cmd)
	return cmd
}

// searchFlags say how to search.
type searchFlags struct {
	mode, fusion    string
	hops            int
	rerank, explain bool
	session         string
	asOf            string
}

func (o *searchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.mode, "mode", string(engine.ModeHybrid), "`how` to find: hybrid, semantic (by meaning) or fts (by words)")
	flags.StringVar(&o.fusion, "fusion", "", "join the channels by `what`: score or rank (default: as the embedding model says)")
	flags.IntVar(&o.hops, "hops", 1, "how far to follow relations from what was found; 0: not at all")
	flags.BoolVar(&o.rerank, "rerank", false, "let the configured reranker order the best again")
	flags.StringVar(&o.session, "session", "", "the session that asks, by its `id`: engram why tells what it was shown")
	flags.StringVar(&o.asOf, "as-of", "", "what would have been found at a past `time`: 7d, yesterday, 2026-01-31")
	flags.BoolVar(&o.explain, "explain", false, "say why each memory was found")
}

// input puts the flags into a search.
func (o searchFlags) input(query string, filter engram.Filter, limit int) engine.SearchInput {
	return engine.SearchInput{Query: query, Filter: filter, Limit: limit, Mode: engine.Mode(o.mode), Fusion: engram.Fusion(o.fusion),
		Hops: &o.hops, Rerank: o.rerank}
}

func (p *program) search(cmd *cobra.Command, e *engine.Engine, query string, f filterFlags, o searchFlags, all bool) error {
	// Checked here because the terminal shows the query again.
	if err := engram.CheckText("query", query, engram.MaxContent); err != nil {
		return err
	}
	query = redact.Private(query) // it is shown again
	at, err := p.when("as-of", o.asOf, e.Now())
	if err != nil {
		return err
	}
	filter, err := p.filter(cmd, e, f, at)
	if err != nil {
		return err
	}
	filter.Current = !f.superseded
	in := o.input(query, filter, f.limit)
	in.All, in.AsOf = all, at
	found, err := e.SearchIn(cmd.Context(), o.session, in)
	if err != nil {
		return err
	}
	p.warnAll(found.Degraded)
	nothing, err := p.nothing(cmd, e, filter.Project, len(found.Hits) > 0 || !at.IsZero())
	if err != nil {
		return err
	}
	return p.answerWrapped(foundOf(query, filter.Project, found), and(nothing, func(b *strings.Builder) {
		writeFound(b, query, found, o.explain, p.zone())
	}))
}
