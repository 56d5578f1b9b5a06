package serve

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
)

// ServiceDoc is the answer of `setup service`.
type ServiceDoc struct {
	System string   `json:"system"` // systemd, launchd or windows
	Action string   `json:"action"` // created, updated, replaced, unchanged, removed, restored, nothing, printed; manual: the text is a command to copy
	DryRun bool     `json:"dry_run"`
	Path   string   `json:"path"`    // path of the file; "" on Windows
	Text   string   `json:"text"`    // content of the file, or the command
	Backup string   `json:"backup"`  // copy of the previous file; "" if there was nothing to keep
	Used   bool     `json:"used"`    // the service was registered with the system
	Ended  int      `json:"ended"`   // process of the server that was stopped first; 0 if none was running
	Next   []string `json:"next"`    // commands that register it
	NotSet []string `json:"not_set"` // secret environment variables that are not in the file
}

// serviceFlags are the flags of `setup service`.
type serviceFlags struct {
	dry, undo, show, now bool
	system               string
}

// ServiceCommand returns the subcommand service of setup.
func ServiceCommand(p *command.Program) *cobra.Command {
	var o serviceFlags
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Start the server when you log in",
		Long: `Start engram serve when you log in, and again after a failure: by a systemd user unit on Linux, a launchd agent on macOS;
on Windows the command to create a task is shown. The file contains the path of this program, the data directory and other
settings from the environment and flags, but no secrets: put those into config.toml. If a different file already exists,
a copy is kept beside it. With --now a server running in the background is replaced, and later changes take effect at
once.`,
		Example: command.Examples("engram setup service --now", "engram setup service --print", "engram setup service --undo"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.OnlyOne(cmd, "print", "undo", "now"); err != nil {
				return err
			}
			return setupService(p, cmd, o)
		},
	}
	addServerFlags(cmd)
	cmd.Flags().BoolVar(&o.now, "now", false, "register it with the system: start it now and at every login")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "preview without changing anything")
	cmd.Flags().BoolVar(&o.show, "print", false, "print the file to standard output only")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "stop it, remove the file and restore the file that was there before")
	cmd.Flags().StringVar(&o.system, "system", "", "with --print: target `system`: systemd, launchd or windows (default: this one)")
	return cmd
}

func setupService(p *command.Program, cmd *cobra.Command, o serviceFlags) error {
	c, _, err := serverConfig(p, cmd)
	if err != nil {
		return err
	}
	own := app.SystemOf(runtime.GOOS)
	s := app.Service{System: own, Config: c}
	s.Home, _ = p.Env("HOME")
	s.XDGHome, _ = p.Env("XDG_CONFIG_HOME")
	switch app.System(o.system) {
	case "":
	case app.Systemd, app.Launchd, app.Windows:
		if s.System = app.System(o.system); !o.show && s.System != own {
			return command.Invalidf("%s is not available on this system", s.System).WithHint("use --print to show the file")
		}
	default:
		return command.Invalidf("--system %q is unknown", o.system).WithHint("use systemd, launchd or windows")
	}
	f, err := s.File()
	if err != nil {
		return err
	}
	doc := ServiceDoc{System: string(s.System), Action: "printed", DryRun: o.dry, Path: f.Path, Text: f.Text, Next: shellLines(f.Use), NotSet: document.OrEmpty(f.Not)}
	if s.System == app.Windows {
		doc.Action = "manual"
	}
	if o.show || s.System == app.Windows {
		return p.Answer(doc, func(b *strings.Builder) { b.WriteString(strings.TrimSuffix(f.Text, "\n") + "\n") })
	}
	return setService(p, cmd, f, o, doc)
}

// setService writes the file, or removes it.
func setService(p *command.Program, cmd *cobra.Command, f app.ServiceFile, o serviceFlags, doc ServiceDoc) error {
	var done app.Set
	var failed, err error
	if o.undo {
		done, failed, err = f.TakeAway(cmd.Context(), o.dry)
		doc.Next = shellLines(f.Leave)
	} else {
		for _, name := range f.Not {
			p.Warn(name + " is a secret and is not written to the file: put it into config.toml (engram config set)")
		}
		done, err = f.Put(cmd.Context(), o.now, o.dry)
		doc.Next = shellLines(f.Next(done))
	}
	doc.Action, doc.Path, doc.Backup, doc.Used, doc.Ended = done.Action, done.Path, done.Backup, done.Used, done.Ended
	if done.Action == "" {
		return err // nothing was done
	}
	if failed != nil {
		p.Warn(failed.Error())
	}
	return errors.Join(p.Answer(doc, func(b *strings.Builder) { writeService(b, doc) }), err)
}

func writeService(b *strings.Builder, doc ServiceDoc) {
	what := map[string]string{"created": "Wrote %s\n", "updated": "Updated %s\n", "replaced": "Replaced %s\n", "unchanged": "%s is already up to date\n",
		"removed": "Removed %s\n", "restored": "Restored %s\n", "nothing": "There is no %s\n"}[doc.Action]
	if doc.DryRun {
		what = strings.NewReplacer("Wrote", "Would write", "Updated", "Would update", "Replaced", "Would replace", "Removed", "Would remove",
			"Restored", "Would restore").Replace(what)
	}
	fmt.Fprintf(b, what, doc.Path)
	if doc.Backup != "" && doc.Action == "replaced" {
		fmt.Fprintf(b, "  The previous file is kept in %s\n", doc.Backup)
	}
	if doc.Ended != 0 {
		fmt.Fprintf(b, "  The running server (process %d) was stopped first\n", doc.Ended)
	}
	switch {
	case doc.Used && doc.Action != "removed" && doc.Action != "restored":
		fmt.Fprintln(b, "  It is running now and starts whenever you log in: engram status")
	case !doc.Used && doc.Action != "nothing":
		fmt.Fprintln(b, "  To register it with the system:")
		for _, line := range doc.Next {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// shellLines returns commands as shell lines.
func shellLines(commands [][]string) []string {
	return document.Each(commands, func(words []string) string { return strings.Join(document.Each(words, engram.Quoted), " ") })
}
