package tui

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/screen"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// Model is the program's state: the screens, the size of the terminal, and what it can show.
type Model struct {
	c       *screen.Context
	options Options
	width   int
	height  int
	seen    atomic.Bool // a change is on its way to Update
	stale   bool        // a refresh is due
	trouble string      // why the store cannot be read; "" if it can
	theme   string      // as chosen; "auto" follows the terminal
	light   bool        // the terminal's background is light
	profile colorprofile.Profile
	// askColours finds out which colours the terminal has beyond what the environment says; it may have to ask tmux, so that
	// no frame waits for it. nil: it was asked.
	askColours tea.Cmd
	click      struct {
		x, y int
		at   time.Time
	}
}

// New returns the model of a program that ends with ctx.
func New(ctx context.Context, o Options) *Model {
	c := screen.NewContext(ctx, o.Engine)
	if o.Zone != nil {
		c.Zone = o.Zone
	}
	if o.Keys != nil {
		c.Keys = o.Keys
	}
	c.After, c.Exec = o.After, o.Exec
	c.Outside, c.Project, c.All = o.Outside, o.Project, o.Project == ""
	m := &Model{c: c, options: o, theme: o.Theme, width: 80, height: 24, profile: colorprofile.TrueColor}
	if m.theme == "" {
		m.theme = "auto"
	}
	m.light = lightBy(o.Env)
	m.dress()
	return m
}

// lightBy reports whether COLORFGBG, which some terminals set, names a light background: 7, or 9 to 15.
func lightBy(env []string) bool {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "COLORFGBG="); ok {
			back := value[strings.LastIndexByte(value, ';')+1:]
			return slices.Contains([]string{"7", "9", "10", "11", "12", "13", "14", "15"}, back)
		}
	}
	return false
}

// dress chooses the theme.
func (m *Model) dress() {
	name := m.theme
	switch {
	case m.profile <= colorprofile.ASCII && name != "mono":
		name = "mono"
	case name != "auto":
	case m.profile == colorprofile.ANSI:
		name = "ansi"
	case m.light:
		name = "latte"
	default:
		name = "mocha"
	}
	if m.c.Theme == nil || m.c.Theme.Name != name {
		m.c.Theme = theme.Named(name)
	}
}

// Init implements tea.Model. The question for the background's colour is answered later, or never; no frame waits for it.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.c.Push(screen.NewDashboard()), m.c.ReadRunning(), m.c.ReadKept(), m.c.Later(beatEvery, beat{})}
	if m.options.Screen != "" {
		cmds = append(cmds, m.open(m.options.Screen, m.options.Query))
	}
	if m.theme == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// beat makes ages advance.
type beat struct{}

const beatEvery = 10 * time.Second

// refresh reads what is shown again.
type refresh struct{}

// settleAfter is how long a change rests before the screen is read again, so that a program that writes without pause
// does not keep it busy.
const settleAfter = 150 * time.Millisecond

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.c.Now = m.options.Engine.Now()
	return m, m.update(msg)
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.c.Resized()
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseClickMsg:
		return m.clicked(msg.Mouse())
	case tea.MouseWheelMsg:
		return m.wheel(msg.Mouse())
	case screen.Result:
		return msg.Apply()
	case tea.BackgroundColorMsg:
		m.light = !msg.IsDark()
		m.dress()
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.dress()
		ask := m.askColours
		m.askColours = nil
		return ask
	case changed:
		m.seen.Store(false)
		if !m.stale {
			m.stale = true
			return m.c.Later(settleAfter, refresh{})
		}
	case refresh:
		m.stale = false
		return tea.Batch(m.c.Refreshed(), m.c.ReadRunning())
	case unreadable:
		return m.setTrouble(msg.err)
	case beat:
		return m.c.Later(beatEvery, beat{})
	case screen.Poll:
		return msg.Again(m.c)
	}
	return nil
}

// setTrouble shows why the store cannot be read, until it can again.
func (m *Model) setTrouble(err error) tea.Cmd {
	if err == nil {
		m.trouble = ""
		m.c.Say("The database can be read again")
		return m.c.Refreshed()
	}
	m.trouble = cell.Inline(messageOf(err), 300)
	return nil
}

func messageOf(err error) string {
	text := err.Error()
	if hint := engram.HintOf(err); hint != "" {
		text += "; " + hint
	}
	return text
}

// press gives a key to the question, to the line of input, or does what it is bound to.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	c := m.c
	if q := c.Modal(); q != nil {
		return q.Type(c, k)
	}
	c.ClearNote()
	if t, ok := c.Top().(screen.Typing); ok {
		if cmd, taken := t.Type(c, k); taken {
			return cmd
		}
	}
	if k.String() == "ctrl+z" {
		return tea.Suspend
	}
	a := c.Keys.Match(k, c.Top().Actions(), screen.Moves(), screen.Everywhere())
	if quit := c.Keys.Of(keymap.Quit).First(); a == keymap.Back && quit != "" && slices.Contains([]string{"esc", "h", "left"}, k.String()) && len(c.Stack()) == 1 {
		c.Say("%s quits", quit) // going back once too often ends nothing
		return nil
	}
	return m.do(a)
}

// do performs an action.
func (m *Model) do(a keymap.Action) tea.Cmd {
	c := m.c
	if a == "" {
		return nil
	}
	if slices.Contains(c.Top().Actions(), a) || slices.Contains(screen.Moves(), a) {
		return c.Top().Do(c, a)
	}
	switch a {
	case keymap.Quit:
		return tea.Quit
	case keymap.Back:
		return m.back()
	case keymap.Search:
		if _, searching := c.Top().(*screen.Search); searching {
			return c.Top().Do(c, a)
		}
		return c.Push(screen.NewSearch(c, ""))
	case keymap.AllProjects:
		if c.Project == "" {
			c.Warn("this folder has no project yet: all projects are shown", "")
			return nil
		}
		c.All = !c.All
		return c.Refreshed()
	case keymap.New:
		return screen.Write(c)
	case keymap.Undo:
		return c.Undo()
	case keymap.Command:
		c.Ask(m.commandLine(""))
	case keymap.Help:
		c.Ask(screen.NewHelp(c))
	case keymap.Refresh:
		return tea.Batch(c.Refreshed(), c.ReadRunning())
	}
	return nil
}

// back leaves the side of a screen, the screen, or the program.
func (m *Model) back() tea.Cmd {
	if l, ok := m.c.Top().(screen.Leaving); ok && l.Leave() {
		return nil
	}
	cmd, popped := m.c.Pop()
	if !popped {
		return tea.Quit
	}
	return cmd
}

func (m *Model) paste(text string) tea.Cmd {
	if q := m.c.Modal(); q != nil {
		q.Paste(m.c, text)
		return nil
	}
	if t, ok := m.c.Top().(screen.Typing); ok {
		return t.Paste(m.c, text)
	}
	return nil
}

// twiceWithin is how soon a second click on the same cell opens what it hit.
const twiceWithin = 500 * time.Millisecond

func (m *Model) clicked(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.c.Modal() != nil {
		return nil
	}
	twice := m.click.x == at.X && m.click.y == at.Y && m.c.Now.Sub(m.click.at) < twiceWithin
	m.click.x, m.click.y, m.click.at = at.X, at.Y, m.c.Now
	top, height := m.body()
	s, ok := m.c.Top().(screen.Clicked)
	if !ok || at.Y < top || at.Y >= top+height {
		return nil
	}
	return s.Click(m.c, at.X, at.Y-top, twice)
}

// wheelLines is how many lines a step of the wheel moves.
const wheelLines = 3

func (m *Model) wheel(at tea.Mouse) tea.Cmd {
	a := keymap.Down
	switch at.Button {
	case tea.MouseWheelUp:
		a = keymap.Up
	case tea.MouseWheelDown:
	default:
		return nil
	}
	var cmds []tea.Cmd
	for range wheelLines {
		cmds = append(cmds, m.c.Top().Do(m.c, a))
	}
	return tea.Batch(cmds...)
}

// body returns the first line and the height of the screen between header and footer.
func (m *Model) body() (top, height int) {
	if m.height < 5 {
		return 0, m.height
	}
	return 1, m.height - 2
}
