package service

import (
	"path/filepath"
	"strings"
)

// SystemdPath is where a user's unit belongs. config is XDG_CONFIG_HOME, "" where it is
// not set.
func SystemdPath(home, config string) string {
	if !filepath.IsAbs(config) { // what is not absolute does not count, says its specification
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "systemd", "user", SystemdName)
}

// SystemdName is the name of the unit.
const SystemdName = "engram.service"

// Systemd is the unit of a server, which is started again when it fails. What
// `engram stop` ends stays so.
//
// Source: systemd.service(5), systemd.exec(5), systemd.syntax(7). The colon before the
// program keeps systemd from taking $ for a variable.
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
	// 2 and 6 are what a wrong setting ends with, 4 a database that a newer program made:
	// no second start mends them.
	b.WriteString("Restart=on-failure\nRestartSec=10\nRestartPreventExitStatus=2 4 6\n\n[Install]\nWantedBy=default.target\n")
	return marked(b.String(), "# ", ""), nil
}

// unitShell runs a program whose path has a quote or a backslash, which systemd does not
// run itself however they are written.
const unitShell = `/bin/sh -c "exec \"$0\" \"$@\"" `

// unitQuoted is one word of a unit file: in quotes, with % doubled, which else begins a
// specifier.
func unitQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(s) + `"`
}

// SystemdUse are the commands that put the unit to use. Enabling starts nothing that runs,
// by a unit of before: it is started anew.
func SystemdUse() [][]string {
	return [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", SystemdName}, {"systemctl", "--user", "restart", SystemdName}}
}

// SystemdLeave are the commands that stop the unit before it is taken away.
func SystemdLeave() [][]string {
	return [][]string{{"systemctl", "--user", "disable", "--now", SystemdName}}
}
