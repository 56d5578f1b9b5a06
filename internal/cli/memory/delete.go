package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

func deleteCommand(p *command.Program) *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use:     "delete ID…",
		Aliases: []string{"forget"},
		Short:   "Forget memories; --hard erases them permanently",
		Long: `Forget memories, all of those given or none: they disappear from searches, lists and contexts; list --forgotten shows
them. With --hard they are erased with their revisions and cannot be restored. With --query, memories that contain all of
its words are listed, forgotten after a confirmation, and searched for once more.`,
		Example: command.Examples("engram delete 12 13", "engram delete 12 --hard", "engram forget --query 'old deploy token' --hard",
			"engram delete session s1", "engram delete project shop"),
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("query") {
				return command.ArgumentsBetween(0, 0, cmd, args)
			}
			return command.Arguments(cmd, args)
		},
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if cmd.Flags().Changed("query") {
				return forgetFound(p, cmd, e, f)
			}
			if f.yes || f.dryRun {
				return command.Invalidf("--yes and --dry-run need --query").WithHint("run: %s --help", cmd.CommandPath())
			}
			return deleteMemories(p, cmd, e, args, f.hard)
		}),
	}
	cmd.Flags().BoolVar(&f.hard, "hard", false, "erase permanently")
	cmd.Flags().StringVar(&f.query, "query", "", "forget memories that contain all of these `words`")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --query: skip the confirmation")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --query: preview only")
	cmd.AddCommand(deleteSessionCommand(p), deletePromptCommand(p), deleteProjectCommand(p))
	return cmd
}

func deleteMemories(p *command.Program, cmd *cobra.Command, e *engine.Engine, args []string, hard bool) error {
	refs, err := command.RefsOf(args)
	if err != nil {
		return err
	}
	d, err := e.Delete(cmd.Context(), hard, refs...)
	if err != nil {
		return err
	}
	p.WarnAll(d.Degraded)
	return p.Answer(document.DeletedOf(d.Memories, d.HeldBy, hard), func(b *strings.Builder) {
		writeDeleted(b, rowsOf(d.Memories), hard)
		writeHeld(b, d.HeldBy)
	})
}

// DeletedThingDoc is the answer of `delete session` and `delete prompt --json`.
type DeletedThingDoc struct {
	Kind string `json:"kind"` // session or prompt
	ID   string `json:"id"`
}

func deleteSessionCommand(p *command.Program) *cobra.Command {
	return deleteThing(p, deletion{kind: "session", arg: "ID", short: "Delete a session without memories", example: "engram delete session s1",
		long: "Delete a session without memories. engram undo restores it, unless --hard erased its summary, too.",
		do: func(ctx context.Context, e *engine.Engine, id string, hard bool) (string, string, error) {
			return id, fmt.Sprintf("Session %q deleted", render.Plain(id)), e.DeleteSession(ctx, id, hard)
		}})
}

func deletePromptCommand(p *command.Program) *cobra.Command {
	return deleteThing(p, deletion{kind: "prompt", arg: "NUMBER", short: "Delete a prompt", example: "engram delete prompt 9",
		long: "Delete a prompt. engram undo restores it, unless it was erased with --hard.",
		do: func(ctx context.Context, e *engine.Engine, arg string, hard bool) (string, string, error) {
			num, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
			if err != nil || num < 1 {
				return "", "", command.Invalidf("%q is not a prompt number", arg).WithHint("{prompt list} shows the numbers")
			}
			return strconv.FormatInt(num, 10), fmt.Sprintf("Prompt #%d deleted", num), e.DeletePrompt(ctx, num, hard)
		}})
}

// deletion describes a subcommand of delete; do returns the id of the deleted record, and a sentence.
type deletion struct {
	kind, arg, short, long, example string
	do                              func(ctx context.Context, e *engine.Engine, arg string, hard bool) (id, text string, err error)
}

func deleteThing(p *command.Program, d deletion) *cobra.Command {
	var hard bool
	cmd := &cobra.Command{Use: d.kind + " " + d.arg, Short: d.short, Long: d.long, Example: d.example}
	cmd.RunE = p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
		id, text, err := d.do(cmd.Context(), e, args[0], hard)
		if err != nil {
			return err
		}
		return p.Answer(DeletedThingDoc{d.kind, id}, func(b *strings.Builder) { fmt.Fprintln(b, text) })
	})
	cmd.Flags().BoolVar(&hard, "hard", false, "erase permanently")
	return cmd
}

// DeletedProjectDoc is the answer of `delete project --json`.
type DeletedProjectDoc struct {
	Project  string `json:"project"`
	Hard     bool   `json:"hard"`
	Memories int    `json:"memories"`
	Prompts  int    `json:"prompts"`
	Sessions int    `json:"sessions"` // 0 unless hard
	// HeldBy are copies of the erased text that this command cannot reach.
	HeldBy []document.Trace `json:"held_by"`
}

func deleteProjectCommand(p *command.Program) *cobra.Command {
	var hard bool
	cmd := &cobra.Command{
		Use:   "project NAME",
		Short: "Forget a project's memories and delete its prompts",
		Long: `Forget a project's memories and delete its prompts. With --hard the memories are erased, and its sessions and the project
itself are deleted, too.`,
		Example: command.Examples("engram delete project old-shop", "engram delete project old-shop --hard"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if strings.TrimSpace(args[0]) == "" {
				return engram.Errorf(engram.CodeInvalid, "project name is empty").WithHint("{projects list} shows the names")
			}
			d, err := e.DeleteProject(cmd.Context(), args[0], hard)
			if err != nil {
				return err
			}
			p.WarnAll(d.Degraded)
			doc := DeletedProjectDoc{args[0], hard, d.Memories, d.Prompts, d.Sessions, document.Each(d.HeldBy, document.TraceOf)}
			return p.Answer(doc, func(b *strings.Builder) {
				fmt.Fprintf(b, "Project %q %s: %s, %s, %s\n", render.Plain(args[0]), howDeleted(hard),
					command.Count(d.Memories, "memory", "memories"), command.Count(d.Prompts, "prompt", "prompts"), command.Count(d.Sessions, "session", "sessions"))
				writeHeld(b, d.HeldBy)
			})
		}),
	}
	cmd.Flags().BoolVar(&hard, "hard", false, "erase permanently")
	return cmd
}

// mostAtOnce is the most memories that one question covers: as many as a person can check.
const mostAtOnce = 50

type forgetFlags struct {
	query             string
	hard, yes, dryRun bool
}

// ForgottenDoc is the answer of `delete --query --json`.
type ForgottenDoc struct {
	Query   string                 `json:"query"`
	DryRun  bool                   `json:"dry_run"` // nothing was changed
	Hard    bool                   `json:"hard"`
	Found   []document.MemoryTitle `json:"found"`
	Deleted []document.MemoryTitle `json:"deleted"`
	Left    int                    `json:"left"`    // deleted memories that the query still finds
	HeldBy  []document.Trace       `json:"held_by"` // copies of the erased text that this command cannot reach
	// Elsewhere are prompts and session summaries that contain all the words, too.
	Elsewhere []elsewhereDoc `json:"elsewhere"`
}

func writeHeld(b *strings.Builder, held []engram.Trace) {
	if len(held) == 0 {
		return
	}
	fmt.Fprintln(b, "The text is still contained in:")
	for _, t := range held {
		fmt.Fprintf(b, "  %s %s\n", t.Kind, render.Plain(t.Where))
	}
}

// forgetFound shows what the query finds, asks which of it to forget, forgets it, and repeats the query as
// the proof.
func forgetFound(p *command.Program, cmd *cobra.Command, e *engine.Engine, f forgetFlags) error {
	f.query = redact.Private(f.query) // it is printed
	found, err := matches(p, cmd, e, f.query)
	if err != nil {
		return err
	}
	doc := ForgottenDoc{Query: f.query, DryRun: f.dryRun, Hard: f.hard, Found: rowsOf(found), Deleted: []document.MemoryTitle{}, HeldBy: []document.Trace{}}
	chosen := found
	if !f.yes && !f.dryRun && len(found) > 0 {
		if chosen, err = choose(p, found); err != nil {
			return err
		}
	}
	if doc.Elsewhere, err = elsewhere(p, cmd, e, f.query); err != nil {
		return err
	}
	if f.dryRun || len(chosen) == 0 {
		return p.Answer(doc, func(b *strings.Builder) {
			writeForgotten(b, doc)
			writeElsewhere(b, doc.Elsewhere)
		})
	}
	refs := document.Each(chosen, func(m engram.Memory) engram.Ref { return engram.ByNum(m.Num) })
	d, err := e.Delete(cmd.Context(), f.hard, refs...)
	if err != nil {
		return err
	}
	p.WarnAll(d.Degraded)
	again, err := matches(p, cmd, e, f.query)
	if err != nil {
		return err
	}
	doc.Deleted, doc.HeldBy = rowsOf(d.Memories), document.Each(d.HeldBy, document.TraceOf)
	for _, m := range again {
		if slices.ContainsFunc(d.Memories, func(g engram.Memory) bool { return g.Num == m.Num }) {
			doc.Left++
		}
	}
	if doc.Left > 0 {
		return engram.Errorf(engram.CodeInternal, "a search still finds %d of the forgotten memories", doc.Left)
	}
	return p.Answer(doc, func(b *strings.Builder) {
		writeForgotten(b, doc)
		writeHeld(b, d.HeldBy)
		writeElsewhere(b, doc.Elsewhere)
	})
}

// matches returns the memories that contain all words of the query. A search without words would return
// the newest memories, so hits of other channels are left out.
func matches(p *command.Program, cmd *cobra.Command, e *engine.Engine, query string) ([]engram.Memory, error) {
	if strings.TrimSpace(query) == "" {
		return nil, command.Invalidf("--query is empty").WithHint("give words that the memories to forget contain")
	}
	if err := engram.CheckText("query", query, engram.MaxContent); err != nil {
		return nil, err
	}
	name, err := p.ReadProject(cmd, e, false)
	if err != nil {
		return nil, err
	}
	res, err := e.Search(cmd.Context(), search.SearchInput{Query: query, Filter: engram.Filter{Project: name}, Limit: mostAtOnce, All: true, Own: true})
	if err != nil {
		return nil, err
	}
	var found []engram.Memory
	for _, h := range res.Hits {
		if slices.ContainsFunc(h.Why.Channels, func(c engram.ChannelRank) bool {
			return c.Channel == engram.ChannelLexical || c.Channel == engram.ChannelTopic
		}) {
			found = append(found, h.Memory)
		}
	}
	return found, nil
}

// choose shows the memories and asks which of them to forget.
func choose(p *command.Program, found []engram.Memory) ([]engram.Memory, error) {
	p.Report(func(b *strings.Builder) { writeRows(b, rowsOf(found)) })
	answer, err := p.Ask("Forget which? [all, numbers such as "+strconv.FormatInt(found[0].Num, 10)+", or nothing for none]",
		"--yes, or --dry-run to preview")
	if err != nil || answer == "" || answer == "none" || answer == "n" || answer == "no" {
		return nil, err
	}
	if answer == "all" || answer == "y" || answer == "yes" {
		return found, nil
	}
	var chosen []engram.Memory
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		num, err := strconv.ParseInt(strings.TrimPrefix(word, "#"), 10, 64)
		at := slices.IndexFunc(found, func(m engram.Memory) bool { return m.Num == num })
		if err != nil || at < 0 {
			return nil, command.Invalidf("%q is not one of the memories shown", word).WithHint("use the numbers after #; nothing was forgotten")
		}
		chosen = append(chosen, found[at])
	}
	return chosen, nil
}

func rowsOf(list []engram.Memory) []document.MemoryTitle {
	return document.Each(list, document.MemoryTitleOf)
}

func writeRows(b *strings.Builder, rows []document.MemoryTitle) {
	for _, r := range rows {
		fmt.Fprintf(b, "  #%d %s\n", r.Num, render.Line(r.Title, 0))
	}
}

func writeForgotten(b *strings.Builder, doc ForgottenDoc) {
	switch {
	case len(doc.Found) == 0:
		fmt.Fprintf(b, "No memory contains all the words of %q.\n", render.Plain(doc.Query))
	case doc.DryRun:
		fmt.Fprintf(b, "Would forget %s:\n", command.Count(len(doc.Found), "memory", "memories"))
		writeRows(b, doc.Found)
	case len(doc.Deleted) == 0:
		fmt.Fprintln(b, "Nothing was forgotten.")
	default:
		writeDeleted(b, doc.Deleted, doc.Hard)
		fmt.Fprintln(b, "Checked: a search finds none of them any more.")
	}
}

// elsewhereDoc is another record with all the words, which `delete --query` does not delete.
type elsewhereDoc struct {
	Kind   string `json:"kind"`   // prompt or session
	ID     string `json:"id"`     // its number, or its id
	Remove string `json:"remove"` // the command that erases it
}

// elsewhere finds prompts and session summaries that contain the words.
func elsewhere(p *command.Program, cmd *cobra.Command, e *engine.Engine, query string) ([]elsewhereDoc, error) {
	name, err := p.ReadProject(cmd, e, false)
	if err != nil {
		return nil, err
	}
	found, err := e.Elsewhere(cmd.Context(), query, name)
	if err != nil {
		return nil, err
	}
	docs := document.Each(found.Prompts, func(m engram.Prompt) elsewhereDoc {
		num := strconv.FormatInt(m.Num, 10)
		return elsewhereDoc{"prompt", num, "engram delete prompt " + num + " --hard"}
	})
	for _, s := range found.Sessions {
		docs = append(docs, elsewhereDoc{"session", s.ID, engram.Call{"delete", "session", s.ID, "--hard"}.String()})
	}
	return docs, nil
}

func writeElsewhere(b *strings.Builder, docs []elsewhereDoc) {
	if len(docs) == 0 {
		return
	}
	prompts := 0
	for _, d := range docs {
		if d.Kind == "prompt" {
			prompts++
		}
	}
	fmt.Fprintf(b, "The text is still contained in %s and %s:\n", command.Count(prompts, "prompt", "prompts"),
		command.Count(len(docs)-prompts, "session summary", "session summaries"))
	for _, d := range docs {
		fmt.Fprintf(b, "  %s\n", render.Plain(d.Remove))
	}
	if len(docs) > prompts {
		fmt.Fprintln(b, "A session can be deleted when its memories are erased.")
	}
}

func howDeleted(hard bool) string {
	if hard {
		return "permanently deleted"
	}
	return "soft-deleted"
}

func writeDeleted(b *strings.Builder, deleted []document.MemoryTitle, hard bool) {
	for _, m := range deleted {
		fmt.Fprintf(b, "Memory #%d %s\n", m.Num, howDeleted(hard))
	}
}
