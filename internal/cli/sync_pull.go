package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// pulledDoc is the answer of `sync --import`.
type pulledDoc struct {
	Project   string                `json:"project"`      // "" is every one
	Folder    string                `json:"folder"`       // .engram of the repository
	DryRun    bool                  `json:"dry_run"`      // nothing was changed
	Chunks    []pulledChunk         `json:"chunks"`       // those that were new here, oldest first
	Projects  []string              `json:"projects"`     // with --all: those that the new chunks have something of
	New       []string              `json:"new_projects"` // of these, those that no chunk of the repository had anything of before
	Known     int                   `json:"known"`        // chunks that came in before
	Refused   []document.ImportNote `json:"refused"`      // chunks that cannot be read, and why
	Sessions  document.Tally        `json:"sessions"`     // what became of those in the new chunks, as in all that follows
	Memories  document.Tally        `json:"memories"`
	Prompts   document.Tally        `json:"prompts"`
	Relations document.Tally        `json:"relations"`
	Erased    document.Tally        `json:"erased"`         // things that were erased elsewhere
	Others    []pendingDoc          `json:"pending_others"` // what the new chunks have of other projects, which did not come in
	Faults    []document.ImportNote `json:"manifest"`       // what the list of chunks said that was not so
	Anew      []string              `json:"made_anew"`      // files beside the chunks that did not fit them, and have to be committed
	Deferred  int                   `json:"deferred"`       // things that wait now: sync deferred lists them
	Review    int                   `json:"review"`         // of these, those that a person has to look at; the others come by themselves
	Rejected  []document.ImportNote `json:"rejected"`       // what did not come in, with the chunk before its place; the first thousand
	Notes     []document.ImportNote `json:"notes"`          // what came in otherwise than it stood there, likewise; the first thousand
}

// pulledChunk is a chunk that came in.
type pulledChunk struct {
	chunkDoc
	Op      int64 `json:"op"`       // what undo takes back; 0 when nothing was changed
	Added   int   `json:"added"`    // things that were not here
	Changed int   `json:"changed"`  // things that were here otherwise
	Refused int   `json:"rejected"` // things that did not come in
}

func (p *program) syncPull(cmd *cobra.Command, s syncing, f syncFlags) error {
	bar := p.progress("importing")
	seen := newProjectsSeen(s.place.Remote)
	res, err := s.Pull(cmd.Context(), seen, engine.PullInput{Project: s.project, All: f.all, DryRun: f.dryRun, Progress: bar.tell})
	bar.end()
	if err != nil {
		return err
	}
	_, damaged, err := s.place.Sound(cmd.Context(), false)
	if err != nil {
		return err
	}
	strange, err := s.place.Strange(cmd.Context())
	if err != nil {
		return err
	}
	faults, err := s.place.ManifestFaults(cmd.Context())
	if err != nil {
		return err
	}
	placeNotes(res.Imported.Rejected)
	placeNotes(res.Imported.Notes)
	doc := pulledOf(res, s, f.dryRun)
	if f.all {
		doc.Projects = document.OrEmpty(seen.names())
		doc.New = document.OrEmpty(seen.unheard(cmd.Context()))
		if len(doc.New) > 0 && !p.json {
			p.warn(render.Plain("these projects are new in the chunks of this repository: " + strings.Join(doc.New, ", ")))
		}
	}
	doc.Faults = chunkNotes(faults)
	if doc.Anew = []string{}; !f.dryRun {
		doc.Anew = document.OrEmpty(p.repairManifest(cmd.Context(), s, faults))
	}
	if !p.json {
		p.tellManifest(faults)
		p.tellChunks(slices.DeleteFunc(damaged, func(n engram.ImportNote) bool {
			return slices.ContainsFunc(res.Refused, func(r engram.ImportNote) bool { return r.Item == n.Item })
		}), "cannot be read any more; it was imported earlier")
		p.tellChunks(res.Refused, "refused")
		p.tellStrange(strange)
		p.tellSame(res.Imported.Rejected, "not imported")
		p.tellSame(res.Imported.Notes, "imported")
	}
	if err := p.answerFolded(doc, doc.write); err != nil {
		return err
	}
	if chunks, items := len(res.Refused), res.Imported.All().Rejected; chunks+items > 0 {
		hint := "see the reasons above"
		if p.json {
			hint = "refused and rejected give the reasons"
		}
		if t := res.Imported.All(); t.Added+t.Changed > 0 {
			hint = "the rest was imported; " + hint
		}
		var what []string
		if chunks > 0 {
			what = append(what, count(chunks, "chunk", "chunks"))
		}
		if items > 0 {
			what = append(what, count(items, "item", "items"))
		}
		return engram.Errorf(engram.CodeInvalid, "%s could not be imported", strings.Join(what, " and ")).
			WithHint("%s", hint)
	}
	return nil
}

// placeNotes puts the chunk before the place of each note: observations[0] is in every one.
func placeNotes(notes []engram.ImportNote) {
	for i, n := range notes {
		notes[i].Item = strings.TrimSpace(n.Batch + " " + n.Item)
	}
}

func pulledOf(res engine.Pulled, s syncing, dryRun bool) pulledDoc {
	x := document.ImportedOf(res.Imported, dryRun)
	return pulledDoc{Project: s.project, Folder: s.place.Folder, DryRun: dryRun, Projects: []string{}, New: []string{}, Known: res.Known, Refused: chunkNotes(res.Refused),
		Sessions: x.Sessions, Memories: x.Memories, Prompts: x.Prompts, Relations: x.Relations, Erased: x.Erased,
		Others:   pendingOf(res.Others),
		Deferred: res.Deferred, Review: res.Review, Rejected: x.Rejected, Notes: x.Notes,
		Chunks: document.Each(res.Batches, func(b engine.PulledBatch) pulledChunk {
			all := b.Imported.All()
			return pulledChunk{chunkOf(b.Batch), b.Imported.Op, all.Added, all.Changed, all.Rejected}
		})}
}

func (d pulledDoc) write(b *strings.Builder) {
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
		fmt.Fprintf(b, "  (%s already imported)\n", count(d.Known, "chunk", "chunks"))
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
			fmt.Fprintf(b, "  %s by %s: %d new, %d changed; to undo: engram undo %d\n", c.ID, byWhom(c.By), c.Added, c.Changed, c.Op)
		}
	}
	if more := lines - chunkLines; more > 0 {
		fmt.Fprintf(b, "  and %s: --json lists them, engram log shows how to undo each\n", count(more, "more chunk", "more chunks"))
	}
	writePending(b, d.Others)
	writeAnew(b, d.Anew)
	writeWaits(b, d.Deferred, d.Review, d.DryRun)
}

func byWhom(name string) string {
	if name == "" {
		return "unknown author"
	}
	return render.Plain(name)
}
