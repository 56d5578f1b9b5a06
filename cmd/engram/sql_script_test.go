package main

import (
	"database/sql"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the driver
)

// sql DATABASE FILE runs the statements of a file on a SQLite database, creating it if needed: data of other
// programs.
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql database file")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(db.Close())
}
