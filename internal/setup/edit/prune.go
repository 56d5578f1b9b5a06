package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

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
