package engram

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ID is the permanent, global name of a memory: "mem_" and 26 lower-case characters of Crockford base 32 (a
// ULID), sortable by creation time.
type ID string

// IDPrefix opens every memory ID.
const IDPrefix = "mem_"

// Limits of one memory in bytes. Longer text is rejected, never cut.
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
	ScopeProject  Scope = "project"  // everyone who works on the project
	ScopePersonal Scope = "personal" // its author, in every project
	ScopeGlobal   Scope = "global"   // everyone, in every project
)

// ParseScope reads a scope as agents write it. Unknown ones, the empty string included, are ScopeProject.
func ParseScope(s string) Scope {
	switch Scope(strings.ToLower(strings.TrimSpace(s))) {
	case ScopePersonal:
		return ScopePersonal
	case ScopeGlobal:
		return ScopeGlobal
	}
	return ScopeProject
}

// Type is the kind of a memory. The vocabulary is open; the known types have rules (when a decision is due for
// review) and appear in help.
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
	TypeManual         Type = "manual" // the default: saved without a type
)

// KnownTypes lists the known types in the order help shows them.
func KnownTypes() []Type {
	return []Type{TypeDecision, TypeArchitecture, TypeBugfix, TypeDebug, TypePattern, TypeConfig, TypeDiscovery,
		TypeLearning, TypePreference, TypePolicy, TypeFact, TypeInsight, TypeEntity, TypeReflex, TypeEpisode,
		TypeSessionSummary, TypePassive, TypeManual}
}

// Origin says where a memory came from. What may be injected into an agent's context depends on it.
type Origin string

// The origins.
const (
	OriginHuman  Origin = "human"  // typed by the person
	OriginAgent  Origin = "agent"  // saved by an agent on its own judgement
	OriginTool   Origin = "tool"   // taken from a tool's or a model's output
	OriginImport Origin = "import" // read from a file or another system
	OriginSync   Origin = "sync"   // received from a replica
)

// DefaultImportance is the importance of an unrated memory.
const DefaultImportance = 0.5

// Memory is the one record: something worth knowing in a later session.
//
// Times are UTC with millisecond resolution; the zero time means "never" or "not set". A Memory is a value: its
// holder may change it without affecting others.
//
// The tags are its field table (Field), in the order of native files. Fields without one are local to a store.
type Memory struct {
	ID     ID     `field:"id,nojournal,nopart"` // set once
	Num    int64  // per database, from 1, never reused; the id in the mem_* dialect
	SyncID string `field:"sync_id,nojournal,nopart"` // "obs-" and 16 hex digits; its name in git chunks and older programs

	Project   string         `field:"project"` // normalised; "" for a memory of no project
	Scope     Scope          `field:"scope"`
	Type      Type           `field:"type"`
	Title     string         `field:"title,nojournal,nopart"`   // one line, not empty
	Content   string         `field:"content,nojournal,nopart"` // up to MaxContent bytes, unchanged
	Summary   string         `field:"summary"`                  // short form of a long content, or ""; see OwnSummary
	Tags      []string       `field:"tags,nopart"`
	Metadata  map[string]any `field:"metadata"`   // free JSON object; nil for none
	Anchors   []Anchor       `field:"anchors"`    // the code it refers to, as CleanAnchors returns them; nil for none
	TopicKey  string         `field:"topic_key"`  // "family/description"; "" for none; unique among live memories of a project and scope
	SessionID string         `field:"session_id"` // the session it was saved in
	ToolName  string         `field:"tool_name"`  // the tool that reported it; "" for none
	Origin    Origin         `field:"origin,nopart"`

	Importance     float64   `field:"importance"`        // 0 to 1
	Strength       float64   `field:"strength,nopart"`   // 0 to 1, at TouchedAt; lifecycle computes the present value
	TouchedAt      time.Time `field:"touched_at,nopart"` // when Strength was computed
	Permanent      bool      `field:"permanent"`         // never fades
	AccessCount    int       `field:"access_count,nopart"`
	LastAccessedAt time.Time `field:"last_accessed_at,nopart"`

	CreatedAt      time.Time `field:"created_at,nojournal,nopart"`
	UpdatedAt      time.Time `field:"updated_at,nopart"`
	ReviewAfter    time.Time `field:"review_after"` // when to check that it still holds
	ValidFrom      time.Time `field:"valid_from"`
	ValidTo        time.Time `field:"valid_to"`
	RevisionCount  int       `field:"revision_count,nopart"`  // from 1, plus one for each change of its text
	DuplicateCount int       `field:"duplicate_count,nopart"` // from 1, plus one for each exact repeat
	LastSeenAt     time.Time `field:"last_seen_at,nopart"`
	DeletedAt      time.Time `field:"deleted_at,part=deleted"` // when forgotten

	// NormalizedHash is the SHA-256 (lower-case hex) of the content in lower case with single spaces, by which
	// exact repeats are recognised.
	NormalizedHash string
}

// Forgotten reports whether the memory was softly deleted.
func (m Memory) Forgotten() bool { return !m.DeletedAt.IsZero() }

// OwnSummary returns the summary where it is as trustworthy as the content, else "". Replicas merge summaries
// separately, so that of a memory typed by a person may come from anywhere.
func (m Memory) OwnSummary() string {
	if m.Origin == OriginHuman {
		return ""
	}
	return m.Summary
}

// Validate reports an invalid record as CodeInvalid. It does not check ID, Num and the times.
func (m Memory) Validate() error {
	// The content first, since titles are made from it.
	if strings.TrimSpace(m.Content) == "" {
		return Errorf(CodeInvalid, "content is empty").WithHint("say what is to be remembered")
	}
	if strings.TrimSpace(m.Title) == "" {
		return Errorf(CodeInvalid, "title is empty").WithHint("give a short, searchable title")
	}
	if err := checkTexts([]namedText{
		{"title", m.Title, MaxTitle}, {"content", m.Content, MaxContent}, {"summary", m.Summary, MaxContent},
		{"topic key", m.TopicKey, MaxTopicKey}, {"project", m.Project, MaxName}, {"type", string(m.Type), MaxName},
		{"session id", m.SessionID, MaxName}, {"tool name", m.ToolName, MaxName},
	}); err != nil {
		return err
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
	// A negation, so that NaN is rejected too.
	if !(m.Importance >= 0 && m.Importance <= 1) {
		return Errorf(CodeInvalid, "importance %v is out of range", m.Importance).WithHint("use a number from 0 to 1")
	}
	return nil
}

// CheckText returns a CodeInvalid error, calling the text name, when it is longer than maxBytes, not valid
// UTF-8 or contains a NUL byte.
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

type namedText struct {
	name, text string
	max        int // bytes
}

func checkTexts(all []namedText) error {
	for _, t := range all {
		if err := CheckText(t.name, t.text, t.max); err != nil {
			return err
		}
	}
	return nil
}

// Revision is a memory's text before a change. Every replaced title or content is kept as one; only an erase
// loses text.
type Revision struct {
	Memory     int64        // Num of the memory
	Number     int          // the memory's RevisionCount with this text, from 1
	Type       Type         // as it was
	Title      string       // as it was
	Content    string       // as it was
	WrittenAt  time.Time    // when this text became current
	ReplacedAt time.Time    // when it was replaced
	Reason     string       // why it was replaced: "topic key", "update", …
	Stamp      VersionStamp // the write of this text; zero when unknown
}

// Version is one text of a memory.
type Version struct {
	Number     int // the RevisionCount with this text, from 1, rising, may have gaps
	Type       Type
	Title      string
	Content    string
	WrittenAt  time.Time
	ReplacedAt time.Time // zero for the current text
	Reason     string    // why it was replaced; "" for the current text
}

// History is a memory with all its texts.
type History struct {
	Memory   Memory    // as it is now, forgotten or not
	Versions []Version // oldest first; the last is current
	Flagged  []string  // why it is flagged as instruction-like, in words; nil: not flagged, or approved
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

// Version returns the version with a number: 0 is the current text, -1 the one before, and so on. It returns
// not_found for none.
func (h History) Version(number int) (Version, error) {
	i := slices.IndexFunc(h.Versions, func(v Version) bool { return v.Number == number })
	if number <= 0 {
		i = len(h.Versions) - 1 + number
	}
	if i < 0 {
		return Version{}, Errorf(CodeNotFound, "memory #%d has no version %d", h.Memory.Num, number).
			WithHint("{history %d} lists the versions", h.Memory.Num)
	}
	return h.Versions[i], nil
}

// TrustMark is a mark on a memory or a text of it. Marks are local to this store: one person's approval does
// not count for others.
type TrustMark string

// The marks.
const (
	// TrustFlagged is on a memory that no person typed and that is instruction-like: it is not injected until a
	// person approves it.
	TrustFlagged TrustMark = "suspect"
	// TrustApproved is on a text that a person approved for injection; it does not cover other texts of the
	// memory.
	TrustApproved TrustMark = "approved"
	// TrustSecret is on a secret that a person chose to keep.
	TrustSecret TrustMark = "secret"
	// TrustSnoozed is on a memory whose review a person postponed until At, even if its code changes. It is
	// valid while At equals the memory's ReviewAfter.
	TrustSnoozed TrustMark = "snoozed"
)

// Trust is one mark.
type Trust struct {
	Memory int64 // Num
	Mark   TrustMark
	Text   string // digest of the marked text; "" for TrustFlagged and TrustSnoozed, which mark the memory
	// Reasons are the codes of package suspicion for TrustFlagged, each once; nil for other marks.
	Reasons []string
	At      time.Time
}

// TraceKind is the kind of place that holds a copy.
type TraceKind string

// The kinds.
const (
	TraceBackup TraceKind = "backup" // a copy of the database
	TraceChunk  TraceKind = "chunk"  // a file that is shared through git
	TraceMemory TraceKind = "memory" // a memory into which the text was merged
	// TraceLog is the database's own log, which an active reader keeps from being emptied.
	TraceLog TraceKind = "log"
)

// Trace is a copy of a text that erasing does not reach.
type Trace struct {
	Kind  TraceKind
	Where string // its path, or the number of a memory: #12
}

// Source is another program's store, opened read-only: nothing is written to it or left beside it. It is used
// by one goroutine, and the caller closes it.
type Source interface {
	// Read reads the head, and yields the records once, as they are read and unchecked. Each has a stable name,
	// so that importing twice adds nothing twice. The last pair carries the error that ended it: CodeInvalid
	// for another kind of store or a damaged one, CodeConflict for a newer version, CodeUnavailable for one
	// that is being written.
	Read(ctx context.Context) (Snapshot, iter.Seq2[Record, error], error)
	// Notes reports what was left out or changed on the way; complete when the records have ended.
	Notes() []ImportNote
	// Close closes the source and removes temporary copies.
	Close() error
}

// SourceDated is the metadata field by which a source says that a memory's times are only those of its file.
// Its value is "file".
const SourceDated = "source_dated"
