package lexicon

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Move moves the memories of project source for which which is true to project target. Only documents
// contain the project.
func (x *Index) Move(ctx context.Context, source, target int64, which func(num int64) bool) error {
	move := func(docs postings.Docs) (out postings.Docs, moved bool) {
		for slot := range docs.Len() {
			d := docs.Doc(slot)
			if !d.Dead && int64(d.Project) == source && which(d.Num) {
				d.Project, moved = uint32(target), true
			}
			out = postings.AppendDoc(out, d)
		}
		return out, moved
	}
	if err := x.Flush(ctx); err != nil {
		return err
	}
	if err := x.moveUnsealed(ctx, move); err != nil {
		return fmt.Errorf("move the newest memories: %w", err)
	}
	all, err := x.segments(ctx)
	if err != nil {
		return err
	}
	for _, g := range all {
		if g.project != source && g.project != Several {
			continue
		}
		if err := x.moveSegment(ctx, g, target, move); err != nil {
			return fmt.Errorf("move segment %d: %w", g.num, err)
		}
	}
	return nil
}

func (x *Index) moveSegment(ctx context.Context, g *segment, target int64, move func(postings.Docs) (postings.Docs, bool)) error {
	docs, err := x.documents(ctx, g)
	if err != nil {
		return err
	}
	docs, moved := move(docs)
	if !moved && g.project == Several {
		return nil
	}
	version, err := x.changed(ctx)
	if err != nil {
		return err
	}
	if err := x.writeDocs(ctx, g.num, 0, docs); err != nil {
		return err
	}
	if g.version = version; g.project != Several {
		g.project = onlyProject(docs)
	}
	return x.Store.PutSegment(ctx, g.row())
}

// onlyProject returns the project of all live documents, or Several.
func onlyProject(docs postings.Docs) int64 {
	project := int64(Several)
	for slot := range docs.Len() {
		switch {
		case !docs.Live(slot):
		case project == Several:
			project = int64(docs.Project(slot))
		case project != int64(docs.Project(slot)):
			return Several
		}
	}
	return project
}

// moveUnsealed rewrites the changed documents of unsealed memories.
func (x *Index) moveUnsealed(ctx context.Context, move func(postings.Docs) (postings.Docs, bool)) error {
	var changed []index.Unsealed
	err := x.Store.Unsealed(ctx, 0, false, func(u index.Unsealed) error {
		docs, moved := move(u.Document)
		if u.Document = docs; moved {
			changed = append(changed, u)
		}
		return nil
	})
	if err != nil || len(changed) == 0 {
		return err
	}
	for _, u := range changed {
		if err := x.Store.MoveUnsealed(ctx, u.Seq, u.Document); err != nil {
			return err
		}
	}
	_, err = x.changed(ctx) // the rows kept their numbers, so only this changes the state
	return err
}
