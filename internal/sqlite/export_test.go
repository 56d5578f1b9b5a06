package sqlite

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Migrate runs the steps of files in place of the embedded ones, to test migrations that no released
// schema needs yet.
func (s *Store) Migrate(ctx context.Context, files fs.FS, now func() time.Time) error {
	steps, err := fs.Glob(files, "migration/*.sql")
	if err != nil {
		return err
	}
	return explain(s.migrate(ctx, files, steps, now), s.path)
}

// CheckIndex compares the index of the store at path with its live memories, without caches and for any
// schema version.
func CheckIndex(ctx context.Context, path string) error {
	reads, err := newPool(dsn(path, "busy_timeout(2000)", "query_only(1)"), 1)
	if err != nil {
		return err
	}
	defer reads.close()
	c, err := reads.take(ctx)
	if err != nil {
		return err
	}
	defer reads.give(c)
	if err := c.begin(ctx, "BEGIN"); err != nil {
		return err
	}
	defer c.rollback()
	t := &tx{conn: c, kept: &kept{}}
	want, err := t.wanted(ctx)
	if err != nil {
		return err
	}
	got, err := t.indexedNow(ctx)
	if err != nil {
		return err
	}
	for _, num := range slices.Sorted(maps.Keys(want)) {
		w, g := want[num], got[num]
		if g == nil {
			return fmt.Errorf("memory %d is not in the index", num)
		}
		if g.doc != w.doc || !maps.Equal(g.words, w.words) {
			return fmt.Errorf("memory %d: got %+v, want %+v", num, *g, *w)
		}
		delete(got, num)
	}
	for num := range got {
		return fmt.Errorf("memory %d is in the index", num)
	}
	return nil
}

// entry is what the index has of a memory.
type entry struct {
	doc   postings.Doc
	words map[string]uint32
}

func (t *tx) wanted(ctx context.Context) (map[int64]*entry, error) {
	ms, err := t.List(ctx, engram.Filter{}, engram.Page{Limit: 1 << 30})
	if err != nil {
		return nil, err
	}
	all := map[int64]*entry{}
	for _, m := range ms {
		at, err := t.homeOf(ctx, m)
		if err != nil {
			return nil, err
		}
		words, length := wordsOf(m)
		e := &entry{words: map[string]uint32{}}
		for _, w := range words {
			e.words[w.word] = w.tf
		}
		cat, err := t.catalogue(ctx)
		if err != nil {
			return nil, err
		}
		num, known := cat.kinds[kind{m.Type, m.Scope}]
		if !known {
			return nil, fmt.Errorf("memory %d: its kind has no number", m.Num)
		}
		e.doc = postings.Doc{Num: m.Num, Created: m.CreatedAt.UnixMilli(), Project: uint32(at.project), Session: uint32(at.session), Kind: num,
			Length: min(length, 1<<16-1)}
		all[m.Num] = e
	}
	return all, nil
}

func (t *tx) indexedNow(ctx context.Context) (map[int64]*entry, error) {
	cat, err := t.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	segments := cat.segments
	if cat.fresh != nil {
		segments = append(slices.Clip(segments), cat.fresh)
	}
	all := map[int64]*entry{}
	for _, g := range segments {
		if err := t.load(ctx, g); err != nil {
			return nil, err
		}
		if err := t.checkSegment(ctx, g, all); err != nil {
			return nil, fmt.Errorf("segment %d of level %d: %w", g.num, g.level, err)
		}
	}
	return all, nil
}

func (t *tx) checkSegment(ctx context.Context, g *segment, all map[int64]*entry) error {
	if err := t.readWords(ctx, g); err != nil {
		return err
	}
	live, tokens := 0, int64(0)
	for slot := range g.docs.Len() {
		d := g.docs.Doc(slot)
		if d.Dead {
			continue
		}
		if all[d.Num] != nil {
			return fmt.Errorf("memory %d stands twice", d.Num)
		}
		if g.project != several && int64(d.Project) != g.project {
			return fmt.Errorf("memory %d is of project %d, the segment of %d", d.Num, d.Project, g.project)
		}
		all[d.Num] = &entry{doc: d, words: map[string]uint32{}}
		live++
		tokens += int64(d.Length)
	}
	if live != g.live || tokens != g.tokens {
		return fmt.Errorf("%d live memories of %d tokens, counted as %d of %d", live, tokens, g.live, g.tokens)
	}
	if err := t.checkLengths(ctx, g); err != nil {
		return err
	}
	blocks := g.blocks
	if blocks == nil {
		var err error
		if blocks, err = t.blocks(ctx, g.num); err != nil {
			return err
		}
	}
	if len(blocks) != len(g.firsts) {
		return fmt.Errorf("%d blocks, %d first words", len(blocks), len(g.firsts))
	}
	last := ""
	for i, b := range blocks {
		e := postings.NewEntries(b)
		for n := 0; e.Next(); n++ {
			word := string(e.Word())
			if word <= last || n == 0 && word != g.firsts[i] {
				return fmt.Errorf("block %d: %q stands behind %q, the first is %q", i, word, last, g.firsts[i])
			}
			last = word
			l, err := postings.ReadList(e.List())
			if err != nil {
				return err
			}
			ps, err := l.Decode(nil)
			if err != nil {
				return err
			}
			for _, p := range ps {
				d := g.docs.Doc(int(p.Slot))
				if d.Dead {
					return fmt.Errorf("%q is in the dead slot %d", word, p.Slot)
				}
				all[d.Num].words[word] = p.TF
			}
		}
		if err := e.Err(); err != nil {
			return err
		}
	}
	return nil
}

// CompareLexicon compares the words that one lexicon returns for all memories with those of wordsOf.
func CompareLexicon(ms []engram.Memory) error {
	l := newLexicon()
	for i, m := range ms {
		counts, length := l.of(m)
		got, want := map[string]uint32{}, map[string]uint32{}
		for _, w := range counts {
			got[l.words[w.term]] = w.tf
		}
		words, wantLength := wordsOf(m)
		for _, w := range words {
			want[w.word] = w.tf
		}
		if len(counts) != len(got) || !maps.Equal(got, want) || length != wantLength {
			return fmt.Errorf("memory %d: got %v of length %d, want %v of length %d", i, got, length, want, wantLength)
		}
	}
	return nil
}
