package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// ModelDoc is an installed model.
type ModelDoc struct {
	Name         string             `json:"name"`
	Kind         string             `json:"kind"`       // bert or xlm-roberta
	Reranker     bool               `json:"reranker"`   // it ranks results; others embed
	InForce      bool               `json:"in_force"`   // a setting names it
	Dimensions   int                `json:"dimensions"` // numbers of a vector
	Layers       int                `json:"layers"`
	Pooling      string             `json:"pooling"`       // cls or mean; "" for a reranker
	Tokens       int                `json:"max_tokens"`    // longer texts are divided
	Precision    string             `json:"precision"`     // f32 or w8
	QueryPrefix  string             `json:"query_prefix"`  // goes before a question, unless a setting says otherwise; "" for nothing
	MemoryPrefix string             `json:"memory_prefix"` // before a memory
	Bytes        int64              `json:"bytes"`         // of all files
	Source       string             `json:"source"`        // folder that it was copied from, or page that it was pulled from
	Repository   string             `json:"repository"`    // at the hub; "" for one that was not pulled, as for the next three
	Commit       string             `json:"commit"`        // of the repository
	License      string             `json:"license"`       // as the repository names it
	Verified     string             `json:"verified"`      // whose hashes its files had: catalogue (known to the program) or hub (as announced)
	Added        document.Timestamp `json:"added_at"`
}

// ModelsDoc is the answer of `model list`.
type ModelsDoc struct {
	Models   []ModelDoc `json:"models"`   // by name
	Problems []string   `json:"problems"` // folders that have no sound model
	// Available are those that are known by name and not installed, smallest first.
	Available []PublishedModelDoc `json:"available"`
}

// PublishedModelDoc is a model that `model pull` knows by name.
type PublishedModelDoc struct {
	Name       string `json:"name"`
	Repository string `json:"repository"` // at the hub
	Revision   string `json:"revision"`   // commit or reference
	License    string `json:"license"`
	Reranker   bool   `json:"reranker"`   // it ranks results; others embed
	Dimensions int    `json:"dimensions"` // numbers of a vector; 0 for a reranker
	Bytes      int64  `json:"bytes"`      // of all files, roughly
	Known      bool   `json:"known"`      // the program knows the hashes of its files
}

func publishedOf(e app.PublishedModel) PublishedModelDoc {
	return PublishedModelDoc{Name: e.Name, Repository: e.Repository, Revision: e.Revision, License: e.License, Reranker: e.Reranker,
		Dimensions: e.Dimensions, Bytes: e.Bytes, Known: len(e.Files) > 0}
}

// RemovedModelDoc is the answer of `model rm`.
type RemovedModelDoc struct {
	Name string `json:"name"`
}

func modelOf(c config.Config, m app.Model) ModelDoc {
	before := m.Before()
	return ModelDoc{QueryPrefix: before[engram.RoleQuery], MemoryPrefix: before[engram.RoleMemory], Name: m.Name, Kind: m.Kind, Reranker: m.Reranker, InForce: m.Name == c.EmbeddingModel || m.Name == c.RerankModel, Dimensions: m.Dimensions,
		Layers: m.Layers, Pooling: m.Pooling, Tokens: m.Tokens, Precision: string(m.Precision), Bytes: m.Size(), Source: m.Source,
		Repository: m.Repository, Commit: m.Commit, License: m.License, Verified: string(m.Verified), Added: document.Timestamp(m.Added)}
}

func modelCommand(p *command.Program) *cobra.Command {
	list := modelListCommand(p)
	cmd := command.Group("model", "Install embedding models and rerankers, use, check and remove them",
		command.Examples("engram model list", "engram model pull bge-small-en-v1.5", "engram model use bge-small-en-v1.5"),
		list, modelPullCommand(p), modelUseCommand(p), modelAddCommand(p), modelInfoCommand(p), modelVerifyCommand(p), modelRemoveCommand(p))
	cmd.Aliases = []string{"models"}
	cmd.RunE = list.RunE
	return cmd
}

func modelListCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the installed models, and others that are known by name",
		Example: command.Examples("engram model list", "engram model list --json"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			models, problems, err := app.ModelsOf(c).List()
			if err != nil {
				return err
			}
			doc := ModelsDoc{document.Each(models, func(m app.Model) ModelDoc { return modelOf(c, m) }), document.Each(problems, command.MessageOf), available(models)}
			p.WarnBeside(doc.Problems...)
			return p.AnswerRows(doc, func(b *strings.Builder) { writeModels(b, doc, c, p.Columns()) })
		},
	}
}

func writeModels(b *strings.Builder, doc ModelsDoc, c config.Config, columns int) {
	fmt.Fprintf(b, "Models (%d); embedding_model is %s, rerank_model is %s\n", len(doc.Models), c.EmbeddingModel, c.RerankModel)
	t := terminal.Table{Indent: "  ", Numbers: map[int]bool{2: true, 3: true}}
	for _, m := range doc.Models {
		t.Row(m.Name, use(m), fmt.Sprintf("%d numbers", m.Dimensions), command.SizeText(m.Bytes), m.Precision)
	}
	t.Write(b, columns)
	if len(doc.Available) == 0 {
		return
	}
	fmt.Fprintf(b, "Not installed; engram model pull NAME downloads one\n")
	others := terminal.Table{Indent: "  ", Numbers: map[int]bool{2: true, 3: true}}
	for _, e := range doc.Available {
		numbers := ""
		if !e.Reranker {
			numbers = fmt.Sprintf("%d numbers", e.Dimensions)
		}
		others.Row(e.Name, use(ModelDoc{Reranker: e.Reranker}), numbers, command.SizeText(e.Bytes), e.License)
	}
	others.Write(b, columns)
}

// available returns the models that are known by name and not among those installed.
func available(installed []app.Model) []PublishedModelDoc {
	others := slices.DeleteFunc(app.PublishedModels(), func(e app.PublishedModel) bool {
		return slices.ContainsFunc(installed, func(m app.Model) bool { return strings.EqualFold(m.Name, e.Name) })
	})
	return document.Each(others, publishedOf)
}

// use is what a model is for.
func use(m ModelDoc) string {
	if m.Reranker {
		return "reranker"
	}
	return "embedding"
}

func modelAddCommand(p *command.Program) *cobra.Command {
	var in app.AddModel
	var precision string
	cmd := &cobra.Command{
		Use:   "add FOLDER",
		Short: "Install a model from a folder",
		Long: `Install a model from a folder: its files are copied into the data directory, and the model is tried. Models of the kinds
BERT and XLM-RoBERTa are supported, in the form in which they are published: config.json, tokenizer.json and
model.safetensors, such as all-MiniLM-L6-v2, bge-small-en-v1.5, bge-m3 and bge-reranker-base. Nothing is downloaded.`,
		Example: command.Examples("engram model add ~/models/bge-small-en-v1.5", "engram model add . --name my-model --precision w8"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			if in.Precision, err = precisionOf(precision); err != nil {
				return err
			}
			bar := p.Progress("copying")
			in.Folder, in.Progress = p.Path(args[0]), func(done, total int64) { bar.Report(int(done>>10), int(total>>10)) }
			m, err := app.ModelsOf(c).Add(cmd.Context(), in)
			bar.End()
			if err != nil {
				return err
			}
			doc := modelOf(c, m)
			return p.Answer(doc, func(b *strings.Builder) {
				fmt.Fprintf(b, "Added %s: %s model, %d numbers, %s\n", doc.Name, use(doc), doc.Dimensions, command.SizeText(doc.Bytes))
				fmt.Fprintf(b, "Use it: engram model use %s\n", doc.Name)
			})
		},
	}
	cmd.Flags().StringVar(&in.Name, "name", "", "`name` of the model; default that of the folder")
	cmd.Flags().StringVar(&precision, "precision", "", "how weights are kept in memory: `f32`, exact, or w8, a quarter; default by size")
	return cmd
}

func modelInfoCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "info NAME",
		Short:   "Show an installed model",
		Example: command.Examples("engram model info bge-small-en-v1.5", "engram model info bge-small-en-v1.5 --json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			m, err := app.ModelsOf(c).Info(args[0])
			if err != nil {
				return err
			}
			doc := modelOf(c, m)
			return p.Answer(doc, func(b *strings.Builder) { writeModel(b, doc) })
		},
	}
}

func writeModel(b *strings.Builder, m ModelDoc) {
	pooling := ""
	if m.Pooling != "" {
		pooling = ", pooling " + m.Pooling
	}
	fmt.Fprintf(b, "%s: %s model of the kind %s\n", m.Name, use(m), m.Kind)
	fmt.Fprintf(b, "  %d layers, %d numbers, %d tokens%s, weights as %s\n", m.Layers, m.Dimensions, m.Tokens, pooling, m.Precision)
	if m.QueryPrefix != "" || m.MemoryPrefix != "" {
		fmt.Fprintf(b, "  %q goes before a question, %q before a memory\n", m.QueryPrefix, m.MemoryPrefix)
	}
	fmt.Fprintf(b, "  %s from %s\n", command.SizeText(m.Bytes), render.Line(cmp.Or(m.Source, "?"), 0))
	if m.Repository != "" {
		fmt.Fprintf(b, "  licence %s, commit %s; %s\n", render.Line(cmp.Or(m.License, "unknown"), 0), render.Line(m.Commit, 0), verifiedText(m.Verified))
	}
}

func modelVerifyCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "verify NAME",
		Short: "Check the files of an installed model, and that it computes",
		Long: `Check the files of an installed model, and that it computes: every file must have the content with which it was
installed, and texts the same vectors alone and among others.`,
		Example: command.Examples("engram model verify bge-small-en-v1.5"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			m, err := app.ModelsOf(c).Verify(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return p.Answer(modelOf(c, m), func(b *strings.Builder) {
				fmt.Fprintf(b, "%s is sound: %s\n", m.Name, command.Count(len(m.Files), "file", "files"))
			})
		},
	}
}

func modelRemoveCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "rm NAME",
		Short:   "Remove an installed model",
		Long:    "Remove an installed model. Where a setting names it, search goes on with the built-in one.",
		Example: command.Examples("engram model rm bge-small-en-v1.5"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			name, err := app.ModelsOf(c).Remove(args[0])
			if err != nil {
				return err
			}
			return p.Answer(RemovedModelDoc{name}, func(b *strings.Builder) { fmt.Fprintf(b, "Removed %s\n", name) })
		},
	}
}
