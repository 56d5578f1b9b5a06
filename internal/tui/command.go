package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/tui/screen"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// order is a word of the command line.
type order struct {
	name string
	with string // its argument, for help; "" for none
	do   func(m *Model, with string) tea.Cmd
	// offer completes the argument; nil for none.
	offer func(m *Model) []string
}

// orders returns the words of the command line: the screens, and what is no screen.
func orders() []order {
	all := []order{
		{"all", "", func(m *Model, _ string) tea.Cmd { m.c.All = true; return m.c.Refreshed() }, nil},
		{"help", "", func(m *Model, _ string) tea.Cmd { m.c.Ask(screen.NewHelp(m.c)); return nil }, nil},
		{"new", "", func(m *Model, _ string) tea.Cmd { return screen.Write(m.c) }, nil},
		{"open", "NUMBER", (*Model).openMemory, nil},
		{"project", "NAME", (*Model).setProject, func(m *Model) []string { return m.c.Names }},
		{"quit", "", func(*Model, string) tea.Cmd { return tea.Quit }, nil},
		{"theme", "NAME", (*Model).setTheme, func(*Model) []string { return theme.Names() }},
		{"undo", "", func(m *Model, _ string) tea.Cmd { return m.c.Undo() }, nil},
	}
	for _, p := range screen.Places() {
		o := order{name: p.Name, do: func(m *Model, with string) tea.Cmd { return m.open(p.Name, with) }}
		if p.Name == "search" {
			o.with = "QUESTION"
			o.offer = func(m *Model) []string { return m.c.Kept.Saved }
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b order) int { return strings.Compare(a.name, b.name) })
	return all
}

// Commands returns the words of the command line with their arguments, for help and documentation.
func Commands() (all []string) {
	for _, o := range orders() {
		all = append(all, strings.TrimSpace(o.name+" "+o.with))
	}
	return all
}

// commandLine returns the prompt of the command line.
func (m *Model) commandLine(begin string) *screen.Prompt {
	return (&screen.Prompt{Label: ":", Complete: m.complete, Then: m.command}).With(begin)
}

// complete returns the lines that a line may become.
func (m *Model) complete(line string) (all []string) {
	name, with, given := strings.Cut(line, " ")
	for _, o := range orders() {
		switch {
		case !given && strings.HasPrefix(o.name, name):
			all = append(all, o.name)
		case given && o.name == name && o.offer != nil:
			for _, v := range o.offer(m) {
				if strings.HasPrefix(v, with) {
					all = append(all, name+" "+v)
				}
			}
		}
	}
	return all
}

// command performs a line. A beginning that only one word has is enough.
func (m *Model) command(line string) tea.Cmd {
	name, with, _ := strings.Cut(strings.TrimSpace(line), " ")
	name = strings.ToLower(name)
	if _, err := strconv.ParseInt(strings.TrimPrefix(name, "#"), 10, 64); err == nil {
		return m.openMemory(name)
	}
	var near []order
	var names []string
	for _, o := range orders() {
		if o.name == name {
			near = []order{o}
			break
		}
		if strings.HasPrefix(o.name, name) {
			near = append(near, o)
		}
		names = append(names, o.name)
	}
	if len(near) == 1 {
		return near[0].do(m, strings.TrimSpace(with))
	}
	hint := "tab completes; the words are " + strings.Join(names, ", ")
	if best := text.Nearest(name, names); best != "" {
		hint = "did you mean " + best + "?"
	}
	m.c.Fail(engram.Errorf(engram.CodeInvalid, "command %.40q does not exist", name).WithHint("%s", hint))
	return nil
}

// open opens a screen by name.
func (m *Model) open(name, with string) tea.Cmd {
	if name == "search" {
		return m.c.Restart(screen.NewSearch(m.c, with))
	}
	for _, p := range screen.Places() {
		if p.Name == name {
			return m.c.Restart(p.New(m.c))
		}
	}
	return nil
}

func (m *Model) openMemory(with string) tea.Cmd {
	num, err := strconv.ParseInt(strings.TrimPrefix(with, "#"), 10, 64)
	if err != nil || num < 1 {
		m.c.Fail(engram.Errorf(engram.CodeInvalid, "%.40q is not the number of a memory", with).WithHint("write it like open 12"))
		return nil
	}
	return m.c.Push(screen.NewDetail(num, nil))
}

func (m *Model) setProject(with string) tea.Cmd {
	if with == "" || with == "all" {
		m.c.All = true
		return m.c.Refreshed()
	}
	if len(m.c.Names) > 0 && !slices.Contains(m.c.Names, with) {
		hint := "tab completes"
		if near := text.Nearest(with, m.c.Names); near != "" {
			hint = "did you mean " + near + "?"
		}
		m.c.Fail(engram.Errorf(engram.CodeNotFound, "project %.60q does not exist", with).WithHint("%s", hint))
		return nil
	}
	m.c.Project, m.c.All = with, false
	return m.c.Refreshed()
}

func (m *Model) setTheme(with string) tea.Cmd {
	if !theme.Known(with) {
		m.c.Fail(engram.Errorf(engram.CodeInvalid, "theme %.40q does not exist", with).WithHint("use one of %s", strings.Join(theme.Names(), ", ")))
		return nil
	}
	m.theme = with
	m.dress()
	return nil
}
