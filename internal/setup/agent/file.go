package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
	"github.com/alanbuscaglia/engram/plugin"
)

type entry struct {
	path []string
	set  func(content []byte) ([]byte, error)
	drop func(content []byte) ([]byte, error)
	// leave is drop for a file that existed before; nil: use drop.
	leave func(content, before []byte) ([]byte, error)
	// spared keeps an entry that existed before, or that others have come to need.
	spared bool
	// sure means that only a setup writes it; else calls compares the existing program.
	sure  bool
	calls func(content []byte) bool
	// words returns the command line with which our entry calls this program; nil if it has none.
	words func(content []byte) []string
}

func (e entry) stand(content []byte) setup.Entry {
	s := setup.Entry{Name: strings.Join(e.path, "."), Sure: e.sure}
	same, err := e.set(content)
	if err == nil && bytes.Equal(same, content) {
		s.Stand = setup.Same
		return s
	}
	without, err := e.drop(content)
	switch {
	case err != nil || bytes.Equal(without, content):
	case e.sure || e.calls != nil && e.calls(content):
		s.Stand = setup.Older
	default:
		s.Stand = setup.Theirs
	}
	return s
}

// member is the entry of this program's MCP server at a path. An older entry of ours gets the
// members of value except those named in first, and keeps others such as disabled or a timeout,
// which are the user's. An entry of another program is replaced.
func (e Env) member(value any, path []string, first ...string) entry {
	return entry{
		path: path,
		set: func(c []byte) ([]byte, error) {
			var is any
			there, err := edit.ReadJSON(c, path, &is)
			if was, ok := is.(map[string]any); err == nil && there && ok && e.calls(was) {
				return edit.MergeJSON(c, path, value, first)
			}
			return edit.SetJSON(c, path, value)
		},
		drop:  func(c []byte) ([]byte, error) { return edit.RemoveJSON(c, path) },
		leave: func(c, before []byte) ([]byte, error) { return edit.RestoreJSON(c, before, path) },
		calls: func(c []byte) bool { return e.words(c, path) != nil },
		words: func(c []byte) []string { return e.words(c, path) },
	}
}

// words returns the command line of our server in a JSON file, or nil.
func (e Env) words(c []byte, path []string) []string {
	var is any
	if there, err := edit.ReadJSON(c, path, &is); !there || err != nil || !e.calls(is) {
		return nil
	}
	return wordsOf(is)
}

// usual is a value that a file needs beside our entry: an existing one is kept, and it is removed
// with the last entry of ours.
func usual(value any, name string) entry {
	path := []string{name}
	return entry{
		path: path, spared: true,
		set: func(c []byte) ([]byte, error) {
			var is any
			switch there, err := edit.ReadJSON(c, path, &is); {
			case err != nil:
				return nil, err
			case there && fmt.Sprint(is) != fmt.Sprint(value):
				return nil, engram.Errorf(engram.CodeConflict, "%s %v is not known", name, is).WithHint("update engram; the file was not touched")
			case there:
				return c, nil
			}
			return edit.SetJSON(c, path, value)
		},
		drop: func(c []byte) ([]byte, error) { return edit.RemoveJSON(c, path) },
	}
}

// jsonFile is a JSON file with entries of ours.
func jsonFile(path string, entries ...entry) setup.Part {
	return setup.Part{
		Path: path,
		Set: func(c []byte) (_ []byte, err error) {
			for _, e := range entries {
				if c, err = e.set(c); err != nil {
					return nil, err
				}
			}
			return c, nil
		},
		Remove: func(c, before []byte) (_ []byte, err error) {
			for n := len(entries) - 1; n >= 0; n-- {
				if c, err = entries[n].goes(c, before); err != nil {
					return nil, err
				}
			}
			if before == nil && edit.BlankJSON(c) {
				return nil, nil
			}
			return c, nil
		},
		DataDir: func(c []byte) string {
			for _, e := range entries {
				if e.words != nil {
					return dataDirOf(e.words(c))
				}
			}
			return ""
		},
		Entries: func(c []byte) (all []setup.Entry) {
			for _, e := range entries {
				// An existing entry that a person may have written is no evidence.
				if s := e.stand(c); !e.spared || s.Stand == setup.Missing {
					all = append(all, s)
				}
			}
			return all
		},
	}
}

// mcpFile is a JSON file with our MCP server where most agents have it.
func (e Env) mcpFile(path string) setup.Part {
	return jsonFile(path, e.member(e.server(), []string{"mcpServers", "engram"}))
}

// goes removes an entry from a file that existed before, with the empty objects around it.
func (e entry) goes(c, before []byte) (out []byte, err error) {
	if e.leave != nil {
		out, err = e.leave(c, before)
	} else {
		out, err = e.drop(c)
	}
	if err != nil {
		return nil, err
	}
	if e.spared {
		there, err := edit.ReadJSON(before, e.path, new(any))
		if err == nil && there || before == nil && !edit.BlankJSON(out) {
			return c, nil // another program added it, or its entries need it
		}
	}
	return edit.PruneJSON(out, before, e.path)
}

// made returns a JSON file with only these entries.
func made(entries ...entry) ([]byte, error) { return jsonFile("", entries...).Set(nil) }

// tomlFile is a TOML file with a table of ours.
func (e Env) tomlFile(path string, table []string, keys string) setup.Part {
	set := func(c []byte) ([]byte, error) { return edit.SetTOML(c, table, keys, e.calls) }
	return setup.Part{
		Path: path, Set: set,
		Remove: func(c, before []byte) ([]byte, error) {
			c, err := edit.RemoveTOML(c, before, table)
			return gone(c, before), err
		},
		DataDir: func(c []byte) string {
			is, err := edit.ReadTOML(c, table)
			if err != nil || !e.calls(is) {
				return ""
			}
			return dataDirOf(wordsOf(is))
		},
		Entries: single(entry{
			path: []string{"[" + strings.Join(table, ".") + "]"}, set: set,
			drop: func(c []byte) ([]byte, error) { return edit.RemoveTOML(c, nil, table) },
			calls: func(c []byte) bool {
				is, err := edit.ReadTOML(c, table)
				return err == nil && e.calls(is)
			},
		}),
	}
}

// single returns Part.Entries for a part with one entry.
func single(e entry) func(content []byte) []setup.Entry {
	return func(content []byte) []setup.Entry { return []setup.Entry{e.stand(content)} }
}

// markdownFile is a Markdown file with a text of ours, which several agents share.
func markdownFile(path, text string) setup.Part {
	set := func(c []byte) ([]byte, error) { return edit.SetMarkdown(c, text) }
	return setup.Part{
		Path: path, Shared: "protocol", Set: set,
		Remove: func(c, before []byte) ([]byte, error) {
			c, err := edit.RemoveMarkdown(c)
			return gone(c, before), err
		},
		Entries: single(entry{path: []string{"the block of engram"}, sure: true, set: set, drop: edit.RemoveMarkdown}),
	}
}

// gone returns nil for an empty file that did not exist before.
func gone(content, before []byte) []byte {
	if before == nil && len(bytes.TrimSpace(content)) == 0 {
		return nil
	}
	return content
}

// skill is a SKILL.md (https://agentskills.io/specification) with the protocol.
func (e Env) skill(path string) setup.Part {
	return setup.Whole(path, []byte("---\nname: engram\ndescription: Persistent memory across sessions (Engram). Use at the start of work, before a decision, after a fix or "+
		"discovery, and when the user says remember, recall or last time.\n---\n\n"+e.protocol(true)), 0)
}

func (e Env) protocol(hooks bool) string {
	if e.Protocol == nil {
		return "\n"
	}
	return strings.TrimSpace(e.Protocol(hooks)) + "\n"
}

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

// Placeholders in assets: plugin/README.md.
const (
	fillProgram    = `"__ENGRAM__"`
	fillDataDir    = `"__DATA_DIR_ARGS__"`
	fillShell      = "__ENGRAM_SHELL__"
	fillPowerShell = "__ENGRAM_POWERSHELL__"
	fillVersion    = "__ENGRAM_VERSION__"
)

// Fill returns an asset as it is installed: with shared text included and placeholders replaced.
func (e Env) Fill(asset []byte) ([]byte, error) {
	shellLine, err := e.line(posix)
	if err != nil {
		return nil, err
	}
	psLine, err := e.line(powershell)
	if err != nil {
		return nil, err
	}
	args := ""
	for _, a := range e.args() {
		args += ", " + text(a)
	}
	out := strings.NewReplacer(
		", "+fillDataDir, args, ","+fillDataDir, args, fillDataDir, strings.TrimPrefix(args, ", "),
		fillProgram, text(e.Engram), fillShell, shellLine, fillPowerShell, psLine, fillVersion, e.version(),
	).Replace(string(plugin.Joined(asset)))
	return []byte(out), nil
}

// version returns the version; "0.0.0" for a build from source, because manifests need numbers.
func (e Env) version() string {
	v := strings.TrimPrefix(e.Version, "v")
	if v == "" || !strings.Contains("0123456789", v[:1]) {
		return "0.0.0"
	}
	return v
}

// whole returns the assets of an agent as files in a folder: those that keep selects, with their
// target names; nil: all but README.md.
func (e Env) whole(agent, dir string, keep func(name string) (to string, ok bool)) ([]setup.Part, error) {
	if e.Files == nil {
		return nil, engram.Errorf(engram.CodeInternal, "there are no assets")
	}
	files, err := e.Files(agent)
	if err != nil {
		return nil, err
	}
	if keep == nil {
		keep = func(name string) (string, bool) { return name, path.Base(name) != "README.md" }
	}
	var parts []setup.Part
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		to, ok := keep(name)
		if err != nil || d.IsDir() || !ok {
			return err
		}
		b, err := fs.ReadFile(files, name)
		if err == nil {
			b, err = e.Fill(b)
		}
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(b, []byte("#!")) {
			mode = 0o755
		}
		p := setup.Whole(e.join(dir, strings.Split(to, "/")...), b, mode)
		p.DataDir = dataDirIn
		if path.Ext(name) == ".json" {
			entries, err := e.entriesOf(agent, b)
			if err != nil {
				return err
			}
			p = own(p.Path, b, entries...)
		}
		parts = append(parts, p)
		return nil
	})
	if err == nil && len(parts) == 0 {
		err = engram.Errorf(engram.CodeInternal, "there are no assets for %s", agent)
	}
	slices.SortFunc(parts, func(a, b setup.Part) int { return strings.Compare(a.Path, b.Path) })
	return parts, err
}
