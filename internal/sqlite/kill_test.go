package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

func TestAcknowledgedSavesSurviveAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	const rounds = 20
	var ids []string
	for round := range rounds {
		c := start(t, "save", path, fmt.Sprintf("k%02d", round), "1000000")
		for range 1 + rand.N(30) {
			id, err := c.line()
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatalf("kill: %v", err)
		}
		out, err := c.rest()
		if err == nil {
			t.Fatal("the process ended before it was killed")
		}
		// The kill cuts an unterminated line, but not the save before it.
		lines := strings.Split(out, "\n")
		ids = append(ids, lines[:len(lines)-1]...)
	}
	t.Logf("%d saves acknowledged before %d kills", len(ids), rounds)
	checkAll(t, path, ids, true)
}
