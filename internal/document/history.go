package document

import "github.com/alanbuscaglia/engram"

// History is a memory with all that it ever said.
type History struct {
	ID        engram.ID `json:"id"`
	Num       int64     `json:"num"`
	DeletedAt Stamp     `json:"deleted_at"`
	Versions  []Version `json:"versions"` // oldest first; the last is what it says now

	Origin engram.Origin `json:"origin"`
	// Suspect says why it reads like an order to an agent; absent where it does not, or was
	// approved.
	Suspect []string `json:"suspect,omitempty"`
}

// Version is what a memory said for a while.
type Version struct {
	Number     int         `json:"number"`
	Type       engram.Type `json:"type"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	WrittenAt  Stamp       `json:"written_at"`
	ReplacedAt Stamp       `json:"replaced_at"` // null for what it says now
	Reason     string      `json:"reason"`
}

// HistoryOf is the document of h.
func HistoryOf(h engram.History) History {
	return History{h.Memory.ID, h.Memory.Num, Stamp(h.Memory.DeletedAt), Each(h.Versions, VersionOf), h.Memory.Origin, h.Suspect}
}

// VersionOf is the document of v.
func VersionOf(v engram.Version) Version {
	return Version{v.Number, v.Type, v.Title, v.Content, Stamp(v.WrittenAt), Stamp(v.ReplacedAt), v.Reason}
}

// Diff is what changed from one version of a memory to another.
type Diff struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"` // [-gone-] and {+come+}; "" when they say the same
}
