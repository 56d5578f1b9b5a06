package segments_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/text"
)

var (
	histories = flag.Int("histories", 2, "random histories that the index lives through beside its model")
	steps     = flag.Int("steps", 40, "transactions of each history")
	seed      = flag.Uint64("seed", 1, "of the first history; the next ones follow")
)

// The index answers every question as a plain model of it does, whatever was saved, changed, forgotten,
// restored, erased, moved and reindexed before, in one transaction or many, and whichever were given up.
func TestTheIndexAnswersAsItsModelDoes(t *testing.T) {
	for n := range *histories {
		t.Run(fmt.Sprintf("seed %d", *seed+uint64(n)), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, *seed+uint64(n))
			for step := range *steps {
				w.step = step
				w.transaction()
				w.ask(3)
				if step%50 == 49 {
					w.examine()
				}
			}
			w.examine()
		})
	}
}

// world is a store that lives through a history, and what is in it.
type world struct {
	testing.TB
	ctx    context.Context // of the transaction that attempt runs; nil for the test's
	step   int
	r      *rand.Rand
	path   string
	s      *sqlite.Store
	other  *sqlite.Store // as another process, which reads what s has written
	words  []string
	all    map[int64]engram.Memory // live and forgotten
	erased []engram.Memory
	moved  []move
	model  *model
	made   int
}

// move is a project that took in another.
type move struct {
	engram.Moved
	from, to string
}

var errGivenUp = errors.New("given up")

func newWorld(t testing.TB, seed uint64) *world {
	w := &world{TB: t, r: rand.New(rand.NewPCG(seed, 19)), path: filepath.Join(t.TempDir(), "engram.db"), all: map[int64]engram.Memory{}, model: newModel()}
	w.s, w.other = w.open(), w.open()
	t.Cleanup(func() { _ = errors.Join(w.s.Close(), w.other.Close()) })
	for len(w.words) < 300 {
		w.words = append(w.words, w.coin())
	}
	err := w.s.Update(t.Context(), func(tx engram.Tx) error {
		for _, p := range w.projects() {
			if err := tx.PutProject(t.Context(), engram.Project{Name: p, CreatedAt: at(0)}); err != nil {
				return err
			}
			for _, s := range []string{"a", "b"} {
				if err := tx.PutSession(t.Context(), engram.Session{ID: p + "-" + s, Project: p, StartedAt: at(0), ActiveAt: at(0)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func at(minute int) time.Time {
	return time.Unix(1_700_000_000, 0).UTC().Add(time.Duration(minute) * time.Minute)
}

func (w *world) open() *sqlite.Store {
	w.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: w.path, Now: func() time.Time { return at(0) }})
	if err != nil {
		w.Fatal(err)
	}
	return s
}

func (w *world) failf(format string, args ...any) {
	w.Helper()
	w.Fatalf("step %d: "+format, append([]any{w.step}, args...)...)
}

func (w *world) projects() []string { return []string{"p0", "p1", "p2", "p3", "p4"} }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// coin makes a word; some are alike, some have digits or other letters.
func (w *world) coin() string {
	if len(w.words) > 20 && w.r.IntN(4) == 0 {
		like := []byte(pick(w.r, w.words))
		like[w.r.IntN(len(like))] = "aeiouxz"[w.r.IntN(7)]
		return strings.ToValidUTF8(string(like), "q")
	}
	var b strings.Builder
	for range 1 + w.r.IntN(4) {
		switch w.r.IntN(30) {
		case 0:
			b.WriteString(fmt.Sprint(w.r.IntN(10)))
		case 1:
			b.WriteString("жук")
		}
		b.WriteByte("bcdfgklmnprstvz"[w.r.IntN(15)])
		b.WriteByte("aeiou"[w.r.IntN(5)])
		b.WriteByte("lnrstm"[w.r.IntN(6)])
	}
	return b.String()
}

// word draws a word; the first ones are frequent.
func (w *world) word() string {
	return w.words[int(float64(len(w.words))*math.Pow(w.r.Float64(), 2.5))]
}

func (w *world) text(n int) string {
	var words []string
	stops := []string{"the", "of", "and", "is", "not"}
	if w.r.IntN(4) == 0 {
		stops = []string{"der", "von", "und", "ist", "nicht"} // words of such a text have two forms
	}
	for range 1 + w.r.IntN(n) {
		if w.r.IntN(6) == 0 {
			words = append(words, pick(w.r, stops))
		} else {
			words = append(words, w.word())
		}
	}
	return strings.Join(words, " ")
}

// memory makes a memory that is not saved yet.
func (w *world) memory() engram.Memory {
	w.made++
	m := engram.Memory{ID: engram.ID(fmt.Sprintf("mem_%026d", w.made)), SyncID: fmt.Sprint("obs-", w.made), Origin: engram.OriginAgent,
		Importance: 0.5, Strength: 1, RevisionCount: 1, DuplicateCount: 1, NormalizedHash: "00", UpdatedAt: at(0), TouchedAt: at(0), CreatedAt: at(w.made)}
	for range 9 {
		w.change(&m)
	}
	m.Title, m.Content = w.text(5), w.text(20)
	m.Type, m.Scope = engram.TypeFact, engram.ScopeProject
	w.home(&m)
	if w.r.IntN(12) == 0 {
		m.DeletedAt = at(0)
	}
	return m
}

func (w *world) home(m *engram.Memory) {
	m.Project = pick(w.r, w.projects())
	m.SessionID = pick(w.r, []string{m.Project + "-a", m.Project + "-a", m.Project + "-b", ""})
}

// change changes something of a memory, of what the index has of it or not.
func (w *world) change(m *engram.Memory) {
	switch w.r.IntN(11) {
	case 0:
		m.Title = w.text(5)
	case 1:
		m.Content = w.text(20)
	case 2:
		m.Content += " " + w.word()
	case 3:
		m.Type = pick(w.r, []engram.Type{engram.TypeFact, engram.TypeDecision, "rarity"})
	case 4:
		m.Scope = pick(w.r, []engram.Scope{engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal})
	case 5:
		m.Tags = pick(w.r, [][]string{nil, {"red"}, {"blue", "red"}, {w.word()}})
	case 6:
		m.CreatedAt = at(w.r.IntN(2 * (w.made + 1)))
	case 7:
		w.home(m)
	case 8:
		m.Metadata = pick(w.r, []map[string]any{nil, {"k": "v"}, {"k": "w"}})
	case 9:
		m.AccessCount++ // not in the index
	case 10:
		m.ToolName = pick(w.r, []string{"", w.word(), w.word() + "__" + w.word()})
	}
}

// transaction makes some changes, and some questions in between. One in eight is given up, one in
// twelve followed by a new start of the program.
func (w *world) transaction() {
	givenUp := w.r.IntN(8) == 0
	err := w.attempt(w.Context(), func(tx engram.Tx) error {
		for range 1 + w.r.IntN(6) {
			if err := w.operation(tx); err != nil {
				return err
			}
			if w.r.IntN(5) == 0 {
				w.askOf(tx, func(string) bool { return false })
			}
		}
		if givenUp {
			return errGivenUp
		}
		return nil
	})
	if err != nil && !(givenUp && errors.Is(err, errGivenUp)) {
		w.failf("write: %v", err)
	}
	if w.r.IntN(12) == 0 {
		if err := w.s.Close(); err != nil {
			w.failf("close: %v", err)
		}
		w.s = w.open()
	}
}

// operation makes one kind of change to one or many memories.
func (w *world) operation(tx engram.Tx) error {
	some := []int{1, 1, 1, 3, 30}[w.r.IntN(5)]
	switch n := w.r.IntN(100); {
	case n < 30:
		return w.insert(tx, []int{1, 1, 2, 5, 20, 70, 150, 600}[w.r.IntN(8)])
	case n < 50:
		return w.each(tx, some, false, w.change)
	case n < 65:
		return w.each(tx, some, false, func(m *engram.Memory) { m.DeletedAt = at(1) })
	case n < 75:
		return w.each(tx, some, true, func(m *engram.Memory) { m.DeletedAt = time.Time{} })
	case n < 83:
		return w.erase(tx, some)
	case n < 86:
		return w.revive(tx)
	case n < 92:
		return w.move(tx)
	case n < 97:
		return w.moveBack(tx)
	case n < 99:
		return w.sweep(tx)
	default:
		return tx.Reindex(w.Context())
	}
}

func (w *world) insert(tx engram.Tx, n int) error {
	for range n {
		m := w.memory()
		if err := w.save(tx, m); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) save(tx engram.Tx, m engram.Memory) error {
	if err := tx.InsertMemory(w.Context(), &m); err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	w.all[m.Num] = m
	w.model.put(m)
	return nil
}

// each changes n memories, live ones or forgotten ones.
func (w *world) each(tx engram.Tx, n int, forgotten bool, change func(*engram.Memory)) error {
	for _, num := range w.some(n, forgotten) {
		m := w.all[num]
		change(&m)
		if err := tx.ReplaceMemory(w.Context(), m); err != nil {
			return fmt.Errorf("replace %d: %w", num, err)
		}
		w.all[num] = m
		w.model.put(m)
	}
	return nil
}

// some draws up to n memories, the newest half of the time.
func (w *world) some(n int, forgotten bool) (nums []int64) {
	for _, num := range slices.Sorted(maps.Keys(w.all)) {
		if w.all[num].Forgotten() == forgotten {
			nums = append(nums, num)
		}
	}
	if w.r.IntN(2) == 0 {
		nums = nums[max(0, len(nums)-2*n):]
	}
	w.r.Shuffle(len(nums), func(i, j int) { nums[i], nums[j] = nums[j], nums[i] })
	return nums[:min(n, len(nums))]
}

func (w *world) erase(tx engram.Tx, n int) error {
	for _, num := range w.some(n, w.r.IntN(4) == 0) {
		if err := tx.EraseMemory(w.Context(), num); err != nil {
			return fmt.Errorf("erase %d: %w", num, err)
		}
		w.erased = append(w.erased, w.all[num])
		delete(w.all, num)
		delete(w.model.live, num)
	}
	return nil
}

// revive saves an erased memory again under its number, as undo does, with other words.
func (w *world) revive(tx engram.Tx) error {
	if len(w.erased) == 0 {
		return nil
	}
	i := w.r.IntN(len(w.erased))
	m := w.erased[i]
	w.erased = slices.Delete(slices.Clone(w.erased), i, i+1)
	w.change(&m)
	return w.save(tx, m)
}

func (w *world) move(tx engram.Tx) error {
	return w.take(tx, pick(w.r, w.projects()), pick(w.r, w.projects()))
}

// take moves the memories of a project to another.
func (w *world) take(tx engram.Tx, from, to string) error {
	moved, err := tx.MoveProject(w.Context(), from, to)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	w.moved = append(w.moved, move{moved, from, to})
	w.rehome(moved.Memories, to)
	for num, m := range w.all {
		if from != to && m.Project == from {
			return fmt.Errorf("move left memory %d in %s", num, from)
		}
	}
	return nil
}

func (w *world) moveBack(tx engram.Tx) error {
	if len(w.moved) == 0 {
		return nil
	}
	last := w.moved[len(w.moved)-1]
	w.moved = w.moved[:len(w.moved)-1]
	back, err := tx.MoveBack(w.Context(), last.Moved, last.to, last.from)
	if err != nil {
		return fmt.Errorf("move back: %w", err)
	}
	w.rehome(back.Memories, last.from)
	return nil
}

func (w *world) rehome(nums []int64, project string) {
	for _, num := range nums {
		m := w.all[num]
		m.Project = project
		w.all[num] = m
		w.model.put(m)
	}
}

// sweep forgets most of a project, so that segments thin out or vanish.
func (w *world) sweep(tx engram.Tx) error {
	project := pick(w.r, w.projects())
	for _, num := range slices.Sorted(maps.Keys(w.model.live)) {
		m := w.all[num]
		if m.Project != project || w.r.IntN(10) == 0 {
			continue
		}
		m.DeletedAt = at(2)
		if err := tx.ReplaceMemory(w.Context(), m); err != nil {
			return fmt.Errorf("sweep %d: %w", num, err)
		}
		w.all[num] = m
		w.model.put(m)
	}
	return nil
}

// ask asks n questions of the store and of the other process, a third without some projects.
func (w *world) ask(n int) {
	for range n {
		off := func(string) bool { return false }
		ctx := w.Context()
		if w.r.IntN(3) == 0 {
			one, two := pick(w.r, w.projects()), pick(w.r, w.projects())
			off = func(p string) bool { return p == one || p == two }
			ctx = engram.Without(ctx, off)
		}
		s := pick(w.r, []*sqlite.Store{w.s, w.other})
		err := s.View(ctx, func(r engram.Reader) error {
			w.askOf(r, off)
			return nil
		})
		if err != nil {
			w.failf("read: %v", err)
		}
	}
}

// question draws a question: words that are there, beginnings, parts and misspellings of them, and others.
func (w *world) question() engram.LexicalQuery {
	var words []string
	for range []int{1, 1, 1, 2, 3, 8}[w.r.IntN(6)] {
		word := w.word()
		r := []rune(word)
		switch w.r.IntN(9) {
		case 0:
			word = string(r[:1+w.r.IntN(len(r))])
		case 1:
			word = string(r[w.r.IntN(len(r)):])
		case 2:
			i := w.r.IntN(len(r))
			word = string(r[:i]) + string("aeiouxyz"[w.r.IntN(8)]) + string(r[i:])
		case 3:
			i := w.r.IntN(len(r))
			word = string(r[:i]) + string(r[i+1:])
		case 4:
			if i := w.r.IntN(len(r)); i > 0 {
				r[i], r[i-1] = r[i-1], r[i]
			}
			word = string(r)
		case 5:
			word = pick(w.r, []string{"the", "not", "nothing", "red", "yesterday", word + "ing", word + "-" + w.word()})
		}
		words = append(words, word)
	}
	q := engram.LexicalQuery{Terms: text.Query(strings.Join(words, " ")), All: w.r.IntN(6) == 0, Alone: w.r.IntN(2) == 0,
		Limit: pick(w.r, []int{1, 5, 10, 50, 100_000})}
	for i := range q.Terms {
		for range max(0, w.r.IntN(6)-3) {
			q.Terms[i].Also = append(q.Terms[i].Also, text.Query(w.word())[0].Word)
		}
	}
	f := &q.Filter
	if w.r.IntN(2) == 0 {
		f.Project = pick(w.r, append(w.projects(), "unknown"))
	}
	switch w.r.IntN(14) {
	case 0:
		f.Types = []engram.Type{engram.TypeFact, "rarity"}
	case 1:
		f.Scope = engram.ScopePersonal
	case 2:
		f.Beyond = true
	case 3:
		f.Tags = []string{"red"}
	case 4:
		f.Tags = []string{"red", "blue"}
	case 5:
		f.SessionID = pick(w.r, w.projects()) + "-a"
	case 6:
		f.Since = at(w.r.IntN(w.made + 1))
	case 7:
		f.Until = at(w.r.IntN(w.made + 1))
	case 8:
		f.Metadata = map[string]any{"k": "v"}
	}
	return q
}

func (w *world) askOf(r engram.Reader, off func(string) bool) {
	q := w.question()
	if len(q.Terms) == 0 {
		return
	}
	got, err := r.Lexical(w.Context(), q)
	if err != nil {
		w.failf("%+v: %v", q, err)
	}
	if why := w.model.ask(q, off).compare(q, got); why != "" {
		w.failf("%+v\nof %d memories: %s", q, len(w.model.live), why)
	}
}

// examine has the doctor compare the whole index with the memories.
func (w *world) examine() {
	examine(w.TB, w.path, len(w.model.live))
}

func examine(t testing.TB, path string, live int) {
	t.Helper()
	f, err := sqlite.Examine(context.Background(), path, health.Query{Checks: []health.ID{health.IndexInStep, health.Integrity}, Full: true, Most: 3})
	if err = errors.Join(err, f.Err, f.Index.Err, f.Index.Broken, f.Damage.Err); err != nil {
		t.Fatalf("examine: %v", err)
	}
	if x := f.Index; x.Live != live || x.Indexed != live || x.Missing.Count+x.Dead.Count+x.Doubled.Count+x.Moved.Count > 0 || len(f.Damage.Problems) > 0 {
		t.Fatalf("examine: %d memories are live, found %+v and %v", live, x, f.Damage.Problems)
	}
}

// compare says where an answer differs from the model's; "" if nowhere.
func (a answer) compare(q engram.LexicalQuery, got engram.Lexical) string {
	if q.Filter.Project == "unknown" || (a.rows == 0 && got.Rows == 0) {
		if len(got.Hits) > 0 {
			return fmt.Sprintf("hits in no memory: %v", got.Hits)
		}
		return ""
	}
	if got.Rows == 0 && len(got.Words) == 0 && len(a.scores) == 0 {
		return "" // no memory can pass the filter, so the index does not look
	}
	if got.Rows != a.rows || !near(got.Length, a.length) {
		return fmt.Sprintf("got %d memories of %v words, want %d of %v", got.Rows, got.Length, a.rows, a.length)
	}
	for i, w := range a.words {
		g := got.Words[i]
		if !reflect.DeepEqual(g.Term, w.Term) || g.Rows != w.Rows || g.Repaired != w.Repaired && w.Rows > 0 || !slices.Equal(g.Matched, w.Matched) {
			return fmt.Sprintf("word %d:\n got %+v\nwant %+v", i, g, w)
		}
	}
	best, rest := ranked(a.scores), ranked(a.filled)
	rest = slices.DeleteFunc(rest, func(r engram.Ranked) bool { _, has := a.scores[r.Num]; return has })
	own := min(len(best), q.Limit)
	if want := min(own+len(rest), q.Limit); len(got.Hits) != want {
		return fmt.Sprintf("got %d hits, want %d: %v and %v, then %v", len(got.Hits), want, got.Hits, best, rest)
	}
	seen := map[int64]bool{}
	for i, h := range got.Hits {
		if seen[h.Num] {
			return fmt.Sprintf("memory %d is found twice", h.Num)
		}
		seen[h.Num] = true
		if i > 0 && i < own && (h.Score > got.Hits[i-1].Score || h.Score == got.Hits[i-1].Score && h.Num > got.Hits[i-1].Num) {
			return fmt.Sprintf("hits are out of order at %d: %v", i, got.Hits)
		}
		want, score := 0.0, 0.0
		has := false
		if i < own {
			want = best[i].Score
			score, has = a.scores[h.Num]
		} else {
			want = rest[i-own].Score
			score, has = a.filled[h.Num]
			if own > 0 {
				want, score = min(want, best[own-1].Score), min(score, best[own-1].Score)
			}
		}
		// Equal scores may differ in the last digits of their sums, and so change places.
		if !has || !near(h.Score, want) || !near(h.Score, score) {
			return fmt.Sprintf("hit %d: got %v, want a score of %v (the memory's: %v, %v)\n got %v\nwant %v", i, h, want, score, has, got.Hits, best)
		}
	}
	if q.All || q.Alone {
		return ""
	}
	return a.compareSurroundings(got)
}
