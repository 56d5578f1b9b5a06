// Package redact removes text that its author marked as private. It is applied first to all input,
// so the removed text is never stored, indexed, logged or returned.
//
// The rules prefer to hide too much: nothing between an opening tag and its closing tag survives,
// and an unclosed tag hides the rest. Every function is linear in its input.
package redact

import "strings"

// Mark replaces private text.
const Mark = "[REDACTED]"

// Private returns s with every <private>…</private> span replaced by Mark.
//
// Tags are recognised in any case, with attributes and white space inside. Spans nest; the
// outermost closing tag ends one. An unclosed span extends to the end of s. A stray closing tag
// hides nothing and is dropped. If anything was replaced the result is trimmed; otherwise it is s
// itself. Private(Private(s)) == Private(s).
func Private(s string) string {
	at, t := nextTag(s, 0)
	if t.kind == noTag {
		return s
	}
	var out builder
	pos, depth := 0, 0
	for ; t.kind != noTag; at, t = nextTag(s, pos) {
		if depth == 0 {
			out.text(s[pos:at])
		}
		pos = t.end
		switch {
		case t.kind == openTag:
			depth++
		case depth > 1:
			depth--
		case depth == 1:
			depth = 0
			out.mark()
		default:
			out.stray()
		}
	}
	if depth > 0 {
		out.mark()
	} else {
		out.text(s[pos:])
	}
	return strings.TrimSpace(out.String())
}

// builder collects the visible text.
type builder struct {
	strings.Builder
	// inAngle is set while the last < has no > after it: the following text could complete a tag.
	inAngle bool
}

func (b *builder) text(s string) {
	if i := strings.LastIndexAny(s, "<>"); i >= 0 {
		b.inAngle = s[i] == '<'
	}
	b.WriteString(s)
}

func (b *builder) mark() { b.WriteString(Mark) }

// stray handles a dropped closing tag. "<pri</private>vate>" must not become a tag by losing its
// middle, so Mark replaces it there.
func (b *builder) stray() {
	if b.inAngle {
		b.mark()
	}
}
