package storetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
)

// Vectors is what a transaction keeps of vectors.
type Vectors interface {
	index.VectorRows
	index.CodeStore
}

// vectorKit reads and changes the Vectors of a store.
type vectorKit struct {
	*kit
	of func(engram.Reader) Vectors
}

// RunVectors tests the Vectors of an empty store; of returns those of a transaction.
func RunVectors(t *testing.T, s engram.Store, of func(engram.Reader) Vectors) {
	t.Helper()
	k := vectorKit{&kit{T: t, store: s}, of}
	model, other := k.models()
	k.rows(model, other)
	k.codes(model, other)
	k.changing("drop the model", func(v Vectors) error { return v.DropModel(t.Context(), model) })
	k.same("after a drop", k.print(model), "rows[] codes map[]")
	k.same("of the other model", k.print(other), "rows[1:other] codes map[6:[0:c]]")
	k.reading(func(v Vectors) {
		_, found, err := v.Model(t.Context(), firstModel.Fingerprint)
		k.same("the dropped model is known", found, false)
		k.no(err)
	})
}

func (k vectorKit) no(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

func (k vectorKit) reading(fn func(Vectors)) {
	k.Helper()
	k.view(func(r engram.Reader) error {
		fn(k.of(r))
		return nil
	})
}

func (k vectorKit) changing(what string, fn func(Vectors) error) {
	k.Helper()
	k.update(func(tx engram.Tx) error {
		if err := fn(k.of(tx)); err != nil {
			k.Errorf("%s: %v", what, err)
		}
		return nil
	})
}

var firstModel, secondModel = engram.Model{Name: "a", Fingerprint: "first", Dimensions: 64}, engram.Model{Name: "b", Fingerprint: "second", Dimensions: 8}

func (k vectorKit) models() (model, other int64) {
	k.Helper()
	k.changing("add models", func(v Vectors) error {
		for _, m := range []engram.Model{firstModel, secondModel} {
			added, err := v.AddModel(k.Context(), m)
			k.no(err)
			known, found, err := v.Model(k.Context(), m.Fingerprint)
			k.no(err)
			k.same("the added model", fmt.Sprint(known, found), fmt.Sprint(added, true))
			k.same("its dimensions", known.Dimensions, m.Dimensions)
			model, other = other, added.Num
		}
		return nil
	})
	k.reading(func(v Vectors) {
		all, err := v.Models(k.Context())
		k.no(err)
		k.same("models", len(all), 2)
		_, found, err := v.Model(k.Context(), "third")
		k.no(err)
		k.same("an unknown model", found, false)
	})
	return model, other
}

// rows puts vectors of four memories, of which the last is forgotten.
func (k vectorKit) rows(model, other int64) {
	k.Helper()
	ms := k.saveMany(4, func(i int, m *engram.Memory) {
		if i == 1 {
			in("web")(m)
		}
	})
	k.replace(ms[3], func(m *engram.Memory) { m.DeletedAt = at(9) })
	put := func(model int64, first bool, wantAdded int64, want []int64, rows ...index.VectorRow) {
		k.Helper()
		k.changing("put rows", func(v Vectors) error {
			for i := range rows {
				rows[i].First = first
			}
			got, added, err := v.PutRows(k.Context(), model, rows)
			k.no(err)
			slices.Sort(got)
			k.same("put", got, want)
			k.same("added", added, wantAdded)
			return v.Count(k.Context(), model, added)
		})
	}
	row := func(memory int64, row string) index.VectorRow {
		return index.VectorRow{Memory: memory, Row: []byte(row)}
	}
	put(model, false, 2, []int64{1, 2}, row(2, "two"), row(1, "one"), row(4, "forgotten"), row(99, "missing"))
	put(model, false, 0, []int64{1}, row(1, "again"))
	put(model, true, 1, []int64{3}, row(3, "three"))
	put(other, false, 1, []int64{1}, row(1, "other"))
	k.same("all", k.print(model), "rows[1:again 2:two 3:three] codes map[]")
	k.reading(func(v Vectors) {
		lacking, err := v.Lacking(k.Context(), other)
		k.no(err)
		k.same("lacking", lacking, 2)
		of, err := v.Coverage(k.Context())
		k.no(err)
		k.same("coverage", of, []engram.ModelCoverage{{Model: firstModel, Memories: 3}, {Model: secondModel, Memories: 1}})
		var some []string
		k.no(v.Rows(k.Context(), model, []int64{3, 99, 1}, func(num int64, row []byte) error {
			some = append(some, fmt.Sprintf("%d:%s", num, row))
			return nil
		}))
		slices.Sort(some)
		k.same("some", some, []string{"1:again", "3:three"})
		for _, ask := range []struct {
			project int64
			most    int
			want    string
		}{{-1, 2, "[three two]"}, {-1, 9, "[three two again]"}, {1, 9, "[three again]"}, {2, 9, "[two]"}, {7, 9, "[]"}} {
			var got []string
			k.no(v.NewestRows(k.Context(), model, ask.project, ask.most, func(row []byte) error {
				got = append(got, string(row))
				return nil
			}))
			k.same("newest", fmt.Sprint(got), ask.want)
		}
	})
}

// codes puts pages of codes into two segments.
func (k vectorKit) codes(model, other int64) {
	k.Helper()
	changes := func() (all []int64) {
		k.reading(func(v Vectors) {
			for _, fingerprint := range []string{firstModel.Fingerprint, secondModel.Fingerprint} {
				m, _, err := v.Model(k.Context(), fingerprint)
				k.no(err)
				all = append(all, m.Changes)
			}
		})
		return all
	}
	put := func(model, segment int64, page int, code string) {
		k.Helper()
		before := changes()
		k.changing("put codes", func(v Vectors) error {
			k.no(v.PutCodes(k.Context(), model, index.Place{Segment: segment, N: page}, []byte(code), []byte(code+"'")))
			return v.Recoded(k.Context(), model, segment)
		})
		now := changes()
		k.same("changes are others", fmt.Sprint(now[0] != before[0], now[1] != before[1]), fmt.Sprint(model != other, model == other))
	}
	put(model, 5, 2, "b")
	put(model, 5, 0, "a")
	put(other, 6, 0, "c")
	put(model, 6, 1, "d")
	put(model, 6, 1, "e")
	k.same("codes", k.print(model), "rows[1:again 2:two 3:three] codes map[5:[0:a 2:b] 6:[1:e]]")
	k.reading(func(v Vectors) {
		var some []string
		k.no(v.CodesAt(k.Context(), model, 5, []int{7, 2}, func(page int, signs, sizes []byte) error {
			some = append(some, fmt.Sprintf("%d:%s %s", page, signs, sizes))
			return nil
		}))
		k.same("a page", some, []string{"2:b b'"})
	})
	before := changes()
	k.changing("drop codes", func(v Vectors) error { return v.DropCodes(k.Context(), 5) })
	k.same("codes after a drop", k.print(model), "rows[1:again 2:two 3:three] codes map[6:[1:e]]")
	k.same("a drop changes models", changes()[0] != before[0], true)
	put(other, 6, 0, "c")
}

// print prints the vectors and codes of a model.
func (k vectorKit) print(model int64) (all string) {
	k.Helper()
	k.reading(func(v Vectors) {
		var rows []string
		k.no(v.AllRows(k.Context(), model, func(num int64, row []byte) error {
			rows = append(rows, fmt.Sprintf("%d:%s", num, row))
			return nil
		}))
		coded, err := v.Coded(k.Context(), model)
		k.no(err)
		pages := map[int64][]string{}
		k.no(v.Codes(k.Context(), model, slices.Sorted(maps.Keys(coded)), func(at index.Place, signs, _ []byte) error {
			pages[at.Segment] = append(pages[at.Segment], fmt.Sprintf("%d:%s", at.N, signs))
			return nil
		}))
		all = fmt.Sprintf("rows%v codes %v", rows, pages)
	})
	return all
}
