package agent

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// own is a JSON file that belongs to us. content is its normal content; entries are everything in
// it, by which it is recognised and updated after a person added something, such as "disabled" to
// the server.
func own(path string, content []byte, entries ...entry) setup.Part {
	p, merged := setup.Whole(path, content, 0), jsonFile(path, entries...)
	p.Entries, p.DataDir = merged.Entries, dataDirIn
	p.Merge = func(c []byte) ([]byte, error) {
		out, err := merged.Set(c)
		if err == nil && !bytes.Equal(out, c) && sameJSON(out, content) {
			return content, nil // no additions are left in it
		}
		return out, err
	}
	p.Ours = func(c []byte) bool {
		return slices.ContainsFunc(entries, func(e entry) bool {
			return e.calls != nil && e.calls(c) || e.sure && e.stand(c).Stand >= setup.Older
		})
	}
	return p
}

func sameJSON(a, b []byte) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

// entriesOf returns the entries of a JSON asset: servers, hooks without a shell, descriptions.
func (e Env) entriesOf(agent string, content []byte) ([]entry, error) {
	var says map[string]json.RawMessage
	if err := json.Unmarshal(content, &says); err != nil {
		return nil, err
	}
	var all []entry
	for _, name := range slices.Sorted(maps.Keys(says)) {
		var err error
		switch name {
		case "mcpServers":
			var servers map[string]any
			err = json.Unmarshal(says[name], &servers)
			for _, server := range slices.Sorted(maps.Keys(servers)) {
				all = append(all, e.member(servers[server], []string{name, server}))
			}
		case "hooks":
			var events map[string][]any
			err = json.Unmarshal(says[name], &events)
			for _, event := range slices.Sorted(maps.Keys(events)) {
				for _, group := range events[event] {
					all = append(all, hookIn(edit.Elements{Path: []string{name, event}, Inner: "hooks", Ours: e.runs("hook", agent, event)}, group))
				}
			}
		default:
			all = append(all, stated(name, says[name]))
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// runs returns a function that recognises a hook that calls this program with these words.
func (e Env) runs(words ...string) func(element []byte) bool {
	return func(element []byte) bool {
		var hook any
		if json.Unmarshal(element, &hook) != nil {
			return false
		}
		is := wordsOf(hook)
		return len(is) > len(words) && e.isUs(is[0]) && slices.Equal(is[1:1+len(words)], words)
	}
}

// stated is a descriptive member of a file of ours, which is recognised by its name.
func stated(name string, value any) entry {
	path := []string{name}
	said := entry{
		path: path,
		set:  func(c []byte) ([]byte, error) { return edit.SetJSON(c, path, value) },
		drop: func(c []byte) ([]byte, error) { return edit.RemoveJSON(c, path) },
	}
	if name == "name" {
		said.calls = func(c []byte) bool {
			var is string
			there, err := edit.ReadJSON(c, path, &is)
			return err == nil && there && is == "engram"
		}
	}
	return said
}
