// Package replicatest tests the contract of engram.Remote (Run) and provides a remote in memory
// (Place) for other tests.
//
// Run tests what the doc comments of engram.Remote promise. Each remote tests its own handling of
// damaged data.
package replicatest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// Run tests the remotes that open returns. Each dir is an empty folder that names a place: remotes
// opened with the same dir share batches.
func Run(t *testing.T, open func(t *testing.T, dir string) engram.Remote) {
	t.Helper()
	for _, c := range slices.Concat(emptyCases(), writeCases(), readCases(), meetingCases()) {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.run(&kit{T: t, Remote: open(t, dir), again: func() engram.Remote { return open(t, dir) }})
		})
	}
}

// testCase is one sentence of the contract.
type testCase struct {
	name string
	run  func(k *kit)
}

type kit struct {
	*testing.T
	engram.Remote
	again func() engram.Remote // another one at the same place
}

// write writes records and fails the test on an error.
func (k *kit) write(head engram.Batch, records ...engram.Record) engram.Batch {
	k.Helper()
	b, err := k.Write(k.Context(), head, records)
	if err != nil {
		k.Fatalf("write %d records: %v", len(records), err)
	}
	if err := k.Settle(k.Context()); err != nil {
		k.Fatalf("settle: %v", err)
	}
	return b
}

// batches lists batches and fails the test on an error.
func (k *kit) batches(r engram.Remote) []engram.Batch {
	k.Helper()
	all, err := r.Batches(k.Context())
	if err != nil {
		k.Fatalf("batches: %v", err)
	}
	return all
}

// records reads a batch and fails the test if it is not whole.
func (k *kit) records(r engram.Remote, id string) []engram.Record {
	k.Helper()
	var all []engram.Record
	for rec, err := range r.Read(k.Context(), id) {
		if err != nil {
			k.Fatalf("read %s: %v", id, err)
		}
		if rec.Flaw != nil {
			k.Fatalf("read %s: %s: %v", id, rec.Item, rec.Flaw)
		}
		all = append(all, rec)
	}
	return all
}

// same compares records, in any order, without local values.
func (k *kit) same(got, want []engram.Record) {
	k.Helper()
	g, w := named(k.T, got), named(k.T, want)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if g[name] != w[name] {
			k.Errorf("%s\n got: %s\nwant: %s", name, g[name], w[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if _, wanted := w[name]; !wanted {
			k.Errorf("%s was never written: %s", name, g[name])
		}
	}
	if len(got) != len(want) {
		k.Errorf("got %d records, want %d", len(got), len(want))
	}
}

// named returns records as text, by kind and name.
func named(t *testing.T, records []engram.Record) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, r := range records {
		text, err := json.Marshal(plain(r))
		if err != nil {
			t.Fatalf("%s %s: %v", r.Entity(), wire.KeyOf(r), err)
		}
		all[string(r.Entity())+" "+wire.KeyOf(r)] = string(text)
	}
	return all
}

// plain returns a record without computed values, and with empty lists as nil.
func plain(r engram.Record) engram.Record {
	r = portableOf(r)
	switch {
	case r.Memory != nil:
		m := &r.Memory.Memory // copied by portableOf
		m.NormalizedHash = ""
		if len(m.Tags) == 0 {
			m.Tags = nil
		}
		if len(m.Metadata) == 0 {
			m.Metadata = nil
		}
		if len(r.Memory.Revisions) == 0 {
			r.Memory.Revisions = nil
		}
	case r.Session != nil:
		s := *r.Session
		s.ActiveAt = time.Time{}
		r.Session = &s
	}
	return r
}

// codeIs checks that reading a batch returns one error of a code and no record.
func (k *kit) codeIs(id string, want engram.Code) {
	k.Helper()
	n := 0
	for _, err := range k.Read(k.Context(), id) {
		if n++; engram.CodeOf(err) != want {
			k.Errorf("read %q: got %v, want an error of code %s", id, err, want)
		}
	}
	if n != 1 {
		k.Errorf("read %q: got %d pairs, want the one with the error", id, n)
	}
}

func emptyCases() []testCase {
	return []testCase{
		{"an empty place has no batches, and a name", func(k *kit) {
			if got := k.batches(k.Remote); len(got) != 0 {
				k.Errorf("got %+v, want none", got)
			}
			if strings.TrimSpace(k.Name()) == "" {
				k.Errorf("name: got %q", k.Name())
			}
			if err := k.Settle(k.Context()); err != nil {
				k.Errorf("settle: %v", err)
			}
			if got := k.batches(k.Remote); len(got) != 0 {
				k.Errorf("after Settle: got %+v, want none", got)
			}
		}},
		{"a batch that is not there is not found, whatever its name", func(k *kit) {
			k.write(engram.Batch{}, memoryRecord(1))
			for _, id := range []string{"", "0", "00000000", "0123456789abcdef", "../secret", "a/b", "..", "%00", strings.Repeat("f", 300)} {
				k.codeIs(id, engram.CodeNotFound)
			}
		}},
	}
}

func writeCases() []testCase {
	return []testCase{
		{"what was written is there, with who and when", func(k *kit) {
			head := engram.Batch{By: "ana@laptop", At: day(3)}
			b := k.write(head, sessionRecord(1), memoryRecord(1), memoryRecord(2), promptRecord(1), relationRecord(1))
			want := engram.Batch{ID: b.ID, By: head.By, At: head.At, Sessions: 1, Memories: 2, Prompts: 1}
			if b != want || b.ID == "" {
				k.Errorf("written: got %+v, want %+v with an id", b, want)
			}
			if got := k.batches(k.Remote); len(got) != 1 || !got[0].At.Equal(want.At) || got[0].ID != b.ID || got[0].By != want.By ||
				got[0].Sessions != 1 || got[0].Memories != 2 || got[0].Prompts != 1 {
				k.Errorf("there: got %+v, want %+v", got, want)
			}
		}},
		{"the same records make the same batch, whoever writes them and when", func(k *kit) {
			first := k.write(engram.Batch{By: "ana", At: day(1)}, memoryRecord(1), memoryRecord(2))
			second := k.write(engram.Batch{By: "ben", At: day(2)}, memoryRecord(1), memoryRecord(2))
			third := k.write(engram.Batch{By: "ana", At: day(3)}, memoryRecord(1), memoryRecord(3))
			if first.ID != second.ID || first.ID == third.ID {
				k.Errorf("got %s, %s, %s; want the first two equal, the third another", first.ID, second.ID, third.ID)
			}
			if got := k.batches(k.Remote); len(got) != 2 {
				k.Errorf("got %+v, want two batches", got)
			}
		}},
		{"batches come oldest first, equal times by id", func(k *kit) {
			for i, at := range []int{5, 1, 3, 3, 3} {
				k.write(engram.Batch{By: "ana", At: day(at)}, memoryRecord(i))
			}
			got := k.batches(k.Remote)
			if len(got) != 5 || !slices.IsSortedFunc(got, byAge) {
				k.Errorf("got %+v, want five in order", got)
			}
		}},
		{"what is cancelled leaves nothing", func(k *kit) {
			ctx, cancel := context.WithCancel(k.Context())
			cancel()
			if _, err := k.Write(ctx, engram.Batch{At: day(1)}, []engram.Record{memoryRecord(1)}); !errors.Is(err, context.Canceled) {
				k.Errorf("write: got %v, want that it was cancelled", err)
			}
			if got := k.batches(k.Remote); len(got) != 0 {
				k.Errorf("got %+v, want none", got)
			}
		}},
		{"settling changes nothing where everything fits", func(k *kit) {
			k.write(engram.Batch{By: "ana", At: day(1)}, memoryRecord(1))
			k.write(engram.Batch{By: "ben", At: day(2)}, memoryRecord(2))
			before := k.batches(k.Remote)
			for range 2 {
				if err := k.Settle(k.Context()); err != nil {
					k.Fatalf("settle: %v", err)
				}
			}
			if after := k.batches(k.Remote); !slices.Equal(before, after) {
				k.Errorf("got %+v, want %+v", after, before)
			}
		}},
	}
}

func readCases() []testCase {
	return []testCase{
		{"every kind of record comes back as it was", func(k *kit) {
			records := []engram.Record{sessionRecord(1), tombstoneRecord(2), memoryRecord(1), fullRecord(2), forgottenRecord(3),
				promptRecord(1), relationRecord(1), removedRecord(2), erasedRecord(engram.EntityMemory, 9),
				erasedRecord(engram.EntityPrompt, 9), erasedRecord(engram.EntitySession, 9)}
			b := k.write(engram.Batch{By: "ana", At: day(1)}, records...)
			k.same(k.records(k.Remote, b.ID), records)
		}},
		{"what others refer to comes first", func(k *kit) {
			b := k.write(engram.Batch{At: day(1)}, sessionRecord(1), memoryRecord(1), memoryRecord(2), promptRecord(1), relationRecord(1))
			order := map[engram.Entity]int{engram.EntitySession: 0, engram.EntityMemory: 1, engram.EntityPrompt: 1, engram.EntityRelation: 2}
			last := 0
			for _, r := range k.records(k.Remote, b.ID) {
				if now := order[r.Entity()]; now < last {
					k.Errorf("a %s comes after what refers to it", r.Entity())
				} else {
					last = now
				}
			}
		}},
		{"hard texts come back to the byte", func(k *kit) {
			var records []engram.Record
			for i, text := range hardTexts() {
				r := memoryRecord(i)
				r.Memory.Memory.Content = "x" + text
				records = append(records, r)
			}
			b := k.write(engram.Batch{At: day(1)}, records...)
			k.same(k.records(k.Remote, b.ID), records)
		}},
		{"a batch of two thousand, of four megabytes", func(k *kit) {
			var records []engram.Record
			for i := range 2000 {
				r := memoryRecord(i)
				r.Memory.Memory.Content = fmt.Sprintf("%d %s", i, strings.Repeat("long ", 400))
				records = append(records, r)
			}
			b := k.write(engram.Batch{At: day(1)}, records...)
			k.same(k.records(k.Remote, b.ID), records)
		}},
		{"who stops reading is not read to", func(k *kit) {
			b := k.write(engram.Batch{At: day(1)}, memoryRecord(1), memoryRecord(2), memoryRecord(3))
			n := 0
			for range k.Read(k.Context(), b.ID) {
				n++
				break
			}
			if n != 1 {
				k.Errorf("got %d records after the first", n-1)
			}
		}},
		{"reading ends when it is cancelled", func(k *kit) {
			b := k.write(engram.Batch{At: day(1)}, memoryRecord(1))
			ctx, cancel := context.WithCancel(k.Context())
			cancel()
			var last error
			for _, err := range k.Read(ctx, b.ID) {
				last = err
			}
			if !errors.Is(last, context.Canceled) {
				k.Errorf("got %v, want that it was cancelled", last)
			}
		}},
	}
}

func meetingCases() []testCase {
	return []testCase{
		{"what one wrote another one reads", func(k *kit) {
			mine := k.write(engram.Batch{By: "ana", At: day(1)}, memoryRecord(1))
			other := k.again()
			k.same(k.records(other, mine.ID), []engram.Record{memoryRecord(1)})
			theirs, err := other.Write(k.Context(), engram.Batch{By: "ben", At: day(2)}, []engram.Record{memoryRecord(2)})
			if err != nil {
				k.Fatalf("write: %v", err)
			}
			if err := other.Settle(k.Context()); err != nil {
				k.Fatalf("settle: %v", err)
			}
			if got := k.batches(k.Remote); len(got) != 2 || got[0].ID != mine.ID || got[1].ID != theirs.ID {
				k.Errorf("got %+v, want both", got)
			}
			k.same(k.records(k.Remote, theirs.ID), []engram.Record{memoryRecord(2)})
		}},
	}
}
