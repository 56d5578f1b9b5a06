package sync

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/render"
)

// PushedDoc is the answer of `sync`.
type PushedDoc struct {
	Project  string                `json:"project"`    // "" is every project
	Folder   string                `json:"folder"`     // .engram of the repository
	DryRun   bool                  `json:"dry_run"`    // nothing was written
	Chunks   []chunkDoc            `json:"chunks"`     // chunks written; empty: the repository is up to date
	Exported kindCounts            `json:"exported"`   // records in the chunks
	Left     []document.ImportNote `json:"left_out"`   // records that stay on this machine, and why
	Anew     []string              `json:"made_anew"`  // rebuilt files beside the chunks, to be committed
	Ignored  string                `json:"ignored_by"` // git rule that ignores the chunks, so that they are not shared; "" if there is no such rule
	add      string                // path for git add; "" outside of a repository
}

// folderFromHere returns the folder of chunks relative to the working folder, for git; "" outside of a
// repository.
func folderFromHere(p *command.Program, place app.Repository) string {
	if !place.InGit() {
		return ""
	}
	if rel, err := filepath.Rel(p.Dir, place.Folder); err == nil {
		return filepath.ToSlash(rel)
	}
	return place.Folder
}

func syncPush(p *command.Program, cmd *cobra.Command, s syncing, f syncFlags) error {
	if err := p.App.MayPush(cmd.Context(), s.place); err != nil {
		return err
	}
	remote, damaged, err := s.place.Sound(cmd.Context(), false)
	if err != nil {
		return err
	}
	if !p.JSON {
		if err := reportDamaged(cmd.Context(), p, s, damaged); err != nil {
			return err
		}
	}
	if !p.JSON && s.project != "" {
		fmt.Fprintf(p.Stdout, "Exporting memories for %s...\n", ofProject(s.project))
	} else if !p.JSON {
		fmt.Fprintln(p.Stdout, "Exporting memories of all projects...")
	}
	bar := p.Progress("exporting")
	res, err := s.engine.Push(cmd.Context(), remote, sync.PushInput{Project: s.project, All: f.all, By: s.place.By, DryRun: f.dryRun, Progress: bar.Report})
	bar.End()
	if err != nil {
		// A project without memories has nothing to export.
		if here, failed := s.has(cmd.Context()); failed != nil || here || engram.CodeOf(err) != engram.CodeNotFound {
			return err
		}
	}
	for _, n := range res.Left {
		if n.Name != "" { // otherwise a count of personal memories
			p.WarnBeside(render.Plain(strings.TrimSpace(n.Name + " not exported: " + n.Reason)))
		}
	}
	doc := PushedDoc{Project: s.project, Folder: s.place.Folder, DryRun: f.dryRun, Chunks: document.Each(res.Batches, chunkOf),
		Exported: kindCounts{res.Sessions, res.Memories, res.Prompts, res.Relations, res.Erased}, Left: document.Each(res.Left, document.ImportNoteOf), add: folderFromHere(p, s.place)}
	doc.Anew = document.OrEmpty(s.place.Anew())
	if doc.Ignored = s.place.Ignored(cmd.Context()); doc.Ignored != "" {
		p.WarnBeside(ignored(doc.Ignored))
	}
	return p.Answer(doc, func(b *strings.Builder) {
		writeFolded(b, p.Columns(), command.PlainText(doc.write))
		if doc.add != "" && (len(doc.Chunks) > 0 || len(doc.Anew) > 0) { // a command to copy, which must not be wrapped
			fmt.Fprintf(b, "\nTo share it:\n  git add %s && git commit -m 'Share memories' && git push\n", render.Plain(doc.add))
		}
	})
}

func (s syncing) has(ctx context.Context) (bool, error) {
	all, err := s.engine.Projects(ctx)
	return s.project == "" || slices.ContainsFunc(all, func(p engram.ProjectCounts) bool { return p.Name == s.project }), err
}

// ignored explains the effect of a git rule.
func ignored(rule string) string {
	return render.Line("git ignores the chunks, so they will not be shared: "+rule+"; remove that line, or add them with git add -f", 0)
}

func (d PushedDoc) write(b *strings.Builder) {
	d.writeWhat(b)
	writeAnew(b, d.Anew)
}

func (d PushedDoc) writeWhat(b *strings.Builder) {
	switch {
	case d.Exported.all() == 0 && d.Project != "":
		fmt.Fprintf(b, "Nothing new to sync for %s — all memories already exported.\n", ofProject(d.Project))
		return
	case d.Exported.all() == 0:
		fmt.Fprintln(b, "Nothing new to sync — all memories already exported.")
		return
	case d.DryRun:
		fmt.Fprintln(b, "Would export (dry run):")
	}
	for _, c := range d.Chunks {
		if !d.DryRun {
			fmt.Fprintf(b, "Created chunk %s\n", c.ID)
		}
	}
	d.Exported.write(b)
	for _, n := range d.Left {
		if what, _, _ := strings.Cut(n.Reason, ":"); n.ID == "" {
			fmt.Fprintf(b, "  (not exported: %s)\n", render.Plain(what))
		}
	}
}

// PulledDoc is the answer of `sync --import`.
type PulledDoc struct {
	Project   string                `json:"project"`      // "" is every project
	Folder    string                `json:"folder"`       // .engram of the repository
	DryRun    bool                  `json:"dry_run"`      // nothing was changed
	Chunks    []pulledChunk         `json:"chunks"`       // new chunks, oldest first
	Projects  []string              `json:"projects"`     // with --all: projects in the new chunks
	New       []string              `json:"new_projects"` // projects that no earlier chunk of the repository had
	Known     int                   `json:"known"`        // chunks imported earlier
	Refused   []document.ImportNote `json:"refused"`      // chunks that cannot be read, and why
	Sessions  document.Tally        `json:"sessions"`     // counts of the new chunks, as in the following fields
	Memories  document.Tally        `json:"memories"`
	Prompts   document.Tally        `json:"prompts"`
	Relations document.Tally        `json:"relations"`
	Erased    document.Tally        `json:"erased"`         // erasures
	Others    []otherProjectDoc     `json:"pending_others"` // records of other projects, not imported
	Faults    []document.ImportNote `json:"manifest"`       // errors in the list of chunks
	Anew      []string              `json:"made_anew"`      // rebuilt files beside the chunks, to be committed
	Deferred  int                   `json:"deferred"`       // pending items; sync deferred lists them
	Review    int                   `json:"review"`         // pending items that a person has to review; the others are imported automatically
	Rejected  []document.ImportNote `json:"rejected"`       // items not imported, with their chunk; at most a thousand
	Notes     []document.ImportNote `json:"notes"`          // items imported with changes, with their chunk; at most a thousand
}

// pulledChunk is an imported chunk.
type pulledChunk struct {
	chunkDoc
	Op      int64 `json:"op"`       // operation to undo; 0 if nothing was changed
	Added   int   `json:"added"`    // new records
	Changed int   `json:"changed"`  // changed records
	Refused int   `json:"rejected"` // records not imported
}

func syncPull(p *command.Program, cmd *cobra.Command, s syncing, f syncFlags) error {
	bar := p.Progress("importing")
	seen := &projectsSeen{s.place.Remote, map[string]bool{}, map[string]bool{}}
	res, err := s.engine.Pull(cmd.Context(), seen, sync.PullInput{Project: s.project, All: f.all, DryRun: f.dryRun, Progress: bar.Report})
	bar.End()
	if err != nil {
		return err
	}
	_, damaged, err := s.place.Sound(cmd.Context(), false)
	if err != nil {
		return err
	}
	strange, faults, err := s.faults(cmd.Context())
	if err != nil {
		return err
	}
	placeNotes(res.Imported.Rejected)
	placeNotes(res.Imported.Notes)
	doc := pulledOf(res, s, f.dryRun)
	if f.all {
		doc.Projects = document.OrEmpty(slices.Sorted(maps.Keys(seen.projects)))
		doc.New = document.OrEmpty(seen.unique(cmd.Context()))
		if len(doc.New) > 0 {
			p.WarnBeside(render.Plain("these projects are new in the chunks of this repository: " + strings.Join(doc.New, ", ")))
		}
	}
	doc.Faults = chunkNotes(faults)
	if doc.Anew = []string{}; !f.dryRun {
		doc.Anew = document.OrEmpty(repairManifest(cmd.Context(), p, s, faults))
	}
	reportManifest(p, faults)
	reportChunks(p, slices.DeleteFunc(damaged, func(n engram.ImportNote) bool {
		return slices.ContainsFunc(res.Refused, func(r engram.ImportNote) bool { return r.Item == n.Item })
	}), "is unreadable; it was imported earlier")
	reportChunks(p, res.Refused, "refused")
	reportStrange(p, strange)
	reportSame(p, res.Imported.Rejected, "not imported")
	reportSame(p, res.Imported.Notes, "imported")
	if err := answerFolded(p, doc, doc.write); err != nil {
		return err
	}
	if chunks, items := len(res.Refused), res.Imported.All().Rejected; chunks+items > 0 {
		hint := "see the reasons above"
		if p.JSON {
			hint = "refused and rejected give the reasons"
		}
		if t := res.Imported.All(); t.Added+t.Changed > 0 {
			hint = "the rest was imported; " + hint
		}
		what := command.ListSome(" and ", command.Some(chunks, "chunk", "chunks"), command.Some(items, "item", "items"))
		return command.Invalidf("%s could not be imported", what).WithHint("%s", hint)
	}
	return nil
}

// placeNotes adds the chunk to the place of each note, because places repeat in every chunk.
func placeNotes(notes []engram.ImportNote) {
	for i, n := range notes {
		notes[i].Item = strings.TrimSpace(n.Batch + " " + n.Item)
	}
}

func pulledOf(res sync.Pulled, s syncing, dryRun bool) PulledDoc {
	x := document.ImportedOf(res.Imported, dryRun)
	return PulledDoc{Project: s.project, Folder: s.place.Folder, DryRun: dryRun, Projects: []string{}, New: []string{}, Known: res.Known, Refused: chunkNotes(res.Refused),
		Sessions: x.Sessions, Memories: x.Memories, Prompts: x.Prompts, Relations: x.Relations, Erased: x.Erased,
		Others:   pendingOf(res.Others),
		Deferred: res.Deferred, Review: res.Review, Rejected: x.Rejected, Notes: x.Notes,
		Chunks: document.Each(res.Batches, func(b sync.PulledBatch) pulledChunk {
			all := b.Imported.All()
			return pulledChunk{chunkOf(b.Batch), b.Imported.Op, all.Added, all.Changed, all.Rejected}
		})}
}

func (d PulledDoc) write(b *strings.Builder) {
	if len(d.Chunks) == 0 {
		fmt.Fprintln(b, "No new chunks to import.")
	} else {
		fmt.Fprintf(b, "Imported %d new chunk(s) from .engram/%s\n", len(d.Chunks), command.Would(d.DryRun, " (dry run)", ""))
		came := func(t document.Tally) int { return t.Added + t.Changed }
		kindCounts{came(d.Sessions), came(d.Memories), came(d.Prompts), came(d.Relations), came(d.Erased)}.write(b)
	}
	if d.Known > 0 {
		fmt.Fprintf(b, "  (%s already imported)\n", command.Count(d.Known, "chunk", "chunks"))
	}
	if len(d.Projects) > 0 {
		fmt.Fprintf(b, "  Projects:  %s\n", render.Plain(strings.Join(d.Projects, ", ")))
	}
	lines := 0
	for _, c := range d.Chunks {
		if c.Op == 0 {
			continue
		}
		if lines++; lines <= chunkLines {
			fmt.Fprintf(b, "  %s by %s: %d new, %d changed; to undo: engram undo %d\n", c.ID, command.Author(c.By), c.Added, c.Changed, c.Op)
		}
	}
	if more := lines - chunkLines; more > 0 {
		fmt.Fprintf(b, "  and %s: --json lists them, engram log shows how to undo each\n", command.Count(more, "more chunk", "more chunks"))
	}
	writePending(b, d.Others)
	writeAnew(b, d.Anew)
	writePendingCount(b, d.Deferred, d.Review, d.DryRun)
}

// SyncStatusDoc is the answer of `sync --status`.
type SyncStatusDoc struct {
	Project  string                `json:"project"`        // "" is every project
	Folder   string                `json:"folder"`         // .engram of the repository
	Local    int                   `json:"local_chunks"`   // chunks imported or written here
	Remote   int                   `json:"remote_chunks"`  // chunks in the repository
	Pending  int                   `json:"pending_import"` // chunks not yet imported completely
	Others   []otherProjectDoc     `json:"pending_others"` // records of other projects in imported chunks, not imported
	Unpushed kindCounts            `json:"not_exported"`   // records that the repository does not have yet
	Deferred int                   `json:"deferred"`       // pending items; sync deferred lists them
	Review   int                   `json:"review"`         // pending items that a person has to review; the others are imported automatically
	Trouble  []document.ImportNote `json:"trouble"`        // problems with the chunks and the repository
}

func syncStatus(p *command.Program, cmd *cobra.Command, s syncing) error {
	remote, damaged, err := s.place.Sound(cmd.Context(), true)
	if err != nil {
		return err
	}
	st, err := s.engine.RemoteStatus(cmd.Context(), remote, s.project)
	if err != nil {
		return err
	}
	st.Trouble = append(damaged, st.Trouble...)
	reportChunks(p, st.Trouble, "cannot be used")
	if rule := s.place.Ignored(cmd.Context()); rule != "" {
		st.Trouble = append(st.Trouble, engram.ImportNote{Item: s.place.Folder, Reason: ignored(rule)})
		p.WarnBeside(ignored(rule))
	}
	strange, faults, err := s.faults(cmd.Context())
	if err != nil {
		return err
	}
	st.Trouble = slices.Concat(st.Trouble, strange, faults)
	reportStrange(p, strange)
	if reportManifest(p, faults); len(faults) > 0 {
		p.WarnBeside("to rebuild the list of chunks: engram sync --import")
	}
	for _, err := range []error{s.forbidden, p.App.MayPush(cmd.Context(), s.place)} {
		if err == nil {
			continue
		}
		st.Trouble = append(st.Trouble, engram.ImportNote{Item: s.place.Folder, Reason: err.Error()})
		p.WarnBeside("sync will fail: " + render.Plain(err.Error()))
	}
	doc := SyncStatusDoc{Project: s.project, Folder: s.place.Folder, Local: st.Pulled, Remote: st.Batches, Pending: st.Pending, Others: pendingOf(st.Others),
		Unpushed: kindCounts(st.Unpushed), Deferred: st.Deferred, Review: st.Review, Trouble: chunkNotes(st.Trouble)}
	return answerFolded(p, doc, doc.write)
}

// faults returns what is wrong besides the chunks: files among them that are not chunks, and errors in their list.
func (s syncing) faults(ctx context.Context) (strange, list []engram.ImportNote, err error) {
	if strange, err = s.place.Strange(ctx); err == nil {
		list, err = s.place.ManifestFaults(ctx)
	}
	return strange, list, err
}

func (d SyncStatusDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "Sync status of %s\n", ofProject(d.Project))
	fmt.Fprintf(b, "  Local chunks:   %d\n  Remote chunks:  %d\n  Pending import: %d\n", d.Local, d.Remote, d.Pending)
	writePending(b, d.Others)
	if d.Unpushed.all() > 0 {
		fmt.Fprintf(b, "Not exported yet: %s\n", d.Unpushed.words())
	}
	writePendingCount(b, d.Deferred, d.Review, false)
}

// words returns the counts in a sentence, without those that are 0.
func (c kindCounts) words() string {
	return command.ListSome(", ", command.Some(c.Sessions, "session", "sessions"), command.Some(c.Memories, "memory", "memories"), command.Some(c.Prompts, "prompt", "prompts"),
		command.Some(c.Relations, "relation", "relations"), command.Some(c.Erased, "erasure", "erasures"))
}

// answerFolded is Answer for sentences: on a terminal, lines are wrapped to its width.
func answerFolded(p *command.Program, doc any, text func(*strings.Builder)) error {
	return p.Answer(doc, func(b *strings.Builder) { writeFolded(b, p.Columns(), command.PlainText(text)) })
}

// writeFolded writes a text with its lines wrapped to so many columns.
func writeFolded(b *strings.Builder, columns int, text string) {
	b.WriteString(terminal.Hanging(text, columns))
}

// chunkLines is the number of chunks listed, a line each.
const chunkLines = 20

// warnFirst warns of the first notes, a line each, and counts the others with the noun one or many; with --json the
// answer has them.
func warnFirst(p *command.Program, notes []engram.ImportNote, one, many string, line func(engram.ImportNote) string) {
	for _, n := range notes[:min(len(notes), chunkLines)] {
		p.WarnBeside(render.Line(line(n), 0))
	}
	if left := len(notes) - chunkLines; left > 0 {
		p.WarnBeside("and " + command.Count(left, one, many))
	}
}

// reportChunks warns of chunks.
func reportChunks(p *command.Program, notes []engram.ImportNote, what string) {
	warnFirst(p, notes, "more chunk; --json lists all", "more chunks; --json lists all", func(n engram.ImportNote) string {
		return fmt.Sprintf("chunk %s %s: %s", n.Item, what, strings.TrimPrefix(n.Reason, "chunk "+n.Item+": "))
	})
}

// reportDamaged warns of damaged chunks. If they were imported here, their content is written again;
// otherwise they are skipped.
func reportDamaged(ctx context.Context, p *command.Program, s syncing, damaged []engram.ImportNote) error {
	ids := document.Each(damaged, func(n engram.ImportNote) string { return n.Item })
	known, err := s.engine.KnownBatches(ctx, s.project, ids)
	if err != nil {
		return err
	}
	var ours, strange []engram.ImportNote
	for _, n := range damaged {
		if known[n.Item] {
			ours = append(ours, n)
		} else {
			strange = append(strange, n)
		}
	}
	reportChunks(p, ours, "is unusable; its content is written again")
	reportChunks(p, strange, "is damaged, was never imported here, and is skipped")
	return nil
}

// reportStrange warns of files among the chunks that are not chunks.
func reportStrange(p *command.Program, notes []engram.ImportNote) {
	warnFirst(p, notes, "more file", "more files", func(n engram.ImportNote) string { return n.Item + " among the chunks: " + n.Reason })
}

const itemLines = 10

// reportSame warns of items, in one line for those of one chunk with the same reason, and counts the others.
func reportSame(p *command.Program, notes []engram.ImportNote, what string) {
	lines, left := sameNotes(notes), 0
	for n, same := range lines {
		if n >= itemLines {
			left += same.items
			continue
		}
		name := command.ItemName(same.first)
		if same.first.Batch != "" {
			name = "chunk " + name
		}
		if more := same.items - 1; more > 0 {
			name += fmt.Sprintf(" and %d more", more)
		}
		p.WarnBeside(render.Line(fmt.Sprintf("%s %s: %s", name, what, same.first.Reason), 0))
	}
	if left > 0 {
		p.WarnBeside(fmt.Sprintf("and %s %s: --json lists them", command.Count(left, "more item", "more items"), what))
	}
}

// sameNote is a note that applies to several items.
type sameNote struct {
	first engram.ImportNote
	items int
}

// sameNotes groups notes by chunk and reason.
func sameNotes(notes []engram.ImportNote) (all []sameNote) {
	type said struct{ chunk, reason string }
	at := map[said]int{}
	for _, n := range notes {
		key := said{n.Batch, n.Reason}
		if i, known := at[key]; known {
			all[i].items++
			continue
		}
		at[key] = len(all)
		all = append(all, sameNote{n, 1})
	}
	return all
}

// writePendingCount counts pending items: those for a person, and those imported automatically.
func writePendingCount(b *strings.Builder, all, review int, dryRun bool) {
	for _, w := range []struct {
		n         int
		one, many string // the rest of the sentence for one and for many
	}{
		{review, "for your check: engram sync deferred", "for your check: engram sync deferred"},
		{all - review, "for its references or its date, and is imported automatically", "for their references or their dates, and are imported automatically"},
	} {
		switch {
		case w.n == 1 && dryRun:
			fmt.Fprintf(b, "1 item would be pending %s\n", w.one)
		case w.n == 1:
			fmt.Fprintf(b, "1 item is pending %s\n", w.one)
		case w.n > 1 && dryRun:
			fmt.Fprintf(b, "%d items would be pending %s\n", w.n, w.many)
		case w.n > 1:
			fmt.Fprintf(b, "%d items are pending %s\n", w.n, w.many)
		}
	}
}

// otherProjectDoc counts the records of a project that is not synced.
type otherProjectDoc struct {
	Project  string `json:"project"`
	Memories int    `json:"memories"`
	Others   int    `json:"others"` // sessions, prompts and erasures
}

func pendingOf(all []sync.OtherProject) []otherProjectDoc {
	return document.Each(all, func(o sync.OtherProject) otherProjectDoc { return otherProjectDoc(o) })
}

// otherLines is the number of projects named.
const otherLines = 5

// writePending lists pending records of other projects, and how to import them.
func writePending(b *strings.Builder, all []otherProjectDoc) {
	if len(all) == 0 {
		return
	}
	var parts []string
	for _, o := range all[:min(len(all), otherLines)] {
		what := command.Count(o.Memories, "memory", "memories")
		if o.Memories == 0 {
			what = command.Count(o.Others, "item", "items")
		}
		parts = append(parts, what+" of "+render.Line(o.Project, 80))
	}
	if more := len(all) - otherLines; more > 0 {
		parts = append(parts, command.Count(more, "more project", "more projects"))
	}
	fmt.Fprintf(b, "Pending in other projects: %s\n", strings.Join(parts, ", "))
	fmt.Fprintln(b, "  To import them: engram sync --import --all; for one project: --import --project NAME")
}

// reportManifest warns of errors in the list of chunks.
func reportManifest(p *command.Program, faults []engram.ImportNote) {
	warnFirst(p, faults, "more problem of it", "more problems of it", func(n engram.ImportNote) string {
		return fmt.Sprintf("the list of chunks, %s: %s", n.Item, n.Reason)
	})
}

// repairManifest rebuilds the list of chunks and returns the files to commit. The import does not use the
// list, so a failure is only a warning.
func repairManifest(ctx context.Context, p *command.Program, s syncing, faults []engram.ImportNote) []string {
	if len(faults) == 0 {
		return nil
	}
	if err := s.place.Remote.Settle(ctx); err != nil {
		p.Warn(render.Line("cannot repair the list of chunks: "+err.Error(), 0))
	}
	return s.place.Anew()
}

func writeAnew(b *strings.Builder, anew []string) {
	if len(anew) > 0 {
		fmt.Fprintf(b, "Rebuilt (please commit): %s\n", strings.Join(anew, ", "))
	}
}
