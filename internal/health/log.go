package health

import (
	"fmt"

	"github.com/alanbuscaglia/engram/internal/text"
)

func logEvidence(l Log) Evidence {
	return Evidence{"journal_mode": l.Mode, "busy_timeout_ms": l.BusyTimeout.Milliseconds(), "checkpoint_busy": l.Busy,
		"checkpoint_log": l.Frames, "checkpointed_frames": l.Moved, "log_bytes": l.Bytes, "write_lock_held": l.Locked}
}

// untried is the outcome if the lock was not tried: opening a damaged file for writing may change
// it.
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
