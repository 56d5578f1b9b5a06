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

// Wiring wires agents: it writes what connects them to this program into their files.
type Wiring struct {
	Config  config.Config
	Version string
	OS      string                      // as runtime.GOOS has it
	Env     func(string) (string, bool) // the environment
	// Program is what agents are to call; absolute: ProgramForAgents.
	Program string
	// DataDirGiven says that the data directory was asked for, and not only is the usual one: then
	// an agent that is called with another one is given this one.
	DataDirGiven bool
}

// AgentFile is a file of an agent's wiring.
type AgentFile struct {
	Path string
	// Status is how it stands: absent, wired, changed (wired, and not as it would be now),
	// broken (it cannot be understood or read), taken (somebody else's, and left).
	Status        string
	Before, After []byte // nil: there is none; of what was or would be done
	Kept          string // where Before is kept, which somebody wrote into a file of ours; "" when nothing of theirs goes
	Left          string // why it was not undone; "" when it was
	Why           string // what is wrong with it, or to be known about it; "" for nothing
	Unread        int    // how many characters at its end the agent does not read
}

// Changed reports whether something is done to the file.
func (f AgentFile) Changed() bool {
	return setup.Change{Before: f.Before, After: f.After}.Changed()
}

// AgentState is how an agent stands, or what was done to it.
type AgentState struct {
	Name, Title string
	Next        string // what a person does after it was wired
	Detected    bool   // it seems to be installed
	Status      string // absent, wired, changed (in parts, or not as it would be now), broken
	Files       []AgentFile
	Recorded    bool     // it is remembered what its files were, of Look
	DataDir     string   // that its files name for this program; "" for the usual one
	Notes       []string // what else is to be known, a sentence each, such as what stands in its way
	Err         error    // why it could not be done, or read
}

// Changed reports whether something is done to a file of the agent.
func (s AgentState) Changed() bool { return slices.ContainsFunc(s.Files, AgentFile.Changed) }

// AgentNames are those of all agents that can be wired, in the order in which they are shown.
func AgentNames() []string { return agent.Names() }

// FindAgent is the name of an agent, by that or an alias. CodeInvalid for one that is not known.
func FindAgent(name string) (string, error) {
	a, err := agent.Find(name)
	return a.Name, err
}

// Look says how an agent stands.
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
		s.Files = append(s.Files, AgentFile{Path: p.Path, Status: string(all[n].Status), Why: all[n].Why, Unread: all[n].Over})
		s.Recorded = s.Recorded || all[n].Known
	}
	former, elsewhere, err := w.wirer().Former(name, parts)
	if err != nil {
		s.Err, s.Status = err, string(setup.Broken)
		return s
	}
	for _, path := range former {
		all = append(all, setup.Standing{Status: setup.Changed})
		s.Files = append(s.Files, AgentFile{Path: path, Status: string(setup.Changed), Why: "an earlier setup put it there, and the next one takes it out: it has its place elsewhere now"})
	}
	s.Notes = append(append(s.Notes, notesElsewhere(elsewhere)...), w.notesLate(s)...)
	s.Status = string(together(all))
	return s
}

// notesLate say that an agent's hooks run late: it is set up, and is told nothing all the same.
func (w Wiring) notesLate(s AgentState) []string {
	late := lateHooks(cmp.Or(s.DataDir, w.Config.DataDir), s.Name, w.Config.HookWithin, time.Now()).Late
	if late <= health.FewLate {
		return nil
	}
	return []string{fmt.Sprintf("late: %d of its events ran out of time in the last 24 hours; engram doctor --check %s says more", late, health.HooksInTime)}
}

// notesElsewhere say where else an agent is wired.
func notesElsewhere(paths []string) (notes []string) {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			notes = append(notes, path+" has it too, from an earlier setup, and is none of the agent's files as they lie now: it stays until --undo")
		}
	}
	return notes
}

// together is how an agent stands whose files stand so.
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

// Set wires an agent; dry only says what would become of its files.
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
		f := AgentFile{Path: c.Path, Status: string(setup.Wired), Before: c.Before, After: c.After, Kept: c.Kept, Left: c.Left, Unread: c.Over}
		switch {
		case c.Taken:
			f.Status = string(setup.Taken)
		case c.Former && c.Left != "":
			f.Status = string(setup.Changed)
		case c.Former:
			f.Status = string(setup.Absent)
		}
		if c.Cut {
			s.Notes = append(s.Notes, c.Path+" is a hard link: by its other names it stays what it was")
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

// Unset takes the wiring of an agent out again; dry only says what would become of its files.
func (w Wiring) Unset(ctx context.Context, name string, dry bool) AgentState {
	s, parts := w.state(name)
	s.Notes = nil // what would be in the way of a memory
	var all []setup.Undone
	if err := s.Err; err != nil { // what it would be now is not needed to give back what was
		parts, s.Err = nil, nil
	}
	if dry {
		all, s.Err = w.wirer().PlanUndo(name, parts)
	} else {
		all, s.Err = w.wirer().Undo(ctx, name, parts)
	}
	s.Status = string(setup.Absent)
	for _, u := range all {
		f := AgentFile{Path: u.Path, Status: string(setup.Absent), Before: u.Before, After: u.After, Kept: u.Kept, Left: u.Left}
		if u.Left != "" {
			f.Status, s.Status = string(setup.Changed), string(setup.Changed)
		} else if u.Guessed {
			f.Why = "what it was before is not recorded: what is engram's was taken out"
		}
		s.Files = append(s.Files, f)
	}
	return s
}

// Wired are the names of the agents that are set up, as remembered or as only a setup writes it.
// Unsure are others that have engram's server, perhaps put there by hand.
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

// state is what is known of an agent beforehand.
func (w Wiring) state(name string) (AgentState, []setup.Part) {
	a, err := agent.Find(name)
	if err != nil { // a later version wired it
		return AgentState{Name: name, Title: name, Status: string(setup.Broken), Err: err}, nil
	}
	env := w.env()
	s := AgentState{Name: a.Name, Title: a.Title, Next: a.Next, Detected: a.Detected(env)}
	parts, err := a.Parts(env)
	if err == nil && env.DataDir == "" && !w.DataDirGiven {
		// Without a word about it the agent's memory would split in two.
		if env.DataDir = w.wirer().DataDirOf(parts); env.DataDir != "" {
			s.Notes = append(s.Notes, "its data is in "+env.DataDir+", as it was set up, and stays there: --data-dir names another folder")
			parts, err = a.Parts(env)
		}
	}
	if err != nil {
		s.Err, s.Status = err, string(setup.Broken)
	}
	s.DataDir, s.Notes = env.DataDir, append(s.Notes, a.Warnings(env, contentOf)...)
	return s, parts
}

// contentOf is the content of a file, nil for one that is not there or cannot be read. 64 MiB: what
// agents remember of all projects in one file grows.
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

// env is the machine as agents have it.
func (w Wiring) env() agent.Env {
	programs, _ := w.wirer().Programs() // a record that cannot be read is an error of whatever follows
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

// usualDataDir is the data directory in the home of its user that nobody has to name.
const usualDataDir = ".engram"

func (w Wiring) variable(name string) string {
	v, _ := w.Env(name)
	return v
}

// home is the user's; on Windows it has another name.
func (w Wiring) home() string {
	if h := w.variable("HOME"); h != "" || w.OS != "windows" {
		return h
	}
	return w.variable("USERPROFILE")
}

// Ready says whether anything can be wired here: CodeInvalid without a home directory, and the errors
// of a record of what was wired that cannot be understood or read, which keeps all agents.
func (w Wiring) Ready() error {
	if !filepath.IsAbs(w.home()) {
		return engram.Errorf(engram.CodeInvalid, "the home directory is unknown").WithHint("set HOME")
	}
	_, err := w.wirer().Programs()
	return err
}

// DataFits says whether the data directory that agents would be told can be one: CodeInvalid where
// it, or what it would be made in, is something else.
func (w Wiring) DataFits() error {
	for dir := w.env().DataDir; dir != "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		is, err := os.Stat(dir)
		if err == nil && !is.IsDir() {
			return engram.Errorf(engram.CodeInvalid, "%s can be no data directory: %s is no folder", w.env().DataDir, dir).
				WithHint("name another with --data-dir; nothing was changed")
		}
		if err == nil {
			break
		}
	}
	return nil
}

// wirer remembers what it did in the home directory, whatever the data directory: agents are
// of a person, and are undone without knowing with which data they were wired.
func (w Wiring) wirer() *setup.Wirer {
	dir := filepath.Join(w.home(), usualDataDir, "setup")
	return setup.New(setup.Options{Dir: dir, Now: time.Now, Program: w.Program, Lock: func(ctx context.Context) (func() error, error) {
		return waitFor(ctx, dir)
	}})
}

// setupWait is how long one setup waits for another one.
const setupWait = 10 * time.Second

// waitFor takes the lock of a folder in which setups remember what they did, and returns how
// it is given up. Where nothing is remembered any more, the folder goes, too.
func waitFor(ctx context.Context, dir string) (release func() error, err error) {
	path := filepath.Join(dir, "lock")
	var f *os.File
	err = alone(ctx, setupWait, "another setup is at work", func() (held bool, err error) {
		if f, held, err = tryLock(dir, path); err != nil {
			err = unreachable(path, err)
		}
		return held, err
	})
	if err != nil {
		return nil, err
	}
	return func() error { return errors.Join(leave(dir, path), f.Close()) }, nil
}

// tryLock takes a lock if nobody has it. The file may have gone while it was waited for, with
// the last thing that was remembered: then it is not the lock of anything.
func tryLock(dir, path string) (_ *os.File, held bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	if held, err = daemon.TryLock(f); err == nil && held {
		is, gone := os.Stat(path)
		var has os.FileInfo
		if has, err = f.Stat(); err == nil && gone == nil && os.SameFile(is, has) {
			return f, true, nil
		}
	}
	return nil, false, errors.Join(err, f.Close())
}

// leave removes the folder of a lock, and the one that it is in, when there is nothing in them but that.
func leave(dir, path string) error {
	all, err := os.ReadDir(dir)
	if err != nil || len(all) > 1 {
		return err
	}
	_ = os.Remove(path) // where a system keeps open files, all of it stays
	if os.Remove(dir) == nil {
		_ = os.Remove(filepath.Dir(dir))
	}
	return nil
}

// ProgramForAgents is the path by which agents are to call this program: asked, made absolute in dir,
// else the one on the PATH if that is this program (a link that package managers move), else its own.
// CodeNotFound for one that is not there, CodeConflict for one that `go run` made.
func ProgramForAgents(asked, dir, path, goos string) (string, error) {
	if asked != "" {
		if !filepath.IsAbs(asked) {
			asked = filepath.Join(dir, asked)
		}
		if !isProgram(asked, goos) {
			return "", engram.Errorf(engram.CodeNotFound, "%s is no program", asked).WithHint("name the file of this program")
		}
		return asked, nil
	}
	own, err := os.Executable()
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "the program's own file is not known").WithHint("name it with --binary").WithCause(err)
	}
	if found := onPath(filepath.Base(own), path, goos); found != "" && sameFile(found, own) {
		return found, nil
	}
	if strings.Contains(own, string(filepath.Separator)+"go-build") {
		return own, engram.Errorf(engram.CodeConflict, "this program was made by go run, and is gone when it ends: no agent could call it").
			WithHint("install it first (go install ./cmd/engram), or name one with --binary")
	}
	return own, nil
}

// onPath is where a program lies on a PATH; "" when it does not. Entries that are not absolute
// are passed over: they are another program in every folder.
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

// instructions are what MCP servers tell models: the memory protocol.
func instructions() mcp.Instructions {
	return mcp.Instructions{
		Agent:  plugin.Protocol(plugin.Server),
		Core:   plugin.Protocol(plugin.Core),
		Memory: plugin.Protocol(plugin.Memory),
		Recall: plugin.Protocol(plugin.Recall),
		Any:    plugin.Protocol(plugin.Any),
	}
}
