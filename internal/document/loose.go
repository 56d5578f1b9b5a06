package document

import (
	"encoding/json"
	"strings"
)

// What models send where a number, a flag or a list is asked for, and how it is meant. The
// frontends that take JSON read it by these, so that the same arguments mean the same
// over each.

// Unquoted is the number, true or false in a string that holds nothing else, such as "12";
// every other value as it is.
func Unquoted(raw json.RawMessage) json.RawMessage {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return raw
	}
	s = strings.TrimSpace(s)
	if flag := strings.ToLower(s); flag == "true" || flag == "false" {
		return json.RawMessage(flag)
	}
	var n *float64
	if json.Unmarshal([]byte(s), &n) != nil || n == nil {
		return raw
	}
	return json.RawMessage(s)
}

// Items are the values of a list: of an array, of a string with one in it ("[1, 2]"), or of
// one with commas between them, of which each is then a string; blank ones are left out.
// ok is false for what is no list.
func Items(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if json.Unmarshal(raw, &items) == nil {
		return items, items != nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, false
	}
	if s = strings.TrimSpace(s); strings.HasPrefix(s, "[") && json.Unmarshal([]byte(s), &items) == nil {
		return items, true
	}
	items = []json.RawMessage{}
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			quoted, err := json.Marshal(part)
			if err != nil {
				return nil, false
			}
			items = append(items, quoted)
		}
	}
	return items, true
}
