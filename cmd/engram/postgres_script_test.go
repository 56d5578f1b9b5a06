package main

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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

// elsewhere are the scripts about files: what others say of a store holds for a database, too.
var elsewhere = strings.Fields(`bad_import config config_set daemon delete doctor exit_codes export home hook_silent import_replace ingest_tries list metrics migrate private save setup_service store
	takeover takeover_earlier`)

// TestScriptsOnPostgres runs the scripts once more, with a space for each data directory; make test-postgres asks for it.
func TestScriptsOnPostgres(t *testing.T) {
	if os.Getenv("ENGRAM_TEST_SCRIPTS") != "postgres" {
		t.Skip("skipped: make test-postgres runs them")
	}
	server := postgrestest.Start(t)
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(name string) bool {
		return slices.Contains(elsewhere, strings.TrimSuffix(filepath.Base(name), ".txtar"))
	})
	testscript.Run(t, testscript.Params{Files: files, RequireExplicitExec: true, Cmds: scriptCommands(), Setup: func(e *testscript.Env) error {
		e.Setenv("ENGRAM_STORE", server.URL())
		e.Setenv(spacesOf, postgrestest.Space())
		return setup(e)
	}})
}

// spacesOf is the variable that gives each data directory a space of its own.
const spacesOf = "ENGRAM_TEST_SPACES_OF"

// inSpace is main, in the space of its data directory where a test says so.
func inSpace() {
	if of := os.Getenv(spacesOf); of != "" && os.Getenv("ENGRAM_SPACE") == "" {
		dir := os.Getenv("ENGRAM_DATA_DIR")
		for i, arg := range os.Args {
			if arg == "--data-dir" && i+1 < len(os.Args) {
				dir = os.Args[i+1]
			} else if given, is := strings.CutPrefix(arg, "--data-dir="); is {
				dir = given
			}
		}
		if dir == "" {
			dir = filepath.Join(os.Getenv("HOME"), ".engram")
		}
		if full, err := filepath.Abs(dir); err == nil {
			dir = full
		}
		sum := sha256.Sum256([]byte(of + dir))
		h := hex.EncodeToString(sum[:])
		_ = os.Setenv("ENGRAM_SPACE", h[:8]+"-"+h[8:12]+"-"+h[12:16]+"-"+h[16:20]+"-"+h[20:32])
	}
	main()
}
