package backfill_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/backfill"
	"github.com/alanbuscaglia/engram/internal/capture"
)

type row = map[string]any

// jsonl writes rows as a file of lines; a string is a line as it is.
func jsonl(t testing.TB, path string, rows ...any) {
	t.Helper()
	var b strings.Builder
	for _, r := range rows {
		if line, ok := r.(string); ok {
			b.WriteString(line + "\n")
			continue
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	write(t, path, b.String())
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	folder = "/home/ann/shop"
	cause  = "The problem was that the pool was closed before the last worker had returned its connection."
)

// claudeLine is a line as Claude Code writes it.
func claudeLine(kind string, content any, more row) row {
	r := row{"parentUuid": nil, "isSidechain": false, "type": kind, "message": row{"role": kind, "content": content}, "uuid": "u", "timestamp": "2026-05-04T10:00:00.000Z",
		"userType": "external", "cwd": folder, "sessionId": "c1", "version": "2.1.197", "gitBranch": "main"}
	for k, v := range more {
		r[k] = v
	}
	return r
}

func bash(id, command string) row {
	return claudeLine("assistant", []row{{"type": "text", "text": "Let me run it."}, {"type": "tool_use", "id": id, "name": "Bash", "input": row{"command": command, "description": "x"}}}, nil)
}

func result(id string, failed bool, content any) row {
	return claudeLine("user", []row{{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}}, row{"toolUseResult": row{"stdout": "x"}})
}

func claudeSession() []any {
	return []any{
		row{"type": "queue-operation", "operation": "enqueue"},
		claudeLine("user", "<command-name>/clear</command-name> Always use the command.", nil),
		claudeLine("user", "Always run the linter before you commit.", row{"isMeta": true}),
		claudeLine("user", "Always run gofmt before you commit.", nil),
		claudeLine("user", []row{{"type": "text", "text": "Never push to main directly."}}, nil),
		claudeLine("assistant", []row{{"type": "thinking", "thinking": "We decided to think about it because it matters a lot."}, {"type": "text", "text": "We decided to keep one pool for each tenant because tenants must not wait for each other."}}, row{"cwd": folder + "/api"}),
		claudeLine("assistant", []row{{"type": "text", "text": "We decided to leave that to the subagent because it is large."}}, row{"isSidechain": true}),
		bash("t1", "go test ./pool"),
		result("t1", true, "Exit code 1\n--- FAIL: TestDrain\n    pool_test.go:9: got 3, want 4"),
		claudeLine("assistant", []row{{"type": "tool_use", "id": "t2", "name": "Edit", "input": row{"file_path": folder + "/pool/pool.go", "old_string": "a", "new_string": "b"}}}, nil),
		result("t2", false, []row{{"type": "text", "text": "The file was updated."}}),
		bash("t3", "go test ./pool"),
		result("t3", false, "ok"),
		claudeLine("assistant", []row{{"type": "text", "text": "Fixed. " + cause}}, nil),
		claudeLine("user", "This session is being continued from a previous conversation that ran out of context.\nSummary:\n1. Primary request: mend the pool of connections, and test what happens when it drains while somebody waits. All of it is done but the metric.\nPlease continue the conversation from where we left it off.", row{"isCompactSummary": true}),
	}
}

// read runs over path and returns what was found: type and content, by session.
func read(t *testing.T, s backfill.Source, o backfill.Options) (map[string][]string, backfill.Read) {
	t.Helper()
	got := map[string][]string{}
	if o.Wants == nil {
		o.Wants = func(backfill.Session) (bool, error) { return true, nil }
	}
	o.Found = func(s backfill.Session, all []capture.Proposal) (bool, error) {
		if s.Directory != folder {
			t.Errorf("session %s is of %q, want %q", s.ID, s.Directory, folder)
		}
		for _, p := range all {
			got[s.ID] = append(got[s.ID], string(p.Type)+": "+p.Content)
		}
		return true, nil
	}
	r, err := backfill.Run(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return got, r
}

// compare compares the beginnings of what was found.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	same := len(got) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = strings.HasPrefix(got[i], want[i])
	}
	if !same {
		t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Older versions do not mark a summary, and put their thoughts on how to sum it up before it.
func TestASummaryOfClaudeCodeIsWithoutWhatStandsAroundIt(t *testing.T) {
	t.Parallel()
	const asked, done = "The user asked me to mend the pool of connections.", "All of it is done but the metric of how many of them wait, which is next."
	const whole = "1. Primary Request and Intent:\n   " + asked + "\n2. Current Work:\n   " + done
	const head = "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n"
	for _, tt := range []struct {
		name, text string
		fields     row
	}{
		{"marked", head + "Summary:\n" + whole + "\nPlease continue the conversation from where we left it off.", row{"isCompactSummary": true}},
		{"marked, with its analysis", head + "Analysis:\nLet me go through it: always run the linter, never push.\n\nSummary:\n" + whole, row{"isCompactSummary": true}},
		{"not marked, with its analysis in tags", head + "<analysis>\nAlways look at the logs first.\n</analysis>\n\n<summary>\n" + whole + "\n</summary>", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			jsonl(t, filepath.Join(dir, "-home-ann-shop", "c1.jsonl"), claudeLine("user", tt.text, tt.fields))
			got, _ := read(t, backfill.ClaudeCode, backfill.Options{Path: dir})
			if want := "session_summary: " + whole; len(got["c1"]) != 1 || got["c1"][0] != want {
				t.Errorf("of %q\n got %q\nwant %q", tt.text, got["c1"], want)
			}
		})
	}
}

func TestClaudeCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	jsonl(t, filepath.Join(dir, "-home-ann-shop", "c1.jsonl"), claudeSession()...)
	jsonl(t, filepath.Join(dir, "-home-ann-shop", "agent-7.jsonl"), claudeSession()...)
	jsonl(t, filepath.Join(dir, "-home-ann-shop", "c1", "subagents", "x.jsonl"), claudeSession()...)
	got, r := read(t, backfill.ClaudeCode, backfill.Options{Path: dir})
	compare(t, got["c1"], []string{
		"preference: Always run gofmt before you commit.",
		"preference: Never push to main directly.",
		"decision: We decided to keep one pool",
		"bugfix: Cause: " + cause,
		"session_summary: 1. Primary request: mend the pool",
	})
	if last := got["c1"][len(got["c1"])-1]; strings.Contains(last, "Please continue") {
		t.Errorf("the summary has what the program says: %q", last)
	}
	if fix := got["c1"][3]; !strings.Contains(fix, "pool/pool.go") || strings.Contains(fix, folder) {
		t.Errorf("the fix does not name the file as seen from the folder: %q", fix)
	}
	if len(got) != 1 || r.Transcripts != 1 || r.Bytes == 0 || len(r.Notes) != 0 {
		t.Errorf("read %+v of %d sessions, want one transcript and no notes", r, len(got))
	}
}

// codexLine is a line as Codex writes it.
func codexLine(kind string, payload row) row {
	return row{"timestamp": "2026-05-04T10:00:00.000Z", "type": kind, "payload": payload}
}

func codexText(role, kind, text string) row {
	return codexLine("response_item", row{"type": "message", "role": role, "content": []row{{"type": kind, "text": text}}})
}

func codexCall(id, name string, arguments row) row {
	b, _ := json.Marshal(arguments) // of strings
	return codexLine("response_item", row{"type": "function_call", "name": name, "arguments": string(b), "call_id": id})
}

func codexOutput(id, text string) row {
	return codexLine("response_item", row{"type": "function_call_output", "call_id": id, "output": text})
}

func TestCodex(t *testing.T) {
	t.Parallel()
	talk := []any{
		codexText("developer", "input_text", "Always obey the developer of this program."),
		codexText("user", "input_text", "<environment_context><cwd>/x</cwd></environment_context>"),
		codexText("user", "input_text", "# AGENTS.md instructions for /x\nAlways use tabs in this file."),
		codexText("user", "input_text", "From now on write commit messages in English."),
		codexLine("event_msg", row{"type": "user_message", "message": "From now on write commit messages in English."}),
		codexLine("event_msg", row{"type": "token_count", "info": nil}),
	}
	for _, tt := range []struct {
		name  string
		calls []any
	}{
		{"exit codes in events of items", []any{
			codexCall("a", "exec_command", row{"cmd": "go test ./pool"}),
			codexLine("event_msg", row{"type": "item_completed", "item": row{"type": "CommandExecution", "id": "a", "exit_code": 1}}),
			codexOutput("a", "Chunk ID: 1\nProcess exited with code 1\nOutput:\n--- FAIL: TestDrain"),
			codexLine("response_item", row{"type": "custom_tool_call", "name": "apply_patch", "call_id": "b", "input": "*** Begin Patch\n*** Update File: pool/pool.go\n@@\n"}),
			codexLine("response_item", row{"type": "custom_tool_call_output", "call_id": "b", "output": "Success"}),
			codexCall("c", "exec_command", row{"cmd": "go test ./pool"}),
			codexOutput("c", "Chunk ID: 2\nProcess exited with code 0\nOutput:\nok"),
		}},
		{"exit codes in the output, and words of a command", []any{
			codexCall("a", "shell", row{"command": []string{"bash", "-lc", "go test ./pool"}}),
			codexOutput("a", `{"output":"--- FAIL: TestDrain","metadata":{"exit_code":1,"duration_seconds":0.1}}`),
			codexCall("b", "shell", row{"command": []string{"bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: pool/pool.go\n"}}),
			codexOutput("b", `{"output":"Success","metadata":{"exit_code":0}}`),
			codexCall("c", "shell", row{"command": []string{"bash", "-lc", "go test ./pool"}}),
			codexOutput("c", `{"output":"ok","metadata":{"exit_code":0}}`),
		}},
		{"exit codes in events before the output", []any{
			codexCall("a", "shell_command", row{"command": "go test ./pool"}),
			codexLine("event_msg", row{"type": "exec_command_end", "call_id": "a", "exit_code": 2}),
			codexOutput("a", "--- FAIL: TestDrain"),
			codexCall("b", "shell_command", row{"command": "apply_patch\n*** Add File: pool/drain.go\n"}),
			codexOutput("b", "Success"),
			codexCall("c", "shell_command", row{"command": "go test ./pool"}),
			codexLine("event_msg", row{"type": "exec_command_end", "call_id": "c", "exit_code": 0}),
			codexOutput("c", "ok"),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			rows := []any{codexLine("session_meta", row{"id": "x1", "cwd": folder, "source": "cli", "cli_version": "0.169.0"})}
			rows = append(append(rows, talk...), tt.calls...)
			rows = append(rows, codexText("assistant", "output_text", cause),
				codexLine("compacted", row{"message": "Another language model started to solve this problem.\nThe pool of connections was mended and tested. Left to do are the metric of how many wait, and the note for the release of next week."}))
			jsonl(t, filepath.Join(dir, "2026", "05", "04", "rollout-2026-05-04T10-00-00-x1.jsonl"), rows...)
			sub := append([]any{codexLine("session_meta", row{"id": "x2", "cwd": folder, "source": row{"subagent": "review"}})}, talk...)
			jsonl(t, filepath.Join(dir, "2026", "05", "04", "rollout-2026-05-04T11-00-00-x2.jsonl"), sub...)
			got, r := read(t, backfill.Codex, backfill.Options{Path: dir})
			compare(t, got["x1"], []string{"preference: From now on write commit messages", "bugfix: Cause: " + cause, "session_summary: The pool of connections"})
			if len(got) != 1 || r.Transcripts != 1 {
				t.Errorf("read %+v of %d sessions, want one", r, len(got))
			}
		})
	}
}

// openCodeParts are the parts of a session as OpenCode keeps them: message and part.
func openCodeParts() [][2]row {
	user, agent := row{"role": "user", "time": row{"created": 1777888800000}, "summary": row{"diffs": []any{}}}, row{"role": "assistant", "time": row{"created": 1777888801000}}
	tool := func(name string, input row, exit int) row {
		return row{"type": "tool", "tool": name, "callID": "c", "state": row{"status": "completed", "input": input, "output": "--- FAIL: TestDrain", "metadata": row{"exit": exit}}}
	}
	return [][2]row{
		{user, {"type": "text", "text": `"Prefiero funciones pequeñas con nombres largos."`}},
		{user, {"type": "text", "synthetic": true, "text": "Always read the file that was attached."}},
		{agent, {"type": "step-start"}},
		{agent, {"type": "reasoning", "text": "We decided to think about it because it matters a lot."}},
		{agent, tool("bash", row{"command": "go test ./pool"}, 1)},
		{agent, tool("edit", row{"filePath": folder + "/pool/pool.go"}, 0)},
		{agent, tool("bash", row{"command": "go test ./pool"}, 0)},
		{agent, {"type": "text", "text": cause}},
		{row{"role": "assistant", "summary": true}, {"type": "text", "text": "The pool of connections was mended and tested. Left to do are the metric of how many wait, and the note for the release of next week."}},
	}
}

func wantOpenCode() []string {
	return []string{"preference: Prefiero funciones", "bugfix: Cause: " + cause, "session_summary: The pool of connections"}
}

func TestOpenCodeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, r row) {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "storage", name), string(b))
	}
	file("session/p/ses_1.json", row{"id": "ses_1", "directory": folder, "time": row{"created": 1777888800000, "updated": 1777888900000}})
	file("session/p/ses_2.json", row{"id": "ses_2", "directory": folder, "parentID": "ses_1"})
	write(t, filepath.Join(dir, "storage", "session/p/ses_3.json"), "{")
	for i, p := range openCodeParts() {
		id := string(rune('a' + i))
		file("message/ses_1/msg_"+id+".json", p[0])
		file("part/msg_"+id+"/prt_"+id+".json", p[1])
		file("message/ses_2/msg_2"+id+".json", p[0])
		file("part/msg_2"+id+"/prt_"+id+".json", p[1])
	}
	write(t, filepath.Join(dir, "storage", "part/msg_a/prt_z.json"), "[")
	got, r := read(t, backfill.OpenCode, backfill.Options{Path: dir})
	compare(t, got["ses_1"], wantOpenCode())
	if len(got) != 1 || r.Transcripts != 1 || len(r.Notes) != 2 {
		t.Errorf("read %+v of %d sessions, want one, and notes of the two files that are broken", r, len(got))
	}
}

func TestOpenCodeDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "opencode.db"), "")
	asked := 0
	database := func(_ context.Context, path string, wants func(id, dir string, changed time.Time) bool, part func(message, part string, at time.Time) bool) error {
		for _, id := range []string{"ses_1", "old"} {
			changed := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
			if id == "old" {
				changed = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
			}
			if !wants(id, folder, changed) {
				continue
			}
			asked++
			for _, p := range openCodeParts() {
				m, _ := json.Marshal(p[0])
				one, _ := json.Marshal(p[1])
				part(string(m), string(one), changed)
			}
			part("{", "{}", changed)
		}
		return nil
	}
	got, r := read(t, backfill.OpenCode, backfill.Options{Path: dir, Database: database, Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	compare(t, got["ses_1"], wantOpenCode())
	if asked != 1 || r.Transcripts != 1 || len(r.Notes) != 1 {
		t.Errorf("read %+v, %d sessions, want one and a note", r, asked)
	}
}

func TestTranscriptsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		make  func(t *testing.T, path string)
		notes int
	}{
		{"an empty file", func(t *testing.T, path string) { write(t, path, "") }, 0},
		{"bytes", func(t *testing.T, path string) { write(t, path, "\x00\xff\"message\"\n{\"message\":") }, 1},
		{"fields of other kinds", func(t *testing.T, path string) {
			jsonl(t, path, row{"type": 7, "message": "x"}, row{"type": "user", "message": 7}, row{"type": "user", "message": row{"content": 7}}, `{"type":"user","message":{"content":[{"type":"text","text":9}]}}`)
		}, 1},
		{"what only a newer version knows", func(t *testing.T, path string) {
			jsonl(t, path, row{"type": "hologram", "message": row{"content": []row{{"type": "smell", "text": "Always use roses."}}}},
				claudeLine("assistant", []row{{"type": "smell", "text": "We decided to use roses because they smell."}}, nil))
		}, 0},
		{"a line that is too long", func(t *testing.T, path string) {
			jsonl(t, path, `{"message":"`+strings.Repeat("x", 17<<20)+`"}`)
		}, 1},
		{"a link", func(t *testing.T, path string) {
			write(t, path+".elsewhere", "")
			if err := os.Symlink(path+".elsewhere", path); err != nil {
				t.Fatal(err)
			}
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "-home-ann-shop", "c1.jsonl")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			tt.make(t, path)
			jsonl(t, filepath.Join(dir, "-home-ann-shop", "c2.jsonl"), claudeSession()...)
			got, r := read(t, backfill.ClaudeCode, backfill.Options{Path: dir})
			if len(r.Notes) != tt.notes || len(got) != 1 {
				t.Errorf("notes %+v, want %d; found in %d sessions, want the other one", r.Notes, tt.notes, len(got))
			}
		})
	}
}

func TestALineThatIsBrokenCostsItselfAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := claudeSession()
	rows = append(append(append([]any{}, rows[:5]...), `{"type":"user","message":{"content":"cut o`, strings.Repeat(`{"message":`, 20_000)), rows[5:]...)
	jsonl(t, filepath.Join(dir, "p", "c1.jsonl"), rows...)
	got, r := read(t, backfill.ClaudeCode, backfill.Options{Path: dir})
	if len(got["c1"]) != 5 || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0].Reason, "2 lines") {
		t.Errorf("found %q, notes %+v", got["c1"], r.Notes)
	}
}

func TestOnlyWhatIsWantedIsRead(t *testing.T) {
	dir := t.TempDir()
	jsonl(t, filepath.Join(dir, "p", "c1.jsonl"), claudeSession()...)
	for _, tt := range []struct {
		name string
		o    backfill.Options
		want int
	}{
		{"a session that is not wanted", backfill.Options{Path: dir, Wants: func(backfill.Session) (bool, error) { return false, nil }}, 0},
		{"a file that is older", backfill.Options{Path: dir, Since: time.Now().Add(time.Hour)}, 0},
		{"what happened before", backfill.Options{Path: dir, Since: time.Date(2026, 5, 4, 10, 0, 1, 0, time.UTC)}, 0},
		{"what happened at that time", backfill.Options{Path: dir, Since: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}, 5},
		{"a file that is named", backfill.Options{Path: filepath.Join(dir, "p", "c1.jsonl")}, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := read(t, backfill.ClaudeCode, tt.o); len(got["c1"]) != tt.want {
				t.Errorf("found %q, want %d", got["c1"], tt.want)
			}
		})
	}
}

func TestCleanSeesWholeTurns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	jsonl(t, filepath.Join(dir, "p", "c1.jsonl"), claudeLine("user", "Always <private>call Ann. Always call Bob.</private> run the tests twice.", nil))
	clean := func(s string) string {
		if from, to := strings.Index(s, "<private>"), strings.Index(s, "</private>"); from >= 0 && to > from {
			return s[:from] + s[to+len("</private>"):]
		}
		return s
	}
	got, _ := read(t, backfill.ClaudeCode, backfill.Options{Path: dir, Clean: clean})
	if want := []string{"preference: Always run the tests twice."}; !reflect.DeepEqual(got["c1"], want) {
		t.Errorf("found %q, want %q", got["c1"], want)
	}
}

func TestNothingIsThere(t *testing.T) {
	t.Parallel()
	for _, s := range []backfill.Source{backfill.ClaudeCode, backfill.Codex, backfill.OpenCode} {
		if _, err := backfill.Run(context.Background(), s, backfill.Options{Path: filepath.Join(t.TempDir(), "none")}); engram.CodeOf(err) != engram.CodeNotFound {
			t.Errorf("%s: %v, want not_found", s, err)
		}
		r, err := backfill.Run(context.Background(), s, backfill.Options{Path: t.TempDir()})
		if err != nil || r.Transcripts != 0 {
			t.Errorf("%s: an empty folder gave %+v, %v", s, r, err)
		}
	}
	if _, err := backfill.Run(context.Background(), "vi", backfill.Options{}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a source that does not exist: %v", err)
	}
}

func TestALongTranscriptIsHandedOverInPortions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.jsonl")
	rows := make([]any, 1000)
	for i := range rows {
		rows[i] = claudeLine("user", "Always run gofmt before you commit.", nil)
	}
	jsonl(t, path, rows...)
	for _, tt := range []struct {
		name string
		most int // portions that are taken
		want int // found
	}{{"all of it", 1000, 1000}, {"until somebody has enough", 2, 200}} {
		t.Run(tt.name, func(t *testing.T) {
			found, portions := 0, 0
			r, err := backfill.Run(context.Background(), backfill.ClaudeCode, backfill.Options{Path: path, Wants: func(backfill.Session) (bool, error) { return true, nil },
				Found: func(_ backfill.Session, all []capture.Proposal) (bool, error) {
					if len(all) > 120 {
						t.Errorf("%d are handed over at once", len(all))
					}
					found, portions = found+len(all), portions+1
					return portions < tt.most, nil
				}})
			if err != nil || found != tt.want || r.Transcripts != 1 {
				t.Errorf("%d found in %d transcripts, %v, want %d in 1", found, r.Transcripts, err, tt.want)
			}
		})
	}
}

func TestWhatIsNoTranscriptIsNobodys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		asked      int
		want       []string // reasons
	}{
		{"an empty file", "", 0, nil},
		{"a binary file", "\x7fELF\x00\x01\n\x00\x02\n", 0, []string{"2 lines could not be read: invalid or truncated JSON"}},
		{"a line that is cut off, of another kind", `{"type":"attachment","cwd":"/x"}` + "\n{broken json line\n", 1, []string{"1 line could not be read: invalid or truncated JSON"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.jsonl")
			write(t, path, tt.text)
			asked := 0
			_, r := read(t, backfill.ClaudeCode, backfill.Options{Path: path, Wants: func(backfill.Session) (bool, error) { asked++; return false, nil }})
			var got []string
			for _, n := range r.Notes {
				got = append(got, n.Reason)
			}
			if asked != tt.asked || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q: asked %d times, notes %q, want %d and %q", tt.text, asked, got, tt.asked, tt.want)
			}
		})
	}
}
