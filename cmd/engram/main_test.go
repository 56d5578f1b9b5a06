package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/alanbuscaglia/engram/internal/embedding/provider/providertest"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"engram": inSpace, "engram-without-room": withoutRoom})
}

// The scripts specify the program: each tells the story of an operation.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, Setup: setup, Cmds: scriptCommands()})
}

func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"code": code, "json": jsonField, "bytes": writeBytes, "repeat": writeRepeated, "poke": poke,
		"absent": absent, "freeport": freePort, "occupy": occupy, "http": request, "mode": mode, "now": now, "stopped": stopped, "running": running, "chunk": putChunk, "spoil": spoil, "bomb": putBomb, "recipient": recipient, "sql": runSQL, "madeModel": madeModel, "hub": modelHub, "served": served,
	}
}

// setup gives a script an empty home.
func setup(e *testscript.Env) error {
	e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
	e.Setenv("ENGRAM_TIMEZONE", "UTC")
	e.Values[hubKey{}] = &script{}
	e.Values[servedKey{}] = map[string]*providertest.Server{}
	return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o700)
}

// code N COMMAND… runs a command that must end with exit code N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%q: got exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", args[1:], got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// json PATH WANT compares one value of the JSON on stdout. PATH is like hits.0.memory.title; "len" at its end
// is the length of a list. Without WANT the path must exist; with ! it must not.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: [!] json path [want]")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	got, found := dig(v, strings.Split(args[0], "."))
	if len(args) == 1 {
		if found == neg {
			ts.Fatalf("%s: found is %v (%v), want %v", args[0], found, got, !neg)
		}
		return
	}
	text := ""
	if found {
		if s, ok := got.(string); ok {
			text = s
		} else {
			b, err := json.Marshal(got)
			ts.Check(err)
			text = string(b)
		}
	}
	if (found && text == args[1]) == neg {
		ts.Fatalf("%s: got %q (found: %v), want %q (not: %v)", args[0], text, found, args[1], neg)
	}
}

func dig(v any, path []string) (any, bool) {
	for _, key := range path {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[key]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if key == "len" {
				v = len(at)
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// bytes FILE HEX writes a file that a script cannot hold as text.
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	data, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// repeat FILE TEXT N writes TEXT N times; {n} in it is the number of the time.
func writeRepeated(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	var all bytes.Buffer
	for i := range n {
		all.WriteString(strings.ReplaceAll(args[1], "{n}", strconv.Itoa(i)))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), all.Bytes(), 0o600))
}

// poke FILE OFFSET HEX overwrites bytes in the middle of a file.
func poke(ts *testscript.TestScript, _ bool, args []string) {
	offset, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	data, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(data, offset)
	ts.Check(errors.Join(err, f.Close()))
}

// absent FOLDER TEXT looks into every file below a folder, byte by byte.
func absent(ts *testscript.TestScript, _ bool, args []string) {
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(args[1])) {
			ts.Fatalf("%s holds %q", path, args[1])
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("%s holds no files", args[0])
	}
}

// freeport NAME sets a variable to a free port.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	ts.Check(l.Close())
}

// now NAME sets a variable to the present time.
func now(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], time.Now().UTC().Format(time.RFC3339Nano))
}

// occupy NAME sets a variable to a port that is in use until the script ends.
func occupy(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	ts.Defer(func() { _ = l.Close() })
}

// http STATUS METHOD URL [BODY] sends a request to a server that may still be starting. The response is
// written to the file "answer".
func request(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: http status method url [body|@file]")
	}
	text := ""
	if len(args) > 3 {
		text = args[3]
		if name, file := strings.CutPrefix(text, "@"); file {
			text = ts.ReadFile(name)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var res *http.Response
	waittest.Until(ts, args[2]+" answers", func() bool {
		req, err := http.NewRequestWithContext(ctx, args[1], args[2], strings.NewReader(text))
		ts.Check(err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err = http.DefaultClient.Do(req)
		return err == nil
	})
	answer, err := io.ReadAll(res.Body)
	ts.Check(errors.Join(err, res.Body.Close()))
	ts.Check(os.WriteFile(ts.MkAbs("answer"), answer, 0o600))
	if strconv.Itoa(res.StatusCode) != args[0] {
		ts.Fatalf("%s %s: got %s\n%s\nwant %s", args[1], args[2], res.Status, answer, args[0])
	}
}

// mode MODE FILE… checks the permissions of files.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := strconv.FormatUint(uint64(info.Mode().Perm()), 8); got != args[0] {
			ts.Fatalf("mode of %s: got %s, want %s", name, got, args[0])
		}
	}
}

// A service manager starts the server on any port, reads where it is, and stops it
// with SIGTERM.
func TestServeStopsWhenTerminated(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "engram", "serve", "--json", "0", "--data-dir", t.TempDir())
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Address, MCP, Connect string }
	if err := json.NewDecoder(stdout).Decode(&doc); err != nil {
		t.Fatalf("stdout of serve --json: %v\nstderr: %s", err, stderr.String())
	}
	res, err := http.Get(doc.Address + "/health")
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s/health: got %v, %v; want 200", doc.Address, res, err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if doc.MCP != doc.Address+"/mcp" || !strings.HasSuffix(doc.Connect, doc.MCP) {
		t.Errorf("got %+v, want the endpoint under the address, and a command that ends in it", doc)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: got %v, want exit code 0\nstderr: %s", err, stderr.String())
	}
}
