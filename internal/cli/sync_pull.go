package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// pulledDoc is the answer of `sync --import`.
type pulledDoc struct {
	Project   string                `json:"project"`  // "" is every one
	Folder    string                `json:"folder"`   // .engram of the repository
	DryRun    bool                  `json:"dry_run"`  // nothing was changed
	Chunks    []pulledChunk         `json:"chunks"`   // those that were new here, oldest first
	Known     int                   `json:"known"`    // chunks that came in before
	Refused   []document.ImportNote `json:"refused"`  // chunks that cannot be read, and why
	Sessions  document.Tally        `json:"sessions"` // what became of those in the new chunks, as in all that follows
	Memories  document.Tally        `json:"memories"`
	Prompts   document.Tally        `json:"prompts"`
	Relations document.Tally        `json:"relations"`
	Erased    document.Tally        `json:"erased"`   // things that were erased elsewhere
	Deferred  int                   `json:"deferred"` // things that wait now: sync deferred lists them
	Rejected  []document.ImportNote `json:"rejected"` // what did not come in; the first thousand
	Notes     []document.ImportNote `json:"notes"`    // what came in otherwise than it stood there; the first thousand
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
	res, err := s.Pull(cmd.Context(), s.place.Remote, engine.PullInput{Project: s.project, All: f.all, DryRun: f.dryRun, Progress: bar.tell})
	bar.end()
	if err != nil {
		return err
	}
	if !p.json {
		p.tellItems(res.Refused, "refused")
		p.tellItems(res.Imported.Rejected, "not imported")
		p.tellItems(res.Imported.Notes, "imported")
	}
	doc := pulledOf(res, s, f.dryRun)
	if err := p.answer(doc, doc.write); err != nil {
		return err
	}
	if chunks, items := len(res.Refused), res.Imported.All().Rejected; chunks+items > 0 {
		return engram.Errorf(engram.CodeInvalid, "%s and %s did not come in", count(chunks, "chunk", "chunks"), count(items, "item", "items")).
			WithHint("the rest did; the reasons stand above")
	}
	return nil
}

func pulledOf(res engine.Pulled, s syncing, dryRun bool) pulledDoc {
	x := document.ImportedOf(res.Imported, dryRun)
	return pulledDoc{Project: s.project, Folder: s.place.Folder, DryRun: dryRun, Known: res.Known, Refused: notesOf(res.Refused),
		Sessions: x.Sessions, Memories: x.Memories, Prompts: x.Prompts, Relations: x.Relations, Erased: x.Erased,
		Deferred: res.Deferred, Rejected: x.Rejected, Notes: x.Notes,
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
			would = ", if it were not for --dry-run"
		}
		fmt.Fprintf(b, "Imported %d new chunk(s) from .engram/%s\n", len(d.Chunks), would)
		came := func(t document.Tally) int { return t.Added + t.Changed }
		kindCounts{came(d.Sessions), came(d.Memories), came(d.Prompts), came(d.Relations), came(d.Erased)}.write(b)
	}
	if d.Known > 0 {
		fmt.Fprintf(b, "  (%d chunks already imported)\n", d.Known)
	}
	for _, c := range d.Chunks {
		if c.Op != 0 {
			fmt.Fprintf(b, "  %s by %s: %d new, %d changed; to take it back: engram undo %d\n", c.ID, byWhom(c.By), c.Added, c.Changed, c.Op)
		}
	}
	if d.Deferred > 0 {
		fmt.Fprintf(b, "%s until somebody looks: engram sync deferred\n", wait(d.Deferred))
	}
}

func byWhom(name string) string {
	if name == "" {
		return "nobody knows whom"
	}
	return render.Plain(name)
}

// wait is "1 thing waits" or "2 things wait".
func wait(n int) string {
	if n == 1 {
		return "1 thing waits"
	}
	return fmt.Sprintf("%d things wait", n)
}
