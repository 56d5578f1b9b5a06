// Command record is Engram that also writes which statements SQLite ran for a command, with their arguments and how many
// rows were read, for the reference program bare. It needs no hook in Engram: each connection that SQLite opens gets a trace.
//
//	record --data-dir FOLDER engram's further arguments...    # writes FOLDER/statements
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"github.com/alanbuscaglia/engram/bench/speed/replay"
	"github.com/alanbuscaglia/engram/internal/cli"
	"github.com/alanbuscaglia/engram/internal/cli/command"
)

func main() {
	trace()
	code := cli.Run(context.Background(), command.Options{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: "record"})
	if err := os.WriteFile(filepath.Join(os.Args[2], replay.Name), replay.Format(ran), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		code = 1
	}
	os.Exit(code)
}

var (
	ran     []replay.Statement
	running = map[uintptr]int{} // places in ran of the statements that run
)

// trace gives a trace to all connections that will be opened.
func trace() {
	tls := libc.NewTLS()
	lib.Xsqlite3_auto_extension(tls, function(func(tls *libc.TLS, db, _, _ uintptr) int32 {
		return lib.Xsqlite3_trace_v2(tls, db, lib.SQLITE_TRACE_STMT|lib.SQLITE_TRACE_ROW, function(traced), 0)
	}))
}

func traced(tls *libc.TLS, event uint32, _, statement, text uintptr) int32 {
	if event == lib.SQLITE_TRACE_ROW {
		if i, ok := running[statement]; ok {
			ran[i].Rows++
		}
		return 0
	}
	if begins := libc.GoString(text); len(begins) > 1 && begins[:2] == "--" { // of a trigger
		return 0
	}
	sql := libc.GoString(lib.Xsqlite3_sql(tls, statement))
	filled := lib.Xsqlite3_expanded_sql(tls, statement)
	args, err := replay.Arguments(sql, libc.GoString(filled))
	lib.Xsqlite3_free(tls, filled)
	if err != nil {
		panic(err)
	}
	running[statement] = len(ran)
	ran = append(ran, replay.Statement{SQL: sql, Args: args})
	return 0
}

// function is a Go function as the translated C code calls it.
func function[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}
