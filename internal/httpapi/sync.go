package httpapi

// syncStatus is how replication with a server stands. There is none to replicate with:
// phase and reason say so in the words that older clients know.
type syncStatus struct {
	Enabled   bool        `json:"enabled"`
	Phase     string      `json:"phase"`
	LastError string      `json:"last_error"`
	Failures  int         `json:"consecutive_failures"`
	Backoff   *clock      `json:"backoff_until"` // null: nothing waits
	LastSync  *clock      `json:"last_sync_at"`  // null: never
	Reason    string      `json:"reason_code"`
	Message   string      `json:"reason_message"`
	Deferred  int         `json:"deferred_count"`
	Dead      int         `json:"dead_count"`
	Upgrade   syncUpgrade `json:"upgrade"`
}

// syncUpgrade is how far a move to a server has come.
type syncUpgrade struct {
	Stage   string `json:"stage"`
	Reason  string `json:"reason_code"`
	Message string `json:"reason_message"`
}

func (a *API) syncStatus(request) (reply, error) {
	const reason, message = "cloud_not_configured", "no server to replicate with is configured"
	return reply{body: syncStatus{Phase: "disabled", Reason: reason, Message: message,
		Upgrade: syncUpgrade{Stage: "none", Reason: reason, Message: message}}}, nil
}
