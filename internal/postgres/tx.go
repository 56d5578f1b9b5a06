package postgres

import (
	"context"
	"fmt"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/index/vectors"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/postgres/segments"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// tx is a transaction: engram.Reader and engram.Tx. Its methods are in the files of their nouns.
type tx struct {
	*conn.Tx
	head, begun head          // as the transaction has raised it, and as it was
	index       lexicon.Index // of memories
	asked       lexicon.Index // of prompts
	vectors     vectors.Index
	names       *names // shared with others of its version, unless it writes
	counted     counted
	carrierNums map[string]int64 // looked-up numbers of batch sets
}

var _ engram.Tx = (*tx)(nil)

// newTx returns the transaction that is open on a connection, given its head.
func (s *Store) newTx(c *conn.Tx, h head) *tx {
	t := &tx{Tx: c, head: h, begun: h, names: s.latest.at(h.version)}
	t.Before = t.beforeStatement
	t.vectors = t.vectorsOf(&s.kept)
	t.index = t.indexOf(segments.OfMemories, &s.kept, &s.kept.memories, &t.vectors)
	t.asked = t.indexOf(segments.OfPrompts, &s.kept, &s.kept.prompts, noSlots{})
	return t
}

// flush queues what the transaction has left to be written.
func (t *tx) flush(ctx context.Context) error {
	for _, x := range t.indexes() {
		if err := x.Flush(ctx); err != nil {
			return err
		}
	}
	if err := t.vectors.Flush(ctx); err != nil {
		return err
	}
	if err := t.writeCounts(ctx); err != nil {
		return err
	}
	return t.writeHead(ctx)
}

// hide excludes the projects for which off is true from the transaction. Tables stand before those that they name.
func (t *tx) hide(ctx context.Context, off func(project string) bool) error {
	if off == nil {
		return nil
	}
	// Deferred records may belong to a project that does not exist yet.
	const query = `SELECT num, name FROM projects WHERE space = $space UNION ALL SELECT DISTINCT -1, project FROM deferred WHERE space = $space`
	o := &conn.Off{Nums: []int64{}, Names: []string{}, Tables: hidingSQL()}
	err := t.Rows(ctx, query, nil, func(s sqlrow.Scanner) error {
		var num int64
		var name string
		if err := s.Scan(&num, &name); err != nil || !off(name) {
			return err
		}
		o.Names = append(o.Names, name)
		if num >= 0 {
			o.Nums = append(o.Nums, num)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the excluded projects: %w", err)
	}
	if len(o.Names) == 0 {
		return nil
	}
	t.Off = o
	t.index.Excluded = map[int64]bool{}
	for _, num := range o.Nums {
		t.index.Excluded[num] = true
	}
	t.asked.Excluded = t.index.Excluded
	return nil
}

// hidingSQL stands before queries that skip the rows of excluded projects.
var hidingSQL = sync.OnceValue(func() string {
	project := func(memory string) string {
		return "(SELECT project FROM memories WHERE space = $space AND num = " + memory + ") = ANY($off)"
	}
	all := "WITH "
	for _, table := range [][2]string{
		{"revisions", project("memory")}, {"relations", project("source") + " OR " + project("target")},
		{"prompts", "project = ANY($off)"}, {"tallies", "project = ANY($off)"}, {"counters", "project = ANY($off)"},
		{"deferred", "project = ANY($names)"}, {"tombstones", "project = ANY($names)"}, {"memories", "project = ANY($off)"},
	} {
		all += fmt.Sprintf("%s AS NOT MATERIALIZED (SELECT * FROM %[1]s WHERE space = $space AND NOT coalesce(%s, false)), ", table[0], table[1])
	}
	return all[:len(all)-2] + " "
})

// Replica returns the transaction itself, which fulfils both roles.
func (t *tx) Replica() engram.ReplicaReader { return t }

// ReplicaTx returns the transaction itself.
func (t *tx) ReplicaTx() engram.ReplicaTx { return t }
