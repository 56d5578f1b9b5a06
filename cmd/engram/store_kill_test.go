package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
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
	const memories = 5000 // in two transactions
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
		_, _ = fmt.Sscan(server.SQL(t, database, "SELECT count(*) FROM memories"), &n)
		return n
	}
	cmd, said = engram("", "list")
	cmd.Env = append(cmd.Env, "ENGRAM_STORE="+database)
	if err := cmd.Run(); err != nil { // which makes the tables
		t.Fatalf("list: %v: %s", err, said)
	}
	// Each transaction of a move notes how far it is. The one with the last memories is held there, and killed.
	server.SQL(t, database, `CREATE TABLE held ();
		CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
			WHILE EXISTS (SELECT 1 FROM pg_class WHERE relname = ''held'') AND (SELECT count(*) FROM memories) = `+strconv.Itoa(memories)+` LOOP
				PERFORM pg_sleep(0.01); END LOOP; RETURN NULL; END';
		CREATE TRIGGER hold AFTER INSERT OR UPDATE ON facts EXECUTE FUNCTION hold()`)
	cmd, _ = engram("", "store", "move", database)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "some are there", func() bool { return there() > 0 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if n := there(); n == memories {
		t.Errorf("%d memories before the kill, want fewer", n)
	}
	server.SQL(t, database, `DROP TABLE held`)
	cmd, said = engram("", "store", "move", database, "--json")
	if err := cmd.Run(); err != nil {
		t.Fatalf("move: %v: %s", err, said)
	}
	if !strings.Contains(said.String(), `"resumed": true`) {
		t.Errorf("after a kill: %s", said)
	}
	if n := there(); n != memories {
		t.Errorf("%d memories, want %d", n, memories)
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
