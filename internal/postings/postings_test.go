package postings_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/postings"
)

// drawPostings draws postings in ascending order, after slot after, at least one.
func drawPostings(after int) *rapid.Generator[[]postings.Posting] {
	return rapid.Custom(func(t *rapid.T) []postings.Posting {
		slot := after
		var ps []postings.Posting
		for range rapid.IntRange(1, 40).Draw(t, "postings") {
			slot += rapid.IntRange(1, 300).Draw(t, "gap")
			ps = append(ps, postings.Posting{Slot: uint32(slot), TF: uint32(rapid.OneOf(rapid.Just(1), rapid.IntRange(1, 70_000)).Draw(t, "tf"))})
		}
		return ps
	})
}

func list(t rapid.TB, b []byte) postings.List {
	t.Helper()
	l, err := postings.ReadList(b)
	if err != nil {
		t.Fatalf("ReadList(%x): %v", b, err)
	}
	return l
}

func decode(t rapid.TB, b []byte) []postings.Posting {
	t.Helper()
	ps, err := list(t, b).Decode(nil)
	if err != nil {
		t.Fatalf("Decode of %x: %v", b, err)
	}
	return ps
}

func TestAListIsReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := drawPostings(-1).Draw(t, "postings")
		b := postings.AppendList(nil, ps)
		if got := decode(t, b); !slices.Equal(got, ps) {
			t.Fatalf("%v became %x, and that %v", ps, b, got)
		}
		if n := list(t, b).Len(); n != len(ps) {
			t.Fatalf("%v: got length %d, want %d", ps, n, len(ps))
		}
	})
}

func TestAppendingIsLikeWritingAllAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := drawPostings(-1).Draw(t, "first")
		more := drawPostings(int(first[len(first)-1].Slot)).Draw(t, "more")
		got := list(t, postings.AppendList(nil, first)).AppendWith(nil, more)
		if want := postings.AppendList(nil, slices.Concat(first, more)); !bytes.Equal(got, want) {
			t.Fatalf("%v and %v: got %x, want %x", first, more, got, want)
		}
	})
}

func TestASlotLeavesAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := drawPostings(-1).Draw(t, "postings")
		slot := rapid.OneOf(rapid.IntRange(0, 1000), rapid.Map(rapid.SampledFrom(ps), func(p postings.Posting) int { return int(p.Slot) })).Draw(t, "slot")
		want := slices.DeleteFunc(slices.Clone(ps), func(p postings.Posting) bool { return int(p.Slot) == slot })
		out, found, err := list(t, postings.AppendList(nil, ps)).AppendWithout(nil, slot)
		if err != nil || found != (len(want) < len(ps)) {
			t.Fatalf("%v without %d: found %v, %v", ps, slot, found, err)
		}
		if len(want) == 0 {
			if len(out) != 0 {
				t.Fatalf("%v without %d: got %x, want nothing", ps, slot, out)
			}
			return
		}
		if got := decode(t, out); !slices.Equal(got, want) {
			t.Fatalf("%v without %d: got %v, want %v", ps, slot, got, want)
		}
	})
}

func TestUnionAddsUpFrequenciesAndEitherTakesTheGreatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		either := rapid.Bool().Draw(t, "either")
		unite := postings.Union
		if either {
			unite = postings.Either
		}
		sum := map[uint32]uint32{}
		var lists []postings.List
		for range rapid.IntRange(0, 4).Draw(t, "lists") {
			ps := drawPostings(-1).Draw(t, "postings")
			for _, p := range ps {
				if either {
					sum[p.Slot] = max(sum[p.Slot], p.TF)
				} else {
					sum[p.Slot] += p.TF
				}
			}
			lists = append(lists, list(t, postings.AppendList(nil, ps)))
		}
		room := make([]uint32, 40*300)
		got, err := unite(nil, lists, room)
		if err != nil {
			t.Fatal(err)
		}
		var want []postings.Posting
		for _, slot := range slices.Sorted(maps.Keys(sum)) {
			want = append(want, postings.Posting{Slot: slot, TF: sum[slot]})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if slices.ContainsFunc(room, func(n uint32) bool { return n != 0 }) {
			t.Fatal("the room is not empty afterwards")
		}
	})
}

// model is a segment as a map: word, slot, frequency.
type model map[string]map[uint32]uint32

func (m model) put(word string, p postings.Posting) {
	if m[word] == nil {
		m[word] = map[uint32]uint32{}
	}
	m[word][p.Slot] = p.TF
}

func readBlocks(t rapid.TB, blocks []postings.Block) model {
	t.Helper()
	m, last := model{}, ""
	for i, b := range blocks {
		e := postings.NewEntries(b.Data)
		for n := 0; e.Next(); n++ {
			word := string(e.Word())
			if i+n > 0 && word <= last {
				t.Fatalf("%q stands behind %q", word, last)
			}
			if n == 0 && word != b.First {
				t.Fatalf("block %d begins with %q, not %q", i, word, b.First)
			}
			last = word
			for _, p := range decode(t, e.List()) {
				m.put(word, p)
			}
		}
		if e.Err() != nil {
			t.Fatalf("block %d: %v", i, e.Err())
		}
	}
	return m
}

func same(a, b model) bool {
	return maps.EqualFunc(a, b, func(x, y map[uint32]uint32) bool { return maps.Equal(x, y) })
}

// written is a block as a writer encodes the same words.
func written(block []byte) (anew []byte) {
	w := postings.NewWriter(1 << 20)
	for e := postings.NewEntries(block); e.Next(); {
		w.Add(e.Word(), e.List())
	}
	for _, b := range w.Blocks() {
		anew = b.Data
	}
	return anew
}

func TestASegmentIsLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[abü]{0,4}[a-c0-9]{1,6}`), 1, 30, rapid.ID).Draw(t, "words")
		want := model{}
		var blocks []postings.Block
		docs := map[int][]string{}
		next := 0
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			adds := map[string][]postings.Posting{}
			for range rapid.IntRange(1, 5).Draw(t, "documents") {
				for _, w := range rapid.SliceOfDistinct(rapid.SampledFrom(words), rapid.ID).Draw(t, "words of a document") {
					p := postings.Posting{Slot: uint32(next), TF: uint32(rapid.IntRange(1, 3).Draw(t, "tf"))}
					adds[w] = append(adds[w], p)
					want.put(w, p)
					docs[next] = append(docs[next], w)
				}
				next++
			}
			var sorted []postings.Addition
			for _, w := range slices.Sorted(maps.Keys(adds)) {
				sorted = append(sorted, postings.Addition{Word: []byte(w), Postings: adds[w]})
			}
			var old [][]byte
			for _, b := range blocks {
				old = append(old, b.Data)
			}
			var err error
			if blocks, err = postings.Merge(old, sorted, rapid.IntRange(10, 200).Draw(t, "size")); err != nil {
				t.Fatal(err)
			}
		}
		if got := readBlocks(t, blocks); !same(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, w := range append(words, "", "zzz", words[0]+"a") {
			found := false
			for _, b := range blocks {
				_, here, err := postings.Find(b.Data, w)
				if err != nil {
					t.Fatal(err)
				}
				found = found || here
			}
			if found != (want[w] != nil) {
				t.Fatalf("%q: found %v, want %v", w, found, want[w] != nil)
			}
		}
		gone := rapid.IntRange(0, next-1).Draw(t, "slot that goes")
		leave := slices.Sorted(slices.Values(docs[gone]))
		removed := 0
		for i := range blocks {
			out, n, err := postings.Without(blocks[i].Data, leave, gone)
			if err != nil {
				t.Fatal(err)
			}
			removed += n
			blocks[i].Data = out
			if e := postings.NewEntries(out); e.Next() {
				blocks[i].First = string(e.Word())
			}
			if anew := written(out); !bytes.Equal(out, anew) {
				t.Fatalf("without slot %d block %d is\n%x, written anew\n%x", gone, i, out, anew)
			}
		}
		for _, w := range leave {
			delete(want[w], uint32(gone))
			if len(want[w]) == 0 {
				delete(want, w)
			}
		}
		if got := readBlocks(t, blocks); !same(got, want) || removed != len(leave) {
			t.Fatalf("without %d: got %v and %d postings less, want %v and %d", gone, got, removed, want, len(leave))
		}
	})
}

func TestASlotLeavesAListThatStaysAsLong(t *testing.T) {
	// One gap of two bytes replaces two of one byte.
	w := postings.NewWriter(4096)
	w.Add([]byte("kettle"), postings.AppendList(nil, []postings.Posting{{Slot: 0, TF: 1}, {Slot: 40, TF: 1}, {Slot: 80, TF: 1}}))
	before := w.Blocks()[0].Data
	out, removed, err := postings.Without(before, []string{"kettle"}, 40)
	if err != nil || removed != 1 || len(out) != len(before) {
		t.Fatalf("%d removed, %v, %d bytes of %d; want one and as many bytes", removed, err, len(out), len(before))
	}
	e := postings.NewEntries(out)
	if !e.Next() {
		t.Fatal("the word is gone")
	}
	want := []postings.Posting{{Slot: 0, TF: 1}, {Slot: 80, TF: 1}}
	if got := decode(t, e.List()); !slices.Equal(got, want) {
		t.Errorf("without slot 40 it has %v, want %v", got, want)
	}
}

func TestDocumentsAreReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Custom(func(t *rapid.T) postings.Doc {
			return postings.Doc{Num: rapid.Int64().Draw(t, "num"), Created: rapid.Int64().Draw(t, "created"), Project: rapid.Uint32().Draw(t, "project"),
				Session: rapid.Uint32().Draw(t, "session"), Kind: rapid.Uint32().Draw(t, "kind"), Length: rapid.IntRange(0, 65535).Draw(t, "length"),
				Dead: rapid.Bool().Draw(t, "dead")}
		})).Draw(t, "documents")
		var docs postings.Docs
		for _, d := range want {
			docs = postings.AppendDoc(docs, d)
		}
		if docs.Len() != len(want) {
			t.Fatalf("got %d documents, want %d", docs.Len(), len(want))
		}
		for i, d := range want {
			if got := docs.Doc(i); got != d {
				t.Fatalf("slot %d: got %+v, want %+v", i, got, d)
			}
		}
	})
}

func TestALongDocumentCountsAsTheLongestThatFits(t *testing.T) {
	docs := postings.Docs(postings.AppendDoc(nil, postings.Doc{Length: 1 << 20}))
	if got := docs.Length(0); got != 65535 {
		t.Errorf("length: got %d, want 65535", got)
	}
}

func TestWordsAreReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.String()).Draw(t, "words")
		got, err := postings.ReadWords(postings.AppendWords(nil, want))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	})
}

func TestDamagedListsAreRejected(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    []byte
	}{
		{"nothing", nil},
		{"a count alone", []byte{1}},
		{"no postings", []byte{0, 0}},
		{"more postings than bytes", []byte{9, 9, 0}},
		{"a last slot that is not the last", []byte{1, 5, 0}},
		{"a frequency cut off", []byte{1, 0, 1}},
		{"bytes behind the last", []byte{1, 0, 0, 0}},
		{"a slot that no segment has", []byte{1, 0, 0xff, 0xff, 0xff, 0x7f}},
		{"a number without an end", []byte{1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}},
	} {
		l, err := postings.ReadList(tt.b)
		if err == nil {
			_, err = l.Decode(nil)
		}
		if !errors.Is(err, postings.ErrDamaged) {
			t.Errorf("%s, %x: got %v, want %v", tt.name, tt.b, err, postings.ErrDamaged)
		}
	}
}

func TestSlotsLeaveASegmentTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.MapOfN(rapid.StringMatching(`[a-c]{1,4}`), drawPostings(-1), 1, 30).Draw(t, "words")
		rest := rapid.IntRange(1, 5).Draw(t, "one slot of so many stays")
		stays := func(slot uint32) bool { return int(slot)%rest == 0 }
		var adds []postings.Addition
		want := model{}
		for _, w := range slices.Sorted(maps.Keys(words)) {
			adds = append(adds, postings.Addition{Word: []byte(w), Postings: words[w]})
			for _, p := range words[w] {
				if stays(p.Slot) {
					want.put(w, p)
				}
			}
		}
		size := rapid.IntRange(10, 200).Draw(t, "size")
		blocks, err := postings.Merge(nil, adds, size)
		if err != nil {
			t.Fatal(err)
		}
		var old [][]byte
		for _, b := range blocks {
			old = append(old, b.Data)
		}
		kept, err := postings.Keep(old, stays, size)
		if err != nil {
			t.Fatal(err)
		}
		if got := readBlocks(t, kept); !same(got, want) {
			t.Fatalf("%v with one slot of %d: got %v, want %v", words, rest, got, want)
		}
	})
}

func TestLengthsAreThoseOfTheDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var docs postings.Docs
		for _, n := range rapid.SliceOf(rapid.IntRange(0, 70_000)).Draw(t, "lengths") {
			docs = postings.AppendDoc(docs, postings.Doc{Num: int64(n), Session: 1<<32 - 1, Length: n, Dead: n%7 == 0})
		}
		alone, within := postings.ReadLengths(postings.AppendLengths(nil, docs)), docs.Lengths()
		if alone.Len() != docs.Len() || within.Len() != docs.Len() {
			t.Fatalf("of %d documents: got %d and %d lengths", docs.Len(), alone.Len(), within.Len())
		}
		for slot := range docs.Len() {
			if want := docs.Length(slot); alone.Of(slot) != want || within.Of(slot) != want {
				t.Fatalf("slot %d: got %d and %d, want %d", slot, alone.Of(slot), within.Of(slot), want)
			}
		}
	})
	if n := (postings.Lengths{}).Len(); n != 0 {
		t.Errorf("the zero Lengths: got %d slots, want none", n)
	}
}
