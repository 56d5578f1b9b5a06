package health

import (
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// unanswered reports a server that could not be asked.
func unanswered(id ID, why string, err error) Check {
	f := Finding{Check: id, Reason: "server_unusable", Message: "Cannot use the database: " + sentence(err), Why: why,
		Evidence: Evidence{"error": err.Error(), "code": string(engram.CodeOf(err))}, Next: "Look into the log of the server."}
	if hint := engram.HintOf(err); hint != "" {
		f.Next = strings.ToUpper(hint[:1]) + hint[1:] + "."
	}
	return bad(Failed, f)
}

func judgeServer(f Facts, p Policy, why string) Check {
	s := f.Server
	e := Evidence{"database": f.Path, "version": s.Version, "latency_ms": float64(s.Latency.Round(10*time.Microsecond)) / float64(time.Millisecond),
		"database_bytes": s.Bytes, "migrations": s.Schema, "migrations_pending": s.Newer, "pooler": s.Pooled, "read_only": s.ReadOnly}
	result, found := Warning, Finding{Check: ServerInOrder, Why: why, Evidence: e}
	switch {
	case s.Open:
		result = Failed
		found.Reason, found.Message = "spaces_not_apart", "This user is above row-level security, and there is no role to take on: only the statements themselves keep spaces apart."
		found.Next = "Connect as a user without SUPERUSER and BYPASSRLS, or let this one open the store once with the right to make roles."
	case s.ReadOnly:
		result = Blocked
		found.Reason, found.Message = "server_read_only", "The database is read-only: it is a standby, or was made so."
		found.Next = "Name the primary in the setting store."
	case s.Unsynced:
		found.Reason, found.Message = "commits_not_synced", "The server confirms commits before they are on its disk (synchronous_commit is off)."
		found.Next = "Set synchronous_commit to on for this database: ALTER DATABASE … SET synchronous_commit = on."
	case s.Pooled && s.Prepared:
		found.Reason, found.Message = "pooler_prepares", "The connection leads through a pooler, and statements are prepared for each connection."
		found.Next = "If it pools transactions, add default_query_exec_mode=exec to the address in the setting store."
	case s.Latency > p.Far:
		found.Reason, found.Message = "server_far", fmt.Sprintf("A round trip to the server takes %d ms, and a save has up to 16.", s.Latency.Milliseconds())
		found.Next = "Run Engram nearer to the database, or keep a file here and share memories with engram sync."
	default:
		return fine(ServerInOrder, why, e)
	}
	return bad(result, found)
}
