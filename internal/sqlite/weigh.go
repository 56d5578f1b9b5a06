package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// textsSQL reads of each candidate what is indexed of it.
const textsSQL = `SELECT m.num, m.title, coalesce(m.topic_key, ''),
	(SELECT json_group_array(tag) FROM tags WHERE memory = m.num), m.content
	FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value`

// weigh orders candidates by BM25 over all the words of the question, each as rare as
// it is among the memories in scope.
func (s *search) weigh(ctx context.Context, found []engram.Ranked) ([]engram.Ranked, error) {
	nums := make([]int64, len(found))
	for i, f := range found {
		nums[i] = f.Num
	}
	docs := make(map[int64]document, len(found))
	tokens, size := 0.0, 0
	err := s.tx.rows(ctx, textsSQL, []any{jsonNums(nums)}, func(r scanner) error {
		var m engram.Memory
		if err := r.Scan(&m.Num, &m.Title, &m.TopicKey, texts{&m.Tags}, &m.Content); err != nil {
			return err
		}
		d := s.read(titleText(m), m.Content)
		docs[m.Num] = d
		tokens += d.length
		size += len(m.Title) + len(m.Content)
		return nil
	})
	if err != nil {
		return nil, err
	}
	mean, err := s.meanSize(ctx)
	if err != nil {
		return nil, err
	}
	// What was found is longer than most: its tokens a byte are like all others', its mean is not.
	collection := retrieval.BM25{Rows: s.rows, Length: tokens * float64(mean) / float64(max(size, 1))}
	for i, f := range found {
		found[i].Score = 0
		for j, tf := range docs[f.Num].tf {
			found[i].Score += collection.Score(tf, docs[f.Num].length, s.terms[j].rows)
		}
	}
	slices.SortStableFunc(found, func(a, b engram.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return found, nil
}

// The sizes of the newest memories, by memories_recent and memories_project_recent.
const (
	sizesSQL        = `SELECT octet_length(title) + octet_length(content) AS size FROM memories WHERE deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT 100`
	projectSizesSQL = `SELECT octet_length(title) + octet_length(content) AS size FROM memories WHERE project = ? AND deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT 100`
)

// meanSize estimates the mean size of the memories in scope, in bytes, from the newest.
func (s *search) meanSize(ctx context.Context) (int, error) {
	query, args := sizesSQL, []any(nil)
	if s.project != 0 {
		query, args = projectSizesSQL, []any{s.project}
	}
	// Kept like the counts of words, under a name that no expression has.
	key := "size " + s.scope
	if mean, ok := s.tx.words.get(key, s.total); ok {
		return mean, nil
	}
	var mean int
	err := s.tx.row(ctx, `SELECT CAST(coalesce(avg(size), 0) AS INTEGER) FROM (`+query+`)`, args, &mean)
	if err == nil {
		s.tx.words.put(key, mean)
	}
	return mean, err
}

// document is a memory as the words of the question see it.
type document struct {
	tf     []float64 // of each word; an occurrence in the title counts titleWeight
	length float64   // tokens
}

func (s *search) read(title, content string) document {
	// A stem begins as its word does: few tokens need stemming to be told from the words.
	var initial [256]bool
	for _, w := range s.terms {
		if w.text != "" {
			initial[w.text[0]] = true
		}
	}
	d := document{tf: make([]float64, len(s.terms))}
	add := func(weight float64) func(text.Token) {
		return func(t text.Token) {
			if t.Stop && weight == 1 {
				return // the index does not have it either
			}
			d.length++
			if !initial[t.Word[0]] {
				return
			}
			stem := t.Text()
			for i, w := range s.terms {
				if w.text == stem || w.family && strings.HasPrefix(stem, w.text) {
					d.tf[i] += weight
				}
			}
		}
	}
	text.Scan(title, add(titleWeight))
	text.Scan(content, add(1))
	return d
}
