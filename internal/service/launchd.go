package service

import (
	"encoding/xml"
	"path/filepath"
	"strconv"
	"strings"
)

// LaunchdLabel names the agent.
const LaunchdLabel = "com.alanbuscaglia.engram"

// LaunchdPath is where a user's agent belongs.
func LaunchdPath(home string) string {
	return filepath.Join(home, "Library", "LaunchAgents", LaunchdLabel+".plist")
}

// Launchd returns the agent that runs a server and restarts it when it fails.
//
// Source: launchd.plist(5).
func Launchd(s Server) (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(plistHead)
	b.WriteString("  <key>Label</key>\n  <string>" + LaunchdLabel + "</string>\n  <key>ProgramArguments</key>\n  <array>\n")
	for _, a := range append([]string{s.Program}, s.Args...) {
		b.WriteString("    <string>" + xmlText(a) + "</string>\n")
	}
	b.WriteString("  </array>\n")
	if len(s.Env) > 0 {
		b.WriteString("  <key>EnvironmentVariables</key>\n  <dict>\n")
		for _, e := range s.Env {
			b.WriteString("    <key>" + xmlText(e.Name) + "</key>\n    <string>" + xmlText(e.Value) + "</string>\n")
		}
		b.WriteString("  </dict>\n")
	}
	b.WriteString("  <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n" +
		"  <key>ThrottleInterval</key>\n  <integer>10</integer>\n</dict>\n</plist>\n")
	return marked(b.String(), "<!-- ", " -->"), nil
}

const plistHead = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
`

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}

// LaunchdUse returns the commands that load the agent at path for a user. Unload a loaded one with
// LaunchdLeave before; it fails if no agent is loaded.
func LaunchdUse(path string, user int) [][]string {
	return [][]string{{"launchctl", "bootstrap", "gui/" + strconv.Itoa(user), path}}
}

// LaunchdLeave returns the commands that unload the agent.
func LaunchdLeave(user int) [][]string {
	return [][]string{{"launchctl", "bootout", "gui/" + strconv.Itoa(user) + "/" + LaunchdLabel}}
}
