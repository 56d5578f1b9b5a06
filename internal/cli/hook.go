package cli

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
)

// hookCommand is for help, and for who writes flags before it: what agents run takes
// runHook at once.
func (p *program) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT EVENT",
		Short: "Handle one hook event of an agent",
		Long: `Handle one hook event of an agent. Agents run this command themselves, as engram setup configures them. It reads the event
as JSON from standard input and writes the response in the agent's format to standard output; most events have none. It
takes less than 200 ms and always exits with 0; what cannot be written in time is written by the next event.

AGENT is claude-code, codex, gemini-cli, antigravity, cursor, vscode, windsurf, cline, kiro, opencode, pi or any other
name. EVENT is session-start, prompt, before-tool, after-tool, before-compact, after-compact, subagent-stop, stop or
session-end, or the agent's own name for it. hook.log in the data directory records errors and missed events.`,
		Example: examples(`echo '{"session_id":"s1","cwd":"."}' | engram hook claude-code session-start`,
			`echo '{"session_id":"s1","prompt":"why do logins expire?"}' | engram hook claude-code prompt`),
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && isTerminal(p.Stdin) {
				return cmd.Help() // a person, who would wait for ever
			}
			for name, value := range map[string]string{"--data-dir": p.dataDir, "--project": p.project} {
				if value != "" {
					args = append(args, name, value)
				}
			}
			p.runHook(cmd.Context(), args)
			return nil
		},
	}
}

// isHook reports the command line of a hook, which must neither fail nor wait until all other
// commands are made. Help is for people.
func isHook(args []string) bool {
	return len(args) > 1 && args[0] == "hook" && !slices.Contains(args, "--help") && !slices.Contains(args, "-h")
}

// runHook serves one event. What it is told that it does not know it passes over.
func (p *program) runHook(ctx context.Context, args []string) {
	signal.Ignore(syscall.SIGPIPE) // an agent that does not wait for the answer
	words, flags, strange := hookArgs(args)
	if p.Dir == "" {
		if p.Dir, _ = os.Getwd(); p.Dir == "" {
			p.Dir = string(filepath.Separator) // it is gone; events tell theirs, and settings are where they were
		}
	}
	c, err := config.Load(config.Sources{Flags: flags, Env: p.Env, Dir: p.Dir})
	if err != nil {
		app.NoHook(p.Stdin)
		return
	}
	words = append(words, "", "") // what is not named is what nobody knows
	for _, r := range c.Ignored() {
		p.warn(r.String())
	}
	app.HookFlags(c, words[0], strange)
	collectLate()
	_, _ = p.Stdout.Write(app.Hook(ctx, c, p.Version, p.Dir, words[0], words[1], p.Stdin))
}

// hookArgs are the words of a hook's command line, the settings among its flags, and the names
// of flags that it has not.
func hookArgs(args []string) (words []string, flags map[string]string, strange []string) {
	flags = map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, told := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "-") {
			words = append(words, args[i])
			continue
		}
		key := strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
		if key != "data_dir" && key != "project" {
			if key != "" { // "--" is none
				strange = append(strange, strings.TrimLeft(name, "-"))
			}
			continue
		}
		if !told && i+1 < len(args) {
			i++
			value = args[i]
		}
		if value != "" {
			flags[key] = value
		}
	}
	return words, flags, strange
}
