package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// hookLine is a command line for an event of an agent, and what tells such a line, however this
// program is called in it.
func (e Env) hookLine(sh shell, agent, event string) (line string, ours func(line string) bool, err error) {
	line, err = e.line(sh, "hook", agent, event)
	words := fmt.Sprintf("hook %s %s ", agent, event)
	return line, func(line string) bool {
		rest, is := e.afterUs(sh, line)
		return is && strings.HasPrefix(rest+" ", words)
	}, err
}

// hooked reports whether a hook, as an element of a list in JSON, has a command line that is
// ours.
func hooked(element []byte, ours func(line string) bool) bool {
	var hook struct{ Command, PowerShell string }
	return json.Unmarshal(element, &hook) == nil && (ours(hook.Command) || ours(hook.PowerShell))
}

// native is the shell in which programs of a system run command lines.
func (e Env) native() shell {
	if e.OS == "windows" {
		return cmd
	}
	return posix
}

// nested is a hook as Claude Code has them, and those that took it over.
type nested struct {
	Hooks []hookCommand `json:"hooks"`
}

// hookCommand is a command of a hook.
type hookCommand struct {
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// patience is how long an agent may wait for a hook, which takes 200 ms at most. 10 s: a
// machine may be slow, and an agent that gives up says so to its user.
const patience = 10

// hooks are entries of a file of hooks, in which each event has a list; shape makes an element
// of one.
func (e Env) hooks(sh shell, agent string, shape func(line string) any, events ...string) ([]entry, error) {
	var all []entry
	for _, event := range events {
		line, is, err := e.hookLine(sh, agent, event)
		if err != nil {
			return nil, err
		}
		value, ours := shape(line), func(e []byte) bool { return hooked(e, is) }
		if group, ok := value.(nested); ok {
			all = append(all, grouped(group, ours, "hooks", event))
			continue
		}
		all = append(all, element(value, ours, "hooks", event))
	}
	return all, nil
}

// ownPatience is what a hook of ours gets when it is new: whoever changes it knows why.
const ownPatience = "timeout"

// element is a hook in a list; ours tells it, however the program is called.
func element(value any, ours func(element []byte) bool, path ...string) entry {
	return entry{
		path: path, sure: true,
		set:  func(c []byte) ([]byte, error) { return edit.AddJSON(c, path, value, []string{ownPatience}, ours) },
		drop: func(c []byte) ([]byte, error) { return edit.DropJSON(c, path, ours) },
	}
}

// grouped is a hook in a group, in which there may be hooks of others.
func grouped(group any, ours func(element []byte) bool, path ...string) entry {
	const inner = "hooks"
	return entry{
		path: path, sure: true,
		set: func(c []byte) ([]byte, error) {
			return edit.AddGroupedJSON(c, path, inner, group, []string{ownPatience}, ours)
		},
		drop: func(c []byte) ([]byte, error) { return edit.DropGroupedJSON(c, path, inner, ours) },
	}
}

// inGroup is a hook in a group, with a patience in seconds.
func inGroup(line string) any {
	return nested{Hooks: []hookCommand{{Type: "command", Command: line, Timeout: patience}}}
}
