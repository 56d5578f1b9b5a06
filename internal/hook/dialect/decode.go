package dialect

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// ErrNoObject means that an event is not a JSON object.
var ErrNoObject = engram.Errorf(engram.CodeInvalid, "the event is not a JSON object")

// Decode decodes an event. Agents differ in field names (event.go): unknown fields are ignored,
// missing ones stay empty, and of a truncated event the complete fields count.
func Decode(agent string, kind Kind, name string, b []byte) (Event, error) {
	f, err := fieldsOf(b, len(b) >= maxEvent(kind)-len(byteOrderMark))
	if err != nil {
		return Event{Kind: kind}, err
	}
	d := dialectOf(agent)
	f.lift(d[lifted]...)
	e := Event{
		Kind: kind, Name: f.text(d[wEvent]...), Session: strings.TrimSpace(f.text(d[wSession]...)),
		Folder: cmp.Or(f.text(d[wFolder]...), f.firstOf(d[wFolders]...)),
		Source: f.text(d[wSource]...), Prompt: d.typed(cmp.Or(f.text(d[wPrompt]...), f.parts(d[wPrompt]...))),
		Summary: f.text(d[wSummary]...), Last: f.text(d[wLast]...), Transcript: f.text(d[wTranscript]...),
		Again:    f.is(d[wAgain]...) || slices.ContainsFunc(d[wRounds], func(name string) bool { return f.number(name) > 0 }),
		Subagent: f.text(d[wHelper]...) != "" || kind == SubagentStop,
	}
	switch kind {
	case Stop:
		e.Last = cmp.Or(e.Last, f.text(d[wLastAtStop]...))
	case SessionEnd:
		e.Last = cmp.Or(e.Last, f.text(d[wLastAtEnd]...))
	case SubagentStop:
		e.Transcript = f.text(d[wHelperTranscript]...)
	case BeforeTool, AfterTool:
		e.Tool = toolOf(d.use(f), plain(cmp.Or(e.Name, name)))
	}
	return e, nil
}

// fields are an object's fields under the agent's names; values are decoded on use.
type fields map[string]json.RawMessage

// fieldsOf splits an object into its fields; if its end was cut, those before the cut.
func fieldsOf(b []byte, cut bool) (fields, error) {
	f := fields{}
	if !cut {
		if err := json.Unmarshal(b, &f); err != nil || f == nil {
			return nil, errors.Join(ErrNoObject, err)
		}
		return f, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, ErrNoObject
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

// opened returns the beginning of a JSON string without its end, as a complete one.
func opened(b []byte) json.RawMessage {
	const most = 512 << 10
	b = bytes.TrimLeft(b, ": \t\r\n")
	if len(b) == 0 || b[0] != '"' {
		return nil
	}
	b = b[:min(len(b), most)]
	for cut := 0; cut < 12 && cut < len(b); cut++ { // the last character may be incomplete: \ud83d\ude00
		var said string
		if text := append(bytes.Clone(b[:len(b)-cut]), '"'); json.Unmarshal(text, &said) == nil {
			return whole(said)
		}
	}
	return nil
}

// whole returns a text that was cut anywhere, without what may be half a secret at its end.
func whole(said string) json.RawMessage {
	const mayBeHalf = 24 << 10 // bytes; the longest keys take 13 KiB
	said, _ = secret.Shared().Ends(said, max(0, len(said)-mayBeHalf), 0)
	text, err := json.Marshal(said)
	if err != nil { // strings never fail to encode
		return nil
	}
	return text
}

// lift copies fields that some agents nest one level deeper; existing fields win.
func (f fields) lift(names ...string) {
	for _, name := range names {
		for inner, v := range f.object(name) {
			if _, given := f[inner]; !given {
				f[inner] = v
			}
		}
	}
}

func (f fields) text(names ...string) string {
	for _, name := range names {
		var s string
		if v := f[name]; len(v) > 1 && v[0] == '"' && json.Unmarshal(v, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func (f fields) is(names ...string) bool { return f.says("true", names) }

func (f fields) says(what string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return string(f[name]) == what })
}

// number returns a numeric field; 0 for any other.
func (f fields) number(name string) (n float64) {
	if v := f[name]; len(v) > 0 && json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

// texts returns the strings of a list, such as the words of a command.
func (f fields) texts(names ...string) (all []string) {
	for _, name := range names {
		if v := f[name]; len(v) > 0 && v[0] == '[' && json.Unmarshal(v, &all) == nil && len(all) > 0 {
			return all
		}
	}
	return nil
}

// parts returns the texts of the first of some fields that is a list of parts, one per line.
func (f fields) parts(names ...string) string {
	for _, name := range names {
		var all []fields
		if v := f[name]; len(v) == 0 || v[0] != '[' || json.Unmarshal(v, &all) != nil {
			continue
		}
		var texts []string
		for _, p := range all {
			if t := p.text("text"); t != "" {
				texts = append(texts, t)
			}
		}
		if len(texts) > 0 {
			return strings.Join(texts, "\n")
		}
	}
	return ""
}

// firstOf returns the first element of the first of some lists that begins with a string.
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

// object returns the first of some fields that is an object, or a string with the JSON of one.
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

// maxEvent returns how many bytes of an event are read. Large tool input may come before the fields
// that matter; for a prompt the beginning is enough, and must arrive in time.
func maxEvent(kind Kind) int {
	if kind == BeforeTool || kind == AfterTool {
		return 8 << 20
	}
	return 1 << 20
}

// Read reads one event from in and no further, since some agents leave the pipe open. For an event
// larger than maxEvent it returns the beginning and cut; the rest stays in in.
func Read(kind Kind, in io.Reader) (text []byte, cut bool, err error) {
	most := maxEvent(kind)
	var read bytes.Buffer
	d := json.NewDecoder(io.TeeReader(skipMark(io.LimitReader(in, int64(most))), &read))
	var whole json.RawMessage
	if err = d.Decode(&whole); err == nil {
		return whole, false, nil
	}
	if read.Len() < most-len(byteOrderMark) {
		return nil, false, noJSON(err)
	}
	return read.Bytes(), true, nil
}

// noJSON gives a read error CodeInvalid if the input is not JSON.
func noJSON(err error) error {
	_, odd := errors.AsType[*json.SyntaxError](err)
	if odd || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return engram.Errorf(engram.CodeInvalid, "the event is not JSON").WithCause(err)
	}
	return err
}

// Discard reads the rest of a truncated event: a closed pipe would fail an agent still writing.
func Discard(in io.Reader) error {
	_, err := io.Copy(io.Discard, io.LimitReader(in, 64<<20))
	return err
}

// Drain reads an unwanted event for at most within and 64 MiB, since an agent may treat a closed
// pipe as a failure. It may go on reading after it returns.
func Drain(in io.Reader, within time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, cut, err := Read(AfterTool, in); cut || err != nil {
			_ = Discard(in)
		}
	}()
	select {
	case <-done:
	case <-time.After(within):
	}
}

// byteOrderMark is inserted by some shells.
const byteOrderMark = "\xef\xbb\xbf"

// skipMark skips a byte order mark. It waits for no more than one byte unless that begins a mark.
func skipMark(in io.Reader) io.Reader {
	b := bufio.NewReaderSize(in, 64<<10)
	if first, _ := b.Peek(1); string(first) == byteOrderMark[:1] {
		if mark, _ := b.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
			_, _ = b.Discard(len(byteOrderMark))
		}
	}
	return b
}

// typed returns the part of a prompt that a person typed, without additions by the agent; "" for
// the agent's own prompts and for a command without arguments (/compact). Marks count only at the
// start of a line.
func (d dialect) typed(prompt string) string {
	s := strings.TrimSpace(prompt)
	if s == "" {
		return ""
	}
	for _, tail := range d[wMachineTail] {
		if s == tail || strings.HasPrefix(s, tail) {
			return ""
		}
		if at := strings.Index(s, "\n"+tail); at >= 0 {
			s = s[:at]
		}
	}
	if s = strings.TrimSpace(d.untagged(s)); begins(s, d[wMachineHead]) || commandAlone(s) {
		return ""
	}
	return s
}

// untagged removes the agent's own spans; one that begins the prompt may lack its end.
func (d dialect) untagged(s string) string {
	var kept strings.Builder
	from := 0
	for at := 0; at < len(s); {
		name, inner, end := tagAt(s, at)
		by := d.byTag(name)
		switch {
		case by == "" || end < 0 && strings.TrimSpace(kept.String()+s[from:at]) != "":
			next := strings.IndexByte(s[at:], '\n')
			if next < 0 {
				at = len(s)
				continue
			}
			at += next + 1
			at += len(s[at:]) - len(strings.TrimLeft(s[at:], " \t\n"))
			continue
		case end < 0:
			return kept.String()
		}
		kept.WriteString(s[from:at])
		if by != wMachineTag {
			kept.WriteString(strings.TrimSpace(inner) + " ")
		}
		at = end + len(s[end:]) - len(strings.TrimLeft(s[end:], " \t\n"))
		from = at
	}
	kept.WriteString(s[from:])
	return kept.String()
}

// byTag returns the meaning of a tag; "" for one that is not the agent's.
func (d dialect) byTag(name string) word {
	for _, w := range []word{wMachineTag, wPersonTag, wCommandTag} {
		if name != "" && slices.Contains(d[w], name) {
			return w
		}
	}
	return ""
}

// tagAt returns the tag at a position of s, its content and where it ends: -1 if it is not closed.
// "" if there is no tag.
func tagAt(s string, at int) (name, inner string, end int) {
	if s[at] != '<' {
		return "", "", -1
	}
	rest := s[at+1:]
	n := strings.IndexFunc(rest, func(r rune) bool { return !tagLetter(r) })
	if n <= 0 {
		return "", "", -1
	}
	name = rest[:n]
	head := strings.IndexByte(rest, '>')
	if head < 0 {
		return name, "", -1
	}
	open := at + 1 + head + 1
	if rest[head-1] == '/' {
		return name, "", open
	}
	closing := "</" + name + ">"
	length := strings.Index(s[open:], closing)
	if length < 0 {
		return name, s[open:], -1
	}
	return name, s[open : open+length], open + length + len(closing)
}

func tagLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_'
}

// commandAlone reports whether s is a command without arguments: /compact, /shop:deploy; no path.
func commandAlone(s string) bool {
	name, is := strings.CutPrefix(s, "/")
	return is && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !tagLetter(r) && r != ':' && r != '.' })
}

func has(name string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// toolOf converts a tool call; event is the plain name of its event.
func toolOf(u use, event string) Tool {
	t := Tool{Name: cmp.Or(u.name, event), Path: u.file}
	named := strings.ToLower(t.Name) + " " + event
	switch {
	case strings.HasPrefix(strings.TrimSpace(u.command), patchBegin):
		t.Path = cmp.Or(t.Path, patched(u.command))
	case t.Path == "" || has(named, "bash", "shell", "exec", "command", "terminal"): // for file tools, command says what is done with the file
		t.Command = u.command
	}
	t.Path = cmp.Or(t.Path, patched(u.patch))
	if t.Command != "" {
		t.Path, t.Folder = "", filepath.FromSlash(u.folder)
	}
	t.Writes = t.Path != "" && has(named, "write", "edit", "patch", "replace", "create", "insert", "delete")
	t.Path = filepath.FromSlash(t.Path)
	t.Stopped = u.stopped
	if t.Failed = !u.stopped && (u.failed || strings.Contains(event, "failure")); t.Failed {
		t.Error = cmp.Or(u.err, u.printed)
	}
	return t
}

// patchBegin begins a patch in the format of OpenAI's models.
const patchBegin = "*** Begin Patch"

// patched returns the first file that such a patch changes; "" for other text.
func patched(patch string) string {
	if !strings.HasPrefix(strings.TrimSpace(patch), patchBegin) {
		return ""
	}
	for l := range strings.Lines(patch) {
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if name, ok := strings.CutPrefix(l, head); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}

// use is a tool call in any agent's dialect.
type use struct {
	name, file, command, folder, patch string
	// The result; zero before the call.
	printed, err string
	failed       bool // a field reports a failure
	stopped      bool // by the person, or it continues in the background
}

// use decodes a tool call.
func (d dialect) use(f fields) use {
	in := f.object(d[wInput]...)
	u := use{
		name: f.text(d[wTool]...), folder: in.text(d[wWorkFolder]...),
		file:    cmp.Or(in.text(d[wInputFile]...), in.firstOf(d[wInputFiles]...), f.text(d[wFile]...)),
		command: cmp.Or(in.text(d[wCommand]...), strings.Join(in.texts(d[wCommand]...), " "), f.text(d[wRan]...)),
		patch:   cmp.Or(in.text(d[wPatch]...), f.text(d[wWholePatch]...)),
	}
	d.ended(f, &u)
	return u
}

func (d dialect) ended(f fields, u *use) {
	out := f.object(d[wAnswer]...)
	said := cmp.Or(f.text(d[wAnswer]...), out.text(d[wPrinted]...), out.parts(d[wPrinted]...), d.errorIn(out))
	u.printed, u.err = d.account(said), d.errorIn(f)
	u.stopped = f.is(d[wStopped]...) || out.is(d[wStopped]...) || begins(said, d[wUnended])
	u.failed = u.err != "" || u.command != "" && d.exitIn(said)
	for _, o := range []fields{f, out, out.object("metadata")} {
		u.failed = u.failed || d.wrong(o)
	}
}

func (d dialect) errorIn(f fields) string {
	return cmp.Or(f.text(d[wError]...), f.object(d[wError]...).text("message"))
}

func (d dialect) wrong(f fields) bool {
	coded := slices.ContainsFunc(d[wCode], func(name string) bool { return f.number(name) != 0 })
	return coded || f.says("false", d[wWell]) || f.is(d[wIll]...) || f.text(d[wResult]...) == "failure" || f.object(d[wError]...).text("message") != ""
}

// exitIn reports whether a line near the beginning or end of a command's output has the agent's
// form of a nonzero exit code.
func (d dialect) exitIn(printed string) bool {
	const near = 300
	around := printed
	if len(around) > 2*near {
		around = printed[:near] + "\n" + printed[len(printed)-near:]
	}
	for l := range strings.Lines(strings.ToLower(around)) {
		for _, head := range d[wExitLine] {
			code, ok := strings.CutPrefix(strings.TrimSpace(l), strings.ToLower(head))
			code, _, _ = strings.Cut(code, " ")
			if n, err := strconv.Atoi(strings.TrimRight(code, ".,)")); ok && err == nil && n != 0 {
				return true
			}
		}
	}
	return false
}

// account removes an agent's own lines around a command's output, unless nothing would remain.
func (d dialect) account(said string) string {
	rest := said
	for begins(rest, d[wAccountHead]) {
		line, after, _ := strings.Cut(rest, "\n")
		if printed, is := strings.CutPrefix(line, "Output:"); is { // the first line may follow on the same line
			rest = strings.TrimPrefix(strings.TrimPrefix(printed, " ")+"\n"+after, "\n")
			break
		}
		rest = after
	}
	if rest == said {
		return said
	}
	for {
		rest = strings.TrimRight(rest, "\n")
		at := strings.LastIndexByte(rest, '\n') + 1
		if !begins(rest[at:], d[wAccountTail]) {
			return cmp.Or(rest, said)
		}
		rest = rest[:at]
	}
}

func begins(s string, heads []string) bool {
	return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(s, h) })
}

// maxTail is the number of bytes read from the end of a transcript.
const maxTail = 256 << 10

// ErrNoFile means that a transcript is not a regular file: opening a pipe would block.
var ErrNoFile = errors.New("the transcript is not a regular file")

// LastMessage returns the agent's last message, or "", in a transcript: a file with one JSON object per
// line, as Claude Code, Codex and Cursor write them.
func LastMessage(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", ErrNoFile
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	from := max(0, info.Size()-maxTail)
	tail, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, from, info.Size()-from), maxTail))
	if err != nil {
		return "", err
	}
	lines := bytes.Split(tail, []byte("\n"))
	if from > 0 {
		lines = lines[1:] // an incomplete line
	}
	for i := len(lines) - 1; i >= 0; i-- {
		f := fields{}
		if json.Unmarshal(lines[i], &f) != nil {
			continue
		}
		said, by := f.said()
		switch {
		case by == "user" && said != "":
			return "", nil // the person spoke last
		case by == "assistant" && said != "":
			return said, nil
		}
	}
	return "", nil
}

// said returns the text and role of a line of a transcript: "user", "assistant" or another.
func (f fields) said() (text, by string) {
	for _, inner := range []fields{f, f.object("message"), f.object("payload"), f.object("data")} {
		by = cmp.Or(inner.text("role"), inner.text("type"), by)
		if inner.text("role") == "" && by != "assistant" && by != "user" {
			continue
		}
		if text = cmp.Or(inner.text("content", "text"), inner.parts("content")); text != "" {
			return text, by
		}
	}
	return "", by
}
