// Package walk reads long lists page by page, so that no operation holds a whole store in memory, and has the few
// functions on slices that every room of the engine uses.
package walk

import (
	"github.com/alanbuscaglia/engram"
)

// MemoriesOf returns the memories of hits.
func MemoriesOf(lists ...[]engram.Hit) []engram.Memory {
	n := 0
	for _, hits := range lists {
		n += len(hits)
	}
	ms := make([]engram.Memory, 0, n)
	for _, hits := range lists {
		for i := range hits {
			ms = append(ms, hits[i].Memory)
		}
	}
	return ms
}

// DeferredPage is the number of pending records read at once.
const DeferredPage = 100

// Drain reads the first page of a list until it is empty, handles each item, which must remove it from the list,
// and returns the number of items.
func Drain[T any](read func() ([]T, error), handle func(T) error) (n int, err error) {
	for {
		page, err := read()
		if err != nil || len(page) == 0 {
			return n, err
		}
		for _, item := range page {
			if err := handle(item); err != nil {
				return n, err
			}
			n++
		}
	}
}

// ExportPage is how many things are read at once: few enough to hold a page of long memories, many enough to keep the
// cost of a page low.
const ExportPage = 200

// NumsOf returns the numbers of ranked finds.
func NumsOf(finds []engram.Ranked) []int64 {
	return Mapped(finds, func(f engram.Ranked) int64 { return f.Num })
}

// Mapped returns of applied to each of all.
func Mapped[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = of(one)
	}
	return out
}

// IfThere turns not_found into found being false.
func IfThere[T any](one T, err error) (_ T, found bool, _ error) {
	if engram.CodeOf(err) == engram.CodeNotFound {
		return one, false, nil
	}
	return one, err == nil, err
}

// EveryPage reads a list of pages of a size to its end.
func EveryPage[T any](size int, read func(engram.Page) ([]T, error)) (all []T, err error) {
	for offset := 0; ; offset += size {
		page, err := read(engram.Page{Limit: size, Offset: offset})
		if err != nil {
			return nil, err
		}
		if all = append(all, page...); len(page) < size {
			return all, nil
		}
	}
}

// EachAfter calls each with everything read finds, page by page; each returns where the next page begins.
func EachAfter[T, K any](read func(after K) ([]T, error), each func(T) (K, error)) error {
	var after K
	for {
		page, err := read(after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, one := range page {
			if after, err = each(one); err != nil {
				return err
			}
		}
	}
}

// AllAfter returns everything eachAfter passes to each.
func AllAfter[T, K any](read func(after K) ([]T, error), last func(T) K) (things []T, err error) {
	err = EachAfter(read, func(one T) (K, error) {
		things = append(things, one)
		return last(one), nil
	})
	return things, err
}

// CountIf counts the numbers for which is is true.
func CountIf(nums []int64, is func(int64) bool) (n int) {
	for _, num := range nums {
		if is(num) {
			n++
		}
	}
	return n
}

// SetOf returns the elements of a list as a set.
func SetOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}
