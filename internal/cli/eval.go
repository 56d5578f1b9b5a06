package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/trial"
)

// evalFlags are the flags of `eval`.
type evalFlags struct {
	queries, with, write string
	against              []string
	limit, questions     int
	own, unanswerable    bool
}

func (p *program) evalCommand() *cobra.Command {
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
Your memories are only read.`,
		Example: examples("engram eval sets/decisions", "engram eval sets --queries queries-kw3.jsonl --json",
			"engram eval sets --against mode=fts", "engram eval --own --with fusion=score --against fusion=rank",
			"engram eval --own --write my-set"),
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.own == (len(args) == 1) {
				return invalidf("nothing to measure is given").WithHint("give the folder of a set, or --own for your own memories")
			}
			return p.eval(cmd, strings.Join(args, ""), f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.own, "own", false, "use your own memories, of every project or of --project")
	flags.StringVar(&f.write, "write", "", "write the sets made by --own into this `folder`")
	flags.StringVar(&f.queries, "queries", eval.Questions, "`file` of questions in each set")
	flags.StringVar(&f.with, "with", "", "search `options`: name=value,… with the names "+strings.Join(trial.Options(), ", "))
	flags.StringArrayVar(&f.against, "against", nil, "compare with these search `options`; may be repeated")
	flags.IntVar(&f.limit, "limit", trial.DefaultLimit, "number of hits per question")
	flags.IntVar(&f.questions, "questions", 0, "number of questions per set, spread evenly; 0 is all")
	flags.BoolVar(&f.unanswerable, "unanswerable", true, "also ask questions in another group's project, where they have no answer")
	return cmd
}

func (p *program) eval(cmd *cobra.Command, dir string, f evalFlags) error {
	configs, err := f.configs()
	if err != nil {
		return err
	}
	if _, err := p.open(cmd); err != nil {
		return err
	}
	var sets []eval.Set
	if f.own {
		sets, err = p.ownSets(cmd, f.write)
	} else {
		sets, err = p.readSets(dir, f.queries)
	}
	if err != nil {
		return err
	}
	doc := evalDoc{Sets: []evalSet{}, Notes: []string{}}
	var reports []trial.Report
	for _, set := range sets {
		set = set.Head(f.questions)
		if len(set.Questions) < eval.Few {
			doc.Notes = append(doc.Notes, fewNote(set))
		}
		if len(set.Questions) == 0 {
			continue
		}
		r, err := p.try(cmd.Context(), set, f, configs)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	for _, r := range reports {
		doc.Sets = append(doc.Sets, evalSetOf(r))
	}
	if len(reports) > 1 {
		mean := trial.Mean(reports)
		reports = append(reports, mean)
		m := evalSetOf(mean)
		doc.Mean = &m
	}
	return p.answer(doc, func(b *strings.Builder) { writeEval(b, reports, doc.Notes) })
}

// configs are what is compared, that of --with first.
func (f evalFlags) configs() ([]trial.Config, error) {
	if f.limit < 1 || f.limit > trial.MaxLimit {
		return nil, invalidf("limit %d is out of range", f.limit).WithHint("from 1 to %d", trial.MaxLimit)
	}
	if f.questions < 0 {
		return nil, invalidf("questions %d is out of range", f.questions).WithHint("a number from 0")
	}
	if f.write != "" && !f.own {
		return nil, invalidf("--write needs --own")
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

// readSets reads the set in dir, or those in its folders.
func (p *program) readSets(dir, queries string) ([]eval.Set, error) {
	if !fs.ValidPath(queries) {
		return nil, invalidf("--queries %q is not a file name", queries).WithHint("name a file in the folder of each set")
	}
	dir = p.path(dir)
	names, err := eval.Sets(os.DirFS(dir))
	if err != nil {
		return nil, named(dir, err)
	}
	// Read from one folder above: the name of a set is that of its folder.
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

// path is a path given by the user, seen from the folder the program works in.
func (p *program) path(given string) string {
	if filepath.IsAbs(given) {
		return filepath.Clean(given)
	}
	return filepath.Join(p.Dir, given)
}

// named is err with what it is about in front.
func named(what string, err error) error {
	return engram.Errorf(engram.CodeOf(err), "%s", what).WithHintOf(err).WithCause(err)
}

// try plays one set on a database of its own.
func (p *program) try(ctx context.Context, set eval.Set, f evalFlags, configs []trial.Config) (r trial.Report, err error) {
	s, err := p.app.Scratch(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	bars := map[string]*progress{}
	b := trial.Bench{Store: s.Store, Engine: s.Engine, Stopwatch: time.Now, Progress: func(what string, done, total int) {
		if bars[what] == nil {
			bars[what] = p.progress(what)
		}
		bars[what].tell(done, total)
		if done == total {
			bars[what].end()
			delete(bars, what)
		}
	}}
	if err := b.Check(ctx, configs); err != nil {
		return r, err
	}
	t, err := trial.Load(ctx, b, set)
	if err != nil {
		return r, err
	}
	return t.Compare(ctx, trial.Asking{Limit: f.limit, Unanswerable: f.unanswerable}, configs)
}
