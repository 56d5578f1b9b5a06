package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/eval"
)

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
