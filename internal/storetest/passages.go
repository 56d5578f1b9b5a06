package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// several returns the vector of a text whose passages have the given cosines with toward(1), and those of the passages.
func several(whole float64, passages ...float64) []float32 {
	vs := toward(whole)
	for _, near := range passages {
		vs = append(vs, toward(near)...)
	}
	return vs
}

// passageCases test memories with a vector for each of several passages.
func passageCases() []testCase {
	return []testCase{
		{"a text is as near as the nearest of its passages", func(k *kit) {
			long, short, whole := k.save(), k.placed(0.7), k.save()
			k.put(long, several(0.2, 0.1, 0.9, -0.3))
			k.put(whole, several(0.8, 0.1, 0.4))
			got := map[int64][]float32{}
			found := k.near(func(q *engram.VectorQuery) { q.Vectors = got })
			k.same("found", numsOf(found), []int64{long.Num, whole.Num, short.Num})
			for i, near := range []float64{0.9, 0.8, 0.7} {
				if math.Abs(found[i].Score-near) > 0.01 {
					k.Errorf("score of %d: got %v, want %v", found[i].Num, found[i].Score, near)
				}
				if v := got[found[i].Num]; len(v) != space(1).Dimensions || math.Abs(cosine(v, toward(near))-1) > 0.01 {
					k.Errorf("vector of %d: not that of its nearest passage, %v", found[i].Num, v)
				}
			}
		}},
		{"the vectors of passages are read back, and are not among the newest", func(k *kit) {
			short, long := k.placed(0.7), k.save()
			written := several(0.2, 0.1, 0.9)
			k.put(long, written)
			read := read2(k, engram.Reader.Vectors, space(1).Fingerprint, []int64{short.Num, long.Num})
			k.same("numbers", fmt.Sprint(len(read[short.Num]), len(read[long.Num])), fmt.Sprint(len(written)/3, len(written)))
			for i, x := range read[long.Num] {
				if math.Abs(float64(x-written[i])) > 0.01 {
					k.Fatalf("number %d: got %v, want %v", i, x, written[i])
				}
			}
			newest := k.newestVectors("app", 10)
			k.same("the newest", len(newest), 2)
			if c := cosine(newest[0], toward(0.2)); len(newest[0]) != space(1).Dimensions || math.Abs(c-1) > 0.01 {
				k.Errorf("the newest vector is not that of the whole text: %v", newest[0])
			}
			k.put(long, toward(0.3))
			k.same("after it became short", len(read2(k, engram.Reader.Vectors, space(1).Fingerprint, []int64{long.Num})[long.Num]), space(1).Dimensions)
			k.same("without a vector", k.unembedded(0, 10), []int64{})
		}},
		{"parts of a vector, and more passages than there can be, are rejected", func(k *kit) {
			m := k.save()
			for _, n := range []int{0, 1, 63, 65, 127, 34 * 64} {
				err := k.store.Update(k.Context(), func(tx engram.Tx) error {
					return tx.PutVectors(k.Context(), space(1), []engram.Vector{{Num: m.Num, Values: make([]float32, n)}})
				})
				k.same(fmt.Sprintf("%d numbers", n), engram.CodeOf(err), engram.CodeInvalid)
			}
			k.put(m, make([]float32, 33*64))
			k.same("found", numsOf(k.near()), []int64{})
		}},
		{"among many long texts, the one with the passage that is asked for is found", func(k *kit) {
			rnd := rand.New(rand.NewPCG(3, 4))
			m := space(4)
			many := k.many(1500, m, func() []float32 { // a mean and its four windows
				whole, passages := make([]float32, m.Dimensions), []float32(nil)
				for range 4 {
					v := anywhere(rnd, m.Dimensions)
					for i, x := range v {
						whole[i] += x / 2
					}
					passages = append(passages, v...)
				}
				return append(whole, passages...)
			})
			first := 0
			for range 50 {
				at := rnd.IntN(len(many))
				passage := many[at].Values[m.Dimensions*(1+rnd.IntN(4)):][:m.Dimensions]
				question, noise := slices.Clone(passage), anywhere(rnd, m.Dimensions)
				for i := range question {
					question[i] += 1.2 * noise[i] // a cosine of about .64
				}
				found := read1(k, engram.Reader.Nearest, engram.VectorQuery{Model: m.Fingerprint, Vector: question, Limit: 10})
				if len(found) > 0 && found[0].Num == many[at].Num {
					first++
				}
			}
			if first < 48 {
				k.Errorf("%d of 50 are first, want at least 48", first)
			}
		}},
	}
}

// many saves memories, with a vector each.
func (k *kit) many(n int, m engram.Model, values func() []float32) []engram.Vector {
	k.Helper()
	all := make([]engram.Vector, n)
	k.update(func(tx engram.Tx) error {
		if err := k.ensure(tx, "app", "s-app"); err != nil {
			return err
		}
		for i := range all {
			d := k.draft()
			if err := tx.InsertMemory(k.Context(), &d); err != nil {
				return err
			}
			all[i] = engram.Vector{Num: d.Num, Values: values()}
		}
		return tx.PutVectors(k.Context(), m, all)
	})
	return all
}
