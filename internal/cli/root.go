package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of commands, in the order of the help.
const (
	groupMemory  = "memory"
	groupWork    = "work"
	groupServe   = "serve"
	groupProgram = "program"
)

// root builds the whole tree. It reads nothing: help, version and completion work
// without a data directory.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "engram",
		Short: "Long-term memory for AI agents",
		Example: `engram save 'Auth model' 'Access tokens live 15 minutes, in an httpOnly cookie' --type decision
engram search how long do tokens live
engram serve`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show, _ := cmd.Flags().GetBool("version"); show {
				return p.version()
			}
			return p.home(cmd)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(p.help)
	root.SetHelpCommand(p.helpCommand())
	root.Flags().BoolP("version", "v", false, "print the version")
	root.PersistentFlags().StringVar(&p.dataDir, "data-dir", "", "`folder` of the database and config.toml (default ~/.engram)")
	root.PersistentFlags().StringVar(&p.project, "project", "", "project `name` (default: detected from the folder)")
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON, errors too")
	root.PersistentFlags().Var(colourFlag{p}, "color", "colour: auto (on a terminal, unless NO_COLOR is set), always or never")
	// Names of older designs, and of JSON, have underscores.
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})

	root.AddGroup(
		&cobra.Group{ID: groupMemory, Title: "Memories"},
		&cobra.Group{ID: groupWork, Title: "Sessions and projects"},
		&cobra.Group{ID: groupServe, Title: "For agents"},
		&cobra.Group{ID: groupProgram, Title: "This program"},
	)
	for group, commands := range map[string][]*cobra.Command{
		groupMemory: {p.saveCommand(), p.searchCommand(), p.recallCommand(), p.contextCommand(), p.getCommand(), p.listCommand(), p.recentCommand(),
			p.timelineCommand(), p.updateCommand(), p.markCommand(), p.decayCommand(), p.reviewCommand(), p.tagCommand(), p.linkCommand(), p.unlinkCommand(), p.graphCommand(), p.deleteCommand(), p.historyCommand(), p.restoreCommand(), p.logCommand(), p.undoCommand(), p.topicCommand(), p.captureCommand(), p.ingestCommand(), p.backfillCommand(), p.exportCommand(), p.importCommand(), p.syncCommand(), p.obsidianCommand(), p.migrateCommand(), p.conflictsCommand(), p.sleepCommand(), p.pruneCommand(), p.reembedCommand()},
		groupWork:    {p.sessionCommand(), p.whyCommand(), p.promptCommand(), p.projectsCommand(), p.statsCommand(), p.metricsCommand()},
		groupServe:   {p.serveCommand(), p.startCommand(), p.stopCommand(), p.restartCommand(), p.statusCommand(), p.mcpCommand(), p.hookCommand(), p.offCommand(), p.onCommand(), p.demoCommand()},
		groupProgram: {p.setupCommand(), p.configCommand(), p.doctorCommand(), p.diagnosticsCommand(), p.evalCommand(), p.versionCommand(), p.completionCommand(), p.manCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	return root
}

// examples joins the lines of an Example: each is one command to copy.
func examples(lines ...string) string { return strings.Join(lines, "\n") }

// alsoFlag lets a flag be written by another name that help does not show: that of another
// command, or of an older design.
func alsoFlag(cmd *cobra.Command, name, also string) {
	f := *cmd.Flags().Lookup(name)
	f.Name, f.Hidden, f.Shorthand = also, true, ""
	cmd.Flags().AddFlag(&f)
}

// group makes a command that only has sub-commands.
func group(use, short, example string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Example: example, Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return invalidf("%s needs a subcommand", cmd.Name()).WithHint("use one of %s; run: %s --help", strings.Join(names, ", "), cmd.CommandPath())
		},
	}
	c.AddCommand(subs...)
	return c
}
