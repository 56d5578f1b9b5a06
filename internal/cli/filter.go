package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/text"
)

// filterFlags narrow what is searched or listed; search, list and recent share them.
type filterFlags struct {
	types, tags         []string
	metadata            []string // key=value
	scope, since, until string
	all                 bool
	superseded          bool // read by current, where superseded memories are hidden
	limit, offset       int
	minStrength         float64
}

// register adds the flags to cmd. limit is the default that help shows; 0 leaves
// it to the engine.
func (f *filterFlags) register(cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.types, "type", nil, "only memories of this `type`, or of several: a,b")
	flags.StringVar(&f.scope, "scope", "", "only memories of this `scope`: project, personal or global")
	flags.StringSliceVar(&f.tags, "tag", nil, "only memories with this `tag`; repeated: with all of them")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "only memories with this metadata `key=value`; repeated: with all of them")
	flags.StringVar(&f.since, "since", "", "only memories created since a `time`: 7d, 12h, 2w, yesterday, 2026-01-31")
	flags.StringVar(&f.until, "until", "", "only memories created before a `time`, in the format of --since")
	flags.BoolVar(&f.all, "all-projects", false, "include every project")
	flags.Float64Var(&f.minStrength, "min-strength", 0, "only memories of at least this strength: `x` from 0 to 1; see engram decay")
	flags.IntVar(&f.limit, "limit", limit, "maximum number of results")
	alsoFlag(cmd, "tag", "tags")
}

// supersededUsage is the help of --superseded.
const supersededUsage = "include superseded memories"

// registerSuperseded adds the flag that shows what is hidden otherwise.
func (f *filterFlags) registerSuperseded(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.superseded, "superseded", false, supersededUsage)
}

// filter turns the flags into a Filter for the project in force, or for the one that was
// at a time past; the zero time is now.
func (p *program) filter(cmd *cobra.Command, e *engine.Engine, f filterFlags, at time.Time) (engram.Filter, error) {
	var out engram.Filter
	if f.limit < 1 {
		return out, invalidf("limit %d is out of range", f.limit).WithHint("a number from 1")
	}
	if f.offset < 0 {
		return out, invalidf("offset %d is out of range", f.offset).WithHint("a number from 0")
	}
	for _, t := range f.types {
		out.Types = append(out.Types, engram.Type(strings.TrimSpace(t)))
	}
	out.Tags, out.MinStrength = f.tags, f.minStrength
	var err error
	if out.Metadata, err = metadataOf(f.metadata); err != nil {
		return out, err
	}
	if out.Scope, err = scopeOf(f.scope); err != nil {
		return out, err
	}
	if out.Since, err = p.when("since", f.since, e.Now()); err != nil {
		return out, err
	}
	if out.Until, err = p.when("until", f.until, e.Now()); err != nil {
		return out, err
	}
	out.Project, err = p.readProjectAt(cmd, e, f.all, at)
	return out, err
}

// when reads a time given to a flag; "" is the zero time.
func (p *program) when(flag, given string, now time.Time) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	t, ok := text.When(given, now.In(p.loaded.Timezone))
	if !ok {
		return t, invalidf("--%s %q is not a time", flag, given).WithHint("%s", text.WhenForms)
	}
	return t, nil
}

// countOf reads how many a list should show where that is its argument.
func countOf(args []string, limit *int) error {
	if len(args) == 0 {
		return nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return invalidf("%q is not a number of memories to show", args[0]).WithHint("a number from 1")
	}
	*limit = n
	return nil
}
