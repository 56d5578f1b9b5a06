package contradiction_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/contradiction"
)

// two memories of 300 characters about the same, which differ in a number.
func twoMemories() (a, b contradiction.Text) {
	a = contradiction.Text{Title: "How the scheduler leases jobs", Content: `**What**: the scheduler takes the oldest due job and leases it to a worker.
**Why**: no job may run twice at the same time, and a worker that dies gives its jobs back.
**Where**: internal/scheduler/pick.go
**Learned**: the lease lasts 60 seconds and is renewed by the worker at half its length, in its own goroutine.`}
	b = contradiction.Text{Title: "Scheduler leases", Content: `**What**: leases of the scheduler got longer, nothing else changed.
**Why**: the garbage collector stopped a worker for half a minute, and its job was given to a second one.
**Where**: internal/scheduler/pick.go, internal/scheduler/pick_test.go
**Learned**: the lease lasts 300 seconds and is renewed by the worker.`}
	return a, b
}

func BenchmarkBetween(b *testing.B) {
	x, y := twoMemories()
	b.ReportAllocs()
	for b.Loop() {
		if _, found := contradiction.Between(x, y, contradiction.Nearness{}); !found {
			b.Fatal("found nothing")
		}
	}
}

func BenchmarkRead(b *testing.B) {
	x, _ := twoMemories()
	b.ReportAllocs()
	for b.Loop() {
		contradiction.Read(x)
	}
}

func BenchmarkAgainst(b *testing.B) {
	x, y := twoMemories()
	rx, ry := contradiction.Read(x), contradiction.Read(y)
	b.ReportAllocs()
	for b.Loop() {
		rx.Against(ry, contradiction.Nearness{})
	}
}

// The most that a comparison can cost: clauses that all share words.
func BenchmarkLongest(b *testing.B) {
	x := contradiction.Text{Title: "Leases", Content: strings.Repeat("The scheduler leases the oldest job to a worker that asks for jobs. ", 200)}
	y := contradiction.Text{Title: "Leases", Content: strings.Repeat("The scheduler never leases the newest job to a worker that asks for jobs. ", 200)}
	for b.Loop() {
		contradiction.Between(x, y, contradiction.Nearness{})
	}
}

// The usual case in a process that saves: words that were read before.
func BenchmarkReadAgain(b *testing.B) {
	x, _ := twoMemories()
	var k contradiction.Reader
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		x.Title = strconv.Itoa(n) // a text that is there already is not read
		k.Read(x)
	}
}
