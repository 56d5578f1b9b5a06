package edit

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// unitOf is by what a file indents: what stands before its first member, or two spaces.
func unitOf(src []byte, root hujson.Value) string {
	if all := root.Value.(*hujson.Object).Members; len(all) > 0 {
		if in, own := indentAt(src, all[0].Name.StartOffset); own && in != "" {
			return in
		}
	}
	return "  "
}

// indentAt is the white space that the line of an offset begins with, and whether nothing
// else stands before the offset in that line.
func indentAt(src []byte, offset int) (indent string, own bool) {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0
}

// render is a value as JSON, its further lines indented.
func (d *document) render(value any, indent string, compact bool) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	if !compact {
		e.SetIndent(indent, d.unit)
	}
	if err := e.Encode(value); err != nil {
		return "", err
	}
	return withNewlines(strings.TrimSuffix(b.String(), "\n"), d.nl), nil
}

// replace puts a value in the place of another, unless that says the same.
func (d *document) replace(old *hujson.Value, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var was, is any
	if err := json.Unmarshal(plain(*old), &was); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &is); err != nil {
		return err
	}
	if reflect.DeepEqual(was, is) {
		return nil
	}
	indent, _ := indentAt(d.src, old.StartOffset)
	text, err := d.render(value, indent, !bytes.Contains(d.src, []byte("\n")))
	d.out = splice(d.src, old.StartOffset, old.EndOffset, text)
	return err
}

// merge gives an object the first member of value that it has otherwise or not at all, but for
// those that are called first; what is no object is replaced. It is one member at a time because
// each moves what stands behind it: repeatJSON gives all of them.
func (d *document) merge(old *hujson.Value, value any, first []string) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var members map[string]any
	_, is := old.Value.(*hujson.Object)
	if json.Unmarshal(b, &members) != nil || !is {
		return d.replace(old, value)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(first, name) {
			continue
		}
		if err := d.addMember(object{old}, name, members[name]); err != nil || d.out != nil {
			return err
		}
	}
	return nil
}

// addMember puts a member at the end of an object, or in the place of one of its name.
func (d *document) addMember(at object, name string, value any) error {
	if m := member(at.object(), name); m != nil {
		return d.replace(&m.Value, value)
	}
	key, err := d.render(name, "", true)
	if err != nil {
		return err
	}
	o := at.object()
	end := -1
	if n := len(o.Members); n > 0 {
		end = o.Members[n-1].Value.EndOffset
	}
	return d.add(*at.Value, end, key+": ", value)
}

// addElement puts an element at the end of a list.
func (d *document) addElement(list *hujson.Value, value any) error {
	a := list.Value.(*hujson.Array)
	end := -1
	if n := len(a.Elements); n > 0 {
		end = a.Elements[n-1].EndOffset
	}
	return d.add(*list, end, "", value)
}

// add puts an entry before the closing brace of a value, whose last entry ends at an offset
// (-1: there is none).
func (d *document) add(in hujson.Value, last int, prefix string, value any) error {
	closing := in.EndOffset - 1
	comma := last >= 0 && d.src[last+skip(d.src[last:])] == ',' // the file ends its lists with one
	body := d.src[in.StartOffset+1 : closing]
	oneLine := !bytes.Contains(body, []byte("\n"))
	if oneLine && last >= 0 {
		text, err := d.render(value, "", true)
		if err != nil {
			return err
		}
		kept := in.StartOffset + 1 + len(bytes.TrimRight(body, " \t"))
		if text = " " + prefix + text; comma {
			text += ","
		}
		d.out = splice(d.src, kept, kept, text)
		d.endLast(last, comma)
		return nil
	}
	outer, _ := indentAt(d.src, in.StartOffset)
	indent := outer + d.unit
	if first, own := indentAt(d.src, firstEntry(in)); own && last >= 0 {
		indent = first
	}
	text, err := d.render(value, indent, false)
	if err != nil {
		return err
	}
	kept := in.StartOffset + 1 + len(bytes.TrimRight(body, " \t\r\n"))
	text = indent + prefix + text
	if comma {
		text += ","
	}
	if line := bytes.IndexByte(d.src[kept:closing], '\n') + 1; line > 0 { // that line end stays, and so does what follows
		d.out = splice(d.src, kept+line, kept+line, text+d.nl)
		d.endLast(last, comma)
		return nil
	}
	text = d.nl + text
	if closingIndent, own := indentAt(d.src, closing); own && !oneLine {
		outer = closingIndent
	}
	d.out = splice(d.src, kept, closing, text+d.nl+outer)
	d.endLast(last, comma)
	return nil
}

// endLast puts a comma after what was the last entry.
func (d *document) endLast(last int, comma bool) {
	if last >= 0 && !comma {
		d.out = splice(d.out, last, last, ",")
	}
}

// firstEntry is where the first entry of a value begins.
func firstEntry(in hujson.Value) int {
	switch v := in.Value.(type) {
	case *hujson.Object:
		if len(v.Members) > 0 {
			return v.Members[0].Name.StartOffset
		}
	case *hujson.Array:
		if len(v.Elements) > 0 {
			return v.Elements[0].StartOffset
		}
	}
	return in.StartOffset
}

// cut takes an entry out, with its comma and, where it stands alone in its lines, with these.
// Comments stay.
func (d *document) cut(from, to int, first, last bool) {
	rest := d.src[to:]
	if n := skip(rest); n < len(rest) && rest[n] == ',' {
		// Its own comma. What stands between is a comment or nothing.
		d.out = splice(d.src, to+n, to+n+1, "")
	} else if d.out = d.src; !first && last {
		d.out, from, to = cutCommaBefore(d.src, from, to)
	}
	lineStart := bytes.LastIndexByte(d.out[:from], '\n') + 1
	lineEnd := bytes.IndexByte(d.out[to:], '\n')
	alone := len(bytes.TrimSpace(d.out[lineStart:from])) == 0 && lineEnd >= 0 && len(bytes.TrimSpace(d.out[to:to+lineEnd])) == 0
	if alone && lineStart > 0 {
		from, to = lineStart, to+lineEnd+1
	} else {
		for to < len(d.out) && d.out[to] == ' ' && !last {
			to++
		}
		for from > 0 && d.out[from-1] == ' ' && last {
			from--
		}
	}
	d.out = splice(d.out, from, to, "")
}

// cutCommaBefore takes out the comma before the last entry, which would trail.
func cutCommaBefore(src []byte, from, to int) ([]byte, int, int) {
	all, err := hujson.Parse(src)
	if err != nil {
		return src, from, to
	}
	for v := range all.All() {
		end := -1
		switch in := v.Value.(type) {
		case *hujson.Object:
			if n := len(in.Members); n > 1 && in.Members[n-1].Name.StartOffset == from {
				end = in.Members[n-2].Value.EndOffset
			}
		case *hujson.Array:
			if n := len(in.Elements); n > 1 && in.Elements[n-1].StartOffset == from {
				end = in.Elements[n-2].EndOffset
			}
		}
		if end >= 0 {
			comma := end + skip(src[end:])
			return splice(src, comma, comma+1, ""), from - 1, to - 1
		}
	}
	return src, from, to
}

// skip is how far white space and comments go.
func skip(src []byte) int {
	n := 0
	for n < len(src) {
		switch rest := src[n:]; {
		case strings.IndexByte(" \t\r\n", src[n]) >= 0:
			n++
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				return len(src)
			}
			n += end + 1
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest, []byte("*/"))
			if end < 0 {
				return len(src)
			}
			n += end + 2
		default:
			return n
		}
	}
	return n
}
