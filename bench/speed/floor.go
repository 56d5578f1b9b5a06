package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// refFloor is what no search as ours can do without: as many rows of memories and vectors as it reads, by the same keys with
// the same driver, the bare comparison of all codes, and the bare sums over the lists of the three words asked for, which
// are in memory. No text is read, nothing is ranked or shown.
const refFloor = "floor"

// What a question reads: the memories that may be shown, and the vectors that may be nearest or are of memories with its
// words.
const (
	floorMemories = 60
	floorVectors  = 300
)

// A floor is the store as the floor has it.
type floor struct {
	db    *sql.DB
	size  int
	model int64
	signs []uint64            // of all codes, four words each
	lists map[string][]uint32 // documents by word, for each occurrence
	sums  []float32
}

func floorOf(store string, size int) (f *floor, err error) {
	f = &floor{size: size, lists: map[string][]uint32{}, sums: make([]float32, size)}
	if f.db, err = sql.Open("sqlite", "file:"+filepath.Join(store, "engram.db")+"?mode=ro"); err != nil {
		return nil, err
	}
	f.db.SetMaxOpenConns(1)
	if err := f.db.QueryRow("SELECT num FROM models ORDER BY memories DESC LIMIT 1").Scan(&f.model); err != nil {
		return nil, err
	}
	rows, err := f.db.Query("SELECT signs FROM vector_codes")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	const header, word = 128, 8
	for rows.Next() {
		var page []byte
		if err := rows.Scan(&page); err != nil {
			return nil, err
		}
		for at := header; at+word <= len(page); at += word {
			f.signs = append(f.signs, binary.LittleEndian.Uint64(page[at:]))
		}
	}
	for n := range size {
		d := documentOf(n)
		for w := range strings.FieldsSeq(d.title + " " + d.content) {
			f.lists[w] = append(f.lists[w], uint32(n))
		}
	}
	return f, rows.Err()
}

// lane asks for what question i does, in its project or, with all, over everything.
func (f *floor) lane(all, common bool) lane {
	return lane{name: refFloor, cpu: ownCPU, do: func(i int) error {
		r, d, step := rand.New(rand.NewPCG(3, uint64(i))), asked(i, f.size), projects
		words := d.subject[:]
		if all {
			step = 1
		}
		if common {
			words = words[:1]
		}
		f.compare(step)
		f.sum(words, d.number, step)
		nums := func(n int) string {
			var all []int
			for range min(n, f.size/step) {
				all = append(all, 1+d.number%step+step*r.IntN(f.size/step))
			}
			text, _ := json.Marshal(all) // numbers
			return string(text)
		}
		if err := f.read(floorMemories, `SELECT m.* FROM json_each(?) AS a CROSS JOIN memories m ON m.num = a.value`, nums(floorMemories)); err != nil {
			return err
		}
		return f.read(floorVectors, `SELECT v.row FROM json_each(?) AS a CROSS JOIN vectors v ON v.num = ? + a.value`, nums(floorVectors), f.model<<48)
	}}
}

// compare counts the bits in which codes differ from one, of one in step.
func (f *floor) compare(step int) (near int) {
	a := f.signs[:4]
	for s := f.signs[:len(f.signs)/4/step*4]; len(s) >= 4; s = s[4:] {
		if bits.OnesCount64(a[0]^s[0])+bits.OnesCount64(a[1]^s[1])+bits.OnesCount64(a[2]^s[2])+bits.OnesCount64(a[3]^s[3]) < 100 {
			near++
		}
	}
	return near
}

// sum adds up scores of the documents that have the words, of one in step, and returns the greatest.
func (f *floor) sum(words []string, number, step int) (best float32) {
	clear(f.sums)
	for _, w := range words {
		for _, n := range f.lists[w] {
			if (int(n)-number)%step == 0 {
				f.sums[n] += 1 / (1 + f.sums[n])
			}
		}
	}
	for _, s := range f.sums {
		best = max(best, s)
	}
	return best
}

// read reads all rows of a query, most at most.
func (f *floor) read(most int, query string, args ...any) error {
	rows, err := f.db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(sql.RawBytes)
	}
	n := 0
	for ; rows.Next(); n++ {
		if err := rows.Scan(values...); err != nil {
			return err
		}
	}
	if n == 0 || n > most {
		return fmt.Errorf("%d rows of %s", n, query)
	}
	return rows.Err()
}
