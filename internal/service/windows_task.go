package service

import "strings"

// Task returns the command that has Windows start a server at login, to be pasted into a command
// prompt. Settings are not part of it: set them with setx.
func Task(s Server) (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	words := []string{taskQuoted(s.Program)}
	for _, a := range s.Args {
		words = append(words, taskQuoted(a))
	}
	return `schtasks /Create /TN Engram /SC ONLOGON /F /TR "` + strings.ReplaceAll(strings.Join(words, " "), `"`, `\"`) + `"`, nil
}

// taskQuoted quotes a word of a Windows command line. A path has no quotes there.
func taskQuoted(s string) string {
	if !strings.ContainsAny(s, " \t\"&|<>^%") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}
