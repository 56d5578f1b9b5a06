package engram

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ID names a memory for ever and everywhere: "mem_" and 26 lower-case characters
// of Crockford base 32 (a ULID), sortable by the time it was made.
type ID string

// IDPrefix opens every memory ID.
const IDPrefix = "mem_"

// Limits of what one memory may hold, in bytes. Longer text is refused, never cut.
const (
	MaxTitle    = 4 << 10
	MaxContent  = 1 << 20
	MaxTopicKey = 120
	MaxTag      = 100
	MaxTags     = 64
	MaxMetadata = 64 << 10 // of its JSON
	MaxName     = 200      // project and type names, session ids
)

// Scope says for whom a memory is.
type Scope string

// The scopes. Any other spelling means ScopeProject.
const (
	ScopeProject  Scope = "project"  // whoever works on the project
	ScopePersonal Scope = "personal" // its author, in every project
	ScopeGlobal   Scope = "global"   // everybody, in every project
)

// ParseScope reads a scope as agents write it. What it does not know, the empty
// string included, is ScopeProject.
func ParseScope(s string) Scope {
	switch Scope(strings.ToLower(strings.TrimSpace(s))) {
	case ScopePersonal:
		return ScopePersonal
	case ScopeGlobal:
		return ScopeGlobal
	}
	return ScopeProject
}

// Type says what kind of thing is remembered. The vocabulary is open; the known
// types carry rules (when a decision falls due for review) and show up in help.
type Type string

// The known types.
const (
	TypeDecision       Type = "decision"
	TypeArchitecture   Type = "architecture"
	TypeBugfix         Type = "bugfix"
	TypeDebug          Type = "debug"
	TypePattern        Type = "pattern"
	TypeConfig         Type = "config"
	TypeDiscovery      Type = "discovery"
	TypeLearning       Type = "learning"
	TypePreference     Type = "preference"
	TypePolicy         Type = "policy"
	TypeFact           Type = "fact"
	TypeInsight        Type = "insight"
	TypeEntity         Type = "entity"
	TypeReflex         Type = "reflex"
	TypeEpisode        Type = "episode"
	TypeSessionSummary Type = "session_summary"
	TypePassive        Type = "passive"
	TypeManual         Type = "manual" // the default: saved without saying what it is
)

// KnownTypes lists the known types in the order help shows them.
func KnownTypes() []Type {
	return []Type{TypeDecision, TypeArchitecture, TypeBugfix, TypeDebug, TypePattern, TypeConfig, TypeDiscovery,
		TypeLearning, TypePreference, TypePolicy, TypeFact, TypeInsight, TypeEntity, TypeReflex, TypeEpisode,
		TypeSessionSummary, TypePassive, TypeManual}
}

// Origin says where a memory came from. What may be shown to an agent unasked
// depends on it.
type Origin string

// The origins.
const (
	OriginHuman  Origin = "human"  // typed by the person
	OriginAgent  Origin = "agent"  // saved by an agent by its own judgement
	OriginTool   Origin = "tool"   // taken from a tool's or a model's output
	OriginImport Origin = "import" // read from a file or another system
	OriginSync   Origin = "sync"   // received from a replica
)

// DefaultImportance is the importance of a memory nobody rated.
const DefaultImportance = 0.5

// Memory is the one record: something worth knowing in a later session.
//
// Times are UTC with millisecond resolution; the zero time means "never" or "not
// set". A Memory is a value: whoever holds one may change it without anybody noticing.
type Memory struct {
	ID     ID     // set once
	Num    int64  // per database, from 1, never used twice; what the mem_* dialect shows
	SyncID string // "obs-" and 16 hex digits; how git chunks and older programs name it

	Project   string // normalised; "" for a memory of no project
	Scope     Scope
	Type      Type
	Title     string // one line, never empty
	Content   string // up to MaxContent bytes, kept to the byte
	Summary   string // short form of a long content; "" when content is short. See OwnSummary
	Tags      []string
	Metadata  map[string]any // free JSON object; nil when there is none
	TopicKey  string         // "family/description"; "" for none; unique among live memories of a project and scope
	Anchors   []Anchor       // the code that it speaks of, as CleanAnchors gives them; nil for none
	SessionID string         // the session it was saved in
	ToolName  string         // the tool that reported it; "" for none
	Origin    Origin

	Importance     float64   // 0 to 1
	Strength       float64   // 0 to 1, as it was at TouchedAt; what it is now is lifecycle's answer
	TouchedAt      time.Time // when Strength was last true
	Permanent      bool      // does not fade
	AccessCount    int
	LastAccessedAt time.Time

	CreatedAt      time.Time
	UpdatedAt      time.Time
	ReviewAfter    time.Time // when somebody should check that it still holds
	ValidFrom      time.Time
	ValidTo        time.Time
	RevisionCount  int // 1 at first, one more for each change of what it says
	DuplicateCount int // 1 at first, one more for each exact repeat
	LastSeenAt     time.Time
	DeletedAt      time.Time // when it was forgotten

	// NormalizedHash is the SHA-256 (lower-case hex) of the content in lower case,
	// words joined by one space: how an exact repeat is recognised.
	NormalizedHash string
}

// Forgotten reports whether the memory was softly deleted.
func (m Memory) Forgotten() bool { return !m.DeletedAt.IsZero() }

// OwnSummary is the summary where it is worth what the content is. Beside what a person typed it
// may have come from anywhere, for replicas merge it by itself; there it is "".
func (m Memory) OwnSummary() string {
	if m.Origin == OriginHuman {
		return ""
	}
	return m.Summary
}

// Validate says what is wrong with m as a record, as an *Error of CodeInvalid.
// It does not look at ID, Num or the times.
func (m Memory) Validate() error {
	// The content first: without one, nobody could make a title of it.
	if strings.TrimSpace(m.Content) == "" {
		return Errorf(CodeInvalid, "content is empty").WithHint("say what is to be remembered")
	}
	if strings.TrimSpace(m.Title) == "" {
		return Errorf(CodeInvalid, "title is empty").WithHint("give a short, searchable title")
	}
	for _, f := range []struct {
		name, text string
		max        int
	}{
		{"title", m.Title, MaxTitle}, {"content", m.Content, MaxContent}, {"summary", m.Summary, MaxContent},
		{"topic key", m.TopicKey, MaxTopicKey}, {"project", m.Project, MaxName}, {"type", string(m.Type), MaxName},
		{"session id", m.SessionID, MaxName}, {"tool name", m.ToolName, MaxName},
	} {
		if err := CheckText(f.name, f.text, f.max); err != nil {
			return err
		}
	}
	if len(m.Anchors) > MaxAnchors {
		return Errorf(CodeInvalid, "%d anchors are too many", len(m.Anchors)).WithHint("at most %d", MaxAnchors)
	}
	if len(m.Tags) > MaxTags {
		return Errorf(CodeInvalid, "%d tags are too many", len(m.Tags)).WithHint("at most %d", MaxTags)
	}
	for _, t := range m.Tags {
		if strings.TrimSpace(t) == "" {
			return Errorf(CodeInvalid, "a tag is empty")
		}
		if err := CheckText("tag", t, MaxTag); err != nil {
			return err
		}
	}
	// Written as a negation so that NaN is refused too.
	if !(m.Importance >= 0 && m.Importance <= 1) {
		return Errorf(CodeInvalid, "importance %v is out of range", m.Importance).WithHint("from 0 to 1")
	}
	return nil
}

// CheckText returns an *Error of CodeInvalid when text, called name in the
// message, is longer than maxBytes, is not valid UTF-8 or holds a NUL byte.
func CheckText(name, text string, maxBytes int) error {
	if len(text) > maxBytes {
		hint := "shorten it"
		if maxBytes >= MaxContent {
			hint = "split it into several memories, or keep the essence"
		}
		return Errorf(CodeInvalid, "%s has %d bytes, the limit is %d", name, len(text), maxBytes).WithHint("%s", hint)
	}
	if !utf8.ValidString(text) {
		return Errorf(CodeInvalid, "%s is not valid UTF-8", name).WithHint("convert the text to UTF-8 first")
	}
	if strings.IndexByte(text, 0) >= 0 {
		return Errorf(CodeInvalid, "%s contains a NUL byte", name).WithHint("binary data cannot be remembered")
	}
	return nil
}

// Revision is what a memory said before a change. No write loses text except an
// erase that was asked for: whatever content or title is replaced stays as one.
type Revision struct {
	Memory     int64        // Num of the memory
	Number     int          // the RevisionCount the memory had while it said this, from 1
	Type       Type         // as it was
	Title      string       // as it was
	Content    string       // as it was
	WrittenAt  time.Time    // when this text became current
	ReplacedAt time.Time    // when it ceased to be
	Reason     string       // why it was replaced: "topic key", "update", …
	Stamp      VersionStamp // the write that this text comes from; zero when that is not known
}

// Version is what a memory said for a while.
type Version struct {
	Number     int // the RevisionCount it had meanwhile, from 1, rising, not without gaps
	Type       Type
	Title      string
	Content    string
	WrittenAt  time.Time
	ReplacedAt time.Time // zero for what it says now
	Reason     string    // why it was replaced; "" for what it says now
}

// History is a memory with all that it ever said.
type History struct {
	Memory   Memory    // as it is now, forgotten or not
	Versions []Version // oldest first; the last is what it says now
	Flagged  []string  // why it reads like an order to an agent, in words; nil: it does not, or was approved
}

// NewHistory joins a memory and its revisions, oldest first.
func NewHistory(m Memory, revisions []Revision) History {
	h := History{Memory: m}
	now := Version{Number: m.RevisionCount, Type: m.Type, Title: m.Title, Content: m.Content, WrittenAt: m.CreatedAt}
	for _, r := range revisions {
		h.Versions = append(h.Versions, Version{r.Number, r.Type, r.Title, r.Content, r.WrittenAt, r.ReplacedAt, r.Reason})
		now.WrittenAt = r.ReplacedAt
	}
	h.Versions = append(h.Versions, now)
	return h
}

// Version returns the version with a number; not_found when there is none. 0 is what the
// memory says now, -1 what it said before that, and so on.
func (h History) Version(number int) (Version, error) {
	i := slices.IndexFunc(h.Versions, func(v Version) bool { return v.Number == number })
	if number <= 0 {
		i = len(h.Versions) - 1 + number
	}
	if i < 0 {
		return Version{}, Errorf(CodeNotFound, "memory #%d has no version %d", h.Memory.Num, number).
			WithHint("{history %d} shows which there are", h.Memory.Num)
	}
	return h.Versions[i], nil
}

// TrustMark says what is known of a text of a memory. Marks are of this store alone: what one
// person let in, nobody else did.
type TrustMark string

// The marks.
const (
	// TrustFlagged is on a memory that nobody typed and that reads like an order to an agent:
	// it is not told unasked, and waits for a person.
	TrustFlagged TrustMark = "suspect"
	// TrustApproved is on a text that a person read and let be told. Another text of the
	// same memory is not approved by it.
	TrustApproved TrustMark = "approved"
	// TrustSecret is on a secret that a person meant to keep.
	TrustSecret TrustMark = "secret"
	// TrustSnoozed is on a memory that a person put off: until At it waits for nobody, even if its
	// code changes. It holds as long as At is the memory's ReviewAfter.
	TrustSnoozed TrustMark = "snoozed"
)

// Trust is one mark.
type Trust struct {
	Memory int64 // Num
	Mark   TrustMark
	Text   string // digest of what it is about, never the text itself; "" of TrustFlagged and TrustSnoozed, which are on the memory
	// Reasons are the codes of package suspicion by which a memory is suspect, each once;
	// nil for the other marks.
	Reasons []string
	At      time.Time
}

// TraceKind is what kind of place holds a copy.
type TraceKind string

// The kinds.
const (
	TraceBackup TraceKind = "backup" // a copy of the database
	TraceChunk  TraceKind = "chunk"  // a file that is shared through git
	TraceMemory TraceKind = "memory" // a memory into which the text was merged
	// TraceLog is the database's own log, which somebody who reads the database keeps from
	// being emptied. It goes when they leave.
	TraceLog TraceKind = "log"
)

// Trace is a copy of a text that erasing the text does not reach.
type Trace struct {
	Kind  TraceKind
	Where string // its path; of a memory its number: #12
}

// Source is what another program keeps, opened to be read: it is never written, nor is
// anything left beside it. It is used by one goroutine, and the caller closes it.
type Source interface {
	// Read reads the head, and gives the records as they are read, once: what they hold was
	// not looked at, and may be anything. Each has a name that is the same whenever it is
	// read, so that reading twice brings in nothing twice. The last pair carries the error
	// that ended it: CodeInvalid for what is no such store or is damaged, CodeConflict for
	// one of a newer version, CodeUnavailable for one that is being written meanwhile.
	Read(ctx context.Context) (Snapshot, iter.Seq2[Record, error], error)
	// Notes are about what was left out or comes in otherwise than it stands there; they are
	// complete when the records have ended.
	Notes() []ImportNote
	// Close lets go of it, and removes what was copied in order to read it.
	Close() error
}

// SourceDated is the field of a memory's metadata by which a source says that the times
// of the memory are only those of the file in which it stands. Its value is "file".
const SourceDated = "source_dated"
