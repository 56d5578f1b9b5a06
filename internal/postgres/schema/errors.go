package schema

import (
	"context"
	"errors"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Explain gives an error of the server its code and a hint. Other errors, and those with a code, pass unchanged.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if _, coded := errors.AsType[*engram.Error](err); coded {
		return err
	}
	as := func(code engram.Code, msg, hint string) error {
		return engram.Errorf(code, "%s", msg).WithHint("%s", hint).WithCause(err)
	}
	state := conn.Code(err)
	class := ""
	if len(state) == 5 {
		class = state[:2]
	}
	switch {
	case conn.IsUnreached(err):
		return as(engram.CodeUnavailable, "the database cannot be reached", "check that it runs and that its address is right")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, postings.ErrDamaged):
		return as(engram.CodeInternal, "the lexical index is damaged", "rebuild it with {reembed --all}; memories are not affected")
	case state == "23503", class == "23":
		return as(engram.CodeConflict, "it exists already, is still referenced, or refers to something missing", "remove what depends on it first; nothing was changed")
	case state == "40001", state == "40P01", state == "55P03":
		return as(engram.CodeUnavailable, "the database is busy", "try again in a moment; nothing was changed")
	case state == "57014":
		return as(engram.CodeUnavailable, "the database took too long and gave up", "try again, or raise its statement_timeout; nothing was changed")
	case class == "53":
		return as(engram.CodeUnavailable, "the database has no room, memory or connections left", "free disk space or connections and try again; nothing was changed")
	case class == "57":
		return as(engram.CodeUnavailable, "the database is stopping or starting", "try again in a moment; nothing was changed")
	case state == "25006":
		return as(engram.CodeUnavailable, "the database is read-only", "connect to the primary, not to a standby; nothing was changed")
	case class == "28", state == "3D000":
		return as(engram.CodeUnavailable, "the database does not let this user in", "check user, password and database of the address")
	case state == "42501":
		return as(engram.CodeForbidden, "this user may not do that in the database", "connect as the owner of the tables, or ask for its rights")
	case class == "08", conn.IsConnection(err):
		return as(engram.CodeUnavailable, "the database cannot be reached", "check that it runs and that its address is right")
	}
	return err
}
