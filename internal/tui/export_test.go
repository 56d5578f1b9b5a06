package tui

import tea "charm.land/bubbletea/v2"

// Changed is the message of a change by any program, Unreadable that of a store that cannot be read.
func Changed() tea.Msg             { return changed{} }
func Unreadable(err error) tea.Msg { return unreadable{err} }

// Theme returns the name of the theme in force.
func (m *Model) Theme() string { return m.c.Theme.Name }
