package sqlite

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/index/vectors"
)

// A vector search reads the codes of the segments in scope, and then the rows of a few memories by key;
// it reads no memories.
func TestVectorsAreReadByTheirKeys(t *testing.T) {
	s := planStore(t)
	space := engram.Model{Name: "space", Fingerprint: "space", Dimensions: 64}
	v := make([]float32, 64)
	v[3] = 1
	err := s.Update(t.Context(), func(tx engram.Tx) error {
		vs := make([]engram.Vector, 199) // one has no vector
		for i := range vs {
			vs[i] = engram.Vector{Num: int64(i + 1), Values: v}
		}
		return tx.PutVectors(t.Context(), space, vs)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		run  func(*tx) error
		want []string // the steps that use tables of vectors or memories
	}{
		{"nearest", func(t0 *tx) error {
			t0.index.Cache, t0.vectors.Cache = new(lexicon.Cache), new(vectors.Cache) // as a new process
			_, err := t0.Nearest(t.Context(), engram.VectorQuery{Model: "space", Vector: v, Filter: engram.Filter{Project: "app"}, Limit: 5, Vectors: map[int64][]float32{}, Also: []int64{7}})
			return err
		}, []string{"SEARCH models USING INDEX sqlite_autoindex_models_1 (fingerprint=?)", "SEARCH vector_codes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
			"SEARCH coded USING PRIMARY KEY (model=?)", "SEARCH v USING INTEGER PRIMARY KEY (rowid=?)"}},
		{"vectors", func(t0 *tx) error { _, err := t0.Vectors(t.Context(), "space", []int64{1, 2}); return err },
			[]string{"SEARCH models USING INDEX sqlite_autoindex_models_1 (fingerprint=?)", "SEARCH v USING INTEGER PRIMARY KEY (rowid=?)"}},
		{"what lacks a vector", func(t0 *tx) error {
			t0.index.Cache, t0.vectors.Cache = new(lexicon.Cache), new(vectors.Cache)
			_, err := t0.List(t.Context(), engram.Filter{Unembedded: "space"}, engram.Page{Order: engram.OrderNumber, Limit: 5})
			return err
		},
			[]string{"SEARCH models USING INDEX sqlite_autoindex_models_1 (fingerprint=?)", "SEARCH models USING INTEGER PRIMARY KEY (rowid=?)",
				"SEARCH coded USING PRIMARY KEY (model=?)", "SEARCH vector_codes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
				"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH v USING INTEGER PRIMARY KEY (rowid=?)"}},
		{"what lacks a vector of a new model", func(t0 *tx) error {
			_, err := t0.List(t.Context(), engram.Filter{Unembedded: "new"}, engram.Page{Order: engram.OrderNumber, Limit: 5, After: engram.Position{Num: 0}})
			return err
		},
			[]string{"SEARCH models USING INDEX sqlite_autoindex_models_1 (fingerprint=?)", "SEARCH m USING INTEGER PRIMARY KEY (rowid>?)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, step := range planned(t, s, tt.run) {
				for _, table := range []string{" models ", " m ", " memories ", " v ", " vectors ", " vector_codes ", " coded "} {
					if strings.Contains(step, table) {
						got = append(got, step)
					}
				}
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
		})
	}
}
