package transcript

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/capture"
)

// OpenCode decodes the messages of a session that was started in folder Dir.
//
// OpenCode stores sessions, messages and their parts in opencode.db, and before version 1.2 in JSON
// files, storage/session/PROJECT/SESSION.json, storage/message/SESSION/MESSAGE.json and
// storage/part/MESSAGE/PART.json, with ids that sort by time. A message has a role, and summary if
// it is that of a compacted session; a part is text (synthetic if the program wrote it) or tool,
// with its state: input, output, and for bash the exit code in metadata.
//
// Source: output of opencode 1.18.33 in a session with a scripted model.
type OpenCode struct{ Dir string }

// Message is what OpenCode has of a message besides its parts.
type Message struct {
	Role    string          `json:"role"`
	Summary json.RawMessage `json:"summary"`
	Time    Times           `json:"time"`
}

// Times are of a session or a message, in milliseconds since 1970.
type Times struct {
	Created int64 `json:"created"`
	Updated int64 `json:"updated"`
}

type openCodePart struct {
	Type      string `json:"type"`
	Text      loose  `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Ignored   bool   `json:"ignored"`
	Tool      string `json:"tool"`
	State     struct {
		Status string `json:"status"`
		Input  struct {
			Command  loose `json:"command"`
			FilePath loose `json:"filePath"`
		} `json:"input"`
		Output   loose `json:"output"`
		Error    loose `json:"error"`
		Metadata struct {
			Exit *int `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
}

// Hear passes the turn in a part of a message to hear. An error says what is wrong with the part.
func (c OpenCode) Hear(m Message, part []byte, at time.Time, hear func(capture.Turn)) error {
	var p openCodePart
	if err := json.Unmarshal(part, &p); err != nil {
		return notJSON(err)
	}
	turn := capture.Turn{Role: capture.RoleAgent, Text: string(p.Text), At: at}
	switch {
	case m.Role == "user":
		turn.Role = capture.RolePerson
		turn.Text = unquoted(turn.Text)
	case string(m.Summary) == "true":
		turn.Role = capture.RoleSummary
	}
	switch p.Type {
	case "text":
		if !p.Synthetic && !p.Ignored && (turn.Role != capture.RolePerson || typed(turn.Text)) {
			hear(turn)
		}
	case "tool":
		c.tool(p, at, hear)
	}
	return nil
}

func (c OpenCode) tool(p openCodePart, at time.Time, hear func(capture.Turn)) {
	s := p.State
	t := capture.Turn{Role: capture.RoleTool, At: at, Failed: s.Status == "error" || s.Metadata.Exit != nil && *s.Metadata.Exit != 0, Text: string(s.Output) + string(s.Error)}
	switch p.Tool {
	case "bash":
		t.Command = string(s.Input.Command)
	case "edit", "write", "patch", "multiedit":
		t.Edited = below(c.Dir, string(s.Input.FilePath))
	}
	if (t.Command != "" || t.Edited != "") && (s.Status == "completed" || s.Status == "error") {
		hear(t)
	}
}

// unquoted removes the quotation marks that `opencode run` puts around several words.
func unquoted(s string) string {
	if inner, ok := strings.CutPrefix(s, `"`); ok && strings.HasSuffix(inner, `"`) && strings.Count(s, `"`) == 2 {
		return strings.TrimSuffix(inner, `"`)
	}
	return s
}
