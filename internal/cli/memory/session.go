package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/render"
)

func sessionCommand(p *command.Program) *cobra.Command {
	cmd := command.Group("session", "Start, end, list, show and summarise sessions",
		command.Examples("engram session start s1", "engram session summary 'Moved tokens to cookies' --session s1", "engram session end s1"),
		sessionStartCommand(p), sessionEndCommand(p), sessionListCommand(p), sessionShowCommand(p), sessionSummaryCommand(p))
	cmd.Aliases = []string{"sessions"}
	return cmd
}

func sessionStartCommand(p *command.Program) *cobra.Command {
	var directory string
	cmd := &cobra.Command{
		Use:     "start [ID]",
		Short:   "Start a session; repeating it changes nothing",
		Long:    "Start a session and print its id. Without an id a new one is generated; starting the same session again changes nothing.",
		Example: command.Examples("engram session start", "engram session start s1 --directory ~/src/shop"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			var err error
			in := remember.SessionInput{Directory: cmp.Or(directory, p.Dir)}
			if len(args) > 0 {
				if in.ID = args[0]; strings.TrimSpace(in.ID) == "" {
					return command.Invalidf("the id is empty").WithHint("leave it out to generate one")
				}
			}
			if in.Project, err = p.WriteProject(cmd, e); err != nil {
				return err
			}
			s, err := e.StartSession(cmd.Context(), in)
			if err != nil {
				return err
			}
			return p.Answer(sessionOf(s), func(b *strings.Builder) {
				fmt.Fprintf(b, "Session %q started for project %q\n", render.Plain(s.ID), render.Plain(s.Project))
			})
		}),
	}
	cmd.Flags().StringVar(&directory, "directory", "", "`folder` it runs in (default: the working directory)")
	return cmd
}

func sessionEndCommand(p *command.Program) *cobra.Command {
	var summary string
	cmd := &cobra.Command{
		Use:     "end [ID]",
		Short:   "End a session, by default the open one of the project",
		Example: command.Examples("engram session end", "engram session end s1 --summary 'Tokens live in cookies now'"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			summary, err := p.Text(summary)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				project, err := p.ReadProject(cmd, e, false)
				if err != nil {
					return err
				}
				id, err := e.RunningSession(cmd.Context(), project)
				if err != nil {
					return err
				}
				args = []string{id}
			}
			ended, err := e.EndSession(cmd.Context(), args[0], summary)
			if err != nil {
				return err
			}
			// Agents may end unknown sessions; for a person it is a typing error.
			if !ended.Known {
				return engram.Errorf(engram.CodeNotFound, "session %q does not exist", args[0]).WithHint("{session list} shows the sessions")
			}
			s, err := e.Session(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p.WarnAll(ended.Warnings)
			return p.Answer(sessionOf(s), func(b *strings.Builder) { fmt.Fprintf(b, "Session %q completed\n", render.Plain(s.ID)) })
		}),
	}
	cmd.Flags().StringVar(&summary, "summary", "", "summary `text`; - reads standard input")
	return cmd
}

func sessionListCommand(p *command.Program) *cobra.Command {
	return listing[engram.SessionActivity]{
		use: "list", short: "List sessions, newest activity first", limit: 20, pages: true,
		example: command.Examples("engram session list", "engram session list --all-projects --limit 50"),
		read: func(ctx context.Context, e *engine.Engine, project string, page engram.Page, _ []string) ([]engram.SessionActivity, error) {
			return e.Sessions(ctx, project, page)
		},
		doc: sessionsOf, write: writeSessions,
	}.command(p)
}

func sessionShowCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show a session and what was saved in it",
		Example: command.Examples("engram session show s1"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			s, err := e.Session(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			list, err := e.ListNoted(cmd.Context(), engram.Filter{SessionID: s.ID}, engram.Page{Limit: 1000}, time.Time{})
			if err != nil {
				return err
			}
			doc := SessionShownDoc{sessionOf(s), document.MarkedOfAll(list.Memories, list.Notes)}
			return p.AnswerRows(doc, func(b *strings.Builder) { writeSession(b, s, list, p.Zone()) })
		}),
	}
}

func sessionSummaryCommand(p *command.Program) *cobra.Command {
	var session, origin string
	cmd := &cobra.Command{
		Use:     "summary CONTENT|-",
		Short:   "Save a session summary as a memory",
		Example: command.Examples("engram session summary 'Moved tokens to cookies' --session s1", "engram session summary - < summary.md"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			content, err := p.Text(args[0])
			if err != nil {
				return err
			}
			in := remember.SaveInput{Content: content, SessionID: session, NewSession: true, Directory: p.Dir}
			if in.Origin, err = originOf(origin); err != nil {
				return err
			}
			if in.Project, err = p.WriteProject(cmd, e); err != nil {
				return err
			}
			saved, err := e.Summarize(cmd.Context(), in)
			if err != nil {
				return err
			}
			return answerSaved(p, saved)
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "session `id` (default: the project's open session)")
	originFlag(cmd, &origin)
	return cmd
}

// listing is a command that lists things of a project other than memories.
type listing[T any] struct {
	use, short, example string
	limit               int  // default of --limit
	pages               bool // the list has --offset and takes no arguments; otherwise arguments are required
	read                func(ctx context.Context, e *engine.Engine, project string, page engram.Page, args []string) ([]T, error)
	doc                 func(project string, list []T, page engram.Page) any
	write               func(*strings.Builder, []T, render.Options)
}

func (l listing[T]) command(p *command.Program) *cobra.Command {
	var all bool
	var page engram.Page
	cmd := &cobra.Command{Use: l.use, Short: l.short, Example: l.example}
	cmd.Flags().IntVar(&page.Limit, "limit", l.limit, "maximum number of results")
	where := "in every project"
	if l.pages {
		where = "of every project"
		cmd.Flags().IntVar(&page.Offset, "offset", 0, "skip this many first")
	}
	cmd.Flags().BoolVar(&all, "all-projects", false, where)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if page.Limit < 1 || page.Offset < 0 {
			return command.Invalidf("limit %d, offset %d is out of range", page.Limit, page.Offset).
				WithHint("use a limit from 1 and an offset from 0")
		}
		e, err := p.Open(cmd)
		if err != nil {
			return err
		}
		project, err := p.ReadProject(cmd, e, all)
		if err != nil {
			return err
		}
		list, err := l.read(cmd.Context(), e, project, page, args)
		if err != nil {
			return err
		}
		nothing, err := p.Nothing(cmd, e, project, len(list) > 0 || page.Offset > 0, false)
		if err != nil {
			return err
		}
		return p.AnswerRows(l.doc(project, list, page), command.WithNothing(nothing, func(b *strings.Builder) { l.write(b, list, p.Zone()) }))
	}
	return cmd
}

func promptCommand(p *command.Program) *cobra.Command {
	cmd := command.Group("prompt", "Save, list and search prompts",
		command.Examples("engram prompt save 'make login survive a restart'", "engram prompt search login"),
		promptSaveCommand(p), promptListCommand(p), promptSearchCommand(p))
	cmd.Aliases = []string{"prompts"}
	return cmd
}

func promptSaveCommand(p *command.Program) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:     "save CONTENT|-",
		Short:   "Save a prompt",
		Example: command.Examples("engram prompt save 'make login survive a restart' --session s1"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			content, err := p.Text(args[0])
			if err != nil {
				return err
			}
			in := remember.PromptInput{Content: content, SessionID: session, NewSession: true, Directory: p.Dir}
			if in.Project, err = p.WriteProject(cmd, e); err != nil {
				return err
			}
			saved, err := e.SavePrompt(cmd.Context(), in)
			if err != nil {
				return err
			}
			p.WarnAll(saved.Warnings)
			return p.Answer(promptOf(saved.Prompt), func(b *strings.Builder) {
				fmt.Fprintf(b, "Prompt saved: #%d %q\n", saved.Num, render.Plain(render.Preview(saved.Content, 80)))
			})
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "session `id` (default: the project's open session)")
	return cmd
}

func promptListCommand(p *command.Program) *cobra.Command {
	return listing[engram.Prompt]{
		use: "list", short: "List prompts, newest first", limit: 20, pages: true,
		example: command.Examples("engram prompt list", "engram prompt list --limit 50 --all-projects"),
		read: func(ctx context.Context, e *engine.Engine, project string, page engram.Page, _ []string) ([]engram.Prompt, error) {
			return e.Prompts(ctx, project, page)
		},
		doc: promptsOf, write: writePrompts,
	}.command(p)
}

func promptSearchCommand(p *command.Program) *cobra.Command {
	return listing[engram.Prompt]{
		use: "search QUERY…", short: "Search prompts by their words", limit: 10,
		example: command.Examples("engram prompt search login restart"),
		read: func(ctx context.Context, e *engine.Engine, project string, page engram.Page, words []string) ([]engram.Prompt, error) {
			return e.SearchPrompts(ctx, strings.Join(words, " "), project, page.Limit)
		},
		doc: promptsOf, write: writePrompts,
	}.command(p)
}

// SessionDoc is the answer of `session start` and `session end`.
type SessionDoc struct {
	ID        string             `json:"id"`
	Project   string             `json:"project"`
	Directory string             `json:"directory"`
	StartedAt document.Timestamp `json:"started_at"`
	EndedAt   document.Timestamp `json:"ended_at"` // null while it is open
	ActiveAt  document.Timestamp `json:"active_at"`
	Summary   string             `json:"summary"`
	Flagged   []string           `json:"suspect,omitempty"`  // why the summary is flagged as instruction-like; absent if it is not
	Memories  *int               `json:"memories,omitempty"` // live memories; only in lists of sessions
}

func sessionOf(s engram.Session) SessionDoc {
	return SessionDoc{s.ID, s.Project, s.Directory, document.Timestamp(s.StartedAt), document.Timestamp(s.EndedAt), document.Timestamp(s.ActiveAt), s.Summary, engineread.FlaggedSummary(s), nil}
}

func activityOf(s engram.SessionActivity) SessionDoc {
	d := sessionOf(s.Session)
	d.Memories = &s.Memories
	return d
}

// SessionsDoc is the answer of `session list`.
type SessionsDoc struct {
	Project  string       `json:"project"` // "" is every project
	Limit    int          `json:"limit"`
	Offset   int          `json:"offset"`
	Sessions []SessionDoc `json:"sessions"` // newest activity first
}

func sessionsOf(project string, list []engram.SessionActivity, page engram.Page) any {
	return SessionsDoc{project, page.Limit, page.Offset, document.Each(list, activityOf)}
}

// SessionShownDoc is the answer of `session show`.
type SessionShownDoc struct {
	Session  SessionDoc        `json:"session"`
	Memories []document.Marked `json:"memories"` // newest first
}

// PromptDoc is the answer of `prompt save`.
type PromptDoc struct {
	Num       int64              `json:"num"`
	SyncID    string             `json:"sync_id"`
	SessionID string             `json:"session_id"`
	Project   string             `json:"project"`
	Content   string             `json:"content"`
	CreatedAt document.Timestamp `json:"created_at"`
}

func promptOf(p engram.Prompt) PromptDoc {
	return PromptDoc{p.Num, p.SyncID, p.SessionID, p.Project, p.Content, document.Timestamp(p.CreatedAt)}
}

// PromptsDoc is the answer of `prompt list` and `prompt search`.
type PromptsDoc struct {
	Project string      `json:"project"` // "" is every project
	Prompts []PromptDoc `json:"prompts"`
}

func promptsOf(project string, list []engram.Prompt, _ engram.Page) any {
	return PromptsDoc{project, document.Each(list, promptOf)}
}

func writeSessions(b *strings.Builder, list []engram.SessionActivity, o render.Options) {
	if len(list) == 0 {
		fmt.Fprintln(b, "No sessions.")
	}
	for _, s := range list {
		fmt.Fprintf(b, "%s (%s) %s, %s\n", render.Line(s.ID, 0), render.Line(s.Project, 0), render.Time(s.StartedAt, o), command.Count(s.Memories, "memory", "memories"))
		if s.Summary != "" {
			fmt.Fprintf(b, "    %s\n", render.Summary(s.Session, 200, engineread.FlaggedSummary(s.Session)))
		}
	}
}

func writeSession(b *strings.Builder, s engram.Session, list engineread.Listed, o render.Options) {
	fmt.Fprintf(b, "Session %s\n  Project: %s\n  Started: %s\n", render.Line(s.ID, 0), render.Line(s.Project, 0), render.Time(s.StartedAt, o))
	if !s.EndedAt.IsZero() {
		fmt.Fprintf(b, "  Ended: %s\n", render.Time(s.EndedAt, o))
	}
	if s.Directory != "" {
		fmt.Fprintf(b, "  Directory: %s\n", render.Line(s.Directory, 0))
	}
	if s.Summary != "" {
		fmt.Fprintf(b, "  Summary: %s\n", render.Summary(s, 0, engineread.FlaggedSummary(s)))
	}
	fmt.Fprintf(b, "  %s\n", command.Count(len(list.Memories), "memory", "memories"))
	for _, m := range list.Memories {
		writeLine(b, m, list.Notes[m.Num])
		writeMarks(b, list.Notes[m.Num], "    ")
	}
}

func writePrompts(b *strings.Builder, list []engram.Prompt, o render.Options) {
	if len(list) == 0 {
		fmt.Fprintln(b, "No prompts.")
	}
	for _, p := range list {
		fmt.Fprintf(b, "#%d %s (%s): %s\n", p.Num, render.Time(p.CreatedAt, o), render.Line(p.Project, 0), render.Line(p.Content, 200))
	}
}
