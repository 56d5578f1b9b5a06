package service

import "strings"

// Task is the command that has Windows start a server when its user logs in, to be copied
// into a command prompt. start are the arguments of the program; the settings are not
// part of it: set them with setx.
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

// taskQuoted is one word of a command line of Windows. A path has no quotes there.
func taskQuoted(s string) string {
	if !strings.ContainsAny(s, " \t\"&|<>^%") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}
