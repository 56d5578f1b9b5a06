package command

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// The groups of commands, in the order of the help.
const (
	GroupMemory  = "memory"
	GroupWork    = "work"
	GroupServe   = "serve"
	GroupProgram = "program"
)

// Maker makes a command when a command line names it: the flags of a hundred commands cost more than a short command.
type Maker struct {
	Group string // of the help
	Names string // the name and the aliases of the command, separated by blanks
	Make  func(*Program) *cobra.Command
}

// In returns the Maker of a command in a group of the help.
func In(group, names string, build func(*Program) *cobra.Command) Maker {
	return Maker{Group: group, Names: names, Make: build}
}

// Named reports whether one of words is a name of the command.
func (m Maker) Named(words []string) bool {
	for name := range strings.FieldsSeq(m.Names) {
		if slices.Contains(words, name) {
			return true
		}
	}
	return false
}

// ForEach visits a command and all its subcommands.
func ForEach(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		ForEach(sub, visit)
	}
}

// PathOf returns a command's path without the program's name.
func PathOf(c *cobra.Command) string {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	return path
}

// Examples joins the lines of an Example, each a command to copy.
func Examples(lines ...string) string { return strings.Join(lines, "\n") }

// FlagAlias adds a hidden alias of a flag: the name used by another command or an older design.
func FlagAlias(cmd *cobra.Command, name, also string) {
	f := *cmd.Flags().Lookup(name)
	f.Name, f.Hidden, f.Shorthand = also, true, ""
	cmd.Flags().AddFlag(&f)
}

// Group returns a command that only has subcommands.
func Group(use, short, example string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Example: example, Args: UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			names := document.Each(cmd.Commands(), (*cobra.Command).Name)
			return Invalidf("%s needs a subcommand", cmd.Name()).WithHint("use one of %s; run: %s --help", strings.Join(names, ", "), cmd.CommandPath())
		},
	}
	c.AddCommand(subs...)
	return c
}

// UnknownCommand rejects arguments of a command that has only subcommands.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Unknown(cmd, args[0], nearestCommand(cmd, args[0]))
}

// Unknown returns the error of a word that is no subcommand of cmd; near is the one that it may mean, "" for none.
func Unknown(cmd *cobra.Command, word, near string) error {
	hint := "run: " + cmd.CommandPath() + " --help"
	if near != "" {
		hint = "did you mean: " + cmd.CommandPath() + " " + near + "? " + hint
	}
	return engram.Errorf(engram.CodeInvalid, "unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" "+word, "engram ")).
		WithHint("%s", hint)
}

// OnlyOne rejects flags that contradict each other.
func OnlyOne(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return Invalidf("%s cannot be combined", strings.Join(given, " and ")).WithHint("use one of them")
}

// Argument returns the n-th argument, from 0, or other if there are fewer.
func Argument(args []string, n int, other string) string {
	if n < len(args) {
		return args[n]
	}
	return other
}

// Given returns the value of the flag called name, or nil if it was not given.
func Given[T any](cmd *cobra.Command, name string, value T) *T {
	if !cmd.Flags().Changed(name) {
		return nil
	}
	return &value
}

// Arguments requires as many arguments as the usage line of cmd names before its flags: NAME is one, [NAME] may be left
// out, and NAME… may be repeated.
func Arguments(cmd *cobra.Command, args []string) error {
	least, most := 0, 0
	for _, word := range strings.Fields(cmd.Use)[1:] {
		optional := strings.HasPrefix(word, "[")
		if strings.HasPrefix(strings.TrimPrefix(word, "["), "--") {
			break
		}
		if most++; strings.Contains(word, "…") || strings.Contains(word, "...") {
			most = len(args) + 1
		}
		if !optional {
			least++
		}
	}
	return ArgumentsBetween(least, most, cmd, args)
}

// ArgumentsBetween requires from least to most arguments.
func ArgumentsBetween(least, most int, cmd *cobra.Command, args []string) error {
	if len(args) >= least && len(args) <= most {
		return nil
	}
	what := "too many arguments"
	if len(args) < least {
		what = "an argument is missing"
	}
	hint := "usage: " + cmd.UseLine()
	if dash := cmd.ArgsLenAtDash(); dash >= 0 && len(args) > most {
		hint += "; everything after -- is an argument"
	}
	return engram.Errorf(engram.CodeInvalid, "%s: %s", cmd.Name(), what).WithHint("%s", hint)
}

// nearestCommand suggests the subcommand of cmd that word probably means; "" for none.
func nearestCommand(cmd *cobra.Command, word string) string {
	word = strings.ToLower(word)
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	near := text.Nearest(word, names)
	// Two changed letters of a three-letter word leave too little to suggest anything.
	if len(word) < 4 && text.Distance(word, near) > 1 && !strings.HasPrefix(near, word) {
		return ""
	}
	return near
}

// ScopeOf parses a scope; "" stays "". Unlike MCP, the command line rejects unknown scopes, which are typing
// errors.
func ScopeOf(s string) (engram.Scope, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if s != "" && string(engram.ParseScope(s)) != s {
		return "", Invalidf("unknown scope %q", s).WithHint("use project, personal or global")
	}
	return engram.Scope(s), nil
}

// MetadataOf parses key=value pairs. A value that is JSON (a number, true, a list) is decoded, anything else
// is text. Nil for no pairs.
func MetadataOf(pairs []string) (map[string]any, error) {
	var m map[string]any
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, Invalidf("metadata %q is not key=value", pair).WithHint("write it like --metadata ticket=ENG-12")
		}
		if m == nil {
			m = map[string]any{}
		}
		var parsed any
		if json.Unmarshal([]byte(value), &parsed) != nil || parsed == nil {
			parsed = value
		}
		m[key] = parsed
	}
	return m, nil
}

// RefsOf parses the names of memories.
func RefsOf(names []string) ([]engram.Ref, error) {
	refs := make([]engram.Ref, len(names))
	for i, name := range names {
		var err error
		if refs[i], err = engram.ParseRef(name); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

// FilterFlags narrow a search or a list.
type FilterFlags struct {
	types, tags         []string
	metadata            []string // key=value
	scope, since, until string
	all                 bool
	Superseded          bool // include superseded memories
	Limit, Offset       int
	minStrength         float64
}

// Register adds the flags to cmd; limit is the default.
func (f *FilterFlags) Register(cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.types, "type", nil, "only memories of this `type`, or of several: a,b")
	flags.StringVar(&f.scope, "scope", "", "only memories of this `scope`: project, personal or global")
	flags.StringSliceVar(&f.tags, "tag", nil, "only memories with this `tag`; repeated: with all of them")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "only memories with this metadata `key=value`; repeated: with all of them")
	flags.StringVar(&f.since, "since", "", "only memories created since a `time`: 7d, 12h, 2w, yesterday, 2026-01-31")
	flags.StringVar(&f.until, "until", "", "only memories created before a `time`, in the format of --since")
	flags.BoolVar(&f.all, "all-projects", false, "include every project")
	flags.Float64Var(&f.minStrength, "min-strength", 0, "only memories of at least this strength: `x` from 0 to 1; see engram decay")
	flags.IntVar(&f.Limit, "limit", limit, "maximum number of results")
	FlagAlias(cmd, "tag", "tags")
}

// RegisterSuperseded adds --superseded.
func (f *FilterFlags) RegisterSuperseded(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Superseded, "superseded", false, "include superseded memories")
}

// Filter returns the Filter for the current project, or for the project at a past time; the zero time is now.
func (p *Program) Filter(cmd *cobra.Command, e *engine.Engine, f FilterFlags, at time.Time) (engram.Filter, error) {
	var out engram.Filter
	if f.Limit < 1 {
		return out, Invalidf("limit %d is out of range", f.Limit).WithHint("use a number from 1")
	}
	if f.Offset < 0 {
		return out, Invalidf("offset %d is out of range", f.Offset).WithHint("use a number from 0")
	}
	for _, t := range f.types {
		out.Types = append(out.Types, engram.Type(strings.TrimSpace(t)))
	}
	out.Tags, out.MinStrength = f.tags, f.minStrength
	var err error
	if out.Metadata, err = MetadataOf(f.metadata); err != nil {
		return out, err
	}
	if out.Scope, err = ScopeOf(f.scope); err != nil {
		return out, err
	}
	if out.Since, err = p.When("since", f.since, e.Now()); err != nil {
		return out, err
	}
	if out.Until, err = p.When("until", f.until, e.Now()); err != nil {
		return out, err
	}
	out.Project, err = p.ReadProjectAt(cmd, e, f.all, at)
	return out, err
}

// When parses a time given to a flag; "" is the zero time.
func (p *Program) When(flag, given string, now time.Time) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	t, ok := text.When(given, now.In(p.Loaded.Timezone))
	if !ok {
		return t, Invalidf("--%s %q is not a time", flag, given).WithHint("use %s", text.WhenForms)
	}
	return t, nil
}

// Nothing returns the sentence for an answer without results, or with uncertain ones; "" if there are others or
// with --json. It names the number of memories here and in other projects.
func (p *Program) Nothing(cmd *cobra.Command, e *engine.Engine, project string, found, uncertain bool) (string, error) {
	if found && !uncertain || p.JSON {
		return "", nil
	}
	n, err := e.Nothing(cmd.Context(), project)
	if err != nil {
		return "", err
	}
	n.Nearest = uncertain
	s := render.Nothing(n, "--all-projects", `engram save "title" "content"`)
	if s != "" {
		s += "\n"
	}
	return s, nil
}

// UnlessNothing writes the sentence of Nothing if there is one, else the results.
func UnlessNothing(nothing string, write func(*strings.Builder)) func(*strings.Builder) {
	return func(b *strings.Builder) {
		if nothing != "" {
			b.WriteString(nothing)
			return
		}
		write(b)
	}
}

// WithNothing writes the results, and the sentence of Nothing below them.
func WithNothing(nothing string, write func(*strings.Builder)) func(*strings.Builder) {
	return func(b *strings.Builder) {
		write(b)
		b.WriteString(nothing)
	}
}
