package sqlite_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// clusters draws vectors like those of texts: around centres, each near a few others.
type clusters struct {
	rand    *rand.Rand
	centres [][]float32
	model   engram.Model
}

func newClusters(seed uint64, dimensions int) *clusters {
	c := &clusters{rand: rand.New(rand.NewPCG(seed, 7)),
		model: engram.Model{Name: "clusters", Fingerprint: fmt.Sprintf("clusters-%d", dimensions), Dimensions: dimensions}}
	for range 200 {
		c.centres = append(c.centres, c.around(make([]float32, dimensions)))
	}
	return c
}

// vector draws one.
func (c *clusters) vector() []float32 { return c.around(c.centres[c.rand.IntN(len(c.centres))]) }

func (c *clusters) around(centre []float32) []float32 {
	v, sum := slices.Clone(centre), 0.0
	for i := range v {
		v[i] += float32(c.rand.NormFloat64() / math.Sqrt(float64(len(v))))
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// exactly ranks the memories that pass the filter by brute force, by their stored vectors.
func exactly(t testing.TB, r engram.Reader, q engram.VectorQuery) []engram.Ranked {
	t.Helper()
	return ranked(q, stored(t, r, q.Model, q.Filter))
}

// stored returns the vectors of the memories that pass f.
func stored(t testing.TB, r engram.Reader, model string, f engram.Filter) map[int64][]float32 {
	t.Helper()
	ms, err := r.List(t.Context(), f, engram.Page{Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	vs, err := r.Vectors(t.Context(), model, nums)
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

func ranked(q engram.VectorQuery, vs map[int64][]float32) []engram.Ranked {
	var all []engram.Ranked
	for num, v := range vs {
		if score := cosine(q.Vector, v); score == score { // not for a zero vector
			all = append(all, engram.Ranked{Num: num, Score: score})
		}
	}
	slices.SortFunc(all, func(a, b engram.Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
	})
	return all[:min(q.Limit, len(all))]
}

// TestVectorsFollowTheirMemories runs a history of all kinds of changes, with enough memories to
// reorganise the index, and compares all answers again and again.
func TestVectorsFollowTheirMemories(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer s.Close()
	other := open(t, filepath.Join(t.TempDir(), "other.db")) // shares nothing with s
	defer other.Close()
	h := &history{T: t, store: s, corpus: storetest.NewCorpus(5), clusters: newClusters(5, 100), second: newClusters(6, 64)}
	makeProjects(t, s, h.corpus)
	update(t, s, func(tx engram.Tx) error { return h.save(tx, 5500) }) // the rest will be merged with them
	for round := range 10 {
		update(t, s, func(tx engram.Tx) error { return h.round(tx, 450) })
		if round%3 != 0 {
			continue // comparing everything is most of the work
		}
		h.compare(round)
		if t.Failed() {
			return
		}
	}
}

type history struct {
	*testing.T
	store    *sqlite.Store
	corpus   *storetest.Corpus
	clusters *clusters
	second   *clusters // a model of which only some memories have vectors
	live     []engram.Memory
	gone     []engram.Memory
}

func (h *history) save(tx engram.Tx, n int) error {
	for range n {
		m := short(h.corpus, now().Add(time.Duration(len(h.live))*time.Minute))
		if err := tx.InsertMemory(h.Context(), &m); err != nil {
			return err
		}
		h.live = append(h.live, m)
		if err := h.embed(tx, m); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) round(tx engram.Tx, changes int) error {
	for range changes {
		if err := h.change(tx); err != nil {
			return err
		}
	}
	if h.clusters.rand.IntN(5) == 0 {
		if _, err := tx.MoveProject(h.Context(), h.corpus.Project(), "project-00"); err != nil && engram.CodeOf(err) != engram.CodeInvalid {
			return err
		}
		for i := range h.live {
			m, err := tx.Memory(h.Context(), engram.ByNum(h.live[i].Num))
			if err != nil {
				return err
			}
			h.live[i] = m
		}
	}
	if h.clusters.rand.IntN(7) == 0 {
		return tx.DropModel(h.Context(), h.second.model.Fingerprint)
	}
	return nil
}

func (h *history) change(tx engram.Tx) error {
	ctx, rnd := h.Context(), h.clusters.rand
	if rnd.IntN(2) == 0 {
		return h.save(tx, 1)
	}
	i := rnd.IntN(len(h.live))
	m := h.live[i]
	switch rnd.IntN(7) {
	case 0: // a new text
		m.Content += " again"
		h.live[i] = m
		if err := tx.ReplaceMemory(ctx, m); err != nil {
			return err
		}
		return h.embed(tx, m)
	case 1: // the same text, matching other filters
		m.Tags, m.Type = []string{"kept"}, engram.TypeBugfix
		h.live[i] = m
		return tx.ReplaceMemory(ctx, m)
	case 2:
		h.live = slices.Delete(h.live, i, i+1)
		h.gone = append(h.gone, m)
		m.DeletedAt = now()
		return tx.ReplaceMemory(ctx, m)
	case 3:
		if len(h.gone) == 0 {
			return nil
		}
		m, h.gone = h.gone[0], h.gone[1:]
		h.live = append(h.live, m)
		if err := tx.ReplaceMemory(ctx, m); err != nil {
			return err
		}
		return h.embed(tx, m)
	case 4:
		h.live = slices.Delete(h.live, i, i+1)
		return tx.EraseMemory(ctx, m.Num)
	case 5:
		return tx.PutVectors(ctx, h.second.model, []engram.Vector{{Num: m.Num, Values: h.second.vector()}})
	default:
		return h.embed(tx, m)
	}
}

func (h *history) embed(tx engram.Tx, m engram.Memory) error {
	v := h.clusters.vector()
	switch h.clusters.rand.IntN(10) {
	case 0:
		return nil // not yet
	case 1:
		clear(v)
	}
	return tx.PutVectors(h.Context(), h.clusters.model, []engram.Vector{{Num: m.Num, Values: v}})
}

// compare searches everything by both models; all candidates are compared then, so the answer must equal
// brute force.
func (h *history) compare(round int) {
	h.Helper()
	view(h, h.store, func(r engram.Reader) error {
		for _, c := range []*clusters{h.clusters, h.second} {
			for _, f := range []engram.Filter{{}, {Project: "project-00"}, {Types: []engram.Type{engram.TypeBugfix}}, {Tags: []string{"kept"}},
				{Since: now().Add(time.Hour)}, {Project: h.corpus.Project(), Types: engram.KnownTypes()[:3]}} {
				q := engram.VectorQuery{Model: c.model.Fingerprint, Vector: c.vector(), Filter: f, Limit: 10_000}
				got, err := r.Nearest(h.Context(), q)
				if err != nil {
					return err
				}
				want := exactly(h, r, q)
				if len(got) != len(want) {
					h.Errorf("round %d, %s, %+v: got %d memories, want %d", round, c.model.Fingerprint, f, len(got), len(want))
					continue
				}
				for i := range got {
					if math.Abs(got[i].Score-want[i].Score) > 1e-5 {
						h.Errorf("round %d, %s, %+v, rank %d: got %+v, want %+v", round, c.model.Fingerprint, f, i+1, got[i], want[i])
						break
					}
				}
			}
			h.compareUnembedded(r, c, round)
		}
		return nil
	})
}

func (h *history) compareUnembedded(r engram.Reader, c *clusters, round int) {
	h.Helper()
	var nums, want []int64
	for _, m := range h.live {
		nums = append(nums, m.Num)
	}
	have, err := r.Vectors(h.Context(), c.model.Fingerprint, nums)
	if err != nil {
		h.Fatal(err)
	}
	for _, num := range nums {
		if _, ok := have[num]; !ok {
			want = append(want, num)
		}
	}
	slices.Sort(want)
	var got []int64
	for after := int64(0); ; {
		ms, err := r.List(h.Context(), engram.Filter{Unembedded: c.model.Fingerprint}, engram.Page{Order: engram.OrderNumber, Limit: 100, After: engram.Position{Num: after}})
		if err != nil {
			h.Fatal(err)
		}
		if len(ms) == 0 {
			break
		}
		for _, m := range ms {
			got = append(got, m.Num)
		}
		after = got[len(got)-1]
	}
	if !slices.Equal(got, want) {
		h.Errorf("round %d, without a vector of %s: got %d memories, want %d\n got %v\nwant %v", round, c.model.Fingerprint, len(got), len(want), got, want)
	}
	uses, err := r.Models(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	for _, u := range uses {
		if u.Model.Fingerprint == c.model.Fingerprint && u.Memories != len(have) {
			h.Errorf("round %d: %s covers %d, want %d", round, c.model.Fingerprint, u.Memories, len(have))
		}
	}
}

// TestTheNearestComeThroughTheCodes counts how many of the ten nearest are lost by selecting candidates
// by code.
func TestTheNearestComeThroughTheCodes(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer s.Close()
	c, k := storetest.NewCorpus(3), newClusters(3, 256)
	fillVectors(t, s, c, k, 6000)
	hits, wanted := 0, 0
	view(t, s, func(r engram.Reader) error {
		vs := stored(t, r, k.model.Fingerprint, engram.Filter{})
		for range 25 {
			q := engram.VectorQuery{Model: k.model.Fingerprint, Vector: k.vector(), Limit: 10}
			got, err := r.Nearest(t.Context(), q)
			if err != nil {
				return err
			}
			for _, want := range ranked(q, vs) {
				wanted++
				if slices.ContainsFunc(got, func(g engram.Ranked) bool { return g.Num == want.Num }) {
					hits++
				}
			}
		}
		return nil
	})
	if hits*100 < wanted*95 {
		t.Errorf("found %d of the %d nearest, want at least 95 %%", hits, wanted)
	}
}

// TestCloseVectorsComeThroughTheCodes searches around memories, at cosines of about 0.7: no related
// memory may be lost.
func TestCloseVectorsComeThroughTheCodes(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer s.Close()
	k := newClusters(4, 256)
	fillVectors(t, s, storetest.NewCorpus(4), k, 6000)
	view(t, s, func(r engram.Reader) error {
		vs, err := r.Vectors(t.Context(), k.model.Fingerprint, []int64{1, 700, 1400, 2100, 2800, 3500, 4200, 4900, 5600, 6000})
		for num, v := range vs {
			question := k.around(v)
			got, err := r.Nearest(t.Context(), engram.VectorQuery{Model: k.model.Fingerprint, Vector: question, Limit: 11, Close: true})
			if err != nil {
				return err
			}
			if len(got) != 11 || !slices.ContainsFunc(got, func(g engram.Ranked) bool { return g.Num == num }) {
				t.Errorf("#%d at a cosine of %.2f is not among %v", num, cosine(question, v), got)
			}
		}
		if len(vs) != 10 {
			t.Errorf("there are %d vectors of 10", len(vs))
		}
		return err
	})
}

// short is a memory of few words, to speed up tests of vectors.
func short(c *storetest.Corpus, at time.Time) engram.Memory {
	m := c.Memory(at)
	m.Content = m.Content[:60]
	return m
}

// fillVectors saves memories with vectors, many to a transaction.
func fillVectors(t testing.TB, s engram.Store, c *storetest.Corpus, k *clusters, n int) {
	t.Helper()
	makeProjects(t, s, c)
	const batch = 500
	for done := 0; done < n; done += batch {
		update(t, s, func(tx engram.Tx) error {
			vs := make([]engram.Vector, min(batch, n-done))
			for i := range vs {
				m := short(c, now().Add(time.Duration(done+i)*time.Second))
				if err := tx.InsertMemory(t.Context(), &m); err != nil {
					return err
				}
				vs[i] = engram.Vector{Num: m.Num, Values: k.vector()}
			}
			return tx.PutVectors(t.Context(), k.model, vs)
		})
	}
}

// TestAnUndoneUpdateIsNotRemembered searches within an update that is rolled back, after which other
// changes have the same version.
func TestAnUndoneUpdateIsNotRemembered(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer s.Close()
	c, k := storetest.NewCorpus(7), newClusters(7, 64)
	fillVectors(t, s, c, k, 3000)
	question := k.vector()
	far := make([]float32, len(question))
	for i, x := range question {
		far[i] = -x
	}
	put := func(tx engram.Tx, vs ...engram.Vector) error { return tx.PutVectors(t.Context(), k.model, vs) }
	nearest := func(r engram.Reader) int64 {
		found, err := r.Nearest(t.Context(), engram.VectorQuery{Model: k.model.Fingerprint, Vector: question, Limit: 1})
		if err != nil || len(found) != 1 {
			t.Fatalf("found %v, %v", found, err)
		}
		return found[0].Num
	}
	update(t, s, func(tx engram.Tx) error {
		return put(tx, engram.Vector{Num: 1, Values: far}, engram.Vector{Num: 2, Values: far})
	})
	undone := engram.Errorf(engram.CodeConflict, "given up")
	err := s.Update(t.Context(), func(tx engram.Tx) error {
		if err := put(tx, engram.Vector{Num: 1, Values: question}); err != nil {
			return err
		}
		if num := nearest(tx); num != 1 {
			t.Errorf("within the update: found memory %d, want 1", num)
		}
		return undone
	})
	if engram.CodeOf(err) != undone.Code {
		t.Fatalf("got %v, want %v", err, undone)
	}
	update(t, s, func(tx engram.Tx) error { return put(tx, engram.Vector{Num: 2, Values: question}) })
	view(t, s, func(r engram.Reader) error {
		if num := nearest(r); num != 2 {
			t.Errorf("after another update: found memory %d, want 2", num)
		}
		return nil
	})
}

func TestRowsAndCodes(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer s.Close()
	storetest.RunVectors(t, s, func(r engram.Reader) storetest.Vectors { return sqlite.Vectors(r) })
}

func TestMetadataIsCheckedOnEnoughMemories(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer s.Close()
	c, k := storetest.NewCorpus(4), newClusters(4, 64)
	fillVectors(t, s, c, k, 5000)
	question := k.vector()
	far := make([]float32, len(question))
	for i, x := range question {
		far[i] = -x
	}
	var num int64
	update(t, s, func(tx engram.Tx) error {
		m := c.Memory(now())
		m.Metadata = map[string]any{"ticket": "K-7"}
		if err := tx.InsertMemory(t.Context(), &m); err != nil {
			return err
		}
		num = m.Num
		return tx.PutVectors(t.Context(), k.model, []engram.Vector{{Num: num, Values: far}})
	})
	fillVectors(t, s, c, k, 100) // it gets a slot
	view(t, s, func(r engram.Reader) error {
		got, err := r.Nearest(t.Context(), engram.VectorQuery{Model: k.model.Fingerprint, Vector: question, Limit: 5,
			Filter: engram.Filter{Metadata: map[string]any{"ticket": "K-7"}}})
		if err != nil || len(got) != 1 || got[0].Num != num {
			t.Errorf("the farthest of all: got %v, %v, want memory %d", got, err, num)
		}
		return nil
	})
}

// TestAnErasedVectorIsInNoFile encodes the secret in a row, a sign code and a size code.
func TestAnErasedVectorIsInNoFile(t *testing.T) {
	spelled := strings.Repeat(secret, 4)
	inRow, inSigns, inSizes := make([]float32, 256), make([]float32, 256), make([]float32, 256)
	for i := range 256 {
		inRow[i] = float32(secret[i%len(secret)]) / 127
		bit := float32(spelled[i/8]>>(i%8)&1)*2 - 1
		inSigns[i], inSizes[i] = bit, 0.25+0.75*(bit+1)/2
	}
	inRow[0] = 1 // the greatest number is 127
	for _, tt := range []struct {
		name   string
		vector []float32
		leave  func(tx engram.Tx, m engram.Memory) error
	}{
		{"a row, erased", inRow, func(tx engram.Tx, m engram.Memory) error { return tx.EraseMemory(t.Context(), m.Num) }},
		{"signs, erased", inSigns, func(tx engram.Tx, m engram.Memory) error { return tx.EraseMemory(t.Context(), m.Num) }},
		{"sizes, erased", inSizes, func(tx engram.Tx, m engram.Memory) error { return tx.EraseMemory(t.Context(), m.Num) }},
		{"signs, replaced and erased", inSigns, func(tx engram.Tx, m engram.Memory) error {
			m.Content += " changed"
			if err := tx.ReplaceMemory(t.Context(), m); err != nil {
				return err
			}
			return tx.EraseMemory(t.Context(), m.Num)
		}},
		{"sizes, forgotten and erased", inSizes, func(tx engram.Tx, m engram.Memory) error {
			m.DeletedAt = now()
			if err := tx.ReplaceMemory(t.Context(), m); err != nil {
				return err
			}
			return tx.EraseMemory(t.Context(), m.Num)
		}},
	} {
		for _, more := range []int{0, 130, 530} { // unsealed, in a small segment, in a merged one
			t.Run(fmt.Sprintf("%s, %d saved after it", tt.name, more), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "engram.db")
				s := open(t, path)
				defer s.Close()
				c, k := storetest.NewCorpus(8), newClusters(8, 256)
				fillVectors(t, s, c, k, 10)
				m := c.Memory(now())
				update(t, s, func(tx engram.Tx) error {
					if err := tx.InsertMemory(t.Context(), &m); err != nil {
						return err
					}
					return tx.PutVectors(t.Context(), k.model, []engram.Vector{{Num: m.Num, Values: tt.vector}})
				})
				fillVectors(t, s, c, k, more)
				if (more > 0 || strings.HasPrefix(tt.name, "a row")) && grep(t, path) == "" {
					t.Fatal("the secret is in no file before the erase: the test looks for the wrong bytes")
				}
				update(t, s, func(tx engram.Tx) error { return tt.leave(tx, m) })
				if found := grep(t, path); found != "" {
					t.Errorf("while the store is open, the secret is in\n%s", found)
				}
				closed(t, s)
				if found := grep(t, path); found != "" {
					t.Errorf("after it was closed, the secret is in\n%s", found)
				}
				checkIntegrity(t, path)
			})
		}
	}
}
