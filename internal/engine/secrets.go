package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// CleanText replaces private spans and secrets in a text by marks (redact.Mark, secret.Mark). Operations clean
// their own input; this is for text kept outside the store, such as the notes of a session. Without an engine,
// use secret.New, once, and Scanner.Clean(redact.Private(s)).
func (e *Engine) CleanText(s string) string { return e.redactor().text(s) }

// redactor removes private spans and secrets from the texts of one input and records the kinds of secrets. It
// is for one goroutine.
type redactor struct {
	scanner func() *secret.Scanner
	keep    bool     // keep secrets, as a person requested
	kinds   []string // kinds of removed secrets, each once
	kept    []string // digests of kept secrets
}

func (e *Engine) redactor() *redactor { return &redactor{scanner: e.secrets} }

// shortestSecret is the length of the shortest text that can contain a secret: the shortest password after the
// shortest name.
const shortestSecret = 12

// secrets removes secrets from s; private spans are gone.
func (w *redactor) secrets(s string) string {
	if len(s) < shortestSecret {
		return s
	}
	if w.keep {
		for _, f := range w.scanner().Find(s) {
			w.kept = append(w.kept, textDigest(s[f.From:f.To]))
		}
		return s
	}
	clean, kinds := w.scanner().Clean(s)
	w.note(kinds...)
	return clean
}

func (w *redactor) note(kinds ...string) {
	for _, k := range kinds {
		if !slices.Contains(w.kinds, k) {
			w.kinds = append(w.kinds, k)
		}
	}
}

func (w *redactor) text(s string) string { return w.secrets(redact.Private(s)) }

func (w *redactor) line(s string) string { return w.secrets(line(s)) }

func (w *redactor) lines(all []string) []string {
	return mapped(all, w.line)
}

func (w *redactor) members(m map[string]any) map[string]any {
	return redact.Members(m, w.named)
}

// named redacts a text with a field name, which may reveal a secret: nothing else marks "hunter2hunter2" as a
// password. "" is no name.
func (w *redactor) named(name, s string) string {
	s = w.text(s)
	if name == "" {
		return s
	}
	found := w.scanner().FindNamed(name, s)
	for _, f := range found {
		if w.keep {
			w.kept = append(w.kept, textDigest(s[f.From:f.To]))
		} else {
			w.note(f.Rule)
		}
	}
	if w.keep {
		return s
	}
	return secret.Cut(s, found)
}

// warning reports the kinds of removed secrets; nil if none.
func (w *redactor) warning() []string {
	if len(w.kinds) == 0 {
		return nil
	}
	return []string{cutWarning(w.kinds)}
}

func cutWarning(kinds []string) string {
	return fmt.Sprintf("Removed before saving: %s. Write where a secret is stored, not what it is", strings.Join(kinds, ", "))
}

// keepSecrets records the secrets that a person keeps in a memory.
func (o *op) keepSecrets(ctx context.Context, num int64, w *redactor) error {
	if w == nil || len(w.kept) == 0 || num == 0 {
		return nil
	}
	marks := make([]engram.Trust, len(w.kept))
	for i, digest := range w.kept {
		marks[i] = engram.Trust{Memory: num, Mark: engram.TrustSecret, Text: digest, At: o.at}
	}
	return o.tx.PutTrust(ctx, marks...)
}
