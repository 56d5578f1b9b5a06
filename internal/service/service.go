// Package service makes the files by which a system starts a server when its user logs in:
// a user unit for systemd (systemd.go), an agent for launchd (launchd.go), a task for
// Windows, which is a command to copy (windows.go). File puts such a file in its place and
// takes it away again (file.go).
//
// What goes into a file is quoted by the rules of its system, so that no path can say
// anything but itself; what those rules cannot say is refused. Texts are the same for the
// same Server: a file that would not change is not touched.
package service

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Server is what the system is to start. Nothing in it may be secret: everybody with the
// user's rights can read a unit, and the system shows it.
type Server struct {
	Program string    // absolute path
	Args    []string  // without the program's name
	Env     []Setting // in the order to write them
}

// Setting is a variable of the environment.
type Setting struct{ Name, Value string }

// check refuses what no system's file can say.
func (s Server) check() error {
	texts := append([]string{s.Program}, s.Args...)
	for _, e := range s.Env {
		texts = append(texts, e.Name, e.Value)
	}
	for _, t := range texts {
		if !utf8.ValidString(t) || strings.ContainsFunc(t, unicode.IsControl) {
			return engram.Errorf(engram.CodeInvalid, "%q cannot stand in the file of a service", t).
				WithHint("it has control characters or is not UTF-8: choose another folder or value")
		}
	}
	return nil
}
