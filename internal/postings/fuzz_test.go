package postings_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram/internal/postings"
)

// No reader may panic on any block, and rewriting a readable one must not change it.
func FuzzBlock(f *testing.F) {
	f.Add([]byte{}, "kettle")
	f.Add(block(f, 20)[0].Data, "word7")
	f.Add(append(block(f, 20)[0].Data, 0x80), "word")
	f.Fuzz(func(t *testing.T, b []byte, word string) {
		_, _, _ = postings.Find(b, word)
		_, _, _ = postings.Without(b, []string{word}, 3)
		_, _ = postings.Merge([][]byte{b, b}, nil, 100)
		_, _ = postings.ReadWords(b)
		w := postings.NewWriter(1 << 30)
		var lists []postings.List
		e := postings.NewEntries(b)
		var last []byte
		for n := 0; e.Next(); n++ {
			if n > 0 && bytes.Compare(e.Word(), last) <= 0 {
				return // no writer produces that
			}
			last = append(last[:0], e.Word()...)
			l, err := postings.ReadList(e.List())
			if err != nil {
				return
			}
			lists = append(lists, l)
			if _, err := l.Decode(nil); err != nil {
				return
			}
			if out := l.AppendWith(nil, nil); len(out) > len(e.List()) {
				t.Fatalf("%x was written as %x", e.List(), out)
			}
			w.Add(e.Word(), e.List())
		}
		if _, err := postings.Union(nil, lists, make([]uint32, postings.MaxSlots)); err != nil {
			t.Fatalf("lists that can be read cannot be joined: %v", err)
		}
		for _, again := range w.Blocks() {
			_, wantFound, _ := postings.Find(b, word)
			_, found, err := postings.Find(again.Data, word)
			if e.Err() == nil && (err != nil || found != wantFound) {
				t.Fatalf("%q is found: %v in the bytes, %v (%v) written anew", word, wantFound, found, err)
			}
		}
	})
}

// block writes words 0 to n-1, the i-th in i+1 documents.
func block(tb testing.TB, n int) []postings.Block {
	tb.Helper()
	w := postings.NewWriter(1 << 20)
	for i := range n {
		var ps []postings.Posting
		for slot := range i + 1 {
			ps = append(ps, postings.Posting{Slot: uint32(2 * slot), TF: uint32(1 + slot%3)})
		}
		w.Add(fmt.Appendf(nil, "word%05d", i), postings.AppendList(nil, ps))
	}
	return w.Blocks()
}

func BenchmarkFind(b *testing.B) {
	data := block(b, 60)[0].Data
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, found, err := postings.Find(data, "word00050"); !found || err != nil {
			b.Fatal(found, err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	var ps []postings.Posting
	for slot := range 4096 {
		ps = append(ps, postings.Posting{Slot: uint32(slot), TF: uint32(1 + slot/7%2)})
	}
	l, err := postings.ReadList(postings.AppendList(nil, ps))
	if err != nil {
		b.Fatal(err)
	}
	into := make([]postings.Posting, 0, 4096)
	for b.Loop() {
		if _, err := l.Decode(into); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/posting")
}
