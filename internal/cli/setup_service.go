package cli

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/document"
)

// serviceDoc is the answer of `setup service`.
type serviceDoc struct {
	System string   `json:"system"` // systemd, launchd or windows
	Action string   `json:"action"` // created, updated, replaced, unchanged, removed, restored, nothing, printed; manual: the text is a command to copy
	DryRun bool     `json:"dry_run"`
	Path   string   `json:"path"`    // of the file; "" on Windows
	Text   string   `json:"text"`    // of the file, or the command
	Backup string   `json:"backup"`  // what stood there before; "" when nothing had to be kept
	Used   bool     `json:"used"`    // the system was told
	Ended  int      `json:"ended"`   // process of a server that made room for it; 0: none ran
	Next   []string `json:"next"`    // commands that tell the system
	NotSet []string `json:"not_set"` // secret variables of the environment, which are not in the file
}

// serviceFlags say what to do about a service.
type serviceFlags struct {
	dry, undo, show, now bool
	system               string
}

func (p *program) setupServiceCommand() *cobra.Command {
	var o serviceFlags
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Have the system start the server when you log in",
		Long: `Have the system start engram serve when you log in, and again when it fails: by a user unit of systemd on Linux, an
agent of launchd on macOS; on Windows a command is shown that makes a task. The file has the path of this program, the
data directory and what else the environment and flags set, but no secrets: those belong into config.toml. A file that
is there already and says something else is kept beside it. With --now a server in the background makes room for it, and
a second time what was changed is in force at once.`,
		Example: examples("engram setup service --now", "engram setup service --print", "engram setup service --undo"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := onlyOne(cmd, "print", "undo", "now"); err != nil {
				return err
			}
			return p.setupService(cmd, o)
		},
	}
	addServerFlags(cmd)
	cmd.Flags().BoolVar(&o.now, "now", false, "tell the system, too: start it at once and at every login")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "change nothing, say what would be done")
	cmd.Flags().BoolVar(&o.show, "print", false, "write the file to standard output alone")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "stop it, take the file away and put back what stood there before")
	cmd.Flags().StringVar(&o.system, "system", "", "with --print: `for` systemd, launchd or windows (default: this one)")
	return cmd
}

func (p *program) setupService(cmd *cobra.Command, o serviceFlags) error {
	c, err := p.config(cmd, serverFlags()...)
	if err != nil {
		return err
	}
	if _, err := c.Address(); err != nil {
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
			return invalidf("this system has no %s", s.System).WithHint("with --print the file is shown")
		}
	default:
		return invalidf("--system %q is unknown", o.system).WithHint("systemd, launchd or windows")
	}
	f, err := s.File()
	if err != nil {
		return err
	}
	doc := serviceDoc{System: string(s.System), Action: "printed", DryRun: o.dry, Path: f.Path, Text: f.Text, Next: shellLines(f.Use), NotSet: document.OrEmpty(f.Not)}
	if s.System == app.Windows {
		doc.Action = "manual"
	}
	if o.show || s.System == app.Windows {
		return p.answer(doc, func(b *strings.Builder) { b.WriteString(strings.TrimSuffix(f.Text, "\n") + "\n") })
	}
	return p.setService(cmd, f, o, doc)
}

// setService writes the file or takes it away.
func (p *program) setService(cmd *cobra.Command, f app.ServiceFile, o serviceFlags, doc serviceDoc) error {
	var done app.Set
	var told, err error
	if o.undo {
		done, told, err = f.TakeAway(cmd.Context(), o.dry)
		doc.Next = shellLines(f.Leave)
	} else {
		for _, name := range f.Not {
			p.warn(name + " is secret and not written into the file: put it into config.toml (engram config set)")
		}
		done, err = f.Put(cmd.Context(), o.now, o.dry)
		doc.Next = shellLines(f.Next(done))
	}
	doc.Action, doc.Path, doc.Backup, doc.Used, doc.Ended = done.Action, done.Path, done.Backup, done.Used, done.Ended
	if done.Action == "" {
		return err // nothing was done
	}
	if told != nil {
		p.warn(told.Error())
	}
	return errors.Join(p.answer(doc, func(b *strings.Builder) { writeService(b, doc) }), err)
}

func writeService(b *strings.Builder, doc serviceDoc) {
	what := map[string]string{"created": "Wrote %s\n", "updated": "Updated %s\n", "replaced": "Replaced %s\n", "unchanged": "%s says so already\n",
		"removed": "Removed %s\n", "restored": "Put back what %s was\n", "nothing": "There is no %s\n"}[doc.Action]
	if doc.DryRun {
		what = strings.NewReplacer("Wrote", "Would write", "Updated", "Would update", "Replaced", "Would replace", "Removed", "Would remove",
			"Put back", "Would put back").Replace(what)
	}
	fmt.Fprintf(b, what, doc.Path)
	if doc.Backup != "" && doc.Action == "replaced" {
		fmt.Fprintf(b, "  What stood there is kept in %s\n", doc.Backup)
	}
	if doc.Ended != 0 {
		fmt.Fprintf(b, "  The server that ran (process %d) was ended for it\n", doc.Ended)
	}
	switch {
	case doc.Used && doc.Action != "removed" && doc.Action != "restored":
		fmt.Fprintln(b, "  It is started now and whenever you log in: engram status")
	case !doc.Used && doc.Action != "nothing":
		fmt.Fprintln(b, "  The system is told by:")
		for _, line := range doc.Next {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// shellLines writes commands as one copies them.
func shellLines(commands [][]string) []string {
	lines := []string{}
	for _, c := range commands {
		words := make([]string, len(c))
		for i, w := range c {
			words[i] = shellWord(w)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// shellWord quotes a word for a shell, if that is needed.
func shellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:@+,", r)
	}
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
