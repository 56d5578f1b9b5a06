// Package settings holds the command config, which shows the settings with their sources and changes config.toml (the
// file keeps its comments and its order, and a secret is never printed), and the command model for the models that
// settings may name.
package settings

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// SettingDoc is a setting and where its value comes from.
type SettingDoc struct {
	Key     string   `json:"key"`
	Value   string   `json:"value"`   // in the form that `config set` takes; "" for none, and for a secret
	Set     bool     `json:"set"`     // there is a value, possibly the default
	Secret  bool     `json:"secret"`  // its value is never shown
	Source  string   `json:"source"`  // flag, environment, file or default
	Name    string   `json:"name"`    // the flag, the variable or the file; "" for a default
	Default string   `json:"default"` // a value, or a description if it is computed
	Kind    string   `json:"kind"`    // text, number or switch
	Unit    string   `json:"unit"`    // unit of a number
	Range   string   `json:"range"`   // allowed values; "" if any
	Env     []string `json:"env"`     // variables; the first that is set applies
	Flag    string   `json:"flag"`    // "" if there is no flag
	About   string   `json:"about"`   // what it does
}

func settingOf(v config.Value) SettingDoc {
	return SettingDoc{Key: v.Name, Value: v.Text, Set: v.Set, Secret: v.Secret, Source: string(v.Origin.Source), Name: v.Origin.Name,
		Default: v.Default, Kind: string(v.Kind), Unit: v.Unit, Range: v.Range, Env: document.OrEmpty(v.Env), Flag: v.Flag, About: plainAbout(v.About)}
}

// plainAbout removes the links, which are relative to docs/.
func plainAbout(markdown string) string {
	link := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
	return strings.ReplaceAll(link.ReplaceAllString(markdown, "$1"), "`", "")
}

// SettingsDoc is the answer of `config list`.
type SettingsDoc struct {
	File     string       `json:"file"`     // path of config.toml, whether or not it exists
	Settings []SettingDoc `json:"settings"` // every key
	Warnings []string     `json:"warnings"` // ignored values, remarks on others, unknown variables
}

// SetDoc is the answer of `config set` and `config unset`.
type SetDoc struct {
	Key     string `json:"key"`
	File    string `json:"file"`      // path of config.toml
	Changed bool   `json:"changed"`   // false: the file has this value already
	Hidden  string `json:"hidden_by"` // variable or flag that overrides the file; "" for none
}

// Commands returns the commands config and model.
func Commands() []command.Maker {
	return []command.Maker{
		command.In(command.GroupProgram, "config", configCommand),
		command.In(command.GroupProgram, "model models", modelCommand),
	}
}

func configCommand(p *command.Program) *cobra.Command {
	list := configListCommand(p)
	cmd := command.Group("config", "Show settings and their sources, and change config.toml",
		command.Examples("engram config list", "engram config get port", "engram config set port 7438", "engram config unset port"),
		list, configGetCommand(p), configSetCommand(p), configUnsetCommand(p))
	cmd.RunE = list.RunE
	return cmd
}

func configListCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every setting with its value and source",
		Long: `List every setting with its value, its unit or allowed values, and its source. A flag overrides the environment, which
overrides config.toml in the data directory, which overrides the default. Secrets are only reported as set.
docs/config.md explains each setting.`,
		Example: command.Examples("engram config list", "engram config list --json"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return listSettings(p, cmd) },
	}
}

func listSettings(p *command.Program, cmd *cobra.Command) error {
	c, err := p.Config(cmd)
	if err != nil {
		return err
	}
	values, strays := c.Values(), command.Strays()
	p.WarnBeside(strays...)
	doc := SettingsDoc{c.Path, document.Each(values, settingOf), append(document.Each(c.Remarks, config.Remark.String), strays...)}
	return p.Answer(doc, func(b *strings.Builder) { writeSettings(b, c, values, p.Columns()) })
}

func writeSettings(b *strings.Builder, c config.Config, values []config.Value, columns int) {
	wide := 0
	for _, v := range values {
		wide = max(wide, len(v.Name))
	}
	fmt.Fprintf(b, "Settings (%s)\n", c.Path)
	for _, v := range values {
		fmt.Fprintf(b, "  %-*s  %s  (%s)\n", wide, v.Name, render.Line(shownValue(v), 0), v.Origin)
		indent := strings.Repeat(" ", 2+wide+4)
		if v.Range != "" {
			fmt.Fprintln(b, render.Fold(indent+rangeText(v.Key), indent, columns))
		}
		for _, r := range c.Remarks {
			if r.Key == v.Name {
				fmt.Fprintln(b, render.Fold(indent+"note: "+render.Line(r.String(), 0), indent, columns))
			}
		}
	}
}

// rangeText returns the allowed values of a setting and their unit.
func rangeText(k config.Key) string {
	text := strings.ReplaceAll(k.Range, "`", "")
	if k.Unit != "" {
		text += " (" + k.Unit + ")"
	}
	return text
}

// shownValue returns the value to print; of a secret only whether it is set.
func shownValue(v config.Value) string {
	switch {
	case v.Secret && v.Set:
		return "set"
	case v.Text == "":
		return strings.ReplaceAll(v.Default, "`", "")
	}
	return v.Text
}

func configGetCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "get KEY",
		Short:   "Print the effective value of a setting",
		Long:    "Print the effective value of a setting on one line; for a secret only whether it is \"set\". Prints nothing if it has no value.",
		Example: command.Examples("engram config get port", "engram config get sleep_at --json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := config.Named(args[0])
			if err != nil {
				return err
			}
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			for _, v := range c.Values() {
				if v.Name != k.Name {
					continue
				}
				return p.Answer(settingOf(v), func(b *strings.Builder) {
					if v.Secret && v.Set {
						v.Text = "set"
					}
					if v.Text != "" {
						fmt.Fprintln(b, render.Line(v.Text, 0))
					}
				})
			}
			return nil
		},
	}
}

func configSetCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE|-",
		Short: "Set a value in config.toml",
		Long: `Set a value in config.toml in the data directory; the file is created if needed, and its comments, order and formatting
are kept. - reads the value from standard input: use it for secrets. A running server reads settings only when it starts.`,
		Example: command.Examples("engram config set port 7438", "engram config set review_months 'decision=3, bugfix=1'", "engram config set http_token - < token.txt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := p.Text(args[1])
			if err != nil {
				return err
			}
			k, err := config.Named(args[0])
			if err == nil && k.Secret && args[1] != "-" {
				p.WarnBeside("a secret on the command line stays in the shell history; next time use: engram config set " + k.Name + " -")
			}
			return changeSetting(p, cmd, args[0], "%s is set in %s", "%s is already set in %s", func(path string) (bool, error) { return config.Set(path, args[0], value) })
		},
	}
}

func configUnsetCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "unset KEY",
		Short:   "Remove a setting from config.toml",
		Long:    "Remove a setting from config.toml, so that its default applies. Unknown keys can be removed, too.",
		Example: command.Examples("engram config unset port"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeSetting(p, cmd, args[0], "removed %s from %s", "%s is not set in %s", func(path string) (bool, error) { return config.Unset(path, args[0]) })
		},
	}
}

// changeSetting changes the file, even if other lines of it are invalid, and warns of what overrides it.
func changeSetting(p *command.Program, cmd *cobra.Command, key string, changed, same string, change func(path string) (bool, error)) error {
	s, err := p.Sources(cmd)
	if err != nil {
		return err
	}
	path, err := config.FileOf(s)
	if err != nil {
		return err
	}
	doc := SetDoc{Key: key, File: path}
	if doc.Changed, err = change(path); err != nil {
		return err
	}
	if k, err := config.Named(key); err == nil {
		doc.Hidden = k.Hides(p.Env)
	}
	if _, given := s.Flags[key]; given {
		doc.Hidden = "--" + strings.ReplaceAll(key, "_", "-")
	}
	if doc.Hidden != "" {
		p.WarnBeside(doc.Hidden + " is given and overrides the file")
	}
	return p.Answer(doc, func(b *strings.Builder) {
		form := changed
		if !doc.Changed {
			form = same
		}
		fmt.Fprintf(b, form+"\n", render.Line(key, 0), path)
	})
}
