package sync

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
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
	res, err := s.engine.Push(cmd.Context(), remote, engine.PushInput{Project: s.project, All: f.all, By: s.place.By, DryRun: f.dryRun, Progress: bar.Report})
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
		doc.writeShare(b) // a command to copy, which must not be wrapped
	})
}

// has reports whether the project exists here.
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

// writeShare writes how to share the chunks.
func (d PushedDoc) writeShare(b *strings.Builder) {
	if d.add != "" && (len(d.Chunks) > 0 || len(d.Anew) > 0) {
		fmt.Fprintf(b, "\nTo share it:\n  git add %s && git commit -m 'Share memories' && git push\n", render.Plain(d.add))
	}
}

// writeWhat lists what was exported, or would be.
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
	seen := newProjectsSeen(s.place.Remote)
	res, err := s.engine.Pull(cmd.Context(), seen, engine.PullInput{Project: s.project, All: f.all, DryRun: f.dryRun, Progress: bar.Report})
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
		doc.Projects = document.OrEmpty(seen.names())
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

func pulledOf(res engine.Pulled, s syncing, dryRun bool) PulledDoc {
	x := document.ImportedOf(res.Imported, dryRun)
	return PulledDoc{Project: s.project, Folder: s.place.Folder, DryRun: dryRun, Projects: []string{}, New: []string{}, Known: res.Known, Refused: chunkNotes(res.Refused),
		Sessions: x.Sessions, Memories: x.Memories, Prompts: x.Prompts, Relations: x.Relations, Erased: x.Erased,
		Others:   pendingOf(res.Others),
		Deferred: res.Deferred, Review: res.Review, Rejected: x.Rejected, Notes: x.Notes,
		Chunks: document.Each(res.Batches, func(b engine.PulledBatch) pulledChunk {
			all := b.Imported.All()
			return pulledChunk{chunkOf(b.Batch), b.Imported.Op, all.Added, all.Changed, all.Rejected}
		})}
}

func (d PulledDoc) write(b *strings.Builder) {
	if len(d.Chunks) == 0 {
		fmt.Fprintln(b, "No new chunks to import.")
	} else {
		would := ""
		if d.DryRun {
			would = " (dry run)"
		}
		fmt.Fprintf(b, "Imported %d new chunk(s) from .engram/%s\n", len(d.Chunks), would)
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
