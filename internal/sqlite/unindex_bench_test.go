package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// BenchmarkForgetMany forgets many memories in one transaction, as pruning does; one memory per op.
func BenchmarkForgetMany(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("memories=%d", size), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "engram.db"))
			defer s.Close()
			fillStore(b, s, storetest.NewCorpus(1), size)
			next := int64(1)
			b.ReportAllocs()
			b.ResetTimer()
			before := cpu(b)
			err := s.Update(b.Context(), func(tx engram.Tx) error {
				for range b.N {
					next = (next + 7919) % int64(size)
					m, err := tx.Memory(b.Context(), engram.ByNum(1+next))
					if err != nil || m.Forgotten() {
						return err
					}
					m.DeletedAt = m.CreatedAt.Add(time.Hour)
					if err := tx.ReplaceMemory(b.Context(), m); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}
