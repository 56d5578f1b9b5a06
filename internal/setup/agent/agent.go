// Package agent is the catalog of the agents that Engram can be wired into: one file an agent, with
// how an installation is detected and what goes into which of its files. A new agent is a new file
// and a line in All.
//
// It writes nothing: it returns lists of setup.Part. Paths come in as an Env, so that those of one
// system are tested on any other. Concurrent use is fine.
package agent

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup"
)

// Env is the machine that agents are installed on.
type Env struct {
	OS         string // as runtime.GOOS has it
	Home       string // of the user; absolute
	ConfigHome string // XDG_CONFIG_HOME; "": .config in Home
	AppData    string // APPDATA, of Windows; "": AppData/Roaming in Home
	// Variable is the value of a variable of the environment that moves an agent's files; ""
	// for one that is not set. nil: none is.
	Variable func(name string) string
	// Program reports whether a program is on the PATH. nil: none is.
	Program func(name string) bool

	Engram string // the program that agents are to call; absolute
	// Programs are others that agents were told to call before. One named engram needs none.
	Programs []string
	DataDir  string // that it is to be called with; "": the usual one. Agents drop the environment
	Version  string // of the program
	// Files are the assets of an agent: plugin.Files.
	Files func(agent string) (fs.FS, error)
	// Protocol is the text that teaches an agent to remember: with and without hooks.
	Protocol func(hooks bool) string
}

// Agent is a program that can be given a memory.
type Agent struct {
	Name    string   // as it is typed, and as `engram hook` knows it
	Title   string   // as people write it
	Aliases []string // other names that are understood
	// Next is what a person does after the wiring, a sentence or two.
	Next string

	// reads are signs in a path that the agent takes for a variable, and that nothing stands for.
	reads    []string
	traces   func(Env) []string // files and folders, of which one is there when it is installed
	programs []string
	parts    func(Env) ([]setup.Part, error)
	warns    func(e Env, read func(path string) []byte) []string // nil: nothing is known that could stand in the way
}

// All are the agents, in the order in which they are shown.
func All() []Agent {
	return []Agent{
		claudeCode(), openCode(), codex(), geminiCLI(), antigravity(), cursor(), vsCode(), windsurf(), zed(), claudeDesktop(), kiro(), cline(), pi(),
	}
}

// Names are those of all agents, in the order of All.
func Names() []string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return names
}

// Find is the agent of a name or alias, however it is written: "Claude Code" is claude-code.
//
// CodeInvalid for one that is not known, with those that are.
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

// Detected reports whether the agent seems to be installed: a folder of it is there, or its
// program is on the PATH.
func (a Agent) Detected(e Env) bool {
	return slices.ContainsFunc(a.traces(e), exists) || e.Program != nil && slices.ContainsFunc(a.programs, e.Program)
}

// Parts are what the agent's files get, in the order to write them: a callee before its caller.
// CodeInvalid for a path of the program that no configuration can carry.
func (a Agent) Parts(e Env) ([]setup.Part, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	for _, sign := range a.reads {
		if strings.Contains(e.Engram+"\n"+e.DataDir, sign) {
			return nil, engram.Errorf(engram.CodeInvalid, "%s takes %s in a path for a variable", a.Title, sign).
				WithHint("put the program, and its data, into a folder without it in its name")
		}
	}
	return a.parts(e)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// home is a path in the home directory.
func (e Env) home(path ...string) string { return e.join(e.Home, path...) }

// join puts paths together; the separator is the machine's on which this runs.
func (e Env) join(dir string, path ...string) string {
	return filepath.Join(append([]string{dir}, path...)...)
}

// config is a path where programs keep their configuration on Unix.
func (e Env) config(path ...string) string {
	if e.ConfigHome != "" && filepath.IsAbs(e.ConfigHome) {
		return e.join(e.ConfigHome, path...)
	}
	return e.home(append([]string{".config"}, path...)...)
}

// appData is a path where programs keep what is theirs: AppData/Roaming, Application Support,
// or .config.
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

// moved is where a variable says that a folder is, else the usual place.
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
