// Package demo holds the command demo: two agent sessions over MCP on a temporary database, the first of which saves
// what the second finds. It is the only MCP client of the program, and starts the program itself as the server.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Commands returns the command demo.
func Commands() []command.Maker {
	return []command.Maker{
		command.In(command.GroupServe, "demo", demoCommand),
	}
}

// DemoDoc is the answer of `demo --json`.
type DemoDoc struct {
	Saved    []demoSaved  `json:"saved"`    // by the first session
	Answers  []demoAnswer `json:"answers"`  // to the second session
	Answered int          `json:"answered"` // questions with the expected memory first
	Bytes    int64        `json:"bytes"`    // size of the database between the sessions
}

type demoSaved struct {
	ID    int64  `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title"`
	Saw   string `json:"saw"` // the reply to the agent
}

type demoAnswer struct {
	Question string `json:"question"`
	Want     int64  `json:"want"` // id expected first
	Got      int64  `json:"got"`  // id found first; 0 for none
	OK       bool   `json:"ok"`
	Saw      string `json:"saw"` // the reply to the agent
}

// demoProject is the project of the demo; its database holds no other.
const demoProject = "demo-shop"

func demoCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show one agent session saving and the next one finding",
		Long: `Run two agent sessions over MCP on a temporary database: the first saves decisions and bug fixes and ends, the second is a
new process that asks in plain English. Your own memories are not touched.`,
		Example: command.Examples("engram demo", "engram demo --json"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return demo(cmd.Context(), p) },
	}
}

func demo(ctx context.Context, p *command.Program) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "engram-demo-")
	if err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot create a folder for the temporary database").WithCause(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	doc := DemoDoc{Saved: []demoSaved{}, Answers: []demoAnswer{}}
	if err := demoSession(ctx, p, dir, doc.save); err != nil {
		return err
	}
	if doc.Bytes, err = folderSize(dir); err != nil {
		return err
	}
	if err := demoSession(ctx, p, dir, doc.ask); err != nil {
		return err
	}
	if err := p.Answer(doc, func(b *strings.Builder) { writeDemo(b, doc, command.Self()) }); err != nil {
		return err
	}
	if doc.Answered < len(doc.Answers) {
		return engram.Errorf(engram.CodeInternal, "%d of %d questions were not answered by the expected memory",
			len(doc.Answers)-doc.Answered, len(doc.Answers))
	}
	return nil
}

// demoSession starts `engram mcp` on the database in dir, calls work with a client, and waits for the process
// to end.
func demoSession(ctx context.Context, p *command.Program, dir string, work func(context.Context, *mcp.ClientSession) error) error {
	exe, err := os.Executable()
	if err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot find the path of this program").WithCause(err)
	}
	cmd := exec.CommandContext(ctx, exe, "mcp", "--data-dir", dir, "--project", demoProject)
	cmd.Dir = dir
	// The user's settings are left out, so that the demo cannot reach the real database.
	cmd.Env = []string{"HOME=" + dir}
	for _, name := range []string{"PATH", "TMPDIR", "SYSTEMROOT"} {
		if v, ok := p.Env(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	client := mcp.NewClient(&mcp.Implementation{Name: "engram-demo", Version: p.Version}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err == nil {
		err = errors.Join(work(ctx, session), session.Close())
	}
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "the demo's MCP session failed").
			WithHint("its server said: %s", strings.TrimSpace(log.String())).WithCause(err)
	}
	return nil
}

// save plays the first session.
func (d *DemoDoc) save(ctx context.Context, s *mcp.ClientSession) error {
	for _, m := range demoMemories() {
		var reply struct {
			ID     int64  `json:"id"`
			Result string `json:"result"`
		}
		args := map[string]any{"title": m.title, "content": m.content, "type": m.typ}
		if err := callTool(ctx, s, "mem_save", args, &reply); err != nil {
			return err
		}
		d.Saved = append(d.Saved, demoSaved{ID: reply.ID, Type: m.typ, Title: m.title, Saw: reply.Result})
	}
	return nil
}

// ask plays the second session.
func (d *DemoDoc) ask(ctx context.Context, s *mcp.ClientSession) error {
	for _, q := range demoQuestions() {
		var reply struct {
			Result  string `json:"result"`
			Results []struct {
				ID int64 `json:"id"`
			} `json:"results"`
		}
		if err := callTool(ctx, s, "mem_search", map[string]any{"query": q.text, "limit": 3}, &reply); err != nil {
			return err
		}
		a := demoAnswer{Question: q.text, Want: d.Saved[q.want].ID, Saw: reply.Result}
		if len(reply.Results) > 0 {
			a.Got = reply.Results[0].ID
		}
		if a.OK = a.Got == a.Want; a.OK {
			d.Answered++
		}
		d.Answers = append(d.Answers, a)
	}
	return nil
}

// callTool calls a tool and decodes its JSON text into reply.
func callTool(ctx context.Context, s *mcp.ClientSession, name string, args map[string]any, reply any) error {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var text strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if res.IsError {
		return fmt.Errorf("%s returned an error: %s", name, text.String())
	}
	if err := json.Unmarshal([]byte(text.String()), reply); err != nil {
		return fmt.Errorf("%s did not return JSON: %w", name, err)
	}
	return nil
}

// folderSize returns the total size of the files below dir, in bytes.
func folderSize(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

func writeDemo(b *strings.Builder, d DemoDoc, self string) {
	fmt.Fprintf(b, "Two agent sessions, one memory. Each session is a separate process (engram mcp)\non a temporary database, called over stdio as an agent would.\n\n")
	fmt.Fprintln(b, "Session 1 · an agent works and saves what it learns")
	for _, s := range d.Saved {
		line, _, _ := strings.Cut(s.Saw, "\n")
		fmt.Fprintf(b, "  mem_save → %s\n", line)
	}
	fmt.Fprintf(b, "  The process has ended. All that remains is a database of %s.\n\n", command.SizeText(d.Bytes))
	fmt.Fprintln(b, "Session 2 · a new process asks")
	for _, a := range d.Answers {
		mark := "✓"
		if !a.OK {
			mark = "✗"
		}
		fmt.Fprintf(b, "\n%s %s\n", mark, a.Question)
		writeFirstHit(b, a.Saw)
	}
	fmt.Fprintf(b, "\n%d of %d questions returned the expected memory first. The temporary database was deleted.\n", d.Answered, len(d.Answers))
	connect := self + " setup"
	if self != "engram" { // go run deletes its binary at the end, so setup would reject it
		connect = "go build -o bin/engram ./cmd/engram && bin/engram setup"
	}
	fmt.Fprintf(b, "\nConnect your own agents:\n  %s\nor serve all of them:\n  %s serve\n", connect, self)
}

// writeFirstHit writes the first hit of a reply, without its date.
func writeFirstHit(b *strings.Builder, saw string) {
	for _, block := range strings.Split(saw, "\n\n") {
		if !strings.HasPrefix(block, "[1] ") {
			continue
		}
		lines := strings.Split(block, "\n")
		fmt.Fprintf(b, "    %s\n", strings.TrimPrefix(lines[0], "[1] "))
		if len(lines) > 1 {
			writeWords(b, lines[1], "      ")
		}
		return
	}
	writeWords(b, render.Line(saw, 300), "    ")
}

// writeWords writes words in lines of at most 84 columns, each after indent.
func writeWords(b *strings.Builder, words, indent string) {
	fmt.Fprintln(b, render.Fold(indent+render.Line(words, 0), indent, 84))
}

type demoMemory struct{ typ, title, content string }

// demoQuestion is a question of the second session, and the index in demoMemories of its answer.
type demoQuestion struct {
	text string
	want int
}

// demoMemories are an afternoon's learnings about a small shop.
func demoMemories() []demoMemory {
	return []demoMemory{
		{"decision", "Access tokens live 15 minutes",
			"JWT access tokens expire after 15 minutes; the refresh token lives 14 days in an httpOnly cookie. A stolen laptop must be useless by the next morning, and support can revoke the refresh token."},
		{"decision", "Postgres for orders instead of MySQL",
			"Orders live in Postgres. The partial index on open orders keeps the warehouse screen under 20 ms, and supplier data fits into JSONB without a migration for each supplier."},
		{"bugfix", "N+1 queries in UserList.loadAll",
			"The admin page was slow because UserList.loadAll asked for the roles of each user in a query of its own. It is one JOIN now: 1,900 ms became 40 ms for 800 users."},
		{"bugfix", "A repeated webhook charged customers twice",
			"Stripe sends a webhook again when we answer later than 5 seconds. handleInvoicePaid now keeps the event id in processed_events and ignores what it has seen."},
		{"pattern", "Money is a whole number of cents",
			"Prices and amounts are int64 cents everywhere, with the currency beside them. Floats lost a cent in one of 300 invoices."},
		{"config", "Invoice tests need TZ=UTC",
			"The tests of invoice periods pass on CI and fail on laptops in other time zones: the period is cut at local midnight. Run them with TZ=UTC until the period type carries its zone."},
	}
}

// demoQuestions ask for them in other words.
func demoQuestions() []demoQuestion {
	return []demoQuestion{
		{"How long does an access token live before people have to log in again?", 0},
		{"Which database did we choose for the orders, and why?", 1},
		{"Have we ever charged a customer twice?", 3},
		{"Why was the admin page so slow with many users?", 2},
		{"Should a price be a float?", 4},
		{"A test fails on my laptop but not on CI, is it the time zone?", 5},
	}
}
