package postgres_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// TestCitus runs the store on tables that are spread over three servers by space. Every statement goes to the one
// server that has the space: Citus refuses the others, because each would be part of several transactions.
func TestCitus(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: three servers")
	}
	server := postgrestest.Citus(t)
	open(t, server, postgrestest.Space()) // makes the tables, which are then spread
	server.SQL(t, server.URL(), spreadSQL)
	storetest.Run(t, func(t *testing.T) engram.Store { return open(t, server, postgrestest.Space()) })

	// Row-level security alone keeps spaces apart on the other servers too.
	loose := open(t, server, postgrestest.Space(), func(o *postgres.Options) { o.Loose = true })
	if err := loose.View(t.Context(), func(r engram.Reader) error {
		ps, err := r.Prompts(t.Context(), engram.PromptFilter{}, engram.Page{Limit: 10})
		if len(ps) > 0 {
			t.Errorf("a new space sees %d prompts of others", len(ps))
		}
		return err
	}); err != nil {
		t.Log(err) // Citus refuses to join tables without their space
	}
	servers := server.SQL(t, server.URL(), "SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'memories'::regclass AND shard_size > 0")
	if strings.TrimSpace(servers) != "2" {
		t.Errorf("memories stand on %s servers, not 2", servers)
	}
}

// spreadSQL spreads each table by space, those first that others refer to, as docs/postgres.md says. The server that
// clients talk to asks the others by the role of the transaction, which therefore has to log in there.
const spreadSQL = `ALTER ROLE engram_store LOGIN;
SELECT create_distributed_table(t::regclass, 'space')
FROM (SELECT attrelid AS t FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE attname = 'space' AND relkind = 'r' ORDER BY attrelid) AS tables;`
