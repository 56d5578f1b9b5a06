package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
)

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
