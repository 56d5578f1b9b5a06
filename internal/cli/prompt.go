package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) promptCommand() *cobra.Command {
	cmd := group("prompt", "Save, list and search prompts",
		examples("engram prompt save 'make login survive a restart'", "engram prompt search login"),
		p.promptSaveCommand(), p.promptListCommand(), p.promptSearchCommand())
	cmd.Aliases = []string{"prompts"}
	return cmd
}

func (p *program) promptSaveCommand() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:     "save CONTENT|-",
		Short:   "Save a prompt",
		Example: examples("engram prompt save 'make login survive a restart' --session s1"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			content, err := p.text(args[0])
			if err != nil {
				return err
			}
			in := engine.PromptInput{Content: content, SessionID: session, NewSession: true, Directory: p.Dir}
			if in.Project, err = p.writeProject(cmd, e); err != nil {
				return err
			}
			saved, err := e.SavePrompt(cmd.Context(), in)
			if err != nil {
				return err
			}
			p.warnAll(saved.Warnings)
			return p.answer(promptOf(saved.Prompt), func(b *strings.Builder) {
				fmt.Fprintf(b, "Prompt saved: #%d %q\n", saved.Num, render.Plain(render.Preview(saved.Content, 80)))
			})
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "session `id` (default: the project's open session)")
	return cmd
}

func (p *program) promptListCommand() *cobra.Command {
	var all bool
	var page engram.Page
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List prompts, newest first",
		Example: examples("engram prompt list", "engram prompt list --limit 50 --all-projects"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, project, err := p.openPage(cmd, page, all)
			if err != nil {
				return err
			}
			list, err := e.Prompts(cmd.Context(), project, page)
			if err != nil {
				return err
			}
			nothing, err := p.nothing(cmd, e, project, len(list) > 0 || page.Offset > 0)
			if err != nil {
				return err
			}
			return p.answerRows(promptsOf(project, list), and(nothing, func(b *strings.Builder) { writePrompts(b, list, p.zone()) }))
		},
	}
	pageFlags(cmd, &page, &all, 20)
	return cmd
}

func (p *program) promptSearchCommand() *cobra.Command {
	var all bool
	var limit int
	cmd := &cobra.Command{
		Use:     "search QUERY…",
		Short:   "Search prompts by their words",
		Example: examples("engram prompt search login restart"),
		Args:    between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, project, err := p.openPage(cmd, engram.Page{Limit: limit}, all)
			if err != nil {
				return err
			}
			list, err := e.SearchPrompts(cmd.Context(), strings.Join(args, " "), project, limit)
			if err != nil {
				return err
			}
			nothing, err := p.nothing(cmd, e, project, len(list) > 0)
			if err != nil {
				return err
			}
			return p.answerRows(promptsOf(project, list), and(nothing, func(b *strings.Builder) { writePrompts(b, list, p.zone()) }))
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "maximum number of results")
	cmd.Flags().BoolVar(&all, "all-projects", false, "in every project")
	return cmd
}
