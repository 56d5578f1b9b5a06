package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// sweep forgets what the file does not have: of the one project that it is of, or goes
// into, else of the whole store. Sessions and projects stay, for what was forgotten
// stands in them still.
func (i *importing) sweep(ctx context.Context) error {
	project := i.in.Project
	if project == "" {
		project = normalProject(i.res.From.Project)
	}
	if project != "" {
		p, known, err := i.tx.Project(ctx, project)
		if err != nil || !known {
			return err
		}
		project = p.Name
	}
	if !slices.Contains(i.res.From.Lacks, engram.EntityRelation) {
		if err := i.sweepRelations(ctx, project); err != nil {
			return err
		}
	}
	if !slices.Contains(i.res.From.Lacks, engram.EntityPrompt) {
		if err := i.sweepPrompts(ctx, project); err != nil {
			return err
		}
	}
	return i.sweepMemories(ctx, project)
}

func (i *importing) sweepMemories(ctx context.Context, project string) error {
	for after := int64(0); ; {
		page, err := i.tx.MemoriesAfter(ctx, project, after, exportPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			after = m.Num
			if m.Forgotten() || i.seen.memories.has(m.Num) {
				continue
			}
			if err := i.forget(ctx, &m, "import: not in what replaces it"); err != nil {
				return err
			}
			i.res.Memories.Gone++
		}
		if len(page) < exportPage {
			return nil
		}
	}
}

func (i *importing) sweepRelations(ctx context.Context, project string) error {
	for after := int64(0); ; {
		page, err := i.tx.RelationsAfter(ctx, project, after, exportPage)
		if err != nil {
			return err
		}
		for _, r := range page {
			after = r.Num
			if r.Removed() || i.seen.relations.has(r.Num) {
				continue
			}
			now := r
			now.RemovedAt, now.UpdatedAt = i.at, i.at
			if err := i.replaceRelation(ctx, r, now, project, "import: not in what replaces it"); err != nil {
				return err
			}
			i.res.Relations.Gone++
		}
		if len(page) < exportPage {
			return nil
		}
	}
}

func (i *importing) sweepPrompts(ctx context.Context, project string) error {
	for after := int64(0); ; {
		page, err := i.tx.PromptsAfter(ctx, project, after, exportPage)
		if err != nil {
			return err
		}
		for _, p := range page {
			after = p.Num
			if p.Deleted() || i.seen.prompts.has(p.Num) {
				continue
			}
			now := p
			now.DeletedAt = i.at
			if err := i.replacePrompt(ctx, p, now, "import: not in what replaces it"); err != nil {
				return err
			}
			i.res.Prompts.Gone++
		}
		if len(page) < exportPage {
			return nil
		}
	}
}
