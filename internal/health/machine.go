package health

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/text"
)

func logEvidence(l Log) Evidence {
	return Evidence{"journal_mode": l.Mode, "busy_timeout_ms": l.BusyTimeout.Milliseconds(), "checkpoint_busy": l.Busy,
		"checkpoint_log": l.Frames, "checkpointed_frames": l.Moved, "log_bytes": l.Bytes, "write_lock_held": l.Locked}
}

// untried is the outcome if the lock was not tried: opening a damaged file for writing may change it.
func untried(id ID, why string) Check {
	return bad(Blocked, Finding{Check: id, Reason: string(id) + "_not_checked", Why: why, Evidence: Evidence{},
		Message: "This was not tried, because the database is damaged or its index is not in step.",
		Next:    "See what " + string(Integrity) + " and " + string(IndexInStep) + " say and repair that first."})
}

// unprobed is the outcome if trying the lock failed.
func unprobed(id ID, why string, err error) Check {
	c := unmade(id, why, err)
	c.Reason = "sqlite_lock_probe_failed"
	return c
}

func judgeLock(f Facts, p Policy, why string) Check {
	l := f.Log
	if !l.Locked && !l.Busy {
		return fine(LockContention, why, logEvidence(l))
	}
	what := "Another program is checkpointing the database."
	if l.Locked {
		what = fmt.Sprintf("Another program held the write lock for more than %d ms.", l.Patience.Milliseconds())
	}
	return bad(Warning, Finding{Check: LockContention, Reason: "sqlite_lock_contention_detected", Message: what, Why: why,
		Evidence: logEvidence(l), Next: "Find the program that has the database open (an agent, a server, a database browser), then check again."})
}

func judgeLog(f Facts, p Policy, why string) Check {
	l := f.Log
	left := l.Frames - l.Moved
	found := Finding{Check: LogCheckpoint, Why: why, Evidence: logEvidence(l)}
	switch {
	case l.Mode != "wal":
		found.Reason, found.Message = "journal_mode_not_wal", fmt.Sprintf("The journal mode is %q instead of wal.", l.Mode)
		found.Next = "Keep the database on a local disk; any command of engram then sets the mode."
	case l.Bytes > p.LongLog:
		found.Reason, found.Message = "wal_too_long", fmt.Sprintf("The write-ahead log has %s; %s of it could not be moved into the database.", size(l.Bytes), text.Counted(left, "page", "pages"))
		found.Next = "Stop the program that reads all the time (a server, a database browser); engram doctor --fix then empties the log."
	default:
		return fine(LogCheckpoint, why, found.Evidence)
	}
	return bad(Warning, found)
}

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d kB", n>>10)
	case n < 10<<30:
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d GB", n>>30)
}

func judgeClock(f Facts, p Policy, why string) Check {
	c := f.Clock
	e := Evidence{"now": timestamp(c.Now), "last_entry": timestamp(c.Last), "made_in_the_future": c.Future, "newest": timestamp(c.Newest)}
	ahead := max(c.Last.Sub(c.Now), 0)
	if c.Newest.After(c.Last) {
		ahead = max(c.Newest.Sub(c.Now), 0)
	}
	if ahead <= p.Ahead {
		return fine(ClockBackwards, why, e)
	}
	e["ahead_seconds"] = int64(ahead / time.Second)
	return bad(Warning, Finding{Check: ClockBackwards, Reason: "clock_moved_backwards", Why: why, Evidence: e,
		Message: fmt.Sprintf("The store has entries that are %s ahead of the clock.", ahead.Round(time.Second)),
		Next:    "Correct the clock of this machine. If it is correct now, it was wrong before: the order of entries is still right, and this warning disappears with time."})
}

// timestamp formats a time for evidence; "" for never.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

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

func judgeSpace(f Facts, p Policy, why string) Check {
	d := f.Files
	need := max(p.LeastFree, p.Copies*d.Database)
	e := Evidence{"free_bytes": d.Free, "needed_bytes": need, "database_bytes": d.Database}
	if d.Free < 0 || d.Free >= need {
		return fine(DiskSpace, why, e)
	}
	result := Warning
	if d.Free < p.NoneFree {
		result = Failed
	}
	return bad(result, Finding{Check: DiskSpace, Reason: "disk_space_low", Why: why, Evidence: e,
		Message: fmt.Sprintf("There are %s free on the disk of the database, which has %s.", size(d.Free), size(d.Database)),
		Next:    fmt.Sprintf("Free at least %s, or move the data folder to a larger disk.", size(need))})
}

func judgeFileSystem(f Facts, p Policy, why string) Check {
	d := f.Files
	e := Evidence{"file_system": d.Kind, "folders": d.Folders}
	found := Finding{Check: FileSystemKind, Why: why, Evidence: e, Confirm: true,
		Next: "Stop the programs that use the database, move the data folder to a local disk, and name it with --data-dir or ENGRAM_DATA_DIR. To share memories between machines, use export and import."}
	// Locks of these do not reach other machines or programs.
	remote := []string{"nfs", "smb", "fuse", "9p", "afs", "ceph", "coda", "ncp", "gfs", "lustre", "webdav", "vboxsf", "remote"}
	if slices.Contains(remote, d.Kind) {
		found.Reason, found.Message = "network_file_system", fmt.Sprintf("The database is on a network file system or one in user space (%s).", d.Kind)
		return bad(Warning, found)
	}
	for _, folder := range d.Folders {
		if name := synced(folder); name != "" {
			found.Reason, found.Message = "synced_folder", fmt.Sprintf("The database is in a folder that %s synchronizes with other machines.", name)
			e["synced_by"] = name
			return bad(Warning, found)
		}
	}
	return fine(FileSystemKind, why, e)
}

// synced names the program that synchronizes a folder, judged by the names of the folders above it;
// "" for none.
func synced(folder string) string {
	for part := range strings.SplitSeq(filepath.ToSlash(folder), "/") {
		part = strings.ToLower(part)
		for _, s := range []struct{ begins, name string }{
			{"dropbox", "Dropbox"}, {"onedrive", "OneDrive"}, {"icloud", "iCloud"}, {"iclouddrive", "iCloud"}, {"mobile documents", "iCloud"}, {"com~apple~clouddocs", "iCloud"},
			{"google drive", "Google Drive"}, {"googledrive", "Google Drive"}, {"my drive", "Google Drive"}, {"cloudstorage", "a cloud drive"},
			{"nextcloud", "Nextcloud"}, {"owncloud", "ownCloud"}, {"pcloud", "pCloud"}, {"pclouddrive", "pCloud"}, {"megasync", "MEGA"}, {"syncthing", "Syncthing"},
			{"seafile", "Seafile"}, {"tresorit", "Tresorit"}, {"yandex.disk", "Yandex Disk"}, {"proton drive", "Proton Drive"}, {"box sync", "Box"},
		} {
			// "Dropbox (Personal)", "OneDrive - Company": the name, then not a letter.
			rest, ok := strings.CutPrefix(part, s.begins)
			if ok && (rest == "" || !letter(rest[0])) {
				return s.name
			}
		}
	}
	return ""
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80 }

func judgeModes(f Facts, p Policy, why string) Check {
	open := f.Files.Open
	e := Evidence{"files": len(open)}
	if len(open) == 0 {
		return fine(FileModes, why, e)
	}
	c := bad(Warning, Finding{Check: FileModes, Reason: "files_open_to_others", Why: why, Evidence: e,
		Message: text.Counted(len(open), "file or folder is open to others.", "files or folders are open to others."),
		Next:    "engram doctor --fix removes the rights of others."})
	for _, m := range open[:min(len(open), p.Examples)] {
		c.Findings = append(c.Findings, single(c.Finding, fmt.Sprintf("%s has mode %04o instead of %04o.", m.Path, m.Mode, m.Want),
			Evidence{"path": m.Path, "mode": fmt.Sprintf("%04o", m.Mode), "want": fmt.Sprintf("%04o", m.Want)}))
	}
	return c
}
