// Command bare runs statements that record has kept, on a database of SQLite: the least that a process of Go takes which
// asks SQLite for the same and does nothing with it. It uses the driver without database/sql, as Engram does.
//
//	bare FILE DATABASE
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"

	_ "modernc.org/sqlite"

	"github.com/alanbuscaglia/engram/bench/speed/replay"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func run(file, database string) (err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	all, err := replay.Parse(string(text))
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", database)
	if err != nil {
		return err
	}
	c, err := db.Driver().Open("file:" + database + "?mode=rw")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	prepared := map[string]driver.Stmt{}
	for _, s := range all {
		if prepared[s.SQL] == nil {
			if prepared[s.SQL], err = c.Prepare(s.SQL); err != nil {
				return fmt.Errorf("%s: %w", s.SQL, err)
			}
		}
		if err := read(prepared[s.SQL], s); err != nil {
			return fmt.Errorf("%s: %w", s.SQL, err)
		}
	}
	for _, s := range prepared {
		err = errors.Join(err, s.Close())
	}
	return err
}

func read(p driver.Stmt, s replay.Statement) error {
	args := make([]driver.NamedValue, len(s.Args))
	for i, a := range s.Args {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := p.(driver.StmtQueryContext).QueryContext(context.Background(), args)
	if err != nil {
		return err
	}
	values := make([]driver.Value, len(rows.Columns()))
	for range s.Rows {
		if err = rows.Next(values); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, rows.Close())
}
