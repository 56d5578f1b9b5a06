package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/postings"
)

// moveIndex gives the index entries of one project to another; of those, the ones of
// memories that which names. Words do not name their project, so only documents are written.
func (t *tx) moveIndex(ctx context.Context, source, target int64, which func(num int64) bool) error {
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
	if err := t.flush(ctx); err != nil {
		return err
	}
	if err := t.moveUnsealed(ctx, move); err != nil {
		return fmt.Errorf("move the newest memories: %w", err)
	}
	all, err := t.segments(ctx)
	if err != nil {
		return err
	}
	for _, g := range all {
		if g.project != source && g.project != several {
			continue
		}
		if err := t.moveSegment(ctx, g, target, move); err != nil {
			return fmt.Errorf("move segment %d: %w", g.num, err)
		}
	}
	return nil
}

func (t *tx) moveSegment(ctx context.Context, g *segment, target int64, move func(postings.Docs) (postings.Docs, bool)) error {
	docs, err := t.documents(ctx, g)
	if err != nil {
		return err
	}
	docs, moved := move(docs)
	if !moved && g.project == several {
		return nil
	}
	version, err := t.changed(ctx)
	if err != nil {
		return err
	}
	if err := t.appendDocs(ctx, g.num, 0, docs); err != nil {
		return err
	}
	project := g.project
	if project != several {
		project = onlyProject(docs)
	}
	_, err = t.exec(ctx, `UPDATE segments SET project = ?, version = ? WHERE num = ?`, projectOrNull(project), version, g.num)
	return err
}

// onlyProject is the project of all live documents, or several.
func onlyProject(docs postings.Docs) int64 {
	project := int64(several)
	for slot := range docs.Len() {
		switch {
		case !docs.Live(slot):
		case project == several:
			project = int64(docs.Project(slot))
		case project != int64(docs.Project(slot)):
			return several
		}
	}
	return project
}

// moveUnsealed writes the documents of the newest memories that change.
func (t *tx) moveUnsealed(ctx context.Context, move func(postings.Docs) (postings.Docs, bool)) error {
	type row struct {
		seq  int64
		docs postings.Docs
	}
	var rows []row
	err := t.rows(ctx, `SELECT seq, document FROM unsealed ORDER BY seq`, nil, func(r scanner) error {
		var seq int64
		var doc []byte
		err := r.Scan(&seq, &doc)
		if docs, moved := move(doc); moved {
			rows = append(rows, row{seq, docs})
		}
		return err
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	for _, r := range rows {
		if _, err := t.exec(ctx, `UPDATE unsealed SET document = ? WHERE seq = ?`, []byte(r.docs), r.seq); err != nil {
			return err
		}
	}
	_, err = t.changed(ctx) // the rows kept their numbers: only this tells the states apart
	return err
}
