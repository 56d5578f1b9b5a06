// Command live measures a built engram binary as an agent meets it: it starts the
// program on an empty data directory, saves every document of the label sets through
// HTTP or MCP, asks every question, and prints how good and how fast the answers were.
//
// It knows nothing of the inside; what it measures is what a user gets.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// answers is how many finds a question asks for.
const answers = 20

// allSets are the sets that -all takes.
const allSets = "locomo,locomo-obs,githist,decisions,beam,cosqa,pmb"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	program, dir, questions string
	sets                    []string
	overMCP, apart          bool
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("live", flag.ContinueOnError)
	var (
		binary    = flags.String("bin", "bin/engram", "the engram `program` to measure")
		dir       = flags.String("dir", "../shared/eval", "the `folder` of the label sets")
		sets      = flags.String("sets", "decisions,githist", "comma-separated `names` of sets")
		all       = flags.Bool("all", false, "every set: "+allSets)
		questions = flags.String("queries", "queries.jsonl", "the `file` of questions in each set")
		overMCP   = flags.Bool("mcp", false, "save and ask through MCP on stdio instead of HTTP")
		apart     = flags.Bool("apart", false, "an empty store for each set, instead of one that holds them all")
	)
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if *all {
		*sets = allSets
	}
	program, err := filepath.Abs(*binary)
	return options{program, *dir, *questions, strings.Split(*sets, ","), *overMCP, *apart}, err
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.dir); errors.Is(err, os.ErrNotExist) {
		_, err := fmt.Fprintf(out, "nothing measured: there are no label sets in %s (name their folder with -dir)\n", o.dir)
		return err
	}
	var sets []eval.Set
	for _, name := range o.sets {
		set, err := eval.ReadSet(os.DirFS(o.dir), name, o.questions)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	fmt.Fprintf(out, "%-12s %6s %6s   %6s %6s %6s %7s   %8s %8s %8s\n",
		"set", "docs", "asked", "R@10", "nDCG", "MRR", "empty", "p50 ms", "p95 ms", "saves/s")
	if !o.apart {
		return measure(ctx, o, sets, out)
	}
	for _, set := range sets {
		if err := measure(ctx, o, []eval.Set{set}, out); err != nil {
			return err
		}
	}
	return nil
}

// floor is what a plain FTS5 index reaches: porter stems, stop words left out,
// words joined by OR, bm25().
type floor struct{ recall, ndcg float64 }

// floors has the floor of each set on its own questions, as the README of the label
// sets states it.
func floors() map[string]floor {
	return map[string]floor{
		"locomo": {.627, .483}, "locomo-obs": {.714, .615}, "githist": {.900, .806},
		"decisions": {.702, .641}, "beam": {.499, .391}, "cosqa": {.556, .375},
	}
}

// A face is one way to reach the program.
type face interface {
	// open makes the session of one group.
	open(ctx context.Context, session, project string) error
	// save returns the number under which the document is found again.
	save(ctx context.Context, session, project string, d eval.Document) (int64, error)
	// ask returns numbers, best first.
	ask(ctx context.Context, project, question string) ([]int64, error)
	close() error
}

// measured is what one set took and gave.
type measured struct {
	set   eval.Set
	named map[int64][]string // documents by the number they were saved under
	load  time.Duration
	asks  []time.Duration
}

// measure plays the sets against a fresh data directory: saves them all, then asks
// the questions of each, and prints a line for each.
func measure(ctx context.Context, o options, sets []eval.Set, out io.Writer) (err error) {
	data, err := os.MkdirTemp("", "engram-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	start := startHTTP
	if o.overMCP {
		start = startMCP
	}
	f, err := start(ctx, o.program, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	all := make([]measured, len(sets))
	for i, set := range sets {
		all[i] = measured{set: set, named: map[int64][]string{}}
		if err := all[i].save(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	for i := range all {
		report, err := all[i].ask(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", all[i].set.Name, err)
		}
		all[i].print(out, report)
		if floor, ok := floors()[all[i].set.Name]; ok && o.questions == "queries.jsonl" {
			fmt.Fprintf(out, "%-12s %6s %6s   %6.3f %6.3f\n", "  floor", "", "", floor.recall, floor.ndcg)
		}
	}
	return nil
}

// save saves every document. One that repeats another is counted by the program, not
// saved again: one number may stand for several documents.
func (m *measured) save(ctx context.Context, f face) error {
	for _, g := range m.set.Groups {
		if err := f.open(ctx, "s-"+m.project(g), m.project(g)); err != nil {
			return err
		}
	}
	began := time.Now()
	for _, d := range m.set.Documents {
		p := m.project(d.Group)
		if d.Title == "" {
			d.Title = firstLine(d.Text)
		}
		num, err := f.save(ctx, "s-"+p, p, d)
		if err != nil {
			return fmt.Errorf("save %s: %w", d.ID, err)
		}
		m.named[num] = append(m.named[num], d.ID)
	}
	m.load = time.Since(began)
	return nil
}

// ask asks every question.
func (m *measured) ask(ctx context.Context, f face) (eval.Report, error) {
	rankings := map[string][]string{}
	for _, q := range m.set.Questions {
		asked := time.Now()
		nums, err := f.ask(ctx, m.project(q.Group), q.Text)
		m.asks = append(m.asks, time.Since(asked))
		if err != nil {
			return eval.Report{}, fmt.Errorf("ask %s: %w", q.ID, err)
		}
		for _, n := range nums {
			rankings[q.ID] = append(rankings[q.ID], m.named[n]...)
		}
	}
	return eval.Measure(m.set, rankings), nil
}

func (m *measured) print(out io.Writer, r eval.Report) {
	slices.Sort(m.asks)
	ms := func(share float64) float64 {
		if len(m.asks) == 0 {
			return 0
		}
		return float64(m.asks[int(share*float64(len(m.asks)-1))].Microseconds()) / 1000
	}
	fmt.Fprintf(out, "%-12s %6d %6d   %6.3f %6.3f %6.3f %6.1f%%   %8.2f %8.2f %8.0f\n",
		m.set.Name, len(m.set.Documents), r.Questions, r.Recall, r.NDCG, r.MRR, 100*r.Empty,
		ms(.5), ms(.95), float64(len(m.set.Documents))/m.load.Seconds())
}

func (m *measured) project(group string) string { return "bench-" + m.set.Name + "-" + group }

// firstLine is the title of a document without one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > 80 {
		line = string(r[:80])
	}
	return cmp.Or(line, "untitled")
}

// startup is how long the server may take until it answers.
const startup = 10 * time.Second

// httpFace speaks to `engram serve`.
type httpFace struct {
	base    string
	client  http.Client
	process *exec.Cmd
	log     *os.File
}

// startHTTP starts a server on a free port and waits until it is well.
func startHTTP(ctx context.Context, program, data string) (face, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	logPath := filepath.Join(data, "serve.log")
	log, err := os.Create(logPath)
	if err != nil {
		return nil, err
	}
	f := &httpFace{base: "http://127.0.0.1:" + port, client: http.Client{Timeout: time.Minute}, log: log}
	f.process = exec.CommandContext(ctx, program, "serve", port)
	f.process.Env = environment(data)
	f.process.Dir = data
	f.process.Stdout, f.process.Stderr = log, log
	if err := f.process.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	deadline := time.Now().Add(startup)
	for {
		if err = f.call(ctx, http.MethodGet, "/health", nil, nil); err == nil {
			return f, nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			said, _ := os.ReadFile(logPath)
			return nil, errors.Join(fmt.Errorf("the server does not answer: %w; it said:\n%s", err, said), f.close())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (f *httpFace) open(ctx context.Context, session, project string) error {
	return f.call(ctx, http.MethodPost, "/sessions", map[string]any{"id": session, "project": project}, nil)
}

func (f *httpFace) save(ctx context.Context, session, project string, d eval.Document) (int64, error) {
	var saved struct{ ID int64 }
	err := f.call(ctx, http.MethodPost, "/observations", map[string]any{
		"session_id": session, "project": project, "scope": "project", "type": "manual", "title": d.Title, "content": d.Text,
	}, &saved)
	return saved.ID, err
}

func (f *httpFace) ask(ctx context.Context, project, question string) ([]int64, error) {
	var found []struct{ ID int64 }
	values := url.Values{"q": {question}, "project": {project}, "limit": {strconv.Itoa(answers)}}
	err := f.call(ctx, http.MethodGet, "/search?"+values.Encode(), nil, &found)
	var nums []int64
	for _, x := range found {
		nums = append(nums, x.ID)
	}
	return nums, err
}

func (f *httpFace) close() error {
	err := f.process.Process.Signal(os.Interrupt)
	if err == nil {
		err = f.process.Wait()
	}
	return errors.Join(err, f.log.Close())
}

// call sends one request and decodes its answer into out; nil throws it away.
func (f *httpFace) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, f.base+path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// freePort returns a port that nobody listened on a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// environment is ours without settings of a user's own engram.
func environment(data string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if len(kv) < 7 || kv[:7] != "ENGRAM_" {
			env = append(env, kv)
		}
	}
	return append(env, "ENGRAM_DATA_DIR="+filepath.Join(data, "store"))
}

// mcpFace speaks to `engram mcp` on its standard input and output.
type mcpFace struct {
	data    string
	session *mcp.ClientSession
}

func startMCP(ctx context.Context, program, data string) (face, error) {
	cmd := exec.Command(program, "mcp")
	cmd.Env = environment(data)
	cmd.Dir = data
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "engram-eval", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, err
	}
	return &mcpFace{data: data, session: session}, nil
}

// open starts the session in a folder of the project's name, which is how an agent
// tells where it works.
func (f *mcpFace) open(ctx context.Context, session, project string) error {
	dir := filepath.Join(f.data, "folders", project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return f.call(ctx, "mem_session_start", map[string]any{"id": session, "directory": dir}, nil)
}

func (f *mcpFace) save(ctx context.Context, session, _ string, d eval.Document) (int64, error) {
	var saved struct{ ID int64 }
	err := f.call(ctx, "mem_save", map[string]any{"session_id": session, "title": d.Title, "content": d.Text}, &saved)
	return saved.ID, err
}

func (f *mcpFace) ask(ctx context.Context, project, question string) ([]int64, error) {
	var found struct{ Results []struct{ ID int64 } }
	err := f.call(ctx, "mem_search", map[string]any{"query": question, "project": project, "limit": answers}, &found)
	var nums []int64
	for _, x := range found.Results {
		nums = append(nums, x.ID)
	}
	return nums, err
}

func (f *mcpFace) close() error { return f.session.Close() }

// call calls a tool and decodes the JSON of its text into out; nil throws it away.
// The text is what every client sees, so the text is what is measured.
func (f *mcpFace) call(ctx context.Context, tool string, args map[string]any, out any) error {
	res, err := f.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err
	}
	if len(res.Content) == 0 {
		return errors.New(tool + " answered nothing")
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		return fmt.Errorf("%s answered %T instead of text", tool, res.Content[0])
	}
	if res.IsError {
		return fmt.Errorf("%s: %.300s", tool, text.Text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal([]byte(text.Text), out)
}
