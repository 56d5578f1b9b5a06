package screen

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// session is a line of a list of sessions.
type session struct {
	engram.SessionActivity
	shown read.Shownness // of Exposures alone
}

// sessionList lists sessions, those that run first.
type sessionList struct {
	plain
	list   widget.List[session]
	empty  string
	shown  bool                                                            // what each was shown is read, too
	aside  func(ctx context.Context, c *Context, id string) (aside, error) // what is read of the selected session
	beside looking
	sides
}

func newSessionList(empty string, beside func(context.Context, *Context, string) (aside, error)) sessionList {
	return sessionList{list: widget.List[session]{Key: func(s session) string { return s.ID }}, empty: empty, aside: beside}
}

// Close implements Screen.
func (s *sessionList) Close() {
	s.beside.job.stop()
	s.plain.Close()
}

// look reads what stands beside the list, when another session is selected, or again.
func (s *sessionList) look(c *Context, again bool) tea.Cmd {
	one, ok := s.list.Current()
	if !ok {
		return nil
	}
	return s.beside.look(c, &s.text, one.ID, again, func(ctx context.Context) (aside, error) { return s.aside(ctx, c, one.ID) })
}

// turn moves the selection, or scrolls the text beside it; it reports whether the action is a movement.
func (s *sessionList) turn(c *Context, a keymap.Action) (tea.Cmd, bool) {
	if a == keymap.Focus {
		s.onText = !s.onText
		return nil, true
	}
	if s.onText {
		return nil, scrollBy(&s.text, a)
	}
	if !moveBy(&s.list, a) {
		return nil, false
	}
	return tea.Batch(s.load(c, false), s.look(c, false)), true
}

// Leave implements Leaving.
func (s *sessionList) Leave() bool {
	was := s.onText
	s.onText = false
	return was
}

// Position implements Screen.
func (s *sessionList) Position() string { return s.position(s.list.Position()) }

// Open implements Screen.
func (s *sessionList) Open(c *Context) tea.Cmd { return s.load(c, true) }

// Refresh implements Screen.
func (s *sessionList) Refresh(c *Context) tea.Cmd { return s.load(c, true) }

// mostRunning limits how many running sessions are listed first.
const mostRunning = 500

func (s *sessionList) load(c *Context, again bool) tea.Cmd {
	return fetch(c, &s.reading, &s.list, again, func(ctx context.Context, project string, p engram.Page) (widget.Page[session], error) {
		got, total, err := readSessions(ctx, c, project, p.Offset, p.Limit)
		var shown map[string]read.Shownness
		if err == nil && s.shown {
			shown, err = c.Engine.ShownTo(ctx, document.Each(got, func(one engram.SessionActivity) string { return one.ID }))
		}
		return widget.Page[session]{Items: document.Each(got, func(one engram.SessionActivity) session { return session{one, shown[one.ID]} }), Total: total}, err
	}, func(again bool) tea.Cmd { return s.look(c, again) })
}

// readSessions reads a page of the list that begins with the running sessions. The others follow in the order of their
// activity, so that a page of them is found by leaving out the running ones before it.
func readSessions(ctx context.Context, c *Context, project string, offset, limit int) (items []engram.SessionActivity, total int, err error) {
	running, err := c.Engine.RunningSessions(ctx, project, engram.Page{Limit: mostRunning})
	if err != nil {
		return nil, 0, err
	}
	st, err := c.Engine.Stats(ctx, project)
	if err != nil {
		return nil, 0, err
	}
	first := map[string]bool{}
	for _, r := range running {
		first[r.ID] = true
	}
	if offset < len(running) {
		items = append(items, running[offset:min(len(running), offset+limit)]...)
	}
	// Among all sessions by activity, the one wanted stands as many places further as running ones stand before it: those
	// that were active later than what is read there.
	from := max(0, offset-len(running))
	skip := 0
	for begun := false; len(items) < limit; begun = true {
		page, err := c.Engine.Sessions(ctx, project, engram.Page{Limit: limit, Offset: from})
		if err != nil {
			return nil, 0, err
		}
		if !begun && len(page) > 0 && from > 0 {
			for _, r := range running {
				if r.ActiveAt.After(page[0].ActiveAt) {
					skip++
				}
			}
		}
		for _, one := range page {
			switch {
			case first[one.ID] || len(items) == limit:
			case skip > 0:
				skip--
			default:
				items = append(items, one)
			}
		}
		if from += len(page); len(page) < limit {
			break
		}
	}
	return items, st.Sessions, nil
}

func (s *sessionList) view(c *Context, width, height int) []string {
	return s.both(c, width, height, s.viewList, s.viewText)
}

// viewText is the selected session and what was read of it.
func (s *sessionList) viewText(c *Context, width, height int) []string {
	one, ok := s.list.Current()
	if !ok {
		return blank(nil, width, height)
	}
	t := c.Theme
	lines := cell.Of(cell.Inline(one.ID, 0), t.Title).Wrap(width, nil)
	spent := "runs since " + when(c, one.StartedAt)
	if !one.EndedAt.IsZero() {
		spent = when(c, one.StartedAt) + " to " + when(c, one.EndedAt)
	}
	lines = append(lines, cell.Line{{Text: cell.Inline(one.Project, 0) + "  ", Style: t.Heading}, {Text: spent + "  ", Style: t.Dim}, {Text: cell.Inline(one.Directory, 0), Style: t.Faint}}.Wrap(width, nil)...)
	lines = append(lines, cell.Of(strings.Repeat("─", width), t.Border))
	if one.Summary != "" {
		lines = append(append(lines, widget.Prose(one.Summary, width, mostBeside, c.Keys.Of(keymap.Open).First()+" lists its memories, and with them the summary", t)...), cell.Line{})
	}
	lines = append(lines, s.beside.of(c, one.ID, width)...)
	return blank(s.text.View(lines, width, height, t), width, height)
}

// clicked acts on a click into the list or the text beside it; do acts on a second one.
func (s *sessionList) clicked(c *Context, x, y int, twice bool, do func(*Context, keymap.Action) tea.Cmd) tea.Cmd {
	s.onText = x >= s.left
	switch {
	case s.onText || !s.list.Click(y/2):
		return nil
	case twice:
		return do(c, keymap.Open)
	}
	return tea.Batch(s.load(c, false), s.look(c, false))
}

func (s *sessionList) viewList(c *Context, width, height int) []string {
	return rows(c, &s.list, width, height, s.empty, func(one session) item {
		it := sessionItem(c, one.SessionActivity)
		if s.shown {
			it.end, it.said = shownItem(c, one.shown)
		}
		return it
	})
}

// runs reports whether a session has not ended; manual ones never end.
func runs(c *Context, s engram.Session) bool { return c.Running[s.ID] }

func sessionItem(c *Context, s engram.SessionActivity) item {
	t := c.Theme
	it := item{title: cell.Inline(s.ID, 0)}
	if runs(c, s.Session) {
		it.lead = cell.Of("(active) ", t.Active)
	}
	if s.Project != "" && c.Scope() == "" {
		it.badge = cell.Of(" "+cell.Cut(cell.Inline(s.Project, 100), 20), t.Heading)
	}
	it.end = append(it.end, cell.Span{Text: counted(s.Memories, "memory", "memories") + " ", Style: t.Dim},
		cell.Span{Text: age(c.Now, s.ActiveAt), Style: t.Faint})
	switch {
	case s.Withheld:
		it.said = "its summary is withheld: it is flagged"
	case s.Summary != "":
		it.said = cell.Inline(s.Summary, mostExcerpt)
	case s.Directory != "":
		it.said = cell.Inline(s.Directory, 0)
	default:
		it.said = "started " + when(c, s.StartedAt)
	}
	return it
}

// Sessions lists all sessions.
type Sessions struct{ sessionList }

// NewSessions returns the screen.
func NewSessions() *Sessions {
	return &Sessions{newSessionList("No session yet. Agents that are set up open them.", savedIn)}
}

// Title implements Screen.
func (*Sessions) Title() string { return "Sessions" }

// Actions implements Screen.
func (*Sessions) Actions() []keymap.Action { return []keymap.Action{keymap.Open, keymap.Why} }

// Do implements Screen.
func (s *Sessions) Do(c *Context, a keymap.Action) tea.Cmd {
	if cmd, moved := s.turn(c, a); moved {
		return cmd
	}
	one, ok := s.list.Current()
	if !ok {
		return nil
	}
	switch a {
	case keymap.Open:
		return c.Push(NewSession(one.SessionActivity))
	case keymap.Why:
		return c.Push(NewAccount(one.Session))
	}
	return nil
}

// Click implements Clicked.
func (s *Sessions) Click(c *Context, x, y int, twice bool) tea.Cmd {
	return s.clicked(c, x, y, twice, s.Do)
}

// View implements Screen.
func (s *Sessions) View(c *Context, width, height int) []string { return s.view(c, width, height) }

// mostAside limits what is read for the side of a list.
const mostAside = 60

// savedIn reads the memories of a session.
func savedIn(ctx context.Context, c *Context, id string) (aside, error) {
	ms, err := c.Engine.List(ctx, engram.Filter{SessionID: id}, engram.Page{Limit: mostAside})
	return func(c *Context, width int) (lines []cell.Line) {
		for _, m := range ms {
			lines = append(lines, memoryLine(c, m, width))
		}
		return lines
	}, err
}

// memoryLine is a memory in one line.
func memoryLine(c *Context, m engram.Memory, width int) cell.Line {
	line := cell.Line{{Text: fmt.Sprintf("#%d ", m.Num), Style: c.Theme.Faint}, {Text: cell.Inline(string(m.Type), 40) + " ", Style: c.Theme.Type(m.Type)}, {Text: cell.Inline(m.Title, 300), Style: c.Theme.Text}}
	return line.Ends(cell.Of(age(c.Now, m.CreatedAt), c.Theme.Faint), width)
}

// shownTo reads what a session was shown.
func shownTo(ctx context.Context, c *Context, id string) (aside, error) {
	got, err := c.Engine.Why(ctx, id)
	return func(c *Context, width int) []cell.Line {
		t := c.Theme
		lines := []cell.Line{cell.Of(fmt.Sprintf("%s, %s", counted(len(got.Exposures), "showing", "showings"), counted(got.Tokens, "token", "tokens")), t.Heading), {}}
		for i := len(got.Exposures) - 1; i >= 0 && len(lines) < mostAside; i-- {
			e := got.Exposures[i]
			line := cell.Line{{Text: cell.Pad(cell.Inline(e.Operation, 0), 8) + " ", Style: t.Accent}, {Text: fmt.Sprintf("#%d ", e.Memory), Style: t.Faint}, {Text: cell.Inline(e.Title, 300), Style: t.Text}}
			lines = append(lines, line.Ends(cell.Of(fmt.Sprintf("%d tokens", e.Tokens), t.Dim), width))
		}
		return lines
	}, err
}

// Session is one session: its summary and its memories.
type Session struct {
	memories
	session engram.SessionActivity
	top     int // lines above the list in the last view
}

// NewSession returns the screen of a session.
func NewSession(one engram.SessionActivity) *Session {
	s := &Session{session: one}
	s.memories = newMemories(func(ctx context.Context, c *Context, offset, limit int) (widget.Page[noted], error) {
		return listed(ctx, c, engram.Filter{SessionID: one.ID}, offset, limit)
	}, "Nothing was saved in it.")
	return s
}

// Title implements Screen.
func (s *Session) Title() string { return "Session " + cell.Cut(cell.Inline(s.session.ID, 0), 40) }

// Actions implements Screen.
func (s *Session) Actions() []keymap.Action { return append(memoryActions(), keymap.Why) }

// Do implements Screen.
func (s *Session) Do(c *Context, a keymap.Action) tea.Cmd {
	if a == keymap.Why {
		return c.Push(NewAccount(s.session.Session))
	}
	return s.memories.Do(c, a)
}

// View implements Screen.
func (s *Session) View(c *Context, width, height int) []string {
	t := c.Theme
	head := cell.Line{{Text: "  "}}
	if runs(c, s.session.Session) {
		head = append(head, cell.Span{Text: "(active) ", Style: t.Active})
	}
	end := "runs since "
	if !s.session.EndedAt.IsZero() {
		end = when(c, s.session.EndedAt) + " ended, began "
	}
	head = append(head, cell.Span{Text: cell.Inline(s.session.Project, 0) + "  ", Style: t.Heading},
		cell.Span{Text: end + when(c, s.session.StartedAt) + "  ", Style: t.Dim}, cell.Span{Text: cell.Inline(s.session.Directory, 0), Style: t.Faint})
	lines := []string{head.Render(width, nil, false)}
	if s.session.Summary != "" && height > 12 {
		said := cell.Of(cell.Inline(s.session.Summary, mostExcerpt), t.Text).Wrap(width-4, nil)
		for _, l := range said[:min(len(said), 3)] {
			lines = append(lines, append(cell.Line{{Text: "  "}}, l...).Render(width, nil, false))
		}
	}
	lines = append(lines, cell.Of(strings.Repeat("─", width), t.Border).Render(width, nil, false))
	s.top = len(lines)
	return append(lines, s.memories.View(c, width, max(0, height-len(lines)))...)
}

// Click implements Clicked.
func (s *Session) Click(c *Context, x, y int, twice bool) tea.Cmd {
	return s.memories.Click(c, x, y-s.top, twice)
}

// Exposures lists sessions, to see what each was shown.
type Exposures struct{ sessionList }

// NewExposures returns the screen.
func NewExposures() *Exposures {
	e := &Exposures{newSessionList("No session yet. Agents that are set up open them.", shownTo)}
	e.shown = true
	return e
}

// Unlogged implements Unlogged.
func (*Exposures) Unlogged() {}

// shownItem is the end of the first line and the second line of a session in Exposures.
func shownItem(c *Context, s read.Shownness) (end cell.Line, said string) {
	if s.Times == 0 {
		return nil, "was shown nothing"
	}
	end = cell.Line{{Text: counted(s.Tokens, "token", "tokens") + " ", Style: c.Theme.Strong}, {Text: age(c.Now, s.Last), Style: c.Theme.Faint}}
	said = counted(s.Times, "showing", "showings")
	if q := cell.Inline(s.Query, 300); q != "" {
		said += " · asked “" + q + "”"
	}
	return end, said
}

// Title implements Screen.
func (*Exposures) Title() string { return "Exposures" }

// Actions implements Screen.
func (*Exposures) Actions() []keymap.Action { return []keymap.Action{keymap.Open} }

// Do implements Screen.
func (s *Exposures) Do(c *Context, a keymap.Action) tea.Cmd {
	if cmd, moved := s.turn(c, a); moved {
		return cmd
	}
	if one, ok := s.list.Current(); ok && a == keymap.Open {
		return c.Push(NewAccount(one.Session))
	}
	return nil
}

// Click implements Clicked.
func (s *Exposures) Click(c *Context, x, y int, twice bool) tea.Cmd {
	return s.clicked(c, x, y, twice, s.Do)
}

// View implements Screen.
func (s *Exposures) View(c *Context, width, height int) []string { return s.view(c, width, height) }

// Account is what a session was shown, and at how many tokens.
type Account struct {
	plain
	session engram.Session
	tokens  int
	list    widget.List[shown]
}

// shown is an exposure with its place in the account.
type shown struct {
	read.Shown
	at int
}

// Unlogged implements Unlogged.
func (*Account) Unlogged() {}

// NewAccount returns the screen.
func NewAccount(s engram.Session) *Account {
	return &Account{session: s, list: widget.List[shown]{Key: func(s shown) string { return fmt.Sprint(s.at) }}}
}

// Title implements Screen.
func (a *Account) Title() string { return "Shown to " + cell.Cut(cell.Inline(a.session.ID, 0), 40) }

// Position implements Screen.
func (a *Account) Position() string {
	return fmt.Sprintf("%s tokens  %s", grouped(a.tokens), a.list.Position())
}

// Actions implements Screen.
func (*Account) Actions() []keymap.Action { return []keymap.Action{keymap.Open} }

// Open implements Screen.
func (a *Account) Open(c *Context) tea.Cmd { return a.Refresh(c) }

// Refresh implements Screen.
func (a *Account) Refresh(c *Context) tea.Cmd {
	return run(c, &a.reading, func(ctx context.Context) (read.Account, error) { return c.Engine.Why(ctx, a.session.ID) },
		func(got read.Account, err error) tea.Cmd {
			if err != nil {
				c.Fail(err)
				return nil
			}
			all := make([]shown, len(got.Exposures))
			for i, e := range got.Exposures { // the latest first
				all[len(all)-1-i] = shown{e, i}
			}
			a.tokens = got.Tokens
			a.list.Set(0, len(all), widget.Page[shown]{Items: all, Total: len(all)})
			return nil
		})
}

// Do implements Screen.
func (a *Account) Do(c *Context, action keymap.Action) tea.Cmd {
	if moveBy(&a.list, action) {
		return nil
	}
	if one, ok := a.list.Current(); ok && action == keymap.Open && one.Memory > 0 {
		return c.Push(NewDetail(one.Memory, widget.QuestionWords(one.Query)))
	}
	return nil
}

// Click implements Clicked.
func (a *Account) Click(c *Context, _, y int, twice bool) tea.Cmd {
	if a.list.Click(y/2) && twice {
		return a.Do(c, keymap.Open)
	}
	return nil
}

// View implements Screen.
func (a *Account) View(c *Context, width, height int) []string {
	t := c.Theme
	return rows(c, &a.list, width, height, "This session was shown nothing.", func(one shown) item {
		it := item{title: cell.Inline(one.Title, 300), match: widget.QuestionWords(one.Query)}
		it.lead = cell.Line{{Text: cell.Pad(cell.Inline(one.Operation, 0), 8) + " ", Style: t.Accent}}
		switch {
		case one.Memory > 0:
			it.lead = append(it.lead, cell.Span{Text: fmt.Sprintf("#%d ", one.Memory), Style: t.Faint})
			it.kind = kindOf(c, one.Type)
		case one.Deleted:
			it.title = "(erased since)"
		default:
			it.title = "nothing was found"
		}
		if one.Deleted && one.Memory > 0 {
			it.end = cell.Of("forgotten ", t.Bad)
		}
		it.end = append(it.end, cell.Span{Text: fmt.Sprintf("%d tokens ", one.Tokens), Style: t.Dim}, cell.Span{Text: age(c.Now, one.At), Style: t.Faint})
		if it.said = cell.Inline(one.Query, 500); it.said != "" {
			it.said = fmt.Sprintf("rank %d for “%s”", one.Rank, it.said)
		}
		return it
	})
}
