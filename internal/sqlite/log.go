package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Sizes of the write-ahead log in bytes. SQLite itself starts the log anew at a
// thousand pages while all goes well; from longLog on it is not left to it.
const (
	usualLog = 4 << 20
	longLog  = 6 << 20
	moreLog  = 16 << 20 // after a try in vain
)

// shorten starts the log anew when it has grown long. SQLite does so only at a moment
// without a reader, and readers that overlap leave none: eight writers beside two
// searchers that never rested wrote a log of 200 MB in half a minute, and the longer
// the log, the more each page costs to find. This waits until those who read now have
// left; whoever comes meanwhile does not need the log.
//
// A reader that stays is not waited for at every save: after a try in vain the next
// comes when the log has grown by moreLog.
func (s *Store) shorten(ctx context.Context, c *conn) {
	info, err := os.Stat(s.path + "-wal")
	if err != nil || info.Size() < s.tooLong {
		return
	}
	const patience = 100 * time.Millisecond // a search takes a fraction of it
	s.tooLong = longLog
	if done, err := checkpoint(ctx, c, "RESTART", patience); !done {
		s.tooLong = info.Size() + moreLog
		s.log.DebugContext(ctx, "the write-ahead log could not be shortened", "bytes", info.Size(), "err", err)
	}
}

// LogHolds reports whether an erased text may still be in the log and in the pages that
// the log will replace: a reader was in the way of emptying it, and is still.
func (s *Store) LogHolds() bool { return s.held.Load() }

// scrub empties the log after an erase, so that it holds no copy of the text. A
// reader in the way is waited for a little; after that it is tried again by each later
// write of this process, and the log is emptied when the last connection closes.
func (s *Store) scrub(ctx context.Context, c *conn, patience time.Duration) {
	done, err := checkpoint(ctx, c, "TRUNCATE", patience)
	if s.held.Store(!done); !done {
		s.log.WarnContext(ctx, "the write-ahead log could not be emptied after an erase", "readers in the way", err == nil, "err", err)
	}
}

// checkpoint moves the log into the database, waiting up to patience for the readers
// that still need it. It is not done when one of them stayed, or on an error.
func checkpoint(ctx context.Context, c *conn, mode string, patience time.Duration) (done bool, err error) {
	var busy, pages, moved int // the pragma answers a reader in the way with a row, not with an error
	err = errors.Join(
		c.exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())),
		c.sql.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &moved),
		c.exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", writerNap.Milliseconds())),
	)
	return err == nil && busy == 0, err
}
