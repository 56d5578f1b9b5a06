package document

import "github.com/alanbuscaglia/engram"

// Raised is a memory that one saved now may contradict, as the mem_* dialect shows it over
// MCP and over HTTP. CandidateOf has the same in the words of the newer routes.
type Raised struct {
	ID         int64       `json:"id"`
	SyncID     string      `json:"sync_id"`
	Title      string      `json:"title"`
	Type       engram.Type `json:"type"`
	Score      float64     `json:"score"`       // 0 to 1
	JudgmentID string      `json:"judgment_id"` // rel-…, what a verdict is recorded under
	TopicKey   string      `json:"topic_key,omitempty"`
	Reason     string      `json:"reason"` // in what they differ
}

// RaisedOf is the document of the candidate m of the pending relation r.
func RaisedOf(m engram.Memory, r engram.Relation, score float64, reason string) Raised {
	return Raised{m.Num, m.SyncID, m.Title, m.Type, score, r.ID, m.TopicKey, reason}
}
