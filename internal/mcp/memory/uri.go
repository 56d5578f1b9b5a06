package memory

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// scheme opens the URI of a resource. A path alone, as /memories/mem_…, is read as well.
const scheme = "engram://"

// The URI templates of the resources, in the syntax of RFC 6570.
const (
	MemoryTemplate = scheme + "memories/{id}"
	ListTemplate   = scheme + "projects/{project}/memories{?type,topic,cursor}"
)

// address is what a URI names: a memory, or the list of a project's memories.
type address struct {
	id      string // of a memory; "" for a list
	project string // of a list; "" is the one in force
	typ     string // of a list: only this type
	topic   string // of a list: only this topic key, and those below it
	cursor  string // of a list: where it goes on
}

// parseURI reads a URI; ok is false when it names nothing that could be here.
func parseURI(uri string) (a address, ok bool) {
	path, query, _ := strings.Cut(uri, "?")
	path, whole := strings.CutPrefix(path, scheme)
	if !whole {
		if path, whole = strings.CutPrefix(path, "/"); !whole {
			return a, false
		}
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		var err error
		if parts[i], err = url.PathUnescape(p); err != nil {
			return a, false
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return a, false
	}
	list := address{typ: values.Get("type"), topic: values.Get("topic"), cursor: values.Get("cursor")}
	switch {
	case len(parts) == 1 && parts[0] == "memories", len(parts) == 2 && parts[0] == "memories" && parts[1] == "*":
		return list, true
	case len(parts) == 3 && parts[0] == "projects" && parts[1] != "" && parts[2] == "memories":
		list.project = parts[1]
		return list, true
	case len(parts) > 1 && parts[0] == "memories" && parts[1] != "":
		// The key of a topic has slashes, which need not be escaped.
		a.id = strings.Join(parts[1:], "/")
		return a, true
	}
	return a, false
}

// ProjectOf is the project that the URI of a list names, as it is written there; "" when it
// names none.
func ProjectOf(uri string) string {
	a, _ := parseURI(uri)
	return a.project
}

// IDOf is the id or topic of the memory that a URI names, as it is written there; "" when it
// names none.
func IDOf(uri string) string {
	a, _ := parseURI(uri)
	return a.id
}

// memoryURI is the URI of a memory.
func memoryURI(m engram.Memory) string { return scheme + "memories/" + string(m.ID) }

// uri is the URI of the list a.
func (a address) uri() string {
	s := scheme + "projects/" + url.PathEscape(a.project) + "/memories"
	mark := "?"
	for _, v := range []struct{ name, value string }{{"type", a.typ}, {"topic", a.topic}, {"cursor", a.cursor}} {
		if v.value != "" {
			s += mark + v.name + "=" + url.QueryEscape(v.value)
			mark = "&"
		}
	}
	return s
}

// cursorOf is where a list goes on after m. It names a place in time and not a count, so
// that no memory is told twice or left out when others are saved or forgotten meanwhile.
func cursorOf(m engram.Memory) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", m.CreatedAt.UnixMilli(), m.Num))
}

// position reads a cursor; "" is the beginning.
func position(cursor string) (engram.Position, error) {
	if cursor == "" {
		return engram.Position{}, nil
	}
	bad := engram.Errorf(engram.CodeInvalid, "the cursor is none of this server").WithHint("leave it out to begin again")
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return engram.Position{}, bad
	}
	at, num, _ := strings.Cut(string(b), ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return engram.Position{}, bad
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || n < 1 {
		return engram.Position{}, bad
	}
	return engram.Position{CreatedAt: time.UnixMilli(ms).UTC(), Num: n}, nil
}
