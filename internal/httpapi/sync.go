package httpapi

import (
	"cmp"
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
)

// syncStatus is how replication stands, in the words that older clients know. What they
// have for a server to replicate with is told of the chunks in the repository of the
// server's folder: there is no such server.
type syncStatus struct {
	Enabled   bool        `json:"enabled"`
	Phase     string      `json:"phase"` // disabled, healthy, pending or degraded
	LastError string      `json:"last_error"`
	Failures  int         `json:"consecutive_failures"`
	Backoff   *clock      `json:"backoff_until"` // null: nothing waits
	LastSync  *clock      `json:"last_sync_at"`  // null: never
	Reason    string      `json:"reason_code"`
	Message   string      `json:"reason_message"`
	Deferred  int         `json:"deferred_count"`
	Dead      int         `json:"dead_count"`
	Upgrade   syncUpgrade `json:"upgrade"`
	Chunks    *syncChunks `json:"chunks,omitempty"` // of the repository; missing where it has none of this project
}

// syncUpgrade is how far a move to a server has come.
type syncUpgrade struct {
	Stage   string `json:"stage"`
	Reason  string `json:"reason_code"`
	Message string `json:"reason_message"`
}

// syncChunks counts what lies in .engram of the repository.
type syncChunks struct {
	Local    int `json:"local"`          // that came in here or were written here
	Remote   int `json:"remote"`         // that are there
	Pending  int `json:"pending_import"` // of these, that did not come in yet
	Unpushed int `json:"not_exported"`   // things that none of them has
}

func (a *API) syncStatus(q request) (reply, error) {
	const reason, message = "cloud_not_configured", "no server to replicate with is configured"
	s := syncStatus{Phase: "disabled", Reason: reason, Message: message, Upgrade: syncUpgrade{Stage: "none", Reason: reason, Message: message}}
	if err := project.CheckText(q.query.Get("project")); err != nil {
		return reply{}, err
	}
	here, err := a.Engine.ProjectFor(q.Context(), engine.ProjectRequest{Override: a.Project, Dir: a.Dir, Lenient: true})
	if err != nil {
		return reply{}, err
	}
	name := a.canonical(q.Context(), cmp.Or(q.query.Get("project"), here.Name))
	if err := a.countDeferred(q.Context(), name, &s.Deferred, &s.Dead); err != nil {
		return reply{}, err
	}
	if a.Chunks == nil || name != a.canonical(q.Context(), here.Name) {
		return reply{body: s}, nil
	}
	remote, err := a.Chunks(q.Context(), name)
	if err != nil {
		return reply{}, err
	}
	st, err := a.Engine.RemoteStatus(q.Context(), remote, name)
	if engram.CodeOf(err) == engram.CodeForbidden { // the folder itself is a link: that is a state, and no fault of who asks
		st.Trouble, err = []engram.ImportNote{{Item: remote.Name(), Reason: messageOf(err)}}, nil
	}
	if err != nil {
		return reply{}, err
	}
	if st.Batches > 0 || len(st.Trouble) > 0 {
		s.tell(st)
	}
	return reply{body: s}, nil
}

// canonical is the name of the project that goes by a name; the name itself where none does.
func (a *API) canonical(ctx context.Context, name string) string {
	in, err := a.Engine.ProjectFor(ctx, engine.ProjectRequest{Explicit: name})
	if err != nil || name == "" {
		return name
	}
	return in.Name
}

// tell says how the chunks of a repository stand.
func (s *syncStatus) tell(st engine.RemoteStatus) {
	u := st.Unpushed
	s.Chunks = &syncChunks{st.Pulled, st.Batches, st.Pending, u.Sessions + u.Memories + u.Prompts + u.Relations + u.Erased}
	s.Enabled, s.Phase, s.Reason, s.Message = true, "healthy", "", ""
	switch {
	case len(st.Trouble) > 0:
		t := st.Trouble[0]
		s.Phase, s.Reason, s.LastError = "degraded", "transport_failed", t.Item+": "+t.Reason
		s.Message = fmt.Sprintf("chunks of the repository that cannot be used: %d", len(st.Trouble))
	case s.Chunks.Pending > 0 || s.Chunks.Unpushed > 0:
		s.Phase = "pending"
		s.Message = fmt.Sprintf("%d chunks to import, %d things to export", s.Chunks.Pending, s.Chunks.Unpushed)
	}
}
