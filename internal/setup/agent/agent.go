// Package agent is the catalog of agents that Engram can be connected to: a function
// per agent (agents.go), with how an installation is detected and what goes into which of its files.
// A new agent is a new function and a line in All.
//
// It writes nothing: it returns lists of setup.Part. All paths derive from an Env, so that those of
// one system are tested on any other. It may be used concurrently.
package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// Env describes the machine that agents are installed on.
type Env struct {
	OS         string // runtime.GOOS
	Home       string // the user's home, absolute
	ConfigHome string // XDG_CONFIG_HOME; "": .config in Home
	AppData    string // APPDATA on Windows; "": AppData/Roaming in Home
	// Variable returns an environment variable that moves an agent's files, or "". May be nil.
	Variable func(name string) string
	// Program reports whether a program is on the PATH. nil: no programs.
	Program func(name string) bool

	Engram string // absolute path of the program that agents call
	// Programs are earlier paths that agents called. One named engram need not be listed.
	Programs []string
	DataDir  string // data directory to call it with; "": the default. Agents drop the environment
	Version  string // version of the program
	// Files returns the assets of an agent: plugin.Files.
	Files func(agent string) (fs.FS, error)
	// Protocol returns the text that teaches an agent to remember, with or without hooks.
	Protocol func(hooks bool) string
}

// Agent is a program that can be given a memory.
type Agent struct {
	Name    string   // as typed, and as in `engram hook`
	Title   string   // as people write it
	Aliases []string // other accepted names
	// Next tells a person what to do after the wiring, in a sentence or two.
	Next string

	// reads are markers in a path that the agent would expand as a variable.
	reads    []string
	traces   func(Env) []string // files and folders, any of which shows that it is installed
	programs []string
	parts    func(Env) ([]setup.Part, error)
	warns    func(e Env, read func(path string) []byte) []string // nil: no known obstacles
}

// All returns the agents in display order.
func All() []Agent {
	return []Agent{
		claudeCode(), openCode(), codex(), geminiCLI(), antigravity(), cursor(), vsCode(), windsurf(), zed(), claudeDesktop(), kiro(), cline(), pi(),
	}
}

// Names returns the names of all agents, in the order of All.
func Names() []string {
	return document.Each(All(), func(a Agent) string { return a.Name })
}

// Find returns the agent with a name or alias, ignoring case and separators: "Claude Code" is
// claude-code. CodeInvalid for an unknown one, listing the known ones.
func Find(name string) (Agent, error) {
	for _, a := range All() {
		if slices.ContainsFunc(append([]string{a.Name, a.Title}, a.Aliases...), func(n string) bool { return plain(n) == plain(name) }) {
			return a, nil
		}
	}
	return Agent{}, engram.Errorf(engram.CodeInvalid, "unknown agent: %q (supported: %s)", name, strings.Join(Names(), ", "))
}

func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// Detected reports whether the agent seems installed: its folder exists, or its program is on PATH.
func (a Agent) Detected(e Env) bool {
	return slices.ContainsFunc(a.traces(e), exists) || e.Program != nil && slices.ContainsFunc(a.programs, e.Program)
}

// Parts returns the contents of the agent's files in the order to write them: a callee before its
// caller. CodeInvalid for a program path that configurations cannot hold.
func (a Agent) Parts(e Env) ([]setup.Part, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	for _, sign := range a.reads {
		if strings.Contains(e.Engram+"\n"+e.DataDir, sign) {
			return nil, engram.Errorf(engram.CodeInvalid, "%s treats %s in a path as a variable", a.Title, sign).
				WithHint("move the program and its data to a folder whose name does not contain it")
		}
	}
	return a.parts(e)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (e Env) home(path ...string) string { return e.join(e.Home, path...) }

// join joins paths with the separator of the machine on which this runs.
func (e Env) join(dir string, path ...string) string {
	return filepath.Join(append([]string{dir}, path...)...)
}

// config returns a path where Unix programs keep their configuration.
func (e Env) config(path ...string) string {
	if e.ConfigHome != "" && filepath.IsAbs(e.ConfigHome) {
		return e.join(e.ConfigHome, path...)
	}
	return e.home(append([]string{".config"}, path...)...)
}

// appData returns a path below AppData/Roaming, Application Support or .config.
func (e Env) appData(path ...string) string {
	switch {
	case e.OS == "windows" && e.AppData != "":
		return e.join(e.AppData, path...)
	case e.OS == "windows":
		return e.home(append([]string{"AppData", "Roaming"}, path...)...)
	case e.OS == "darwin":
		return e.home(append([]string{"Library", "Application Support"}, path...)...)
	}
	return e.config(path...)
}

// moved returns the folder named by a variable, else the usual one.
func (e Env) moved(variable, usual string) string {
	if e.Variable == nil {
		return usual
	}
	v := e.Variable(variable)
	if rest, ok := strings.CutPrefix(v, "~/"); ok {
		v = e.home(rest)
	}
	if !filepath.IsAbs(v) {
		return usual
	}
	return filepath.Clean(v)
}

// Warnings returns obstacles in files that are not ours, one sentence each, or nil.
// read returns the content of a file, nil if it is missing or unreadable.
func (a Agent) Warnings(e Env, read func(path string) []byte) []string {
	if a.warns == nil {
		return nil
	}
	return a.warns(e, read)
}

// claudeWarnings looks for a second server of our name, which `claude mcp add` puts into
// .claude.json for all projects or for one, and for the switch that disables all hooks.
//
// Source: code.claude.com/docs/en/mcp and /docs/en/hooks.
func claudeWarnings(e Env, dir string, read func(path string) []byte) (all []string) {
	state := e.home(".claude.json")
	if dir != e.home(".claude") {
		state = e.join(dir, ".claude.json")
	}
	type servers struct {
		Engram any `json:"engram"`
	}
	var user servers
	if there, err := edit.ReadJSON(read(state), []string{"mcpServers"}, &user); err == nil && there && user.Engram != nil {
		all = append(all, fmt.Sprintf("%s has another server named engram, so Claude Code starts two: remove it with claude mcp remove engram -s user", state))
	}
	var projects map[string]struct {
		Servers servers `json:"mcpServers"`
	}
	if there, err := edit.ReadJSON(read(state), []string{"projects"}, &projects); err == nil && there {
		n := 0
		for _, p := range projects {
			if p.Servers.Engram != nil {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%s has another server named engram in %d of its projects: remove it with claude mcp remove engram -s local in each", state, n))
		}
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		var off bool
		path := e.join(dir, name)
		if there, err := edit.ReadJSON(read(path), []string{"disableAllHooks"}, &off); err == nil && there && off {
			all = append(all, fmt.Sprintf("%s has disableAllHooks, so no hook runs", path))
		}
	}
	return all
}
