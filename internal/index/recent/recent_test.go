package recent_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/index/recent"
)

// What is asked for again and again stays, what is not is dropped, and the bytes stay bounded.
func TestCacheKeepsWhatIsUsed(t *testing.T) {
	const most, each = 100, 10
	var c recent.Cache[int, string]
	if _, known := c.Get(0, most); known {
		t.Error("an empty cache knows 0")
	}
	c.Put(0, "zero", each, most)
	for n := 1; n <= 100; n++ {
		c.Put(n, "another", each, most)
		if v, known := c.Get(0, most); !known || v != "zero" {
			t.Fatalf("after %d others: %q, %v, want what is asked for all the time", n, v, known)
		}
	}
	kept := 0
	for n := range 101 {
		if _, known := c.Get(n, most); known {
			kept++
		}
	}
	if kept < 5 || kept > most/each {
		t.Errorf("%d of 101 values are kept, want at most %d and some", kept, most/each)
	}
}

func TestCacheReplacesAndRefuses(t *testing.T) {
	const most = 100
	var c recent.Cache[string, int]
	for n := range 50 { // bytes of what is replaced do not count any more
		c.Put("a", n, 40, most)
	}
	c.Put("b", 7, 10, most)
	if v, _ := c.Get("a", most); v != 49 {
		t.Errorf("a is %d, want the last one", v)
	}
	c.Put("large", 1, 51, most)
	if _, known := c.Get("large", most); known {
		t.Error("what is larger than half of the cache is kept")
	}
}
