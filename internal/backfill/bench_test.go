package backfill_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/backfill"
	"github.com/alanbuscaglia/engram/internal/capture"
)

// longSession is a transcript of about so many bytes, in the proportions of real ones: most of
// it is what tools gave back, twice, and little of it is said.
func longSession(t testing.TB, path string, size int) int64 {
	t.Helper()
	code := strings.Repeat("\tif err := pool.Drain(ctx, worker); err != nil { // the next one waits\n", 120)
	talk := strings.Repeat("I read the handler and the pool beside it. The tests cover the empty case, and the lock is taken in the right order. ", 8)
	var rows []any
	rows = append(rows, claudeSession()...)
	for n := 0; size > 0; n++ {
		id := fmt.Sprintf("r%d", n)
		rows = append(rows,
			claudeLine("assistant", []row{{"type": "text", "text": talk}, {"type": "tool_use", "id": id, "name": "Read", "input": row{"file_path": folder + "/pool.go"}}}, nil),
			claudeLine("user", []row{{"type": "tool_result", "tool_use_id": id, "content": code}}, row{"toolUseResult": row{"file": row{"content": code}}}),
			bash(id+"b", "go vet ./..."), result(id+"b", n%5 == 0, "Exit code 1\nvet: pool.go:12: x declared and not used"),
			row{"type": "file-history-snapshot", "snapshot": row{"files": code}},
		)
		size -= 3*len(code) + len(talk) + 2500
		if n%20 == 0 {
			rows = append(rows, claudeLine("user", fmt.Sprintf("Always run check %d before you commit.", n), nil))
		}
	}
	jsonl(t, path, rows...)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func scan(t testing.TB, path string) (found int) {
	t.Helper()
	_, err := backfill.Run(context.Background(), backfill.ClaudeCode, backfill.Options{Path: path,
		Wants: func(backfill.Session) (bool, error) { return true, nil },
		Found: func(_ backfill.Session, all []capture.Proposal) (bool, error) {
			found += len(all)
			return true, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A transcript of any length is read with the memory of a line.
func TestReadingTakesNoMoreMemoryThanALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.jsonl")
	size := longSession(t, path, 48<<20)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if found := scan(t, path); found < 50 {
		t.Errorf("found %d in %d bytes, want what was said", found, size)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 32<<20 {
		t.Errorf("reading %d MiB took %d MiB more of the system", size>>20, grown>>20)
	}
}

func BenchmarkClaudeCode(b *testing.B) {
	path := filepath.Join(b.TempDir(), "long.jsonl")
	b.SetBytes(longSession(b, path, 16<<20))
	b.ReportAllocs()
	for b.Loop() {
		scan(b, path)
	}
}
