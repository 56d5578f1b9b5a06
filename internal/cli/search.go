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
	flags.StringVar(&o.mode, "mode", string(engine.ModeHybrid), "search `mode`: hybrid, semantic (by meaning) or fts (by words)")
	flags.StringVar(&o.fusion, "fusion", "", "`method` to combine channels: score or rank (default: set by the embedding model)")
	flags.IntVar(&o.hops, "hops", 1, "number of relations to follow from each hit; 0 follows none")
	flags.BoolVar(&o.rerank, "rerank", false, "rerank the best hits with the configured reranker")
	flags.StringVar(&o.session, "session", "", "`id` of the calling session; engram why reports what it was shown")
	flags.StringVar(&o.asOf, "as-of", "", "as of a past `time`: 7d, yesterday, 2026-01-31")
	flags.BoolVar(&o.explain, "explain", false, "explain why each memory was found")
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
