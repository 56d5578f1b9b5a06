// Package keymap holds the actions of the terminal UI and their keys: the defaults, the changes that config.toml makes to
// them, and what help says about each. Help, the footer and docs/tui.md are made from it, so that they cannot lag
// behind.
package keymap

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
)

// Action is something that a key does.
type Action string

// The actions.
const (
	Up          Action = "up"
	Down        Action = "down"
	Top         Action = "top"
	Bottom      Action = "bottom"
	PageUp      Action = "page_up"
	PageDown    Action = "page_down"
	Next        Action = "next"
	Previous    Action = "previous"
	Open        Action = "open"
	Back        Action = "back"
	Quit        Action = "quit"
	Focus       Action = "focus"
	Search      Action = "search"
	Command     Action = "command"
	Help        Action = "help"
	Refresh     Action = "refresh"
	AllProjects Action = "all_projects"
	Timeline    Action = "timeline"
	Edit        Action = "edit"
	New         Action = "new"
	Pin         Action = "pin"
	Forget      Action = "forget"
	Undo        Action = "undo"
	Link        Action = "link"
	Copy        Action = "copy"
	Select      Action = "select"
	Graph       Action = "graph"
	Why         Action = "why"
	Filter      Action = "filter"
	Unfilter    Action = "unfilter"
	History     Action = "history"
	Keep        Action = "keep"
	Approve     Action = "approve"
	Reject      Action = "reject"
	Snooze      Action = "snooze"
	Supersede   Action = "supersede"
	Reverse     Action = "reverse"
	Contradict  Action = "contradict"
	Compatible  Action = "compatible"
	Scoped      Action = "scoped"
	NotConflict Action = "not_conflict"
	Ignore      Action = "ignore"
	Restore     Action = "restore"
	Rename      Action = "rename"
	Merge       Action = "merge"
	Period      Action = "period"
)

// Binding is an action with its keys.
type Binding struct {
	Action Action
	Group  string // its part of the help
	About  string // what it does, for help
	Short  string // one word for the footer
	key    key.Binding
}

// Keys returns the keys of the action.
func (b Binding) Keys() []string { return b.key.Keys() }

// Shown returns the keys as help writes them.
func (b Binding) Shown() string {
	keys := b.key.Keys()
	shown := make([]string, len(keys))
	for i, k := range keys {
		shown[i] = shownKey(k)
	}
	return strings.Join(shown, " ")
}

// First returns the key that the footer names; "" if the action has none.
func (b Binding) First() string {
	if len(b.key.Keys()) == 0 {
		return ""
	}
	return shownKey(b.key.Keys()[0])
}

func shownKey(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "pgdown":
		return "pgdn"
	case "pgup":
		return "pgup"
	}
	return k
}

// Map is the bindings in force, in the order of help.
type Map []Binding

// Default returns the keys without configuration.
func Default() Map {
	const move, see, change, judge, program = "Move", "See", "Change", "Decide", "Program"
	b := func(a Action, group, short, about string, keys ...string) Binding {
		return Binding{a, group, about, short, key.NewBinding(key.WithKeys(keys...))}
	}
	return Map{
		b(Down, move, "down", "next line", "j", "down"),
		b(Up, move, "up", "previous line", "k", "up"),
		b(Top, move, "top", "first line", "g", "home"),
		b(Bottom, move, "end", "last line", "G", "end"),
		b(PageDown, move, "page", "next page", "pgdown", "ctrl+f", "ctrl+d"),
		b(PageUp, move, "page", "previous page", "pgup", "ctrl+b", "ctrl+u"),
		b(Next, move, "next", "next memory, while one is read", "J", "]"),
		b(Previous, move, "previous", "previous memory, while one is read", "K", "["),
		b(Open, move, "open", "open the line", "enter", "l", "right"),
		b(Back, move, "back", "back; on the first screen q quits", "esc", "q", "h", "left"),
		b(Focus, move, "other side", "to the other side: list and text, question and results", "tab"),

		b(Search, see, "search", "search, from anywhere", "/", "s"),
		b(AllProjects, see, "all projects", "switch between this project and all", "P"),
		b(Filter, see, "filter", "add a filter by project, type, scope, tag or time", "f"),
		b(Unfilter, see, "unfilter", "remove the last filter", "F"),
		b(Why, see, "why", "why each result was found", "w"),
		b(History, see, "history", "past and saved searches", "H"),
		b(Keep, see, "save search", "save this search, or drop a saved one", "b"),
		b(Timeline, see, "timeline", "what was saved before and after it", "t"),
		b(Graph, see, "graph", "what is related to it", "v"),
		b(Period, see, "period", "count by day, week or month", "p"),

		b(New, change, "new", "write a memory in $EDITOR", "n"),
		b(Edit, change, "edit", "edit it in $EDITOR", "e"),
		b(Pin, change, "pin", "pin it, or let it fade again", "p"),
		b(Forget, change, "forget", "forget it, or the selected ones", "d"),
		b(Undo, change, "undo", "undo your last change; in the journal, the operation", "u"),
		b(Link, change, "link", "link it to another memory", "m"),
		b(Copy, change, "copy", "copy it to the clipboard of the terminal", "y"),
		b(Select, change, "select", "select it, to act on several", "space"),
		b(Restore, change, "restore", "restore an earlier version of the memory", "R"),
		b(Rename, change, "rename", "rename the project", "R"),
		b(Merge, change, "merge", "merge the project into another", "M"),

		b(Approve, judge, "approve", "approve or confirm it", "a"),
		b(Reject, judge, "reject", "reject it", "x"),
		b(Snooze, judge, "snooze", "postpone its review by three months", "z"),
		b(Supersede, judge, "left wins", "the left text replaces the right one", "1"),
		b(Reverse, judge, "right wins", "the right text replaces the left one", "2"),
		b(Contradict, judge, "clash", "they contradict each other", "3"),
		b(Compatible, judge, "both hold", "both hold", "4"),
		b(Scoped, judge, "scoped", "each holds in its own scope", "5"),
		b(NotConflict, judge, "unrelated", "they are about different things", "6"),
		b(Ignore, judge, "dismiss", "dismiss the pair without a verdict", "0"),

		b(Command, program, "command", "command line, with completion by tab", ":"),
		b(Help, program, "help", "these keys", "?"),
		b(Refresh, program, "refresh", "read again", "r"),
		b(Quit, program, "quit", "quit, from anywhere", "Q", "ctrl+c"),
	}
}

// Of returns the binding of an action.
func (m Map) Of(a Action) Binding {
	i := slices.IndexFunc(m, func(b Binding) bool { return b.Action == a })
	if i < 0 {
		return Binding{Action: a}
	}
	return m[i]
}

// Press is a pressed key, as Bubble Tea names it.
type Press interface{ String() string }

// Match returns the action of a key among those that apply, in their order; "" for none.
func (m Map) Match(k Press, actions ...[]Action) Action {
	for _, list := range actions {
		for _, a := range list {
			if key.Matches(k, m.Of(a).key) {
				return a
			}
		}
	}
	return ""
}

// Parse returns the default keys with the changes of a setting: "forget=x, down=j down". An action may have several keys,
// separated by spaces, and none after a bare =. An unknown action or a key that is no single key is an error for a person.
func Parse(changes string) (Map, error) {
	m := Default()
	for entry := range strings.SplitSeq(changes, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, keys, found := strings.Cut(entry, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		i := slices.IndexFunc(m, func(b Binding) bool { return string(b.Action) == name })
		switch {
		case !found:
			return nil, fmt.Errorf("%.40q is not action=key", entry)
		case i < 0:
			return nil, fmt.Errorf("action %.40q does not exist; engram tui --help lists them", name)
		}
		given := strings.Fields(keys)
		for _, k := range given {
			if !valid(k) {
				return nil, fmt.Errorf("%.40q is not a key; use one like x, X, ctrl+x, alt+x, f5, enter, space, tab, pgdown", k)
			}
		}
		m[i].key.SetKeys(given...)
	}
	if len(m.Of(Quit).Keys()) == 0 && len(m.Of(Back).Keys()) == 0 {
		return nil, fmt.Errorf("quit and back have no key")
	}
	return m, nil
}

// valid reports whether a text names a key: one character, or the name of another key, with modifiers before it.
func valid(k string) bool {
	for _, mod := range []string{"ctrl+", "alt+", "shift+", "super+"} {
		k = strings.TrimPrefix(k, mod)
	}
	if len([]rune(k)) == 1 {
		return true
	}
	named := []string{"enter", "space", "tab", "esc", "backspace", "delete", "insert", "home", "end", "pgup", "pgdown", "up", "down", "left", "right"}
	if slices.Contains(named, k) {
		return true
	}
	n, isFunction := strings.CutPrefix(k, "f")
	return isFunction && len(n) <= 2 && strings.Trim(n, "0123456789") == ""
}

// Names returns the names of all actions.
func (m Map) Names() []string {
	names := make([]string, len(m))
	for i, b := range m {
		names[i] = string(b.Action)
	}
	return names
}
