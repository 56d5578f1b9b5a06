// Package complete answers the shells: it completes commands, flags and the names of what is stored, and prints the
// scripts by which shells ask for that.
package complete

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/review"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Shells ask for completions with the hidden command __complete. The tables below hold the completions by
// flag name and command path; anything else has none.

const (
	// completionPatience is the longest time a key press may take; after it nothing is offered.
	completionPatience = 300 * time.Millisecond
	completionMost     = 30 // as many as fit on a screen
)

// suggest returns the completions at a position: args are the arguments before it, typed is the beginning of
// the word.
type suggest func(p *command.Program, cmd *cobra.Command, args []string, typed string) []string

// Register registers the completions in the tree. Only completion requests call it, so that other commands
// do not pay for it.
func Register(p *command.Program, root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.InitDefaultHelpCmd() // otherwise cobra adds it later
	arguments, flags := argumentWords(), flagWords()
	command.ForEach(root, func(c *cobra.Command) {
		path := command.PathOf(c)
		if words, known := arguments[path]; known && c.ValidArgsFunction == nil {
			c.ValidArgsFunction = completion(p, words)
		}
		register := func(f *pflag.Flag) {
			if words, known := flags[path+" --"+f.Name]; known {
				_ = c.RegisterFlagCompletionFunc(f.Name, completion(p, words)) // an existing registration stays
			} else if words, known := flags["--"+f.Name]; known {
				_ = c.RegisterFlagCompletionFunc(f.Name, completion(p, words))
			}
		}
		c.LocalFlags().VisitAll(register)
	})
}

// completion converts words to cobra's type. nil words complete file names.
func completion(p *command.Program, words suggest) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if words == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return words(p, cmd, args, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// argumentWords returns the completions of arguments by command.
func argumentWords() map[string]suggest {
	types, verbs := fixed(command.Texts(engram.KnownTypes())...), fixed(command.Texts(engram.Verbs())...)
	return map[string]suggest{
		"capture": nil, "eval": nil, "import": nil, "export": nil, "migrate": nil, "ingest": nil, "projects detect": nil,
		"backfill":         atFirst(fixed(app.BackfillSources()...)),
		"conflicts ignore": atFirst(candidates), "conflicts judge": inTurn(candidates, fixed(command.Texts(relate.Verdicts())...)), "conflicts show": atFirst(candidates),
		"setup": fixed(append(app.AgentNames(), "all")...), "setup status": fixed(app.AgentNames()...),
		"completion": atFirst(fixed("bash", "zsh", "fish", "powershell")),
		"context":    atFirst(projects), "delete project": atFirst(projects), "projects decay": atFirst(projects), "projects merge": projects,
		"projects prune": projects, "projects rename": atFirst(projects),
		"decay": memories, "delete": memories, "get": atFirst(memories), "graph": atFirst(memories), "history": atFirst(memories),
		"log": atFirst(memories), "mark": atFirst(memories), "restore": atFirst(memories), "review done": memories, "review snooze": memories,
		"sync accept": pending, "sync drop": pending, "sync deferred": atFirst(pending),
		"timeline": atFirst(memories), "update": atFirst(memories),
		"tag":         inTurn(memories, fixed("add", "remove", "list")),
		"link":        inTurn(memories, verbs, memories),
		"unlink":      inTurn(memories, verbs, memories),
		"session end": atFirst(sessions), "session show": atFirst(sessions), "delete session": atFirst(sessions), "why": atFirst(sessions),
		"topic": atFirst(types), "undo": atFirst(operations), "help": commandWords, "man": commandWords,
		"config get": atFirst(settingKeys), "config set": inTurn(settingKeys, settingValues), "config unset": atFirst(settingKeys),
	}
}

// flagWords returns the completions of flags: "--name" for every command, or "path --name" for one.
func flagWords() map[string]suggest {
	return map[string]suggest{
		"--data-dir": nil, "--directory": nil, "--write": nil,
		"--project": projects, "--move-to": projects, "--into": projects,
		"--session": sessions, "--type": several(fixed(command.Texts(engram.KnownTypes())...)), "--topic": topics, "--related": memories,
		"--scope":      fixed(string(engram.ScopeProject), string(engram.ScopePersonal), string(engram.ScopeGlobal)),
		"--color":      fixed("auto", "always", "never"),
		"--mode":       fixed(string(search.ModeHybrid), string(search.ModeSemantic), string(search.ModeLexical)),
		"--fusion":     fixed(string(engram.FusionScore), string(engram.FusionRank)),
		"--match":      fixed("any", "all"),
		"--curve":      fixed(command.Texts(engram.Curves())...),
		"--relation":   several(fixed(command.Texts(engram.Verbs())...)),
		"--check":      fixed(command.Texts(health.IDs())...),
		"--tools":      several(fixed("agent", "core", "admin", "mem", "memory", "recall", "all")),
		"--since":      fixed("1d", "7d", "2w", "30d", "yesterday", "today"),
		"--until":      fixed("1d", "7d", "2w", "30d", "yesterday", "today"),
		"--as-of":      fixed("1d", "7d", "2w", "30d", "yesterday"),
		"--for":        fixed("7d", "30d", "3mo", "6mo"),
		"--actor":      fixed("cli", "http", "mcp"),
		"sleep --only": several(fixed("fade", "boost", "merge", "prune", "extract")),

		"conflicts deferred --status": fixed("deferred", "dead"), "conflicts list --status": fixed(command.Texts(relate.ConflictStatuses())...),
		"graph --format": fixed("text", "json", "dot", "mermaid"), "export --format": fixed("json", "mem", "obsidian", "markdown"),
		"migrate --from": fixed(app.ForeignSystems()...),
		"import --mode":  fixed(string(exchange.ImportMerge), string(exchange.ImportReplace)),
		"stats --by":     fixed("project", "type", "day", "week", "month"), "setup service --system": fixed("systemd", "launchd", "windows"),
		"man --dir": nil, "obsidian-export --graph-config": fixed("preserve", "force", "skip"),
	}
}

func fixed(words ...string) suggest {
	return func(*command.Program, *cobra.Command, []string, string) []string { return words }
}

// atFirst offers words for the first argument only.
func atFirst(words suggest) suggest { return inTurn(words) }

// inTurn offers the n-th words for the n-th argument.
func inTurn(each ...suggest) suggest {
	return func(p *command.Program, cmd *cobra.Command, args []string, typed string) []string {
		if len(args) >= len(each) {
			return nil
		}
		return each[len(args)](p, cmd, args, typed)
	}
}

// several offers words for each part of a comma-separated list.
func several(words suggest) suggest {
	return func(p *command.Program, cmd *cobra.Command, args []string, typed string) []string {
		before := typed[:strings.LastIndex(typed, ",")+1]
		said := strings.Split(before, ",")
		var out []string
		for _, w := range words(p, cmd, args, typed[len(before):]) {
			if !slices.Contains(said, w) {
				out = append(out, before+w)
			}
		}
		return out
	}
}

// settingKeys offers the keys of config.toml.
func settingKeys(*command.Program, *cobra.Command, []string, string) []string {
	return document.Each(config.Keys(), func(k config.Key) string { return described(k.Name, k.About) })
}

// commandWords offers the subcommands of the command path typed so far.
func commandWords(_ *command.Program, cmd *cobra.Command, args []string, _ string) (out []string) {
	above, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil
	}
	for _, c := range above.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, described(c.Name(), c.Short))
		}
	}
	return out
}

// settingValues offers the values of the key before it.
func settingValues(_ *command.Program, _ *cobra.Command, args []string, _ string) []string {
	k, err := config.Named(args[0])
	switch {
	case err != nil || k.Secret:
		return nil
	case k.Kind == config.Switch:
		return []string{"true", "false"}
	}
	var words []string
	for i, word := range strings.Split(k.Range, "`") { // the parts between back quotes
		if i%2 == 1 && !strings.ContainsAny(word, "=") {
			words = append(words, word)
		}
	}
	return words
}

// look reads for a completion. It creates no database and ignores errors, since a key press must have no side
// effect.
func look(p *command.Program, cmd *cobra.Command, read func(ctx context.Context, e *engine.Engine, project string) []string) []string {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
	defer cancel()
	e, err := p.Open(cmd)
	if err != nil {
		return nil
	}
	if !app.Exists(*p.Loaded) {
		return nil
	}
	project, err := p.ReadProject(cmd, e, false)
	if err != nil {
		project = "" // a folder without memories: offer all projects
	}
	return read(ctx, e, project)
}

// described returns a word with its description, as shells show it.
func described(word, what string) string { return word + "\t" + render.Line(what, 60) }

// offer returns completions that read finds in the store; word returns how one is written, and its
// description.
func offer[T any](p *command.Program, cmd *cobra.Command, read func(context.Context, *engine.Engine, string) ([]T, error), word func(T) (word, about string)) []string {
	return look(p, cmd, func(ctx context.Context, e *engine.Engine, project string) (out []string) {
		all, err := read(ctx, e, project)
		if err != nil {
			return nil
		}
		for _, one := range all {
			if name, about := word(one); name != "" {
				out = append(out, described(name, about))
			}
		}
		return out
	})
}

// notIn returns word, or "" if it is one of args already.
func notIn(args []string, word string) string {
	if slices.Contains(args, word) {
		return ""
	}
	return word
}

func projects(p *command.Program, cmd *cobra.Command, args []string, _ string) []string {
	return offer(p, cmd, func(ctx context.Context, e *engine.Engine, _ string) ([]engram.ProjectCounts, error) {
		return e.Projects(ctx)
	}, func(c engram.ProjectCounts) (string, string) {
		return notIn(args, c.Name), command.Count(c.Memories, "memory", "memories")
	})
}

func sessions(p *command.Program, cmd *cobra.Command, _ []string, _ string) []string {
	return offer(p, cmd, func(ctx context.Context, e *engine.Engine, project string) ([]engram.SessionActivity, error) {
		return e.Sessions(ctx, project, engram.Page{Limit: completionMost})
	}, func(s engram.SessionActivity) (string, string) {
		return s.ID, render.Time(s.ActiveAt, p.Zone()) + " " + s.Summary
	})
}

// memories offers the newest memories by number, or topics if the word begins with "topic:".
func memories(p *command.Program, cmd *cobra.Command, args []string, typed string) []string {
	if typed != "" && strings.HasPrefix("topic:", typed[:min(len(typed), len("topic:"))]) {
		return document.Each(topics(p, cmd, args, ""), func(key string) string { return "topic:" + key })
	}
	return offer(p, cmd, func(ctx context.Context, e *engine.Engine, project string) ([]engram.Memory, error) {
		return e.List(ctx, engram.Filter{Project: project, Current: true}, engram.Page{Limit: completionMost})
	}, func(m engram.Memory) (string, string) { return strconv.FormatInt(m.Num, 10), m.Title })
}

// topics offers the topic keys of recently changed memories.
func topics(p *command.Program, cmd *cobra.Command, _ []string, _ string) []string {
	const lately = 500
	return offer(p, cmd, func(ctx context.Context, e *engine.Engine, project string) ([]engram.Memory, error) {
		all, err := e.List(ctx, engram.Filter{Project: project}, engram.Page{Limit: lately})
		all = slices.DeleteFunc(all, func(m engram.Memory) bool { return m.TopicKey == "" })
		return all[:min(len(all), completionMost)], err
	}, func(m engram.Memory) (string, string) { return m.TopicKey, fmt.Sprintf("#%d %s", m.Num, m.Title) })
}

// candidates offers pending candidates.
func candidates(p *command.Program, cmd *cobra.Command, _ []string, _ string) []string {
	return offer(p, cmd, func(ctx context.Context, e *engine.Engine, project string) ([]relate.Conflict, error) {
		all, _, err := e.Conflicts(ctx, relate.ConflictFilter{Project: project, Status: engram.RelationPending, Page: engram.Page{Limit: completionMost}})
		return all, err
	}, func(c relate.Conflict) (string, string) {
		return strconv.FormatInt(c.Relation.Num, 10), c.Source.Title + " / " + c.Target.Title
	})
}

// operations offers the latest operations of the journal.
func operations(p *command.Program, cmd *cobra.Command, _ []string, _ string) []string {
	return offer(p, cmd, func(ctx context.Context, e *engine.Engine, project string) ([]engram.LogEntry, error) {
		all, _, err := e.Log(ctx, engineread.LogInput{Project: project, Page: engram.Page{Limit: completionMost}})
		return all, err
	}, func(op engram.LogEntry) (string, string) {
		return strconv.FormatInt(op.Op, 10), op.Name + " " + render.Time(op.At.Time(), p.Zone())
	})
}

// pending offers the numbers of pending items.
func pending(p *command.Program, cmd *cobra.Command, args []string, _ string) []string {
	return offer(p, cmd, func(ctx context.Context, e *engine.Engine, _ string) ([]engram.Deferred, error) {
		all, err := e.Deferred(ctx, "")
		return all[:min(len(all), completionMost)], err
	}, func(d engram.Deferred) (string, string) {
		return notIn(args, strconv.FormatInt(d.Num, 10)), review.TitleOf(document.PendingOf(d))
	})
}

// bashWords replaces the one function of bash-completion that the script needs, for systems without that
// package. Words are split at spaces only, so that topic:KEY is one.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
    _get_comp_words_by_ref()
    {
        local line=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"$line"
        [[ $line == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur=${words[cword]}
        prev=${words[cword > 0 ? cword - 1 : 0]}
    }
fi

`

// Command returns the command completion, which prints the script of a shell.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long:  "Print the completion script of a shell. Load it in the start-up file of that shell.",
		Example: command.Examples("source <(engram completion bash)", "engram completion zsh > \"${fpath[1]}/_engram\"",
			"engram completion fish > ~/.config/fish/completions/engram.fish"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, w := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				if _, err := io.WriteString(w, bashWords); err != nil {
					return command.OutputError(err)
				}
				return root.GenBashCompletionV2(w, true)
			case "zsh":
				return root.GenZshCompletion(w)
			case "fish":
				return root.GenFishCompletion(w, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(w)
			}
			return command.Invalidf("unknown shell %q", args[0]).WithHint("use bash, zsh, fish or powershell")
		},
	}
}
