package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

// A move that is killed goes on when it is started again, and ends with the same bytes and nothing twice.
func TestAStoreMoveThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	database, dir := server.Fresh(t), t.TempDir()
	engram := func(in string, args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.CommandContext(t.Context(), "engram", append(args, "--data-dir", dir)...)
		cmd.Env = append(os.Environ(), "ENGRAM_EMBEDDING_MODEL=none")
		var said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &said, &said
		return cmd, &said
	}
	const memories = 3000
	var file strings.Builder
	file.WriteString(`{"format":"engram","version":1,"memories":[`)
	for n := range memories {
		fmt.Fprintf(&file, `{"content":"memory %d has a text","project":"p%d","revisions":[{"number":1,"content":"an earlier one"}]},`, n, n%3)
	}
	cmd, said := engram(strings.TrimSuffix(file.String(), ",")+"]}", "import", "-")
	if err := cmd.Run(); err != nil {
		t.Fatalf("import: %v: %s", err, said)
	}
	there := func() (n int) {
		if strings.TrimSpace(server.SQL(t, database, "SELECT to_regclass('memories') IS NOT NULL")) == "t" {
			_, _ = fmt.Sscan(server.SQL(t, database, "SELECT count(*) FROM memories"), &n)
		}
		return n
	}
	kills := 0
	for least := 1; least < memories; least += 1000 {
		cmd, said := engram("", "store", "move", database)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "some are there", func() bool { return there() >= least })
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Logf("it was quicker: %s", said)
			break
		}
		kills++
	}
	cmd, said = engram("", "store", "move", database, "--json")
	if err := cmd.Run(); err != nil {
		t.Fatalf("move: %v: %s", err, said)
	}
	if kills > 0 && !strings.Contains(said.String(), `"resumed": true`) {
		t.Errorf("after %d kills: %s", kills, said)
	}
	if n := there(); n != memories || kills == 0 {
		t.Errorf("%d memories after %d kills, want %d", n, kills, memories)
	}
	exported := func(store string) string {
		cmd, said := engram("", "export", "-")
		cmd.Env = append(cmd.Env, "ENGRAM_STORE="+store)
		if err := cmd.Run(); err != nil {
			t.Fatalf("export: %v: %s", err, said)
		}
		_, records, _ := strings.Cut(said.String(), `"projects"`) // the head has the time
		return records
	}
	if was, is := exported("file"), exported(database); was != is || strings.Count(is, "\n") < memories {
		t.Errorf("the export has %d bytes, want %d", len(is), len(was))
	}
}
