package secret

// Mark is what stands where a secret was: "[REDACTED:github-pat]" tells what was cut, and
// nothing of it. It is of the same kind as the mark of private spans (package redact), and no
// rule takes it for a secret.
func Mark(kind string) string { return "[REDACTED:" + kind + "]" }

// Clean puts a Mark into the place of each secret of a text, and returns the kinds that were
// cut, each once, sorted; nil when there was none. It does not look for private spans: those
// are taken out first (redact.Private), or half of one might be left. Clean of what is clean
// changes nothing.
//
// The Scanner is to be kept from one text to the next; it may be used by several goroutines.
func (s *Scanner) Clean(text string) (clean string, kinds []string) { return s.Redact(text, Mark) }

// Cut is a text with a Mark in the place of each of these spans, which are of this text and
// as Find returns them.
func Cut(text string, found []Span) string { return cut(text, found, Mark) }
