// Package service creates the files by which a system starts a server at login: a user unit for
// systemd, an agent for launchd, a command to copy for Windows. Put installs such a file and
// TakeAway removes it (file.go).
//
// Values are quoted by the rules of each system, so that no path can be misread; what cannot be
// quoted is rejected. The same Server gives the same text, so an unchanged file is not rewritten.
package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
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

// markText opens the line that identifies an unchanged file of ours: the digest of all other lines
// follows. XML comments must not contain two dashes.
const markText = "Written by engram setup service, which undoes it too. Digest "

// marked appends the mark, between open and end, as the last line.
func marked(text, open, end string) string {
	return text + open + markText + digest(text) + end + "\n"
}

// ours reports whether text was written here and not changed since.
func ours(text string) bool {
	lines, found := strings.CutSuffix(text, "\n")
	at := strings.LastIndexByte(lines, '\n') + 1
	_, sum, is := strings.Cut(lines[at:], markText)
	sum, _, _ = strings.Cut(sum, " ")
	return found && is && sum == digest(lines[:at])
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// runPatience is the time limit of the system's commands.
const runPatience = 30 * time.Second

// runAgain is the pause between two attempts of RunUntil.
const runAgain = 200 * time.Millisecond

// Has reports whether the programs of the commands are installed.
func Has(commands [][]string) bool {
	return !slices.ContainsFunc(commands, func(c []string) bool {
		_, err := exec.LookPath(c[0])
		return err != nil
	})
}

// Run runs commands in order. The first failure is the error, CodeUnavailable, with its output.
func Run(ctx context.Context, commands [][]string) error {
	ctx, cancel := context.WithTimeout(ctx, runPatience)
	defer cancel()
	for _, c := range commands {
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			return engram.Errorf(engram.CodeUnavailable, "%s: %s", strings.Join(c, " "), strings.Join(strings.Fields(said.String()), " ")).WithCause(err)
		}
	}
	return nil
}

// RunUntil repeats Run until it succeeds or patience has passed.
func RunUntil(ctx context.Context, commands [][]string, patience time.Duration) error {
	again := time.NewTicker(runAgain)
	defer again.Stop()
	late := time.After(patience)
	for {
		err := Run(ctx, commands)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-late:
			return err
		case <-again.C:
		}
	}
}

// SystemdPath is where a user's unit belongs. config is XDG_CONFIG_HOME, "" if not set.
func SystemdPath(home, config string) string {
	if !filepath.IsAbs(config) { // its specification ignores relative paths
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "systemd", "user", SystemdName)
}

// SystemdName is the name of the unit.
const SystemdName = "engram.service"

// Systemd returns the unit that runs a server and restarts it when it fails. A server ended by
// `engram stop` stays stopped.
//
// Source: systemd.service(5), systemd.exec(5), systemd.syntax(7). The colon before the program
// keeps systemd from expanding $.
func Systemd(s Server) (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("[Unit]\nDescription=Engram, a memory for AI agents\n\n[Service]\nType=exec\nExecStart=:")
	if strings.ContainsAny(s.Program, `'"\`) {
		b.WriteString(unitShell)
	}
	b.WriteString(unitQuoted(s.Program))
	for _, a := range s.Args {
		b.WriteString(" " + unitQuoted(a))
	}
	b.WriteString("\n")
	for _, e := range s.Env {
		b.WriteString("Environment=" + unitQuoted(e.Name+"="+e.Value) + "\n")
	}
	// 2 and 6 mean a wrong setting, 4 a database of a newer program: a restart does not help.
	b.WriteString("Restart=on-failure\nRestartSec=10\nRestartPreventExitStatus=2 4 6\n\n[Install]\nWantedBy=default.target\n")
	return marked(b.String(), "# ", ""), nil
}

// unitShell runs a program whose path has a quote or a backslash, which systemd does not run itself
// however it is quoted.
const unitShell = `/bin/sh -c "exec \"$0\" \"$@\"" `

// unitQuoted quotes a word of a unit file; % is doubled, because it begins a specifier.
func unitQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(s) + `"`
}

// SystemdUse returns the commands that start the unit. Enabling does not affect a unit that already
// runs, so it is restarted.
func SystemdUse() [][]string {
	return [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", SystemdName}, {"systemctl", "--user", "restart", SystemdName}}
}

// SystemdLeave returns the commands that stop the unit before its removal.
func SystemdLeave() [][]string {
	return [][]string{{"systemctl", "--user", "disable", "--now", SystemdName}}
}

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
