package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// syncStatusDoc is the answer of `sync --status`.
type syncStatusDoc struct {
	Project  string                `json:"project"`        // "" is every one
	Folder   string                `json:"folder"`         // .engram of the repository
	Local    int                   `json:"local_chunks"`   // that came in here or were written here
	Remote   int                   `json:"remote_chunks"`  // that the repository has
	Pending  int                   `json:"pending_import"` // of these, those of which not all came in yet
	Others   []pendingDoc          `json:"pending_others"` // what those that came in have of other projects, which did not
	Unpushed kindCounts            `json:"not_exported"`   // what the repository does not have yet
	Deferred int                   `json:"deferred"`       // things that wait: sync deferred lists them
	Review   int                   `json:"review"`         // of these, those that a person has to look at; the others come by themselves
	Trouble  []document.ImportNote `json:"trouble"`        // what is wrong with what is there
}

func (p *program) syncStatus(cmd *cobra.Command, s syncing) error {
	remote, damaged, err := s.place.Sound(cmd.Context(), true)
	if err != nil {
		return err
	}
	st, err := s.RemoteStatus(cmd.Context(), remote, s.project)
	if err != nil {
		return err
	}
	st.Trouble = append(damaged, st.Trouble...)
	if !p.json {
		p.tellChunks(st.Trouble, "cannot be used")
	}
	if rule := s.place.Ignored(cmd.Context()); rule != "" {
		st.Trouble = append(st.Trouble, engram.ImportNote{Item: s.place.Folder, Reason: ignored(rule)})
		if !p.json {
			p.warn(ignored(rule))
		}
	}
	strange, err := s.place.Strange(cmd.Context())
	if err != nil {
		return err
	}
	st.Trouble = append(st.Trouble, strange...)
	if !p.json {
		p.tellStrange(strange)
	}
	faults, err := s.place.ManifestFaults(cmd.Context())
	if err != nil {
		return err
	}
	st.Trouble = append(st.Trouble, faults...)
	if !p.json && len(faults) > 0 {
		p.tellManifest(faults)
		p.warn("to rebuild the list of chunks: engram sync --import")
	}
	for _, err := range []error{s.barred, p.app.MayPush(cmd.Context(), s.place)} {
		if err == nil {
			continue
		}
		st.Trouble = append(st.Trouble, engram.ImportNote{Item: s.place.Folder, Reason: err.Error()})
		if !p.json {
			p.warn("sync will fail: " + render.Plain(err.Error()))
		}
	}
	doc := syncStatusDoc{Project: s.project, Folder: s.place.Folder, Local: st.Pulled, Remote: st.Batches, Pending: st.Pending, Others: pendingOf(st.Others),
		Unpushed: kindCounts(st.Unpushed), Deferred: st.Deferred, Review: st.Review, Trouble: chunkNotes(st.Trouble)}
	return p.answerFolded(doc, doc.write)
}

func (d syncStatusDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "Sync status of %s\n", ofProject(d.Project))
	fmt.Fprintf(b, "  Local chunks:   %d\n  Remote chunks:  %d\n  Pending import: %d\n", d.Local, d.Remote, d.Pending)
	writePending(b, d.Others)
	if d.Unpushed.all() > 0 {
		fmt.Fprintf(b, "Not exported yet: %s\n", d.Unpushed.words())
	}
	writeWaits(b, d.Deferred, d.Review, false)
}

// words are the counts in a sentence, without those that are 0.
func (c kindCounts) words() string {
	var parts []string
	for _, k := range []struct {
		n         int
		one, many string
	}{{c.Sessions, "session", "sessions"}, {c.Memories, "memory", "memories"}, {c.Prompts, "prompt", "prompts"},
		{c.Relations, "relation", "relations"}, {c.Erased, "erasure", "erasures"}} {
		if k.n > 0 {
			parts = append(parts, count(k.n, k.one, k.many))
		}
	}
	return strings.Join(parts, ", ")
}
