package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// maxEvent is how many bytes of an event are read. What a tool was given and printed may be
// large and stand before what matters; of a prompt that is so long the beginning is kept, and
// must not be late.
func maxEvent(kind Kind) int {
	if kind == BeforeTool || kind == AfterTool {
		return 8 << 20
	}
	return 1 << 20
}

// errNoObject is the error of an event that is no object of JSON.
var errNoObject = errors.New("the event is no JSON object")

// Read reads one event from in and no further than it goes: there are agents that leave the
// pipe open. Of one that is larger than maxEvent it returns the beginning; cut says so, and
// in has the rest.
func Read(kind Kind, in io.Reader) (text []byte, cut bool, err error) {
	most := maxEvent(kind)
	var read bytes.Buffer
	d := json.NewDecoder(io.TeeReader(&afterMark{in: io.LimitReader(in, int64(most))}, &read))
	var whole json.RawMessage
	if err = d.Decode(&whole); err == nil {
		return whole, false, nil
	}
	if read.Len() < most-len(byteOrderMark) {
		return nil, false, err
	}
	return read.Bytes(), true, nil
}

// readAway reads the rest of an event that was cut: an agent that is still writing must not
// find the pipe closed.
func readAway(in io.Reader) error {
	_, err := io.Copy(io.Discard, io.LimitReader(in, 64<<20))
	return err
}

// Drain reads an event of which nothing is wanted, for as long as within and some 64 MiB at
// most: an agent that finds the pipe closed may take that for a failure. What comes after
// within may still be read when it has returned.
func Drain(in io.Reader, within time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, cut, err := Read(AfterTool, in); cut || err != nil {
			_ = readAway(in)
		}
	}()
	select {
	case <-done:
	case <-time.After(within):
	}
}

// byteOrderMark stands before what some shells pass on.
const byteOrderMark = "\xef\xbb\xbf"

// afterMark leaves a byte order mark at the beginning out.
type afterMark struct {
	in    io.Reader
	begun bool
}

// Read implements io.Reader.
func (m *afterMark) Read(p []byte) (int, error) {
	if m.begun || len(p) < len(byteOrderMark) {
		return m.in.Read(p)
	}
	n, err := m.in.Read(p[:1])
	if n == 0 {
		return n, err
	}
	m.begun = true
	if p[0] != byteOrderMark[0] {
		return n, err
	}
	n, err = io.ReadFull(m.in, p[1:len(byteOrderMark)])
	if string(p[:n+1]) == byteOrderMark {
		return 0, err
	}
	return n + 1, err
}

// Decode reads the JSON of an event. Agents differ in the names of its fields, and add some
// with each version: what is not known is passed over, and what is missing stays empty. Of
// one whose end is missing, because it was too long, the fields count that are there.
func Decode(kind Kind, name string, b []byte) (Event, error) {
	all, err := fieldsOf(b, len(b) >= maxEvent(kind)-len(byteOrderMark))
	if err != nil {
		return Event{Kind: kind}, err
	}
	all.lift("userPromptSubmit", "preToolUse", "postToolUse", "tool_info", "taskStart", "taskResume", "toolCall")
	e := Event{
		Kind: kind, Name: all.text("hook_event_name", "hookEventName", "hookName", "agent_action_name"),
		Session: strings.TrimSpace(all.text("session_id", "sessionId", "sessionID", "conversation_id", "conversationId", "taskId", "trajectory_id")),
		Folder:  cmp.Or(all.text("cwd", "directory"), all.firstOf("workspace_roots", "workspaceRoots", "workspacePaths")),
		Source:  all.text("source"), Prompt: cmp.Or(all.text("prompt", "user_prompt", "userPrompt", "task"), all.parts("prompt")),
		Summary: all.text("compact_summary", "summary"), Last: all.text("last_assistant_message", "prompt_response", "response"),
		Transcript: all.text("transcript_path", "transcriptPath"),
		Again:      all.is("stop_hook_active") || all.number("loop_count") > 0,
		Subagent:   all.text("agent_id", "subagent_id", "parent_agent_id") != "" || kind == SubagentStop,
	}
	if kind == Stop {
		e.Last = cmp.Or(e.Last, all.text("text"))
	}
	if kind == SubagentStop {
		e.Transcript = all.text("agent_transcript_path", "agentTranscriptPath")
	}
	if kind == BeforeTool || kind == AfterTool {
		e.Tool = all.tool(plain(cmp.Or(e.Name, name)))
	}
	return e, nil
}

// fields are those of an object, by the agent's names; none is read before it is asked for.
type fields map[string]json.RawMessage

// fieldsOf reads the names of an object's fields; where its end was cut, those before it.
func fieldsOf(b []byte, cut bool) (fields, error) {
	f := fields{}
	if !cut {
		if err := json.Unmarshal(b, &f); err != nil || f == nil {
			return nil, errors.Join(errNoObject, err)
		}
		return f, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNoObject
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return f, nil
		}
		from := d.InputOffset()
		var v json.RawMessage
		if d.Decode(&v) != nil {
			f[name] = opened(b[from:])
			return f, nil
		}
		f[name] = v
	}
	return f, nil
}

// opened is the beginning of a text of JSON whose end is missing, as one that ends there.
func opened(b []byte) json.RawMessage {
	const most = 512 << 10
	b = bytes.TrimLeft(b, ": \t\r\n")
	if len(b) == 0 || b[0] != '"' {
		return nil
	}
	b = b[:min(len(b), most)]
	for cut := 0; cut < 12 && cut < len(b); cut++ { // the last character may be half there: \ud83d\ude00
		if text := append(bytes.Clone(b[:len(b)-cut]), '"'); json.Valid(text) {
			return text
		}
	}
	return nil
}

// lift brings up what some agents put one deeper; what is there already stays.
func (f fields) lift(names ...string) {
	for _, name := range names {
		for inner, v := range f.object(name) {
			if _, told := f[inner]; !told {
				f[inner] = v
			}
		}
	}
}

// text is the first of some fields that is a text and says something.
func (f fields) text(names ...string) string {
	for _, name := range names {
		var s string
		if v := f[name]; len(v) > 1 && v[0] == '"' && json.Unmarshal(v, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func (f fields) is(name string) bool { return string(f[name]) == "true" }

// no reports a field that says false.
func (f fields) no(name string) bool { return string(f[name]) == "false" }

// number is a field that is one; 0 for any other.
func (f fields) number(name string) (n float64) {
	if v := f[name]; len(v) > 0 && json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

// firstOf is the first text of the first of some lists that has one.
func (f fields) firstOf(names ...string) string {
	for _, name := range names {
		var list []json.RawMessage
		if v := f[name]; len(v) > 0 && v[0] == '[' && json.Unmarshal(v, &list) == nil && len(list) > 0 {
			if s := (fields{"": list[0]}).text(""); s != "" {
				return s
			}
		}
	}
	return ""
}

// object is the first of some fields that is an object, or a text that is the JSON of one.
func (f fields) object(names ...string) fields {
	for _, name := range names {
		v := bytes.TrimSpace(f[name])
		if len(v) > 0 && v[0] == '"' {
			v = []byte(strings.TrimSpace(f.text(name)))
		}
		inner := fields{}
		if len(v) > 0 && v[0] == '{' && json.Unmarshal(v, &inner) == nil {
			return inner
		}
	}
	return nil
}
