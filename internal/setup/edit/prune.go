package edit

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// PruneJSON takes the objects and lists on a path out of an object of JSON that are empty, the
// innermost first. Those that hold a comment stay, and those that were there in was, which is
// what the file was once; nil: there was none.
//
// CodeInvalid as SetJSON.
func PruneJSON(src, was []byte, path []string) ([]byte, error) {
	for n := len(path); n > 0; n-- {
		here := path[:n]
		if len(bytes.TrimSpace(was)) > 0 {
			// What cannot be understood any more says nothing about what was there.
			if there, err := ReadJSON(was, here, new(any)); err == nil && there {
				return src, nil
			}
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

// look says whether something stands at the path, and whether that is an object or list with
// nothing in it, no comment either.
func look(src []byte, path []string) (there, empty bool, err error) {
	_, body := cutBOM(src)
	d, err := parse(body)
	if err != nil {
		return false, false, err
	}
	at, missing, err := d.walk(path[:len(path)-1])
	if err != nil || len(missing) > 0 {
		return false, false, err
	}
	m := member(at.object(), path[len(path)-1])
	return m != nil, m != nil && blank(d.src, m.Value), nil
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
