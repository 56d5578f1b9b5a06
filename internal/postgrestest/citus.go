package postgrestest

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// Citus starts a database that Citus spreads over three servers, and returns the one that clients talk to, whose
// database Database is ready for distributed tables in eight shards. It ends with the test.
//
// Debian has no package of Citus, so a test is skipped where its library does not stand beside Postgres, in CI too.
// From its source, https://github.com/citusdata/citus, it is `./configure --without-libcurl && make install`.
func Citus(t testing.TB) *Server {
	t.Helper()
	bin, found := programs()
	if libraries, _ := filepath.Glob(filepath.Join(bin, "..", "lib", "citus.so")); !found || len(libraries) == 0 {
		t.Skip("skipped: no Citus beside Postgres here, and Debian has no package of it")
	}
	folder, err := os.MkdirTemp("", "engram-citus-")
	if err != nil {
		t.Fatal(err)
	}
	held, err := launch(citusScript, bin, folder, Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.Close() })
	return &Server{bin: bin, held: held, url: &url.URL{Scheme: "postgres", User: url.User("engram"), Path: "/postgres",
		RawQuery: url.Values{"host": {folder}, "port": {"5433"}, "sslmode": {"disable"}}.Encode()}}
}

// citusScript starts a coordinator and two workers in folder $2, as script does with one server. They reach each other
// by the socket, on ports that only name it.
const citusScript = `set -eu
bin=$1 folder=$2 database=$3
cd "$folder"
trap 'cd /; rm -rf "$folder"' EXIT
ask() { "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h "$folder" -p "$1" -U engram -d "$2" -c "$3" >>log 2>&1; }
servers=
for port in 5433 5434 5435; do
	"$bin/initdb" -D $port -U engram -A trust -E UTF8 --locale=C --no-sync --no-instructions >log 2>&1 || { cat log; exit 1; }
	"$bin/postgres" -D $port -p $port -c listen_addresses= -c unix_socket_directories="$folder" -c fsync=off -c full_page_writes=off \
		-c max_connections=200 -c shared_buffers=64MB -c jit=off -c shared_preload_libraries=citus -c wal_level=logical \
		-c max_prepared_transactions=200 -c citus.shard_count=8 -c citus.node_conninfo=sslmode=disable -c citus.local_hostname="$folder" >>log 2>&1 </dev/null &
	servers="$servers $!"
done
stop() { kill -INT $servers 2>/dev/null || true; wait || true; }
for port in 5433 5434 5435; do
	tries=0
	until "$bin/pg_isready" -q -h "$folder" -p $port -U engram; do
		tries=$((tries + 1))
		[ $tries -le 1000 ] || { tail -20 log; stop; exit 1; }
		sleep 0.05
	done
	{ ask $port postgres "CREATE DATABASE $database" && ask $port "$database" "CREATE EXTENSION citus"; } || { tail -20 log; stop; exit 1; }
done
{ ask 5433 "$database" "SELECT citus_set_coordinator_host('$folder', 5433)" && ask 5433 "$database" "SELECT citus_add_node('$folder', 5434)" &&
	ask 5433 "$database" "SELECT citus_add_node('$folder', 5435)"; } || { tail -20 log; stop; exit 1; }
echo ready
exec >/dev/null 2>&1
cat >/dev/null || true
stop
`
