package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// CleanText replaces private spans and secrets in a text by marks (redact.Mark, secret.Mark). Operations clean
// their own input; this is for text kept outside the store, such as the notes of a session. Without an engine,
// use secret.Shared and Scanner.Clean(redact.Private(s)).
func (s *Screen) CleanText(text string) string { return s.Redactor().Text(text) }

// Redactor removes private spans and secrets from the texts of one input and records the kinds of secrets. It
// is for one goroutine.
type Redactor struct {
	scanner func() *secret.Scanner
	Keep    bool     // keep secrets, as a person requested
	Kinds   []string // kinds of removed secrets, each once
	Kept    []string // digests of kept secrets
}

// Redactor returns a Redactor for one input.
func (s *Screen) Redactor() *Redactor { return &Redactor{scanner: s.Scanner} }

// shortestSecret is the length of the shortest text that can contain a secret: the shortest password after the
// shortest name.
const shortestSecret = 12

// Secrets removes secrets from s; private spans are gone.
func (w *Redactor) Secrets(s string) string {
	if len(s) < shortestSecret {
		return s
	}
	if w.Keep {
		for _, f := range w.scanner().Find(s) {
			w.Kept = append(w.Kept, textDigest(s[f.From:f.To]))
		}
		return s
	}
	clean, kinds := w.scanner().Clean(s)
	w.note(kinds...)
	return clean
}

func (w *Redactor) note(kinds ...string) {
	for _, k := range kinds {
		if !slices.Contains(w.Kinds, k) {
			w.Kinds = append(w.Kinds, k)
		}
	}
}

// Text cleans a text of several lines.
func (w *Redactor) Text(s string) string { return w.Secrets(redact.Private(s)) }

// Line cleans a one-line field.
func (w *Redactor) Line(s string) string { return w.Secrets(Line(s)) }

// Lines cleans one-line fields.
func (w *Redactor) Lines(all []string) []string {
	return walk.Mapped(all, w.Line)
}

// Members cleans the texts of metadata.
func (w *Redactor) Members(m map[string]any) map[string]any {
	return redact.Members(m, w.Named)
}

// Named redacts a text with a field name, which may reveal a secret: nothing else marks "hunter2hunter2" as a
// password. "" is no name.
func (w *Redactor) Named(name, s string) string {
	s = w.Text(s)
	if name == "" {
		return s
	}
	found := w.scanner().FindNamed(name, s)
	for _, f := range found {
		if w.Keep {
			w.Kept = append(w.Kept, textDigest(s[f.From:f.To]))
		} else {
			w.note(f.Rule)
		}
	}
	if w.Keep {
		return s
	}
	return secret.Cut(s, found)
}

// Warning reports the kinds of removed secrets; nil if none.
func (w *Redactor) Warning() []string {
	if len(w.Kinds) == 0 {
		return nil
	}
	return []string{CutWarning(w.Kinds)}
}

// CutWarning says which kinds of secrets were cut from a text.
func CutWarning(kinds []string) string {
	return fmt.Sprintf("Removed before saving: %s. Write where a secret is stored, not what it is", strings.Join(kinds, ", "))
}
