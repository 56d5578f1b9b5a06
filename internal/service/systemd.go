package service

import (
	"path/filepath"
	"strings"
)

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
