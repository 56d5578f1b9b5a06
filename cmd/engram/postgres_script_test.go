package main

import (
	"net/url"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/alanbuscaglia/engram/internal/postgrestest"
)

// The scripts of a program whose memories are in a database: $STORE is its address with a password, $OTHER that of
// another database. Each script has two of its own.
func TestPostgresScripts(t *testing.T) {
	server := postgrestest.Start(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/postgres",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("STORE", withPassword(t, server.Fresh(t)))
			e.Setenv("OTHER", withPassword(t, server.Fresh(t)))
			return setup(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "json": jsonField, "absent": absent, "bytes": writeBytes, "freeport": freePort, "http": request, "mode": mode, "stopped": stopped,
			"psql": func(ts *testscript.TestScript, _ bool, args []string) {
				server.SQL(t, ts.Getenv(args[0]), strings.Join(args[1:], " "))
			}},
	})
}

// withPassword adds a password, which a server that trusts its users does not ask for.
func withPassword(t *testing.T, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), "hunter2")
	return u.String()
}
