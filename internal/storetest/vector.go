package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// space returns the n-th model of the tests; they differ in name and dimensions.
func space(n int) engram.Model {
	return engram.Model{Name: fmt.Sprintf("space-%d", n), Fingerprint: fmt.Sprintf("space-%d-x", n), Dimensions: 64 * n}
}

// toward returns a vector of length 1 in space 1 whose cosine with toward(1) is near.
func toward(near float64) []float32 {
	v := make([]float32, space(1).Dimensions)
	v[0], v[1] = float32(near), float32(math.Sqrt(1-near*near))
	return v
}

// anywhere draws a vector of length 1 in a random direction.
func anywhere(rnd *rand.Rand, dimensions int) []float32 {
	v := make([]float32, dimensions)
	var sum float64
	for i := range v {
		v[i] = float32(rnd.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// put sets a memory's vector in space 1.
func (k *kit) put(m engram.Memory, v []float32) {
	k.Helper()
	k.putAll(space(1), []engram.Vector{{Num: m.Num, Values: v}})
}

// putAll sets the vectors of several memories in the space of m.
func (k *kit) putAll(m engram.Model, vs []engram.Vector) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return tx.PutVectors(k.Context(), m, vs) })
}

// placed saves a draft with a vector that has this cosine with toward(1).
func (k *kit) placed(near float64, change ...func(*engram.Memory)) engram.Memory {
	k.Helper()
	m := k.save(change...)
	k.put(m, toward(near))
	return m
}

// near returns the memories nearest to toward(1).
func (k *kit) near(change ...func(*engram.VectorQuery)) (found []engram.Ranked) {
	k.Helper()
	q := engram.VectorQuery{Model: space(1).Fingerprint, Vector: toward(1), Limit: 50}
	for _, c := range change {
		c(&q)
	}
	found = read1(k, engram.Reader.Nearest, q)
	return found
}

// unembedded returns the numbers of the memories without a vector in space 1.
func (k *kit) unembedded(after int64, limit int) []int64 {
	k.Helper()
	return nums(read2(k, engram.Reader.List, engram.Filter{Unembedded: space(1).Fingerprint},
		engram.Page{Order: engram.OrderNumber, Limit: limit, After: engram.Position{Num: after}}))
}

func vectorCases() []testCase {
	return slices.Concat(nearestCases(), passageCases(), vectorFilterCases(), vectorChangeCases(), vectorInputCases())
}

func nearestCases() []testCase {
	return []testCase{
		{"the nearest come first, with their cosines", func(k *kit) {
			var want []int64
			for _, near := range []float64{0.9, 0.5, 0, -0.4} {
				want = append(want, k.placed(near).Num)
			}
			found := k.near()
			k.same("found", numsOf(found), want)
			for i, near := range []float64{0.9, 0.5, 0, -0.4} {
				if math.Abs(found[i].Score-near) > 0.01 {
					k.Errorf("score of %d: got %v, want %v", found[i].Num, found[i].Score, near)
				}
			}
		}},
		{"the limit keeps the nearest", func(k *kit) {
			best := k.placed(0.9)
			k.placed(0.5)
			k.same("found", numsOf(k.near(func(q *engram.VectorQuery) { q.Limit = 1 })), []int64{best.Num})
		}},
		{"the length of the query vector does not matter", func(k *kit) {
			m := k.placed(0.5)
			found := k.near(func(q *engram.VectorQuery) { q.Vector[0] = 1000 })
			k.same("found", numsOf(found), []int64{m.Num})
			if math.Abs(found[0].Score-0.5) > 0.01 {
				k.Errorf("score: got %v, want 0.5", found[0].Score)
			}
		}},
		{"zero vectors are near to nothing", func(k *kit) {
			m := k.placed(0.5)
			void := k.save()
			k.put(void, make([]float32, space(1).Dimensions))
			k.same("found", numsOf(k.near()), []int64{m.Num})
			k.same("found by a zero vector", numsOf(k.near(func(q *engram.VectorQuery) { q.Vector = make([]float32, len(q.Vector)) })), []int64{})
			k.same("without a vector", k.unembedded(0, 10), []int64{})
		}},
		{"memories without a vector are not found", func(k *kit) {
			m := k.placed(0.5)
			k.save()
			k.same("found", numsOf(k.near()), []int64{m.Num})
		}},
		{"Vectors gets those of the found memories and of Also, whatever the filter", func(k *kit) {
			best := k.placed(0.9)
			k.placed(0.7)
			elsewhere, low, without := k.placed(0.2, in("other")), k.placed(0.1), k.save()
			got := map[int64][]float32{}
			found := k.near(func(q *engram.VectorQuery) {
				q.Limit, q.Filter.Project, q.Vectors, q.Also = 1, "app", got, []int64{low.Num, elsewhere.Num, best.Num, low.Num, without.Num, 999}
			})
			k.same("found", numsOf(found), []int64{best.Num})
			k.same("vectors", got, read2(k, engram.Reader.Vectors, space(1).Fingerprint, []int64{best.Num, elsewhere.Num, low.Num}))
		}},
		{"among many, nearly all of the nearest are found", func(k *kit) {
			rnd := rand.New(rand.NewPCG(1, 2))
			m := space(4)
			many := k.many(1500, m, func() []float32 { return anywhere(rnd, m.Dimensions) })
			hits := 0
			for range 20 {
				question := anywhere(rnd, m.Dimensions)
				want := slices.Clone(many)
				slices.SortFunc(want, func(a, b engram.Vector) int {
					return cmp.Compare(cosine(question, b.Values), cosine(question, a.Values))
				})
				found := read1(k, engram.Reader.Nearest, engram.VectorQuery{Model: m.Fingerprint, Vector: question, Limit: 10})
				for _, w := range want[:10] {
					if slices.Contains(numsOf(found), w.Num) {
						hits++
					}
				}
			}
			if hits < 190 {
				k.Errorf("found %d of the 200 nearest, want at least 190", hits)
			}
		}},
	}
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func vectorFilterCases() []testCase {
	return []testCase{
		{"filters act before the ranking", func(k *kit) {
			for _, tt := range []struct {
				name   string
				change func(*engram.Memory)
				filter engram.Filter
			}{
				{"project", in("other"), engram.Filter{Project: "other"}},
				{"type", typed(engram.TypeBugfix), engram.Filter{Types: []engram.Type{engram.TypeBugfix, engram.TypeFact}}},
				{"scope", scoped(engram.ScopePersonal), engram.Filter{Scope: engram.ScopePersonal}},
				{"beyond", scoped(engram.ScopeGlobal), engram.Filter{Beyond: true}},
				{"tags", func(m *engram.Memory) { m.Tags = []string{"x", "y"} }, engram.Filter{Tags: []string{"y", "x"}}},
				{"session", within("s-2"), engram.Filter{SessionID: "s-2"}},
				{"since", func(m *engram.Memory) { m.CreatedAt = at(500) }, engram.Filter{Since: at(500)}},
				{"until", func(m *engram.Memory) { m.CreatedAt = at(-500) }, engram.Filter{Until: at(-499)}},
				{"metadata", func(m *engram.Memory) { m.Metadata = map[string]any{"a": "b"} }, engram.Filter{Metadata: map[string]any{"a": "b"}}},
			} {
				var nearer []int64
				for range 5 {
					nearer = append(nearer, k.placed(0.9).Num)
				}
				m := k.placed(0.1, tt.change)
				k.same(tt.name, numsOf(k.near(func(q *engram.VectorQuery) { q.Limit, q.Filter = 3, tt.filter })), []int64{m.Num})
				k.erase(m)
				k.same(tt.name+", none left", numsOf(k.near(func(q *engram.VectorQuery) { q.Filter = tt.filter })), []int64{})
				each(k, engram.Tx.EraseMemory, nearer...)
			}
		}},
		{"an unknown project has no vectors", func(k *kit) {
			k.placed(0.9)
			k.same("found", numsOf(k.near(func(q *engram.VectorQuery) { q.Filter.Project = "nowhere" })), []int64{})
		}},
		{"filters use the current fields of a memory", func(k *kit) {
			m := k.placed(0.9)
			m = k.replace(m, func(m *engram.Memory) { m.Type, m.Tags = engram.TypeBugfix, []string{"new"} })
			k.same("by the new type and tag", numsOf(k.near(func(q *engram.VectorQuery) {
				q.Filter = engram.Filter{Types: []engram.Type{engram.TypeBugfix}, Tags: []string{"new"}}
			})), []int64{m.Num})
			k.same("by the old type", numsOf(k.near(func(q *engram.VectorQuery) { q.Filter.Types = []engram.Type{engram.TypeManual} })), []int64{})
		}},
		{"a project that moved is found under its new name", func(k *kit) {
			m := k.placed(0.9)
			k.projects("new")
			k.move("app", "new")
			k.same("under the new name", numsOf(k.near(func(q *engram.VectorQuery) { q.Filter.Project = "new" })), []int64{m.Num})
			k.same("under the old name", numsOf(k.near(func(q *engram.VectorQuery) { q.Filter.Project = "app" })), []int64{})
		}},
	}
}

func vectorChangeCases() []testCase {
	return []testCase{
		{"a vector is read back as written", func(k *kit) {
			m := k.placed(0.6)
			vs := read2(k, engram.Reader.Vectors, space(1).Fingerprint, []int64{m.Num, 999})
			k.same("how many", len(vs), 1)
			if c := cosine(vs[m.Num], toward(0.6)); math.Abs(c-1) > 0.01 {
				k.Errorf("cosine with what was written: got %v, want 1", c)
			}
		}},
		{"a vector can be replaced", func(k *kit) {
			a, b := k.placed(0.9), k.placed(0.5)
			k.put(a, toward(0.1))
			k.same("found", numsOf(k.near()), []int64{b.Num, a.Num})
		}},
		{"changed texts drop the vector, other changes do not", func(k *kit) {
			a, b, c := k.placed(0.9), k.placed(0.8), k.placed(0.7)
			k.replace(a, func(m *engram.Memory) { m.Content = "other words" })
			k.replace(b, func(m *engram.Memory) { m.Title = "another title" })
			k.replace(c, func(m *engram.Memory) { m.DuplicateCount, m.UpdatedAt = 2, at(99) })
			k.same("found", numsOf(k.near()), []int64{c.Num})
			k.same("without a vector", k.unembedded(0, 10), []int64{a.Num, b.Num})
			k.put(a, toward(0.4))
			k.same("found again", numsOf(k.near()), []int64{c.Num, a.Num})
		}},
		{"a forgotten memory is not found, and has no vector when it is restored", func(k *kit) {
			m, other := k.placed(0.9), k.placed(0.5)
			m = k.forget(m, 50)
			k.same("found", numsOf(k.near()), []int64{other.Num})
			k.same("forgotten ones", numsOf(k.near(func(q *engram.VectorQuery) { q.Filter.Forgotten = true })), []int64{})
			k.same("without a vector", k.unembedded(0, 10), []int64{})
			k.put(m, toward(1))
			k.same("a vector of a forgotten memory is ignored", numsOf(k.near()), []int64{other.Num})
			m = k.replace(m, func(m *engram.Memory) { m.DeletedAt = time.Time{} })
			k.same("restored", k.unembedded(0, 10), []int64{m.Num})
			k.same("found when restored", numsOf(k.near()), []int64{other.Num})
		}},
		{"an erased memory has no vector", func(k *kit) {
			m, other := k.placed(0.9), k.placed(0.5)
			k.erase(m)
			k.same("found", numsOf(k.near()), []int64{other.Num})
			k.same("vectors", len(read2(k, engram.Reader.Vectors, space(1).Fingerprint, []int64{m.Num})), 0)
		}},
		{"memories without a vector are listed page by page", func(k *kit) {
			var want []int64
			for range 2 {
				k.placed(0.5)
				want = append(want, k.save().Num, k.save().Num)
			}
			k.placed(0.5)
			k.same("the first two", k.unembedded(0, 2), want[:2])
			k.same("the rest", k.unembedded(want[1], 10), want[2:])
			k.same("after the last", k.unembedded(want[3], 10), []int64{})
		}},
		{"models report how many memories they cover", func(k *kit) {
			a, b := k.placed(0.9), k.save()
			k.putAll(space(2), []engram.Vector{{Num: a.Num, Values: make([]float32, 128)}, {Num: b.Num, Values: make([]float32, 128)}})
			k.same("models", k.models(), "space-2/space-2-x/128: 2, space-1/space-1-x/64: 1")
			k.forget(b, 50)
			k.replace(a, func(m *engram.Memory) { m.Content = "other words" })
			k.same("models without memories", k.models(), "")
		}},
		{"vectors of one model are not those of another", func(k *kit) {
			a := k.placed(0.9)
			k.putAll(space(2), []engram.Vector{{Num: a.Num, Values: anywhere(rand.New(rand.NewPCG(1, 1)), 128)}})
			k.same("found in the first", numsOf(k.near()), []int64{a.Num})
			k.same("found in the second", len(k.near(func(q *engram.VectorQuery) {
				q.Model, q.Vector = space(2).Fingerprint, anywhere(rand.New(rand.NewPCG(2, 2)), 128)
			})), 1)
			k.same("found in one that is not known", len(k.near(func(q *engram.VectorQuery) { q.Model = "nobody" })), 0)
		}},
		{"dropping a model keeps the others", func(k *kit) {
			a := k.placed(0.9)
			k.putAll(space(2), []engram.Vector{{Num: a.Num, Values: make([]float32, 128)}})
			each(k, engram.Tx.DropModel, space(1).Fingerprint)
			each(k, engram.Tx.DropModel, "nobody")
			k.same("models", k.models(), "space-2/space-2-x/128: 1")
			k.same("found", len(k.near()), 0)
			k.same("without a vector", k.unembedded(0, 10), []int64{a.Num})
			k.put(a, toward(0.3))
			k.same("found when it came back", numsOf(k.near()), []int64{a.Num})
		}},
		{"a failed update leaves the vectors unchanged", func(k *kit) {
			a, b := k.placed(0.9), k.placed(0.5)
			k.refused("update", engram.CodeConflict, func(tx engram.Tx) error {
				err := tx.PutVectors(k.Context(), space(1), []engram.Vector{{Num: a.Num, Values: toward(0.1)}})
				found, err2 := tx.Nearest(k.Context(), engram.VectorQuery{Model: space(1).Fingerprint, Vector: toward(1), Limit: 5})
				k.same("within the update", numsOf(found), []int64{b.Num, a.Num})
				return cmp.Or[error](err, err2, engram.Errorf(engram.CodeConflict, "given up"))
			})
			k.same("afterwards", numsOf(k.near()), []int64{a.Num, b.Num})
		}},
		{"many search while one writes", func(k *kit) {
			var ms []engram.Memory
			for range 100 { // enough that some leave the unsealed part of an index
				ms = append(ms, k.placed(0.5))
			}
			var readers sync.WaitGroup
			ctx, stop := context.WithCancel(k.Context())
			defer stop()
			for range 3 {
				readers.Go(func() {
					var err error
					for ctx.Err() == nil && err == nil {
						// Each round moves two vectors at once: readers must see both moves or none.
						err = k.store.View(k.Context(), func(r engram.Reader) error {
							found, err := r.Nearest(k.Context(), engram.VectorQuery{Model: space(1).Fingerprint, Vector: toward(1), Limit: 3})
							if err == nil && (len(found) != 3 || math.Abs(found[0].Score-found[1].Score) > 1e-6 || found[2].Score > 0.51) {
								k.Errorf("got %v, want two that are equally near, and others at 0.5", found)
							}
							return err
						})
					}
					if err != nil {
						k.Errorf("while one writes: %v", err)
					}
				})
			}
			for i := range 30 {
				near := toward(0.6 + float64(i)/100)
				vs := []engram.Vector{{Num: ms[3*i].Num, Values: near}, {Num: ms[3*i+1].Num, Values: near}}
				if i > 0 {
					vs = append(vs, engram.Vector{Num: ms[3*i-3].Num, Values: toward(0.5)}, engram.Vector{Num: ms[3*i-2].Num, Values: toward(0.5)})
				}
				k.putAll(space(1), vs)
			}
			stop()
			readers.Wait()
		}},
		{"a snapshot does not see later vectors", func(k *kit) {
			a := k.placed(0.5)
			k.view(func(r engram.Reader) error {
				ask := func() []int64 {
					found, err := r.Nearest(k.Context(), engram.VectorQuery{Model: space(1).Fingerprint, Vector: toward(1), Limit: 5})
					if err != nil {
						k.Error(err)
					}
					return numsOf(found)
				}
				k.same("before", ask(), []int64{a.Num})
				b := k.placed(0.9)
				k.same("the next reader", numsOf(k.near()), []int64{b.Num, a.Num})
				k.same("after", ask(), []int64{a.Num})
				return nil
			})
		}},
	}
}

// models formats what Models returns.
func (k *kit) models() string {
	k.Helper()
	return strings.Join(every(read0(k, engram.Reader.Models), func(u engram.ModelCoverage) string {
		return fmt.Sprintf("%s/%s/%d: %d", u.Model.Name, u.Model.Fingerprint, u.Model.Dimensions, u.Memories)
	}), ", ")
}

func vectorInputCases() []testCase {
	bad := map[string]func(v []float32) []float32{
		"too short":    func(v []float32) []float32 { return v[1:] },
		"too long":     func(v []float32) []float32 { return append(v, 0) },
		"empty":        func([]float32) []float32 { return nil },
		"not a number": func(v []float32) []float32 { v[7] = float32(math.NaN()); return v },
		"infinite":     func(v []float32) []float32 { v[63] = float32(math.Inf(-1)); return v },
	}
	return []testCase{
		{"an invalid vector is rejected, with the others of its call", func(k *kit) {
			a, b := k.save(), k.save()
			for name, change := range bad {
				k.refused(name, engram.CodeInvalid, func(tx engram.Tx) error {
					return tx.PutVectors(k.Context(), space(1), []engram.Vector{{Num: a.Num, Values: toward(0.5)}, {Num: b.Num, Values: change(toward(0.5))}})
				})
			}
			k.same("found", len(k.near()), 0)
		}},
		{"an invalid query vector is rejected", func(k *kit) {
			k.placed(0.5)
			for name, change := range bad {
				k.refused(name, engram.CodeInvalid, func(tx engram.Tx) error {
					_, err := tx.Nearest(k.Context(), engram.VectorQuery{Model: space(1).Fingerprint, Vector: change(toward(1)), Limit: 5})
					return err
				})
			}
		}},
		{"a model does not change its dimensions", func(k *kit) {
			a := k.placed(0.5)
			m := space(1)
			m.Dimensions = 128
			k.refused("other dimensions", engram.CodeInvalid, func(tx engram.Tx) error {
				return tx.PutVectors(k.Context(), m, []engram.Vector{{Num: a.Num, Values: make([]float32, 128)}})
			})
		}},
		{"an unknown memory is skipped", func(k *kit) {
			a := k.save()
			k.putAll(space(1), []engram.Vector{{Num: 999, Values: toward(1)}, {Num: a.Num, Values: toward(0.5)}})
			k.same("found", numsOf(k.near()), []int64{a.Num})
			k.same("models", k.models(), "space-1/space-1-x/64: 1")
		}},
	}
}
