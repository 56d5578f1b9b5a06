package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/internal/setup/agent"
	"github.com/alanbuscaglia/engram/plugin"
)

// Wiring connects agents to this program through their configuration files.
type Wiring struct {
	Config  config.Config
	Version string
	OS      string                      // runtime.GOOS
	Env     func(string) (string, bool) // environment
	// Program is the absolute path that agents are to call: ProgramForAgents.
	Program string
	// DataDirGiven means an explicit data directory, which agents with another one then get.
	DataDirGiven bool
}

// AgentFile is one configuration file of an agent.
type AgentFile struct {
	setup.Change
	// Status is absent, wired, changed (wired, but not as it would be now), broken (it cannot be
	// parsed or read) or taken (belongs to someone else and is left alone).
	Status string
	Why    string // error or remark; "" if none
}

// AgentState is the state of an agent, or the result of a change.
type AgentState struct {
	Name, Title string
	Next        string // what a person does next after wiring
	Detected    bool   // it seems to be installed
	Status      string // absent, wired, changed (in part, or not as it would be now), broken
	Files       []AgentFile
	Recorded    bool     // the previous contents of its files are recorded; set by Look
	DataDir     string   // data directory in its files; "" for the default
	Notes       []string // further remarks, one sentence each, such as obstacles
	Err         error    // why it failed
}

// Changed reports whether any of the agent's files is changed.
func (s AgentState) Changed() bool {
	return slices.ContainsFunc(s.Files, func(f AgentFile) bool { return f.Changed() })
}

// AgentNames returns the names of all supported agents in display order.
func AgentNames() []string { return agent.Names() }

// FindAgent returns the name of an agent, given that or an alias; CodeInvalid if it is unknown.
func FindAgent(name string) (string, error) {
	a, err := agent.Find(name)
	return a.Name, err
}

// Look returns the state of an agent.
func (w Wiring) Look(name string) AgentState {
	s, parts := w.state(name)
	if s.Err != nil {
		return s
	}
	all, err := w.wirer().Status(name, parts)
	if err != nil {
		s.Err, s.Status = err, string(setup.Broken)
		return s
	}
	for n, p := range parts {
		s.Files = append(s.Files, AgentFile{Change: setup.Change{Path: p.Path, Over: all[n].Over}, Status: string(all[n].Status), Why: all[n].Why})
		s.Recorded = s.Recorded || all[n].Known
	}
	former, elsewhere, err := w.wirer().Former(name, parts)
	if err != nil {
		s.Err, s.Status = err, string(setup.Broken)
		return s
	}
	for _, path := range former {
		all = append(all, setup.Standing{Status: setup.Changed})
		s.Files = append(s.Files, AgentFile{Change: setup.Change{Path: path}, Status: string(setup.Changed), Why: "an earlier setup wrote it, and the next one removes it: the agent reads another file now"})
	}
	s.Notes = append(append(s.Notes, notesElsewhere(elsewhere)...), w.notesLate(s)...)
	s.Status = string(together(all))
	return s
}

// notesLate reports that an agent's hooks run too late to inject memories, although it is set up.
func (w Wiring) notesLate(s AgentState) []string {
	late := lateHooks(cmp.Or(s.DataDir, w.Config.DataDir), s.Name, w.Config.HookWithin, time.Now()).Late
	if late <= health.FewLate {
		return nil
	}
	return []string{fmt.Sprintf("late: %d of its events ran out of time in the last 24 hours; run engram doctor --check %s", late, health.HooksInTime)}
}

// notesElsewhere reports other files that wire an agent.
func notesElsewhere(paths []string) (notes []string) {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			notes = append(notes, path+" also has it, from an earlier setup in another place: it stays until --undo")
		}
	}
	return notes
}

func together(all []setup.Standing) setup.Status {
	every := map[setup.Status]int{}
	for _, s := range all {
		every[s.Status]++
	}
	switch ours := len(all) - every[setup.Taken]; {
	case every[setup.Broken] > 0:
		return setup.Broken
	case every[setup.Wired] == ours:
		return setup.Wired
	case every[setup.Absent] == ours:
		return setup.Absent
	}
	return setup.Changed
}

// Set wires an agent; dry only plans the changes.
func (w Wiring) Set(ctx context.Context, name string, dry bool) AgentState {
	s, parts := w.state(name)
	if s.Err != nil {
		return s
	}
	var all []setup.Change
	if dry {
		all, s.Err = w.wirer().Plan(name, parts)
	} else {
		all, s.Err = w.wirer().Apply(ctx, name, parts)
	}
	for _, c := range all {
		f := AgentFile{Change: c, Status: string(setup.Wired)}
		switch {
		case c.Taken:
			f.Status = string(setup.Taken)
		case c.Former && c.Left != "":
			f.Status = string(setup.Changed)
		case c.Former:
			f.Status = string(setup.Absent)
		}
		if c.Cut {
			s.Notes = append(s.Notes, c.Path+" is a hard link: its other names keep the old content")
		}
		s.Files = append(s.Files, f)
	}
	if _, elsewhere, err := w.wirer().Former(name, parts); err == nil {
		s.Notes = append(s.Notes, notesElsewhere(elsewhere)...)
	}
	s.Status = string(setup.Wired)
	if s.Err != nil {
		s.Status = string(setup.Broken)
	}
	return s
}

// Unset removes the wiring of an agent; dry only plans the changes.
func (w Wiring) Unset(ctx context.Context, name string, dry bool) AgentState {
	s, parts := w.state(name)
	s.Notes = nil // warnings about wiring do not matter here
	var all []setup.Undone
	if err := s.Err; err != nil { // undoing does not need what the wiring would be now
		parts, s.Err = nil, nil
	}
	if dry {
		all, s.Err = w.wirer().PlanUndo(name, parts)
	} else {
		all, s.Err = w.wirer().Undo(ctx, name, parts)
	}
	s.Status = string(setup.Absent)
	for _, u := range all {
		f := AgentFile{Change: u.Change, Status: string(setup.Absent)}
		if u.Left != "" {
			f.Status, s.Status = string(setup.Changed), string(setup.Changed)
		} else if u.Guessed {
			f.Why = "the original is not recorded: engram's part was removed"
		}
		s.Files = append(s.Files, f)
	}
	return s
}

// Wired returns the agents that are set up, according to the records or to contents that only a
// setup writes. unsure are others with Engram's server, perhaps added by hand.
func (w Wiring) Wired() (names, unsure []string, err error) {
	wirer := w.wirer()
	if names, err = wirer.Agents(); err != nil {
		return nil, nil, err
	}
	for _, name := range agent.Names() {
		s, parts := w.state(name)
		if s.Err != nil {
			continue
		}
		switch trace, err := wirer.Trace(name, parts); {
		case err != nil:
			return nil, nil, err
		case trace == setup.Sure:
			names = append(names, name)
		case trace == setup.Unsure:
			unsure = append(unsure, name)
		}
	}
	return names, unsure, nil
}

// state returns what is known of an agent in advance.
func (w Wiring) state(name string) (AgentState, []setup.Part) {
	a, err := agent.Find(name)
	if err != nil { // a later version wired it
		return AgentState{Name: name, Title: name, Status: string(setup.Broken), Err: err}, nil
	}
	env := w.env()
	s := AgentState{Name: a.Name, Title: a.Title, Next: a.Next, Detected: a.Detected(env)}
	parts, err := a.Parts(env)
	if err == nil && env.DataDir == "" && !w.DataDirGiven {
		// Silently using another directory would split the agent's memory in two.
		if env.DataDir = w.wirer().DataDirOf(parts); env.DataDir != "" {
			s.Notes = append(s.Notes, "its data is in "+env.DataDir+", as it was set up, and stays there: choose another folder with --data-dir")
			parts, err = a.Parts(env)
		}
	}
	if err != nil {
		s.Err, s.Status = err, string(setup.Broken)
	}
	s.DataDir, s.Notes = env.DataDir, append(s.Notes, a.Warnings(env, contentOf)...)
	return s, parts
}

// contentOf returns the content of a file, nil if it is missing or unreadable. The limit is 64 MiB,
// since some agents keep data of all projects in one growing file.
func contentOf(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<20 {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return content
}

// env returns the machine as package agent sees it.
func (w Wiring) env() agent.Env {
	programs, _ := w.wirer().Programs() // an unreadable record fails in whatever follows
	e := agent.Env{
		OS: w.OS, Home: w.home(), ConfigHome: w.variable("XDG_CONFIG_HOME"), AppData: w.variable("APPDATA"),
		Variable: w.variable, Engram: w.Program, Programs: programs, Version: w.Version, Files: plugin.Files,
		Program: func(name string) bool { return onPath(name, w.variable("PATH"), w.OS) != "" },
		Protocol: func(hooks bool) string {
			if hooks {
				return plugin.Protocol(plugin.Hooks)
			}
			return plugin.Protocol(plugin.NoHooks)
		},
	}
	if w.Config.DataDir != filepath.Join(w.home(), usualDataDir) {
		e.DataDir = w.Config.DataDir
	}
	return e
}

const usualDataDir = ".engram"

func (w Wiring) variable(name string) string {
	v, _ := w.Env(name)
	return v
}

// home returns the user's home folder, which has another variable on Windows.
func (w Wiring) home() string {
	if h := w.variable("HOME"); h != "" || w.OS != "windows" {
		return h
	}
	return w.variable("USERPROFILE")
}

// Ready reports whether agents can be wired here: CodeInvalid without a home directory, and the
// errors of an unreadable record of earlier setups, which covers all agents.
func (w Wiring) Ready() error {
	if !filepath.IsAbs(w.home()) {
		return engram.Errorf(engram.CodeInvalid, "the home directory is unknown").WithHint("set HOME")
	}
	_, err := w.wirer().Programs()
	return err
}

// DataFits returns CodeInvalid if the agents' data directory or a parent of it is not a folder.
func (w Wiring) DataFits() error {
	for dir := w.env().DataDir; dir != "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		is, err := os.Stat(dir)
		if err == nil && !is.IsDir() {
			return engram.Errorf(engram.CodeInvalid, "%s cannot be the data directory: %s is not a folder", w.env().DataDir, dir).
				WithHint("name another with --data-dir; nothing was changed")
		}
		if err == nil {
			break
		}
	}
	return nil
}

// wirer returns a Wirer with its records in the home directory, whatever the data directory: agents
// belong to a person, and undoing them needs no knowledge of the data directory.
func (w Wiring) wirer() *setup.Wirer {
	dir := filepath.Join(w.home(), usualDataDir, "setup")
	return setup.New(setup.Options{Dir: dir, Now: time.Now, Program: w.Program, Lock: func(ctx context.Context) (func() error, error) {
		return waitFor(ctx, dir)
	}})
}

// setupWait limits how long one setup waits for another.
const setupWait = 10 * time.Second

// waitFor locks the folder of setup records and returns the function that unlocks it, which also
// removes the folder if it holds no records any more.
func waitFor(ctx context.Context, dir string) (release func() error, err error) {
	path := filepath.Join(dir, "lock")
	f, err := hold(ctx, path, setupWait, "another setup is running")
	if err != nil {
		return nil, err
	}
	return func() error { return errors.Join(leave(dir, path), f.Close()) }, nil
}

// tryLock takes a lock if it is free. A file removed meanwhile is no longer the lock.
func tryLock(path string) (_ *os.File, held bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	if held, err = daemon.TryLock(f); err == nil && held && hasName(f, path) {
		return f, true, nil
	}
	return nil, false, errors.Join(err, f.Close())
}

// hasName reports whether f still has the name path.
func hasName(f *os.File, path string) bool {
	own, err := f.Stat()
	named, errNamed := os.Stat(path)
	return err == nil && errNamed == nil && os.SameFile(own, named)
}

// leave removes a lock's folder and its parent if nothing else is in them.
func leave(dir, path string) error {
	all, err := os.ReadDir(dir)
	if err != nil || len(all) > 1 {
		return err
	}
	_ = os.Remove(path) // some systems keep open files; then all of it stays
	if os.Remove(dir) == nil {
		_ = os.Remove(filepath.Dir(dir))
	}
	return nil
}

// ProgramForAgents returns the path by which agents call this program: asked, made absolute in dir,
// else the one on the PATH if it is this program (a link that package managers update), else its
// own. CodeNotFound if asked is missing, CodeConflict for a program made by `go run`.
func ProgramForAgents(asked, dir, path, goos string) (string, error) {
	if asked != "" {
		if !filepath.IsAbs(asked) {
			asked = filepath.Join(dir, asked)
		}
		if !isProgram(asked, goos) {
			return "", engram.Errorf(engram.CodeNotFound, "%s is not a program", asked).WithHint("name the file of this program")
		}
		return asked, nil
	}
	own, err := os.Executable()
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "cannot find the program's own file").WithHint("name it with --binary").WithCause(err)
	}
	if found := onPath(filepath.Base(own), path, goos); found != "" && sameFile(found, own) {
		return found, nil
	}
	if strings.Contains(own, string(filepath.Separator)+"go-build") {
		return own, engram.Errorf(engram.CodeConflict, "go run deletes this program when it ends: agents could not call it").
			WithHint("install it first (go install ./cmd/engram), or name one with --binary")
	}
	return own, nil
}

// onPath returns the path of a program on a PATH; "" if it is not there. It skips relative entries,
// which mean another program in every folder.
func onPath(name, path, goos string) string {
	names := []string{name}
	if goos == "windows" && filepath.Ext(name) == "" {
		names = []string{name + ".exe", name + ".cmd", name + ".bat"}
	}
	for _, dir := range filepath.SplitList(path) {
		for _, n := range names {
			if at := filepath.Join(dir, n); filepath.IsAbs(dir) && isProgram(at, goos) {
				return at
			}
		}
	}
	return ""
}

func isProgram(path, goos string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (goos == "windows" || info.Mode()&0o111 != 0)
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// instructions returns the memory protocol that MCP servers give to models.
func instructions() mcp.Instructions {
	return mcp.Instructions{
		Agent:  plugin.Protocol(plugin.Server),
		Core:   plugin.Protocol(plugin.Core),
		Memory: plugin.Protocol(plugin.Memory),
		Recall: plugin.Protocol(plugin.Recall),
		Any:    plugin.Protocol(plugin.Any),
	}
}
