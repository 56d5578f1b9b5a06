package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

var update = flag.Bool("update", false, "write golden files and transcripts instead of comparing")

// TestTranscripts plays the conversations of testdata, a folder per dialect, against a server on
// standard input and output, over a real engine on a real store.
//
// A transcript has a file "in": a line per step. A JSON line is sent as it is and its
// answer awaited; "name {arguments}" is short for a tools/call. The word $TOKEN stands
// for the newest recovery token. "git PATH" makes a repository, "advance 11m" moves the
// clock, "serve KEY=VALUE…" begins a new process with other options on the same store.
// The file "out" has the answers: "text" of a tool first where it is not JSON, or says
// something else than the structured answer, then that.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var in, want string
			for _, f := range archive.Files {
				switch f.Name {
				case "in":
					in = string(f.Data)
				case "out":
					want = string(f.Data)
				}
			}
			got := newTalk(t).play(in)
			if *update {
				archive.Files = []txtar.File{{Name: "in", Data: []byte(in)}, {Name: "out", Data: []byte(got)}}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("%s: the answers differ (rewrite with -update)\n%s", file, firstDifference(got, want))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, a, b)
		}
	}
	return ""
}

// talk is one conversation.
type talk struct {
	t     *testing.T
	dir   string // the world: repositories live here
	store string // the folder of the database
	clock *enginetest.Clock
	opts  mcp.Options

	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error
	id    int
	token string
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	tk := &talk{t: t, dir: t.TempDir(), store: t.TempDir()}
	work := filepath.Join(tk.dir, "demo")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	e, clock := enginetest.Open(t, filepath.Join(tk.store, "engram.db"))
	tk.clock, tk.opts = clock, mcp.Options{Engine: e, Version: "1.2.3", Tools: "all", Dir: work}
	return tk
}

// start begins a process and shakes hands.
func (tk *talk) start() {
	tk.t.Helper()
	tk.stop()
	s, err := mcp.New(tk.opts)
	if err != nil {
		tk.t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	tk.in, tk.out, tk.ended = inW, bufio.NewReader(outR), make(chan error, 1)
	go func() { tk.ended <- s.ServeStdio(context.Background(), inR, outW) }()
	tk.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	tk.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (tk *talk) stop() {
	tk.t.Helper()
	if tk.in == nil {
		return
	}
	tk.in.Close()
	if err := <-tk.ended; err != nil {
		tk.t.Errorf("the server ended with %v", err)
	}
	tk.in = nil
}

func (tk *talk) send(line string) {
	tk.t.Helper()
	if _, err := io.WriteString(tk.in, line+"\n"); err != nil {
		tk.t.Fatalf("send %s: %v", line, err)
	}
}

func (tk *talk) ask(line string) []byte {
	tk.t.Helper()
	tk.send(line)
	answer, err := tk.out.ReadBytes('\n')
	if err != nil {
		tk.t.Fatalf("answer to %s: %v", line, err)
	}
	return answer
}

func (tk *talk) play(in string) string {
	tk.t.Helper()
	var out strings.Builder
	for line := range strings.Lines(in) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
		case word == "git":
			tk.git(rest)
		case word == "advance":
			d, err := time.ParseDuration(rest)
			if err != nil {
				tk.t.Fatal(err)
			}
			tk.clock.Add(d)
		case word == "serve":
			tk.configure(rest)
			tk.start()
		default:
			if tk.in == nil {
				tk.start()
			}
			fmt.Fprintf(&out, "> %s\n%s\n", line, tk.step(line))
		}
	}
	tk.stop()
	return out.String()
}

func (tk *talk) git(path string) {
	tk.t.Helper()
	dir := filepath.Join(tk.dir, path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tk.t.Fatal(err)
	}
	if out, err := exec.Command("git", "-c", "init.defaultBranch=main", "init", "-q", dir).CombinedOutput(); err != nil {
		tk.t.Fatalf("git init: %v\n%s", err, out)
	}
}

func (tk *talk) configure(options string) {
	tk.t.Helper()
	for option := range strings.FieldsSeq(options) {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "project":
			tk.opts.Project = value
		case "dir":
			tk.opts.Dir = filepath.Join(tk.dir, value)
			if err := os.MkdirAll(tk.opts.Dir, 0o755); err != nil {
				tk.t.Fatal(err)
			}
		case "tools":
			tk.opts.Tools = value
		default:
			tk.t.Fatalf("no option %q", key)
		}
	}
}

// step sends one line and tells its answer.
func (tk *talk) step(line string) string {
	tk.t.Helper()
	line = strings.ReplaceAll(line, "$TOKEN", tk.token)
	if !strings.HasPrefix(line, "{") {
		name, args, _ := strings.Cut(line, " ")
		if args == "" {
			args = "{}"
		}
		tk.id++
		line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tk.id, name, args)
	}
	return tk.reported(tk.ask(line))
}

// reported is an answer as the transcript shows it.
func (tk *talk) reported(answer []byte) string {
	tk.t.Helper()
	var a struct {
		Error  json.RawMessage `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		tk.t.Fatalf("%s: %v", answer, err)
	}
	if a.Error != nil {
		return "protocol error " + string(a.Error)
	}
	var r struct {
		Content []struct{ Type, Text string } `json:"content"`
		Object  json.RawMessage               `json:"structuredContent"`
		IsError bool                          `json:"isError"`
	}
	if err := json.Unmarshal(a.Result, &r); err != nil {
		tk.t.Fatalf("%s: %v", answer, err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		return tk.pretty(a.Result)
	}
	if m := regexp.MustCompile(`"recovery_token":"([A-Z2-7]+)"`).FindSubmatch(r.Object); m != nil {
		tk.token = string(m[1])
	}
	var b strings.Builder
	if r.IsError {
		b.WriteString("isError ")
	}
	switch said := r.Content[0].Text; {
	case said == string(r.Object):
	case !r.IsError && strings.HasPrefix(said, `{"project":`): // less in the text, or more
		b.WriteString(tk.pretty(json.RawMessage(said)) + "\nstructured ")
	default:
		b.WriteString(tk.places(said) + "\n")
	}
	b.WriteString(tk.pretty(r.Object))
	return b.String()
}

// device is the store behind the clock of a stamp: a random name.
var device = regexp.MustCompile(`([0-9a-f]{16})-[0-9a-f]{16}`)

// places replaces the folders of the test, and the name of its store, which change from run to
// run.
func (tk *talk) places(s string) string {
	return device.ReplaceAllString(strings.NewReplacer(tk.dir, "$WORLD", tk.store, "$STORE").Replace(s), "$1-STORE")
}

// pretty writes an object for people: a member a line, texts with their own line
// breaks, and what changes from run to run replaced.
func (tk *talk) pretty(object json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, object, "", "  "); err != nil {
		tk.t.Fatalf("%s: %v", object, err)
	}
	s := b.String()
	for _, r := range []struct{ old, new string }{
		{`\n`, "\n      "}, {`\"`, `"`}, {`\u003c`, "<"}, {`\u003e`, ">"}, {`\u0026`, "&"},
	} {
		s = strings.ReplaceAll(s, r.old, r.new)
	}
	s = tk.places(s)
	if tk.token != "" {
		s = strings.ReplaceAll(s, tk.token, "$TOKEN")
	}
	return s
}
