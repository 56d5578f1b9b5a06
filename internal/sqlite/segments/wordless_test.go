package segments_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

// A segment may have no words at all: of memories that were saved without any, or that alone remain in it.
func TestASegmentMayHaveNoWords(t *testing.T) {
	for name, batch := range map[string]int{"one by one": 1, "at once": 70} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, *seed)
			run := func(fn func(engram.Tx) error) {
				t.Helper()
				if err := w.Attempt(t.Context(), fn); err != nil {
					t.Fatal(err)
				}
				w.Examine()
			}
			save := func(content ...string) {
				t.Helper()
				for n := 0; n < 70; n += batch {
					run(func(tx engram.Tx) (err error) {
						for i := range batch {
							m := w.Memory()
							m.DeletedAt, m.Tags, m.Title, m.Content = time.Time{}, nil, "🎉", content[(n+i)%len(content)]
							err = errors.Join(err, w.Save(tx, m))
						}
						return err
					})
				}
			}
			save("🎉")
			w.Ask(2)
			save("🎉", "kettle")
			speaking := slices.DeleteFunc(slices.Sorted(maps.Keys(w.All)), func(num int64) bool { return w.All[num].Content == "🎉" })
			for some := range slices.Chunk(speaking, batch) {
				run(func(tx engram.Tx) (err error) {
					for _, num := range some {
						m := w.All[num]
						forget(&m)
						err = errors.Join(err, w.Replace(tx, m))
					}
					return err
				})
			}
			run(func(tx engram.Tx) error { return w.Insert(tx, 80) })
			w.Ask(5)
		})
	}
}

// A memory that alone has the words of whole blocks leaves gaps among the blocks when it is forgotten.
func TestABlockMayLoseAllItsWords(t *testing.T) {
	w := newWorld(t, *seed)
	m := w.Memory()
	m.DeletedAt, m.Content = time.Time{}, ""
	for n := range 3000 {
		m.Content += fmt.Sprintf(" mm%05d", n)
	}
	for _, fn := range []func(engram.Tx) error{
		func(tx engram.Tx) error { return errors.Join(w.Save(tx, m), w.Insert(tx, 80)) },
		func(tx engram.Tx) error {
			for num := range w.All {
				if m = w.All[num]; len(m.Content) > 9000 {
					break
				}
			}
			forget(&m)
			return w.Replace(tx, m)
		},
	} {
		if err := w.Attempt(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
		w.Ask(30)
		w.Examine()
	}
}
