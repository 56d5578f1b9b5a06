// Package postgrestest gives tests a Postgres of their own: one cluster a test process, in a temporary folder, on
// a Unix socket alone, without a password.
//
// The cluster is started by the first test that asks (a second or two) and ends with the process, however that
// ends: its shell waits for a pipe that the test process holds open, and removes the folder. Postgres refuses
// to run as root, so a test run by root starts it as another user.
//
// Without Postgres on the machine a test is skipped, and says so. With ENGRAM_TEST_POSTGRES=require, which CI
// sets, it fails instead. ENGRAM_TEST_POSTGRES_URL names a server to use in place of an own cluster; databases
// that the tests make there are dropped.
package postgrestest

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Database is the name of the database that tests share, each with a space of its own.
const Database = "engram_test"

// Server is a running Postgres, whose superuser the tests are.
type Server struct {
	bin string   // folder of its programs; "" for those on the PATH
	url *url.URL // of database postgres
	// held is the pipe whose end ends the cluster. It is kept, because the garbage collector would close it.
	held io.Closer
}

var errAbsent = errors.New("no Postgres here; on Debian: apt-get install postgresql")

// started returns the server of this process, starting it once.
var started = sync.OnceValues(func() (*Server, error) {
	bin, found := programs()
	if given := os.Getenv("ENGRAM_TEST_POSTGRES_URL"); given != "" {
		u, err := url.Parse(given)
		if err != nil {
			return nil, errors.New("ENGRAM_TEST_POSTGRES_URL is not a URL")
		}
		s := &Server{bin: bin, url: u}
		return s, s.share()
	}
	if !found {
		return nil, errAbsent
	}
	folder, err := os.MkdirTemp("", "engram-postgres-")
	if err != nil {
		return nil, err
	}
	held, err := launch(script, bin, folder)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s := &Server{bin: bin, held: held, url: &url.URL{Scheme: "postgres", User: url.User("engram"), Path: "/postgres",
		RawQuery: url.Values{"host": {folder}, "sslmode": {"disable"}}.Encode()}}
	return s, s.share()
})

// Start returns the server, or skips the test where there is no Postgres.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := started()
	if errors.Is(err, errAbsent) && os.Getenv("ENGRAM_TEST_POSTGRES") != "require" {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatalf("start Postgres: %v", err)
	}
	return s
}

// URL returns the URL of the database that tests share.
func (s *Server) URL() string { return s.of(Database) }

// Fresh makes a database for one test, for tests that kill, fill or migrate, and returns its URL. It is dropped
// when the test ends.
func (s *Server) Fresh(t testing.TB) string {
	t.Helper()
	var id [6]byte
	_, _ = rand.Read(id[:]) // never fails
	name := "engram_" + hex.EncodeToString(id[:])
	if err := s.sql("postgres", "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.sql("postgres", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return s.of(name)
}

// SQL runs statements as the superuser in the database that a URL names, and returns the rows that they read, a
// line each.
func (s *Server) SQL(t testing.TB, in, statements string) string {
	t.Helper()
	u, err := url.Parse(in)
	var rows string
	if err == nil {
		rows, err = s.rows(strings.TrimPrefix(u.Path, "/"), statements)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Pooler starts pgbouncer before the server, in transaction mode with few connections, and returns the URL of a
// database through it. Without pgbouncer on the machine the test is skipped, or with ENGRAM_TEST_POSTGRES=require
// fails.
func (s *Server) Pooler(t testing.TB, database string) string {
	t.Helper()
	var bin string
	for _, path := range []string{"/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"} {
		if _, err := os.Stat(path); err == nil {
			bin = path
		}
	}
	u, err := url.Parse(database)
	switch {
	case err != nil:
		t.Fatal(err)
	case bin == "" && os.Getenv("ENGRAM_TEST_POSTGRES") == "require":
		t.Fatal("no pgbouncer here")
	case bin == "":
		t.Skip("skipped: no pgbouncer here; on Debian: apt-get install pgbouncer")
	}
	folder, err := os.MkdirTemp("", "engram-pooler-")
	if err != nil {
		t.Fatal(err)
	}
	held, err := launch(poolerScript, bin, folder, u.Query().Get("host"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.Close() })
	q := u.Query()
	q.Set("host", folder)
	q.Set("port", "6432")
	q.Set("default_query_exec_mode", "exec")
	u.RawQuery = q.Encode()
	return u.String()
}

// Space returns the name of a new space.
func Space() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return uuid(b[:])
}

func uuid(b []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// Wanted reports whether tests of an engine run on Postgres: ENGRAM_TEST_STORE=postgres.
func Wanted() bool { return os.Getenv("ENGRAM_TEST_STORE") == "postgres" }

// Instead returns the space that stands for a database file where one is wanted; instead is false otherwise. Without a server the address is "".
func Instead(path string) (address, space string, instead bool) {
	if !Wanted() {
		return "", "", false
	}
	if s, err := started(); err == nil {
		address = s.URL()
	}
	sum := sha256.Sum256([]byte(path))
	return address, uuid(sum[:16]), true
}

func (s *Server) of(database string) string {
	u := *s.url
	u.Path = "/" + database
	return u.String()
}

// share makes the shared database; test processes that use one server may do so at once.
func (s *Server) share() error {
	err := s.sql("postgres", "CREATE DATABASE "+Database)
	if err != nil && (strings.Contains(err.Error(), "already exists") || strings.Contains(err.Error(), "duplicate key")) {
		return nil
	}
	return err
}

func (s *Server) sql(database, statements string) error {
	_, err := s.rows(database, statements)
	return err
}

// rows runs statements by psql: the driver stays in package postgres.
func (s *Server) rows(database, statements string) (string, error) {
	cmd := exec.Command(filepath.Join(s.bin, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", s.of(database))
	cmd.Stdin = strings.NewReader(statements) // they may be longer than an argument
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, said.String())
	}
	return string(out), nil
}

// programs returns the folder of the newest server's programs. Debian keeps them off the PATH.
func programs() (bin string, found bool) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil { // a link may stand alone
			return filepath.Dir(path), true
		}
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is well formed
	if len(all) == 0 {
		return "", false
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) { // 9 is before 15
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return filepath.Dir(all[len(all)-1]), true
}

// script makes a cluster in folder $2 with the programs in $1, starts it, says "ready", and ends it when its
// input does. Tests of random histories have hundreds of stores open side by side, each with connections.
const script = `set -eu
bin=$1 folder=$2
cd "$folder"
trap 'cd /; rm -rf "$folder"/* 2>/dev/null; rmdir "$folder" 2>/dev/null' EXIT
"$bin/initdb" -D data -U engram -A trust -E UTF8 --locale=C --no-sync --no-instructions >log 2>&1 || { cat log; exit 1; }
"$bin/postgres" -D data -c listen_addresses= -c unix_socket_directories="$folder" -c fsync=off -c full_page_writes=off \
	-c max_connections=500 -c shared_buffers=64MB -c jit=off -c log_statement=none >>log 2>&1 </dev/null &
server=$!
tries=0
until "$bin/pg_isready" -q -h "$folder" -U engram; do
	tries=$((tries + 1))
	if ! kill -0 $server 2>/dev/null || [ $tries -gt 1000 ]; then
		tail -20 log
		kill -KILL $server 2>/dev/null || true
		exit 1
	fi
	sleep 0.05
done
echo ready
exec >/dev/null 2>&1
cat >/dev/null || true
kill -INT $server 2>/dev/null || true
wait $server || true
`

// poolerScript starts the pgbouncer $1 in folder $2 before the server in $3, as script does with the server.
const poolerScript = `set -eu
bin=$1 folder=$2 server=$3
cd "$folder"
trap 'cd /; rm -rf "$folder"' EXIT
cat >ini <<END
[databases]
* = host=$server user=engram
[pgbouncer]
listen_addr =
unix_socket_dir = $folder
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 3
ignore_startup_parameters = extra_float_digits
END
"$bin" ini >log 2>&1 </dev/null &
pooler=$!
tries=0
until [ -S .s.PGSQL.6432 ]; do
	tries=$((tries + 1))
	if ! kill -0 $pooler 2>/dev/null || [ $tries -gt 1000 ]; then
		cat log
		kill -KILL $pooler 2>/dev/null || true
		exit 1
	fi
	sleep 0.05
done
echo ready
exec >/dev/null 2>&1
cat >/dev/null || true
kill -TERM $pooler 2>/dev/null || true
wait $pooler || true
`

// launch runs a script that starts a server in a folder, as an ordinary user, and waits until it is ready. The system closes held
// when this process ends.
func launch(script, bin, folder string, more ...string) (held io.Closer, err error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "sh", bin, folder}, more...)...)
	if err := ordinary(cmd, folder); err != nil {
		return nil, err
	}
	if held, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	said, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	var lines []string
	for r := bufio.NewScanner(said); r.Scan(); {
		if r.Text() == "ready" {
			return held, nil
		}
		lines = append(lines, r.Text())
	}
	return nil, fmt.Errorf("it did not start: %w: %s", cmd.Wait(), strings.Join(lines, "\n"))
}
