package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// hookLine returns the command line for an event of an agent, and a function that recognises such a
// line whatever path it calls this program by.
func (e Env) hookLine(sh shell, agent, event string) (line string, ours func(line string) bool, err error) {
	line, err = e.line(sh, "hook", agent, event)
	words := fmt.Sprintf("hook %s %s ", agent, event)
	return line, func(line string) bool {
		rest, is := e.afterUs(sh, line)
		return is && strings.HasPrefix(rest+" ", words)
	}, err
}

// hooked reports whether a hook, a JSON element of a list, has a command line of ours.
func hooked(element []byte, ours func(line string) bool) bool {
	var hook struct{ Command, PowerShell string }
	return json.Unmarshal(element, &hook) == nil && (ours(hook.Command) || ours(hook.PowerShell))
}

// native returns the shell in which programs of a system run command lines.
func (e Env) native() shell {
	if e.OS == "windows" {
		return cmd
	}
	return posix
}

// nested is a hook in the format of Claude Code and its imitators.
type nested struct {
	Hooks []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// hookTimeout is how many seconds an agent may wait for a hook, which takes 200 ms at most: a
// machine may be slow, and an agent reports a timeout to its user.
const hookTimeout = 10

// hooks returns the entries of a file with a list of hooks per event; shape makes an element.
func (e Env) hooks(sh shell, agent string, shape func(line string) any, events ...string) ([]entry, error) {
	var all []entry
	for _, event := range events {
		line, is, err := e.hookLine(sh, agent, event)
		if err != nil {
			return nil, err
		}
		list := edit.Elements{Path: []string{"hooks", event}, Ours: func(element []byte) bool { return hooked(element, is) }}
		value := shape(line)
		if _, ok := value.(nested); ok {
			list.Inner = "hooks"
		}
		all = append(all, hookIn(list, value))
	}
	return all, nil
}

// timeoutMember is set only in new hooks: a user may have changed it.
const timeoutMember = "timeout"

// hookIn is a hook in a list, or in a group with hooks of others.
func hookIn(list edit.Elements, value any) entry {
	return entry{
		path: list.Path, sure: true, drop: list.Drop,
		set: func(c []byte) ([]byte, error) { return list.Add(c, value, []string{timeoutMember}) },
	}
}

// inGroup is a hook in a group, with a timeout in seconds.
func inGroup(line string) any {
	return nested{Hooks: []hookCommand{{Type: "command", Command: line, Timeout: hookTimeout}}}
}
