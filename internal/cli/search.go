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
	var explain bool
	cmd := &cobra.Command{
		Use:     "search QUERY…",
		Aliases: []string{"query"},
		Short:   "Find memories, best first",
		Long: `Find memories by a question, words, an identifier, a path or a topic key. No query is an error; an empty one
shows the newest. Only the project in force is searched unless --all-projects is given.`,
		Example: examples("engram search how long do access tokens live",
			"engram search parseConfig --type bugfix,decision --since 30d",
			"engram search 'rate limit' --all-projects --explain"),
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if match != "any" && match != "all" {
				return invalidf("--match %q is unknown", match).WithHint("any: one word is enough; all: every word must be there")
			}
			return p.search(cmd, strings.Join(args, " "), f, match == "all", explain)
		},
	}
	f.register(cmd, 10)
	cmd.Flags().StringVar(&match, "match", "any", "`any` word is enough, or all must be there")
	cmd.Flags().BoolVar(&explain, "explain", false, "say why each memory was found")
	return cmd
}

func (p *program) search(cmd *cobra.Command, query string, f filterFlags, all, explain bool) error {
	// Checked here because the terminal shows the query again.
	if err := engram.CheckText("query", query, engram.MaxContent); err != nil {
		return err
	}
	query = redact.Private(query) // it is shown again
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	filter, err := p.filter(cmd, e, f)
	if err != nil {
		return err
	}
	found, err := e.Search(cmd.Context(), engine.SearchInput{Query: query, Filter: filter, Limit: f.limit, All: all})
	if err != nil {
		return err
	}
	for _, d := range found.Degraded {
		p.warn(d)
	}
	return p.answer(foundOf(query, filter.Project, found), func(b *strings.Builder) {
		writeFound(b, query, found, explain, p.zone())
	})
}
