// Package redact takes out of a text what its author marked as private. It is the
// first thing that happens to whatever comes in: what it removes is never stored,
// indexed, logged or answered.
//
// The rules lean to hiding too much: nothing between an opening tag and the close
// that belongs to it survives, and an opening tag that is never closed hides the
// rest. Every function is linear in its input, whatever that input is.
package redact

import "strings"

// Mark stands where something private was.
const Mark = "[REDACTED]"

// Private returns s with every <private>…</private> span replaced by Mark.
//
// Tags are found in any case, with attributes and white space inside them. Spans
// nest; the outermost close ends one. A span that is never closed reaches to the
// end of s. A closing tag that closes nothing hides nothing and is dropped. When
// anything was replaced the result is trimmed; otherwise it is s itself.
// Private(Private(s)) == Private(s).
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

// Has reports whether Private would change s.
func Has(s string) bool {
	_, t := nextTag(s, 0)
	return t.kind != noTag
}

// builder collects what may be seen.
type builder struct {
	strings.Builder
	// inAngle is set while the last < written has no > after it: what follows could
	// complete it to a tag.
	inAngle bool
}

func (b *builder) text(s string) {
	if i := strings.LastIndexAny(s, "<>"); i >= 0 {
		b.inAngle = s[i] == '<'
	}
	b.WriteString(s)
}

func (b *builder) mark() { b.WriteString(Mark) }

// stray stands for a closing tag that is dropped. "<pri</private>vate>" must not
// become a tag by losing its middle, so there a mark takes the place.
func (b *builder) stray() {
	if b.inAngle {
		b.mark()
	}
}
