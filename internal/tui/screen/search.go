package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// debounce is how long a question must rest before it is searched: shorter than between two letters of a slow typist,
// longer than between two of a fast one.
const debounce = 90 * time.Millisecond

// mostHits limits the results of a search.
const mostHits = 50

// Search finds as the question is typed; its results are the screen Search results.
type Search struct {
	memories
	input   widget.Input
	typing  bool
	chips   []chip
	waiting job // for the question to rest
	asked   string
	found   engram.Found
	filter  string // the whole question of what was found
	opening bool   // open the first result when those of the question are there
	cursor  struct{ x, y int }
}

// chip is a part of the filter, written key:value.
type chip struct{ key, value string }

func (p chip) String() string { return p.key + ":" + p.value }

// NewSearch returns the screen with a question, written as in its history; with one, its results are shown at once.
func NewSearch(c *Context, question string) *Search {
	s := &Search{typing: question == ""}
	s.memories = newMemories(nil, "")
	s.set(c, question)
	return s
}

// Title implements Screen.
func (s *Search) Title() string {
	if s.typing {
		return "Search"
	}
	return "Search results"
}

// Actions implements Screen.
func (s *Search) Actions() []keymap.Action {
	return append([]keymap.Action{keymap.Open, keymap.Why, keymap.Filter, keymap.History, keymap.Keep, keymap.Unfilter}, memoryActions()[1:]...)
}

// Open implements Screen.
func (s *Search) Open(c *Context) tea.Cmd { return s.ask(c) }

// Refresh implements Screen.
func (s *Search) Refresh(c *Context) tea.Cmd { return s.ask(c) }

// Close implements Screen.
func (s *Search) Close() {
	s.waiting.stop()
	s.plain.Close()
}

// question is the whole question as history keeps it.
func (s *Search) question() string {
	parts := make([]string, 0, len(s.chips)+1)
	for _, p := range s.chips {
		parts = append(parts, p.String())
	}
	return strings.TrimSpace(strings.Join(append(parts, s.input.Text()), " "))
}

// set replaces the whole question.
func (s *Search) set(c *Context, question string) {
	s.chips = nil
	s.input.Set(question + " ")
	s.takeChips(c)
	s.input.Set(strings.TrimRight(s.input.Text(), " "))
}

// takeChips turns finished key:value words of the input into chips.
func (s *Search) takeChips(c *Context) {
	words := strings.SplitAfter(s.input.Text(), " ")
	var rest strings.Builder
	for i, w := range words {
		p, ok := parseChip(strings.TrimSpace(w))
		if !ok || i+1 == len(words) {
			rest.WriteString(w)
			continue
		}
		if _, err := (filterInput{[]chip{p}, "", c.Now.In(c.Zone)}).filter(); err != nil {
			c.Fail(err)
			rest.WriteString(w)
			continue
		}
		s.add(p)
	}
	if out := rest.String(); out != s.input.Text() {
		s.input.Set(out)
	}
}

// add adds a chip; of a key that can have one value it replaces the other.
func (s *Search) add(p chip) {
	if p.key != "tag" && p.key != "type" {
		s.chips = slices.DeleteFunc(s.chips, func(o chip) bool { return o.key == p.key })
	}
	if !slices.Contains(s.chips, p) {
		s.chips = append(s.chips, p)
	}
}

func parseChip(w string) (chip, bool) {
	key, value, found := strings.Cut(w, ":")
	key = strings.ToLower(key)
	if !found || value == "" || !slices.Contains([]string{"type", "project", "scope", "tag", "topic", "since", "until"}, key) {
		return chip{}, false
	}
	return chip{key, strings.ToLower(value)}, true
}

// filterInput is what a filter is made from.
type filterInput struct {
	chips   []chip
	project string
	now     time.Time
}

func (in filterInput) filter() (f engram.Filter, err error) {
	f = engram.Filter{Project: in.project, Current: true}
	for _, p := range in.chips {
		switch p.key {
		case "type":
			f.Types = append(f.Types, engram.Type(p.value))
		case "tag":
			f.Tags = append(f.Tags, p.value)
		case "project":
			f.Project = p.value
		case "topic":
			f.Topic = p.value
		case "scope":
			if f.Scope = engram.ParseScope(p.value); string(f.Scope) != p.value {
				return f, engram.Errorf(engram.CodeInvalid, "scope %.40q does not exist", p.value).WithHint("use project, personal or global")
			}
		case "since", "until":
			at, ok := text.When(p.value, in.now)
			if !ok {
				return f, engram.Errorf(engram.CodeInvalid, "%.40q is not a time", p.value).WithHint("use %s", text.WhenForms)
			}
			if p.key == "since" {
				f.Since = at
			} else {
				f.Until = at
			}
		}
	}
	return f, nil
}

// ask searches now. The results stay until the new ones are there.
func (s *Search) ask(c *Context) tea.Cmd {
	s.waiting.stop()
	filter, err := filterInput{s.chips, c.Scope(), c.Now.In(c.Zone)}.filter()
	if err != nil {
		c.Fail(err)
		return nil
	}
	asked := strings.TrimSpace(s.input.Text())
	whole := s.whole(c)
	return run(c, &s.reading, func(ctx context.Context) (engram.Found, error) {
		return c.Engine.Find(ctx, "", search.SearchInput{Query: asked, Filter: filter, Limit: mostHits})
	}, func(found engram.Found, err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		if s.filter != whole {
			s.filter = whole
			s.list.Reset()
			s.text.Top()
		}
		found.LimitBelowThreshold()
		s.asked, s.found, s.match = asked, found, widget.QuestionWords(asked)
		s.cache = textCache{}
		all := s.hits(c, found)
		s.list.Set(0, len(all), widget.Page[noted]{Items: all, Total: len(all)})
		if s.opening {
			s.opening = false
			return s.memories.Do(c, keymap.Open)
		}
		return nil
	})
}

// whole is the question with what else decides on the results.
func (s *Search) whole(c *Context) string { return s.question() + "\x00" + c.Scope() }

// hits are the results, those below the threshold last.
func (s *Search) hits(c *Context, found engram.Found) (all []noted) {
	for i, h := range slices.Concat(found.Hits, found.BelowThreshold) {
		all = append(all, noted{Memory: h.Memory, note: h.Note(), below: i >= len(found.Hits) || found.Uncertain, why: whyLines(c, found, h)})
	}
	return all
}

// whyLines says why a memory was found, and how the question was read.
func whyLines(c *Context, found engram.Found, h engram.Hit) (lines []string) {
	lines = append(lines, fmt.Sprintf("score %.4g", h.Score))
	for _, ch := range h.Why.Channels {
		lines = append(lines, fmt.Sprintf("%s: rank %d, %.4g", ch.Channel, ch.Rank, ch.Score))
	}
	var factors []string
	for _, f := range h.Why.Factors {
		factors = append(factors, fmt.Sprintf("%s %.4g", cell.Inline(f.Name, 0), f.Value))
	}
	if len(factors) > 0 {
		lines = append(lines, strings.Join(factors, " · "))
	}
	for _, n := range h.Why.Notes {
		lines = append(lines, cell.Inline(n, 0))
	}
	for _, r := range found.Repaired {
		lines = append(lines, fmt.Sprintf("“%s” is in no memory; searched for %s", cell.Inline(r.Written, 100), cell.Inline(strings.Join(r.Read, ", "), 200)))
	}
	for _, span := range found.Times {
		lines = append(lines, fmt.Sprintf("“%s” is %s to %s", cell.Inline(span.Phrase, 100), when(c, span.From), when(c, span.To)))
	}
	return lines
}

// Type implements Typing.
func (s *Search) Type(c *Context, press tea.KeyPressMsg) (tea.Cmd, bool) {
	if !s.typing {
		return nil, false
	}
	switch press.String() {
	case "esc":
		if s.input.Text() == "" && len(s.chips) == 0 {
			return nil, false
		}
		s.typing = false
		return nil, true
	case "enter":
		s.input.Set(s.input.Text() + " ")
		s.takeChips(c)
		s.input.Set(strings.TrimRight(s.input.Text(), " "))
		s.typing = false
		return tea.Batch(s.ask(c), s.remember(c)), true
	case "tab":
		s.typing = false
		return nil, true
	case "down", "ctrl+n":
		s.list.Move(1)
		s.text.Top()
		return nil, true
	case "up", "ctrl+p":
		s.list.Move(-1)
		s.text.Top()
		return nil, true
	case "pgdown":
		s.list.Move(s.list.Page())
		return nil, true
	case "pgup":
		s.list.Move(-s.list.Page())
		return nil, true
	case "backspace":
		if s.input.Text() == "" && len(s.chips) > 0 {
			s.chips = s.chips[:len(s.chips)-1]
			return s.changed(c), true
		}
	case "ctrl+c":
		return nil, false
	}
	before := s.input.Text()
	if !s.input.Press(press.String(), press.Text) {
		return nil, false
	}
	s.takeChips(c)
	if s.input.Text() == before {
		return nil, true
	}
	return s.changed(c), true
}

// changed cancels the search before, and searches when the question has rested.
func (s *Search) changed(c *Context) tea.Cmd {
	s.reading.stop()
	s.waiting.stop()
	turn := s.waiting.turn
	return c.Later(debounce, Result{&s.waiting, turn, func() tea.Cmd { return s.ask(c) }})
}

// Paste implements Typing.
func (s *Search) Paste(c *Context, pasted string) tea.Cmd {
	s.typing = true
	if !s.input.Insert(pasted) {
		c.Warn("the pasted text is longer than a question may be: its end was left out", "")
	}
	return s.changed(c)
}

// Cursor implements Typing.
func (s *Search) Cursor() (x, y int, ok bool) { return s.cursor.x, s.cursor.y, s.typing }

// Do implements Screen.
func (s *Search) Do(c *Context, a keymap.Action) tea.Cmd {
	switch a {
	case keymap.Search:
		s.typing = true
		return nil
	case keymap.Filter:
		return s.chooseFilter(c)
	case keymap.Unfilter:
		if len(s.chips) > 0 {
			s.chips = s.chips[:len(s.chips)-1]
			return s.ask(c)
		}
		return nil
	case keymap.History:
		return s.chooseHistory(c)
	case keymap.Keep:
		return s.keep(c)
	case keymap.Open:
		if s.filter != s.whole(c) { // the results are still those of an earlier question
			s.opening = true
			return s.remember(c)
		}
		return tea.Batch(s.memories.Do(c, a), s.remember(c))
	}
	s.opening = false
	return s.memories.Do(c, a)
}

// Click implements Clicked.
func (s *Search) Click(c *Context, x, y int, twice bool) tea.Cmd {
	if y < 2 {
		s.typing = true
		return nil
	}
	s.typing = false
	return s.memories.Click(c, x, y-2, twice)
}

// chooseFilter offers what can be filtered by.
func (s *Search) chooseFilter(c *Context) tea.Cmd {
	tags := map[string]int{}
	for i := range s.list.Len() {
		if n, ok := s.list.At(i); ok {
			for _, t := range n.Tags {
				tags[t]++
			}
		}
	}
	project := c.Scope()
	return act(c, func(ctx context.Context) (read.StatsOver, error) {
		return c.Engine.StatsOver(ctx, read.StatsInput{Project: project})
	}, func(st read.StatsOver) tea.Cmd {
		var all []Option
		add := func(p chip, detail string) {
			all = append(all, Option{cell.Inline(p.String(), 100), detail, p.String()})
		}
		for _, b := range typeBars(c.Theme, st.Types, 30) {
			add(chip{"type", b.Name}, counted(b.Count, "memory", "memories"))
		}
		for _, span := range [][2]string{{"1d", "the last day"}, {"7d", "the last week"}, {"30d", "the last 30 days"}, {"365d", "the last year"}} {
			add(chip{"since", span[0]}, span[1])
		}
		for _, scope := range []engram.Scope{engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal} {
			add(chip{"scope", string(scope)}, "")
		}
		for _, name := range sortedKeys(tags) {
			add(chip{"tag", name}, counted(tags[name], "result", "results"))
		}
		for _, name := range st.Projects {
			add(chip{"project", name}, "")
		}
		c.Ask(&Choice{Label: "Filter:", Options: all, Then: func(value string) tea.Cmd {
			key, v, _ := strings.Cut(value, ":")
			s.add(chip{key, v})
			return s.ask(c)
		}})
		return nil
	})
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mostHistory limits how many searches are kept.
const mostHistory = 100

// remember adds the question to the history.
func (s *Search) remember(c *Context) tea.Cmd {
	question := s.question()
	if question == "" || len(c.Kept.History) > 0 && c.Kept.History[0] == question {
		return nil
	}
	c.Kept.History = slices.DeleteFunc(slices.Clone(c.Kept.History), func(h string) bool { return h == question })
	c.Kept.History = append([]string{question}, c.Kept.History...)
	c.Kept.History = c.Kept.History[:min(len(c.Kept.History), mostHistory)]
	return c.storeKept()
}

// storeKept writes what is kept between runs, without secrets.
func (c *Context) storeKept() tea.Cmd {
	kept := Kept{slices.Clone(c.Kept.History), slices.Clone(c.Kept.Saved)}
	return act(c, func(context.Context) (struct{}, error) {
		for _, list := range [][]string{kept.History, kept.Saved} {
			for i, q := range list {
				list[i] = c.Engine.CleanText(q)
			}
		}
		return struct{}{}, c.Outside.Store(kept)
	}, func(struct{}) tea.Cmd { return nil })
}

// keep saves the search, or drops it if it is saved.
func (s *Search) keep(c *Context) tea.Cmd {
	question := s.question()
	if question == "" {
		return nil
	}
	if slices.Contains(c.Kept.Saved, question) {
		c.Kept.Saved = slices.DeleteFunc(slices.Clone(c.Kept.Saved), func(q string) bool { return q == question })
		c.Say("Dropped the saved search “%s”", cell.Inline(question, 80))
	} else {
		c.Kept.Saved = append(slices.Clone(c.Kept.Saved), question)
		c.Say("Saved the search “%s”; %s lists it", cell.Inline(question, 80), c.Keys.Of(keymap.History).First())
	}
	return c.storeKept()
}

// chooseHistory offers saved and past searches.
func (s *Search) chooseHistory(c *Context) tea.Cmd {
	var all []Option
	for _, q := range c.Kept.Saved {
		all = append(all, Option{cell.Inline(q, 200), "saved", q})
	}
	for _, q := range c.Kept.History {
		if !slices.Contains(c.Kept.Saved, q) {
			all = append(all, Option{cell.Inline(q, 200), "", q})
		}
	}
	if len(all) == 0 {
		c.Say("There are no past searches yet")
		return nil
	}
	c.Ask(&Choice{Label: "Search again:", Options: all, Then: func(q string) tea.Cmd {
		s.set(c, q)
		s.typing = false
		return s.ask(c)
	}})
	return nil
}

// View implements Screen.
func (s *Search) View(c *Context, width, height int) []string {
	t := c.Theme
	prompt := cell.Span{Text: " ❯ ", Style: t.Accent}
	line, x := s.input.Line(max(1, width-4), "a question, or words; type:decision tag:auth since:7d narrow it", t)
	s.cursor.x, s.cursor.y = min(width-1, 3+x), 0
	lines := []string{append(cell.Line{prompt}, line...).Render(width, nil, false)}
	if height > 4 {
		lines = append(lines, s.chipLine(c, width).Render(width, nil, false))
	}
	s.empty = s.nothing(c)
	return append(lines, s.memories.View(c, width, max(0, height-len(lines)))...)[:max(0, min(height, height))]
}

// chipLine shows the filter, and how many results there are.
func (s *Search) chipLine(c *Context, width int) cell.Line {
	t := c.Theme
	line := cell.Line{{Text: " "}, {Text: " " + c.ScopeName() + " ", Style: t.Bar}, {Text: " "}}
	for _, p := range s.chips {
		line = append(line, cell.Span{Text: " " + cell.Inline(p.String(), 60) + " ", Style: t.Chip}, cell.Span{Text: " "})
	}
	var end cell.Line
	switch {
	case s.reading.busy:
		end = cell.Of("searching… ", t.Faint)
	case len(s.found.Degraded) > 0:
		end = cell.Of(cell.Cut(cell.Inline(s.found.Degraded[0], 200), width/2)+" ", t.Warn)
	case s.found.Uncertain || len(s.found.Hits) == 0 && len(s.found.BelowThreshold) > 0:
		end = cell.Of("nothing surely relevant; the nearest: ", t.Warn)
	case s.asked == "":
		end = cell.Of("newest first ", t.Faint)
	default:
		end = cell.Of(counted(len(s.found.Hits), "result", "results")+" ", t.Dim)
		if weak := len(s.found.BelowThreshold); weak > 0 {
			end = append(end, cell.Span{Text: fmt.Sprintf("and %d weak ", weak), Style: t.Faint})
		}
	}
	return line.Ends(end, width)
}

// nothing is what an empty list says.
func (s *Search) nothing(c *Context) string {
	if s.asked == "" {
		return "Nothing is stored here yet."
	}
	if c.Scope() != "" {
		return "Nothing relevant in " + c.ScopeName() + "; " + c.Keys.Of(keymap.AllProjects).First() + " searches all projects."
	}
	return "Nothing relevant is stored."
}
