package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/own"
	"github.com/alanbuscaglia/engram/internal/eval/trial"
	"github.com/alanbuscaglia/engram/internal/render"
)

type evalFlags struct {
	queries, with, write string
	against, models      []string
	limit, questions     int
	own, unanswerable    bool
	calibrate            bool
	wrapped              bool
	size                 int
	seed                 uint64
}

func evalCommand(p *command.Program) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [DIR]",
		Short: "Measure retrieval quality",
		Long: `Measure retrieval quality: load a set of questions with known answers from DIR, or each set in DIR, into a temporary
database, ask every question, and print

  R@k    recall: share of the relevant memories among the first k hits
  MRR    mean reciprocal rank of the first relevant hit; nDCG ranks all of them; both over the first 10 hits
  prec   precision: share of the answers (hits above the relevance threshold) that are relevant
  kept   share of the relevant memories returned above the threshold
  lost   share of answerable questions answered "nothing relevant" (false abstention)
  abst   share of unanswerable questions, asked in another group's project, answered "nothing relevant" (correct)
  empty  share of questions without any hit, above or below the threshold
  tokens of an answer with ten hits, and the time per question in milliseconds

--against compares other search options with those of --with, question by question: the difference, its 95 % interval
and its probability by chance (paired bootstrap). --own builds sets from your own memories: titles should find their
memory, prompts what was saved after them, searches what was read after them, and lines of CHANGELOG.md their commits.
Your memories are only read.

--models compares embedding models in the same way: each set is loaded and embedded once for each.

--wrapped instead loads all sets into one database, each group as a project, and asks generated questions of many kinds:
titles, runs of words, rare words, identifiers, whole sentences, chat and log lines around them. It prints by kind, in
the project and over everything,

  first  share of the questions whose first hit is an answer
  ten    share with an answer among the first ten hits, above or below the threshold
  lost   share answered "nothing relevant" though an answer is among those ten
  abst   share of unanswerable questions answered "nothing relevant": in the project those of another group, over
         everything those of groups left out of the database

--calibrate instead fits the thresholds of the embedding model in force to your memories: from which similarity two are
related, or say the same, and which one answers have. They are kept for this model, and apply to commands and servers
that start afterwards. The built-in model has thresholds that were measured.

--own always prints the kinds that begin with a known memory: its title, the beginning of its title, 12 of its words.`,
		Example: command.Examples("engram eval sets/decisions", "engram eval sets --queries queries-kw3.jsonl --json",
			"engram eval sets --against mode=fts", "engram eval --own --with fusion=score --against fusion=rank",
			"engram eval --own --write my-set", "engram eval sets --wrapped --size 20000", "engram eval --calibrate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.calibrate {
				return calibrate(p, cmd, args)
			}
			if f.own == (len(args) == 1) {
				return command.Invalidf("nothing to measure is given").WithHint("give the folder of a set, or --own for your own memories")
			}
			return measure(p, cmd, strings.Join(args, ""), f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.own, "own", false, "use your own memories, of every project or of --project")
	flags.BoolVar(&f.calibrate, "calibrate", false, "fit the thresholds of the embedding model to your own memories")
	flags.StringVar(&f.write, "write", "", "write the sets made by --own into this `folder`")
	flags.StringVar(&f.queries, "queries", eval.Questions, "`file` of questions in each set")
	flags.StringVar(&f.with, "with", "", "search `options`: name=value,… with the names "+strings.Join(trial.Options(), ", "))
	flags.StringArrayVar(&f.against, "against", nil, "compare with these search `options`; may be repeated")
	flags.StringSliceVar(&f.models, "models", nil, "compare these embedding models, `names` as in settings, with the options of --with")
	flags.IntVar(&f.limit, "limit", trial.DefaultLimit, "number of hits per question")
	flags.IntVar(&f.questions, "questions", 0, "number of questions per set, spread evenly; 0 is all")
	flags.BoolVar(&f.wrapped, "wrapped", false, "ask generated questions of many kinds; --questions is their number per kind, by default 50")
	flags.IntVar(&f.size, "size", 0, "cut or fill the database of --wrapped to this number of memories; 0 is all")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the generated questions")
	flags.BoolVar(&f.unanswerable, "unanswerable", true, "also ask questions in another group's project, where they have no answer")
	return cmd
}

func measure(p *command.Program, cmd *cobra.Command, dir string, f evalFlags) error {
	configs, err := f.configs()
	if err != nil {
		return err
	}
	if _, err := p.Open(cmd); err != nil {
		return err
	}
	var sets []eval.Set
	if f.own {
		sets, err = ownSets(p, cmd, f.write)
	} else {
		sets, err = readSets(p, dir, f.queries)
	}
	if err != nil {
		return err
	}
	doc := EvalDoc{Sets: []evalSet{}, Notes: []string{}}
	if f.wrapped || f.own {
		if doc.Kinds, err = measureKinds(cmd.Context(), p, sets, f, configs[0]); err != nil {
			return err
		}
		if f.wrapped && doc.Kinds == nil {
			doc.Notes = append(doc.Notes, "No question can be made of these documents.")
		}
	}
	var reports []trial.Report
	for _, set := range sets {
		if f.wrapped {
			break
		}
		set = set.Head(f.questions)
		if len(set.Questions) < eval.Few {
			doc.Notes = append(doc.Notes, fmt.Sprintf("%s: %s, too few for a result (at least %d are needed).", render.Line(set.Name, 0),
				command.Count(len(set.Questions), "question", "questions"), eval.Few))
		}
		if len(set.Questions) == 0 {
			continue
		}
		r, err := try(cmd.Context(), p, set, f, configs)
		if err != nil {
			return err
		}
		reports = append(reports, r)
		doc.Sets = append(doc.Sets, evalSetOf(r))
	}
	if len(reports) > 1 {
		mean := trial.Mean(reports)
		reports = append(reports, mean)
		doc.Mean = new(evalSetOf(mean))
	}
	return p.Answer(doc, func(b *strings.Builder) { writeEval(b, reports, doc) })
}

// configs parses the search options to compare; those of --with come first.
func (f evalFlags) configs() ([]trial.Config, error) {
	if f.limit < 1 || f.limit > trial.MaxLimit {
		return nil, command.Invalidf("limit %d is out of range", f.limit).WithHint("use a number from 1 to %d", trial.MaxLimit)
	}
	if f.questions < 0 {
		return nil, command.Invalidf("questions %d is out of range", f.questions).WithHint("use a number from 0")
	}
	switch {
	case f.write != "" && !f.own:
		return nil, command.Invalidf("--write needs --own")
	case f.size < 0 || f.size > mostStored:
		return nil, command.Invalidf("size %d is out of range", f.size).WithHint("use a number from 0 to %d", mostStored)
	case f.size > 0 && !f.wrapped:
		return nil, command.Invalidf("--size needs --wrapped")
	case len(f.models) > 0 && (f.wrapped || f.own || len(f.against) > 0):
		return nil, command.Invalidf("--models compares models alone").WithHint("leave out --against, --own and --wrapped")
	case f.wrapped && len(f.against) > 0:
		return nil, command.Invalidf("--wrapped does not compare").WithHint("measure twice, with other options for --with")
	}
	var all []trial.Config
	for _, s := range append([]string{f.with}, f.against...) {
		c, err := trial.ParseConfig(s)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// readSets reads the set in dir, or each set in its subfolders.
func readSets(p *command.Program, dir, queries string) ([]eval.Set, error) {
	if !fs.ValidPath(queries) {
		return nil, command.Invalidf("--queries %q is not a file name", queries).WithHint("name a file in the folder of each set")
	}
	dir = p.Path(dir)
	names, err := eval.Sets(os.DirFS(dir))
	if err != nil {
		return nil, named(dir, err)
	}
	// Read from the parent folder, because a set is named after its folder.
	if names[0] == "." {
		dir, names = filepath.Dir(dir), []string{filepath.Base(dir)}
	}
	var sets []eval.Set
	for _, name := range names {
		set, err := eval.ReadSet(os.DirFS(dir), name, strings.TrimSuffix(queries, ".gz"))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// named prefixes err with the name of what it is about.
func named(what string, err error) error {
	return engram.Errorf(engram.CodeOf(err), "%s", what).WithHintOf(err).WithCause(err)
}

// try runs one set on a temporary database.
func try(ctx context.Context, p *command.Program, set eval.Set, f evalFlags, configs []trial.Config) (r trial.Report, err error) {
	asking := trial.Asking{Limit: f.limit, Unanswerable: f.unanswerable}
	if len(f.models) == 0 {
		err = onScratch(ctx, p, "", set, configs, func(t *trial.Trial) error {
			r, err = t.Compare(ctx, asking, configs)
			return err
		})
		return r, err
	}
	var all []trial.Report
	for _, model := range f.models {
		err = onScratch(ctx, p, model, set, configs, func(t *trial.Trial) error {
			r, err = t.Compare(ctx, asking, []trial.Config{configs[0].Of(model)})
			all = append(all, r)
			return err
		})
		if err != nil {
			return r, err
		}
	}
	return trial.Join(all), nil
}

// onScratch loads a set into a temporary database, with another embedding model unless it is "", and calls fn.
func onScratch(ctx context.Context, p *command.Program, model string, set eval.Set, configs []trial.Config, fn func(*trial.Trial) error) (err error) {
	s, err := p.App.ScratchWith(ctx, model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	report, end := p.Stages()
	defer end()
	b := trial.Bench{Store: s.Store, Engine: s.Engine, Stopwatch: time.Now, Progress: report}
	if err := b.Check(ctx, configs); err != nil {
		return err
	}
	t, err := trial.Load(ctx, b, set)
	if err != nil {
		return err
	}
	return fn(t)
}

// ownSets builds sets from the user's memories and the repository of the folder, and writes them into the
// folder write unless that is "".
func ownSets(p *command.Program, cmd *cobra.Command, write string) ([]eval.Set, error) {
	name, err := p.ReadProject(cmd, p.App.Engine, !p.ProjectGiven())
	if err != nil {
		return nil, err
	}
	sets, err := own.Sets(cmd.Context(), p.App, name)
	if err != nil {
		return nil, err
	}
	log, found, err := p.App.Changelog(cmd.Context())
	if err != nil {
		return nil, err
	}
	if found {
		lines, commits := make([]own.Line, len(log.Lines)), make([]own.Commit, len(log.Commits))
		for i, l := range log.Lines {
			lines[i] = own.Line(l)
		}
		for i, c := range log.Commits {
			commits[i] = own.Commit(c)
		}
		sets = append(sets, own.Changelog(lines, commits))
	}
	if write != "" {
		err = writeSets(p.Path(write), sets)
	}
	return sets, err
}

// writeSets writes each set with questions into a folder of its name below dir, readable only by the user. It
// overwrites nothing, since figures measured on the old set would lose their meaning.
func writeSets(dir string, sets []eval.Set) error {
	for _, s := range sets {
		if len(s.Questions) == 0 {
			continue
		}
		folder := filepath.Join(dir, s.Name)
		if _, err := os.Stat(folder); err == nil {
			return engram.Errorf(engram.CodeConflict, "%s already exists", folder).WithHint("choose another folder, or measure the existing one: {eval %s}", dir)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return engram.Errorf(engram.CodeUnavailable, "cannot create %s", folder).WithCause(err)
		}
		err := s.Write(func(name string) (io.WriteCloser, error) {
			f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return nil, engram.Errorf(engram.CodeUnavailable, "cannot write %s", folder).WithCause(err)
			}
			return f, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EvalDoc is the answer of `eval`.
type EvalDoc struct {
	Sets  []evalSet  `json:"sets"`
	Mean  *evalSet   `json:"mean"`  // over the sets; null for one set
	Kinds *evalKinds `json:"kinds"` // of --wrapped and --own; else null
	Notes []string   `json:"notes"` // caveats for reading the figures
}

type evalSet struct {
	Name           string       `json:"name"`
	Documents      int          `json:"documents"`
	Questions      int          `json:"questions"`
	Unanswerable   int          `json:"unanswerable"` // questions asked where they have no answer
	Configurations []evalConfig `json:"configurations"`
}

type evalConfig struct {
	Options string                     `json:"options"` // "default" without options
	Figures map[eval.Figure]*float64   `json:"figures"` // null if not measured
	P50     float64                    `json:"p50_ms"`
	P95     float64                    `json:"p95_ms"`
	Changes map[eval.Figure]evalChange `json:"changes"` // compared with the first configuration; {} in the first
}

type evalChange struct {
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`  // of the 95 % interval
	High       float64 `json:"high"` // of the 95 % interval
	P          float64 `json:"p"`
}

func evalSetOf(r trial.Report) evalSet {
	return evalSet{r.Name, r.Documents, r.Questions, r.Unanswerable, document.Each(r.Rows, func(row trial.Row) evalConfig {
		c := evalConfig{Options: row.Config.String(), Figures: map[eval.Figure]*float64{}, Changes: map[eval.Figure]evalChange{},
			P50: milliseconds(row.P50), P95: milliseconds(row.P95)}
		for _, f := range eval.Figures() {
			c.Figures[f] = nil
			if v, ok := row.Figures[f]; ok {
				c.Figures[f] = &v
			}
		}
		for f, v := range row.Changes {
			c.Changes[f] = evalChange(v)
		}
		return c
	})}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

const evalCell = 8

// writeEval writes a table for each set: a row for each configuration, followed by its difference to the
// first.
func writeEval(b *strings.Builder, reports []trial.Report, doc EvalDoc) {
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(b)
		}
		writeEvalSet(b, r)
	}
	if doc.Kinds != nil {
		if len(reports) > 0 {
			fmt.Fprintln(b)
		}
		writeKinds(b, *doc.Kinds)
	}
	if b.Len() > 0 && len(doc.Notes) > 0 {
		fmt.Fprintln(b)
	}
	for _, n := range doc.Notes {
		fmt.Fprintln(b, n)
	}
}

func writeEvalSet(b *strings.Builder, r trial.Report) {
	fmt.Fprintf(b, "%s: %s, %s", render.Line(r.Name, 0), command.Count(r.Documents, "document", "documents"), command.Count(r.Questions, "question", "questions"))
	if r.Unanswerable > 0 {
		fmt.Fprintf(b, ", %d unanswerable", r.Unanswerable)
	}
	width := len("  difference")
	for _, row := range r.Rows {
		width = max(width, utf8.RuneCountInString(row.Config.String()))
	}
	fmt.Fprintf(b, "\n%-*s", width, "")
	for _, c := range []string{"R@1", "R@5", "R@10", "R@20", "MRR", "nDCG", "prec", "kept", "lost", "abst", "empty", "tokens", "p50 ms", "p95 ms"} { // in the order of eval.Figures
		fmt.Fprintf(b, "%*s", evalCell, c)
	}
	fmt.Fprintln(b)
	for _, row := range r.Rows {
		fmt.Fprintf(b, "%-*s", width, row.Config)
		for _, f := range eval.Figures() {
			v, ok := row.Figures[f]
			writeFigure(b, f, v, ok, "%.3f")
		}
		fmt.Fprintf(b, "%*.2f%*.2f\n", evalCell, milliseconds(row.P50), evalCell, milliseconds(row.P95))
		if row.Changes != nil {
			writeChanges(b, width, row.Changes)
		}
	}
}

// writeChanges writes the difference to the first row, its interval and its probability by chance.
func writeChanges(b *strings.Builder, width int, changes map[eval.Figure]eval.Change) {
	same := true
	for _, c := range changes {
		same = same && c == (eval.Change{P: 1})
	}
	if same {
		fmt.Fprintln(b, "  no difference in any figure")
		return
	}
	for _, line := range []struct {
		name, form string
		of         func(eval.Change) float64
	}{
		{"  difference", "%+.3f", func(c eval.Change) float64 { return c.Difference }},
		{"  95 % from", "%+.3f", func(c eval.Change) float64 { return c.Low }},
		{"  to", "%+.3f", func(c eval.Change) float64 { return c.High }},
		{"  p", "%.4f", func(c eval.Change) float64 { return c.P }},
	} {
		fmt.Fprintf(b, "%-*s", width, line.name)
		for _, f := range eval.Figures() {
			c, ok := changes[f]
			writeFigure(b, f, line.of(c), ok, line.form)
		}
		fmt.Fprintln(b)
	}
}

// writeFigure writes one cell; a dash if it was not measured.
func writeFigure(b *strings.Builder, f eval.Figure, v float64, ok bool, form string) {
	text := "–"
	if f == eval.Tokens { // decimals of tokens are noise
		form = strings.Replace(form, ".3", ".0", 1)
	}
	if ok {
		text = fmt.Sprintf(form, v)
	}
	fmt.Fprintf(b, "%*s", evalCell, text)
}
