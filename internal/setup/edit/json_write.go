package edit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

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

// PruneJSON removes empty objects and lists on a path, innermost first. It keeps those with a
// comment, and those in the file before (was; nil for no file), which are restored if they were
// empty then. A file that had at most comments is restored if nothing else was added. CodeInvalid
// as SetJSON.
func PruneJSON(src, was []byte, path []string) ([]byte, error) {
	_, was = cutBOM(was)
	if was != nil && skip(was) == len(was) {
		if out, err := pruneJSON(src, was, path); err != nil || !saysNothingBut(out, was) {
			return out, err
		}
		mark, _ := cutBOM(src)
		return slices.Concat(mark, was), nil
	}
	return pruneJSON(src, was, path)
}

// saysNothingBut reports whether a file is an empty object with just these comments.
func saysNothingBut(src, comments []byte) bool {
	_, body := cutBOM(src)
	d, err := parse(body)
	if err != nil || !blank(d.root) {
		return false
	}
	rest := slices.Concat(d.root.BeforeExtra, d.root.AfterExtra)
	return bytes.Equal(bytes.TrimSpace(rest), bytes.TrimSpace(comments))
}

func pruneJSON(src, was []byte, path []string) ([]byte, error) {
	old, err := parse(was)
	if err != nil || len(bytes.TrimSpace(was)) == 0 {
		old = nil // an unreadable file proves nothing
	}
	for n := len(path); n >= 0; n-- {
		here := path[:n]
		if old != nil && old.at(here) != nil {
			return emptyAgain(src, old.at(here), here)
		}
		if n == 0 {
			break
		}
		_, body := cutBOM(src)
		d, err := parse(body)
		if err != nil {
			return src, err
		}
		if v := d.at(here); v != nil && !blank(*v) {
			return src, nil
		}
		if src, err = RemoveJSON(src, here); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// emptyAgain restores an empty value at a path, if it was empty or null before.
func emptyAgain(src []byte, then *hujson.Value, path []string) ([]byte, error) {
	if !bare(*then) && !isNull(*then) {
		return src, nil
	}
	return changeJSON(src, path, nothing, func(d *document) error {
		now := d.at(path)
		if now == nil || !bare(*now) {
			return nil
		}
		null := isNull(*then)
		if null && blank(*now) || !null && text(*now) != text(*then) && inside(*now) == inside(*then) {
			d.putBack(now, then)
		}
		return nil
	})
}

// bare reports whether a value is an object or list without entries; it may have comments.
func bare(v hujson.Value) bool {
	return (v.Value.Kind() == '{' || v.Value.Kind() == '[') && len(entries(&v)) == 0
}

// inside returns the text between the braces of a bare value, without surrounding space.
func inside(v hujson.Value) string {
	return strings.ReplaceAll(string(bytes.TrimSpace(*after(&v))), "\r\n", "\n")
}

// blank reports whether there is nothing between the braces of a value.
func blank(v hujson.Value) bool { return bare(v) && inside(v) == "" }

// BlankJSON reports whether a JSON file is an empty object without comments, or white space.
func BlankJSON(src []byte) bool {
	_, body := cutBOM(src)
	body = bytes.TrimSpace(body)
	inner, ok := bytes.CutPrefix(body, []byte("{"))
	inner, closed := bytes.CutSuffix(inner, []byte("}"))
	return len(body) == 0 || ok && closed && len(bytes.TrimSpace(inner)) == 0
}
