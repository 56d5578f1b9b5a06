package engine

import (
	"slices"

	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// CleanText is a text without what must not be written down: its private spans and the secrets
// in it have given way to marks (redact.Mark, secret.Mark). Texts that reach a verb are cleaned
// by it; this is for what is kept beside the store, such as the notes of a session. Who has no
// engine says the same with secret.New, once, and Scanner.Clean(redact.Private(s)).
func (e *Engine) CleanText(s string) string { return e.washing().text(s) }

// washing takes out of texts what must not be kept, and remembers what kinds of secrets
// those were.
type washing struct {
	scanner func() *secret.Scanner
	kinds   []string // that were cut, each once
}

// washing begins with the texts of one input.
func (e *Engine) washing() *washing { return &washing{scanner: e.secrets} }

// secrets is s without secrets; private spans have left it.
func (w *washing) secrets(s string) string {
	if len(s) < shortestSecret {
		return s
	}
	clean, kinds := w.scanner().Clean(s)
	for _, k := range kinds {
		if !slices.Contains(w.kinds, k) {
			w.kinds = append(w.kinds, k)
		}
	}
	return clean
}

// shortestSecret is the length of the shortest text that can have a secret: the shortest
// password behind the shortest name of one.
const shortestSecret = 12

// text is a text of several lines.
func (w *washing) text(s string) string { return w.secrets(redact.Private(s)) }

// line is a text of one line.
func (w *washing) line(s string) string { return w.secrets(line(s)) }
