package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) ingestCommand() *cobra.Command {
	var merge bool
	cmd := &cobra.Command{
		Use:   "ingest [FILE|-|JSON]",
		Short: "Save many memories from JSON",
		Long: `Save many memories from JSON: a list of objects, or one object a line (JSONL), from a file, standard input or the
argument itself. An object has content and, if wanted, title, type, scope, project, topic_key, session_id, tool_name,
tags, metadata, importance, permanent and related; a field of another name is an error.

Up to 100 memories share a transaction. When one cannot be saved, none of its hundred is, those before stay saved, and
nothing after is read. What was saved already is not saved twice: save the same file again with --merge.`,
		Example: examples("engram ingest memories.jsonl", `engram ingest '[{"title":"Ports","content":"The shop listens on 8443."}]'`, `jq -c '.notes[]' notes.json | engram ingest - --merge --json`),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			return p.ingest(cmd, name, merge)
		},
	}
	cmd.Flags().BoolVar(&merge, "merge", false, "let memories that say nearly the same become one")
	return cmd
}

func (p *program) ingest(cmd *cobra.Command, name string, merge bool) error {
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	in, err := p.jsonReader(name)
	if err != nil {
		return err
	}
	defer in.Close()
	project, err := p.writeProject(cmd, e)
	if err != nil {
		return err
	}
	var doc ingestedDoc
	bar := p.progress("saving")
	defer bar.end()
	drafts := newDrafts(in)
	for {
		batch, err := drafts.next(engine.MaxBatch)
		if err != nil {
			return doc.failed(err)
		}
		if len(batch) == 0 {
			break
		}
		saves := make([]engine.SaveInput, len(batch))
		for i, d := range batch {
			if saves[i], err = p.ingestInput(d, project, merge); err != nil {
				return doc.failed(engine.OfItem(i, err))
			}
		}
		saved, err := e.SaveBatch(cmd.Context(), saves)
		if err != nil {
			return doc.failed(err)
		}
		doc.add(saved)
		bar.tell(len(doc.Memories), 0)
	}
	bar.end()
	if !p.json {
		for _, w := range doc.Warnings {
			p.warn(w)
		}
	}
	if doc.Saved == nil {
		doc.Saved = map[engine.Action]int{}
	}
	doc.Memories, doc.Warnings = document.OrEmpty(doc.Memories), document.OrEmpty(doc.Warnings)
	return p.answer(doc, doc.write)
}

// jsonReader is fileReader for a command whose argument may be the JSON itself.
func (p *program) jsonReader(name string) (io.ReadCloser, error) {
	if start := strings.TrimSpace(name); strings.HasPrefix(start, "[") || strings.HasPrefix(start, "{") {
		return io.NopCloser(strings.NewReader(start)), nil
	}
	return p.fileReader(name)
}

func (p *program) ingestInput(d document.Draft, project string, merge bool) (engine.SaveInput, error) {
	in := engine.SaveInput{Title: d.Title, Content: d.Content, Type: d.Type, Project: d.Project, TopicKey: d.TopicKey,
		SessionID: d.SessionID, NewSession: true, Directory: p.Dir, ToolName: d.ToolName, Origin: engram.OriginImport,
		Tags: d.Tags, Metadata: d.Metadata, Importance: d.Importance, Permanent: d.Permanent}
	if in.Project == "" && in.SessionID == "" {
		in.Project = project
	}
	if merge {
		in.Admit = engine.AdmitMerging
	}
	var err error
	if in.Scope, err = scopeOf(d.Scope); err != nil {
		return in, err
	}
	in.Related, err = refsOf(d.Related)
	return in, err
}

// ingestedDoc is the answer of `ingest`.
type ingestedDoc struct {
	Saved    map[engine.Action]int `json:"saved"` // how many, by what was done
	Warnings []string              `json:"warnings"`
	Memories []ingestedRow         `json:"memories"` // in the order in which they came
}

type ingestedRow struct {
	document.Named
	Action     engine.Action        `json:"action"`
	Reason     string               `json:"reason"`
	Candidates []document.Candidate `json:"candidates"`
}

func (d *ingestedDoc) add(saved []engine.SaveResult) {
	if d.Saved == nil {
		d.Saved = map[engine.Action]int{}
	}
	said := map[string]bool{}
	for _, w := range d.Warnings {
		said[w] = true
	}
	for _, s := range saved {
		d.Saved[s.Action]++
		d.Memories = append(d.Memories, ingestedRow{document.NamedOf(s.Memory), s.Action, s.Reason, document.Each(s.Candidates, candidateOf)})
		for _, w := range s.Warnings {
			if !said[w] {
				said[w] = true
				d.Warnings = append(d.Warnings, w)
			}
		}
	}
}

// failed is err, which counts from the beginning of a batch, with what was saved before.
func (d *ingestedDoc) failed(err error) error {
	if n := len(d.Memories); n > 0 {
		told, ok := errors.AsType[*engram.Error](err)
		if ok {
			return engram.Errorf(told.Code, "after the first %d, which are saved: %s", n, told.Msg).WithHintOf(told).WithCause(told.Err)
		}
	}
	return err
}

func (d *ingestedDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s read", count(len(d.Memories), "memory", "memories"))
	between := ": "
	for _, a := range []engine.Action{engine.ActionInserted, engine.ActionRevised, engine.ActionRepeated, engine.ActionMerged} {
		if n := d.Saved[a]; n > 0 {
			fmt.Fprintf(b, "%s%d %s", between, n, a)
			between = ", "
		}
	}
	fmt.Fprintln(b)
	for _, m := range d.Memories {
		for _, c := range m.Candidates {
			fmt.Fprintf(b, "#%d may contradict #%d; engram conflicts show %s\n", m.Num, c.Num, c.JudgmentID)
		}
	}
}
