package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// pushedDoc is the answer of `sync`.
type pushedDoc struct {
	Project  string                `json:"project"`    // "" is every one
	Folder   string                `json:"folder"`     // .engram of the repository
	DryRun   bool                  `json:"dry_run"`    // nothing was written
	Chunks   []chunkDoc            `json:"chunks"`     // what was written; empty: the repository has everything
	Exported kindCounts            `json:"exported"`   // what is in them
	Left     []document.ImportNote `json:"left_out"`   // what stays on this machine, and why
	Anew     []string              `json:"made_anew"`  // files beside the chunks that did not fit them, and have to be committed
	Ignored  string                `json:"ignored_by"` // the rule by which git leaves the chunks out: nobody gets them; "": none
	add      string                // how git is told of the folder; "" where it is in no repository
}

// folderFromHere is the folder of chunks as git takes it where the program was started; ""
// where that is in no repository.
func (p *program) folderFromHere(place app.Repository) string {
	if !place.InGit() {
		return ""
	}
	if rel, err := filepath.Rel(p.Dir, place.Folder); err == nil {
		return filepath.ToSlash(rel)
	}
	return place.Folder
}

func (p *program) syncPush(cmd *cobra.Command, s syncing, f syncFlags) error {
	if err := p.app.MayPush(cmd.Context(), s.place); err != nil {
		return err
	}
	remote, damaged, err := s.place.Sound(cmd.Context(), false)
	if err != nil {
		return err
	}
	if !p.json {
		if err := p.tellDamaged(cmd.Context(), s, damaged); err != nil {
			return err
		}
	}
	if !p.json && s.project != "" {
		fmt.Fprintf(p.Stdout, "Exporting memories for %s...\n", ofProject(s.project))
	} else if !p.json {
		fmt.Fprintln(p.Stdout, "Exporting memories of all projects...")
	}
	bar := p.progress("exporting")
	res, err := s.Push(cmd.Context(), remote, engine.PushInput{Project: s.project, All: f.all, By: s.place.By, DryRun: f.dryRun, Progress: bar.tell})
	bar.end()
	if err != nil {
		// A project that nothing was saved in has nothing to export.
		if here, failed := s.has(cmd.Context()); failed != nil || here || engram.CodeOf(err) != engram.CodeNotFound {
			return err
		}
	}
	if !p.json {
		for _, n := range res.Left {
			if n.Name == "" { // no single thing, but how many are personal
				continue
			}
			p.warn(render.Plain(strings.TrimSpace(n.Name + " not exported: " + n.Reason)))
		}
	}
	doc := pushedDoc{Project: s.project, Folder: s.place.Folder, DryRun: f.dryRun, Chunks: document.Each(res.Batches, chunkOf),
		Exported: kindCounts{res.Sessions, res.Memories, res.Prompts, res.Relations, res.Erased}, Left: notesOf(res.Left), add: p.folderFromHere(s.place)}
	doc.Anew = document.OrEmpty(s.place.Anew())
	if doc.Ignored = s.place.Ignored(cmd.Context()); doc.Ignored != "" && !p.json {
		p.warn(ignored(doc.Ignored))
	}
	return p.answer(doc, func(b *strings.Builder) {
		writeFolded(b, p.columns(), plainText(doc.write))
		doc.writeShare(b) // which is copied, and so not broken
	})
}

// has reports whether there is the project that is shared.
func (s syncing) has(ctx context.Context) (bool, error) {
	all, err := s.Projects(ctx)
	return s.project == "" || slices.ContainsFunc(all, func(p engram.ProjectCounts) bool { return p.Name == s.project }), err
}

// ignored says what comes of a rule of git.
func ignored(rule string) string {
	return render.Line("git ignores the chunks, so they will not be shared: "+rule+"; remove that line, or add them with git add -f", 0)
}

func (d pushedDoc) write(b *strings.Builder) {
	d.writeWhat(b)
	writeAnew(b, d.Anew)
}

// writeShare says how others come to have it.
func (d pushedDoc) writeShare(b *strings.Builder) {
	if d.add != "" && (len(d.Chunks) > 0 || len(d.Anew) > 0) {
		fmt.Fprintf(b, "\nTo share it:\n  git add %s && git commit -m 'Share memories' && git push\n", render.Plain(d.add))
	}
}

// writeWhat says what was exported, or would be.
func (d pushedDoc) writeWhat(b *strings.Builder) {
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
