package postgrestest

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Own is a cluster of one test's own, which it may kill. It ends with the test.
type Own struct {
	*Server
	folder string
	file   int // most KiB of a file; 0: no limit
}

// ownGuard ends the cluster in folder $2 when its input does, whatever has become of it.
const ownGuard = `bin=$1 folder=$2
echo ready
exec >/dev/null 2>&1
cat >/dev/null || true
"$bin/pg_ctl" -D "$folder/data" -m immediate stop
rm -rf "$folder"/* 2>/dev/null; rmdir "$folder" 2>/dev/null
`

// NewOwn makes and starts a cluster in which no file can have more than file KiB, 0 for no limit: to it the disk is full
// then.
func (s *Server) NewOwn(t testing.TB, file int) *Own {
	t.Helper()
	return s.own(t, file, `"$bin/initdb" -D data -U engram -A trust -E UTF8 --locale=C --no-sync --no-instructions >log 2>&1`)
}

// Standby makes and starts a copy of the cluster that follows it, and for which its commits wait from then on.
func (o *Own) Standby(t testing.TB) *Own {
	t.Helper()
	standby := o.own(t, 0, `"$bin/pg_basebackup" -D data -h `+o.folder+` -U engram -R -X stream -c fast >log 2>&1 && echo "primary_conninfo = 'host=`+o.folder+` user=engram application_name=standby'" >>data/postgresql.auto.conf`)
	o.Setting(t, "synchronous_standby_names = 'standby'")
	return standby
}

// Setting appends a line to the configuration of the running cluster.
func (o *Own) Setting(t testing.TB, line string) {
	t.Helper()
	o.run(t, `echo "`+line+`" >>data/postgresql.auto.conf; "$bin/pg_ctl" -D data reload >/dev/null`)
}

func (s *Server) own(t testing.TB, file int, making string) *Own {
	t.Helper()
	if s.bin == "" {
		t.Skip("skipped: no programs of Postgres here")
	}
	folder, err := os.MkdirTemp("", "engram-own-")
	if err != nil {
		t.Fatal(err)
	}
	held, err := launch(ownGuard, s.bin, folder)
	if err != nil {
		t.Fatal(err)
	}
	o := &Own{folder: folder, file: file, Server: &Server{bin: s.bin, held: held, url: &url.URL{Scheme: "postgres", User: url.User("engram"), Path: "/postgres",
		RawQuery: url.Values{"host": {folder}, "sslmode": {"disable"}}.Encode()}}}
	t.Cleanup(func() { _ = held.Close() })
	o.run(t, making)
	o.Start(t)
	return o
}

// Start starts the cluster, which is stopped or was killed.
func (o *Own) Start(t testing.TB) {
	t.Helper()
	limit := ""
	if o.file > 0 {
		limit = "ulimit -f $((" + strconv.Itoa(o.file) + " * 2)); " // in blocks of 512 bytes
	}
	o.run(t, limit+`"$bin/pg_ctl" -D data -l log -w -t 60 -o "-c listen_addresses= -c unix_socket_directories=$folder -c fsync=off -c shared_buffers=16MB -c max_connections=50 -c jit=off" start >/dev/null 2>&1 || { tail -20 log >&2; exit 1; }`)
}

// Kill ends all processes of the cluster at once, as kill -9 does.
func (o *Own) Kill(t testing.TB) {
	t.Helper()
	o.run(t, `main=$(head -1 data/postmaster.pid)
kill -STOP $main
kill -KILL $(cat /proc/$main/task/$main/children) $main
while kill -0 $main 2>/dev/null; do sleep 0.02; done
rm -f data/postmaster.pid`)
}

// Promote makes a standby a primary.
func (o *Own) Promote(t testing.TB) {
	t.Helper()
	o.run(t, `"$bin/pg_ctl" -D data -w promote >/dev/null`)
}

// URL returns the address of its database postgres; with others, that of the first of them that can write.
func (o *Own) URL(others ...*Own) string {
	u := *o.url
	hosts := []string{o.folder}
	for _, other := range others {
		hosts = append(hosts, other.folder)
	}
	q := u.Query()
	q.Set("host", strings.Join(hosts, ","))
	if len(others) > 0 {
		q.Set("port", strings.TrimSuffix(strings.Repeat("5432,", len(hosts)), ","))
		q.Set("target_session_attrs", "read-write")
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// run runs a script in the folder of the cluster as its user.
func (o *Own) run(t testing.TB, script string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "set -eu; bin=$1 folder=$2; cd \"$folder\"\n"+script, "sh", o.bin, o.folder)
	if err := ordinary(cmd, o.folder); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(o.folder, "log"))
		t.Fatalf("%v: %s\n%.3000s", err, said.String(), log)
	}
}
