// Package service creates the files by which a system starts a server at login: a user unit for
// systemd (systemd.go), an agent for launchd (launchd.go), a command to copy for Windows
// (windows_task.go). Put installs such a file and TakeAway removes it (file.go).
//
// Values are quoted by the rules of each system, so that no path can be misread; what cannot be
// quoted is rejected. The same Server gives the same text, so an unchanged file is not rewritten.
package service

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Server is what the system starts. It must not contain secrets: any process of the user can read a
// unit, and the system shows it.
type Server struct {
	Program string    // absolute path
	Args    []string  // without the program's name
	Env     []Setting // in the order of the file
}

// Setting is an environment variable.
type Setting struct{ Name, Value string }

// check rejects values that no system's file can express.
func (s Server) check() error {
	texts := append([]string{s.Program}, s.Args...)
	for _, e := range s.Env {
		texts = append(texts, e.Name, e.Value)
	}
	for _, t := range texts {
		if !utf8.ValidString(t) || strings.ContainsFunc(t, unicode.IsControl) {
			return engram.Errorf(engram.CodeInvalid, "%q cannot be in the file of a service", t).
				WithHint("choose another folder or value; it has control characters or is not UTF-8")
		}
	}
	return nil
}
