package transcript

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/capture"
)

// Claude decodes the transcript of a session of Claude Code.
//
// Claude Code writes a file of JSON lines per session, projects/SLUG/ID.jsonl, in which only lines
// of type user and assistant belong to the conversation. A message's content is a string or a list
// of blocks: text, thinking, tool_use, and in lines of type user tool_result. isSidechain marks
// lines of subagents, which older versions wrote into the same file and newer ones into files
// called agent-… and a folder subagents; isMeta marks text that the program says in the person's
// name; isCompactSummary marks the summary after a compaction. cwd is the shell's folder, at first
// the one where the agent was started.
//
// Source: output of claude 2.1.197 in a session with a scripted model.
type Claude struct {
	calls calls
}

type claudeLine struct {
	Type             string          `json:"type"`
	IsSidechain      bool            `json:"isSidechain"`
	IsMeta           bool            `json:"isMeta"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	SessionID        string          `json:"sessionId"`
	Cwd              string          `json:"cwd"`
	Timestamp        loose           `json:"timestamp"`
	Message          json.RawMessage `json:"message"`
}

type claudeMessage struct {
	Content json.RawMessage `json:"content"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     claudeInput     `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// claudeInput holds the useful arguments of a tool; values of another type are ignored.
type claudeInput struct {
	Command      loose `json:"command"`
	FilePath     loose `json:"file_path"`
	NotebookPath loose `json:"notebook_path"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (in *claudeInput) UnmarshalJSON(b []byte) error {
	type plain claudeInput
	_ = json.Unmarshal(b, (*plain)(in)) // anything but an object has no arguments
	return nil
}

// Line decodes one line.
func (c *Claude) Line(line []byte, s *Head, hear func(capture.Turn)) (skip bool, err error) {
	if !bytes.Contains(line, []byte(`"message"`)) { // attachments, file snapshots, progress
		if line[0] != '{' || line[len(line)-1] != '}' {
			return false, errNoJSON
		}
		return false, nil
	}
	var l claudeLine
	if err := json.Unmarshal(line, &l); err != nil {
		return false, notJSON(err)
	}
	if l.IsSidechain || l.IsMeta || l.Type != "user" && l.Type != "assistant" {
		return false, nil
	}
	if s.Directory == "" {
		s.Directory = l.Cwd
	}
	if l.SessionID != "" {
		s.ID = l.SessionID
	}
	var m claudeMessage
	if err := json.Unmarshal(l.Message, &m); err != nil {
		return false, notJSON(err)
	}
	turn := capture.Turn{Role: capture.RolePerson, At: moment(l.Timestamp)}
	switch {
	case l.IsCompactSummary:
		turn.Role = capture.RoleSummary
	case l.Type == "assistant":
		turn.Role = capture.RoleAgent
	}
	blocks, err := claudeBlocks(m.Content)
	for _, b := range blocks {
		c.block(b, turn, s.Directory, hear)
	}
	return false, err
}

// claudeBlocks returns the blocks of a content, which may be a plain string.
func claudeBlocks(content json.RawMessage) ([]claudeBlock, error) {
	if len(content) == 0 {
		return nil, nil
	}
	if content[0] == '"' {
		var text string
		err := json.Unmarshal(content, &text)
		return []claudeBlock{{Type: "text", Text: text}}, err
	}
	var blocks []claudeBlock
	if err := json.Unmarshal(content, &blocks); err != nil {
		return nil, notJSON(err)
	}
	return blocks, nil
}

func (c *Claude) block(b claudeBlock, turn capture.Turn, dir string, hear func(capture.Turn)) {
	switch b.Type {
	case "text":
		if turn.Role == capture.RolePerson && strings.HasPrefix(b.Text, carriedOn) {
			turn.Role = capture.RoleSummary // older versions do not mark it
		}
		if turn.Text = b.Text; turn.Role == capture.RoleSummary {
			turn.Text = continued(b.Text)
		}
		if turn.Role != capture.RolePerson || typed(b.Text) {
			hear(turn)
		}
	case "tool_use":
		call := call{command: string(b.Input.Command)}
		switch b.Name {
		case "Edit", "Write", "MultiEdit", "NotebookEdit":
			call.edited = below(dir, string(b.Input.FilePath)+string(b.Input.NotebookPath))
		}
		if b.Name != "Bash" {
			call.command = ""
		}
		c.calls.begin(b.ID, call)
	case "tool_result":
		if call, ok := c.calls.end(b.ToolUseID); ok {
			hear(capture.Turn{Role: capture.RoleTool, Text: textOf(b.Content), Command: call.command, Edited: call.edited, Failed: b.IsError, At: turn.At})
		}
	}
}

// carriedOn begins the message with which Claude Code continues a session after a compaction.
const carriedOn = "This session is being continued from a previous conversation"

// continued returns a session summary without the program's text around it. Package capture
// separates the analysis.
func continued(text string) string {
	if strings.HasPrefix(text, carriedOn) {
		if _, after, ok := strings.Cut(text, "\n"); ok {
			text = after
		}
	}
	for _, tail := range []string{"\nPlease continue the conversation", "\nContinue the conversation", "\nIf you need specific details from before compaction"} {
		text, _, _ = strings.Cut(text, tail)
	}
	return text
}

// Codex decodes the transcript of a session of Codex.
//
// Codex writes a file of JSON lines per session, sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl. A line
// has a type and a payload: session_meta (id, cwd, and for subagents a source that is an object),
// response_item (messages between agent and model: message, function_call, function_call_output,
// custom_tool_call and its output, local_shell_call), event_msg (useful for exit codes of
// commands), compacted (message is the summary after a compaction). Its first versions wrote the
// payload without the envelope.
//
// Source: output of codex 0.169.0 in a session with a scripted model; older formats are from
// openai/codex, codex-rs/protocol.
type Codex struct {
	calls calls
	exits map[string]int
	code  *regexp.Regexp
}

type codexLine struct {
	Timestamp loose           `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type codexPayload struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Cwd       string          `json:"cwd"`
	Source    json.RawMessage `json:"source"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     loose           `json:"input"`
	Action    codexArguments  `json:"action"`
	Output    json.RawMessage `json:"output"`
	Message   loose           `json:"message"`
	ExitCode  *int            `json:"exit_code"`
	Item      struct {
		Type     string `json:"type"`
		ID       loose  `json:"id"`
		ExitCode *int   `json:"exit_code"`
	} `json:"item"`
	ThreadSource loose `json:"thread_source"`
}

// codexArguments are arguments of tools that run commands: a command line, or its words.
type codexArguments struct {
	Cmd     loose           `json:"cmd"`
	Command json.RawMessage `json:"command"`
}

// Line decodes one line. skip reports the transcript of a subagent.
func (c *Codex) Line(line []byte, s *Head, hear func(capture.Turn)) (skip bool, err error) {
	for _, noise := range []string{`"type":"token_count"`, `"type":"token_usage_record"`, `"type":"world_state"`, `"type":"reasoning"`} {
		if bytes.Contains(line[:min(len(line), 200)], []byte(noise)) {
			return false, nil
		}
	}
	var l codexLine
	if err := json.Unmarshal(line, &l); err != nil {
		return false, notJSON(err)
	}
	if l.Payload == nil {
		l.Payload = line
	}
	var p codexPayload
	if err := json.Unmarshal(l.Payload, &p); err != nil {
		return false, notJSON(err)
	}
	switch l.Type {
	case "session_meta":
		if s.Directory == "" {
			s.Directory = p.Cwd
		}
		if p.ID != "" {
			s.ID = p.ID
		}
		return p.ThreadSource == "subagent" || bytes.Contains(p.Source, []byte("subagent")), nil
	case "turn_context": // a resumed session may move to another folder, but keeps its first one
		if s.Directory == "" {
			s.Directory = p.Cwd
		}
	case "event_msg":
		c.event(p)
	case "compacted":
		hear(capture.Turn{Role: capture.RoleSummary, Text: handedOver(string(p.Message)), At: moment(l.Timestamp)})
	default:
		c.item(p, s.Directory, moment(l.Timestamp), hear)
	}
	return false, nil
}

// event records exit codes, which come before the output they belong to.
func (c *Codex) event(p codexPayload) {
	id, code := p.CallID, p.ExitCode
	if p.Type == "item_completed" {
		id, code = string(p.Item.ID), p.Item.ExitCode
	}
	if code == nil || id == "" {
		return
	}
	if c.exits == nil || len(c.exits) > maxCalls {
		c.exits = map[string]int{}
	}
	c.exits[id] = *code
}

// item handles entries between the agent and its model.
func (c *Codex) item(p codexPayload, dir string, at time.Time, hear func(capture.Turn)) {
	switch p.Type {
	case "message":
		for _, b := range codexTexts(p.Content) {
			switch {
			case p.Role == "assistant":
				hear(capture.Turn{Role: capture.RoleAgent, Text: b, At: at})
			case p.Role == "user" && typed(b):
				hear(capture.Turn{Role: capture.RolePerson, Text: b, At: at})
			}
		}
	case "function_call", "local_shell_call", "custom_tool_call":
		one := call{command: p.command()}
		if patched := patchedFile(one.command + string(p.Input)); patched != "" {
			one = call{edited: below(dir, patched)}
		}
		c.calls.begin(p.CallID, one)
	case "function_call_output", "local_shell_call_output", "custom_tool_call_output":
		one, ok := c.calls.end(p.CallID)
		if !ok {
			return
		}
		text, failed := c.output(p)
		hear(capture.Turn{Role: capture.RoleTool, Text: text, Command: one.command, Edited: one.edited, Failed: failed, At: at})
	}
}

func codexTexts(content json.RawMessage) (texts []string) {
	var blocks []struct {
		Type string `json:"type"`
		Text loose  `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	for _, b := range blocks {
		if b.Type == "input_text" || b.Type == "output_text" || b.Type == "text" {
			texts = append(texts, string(b.Text))
		}
	}
	return texts
}

// command returns the command line of a call; "" for other calls.
func (p codexPayload) command() string {
	a := p.Action
	if p.Arguments != "" && json.Unmarshal([]byte(p.Arguments), &a) != nil {
		return ""
	}
	if a.Cmd != "" {
		return string(a.Cmd)
	}
	var line string
	if json.Unmarshal(a.Command, &line) == nil {
		return line
	}
	var words []string
	if json.Unmarshal(a.Command, &words) != nil || len(words) == 0 {
		return ""
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") { // bash -lc LINE
		return words[2]
	}
	return strings.Join(words, " ")
}

// patchedFile returns the first file that a patch changes; "" without a patch.
func patchedFile(s string) string {
	for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
		if _, after, ok := strings.Cut(s, head); ok {
			name, _, _ := strings.Cut(after, "\n")
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// output returns a call's output, and whether it failed. Depending on the version, the exit code is
// in an event, at the head of the output, or in an object around it.
func (c *Codex) output(p codexPayload) (text string, failed bool) {
	text = textOf(p.Output)
	var around struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
		Success *bool `json:"success"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &around) == nil && around.Output != nil {
		return *around.Output, around.Metadata.ExitCode != 0
	}
	if code, ok := c.exits[p.CallID]; ok {
		delete(c.exits, p.CallID)
		failed = code != 0
	} else {
		if c.code == nil {
			c.code = regexp.MustCompile(`(?m)^(?:Process exited with code|Exit code:|exit code:) (-?\d+)`)
		}
		m := c.code.FindStringSubmatch(text[:min(len(text), 400)])
		failed = m != nil && m[1] != "0"
	}
	for _, head := range []string{"\nOutput:\n", "Output:\n"} {
		if _, after, ok := strings.Cut(text, head); ok {
			return after, failed
		}
	}
	return text, failed
}

// handedOver returns a summary without the program's introduction.
func handedOver(s string) string {
	if strings.HasPrefix(s, "Another language model started") {
		if _, after, ok := strings.Cut(s, "\n"); ok {
			return after
		}
	}
	return s
}
