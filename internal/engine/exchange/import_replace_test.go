package exchange_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestAReplacementThatChangesNothingMakesNoBackup(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	first, second := oneMemory("first"), oneMemory("second")
	res := enginetest.Imported(t, e, first, exchange.ImportInput{Mode: exchange.ImportReplace})
	if (res.Backup == "") != enginetest.OnServer() {
		t.Errorf("the first replacement: got %+v, want a backup of the empty store", res)
	}
	res = enginetest.Imported(t, e, second, exchange.ImportInput{Mode: exchange.ImportReplace})
	kept := res.Backup
	for range 4 {
		if again := enginetest.Imported(t, e, second, exchange.ImportInput{Mode: exchange.ImportReplace}); again.Backup != "" || again.Op != 0 {
			t.Errorf("the same file again: got backup %q of operation %d, want none", again.Backup, again.Op)
		}
	}
	if enginetest.OnServer() {
		return
	}
	// The backup has what was here before.
	was, _ := enginetest.Open(t, kept)
	if ms, err := was.List(t.Context(), engram.Filter{}, engram.Page{}); err != nil || len(ms) != 1 || ms[0].Content != "the first text" {
		t.Errorf("the backup %s: got %+v, %v, want the one memory from before", kept, ms, err)
	}
}

// oneMemory is a file of one memory.
func oneMemory(text string) string {
	return `{"format":"engram","version":1,"project":"shop","memories":[{"id":"mem_01m80fjn7a50pm95tw19tb75ga","project":"shop","content":"the ` + text + ` text","created_at":"2026-01-02T03:04:05Z"}]}`
}

func TestAReplacementWithoutAListOfMemoriesTakesNothingAway(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	enginetest.Imported(t, e, oneMemory("first"), exchange.ImportInput{})
	for _, file := range []string{
		`{"format":"engram","version":1,"project":""}`,
		`{"format":"engram","version":1,"project":"","notes":[]}`,
		`{"format":"engram","version":1,"project":"","memories":{}}`,
		`{"format":"engram","version":1,"project":"","memories":null}`,
		`{"format":"engram","version":1,"project":"","Memories":[]}`,
		`{"format":"engram","version":1,"project":"","prompts":[],"memory":[]}`,
	} {
		res, err := e.Import(t.Context(), strings.NewReader(file), exchange.ImportInput{Mode: exchange.ImportReplace})
		if engram.CodeOf(err) != engram.CodeInvalid || res.Memories.Removed != 0 {
			t.Errorf("replace by %s: got %+v, %v; want it refused", file, res, err)
		}
	}
	if ms, err := e.List(t.Context(), engram.Filter{}, engram.Page{}); err != nil || len(ms) != 1 {
		t.Errorf("after that there is %+v, %v; want the memory", ms, err)
	}
}
