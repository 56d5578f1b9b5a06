package cli

import (
	"regexp"
	"strings"
)

// paint colours text when it is true: on a terminal, and nobody asked for NO_COLOR.
type paint bool

func (p paint) bold(s string) string { return p.wrap("1", s) }
func (p paint) dim(s string) string  { return p.wrap("2", s) }
func (p paint) red(s string) string  { return p.wrap("1;31", s) }

func (p paint) wrap(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// lines makes the heads of lists bold and what stands below them dim. It reads the
// finished, plain text, so that writing an answer and colouring it stay apart.
func (p paint) lines(text string) string {
	if !p {
		return text
	}
	head := regexp.MustCompile(`^(\[\d+\] #|#\d+ |#+ |>>> |Memory saved|Session \d|Connect |Next:|✓ |--- /|\+\+\+ /)`)
	note := regexp.MustCompile(`^    \d{4}-\d\d-\d\d |^─── |^@@ `)
	out := strings.Split(text, "\n")
	for i, line := range out {
		switch {
		case head.MatchString(line):
			out[i] = p.bold(line)
		case note.MatchString(line):
			out[i] = p.dim(line)
		}
	}
	return strings.Join(out, "\n")
}
