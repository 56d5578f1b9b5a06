package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func writeSaved(b *strings.Builder, s engine.SaveResult) {
	m := s.Memory
	fmt.Fprintf(b, "Memory saved: %s\n", command.MemoryName(m))
	switch s.Action {
	case engine.ActionRevised:
		fmt.Fprintf(b, "  revision %d of topic:%s; engram get %d shows the earlier text\n", m.RevisionCount, render.Line(m.TopicKey, 0), m.Num)
	case engine.ActionRepeated:
		fmt.Fprintf(b, "  already known; now seen %s\n", command.Count(m.DuplicateCount, "time", "times"))
	case engine.ActionMerged:
		fmt.Fprintf(b, "  merged into it: %s; engram get %d shows the earlier text\n", s.Reason, m.Num)
	}
	writeAnchored(b, m)
	if s.SuggestedTopic != "" {
		fmt.Fprintf(b, "Suggested topic_key: %s\n", render.Line(s.SuggestedTopic, 0))
	}
	for _, n := range s.Related {
		fmt.Fprintf(b, "Similar to %s\n", command.MemoryName(n.Memory))
	}
	for _, c := range s.Candidates {
		fmt.Fprintf(b, "May contradict %s: %s\n", command.MemoryName(c.Memory), render.Line(c.Reason, 0))
		fmt.Fprintf(b, "  to judge: engram conflicts judge %s VERDICT\n", c.Relation.ID)
	}
}

// writeAnchored lists the code that a memory is anchored to.
func writeAnchored(b *strings.Builder, m engram.Memory) {
	for _, l := range render.AnchoredTo(m.Anchors) {
		fmt.Fprintln(b, l)
	}
}

func writeFound(b *strings.Builder, query string, f engram.Found, explain bool, o render.Options) {
	text, cut := render.Search(query, f, o)
	fmt.Fprintln(b, text)
	if explain {
		writeWhy(b, f, o)
	}
	if cut {
		fmt.Fprintf(b, "\nengram get %d shows the whole memory.\n", f.Hits[0].Memory.Num)
	}
}

// factorText describes the effect of a factor on the score: most multiply it, some are added, and the
// relevance only separates the list.
func factorText(f engram.Factor) string {
	if name, added := strings.CutPrefix(f.Name, "+ "); added {
		return fmt.Sprintf("%s + %.4g", name, f.Value)
	}
	if f.Name == "relevance" {
		return fmt.Sprintf("%s %.4g", f.Name, f.Value)
	}
	return fmt.Sprintf("%s × %.4g", f.Name, f.Value)
}

// writeWhy explains how the question was read and how each hit got its rank.
func writeWhy(b *strings.Builder, f engram.Found, o render.Options) {
	if len(f.Hits)+len(f.BelowThreshold) > 0 {
		fmt.Fprint(b, "\nWhy:\n")
	}
	for _, r := range f.Repaired {
		fmt.Fprintf(b, "  %q is not in any memory; searched for %s\n", render.Line(r.Written, 0), render.Line(strings.Join(r.Read, ", "), 0))
	}
	for _, t := range f.Times {
		fmt.Fprintf(b, "  %q was interpreted as %s\n", render.Line(t.Phrase, 0), span(t, o))
	}
	for i, h := range slices.Concat(f.Hits, f.BelowThreshold) {
		fmt.Fprintf(b, "  [%d] #%d score %.4g", i+1, h.Memory.Num, h.Score)
		for _, c := range h.Why.Channels {
			fmt.Fprintf(b, " | %s: rank %d, %.4g", c.Channel, c.Rank, c.Score)
		}
		for _, v := range h.Why.Factors {
			fmt.Fprintf(b, " | %s", factorText(v))
		}
		for _, n := range h.Why.Notes {
			fmt.Fprintf(b, " | %s", render.Line(n, 0))
		}
		if i >= len(f.Hits) {
			fmt.Fprint(b, " | below the threshold")
		}
		fmt.Fprintln(b)
	}
}

// span returns a time span in words.
func span(t engram.TimeSpan, o render.Options) string {
	switch {
	case t.From.IsZero():
		return "before " + render.Time(t.To, o)
	case t.To.IsZero():
		return "since " + render.Time(t.From, o)
	}
	return render.Time(t.From, o) + " to " + render.Time(t.To, o)
}

func writeContext(b *strings.Builder, c engram.Context, o render.Options) {
	switch {
	case c.Empty() && len(c.LeftOut) > 0:
		fmt.Fprintf(b, "Nothing fits into the token budget: %s left out.\n", command.Count(len(c.LeftOut), "memory is", "memories are"))
		return
	case c.Empty():
		fmt.Fprintln(b, "No previous session memories found.")
		return
	}
	fmt.Fprintln(b, strings.TrimRight(render.Context(c, o), "\n"))
}

func writeDetail(b *strings.Builder, d engine.Detail, o render.Options) {
	m := d.Memory
	fmt.Fprintln(b, render.Marked(m, engram.Note{Flagged: d.Flagged}, o))
	fmt.Fprintf(b, "Id: %s\n", m.ID)
	if len(m.Tags) > 0 {
		fmt.Fprintf(b, "Tags: %s\n", render.Line(strings.Join(m.Tags, ", "), 0))
	}
	if m.Permanent {
		fmt.Fprintln(b, "Permanent: yes")
	}
	fmt.Fprintf(b, "Strength: %s\n", d.Why)
	if d.State == engram.StateNeedsReview {
		fmt.Fprintf(b, "State: %s since %s\n", d.State, render.Time(m.ReviewAfter, o))
	}
	for _, a := range d.Anchors {
		fmt.Fprintf(b, "Code: %s\n", render.Anchor(a))
	}
	above, _ := splitRelations(d.Note().Relations)
	_, below := splitRelations(d.Relations)
	writeMarks(b, engram.Note{Relations: above}, "") // the state is printed above, with its time
	if len(below) > 0 {
		fmt.Fprint(b, "\n─── Relations ───\n")
	}
	for _, n := range below {
		fmt.Fprintf(b, "  %s\n", render.Relation(n))
	}
	if len(d.Revisions) > 0 {
		fmt.Fprint(b, "\n─── Revisions ───\n")
	}
	for _, r := range d.Revisions {
		fmt.Fprintf(b, "  %d. until %s (%s): %s — %s\n", r.Number, render.Time(r.ReplacedAt, o), render.Line(r.Reason, 0), render.Line(r.Title, 0), render.Line(r.Content, 150))
	}
}

// splitRelations separates relations so that a supersession is printed once: memories that supersede this one
// stand above, those it supersedes below.
func splitRelations(all []engram.RelationNote) (above, below []engram.RelationNote) {
	for _, n := range all {
		over := n.Relation.Supersedes()
		if !over || !n.Outgoing {
			above = append(above, n)
		}
		if !over || n.Outgoing {
			below = append(below, n)
		}
	}
	return above, below
}

// writeMarks writes the marks of a memory, a line each.
func writeMarks(b *strings.Builder, n engram.Note, indent string) {
	for _, mark := range render.Marks(n) {
		fmt.Fprintln(b, indent+mark)
	}
}

// writeLine writes a memory as a list item.
func writeLine(b *strings.Builder, m engram.Memory) {
	fmt.Fprintf(b, "  #%d [%s] %s\n", m.Num, render.Line(string(m.Type), 0), render.ListItem(m, engram.Note{}, command.ListedRunes))
}

func writeList(b *strings.Builder, list engine.Listed, o render.Options) {
	if len(list.Memories) == 0 {
		fmt.Fprintln(b, "No memories.")
	}
	var sources render.Sources
	for _, m := range list.Memories {
		fmt.Fprintf(b, "#%d [%s] %s\n", m.Num, render.Line(string(m.Type), 0), render.ListItem(m, list.Notes[m.Num], command.ListedRunes))
		fmt.Fprintf(b, "    %s | project: %s | scope: %s", render.Time(m.CreatedAt, o), render.Line(m.Project, 0), m.Scope)
		if m.Forgotten() {
			fmt.Fprintf(b, " | forgotten: %s", render.Time(m.DeletedAt, o))
		}
		note := list.Notes[m.Num]
		if note.State == engram.StateNeedsReview {
			fmt.Fprintf(b, " | state: %s", note.State)
		}
		if render.Quoted(m, note) {
			fmt.Fprintf(b, " | %s", sources.Mark(m, o))
		}
		fmt.Fprintln(b)
		writeMarks(b, engram.Note{Relations: note.Relations, Flagged: note.Flagged}, "    ")
	}
}

func writeChanged(b *strings.Builder, m engram.Memory, done string) {
	if done == "marked" {
		if done = "may fade again"; m.Permanent {
			done = "marked permanent"
		}
	}
	fmt.Fprintf(b, "Memory %s: %s\n", done, command.MemoryName(m))
	if done == "tagged" || done == "untagged" {
		writeTags(b, m)
	}
	if done == "updated" {
		writeAnchored(b, m)
	}
}

func writeTags(b *strings.Builder, m engram.Memory) {
	if len(m.Tags) == 0 {
		fmt.Fprintln(b, "No tags.")
		return
	}
	for _, t := range m.Tags {
		fmt.Fprintln(b, render.Line(t, 0))
	}
}

func howDeleted(hard bool) string {
	if hard {
		return "permanently deleted"
	}
	return "soft-deleted"
}

func writeDeleted(b *strings.Builder, deleted []engram.Memory, hard bool) {
	for _, m := range deleted {
		fmt.Fprintf(b, "Memory #%d %s\n", m.Num, howDeleted(hard))
	}
}

func writeSessions(b *strings.Builder, list []engram.SessionActivity, o render.Options) {
	if len(list) == 0 {
		fmt.Fprintln(b, "No sessions.")
	}
	for _, s := range list {
		fmt.Fprintf(b, "%s (%s) %s, %s\n", render.Line(s.ID, 0), render.Line(s.Project, 0), render.Time(s.StartedAt, o), command.Count(s.Memories, "memory", "memories"))
		if s.Summary != "" {
			fmt.Fprintf(b, "    %s\n", render.Summary(s.Session, 200, engine.FlaggedSummary(s.Session)))
		}
	}
}

func writeSession(b *strings.Builder, s engram.Session, list engine.Listed, o render.Options) {
	fmt.Fprintf(b, "Session %s\n  Project: %s\n  Started: %s\n", render.Line(s.ID, 0), render.Line(s.Project, 0), render.Time(s.StartedAt, o))
	if !s.EndedAt.IsZero() {
		fmt.Fprintf(b, "  Ended: %s\n", render.Time(s.EndedAt, o))
	}
	if s.Directory != "" {
		fmt.Fprintf(b, "  Directory: %s\n", render.Line(s.Directory, 0))
	}
	if s.Summary != "" {
		fmt.Fprintf(b, "  Summary: %s\n", render.Summary(s, 0, engine.FlaggedSummary(s)))
	}
	fmt.Fprintf(b, "  %s\n", command.Count(len(list.Memories), "memory", "memories"))
	for _, m := range list.Memories {
		fmt.Fprintf(b, "  #%d [%s] %s\n", m.Num, render.Line(string(m.Type), 0), render.ListItem(m, list.Notes[m.Num], command.ListedRunes))
		writeMarks(b, list.Notes[m.Num], "    ")
	}
}

func writePrompts(b *strings.Builder, list []engram.Prompt, o render.Options) {
	if len(list) == 0 {
		fmt.Fprintln(b, "No prompts.")
	}
	for _, p := range list {
		fmt.Fprintf(b, "#%d %s (%s): %s\n", p.Num, render.Time(p.CreatedAt, o), render.Line(p.Project, 0), render.Line(p.Content, 200))
	}
}
