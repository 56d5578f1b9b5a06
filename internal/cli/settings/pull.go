package settings

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/render"
)

// askedFrom is the number of bytes from which a download is asked for once more.
const askedFrom = 500_000_000

func modelPullCommand(p *command.Program) *cobra.Command {
	var in app.PullModel
	var precision string
	var yes bool
	cmd := &cobra.Command{
		Use:   "pull NAME",
		Short: "Download a model and install it",
		Long: `Download a model and install it: one that engram model list names, or any BERT or XLM-RoBERTa model as OWNER/NAME. The
hub is huggingface.co, or the mirror that HF_ENDPOINT names; HF_TOKEN is for models whose licence has to be accepted, and
is sent to that hub only. Proxies of the environment are used. This is the one command that downloads.

Files are checked against hashes that the program knows, or else against those that the hub announces, which are kept
from then on. A download that was cut continues where it ended when the command is run again.`,
		Example: command.Examples("engram model pull bge-small-en-v1.5", "engram model pull BAAI/bge-m3 --yes", "engram model pull intfloat/multilingual-e5-small --revision main"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			if in.Precision, err = precisionOf(precision); err != nil {
				return err
			}
			if err := c.MayPull(p.Env); err != nil {
				return err
			}
			in.Name = args[0]
			in.Confirm = func(plan app.ModelPlan) error { return confirmPull(p, plan, yes) }
			shown := pullProgress{p: p}
			in.Progress = shown.report
			m, err := app.ModelsOf(c).Pull(cmd.Context(), c, in)
			shown.end()
			if cmd.Context().Err() != nil {
				p.WarnBeside("what was downloaded is kept: the same command continues")
			}
			if err != nil {
				return err
			}
			doc := modelOf(c, m)
			return p.Answer(doc, func(b *strings.Builder) {
				fmt.Fprintf(b, "Pulled %s: %s model, %d numbers, %s\n", doc.Name, use(doc), doc.Dimensions, command.SizeText(doc.Bytes))
				fmt.Fprintf(b, "It has %s\n", verifiedText(doc.Verified))
				fmt.Fprintf(b, "Use it: engram model use %s\n", doc.Name)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.As, "name", "", "`name` of the model; default that of its repository")
	flags.StringVar(&in.Revision, "revision", "", "`revision` of the repository: a commit, a branch, or a reference such as refs/pr/38")
	flags.StringVar(&precision, "precision", "", "how weights are kept in memory: `f32`, exact, or w8, a quarter; default by size")
	flags.BoolVar(&yes, "yes", false, "do not ask before large downloads")
	return cmd
}

// precisionOf reads --precision.
func precisionOf(given string) (app.Precision, error) {
	if given != "" && given != "f32" && given != "w8" {
		return "", command.Invalidf("%q is not a precision", given).WithHint("use f32 or w8")
	}
	return app.Precision(given), nil
}

// verifiedText says whose hashes a model's files have.
func verifiedText(verified string) string {
	if verified == "catalogue" {
		return "the files that this program knows"
	}
	return "files as the hub announced them, which this program cannot compare; they are kept in mind from now on"
}

// confirmPull shows what would be downloaded, and asks a person before much is.
func confirmPull(p *command.Program, plan app.ModelPlan, yes bool) error {
	if p.JSON {
		return nil
	}
	p.Report(func(b *strings.Builder) {
		license := "no licence named"
		if plan.License != "" {
			license = "licence " + plan.License
		}
		fmt.Fprintf(b, "%s from %s: %s, %s", plan.Repository, plan.Host, license, command.SizeText(plan.Bytes))
		if plan.Left < plan.Bytes {
			fmt.Fprintf(b, ", of which %s are missing", command.SizeText(plan.Left))
		}
		if plan.Free >= 0 {
			fmt.Fprintf(b, "; %s free", command.SizeText(plan.Free))
		}
		b.WriteByte('\n')
	})
	if plan.Left < askedFrom || !p.SomeoneThere() {
		return nil
	}
	ok, err := p.Confirm(yes, "Download "+command.SizeText(plan.Left)+"?")
	if err == nil && !ok {
		err = engram.Errorf(engram.CodeInvalid, "nothing was downloaded").WithHint("add --yes to download")
	}
	return err
}

// pullProgress shows a download: a bar for each file on a terminal, else a line for each tenth of a large file.
type pullProgress struct {
	p     *command.Program
	bar   *command.Progress
	file  string
	lines tenths
}

func (s *pullProgress) report(file string, done, total int64) {
	if file != s.file {
		s.end()
		s.file, s.bar, s.lines = file, s.p.Progress(render.Line(file, 0)), tenths{}
	}
	s.bar.ReportBytes(done, total)
	if !s.p.JSON && !terminal.Is(s.p.Stderr) {
		s.lines.report(s.p.Stderr, file, done, total)
	}
}

func (s *pullProgress) end() {
	if s.bar != nil {
		s.bar.End()
	}
}

// largeFile is the size in bytes from which a file has lines.
const largeFile = 1 << 20

// tenths writes a line for each tenth of a file that has come. What was there at the first report has none.
type tenths struct {
	seen bool
	last int64
}

func (t *tenths) report(w io.Writer, file string, done, total int64) {
	if total < largeFile {
		return
	}
	now := 10 * done / total
	if t.seen && now > t.last {
		fmt.Fprintf(w, "%s: %d %% of %s\n", file, 10*now, command.SizeText(total))
	}
	t.seen, t.last = true, now
}

func modelUseCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "use NAME",
		Short: "Make an installed model the one in force",
		Long: `Make an installed model the one in force: its name is written into config.toml, as embedding_model or, for a reranker,
as rerank_model. builtin is the embedding model in the program. A running server reads settings only when it starts; from
then on it gives memories the vectors of another model, and engram status shows how far it is.`,
		Example: command.Examples("engram model use bge-small-en-v1.5", "engram model use builtin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			key, name := "embedding_model", args[0]
			switch {
			case strings.EqualFold(name, config.BuiltIn):
				name = config.BuiltIn
			case strings.Contains(name, ":"): // of a server, which the setting knows
			case strings.EqualFold(name, config.NoModel):
				return command.Invalidf("none may be meant for embedding or for reranking").
					WithHint("use {config set embedding_model none} or {config set rerank_model none}")
			default:
				m, err := app.ModelsOf(c).Info(name)
				if err != nil {
					return err
				}
				if name = m.Name; m.Reranker {
					key = "rerank_model"
				}
			}
			next := ""
			if key == "embedding_model" && name != c.EmbeddingModel {
				next = "; engram reembed gives memories its vectors, or a server once it is restarted; engram stats shows how far they are"
			}
			return changeSetting(p, cmd, key, "%s is "+name+" in %s"+next, "%s is already "+name+" in %s", func(path string) (bool, error) { return config.Set(path, key, name) })
		},
	}
}
