package health

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// judgePrograms warns about versions used in turn. One that replaced another is an update.
func judgePrograms(f Facts, p Policy, why string) Check {
	var lately []Program
	list := make([]map[string]string, 0, len(f.Programs.List))
	for _, g := range f.Programs.List {
		list = append(list, map[string]string{"version": g.Version, "first": timestamp(g.First), "last": timestamp(g.Last)})
		if f.Programs.Now.Sub(g.Last) <= p.Lately {
			lately = append(lately, g)
		}
	}
	e := Evidence{"programs": list, "within": p.Lately.String()}
	var mixed []string
	for i, a := range lately {
		for j, b := range lately {
			if i != j && a.First.Before(b.Last) && b.First.Before(a.Last) {
				mixed = append(mixed, a.Version)
				break
			}
		}
	}
	if len(mixed) == 0 {
		return fine(BinaryVersions, why, e)
	}
	return bad(Warning, Finding{Check: BinaryVersions, Reason: "several_binary_versions", Why: why, Evidence: e,
		Message: fmt.Sprintf("Programs of %d versions use this database: %s.", len(mixed), strings.Join(mixed, ", ")),
		Next:    "Find the older engram (which -a engram; the configuration of your agents) and update it; restart servers that still run it."})
}

func judgeSQLite(f Facts, p Policy, why string) Check {
	e := Evidence{"version": f.SQLite.Version, "required": dotted(p.OldestSQL)}
	if atLeast(f.SQLite.Version, p.OldestSQL) {
		return fine(SQLiteVersion, why, e)
	}
	return bad(Failed, Finding{Check: SQLiteVersion, Reason: "sqlite_too_old", Why: why, Evidence: e,
		Message: fmt.Sprintf("This program has SQLite %s; %s or later is safe.", f.SQLite.Version, dotted(p.OldestSQL)),
		Next:    "Update engram. A build from source must use the versions of its go.mod."})
}

func dotted(v [3]int) string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// atLeast compares a version such as "3.53.4"; an unreadable one is too old.
func atLeast(version string, least [3]int) bool {
	parts := strings.Split(version, ".")
	for i, want := range least {
		n := 0
		if i < len(parts) {
			var err error
			if n, err = strconv.Atoi(parts[i]); err != nil {
				return false
			}
		}
		if n != want {
			return n > want
		}
	}
	return true
}

// Seen returns the record of a program that writes at now, and whether to write it: if it is new, a
// day old, or another version wrote since, so that use in turn shows.
func Seen(version string, now time.Time, list []Program) (p Program, write bool) {
	p = Program{Version: version, First: now, Last: now}
	var others time.Time
	write = true
	for _, g := range list {
		if g.Version == version {
			p.First = g.First
			write = now.Sub(g.Last) >= 24*time.Hour || now.Before(g.Last)
			p.Last = g.Last
		} else if g.Last.After(others) {
			others = g.Last
		}
	}
	if write = write || others.After(p.Last); write {
		p.Last = now
	}
	return p, write
}
