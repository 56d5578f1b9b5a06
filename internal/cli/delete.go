package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) deleteCommand() *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use:     "delete ID…",
		Aliases: []string{"forget"},
		Short:   "Forget memories; --hard erases them permanently",
		Long: `Forget memories, all of those given or none: they disappear from searches, lists and contexts; list --forgotten shows
them. With --hard they are erased with their revisions and cannot be restored. With --query, memories that contain all of
its words are listed, forgotten after a confirmation, and searched for once more.`,
		Example: examples("engram delete 12 13", "engram delete 12 --hard", "engram forget --query 'old deploy token' --hard",
			"engram delete session s1", "engram delete project shop"),
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("query") {
				return between(0, 0)(cmd, args)
			}
			return between(1, -1)(cmd, args)
		},
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if cmd.Flags().Changed("query") {
				return p.forgetFound(cmd, e, f)
			}
			if f.yes || f.dryRun {
				return invalidf("--yes and --dry-run need --query").WithHint("run: %s --help", cmd.CommandPath())
			}
			return p.delete(cmd, e, args, f.hard)
		}),
	}
	cmd.Flags().BoolVar(&f.hard, "hard", false, "erase permanently")
	cmd.Flags().StringVar(&f.query, "query", "", "forget memories that contain all of these `words`")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --query: skip the confirmation")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --query: preview only")
	cmd.AddCommand(p.deleteSessionCommand(), p.deletePromptCommand(), p.deleteProjectCommand())
	return cmd
}

func (p *program) delete(cmd *cobra.Command, e *engine.Engine, args []string, hard bool) error {
	refs, err := refsOf(args)
	if err != nil {
		return err
	}
	d, err := e.Delete(cmd.Context(), hard, refs...)
	if err != nil {
		return err
	}
	p.warnAll(d.Degraded)
	return p.answer(document.DeletedOf(d.Memories, d.HeldBy, hard), func(b *strings.Builder) {
		writeDeleted(b, d.Memories, hard)
		writeHeld(b, d.HeldBy)
	})
}

// deletedThingDoc is the answer of `delete session` and `delete prompt --json`.
type deletedThingDoc struct {
	Kind string `json:"kind"` // session or prompt
	ID   string `json:"id"`
}

func (p *program) deleteSessionCommand() *cobra.Command {
	var hard bool
	cmd := &cobra.Command{
		Use:     "session ID",
		Short:   "Delete a session without memories",
		Long:    "Delete a session without memories. engram undo restores it, unless --hard erased its summary, too.",
		Example: examples("engram delete session s1"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if err := e.DeleteSession(cmd.Context(), args[0], hard); err != nil {
				return err
			}
			return p.answer(deletedThingDoc{"session", args[0]}, func(b *strings.Builder) {
				fmt.Fprintf(b, "Session %q deleted\n", render.Plain(args[0]))
			})
		}),
	}
	cmd.Flags().BoolVar(&hard, "hard", false, "erase permanently")
	return cmd
}

func (p *program) deletePromptCommand() *cobra.Command {
	var hard bool
	cmd := &cobra.Command{
		Use:     "prompt NUMBER",
		Short:   "Delete a prompt",
		Long:    "Delete a prompt. engram undo restores it, unless it was erased with --hard.",
		Example: examples("engram delete prompt 9"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			num, err := strconv.ParseInt(strings.TrimPrefix(args[0], "#"), 10, 64)
			if err != nil || num < 1 {
				return invalidf("%q is not a prompt number", args[0]).WithHint("{prompt list} shows the numbers")
			}
			if err := e.DeletePrompt(cmd.Context(), num, hard); err != nil {
				return err
			}
			return p.answer(deletedThingDoc{"prompt", strconv.FormatInt(num, 10)}, func(b *strings.Builder) {
				fmt.Fprintf(b, "Prompt #%d deleted\n", num)
			})
		}),
	}
	cmd.Flags().BoolVar(&hard, "hard", false, "erase permanently")
	return cmd
}

// deletedProjectDoc is the answer of `delete project --json`.
type deletedProjectDoc struct {
	Project  string `json:"project"`
	Hard     bool   `json:"hard"`
	Memories int    `json:"memories"`
	Prompts  int    `json:"prompts"`
	Sessions int    `json:"sessions"` // 0 unless hard
	// HeldBy are who holds what was erased all the same.
	HeldBy []document.Trace `json:"held_by"`
}

func (p *program) deleteProjectCommand() *cobra.Command {
	var hard bool
	cmd := &cobra.Command{
		Use:   "project NAME",
		Short: "Forget a project's memories and delete its prompts",
		Long: `Forget a project's memories and delete its prompts. With --hard the memories are erased, and its sessions and the project
itself are deleted, too.`,
		Example: examples("engram delete project old-shop", "engram delete project old-shop --hard"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if strings.TrimSpace(args[0]) == "" {
				return engram.Errorf(engram.CodeInvalid, "project name is empty").WithHint("{projects list} shows the names")
			}
			d, err := e.DeleteProject(cmd.Context(), args[0], hard)
			if err != nil {
				return err
			}
			p.warnAll(d.Degraded)
			doc := deletedProjectDoc{args[0], hard, d.Memories, d.Prompts, d.Sessions, document.Each(d.HeldBy, document.TraceOf)}
			return p.answer(doc, func(b *strings.Builder) {
				fmt.Fprintf(b, "Project %q %s: %s, %s, %s\n", render.Plain(args[0]), howDeleted(hard),
					count(d.Memories, "memory", "memories"), count(d.Prompts, "prompt", "prompts"), count(d.Sessions, "session", "sessions"))
				writeHeld(b, d.HeldBy)
			})
		}),
	}
	cmd.Flags().BoolVar(&hard, "hard", false, "erase permanently")
	return cmd
}
