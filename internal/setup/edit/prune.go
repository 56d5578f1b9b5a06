package edit

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// PruneJSON takes the objects and lists on a path out of an object of JSON that are empty, the
// innermost first. Those that hold a comment stay, and those that were there in was, which is
// what the file was once; nil: there was none. One that was empty then, too, is written again as
// it was: entries that came and went have left their lines. A file that said nothing, with comments or
// without, is as it was when nothing else has come into it.
//
// CodeInvalid as SetJSON.
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

// saysNothingBut reports whether a file is an empty object with the comments of another, which has
// nothing else.
func saysNothingBut(src, comments []byte) bool {
	_, body := cutBOM(src)
	d, err := parse(body)
	if err != nil || !blank(d.src, d.root) {
		return false
	}
	rest := splice(d.src, d.root.StartOffset, d.root.EndOffset, "")
	return bytes.Equal(bytes.TrimSpace(rest), bytes.TrimSpace(comments))
}

func pruneJSON(src, was []byte, path []string) ([]byte, error) {
	old, err := parse(was)
	if err != nil || len(bytes.TrimSpace(was)) == 0 {
		old = nil // what cannot be understood any more says nothing about what was there
	}
	for n := len(path); n >= 0; n-- {
		here := path[:n]
		if old != nil {
			if then := old.at(here); then != nil {
				return emptyAgain(src, old, then, here)
			}
		}
		if n == 0 {
			break
		}
		there, empty, err := look(src, here)
		if err != nil || there && !empty {
			return src, err
		}
		if src, err = RemoveJSON(src, here); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// emptyAgain writes what is empty at a path as it was when it was empty before, or null.
func emptyAgain(src []byte, old *document, then *hujson.Value, path []string) ([]byte, error) {
	if !bare(*then) && !isNull(*then) {
		return src, nil
	}
	rest := func(says any) any { return says }
	if len(path) > 0 {
		rest = without(path)
	}
	return changeJSON(src, func(d *document) error {
		now := d.at(path)
		if now == nil || !bare(*now) || isNull(*then) && !blank(d.src, *now) {
			return nil
		}
		is, was := d.src[now.StartOffset:now.EndOffset], old.src[then.StartOffset:then.EndOffset]
		if isNull(*then) || !bytes.Equal(is, was) && bytes.Equal(inside(is), inside(was)) {
			d.putBack(now, old, then)
		}
		return nil
	}, rest)
}

// bare reports whether a value is an object or list without entries; there may be comments in it.
func bare(v hujson.Value) bool {
	switch in := v.Value.(type) {
	case *hujson.Object:
		return len(in.Members) == 0
	case *hujson.Array:
		return len(in.Elements) == 0
	}
	return false
}

// inside is what stands between the braces of a value, but for the white space around it.
func inside(text []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimSpace(text[1:len(text)-1]), []byte("\r\n"), []byte("\n"))
}

// look says whether something stands at the path, and whether that is an object or list with
// nothing in it, no comment either.
func look(src []byte, path []string) (there, empty bool, err error) {
	_, body := cutBOM(src)
	d, err := parse(body)
	if err != nil {
		return false, false, err
	}
	v := d.at(path)
	return v != nil, v != nil && blank(d.src, *v), nil
}

// blank reports whether nothing stands between the braces of a value.
func blank(src []byte, v hujson.Value) bool {
	switch v.Value.(type) {
	case *hujson.Object, *hujson.Array:
		return len(bytes.TrimSpace(src[v.StartOffset+1:v.EndOffset-1])) == 0
	}
	return false
}

// BlankJSON reports whether a file of JSON says nothing: an empty object without a comment, or
// white space.
func BlankJSON(src []byte) bool {
	_, body := cutBOM(src)
	body = bytes.TrimSpace(body)
	inner, ok := bytes.CutPrefix(body, []byte("{"))
	inner, closed := bytes.CutSuffix(inner, []byte("}"))
	return len(body) == 0 || ok && closed && len(bytes.TrimSpace(inner)) == 0
}
