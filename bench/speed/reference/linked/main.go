// Command linked is what a process of Go with SQLite linked in takes at least: without an argument it only says so,
// with a database it reads one memory.
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "modernc.org/sqlite"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		fmt.Println("linked")
		return nil
	}
	db, err := sql.Open("sqlite", args[0])
	if err != nil {
		return err
	}
	defer db.Close()
	var title string
	if err := db.QueryRow("SELECT title FROM memories LIMIT 1").Scan(&title); err != nil {
		return fmt.Errorf("read %s: %w", args[0], err)
	}
	fmt.Println(title)
	return nil
}
