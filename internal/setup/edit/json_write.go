package edit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// unitOf returns the indentation of a file's first member, or two spaces.
func unitOf(src []byte, root hujson.Value) string {
	if in, own := indentAt(src, firstEntry(root)); own && in != "" {
		return in
	}
	return "  "
}

// indentAt returns the indentation of an offset's line, and whether nothing else precedes the offset.
func indentAt(src []byte, offset int) (indent string, own bool) {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0
}

// firstEntry returns the offset of a value's first entry, or of the value if it has none.
func firstEntry(in hujson.Value) int {
	if e := entries(&in); len(e) > 0 {
		return e[0].start.StartOffset
	}
	return in.StartOffset
}

// text returns a value as written, without surrounding space and comments.
func text(v hujson.Value) string { return hujson.Value{Value: v.Value}.String() }

// render encodes a value as JSON with indented continuation lines.
func (d *document) render(value any, indent string, compact bool) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // for human readers
	if !compact {
		e.SetIndent(indent, d.unit)
	}
	if err := e.Encode(value); err != nil {
		return "", err
	}
	return withNewlines(strings.TrimSuffix(b.String(), "\n"), d.nl), nil
}

// replace sets a value, unless it is equal already.
func (d *document) replace(old *hujson.Value, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var was, is any
	if err := json.Unmarshal(plain(*old), &was); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &is); err != nil || reflect.DeepEqual(was, is) {
		return err
	}
	indent, _ := indentAt(d.src, old.StartOffset)
	text, err := d.render(value, indent, !bytes.Contains(d.src, []byte("\n")))
	old.Value = hujson.Literal(text)
	return err
}

// putBack sets a value in the form it has in another file.
func (d *document) putBack(now, then *hujson.Value) {
	now.Value = hujson.Literal(withNewlines(strings.ReplaceAll(text(*then), "\r\n", "\n"), d.nl))
}

// setMember sets a member of an object; a new one goes to the end.
func (d *document) setMember(in *hujson.Value, name string, value any) error {
	if now := member(in, name); now != nil {
		return d.replace(now, value)
	}
	key, err := d.render(name, "", true)
	if err != nil {
		return err
	}
	before, v, err := d.entry(in, value)
	o := in.Value.(*hujson.Object)
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.Literal(key)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: v.Value, AfterExtra: v.AfterExtra},
	})
	return err
}

func (d *document) addElement(in *hujson.Value, value any) error {
	before, v, err := d.entry(in, value)
	v.BeforeExtra = before
	list := in.Value.(*hujson.Array)
	list.Elements = append(list.Elements, v)
	return err
}

// entry renders a new last entry of an object or list, and makes room for it on the line of the
// others or on a new line. It keeps a trailing comma.
func (d *document) entry(in *hujson.Value, value any) (before hujson.Extra, v hujson.Value, err error) {
	all, tail := entries(in), after(in)
	blanks, indent := " \t", ""
	oneLine := !strings.Contains(text(*in), "\n") && len(all) > 0
	outer, _ := indentAt(d.src, in.StartOffset)
	if !oneLine {
		blanks, indent = " \t\r\n", outer+d.unit
		if first, own := indentAt(d.src, firstEntry(*in)); own && len(all) > 0 {
			indent = first
		}
	}
	rendered, err := d.render(value, indent, oneLine)
	v.Value = hujson.Literal(rendered)
	if len(all) > 0 && all[len(all)-1].end.AfterExtra != nil {
		v.AfterExtra = hujson.Extra{}
	}
	kept := len(bytes.TrimRight(*tail, blanks))
	line := bytes.IndexByte((*tail)[kept:], '\n') + 1
	switch {
	case oneLine:
		before, *tail = slices.Concat((*tail)[:kept], hujson.Extra(" ")), (*tail)[kept:]
	case line > 0: // keep that line end and what follows it
		before, *tail = slices.Concat((*tail)[:kept+line], hujson.Extra(indent)), slices.Concat(hujson.Extra(d.nl), (*tail)[kept+line:])
	default:
		before, *tail = slices.Concat((*tail)[:kept], hujson.Extra(d.nl+indent)), hujson.Extra(d.nl+outer)
	}
	return before, v, err
}

// ends are the first and last value of an entry: name and value of a member, or an element twice.
type ends struct{ start, end *hujson.Value }

func entries(in *hujson.Value) (all []ends) {
	switch v := in.Value.(type) {
	case *hujson.Object:
		for n := range v.Members {
			all = append(all, ends{&v.Members[n].Name, &v.Members[n].Value})
		}
	case *hujson.Array:
		for n := range v.Elements {
			all = append(all, ends{&v.Elements[n], &v.Elements[n]})
		}
	}
	return all
}

// after returns the space between the last entry of an object or list, or its comma, and the end.
func after(in *hujson.Value) *hujson.Extra {
	if o, ok := in.Value.(*hujson.Object); ok {
		return &o.AfterExtra
	}
	return &in.Value.(*hujson.Array).AfterExtra
}

// cut removes an entry with its comma, and its lines if nothing else is on them. Comments stay.
func cut(in *hujson.Value, n int) {
	all, next := entries(in), after(in)
	last := n == len(all)-1
	if !last {
		next = &all[n+1].start.BeforeExtra
	}
	before := all[n].start.BeforeExtra
	if last && n > 0 {
		previous, comma := all[n-1].end, all[n].end.AfterExtra != nil
		if !comma {
			before, previous.AfterExtra = slices.Concat(previous.AfterExtra, before), nil
		} else if previous.AfterExtra == nil {
			previous.AfterExtra = hujson.Extra{}
		}
	}
	behind := slices.Concat(all[n].end.AfterExtra, *next)
	above, line := bytes.LastIndexByte(before, '\n')+1, bytes.IndexByte(behind, '\n')+1
	switch {
	case above > 0 && line > 0 && len(bytes.TrimSpace(before[above:])) == 0 && len(bytes.TrimSpace(behind[:line])) == 0:
		before, behind = before[:above], behind[line:]
	case last:
		before = bytes.TrimRight(before, " ")
	default:
		behind = bytes.TrimLeft(behind, " ")
	}
	*next = slices.Concat(before, behind)
	switch v := in.Value.(type) {
	case *hujson.Object:
		v.Members = slices.Delete(v.Members, n, n+1)
	case *hujson.Array:
		v.Elements = slices.Delete(v.Elements, n, n+1)
	}
}

// skip returns the length of leading white space and comments.
func skip(src []byte) int {
	for n := 0; ; {
		rest := bytes.TrimLeft(src[n:], " \t\r\n")
		n = len(src) - len(rest)
		end, closing := -1, ""
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			closing = "\n"
		case bytes.HasPrefix(rest, []byte("/*")):
			closing = "*/"
		default:
			return n
		}
		if end = bytes.Index(rest[2:], []byte(closing)); end < 0 {
			return len(src)
		}
		n += 2 + end + len(closing)
	}
}
