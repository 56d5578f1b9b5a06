package postgrestest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// both are a SQLite file and a space that live through the same.
type both struct {
	testing.TB
	r       *rand.Rand
	c       *storetest.Corpus
	file    engram.Store
	space   [2]engram.Store // as two processes
	nums    []int64         // of memories that were not erased
	prompts []int64
	made    int
}

func day(minute int) time.Time { return storetest.Day().Add(time.Duration(minute) * time.Minute) }

// update runs the same in both, and in the space by any process.
func (b *both) update(fn func(tx engram.Tx) error) {
	b.Helper()
	for _, s := range []engram.Store{b.file, b.space[b.r.IntN(2)]} {
		if err := s.Update(b.Context(), fn); err != nil {
			b.Fatal(err)
		}
	}
}

// view asks the same of both and compares what fn prints.
func (b *both) view(ctx context.Context, what string, fn func(r engram.Reader) (string, error)) {
	b.Helper()
	var got [2]string
	for i, s := range []engram.Store{b.file, b.space[b.r.IntN(2)]} {
		err := s.View(ctx, func(r engram.Reader) (err error) {
			got[i], err = fn(r)
			return err
		})
		if err != nil {
			b.Fatalf("%s: %v", what, err)
		}
	}
	if got[0] != got[1] {
		b.Fatalf("%s:\n got %.1500s\nwant %.1500s", what, got[1], got[0])
	}
}

func (b *both) insert(n int) {
	var ms []engram.Memory
	var ps []engram.Prompt
	for range n {
		b.made++
		m := b.c.Memory(day(b.made))
		m.ID, m.SyncID, m.NormalizedHash = engram.ID(fmt.Sprintf("mem_%026d", b.made)), fmt.Sprint("obs-", b.made), "00"
		m.Project = b.project()
		m.SessionID = "s-" + m.Project
		m.Tags = [][]string{nil, {"red"}, {"red", "blue"}}[b.r.IntN(3)]
		m.Scope = []engram.Scope{engram.ScopeProject, engram.ScopeProject, engram.ScopePersonal}[b.r.IntN(3)]
		ms = append(ms, m)
		ps = append(ps, engram.Prompt{SyncID: fmt.Sprint("prompt-", b.made), Project: m.Project, Content: b.c.Question(6), CreatedAt: day(b.made)})
	}
	nums, asked := make([]int64, n), make([]int64, n)
	b.update(func(tx engram.Tx) error {
		for i := range ms {
			m, p := ms[i], ps[i]
			if err := errors.Join(tx.InsertMemory(b.Context(), &m), tx.InsertPrompt(b.Context(), &p)); err != nil {
				return err
			}
			nums[i], asked[i] = m.Num, p.Num
		}
		return nil
	})
	b.nums, b.prompts = append(b.nums, nums...), append(b.prompts, asked...)
}

func (b *both) project() string { return fmt.Sprint("p", b.r.IntN(4)) }

// change changes, forgets, restores or erases some memories, and a prompt.
func (b *both) change() {
	nums := make([]int64, 1+b.r.IntN(30))
	for i := range nums {
		nums[i] = b.nums[b.r.IntN(len(b.nums))]
	}
	how, word, to := b.r.IntN(6), b.c.Word(), b.project()
	prompt := b.prompts[b.r.IntN(len(b.prompts))]
	b.update(func(tx engram.Tx) error {
		for _, num := range nums {
			m, err := tx.Memory(b.Context(), engram.ByNum(num))
			if engram.CodeOf(err) == engram.CodeNotFound {
				continue // erased before
			}
			switch how {
			case 0:
				m.Title += " " + word
			case 1:
				m.Content, m.ToolName = word, "mcp__"+word
			case 2:
				m.Project, m.SessionID, m.Type = to, "s-"+to, "rarity"
			case 3:
				m.DeletedAt = day(9)
			case 4:
				m.DeletedAt = time.Time{}
			default:
				if err := tx.EraseMemory(b.Context(), num); err != nil {
					return err
				}
				continue
			}
			if err = errors.Join(err, tx.ReplaceMemory(b.Context(), m)); err != nil {
				return err
			}
		}
		p, err := engram.PromptAt(b.Context(), tx, prompt)
		if err != nil {
			return err
		}
		p.Project, p.DeletedAt = to, time.Time{}
		if how == 3 {
			p.DeletedAt = day(9)
		}
		return tx.ReplacePrompt(b.Context(), p)
	})
}

// move moves a project into another, and makes it anew.
func (b *both) move() {
	from, to := b.project(), b.project()
	b.update(func(tx engram.Tx) error {
		if from == to {
			return nil
		}
		_, err := tx.MoveProject(b.Context(), from, to)
		return err
	})
}

// ask asks a question of memories, with any filter, and one of prompts.
func (b *both) ask() {
	words := make([]string, 1+b.r.IntN(4))
	for i := range words {
		w := b.c.Word()
		switch b.r.IntN(6) {
		case 0:
			w = w[:2] + "q" + w[2:]
		case 1:
			w = w[:len(w)/2+1]
		}
		words[i] = w
	}
	q := engram.LexicalQuery{Terms: text.Query(strings.Join(words, " ")), Limit: []int{3, 10, 500}[b.r.IntN(3)], All: b.r.IntN(5) == 0, Alone: b.r.IntN(2) == 0}
	if b.r.IntN(2) == 0 {
		q.Filter.Project = b.project()
	}
	switch b.r.IntN(8) {
	case 0:
		q.Filter.Tags = []string{"red"}
	case 1:
		q.Filter.Types = []engram.Type{"rarity", engram.TypeDecision}
	case 2:
		q.Filter.SessionID = "s-p1"
	case 3:
		q.Filter.Since = day(b.r.IntN(b.made + 1))
	case 4:
		q.Filter.Beyond = true
	}
	ctx := b.Context()
	if b.r.IntN(4) == 0 {
		off := b.project()
		ctx = engram.Without(ctx, func(p string) bool { return p == off })
	}
	b.view(ctx, fmt.Sprintf("%+v", q), func(r engram.Reader) (string, error) {
		found, err := r.Lexical(ctx, q)
		for i, h := range found.Hits {
			found.Hits[i].Score = math.Round(h.Score * 1e5)
		}
		return fmt.Sprintf("%v %v %d %.3f %v", found.Hits, found.Words, found.Rows, found.Length, len(found.Beside)), err
	})
	b.view(ctx, "prompts about "+strings.Join(words, " "), func(r engram.Reader) (string, error) {
		ps, err := r.SearchPrompts(ctx, text.Query(words[0]), q.Filter.Project, 1000)
		nums := make([]int64, len(ps))
		for i, p := range ps {
			nums[i] = p.Num
		}
		slices.Sort(nums) // the formulas of SQLite and of ours are not the same
		return fmt.Sprint(nums), err
	})
}

// TestQuestions asks 500 questions of a file and of a space while both live through the same: same memories, same order.
func TestQuestions(t *testing.T) {
	server := postgrestest.Start(t)
	b := &both{TB: t, r: rand.New(rand.NewPCG(3, 1)), c: storetest.NewCorpus(5)}
	file, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "engram.db"), Now: storetest.Day})
	if err != nil {
		t.Fatal(err)
	}
	b.file = file
	t.Cleanup(func() { _ = file.Close() })
	name := postgrestest.Space()
	for i := range b.space {
		s, err := postgres.Open(t.Context(), postgres.Options{URL: server.URL(), Space: name})
		if err != nil {
			t.Fatal(err)
		}
		b.space[i] = s
		t.Cleanup(func() { _ = s.Close() })
	}
	b.update(func(tx engram.Tx) error {
		for i := range 4 {
			p := fmt.Sprint("p", i)
			if err := errors.Join(tx.PutProject(t.Context(), engram.Project{Name: p, CreatedAt: day(0)}),
				tx.PutSession(t.Context(), engram.Session{ID: "s-" + p, Project: p, StartedAt: day(0), ActiveAt: day(0)})); err != nil {
				return err
			}
		}
		return nil
	})
	for step := range 100 {
		b.insert([]int{1, 1, 2, 5, 30, 80}[b.r.IntN(6)])
		if step%3 == 0 {
			b.change()
		}
		if step%25 == 24 {
			b.move()
		}
		if step == 70 {
			b.update(func(tx engram.Tx) error { return tx.Reindex(t.Context()) })
		}
		for range 5 {
			b.ask()
		}
	}
	t.Logf("%d memories", b.made)
}
