package document

import "github.com/alanbuscaglia/engram"

// Draft is a memory that is to be saved: what POST /memories takes, and `engram ingest`
// reads. Content is required.
type Draft struct {
	Title      string         `json:"title"` // "" takes the first words of the content
	Content    string         `json:"content"`
	Type       engram.Type    `json:"type"`    // "" is manual
	Scope      string         `json:"scope"`   // "" is project
	Project    string         `json:"project"` // "" is that of the folder, over HTTP that of the session
	TopicKey   string         `json:"topic_key"`
	SessionID  string         `json:"session_id"`
	ToolName   string         `json:"tool_name"`
	Tags       []string       `json:"tags"`
	Metadata   map[string]any `json:"metadata"`
	Importance *float64       `json:"importance"` // 0 to 1; absent is 0.5
	Permanent  bool           `json:"permanent"`
	Related    []string       `json:"related"` // memories it relates to: numbers, ids or topic:KEY
}
