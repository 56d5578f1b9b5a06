package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// mostAtOnce is how many memories one question may be asked about: more cannot be
// looked through before saying yes.
const mostAtOnce = 50

// forgetFlags say how `delete --query` goes about it.
type forgetFlags struct {
	query             string
	hard, yes, dryRun bool
}

// forgottenDoc is the answer of `delete --query --json`.
type forgottenDoc struct {
	Query   string                `json:"query"`
	DryRun  bool                  `json:"dry_run"` // nothing was changed
	Hard    bool                  `json:"hard"`
	Found   []document.DeletedRow `json:"found"`
	Deleted []document.DeletedRow `json:"deleted"`
	Left    int                   `json:"left"`    // of the deleted, how many the same question still finds
	HeldBy  []document.Trace      `json:"held_by"` // who holds what was erased all the same
	// Elsewhere are prompts and session summaries that have all the words, too.
	Elsewhere []elsewhereDoc `json:"elsewhere"`
}

func writeHeld(b *strings.Builder, held []engram.Trace) {
	if len(held) == 0 {
		return
	}
	fmt.Fprintln(b, "The text is still contained in:")
	for _, t := range held {
		fmt.Fprintf(b, "  %s %s\n", t.Kind, render.Plain(t.Where))
	}
}

// forgetFound shows what the query finds, asks which of it to forget, forgets it, and
// asks the query again as the proof.
func (p *program) forgetFound(cmd *cobra.Command, e *engine.Engine, f forgetFlags) error {
	f.query = redact.Private(f.query) // it is shown again
	found, err := p.forgettable(cmd, e, f.query)
	if err != nil {
		return err
	}
	doc := forgottenDoc{Query: f.query, DryRun: f.dryRun, Hard: f.hard, Found: rowsOf(found), Deleted: []document.DeletedRow{}, HeldBy: []document.Trace{}}
	chosen := found
	if !f.yes && !f.dryRun && len(found) > 0 {
		if chosen, err = p.choose(found); err != nil {
			return err
		}
	}
	if doc.Elsewhere, err = p.elsewhere(cmd, e, f.query); err != nil {
		return err
	}
	if f.dryRun || len(chosen) == 0 {
		return p.answer(doc, func(b *strings.Builder) {
			writeForgotten(b, doc)
			writeElsewhere(b, doc.Elsewhere)
		})
	}
	var refs []engram.Ref
	for _, m := range chosen {
		refs = append(refs, engram.ByNum(m.Num))
	}
	d, err := e.Delete(cmd.Context(), f.hard, refs...)
	if err != nil {
		return err
	}
	p.warnAll(d.Degraded)
	gone := d.Memories
	again, err := p.forgettable(cmd, e, f.query)
	if err != nil {
		return err
	}
	doc.Deleted, doc.HeldBy = rowsOf(gone), document.Each(d.HeldBy, document.TraceOf)
	for _, m := range again {
		if slices.ContainsFunc(gone, func(g engram.Memory) bool { return g.Num == m.Num }) {
			doc.Left++
		}
	}
	if doc.Left > 0 {
		return engram.Errorf(engram.CodeInternal, "a search still finds %d of the forgotten memories", doc.Left)
	}
	return p.answer(doc, func(b *strings.Builder) {
		writeForgotten(b, doc)
		writeHeld(b, d.HeldBy)
		writeElsewhere(b, doc.Elsewhere)
	})
}

// forgettable is what the query finds by all of its words. Where a question has no
// words, a search answers with the newest memories; nobody asked to forget those.
func (p *program) forgettable(cmd *cobra.Command, e *engine.Engine, query string) ([]engram.Memory, error) {
	if strings.TrimSpace(query) == "" {
		return nil, invalidf("--query is empty").WithHint("give words that the memories to forget contain")
	}
	if err := engram.CheckText("query", query, engram.MaxContent); err != nil {
		return nil, err
	}
	name, err := p.readProject(cmd, e, false)
	if err != nil {
		return nil, err
	}
	res, err := e.Search(cmd.Context(), engine.SearchInput{Query: query, Filter: engram.Filter{Project: name}, Limit: mostAtOnce, All: true, Own: true})
	if err != nil {
		return nil, err
	}
	var found []engram.Memory
	for _, h := range res.Hits {
		if slices.ContainsFunc(h.Why.Channels, func(c engram.ChannelRank) bool {
			return c.Channel == engram.ChannelLexical || c.Channel == engram.ChannelTopic
		}) {
			found = append(found, h.Memory)
		}
	}
	return found, nil
}

// choose shows memories and asks which of them are meant.
func (p *program) choose(found []engram.Memory) ([]engram.Memory, error) {
	p.tell(func(b *strings.Builder) { writeRows(b, rowsOf(found)) })
	answer, err := p.ask("Forget which? [all, numbers such as "+strconv.FormatInt(found[0].Num, 10)+", or nothing for none]",
		"--yes, or --dry-run to preview")
	if err != nil || answer == "" || answer == "none" || answer == "n" || answer == "no" {
		return nil, err
	}
	if answer == "all" || answer == "y" || answer == "yes" {
		return found, nil
	}
	var chosen []engram.Memory
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		num, err := strconv.ParseInt(strings.TrimPrefix(word, "#"), 10, 64)
		at := slices.IndexFunc(found, func(m engram.Memory) bool { return m.Num == num })
		if err != nil || at < 0 {
			return nil, invalidf("%q is not one of the memories shown", word).WithHint("use the numbers after #; nothing was forgotten")
		}
		chosen = append(chosen, found[at])
	}
	return chosen, nil
}

func rowsOf(list []engram.Memory) []document.DeletedRow {
	return document.Each(list, document.DeletedRowOf)
}

func writeRows(b *strings.Builder, rows []document.DeletedRow) {
	for _, r := range rows {
		fmt.Fprintf(b, "  #%d %s\n", r.Num, render.Line(r.Title, 0))
	}
}

func writeForgotten(b *strings.Builder, doc forgottenDoc) {
	switch {
	case len(doc.Found) == 0:
		fmt.Fprintf(b, "No memory contains all the words of %q.\n", render.Plain(doc.Query))
	case doc.DryRun:
		fmt.Fprintf(b, "Would forget %s:\n", count(len(doc.Found), "memory", "memories"))
		writeRows(b, doc.Found)
	case len(doc.Deleted) == 0:
		fmt.Fprintln(b, "Nothing was forgotten.")
	default:
		for _, r := range doc.Deleted {
			fmt.Fprintf(b, "Memory #%d %s\n", r.Num, howDeleted(doc.Hard))
		}
		fmt.Fprintln(b, "Checked: a search finds none of them any more.")
	}
}
