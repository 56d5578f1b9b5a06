package engram

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"
)

// Vault is a folder of memories as notes: text files that people read and edit, one a memory, and hubs that
// link to them. Files that Engram did not write are not touched.
type Vault interface {
	// Begin reads what was written into the folder before, and its present state. Errors are CodeInvalid for a
	// folder that cannot be a vault, CodeConflict for an index of a newer version, CodeUnavailable for disk
	// errors. An unreadable index is rebuilt, with a remark.
	Begin(ctx context.Context, how VaultMode) (VaultNotes, error)
}

// VaultMode says what may be done with a vault.
type VaultMode struct {
	DryRun bool // write nothing, but report what would be written
	// Force also overwrites notes that were edited or deleted in the vault; edits are kept in a separate file.
	Force bool
}

// VaultNotes is access to the notes of a vault. It is used by one goroutine.
type VaultNotes interface {
	// Known lists the memories that have a note here, by ID.
	Known() []ID
	// Named lists the memories that notes here name, by ID: Known ones, and those whose notes arrived in
	// another way.
	Named() []ID
	// Replicated reads the note of a memory for import into another store; ok is false for a missing or
	// unreadable note.
	Replicated(id ID) (c ReplicatedNote, ok bool, err error)
	// Place decides the name of a memory's note. Call it first for every memory whose note is put or linked to.
	Place(p NotePlace)
	// Put writes the note of a memory if it is new or changed.
	Put(n VaultNote) (NoteDone, error)
	// Remove removes the note of a forgotten memory.
	Remove(id ID) (NoteDone, error)
	// PutHubs writes hubs, and removes those of the listed projects that are not among them; "" is a project
	// like others.
	PutHubs(hubs []Hub, projects []string) (HubsDone, error)
	// Dress configures the graph view of the vault's program, if wanted.
	Dress() error
	// Edits yields the notes that people edited, wrote or deleted since the last write. Until it ends only
	// Settle and SetAside may be called.
	Edits(ctx context.Context) iter.Seq2[NoteEdit, error]
	// Settle records that a memory contains an edit, so that the note stays until the memory changes.
	Settle(e NoteEdit, id ID, base NoteDigest) error
	// SetAside renames a note that cannot be imported, so that the next Put writes it again, and returns its
	// new name.
	SetAside(e NoteEdit) (string, error)
	// Drop records that the note of a deleted memory is no longer expected.
	Drop(e NoteEdit)
	// Remarks returns what was skipped so far, in order: what Engram may not follow or cannot read, and what is
	// not a note of a memory.
	Remarks() []NoteRemark
	// End saves the state for the next time, and must be called.
	End() error
}

// NotePlace determines the name of a note.
type NotePlace struct {
	ID      ID
	Project string
	Type    Type
	Title   string
}

// VaultNote is the content of a memory's note.
type VaultNote struct {
	Memory Memory
	Links  []NoteLink // in display order
	Hubs   []Hub      // that link to it; their members are unused
}

// NoteLink is a relation as shown in the note of one of its memories.
type NoteLink struct {
	Verb     Verb
	Outgoing bool // the memory of the note is the source
	Pending  bool // without a verdict
	ID       ID   // of the other memory
	Title    string
	Reason   string
}

// HubKind is what the memories of a hub share.
type HubKind string

// The kinds of hubs.
const (
	HubSession HubKind = "session"
	HubTopic   HubKind = "topic"   // the first part of the topic key
	HubCluster HubKind = "cluster" // connected by relations
)

// Hub is a note that links to others.
type Hub struct {
	Kind    HubKind
	Key     string // unique among its kind, permanent
	Project string
	Title   string
	Text    string // its description; may be ""
	Members []NotePlace
}

// Name is unique among all hubs of a vault.
func (h Hub) Name() string { return string(h.Kind) + ":" + h.Key }

// NoteAct is what was done with a note.
type NoteAct string

// The acts.
const (
	NoteCreated NoteAct = "created"
	NoteUpdated NoteAct = "updated"
	NoteDeleted NoteAct = "deleted"
	NoteSkipped NoteAct = "skipped" // unchanged
	NoteEdited  NoteAct = "edited"  // left alone: a person edited it
	NoteMissing NoteAct = "missing" // left alone: a person deleted it
)

// NoteDone is the outcome for the note of a memory.
type NoteDone struct {
	Act   NoteAct
	Path  string // in the vault, with slashes
	Aside string // where an edit is kept; "" for none
}

// HubsDone is the outcome for hubs.
type HubsDone struct {
	Standing int // how many there are now
	Written  int
	Deleted  int
	Edited   []string // paths of those left alone because a person edited them
	Aside    []string // where edits are kept, for VaultMode.Force
}

// NoteEdit is a person's change of a note.
type NoteEdit struct {
	Path    string
	Line    int         // of Flaw, from 1; 0 for none
	ID      ID          // "" for a note that a person wrote
	Project string      // of a new note: by its front matter, else by its folder
	Fields  NoteFields  // its present content
	Base    *NoteDigest // the note as Engram wrote it; nil when unknown
	Deleted bool        // a person deleted it
	// Unended says that the line that ends the memory is missing: Fields may have only the beginning of its
	// content.
	Unended bool
	Lacks   []string // fields it does not have: they stay unchanged
	// Flaw is why it cannot be imported: CodeInvalid, CodeUnavailable for disk errors, CodeConflict for an
	// unfinished merge; then Fields is still its content.
	Flaw    error
	Ignored []string // changes that cannot be imported, for a person
}

// NoteRemark says what was skipped in a vault, and why.
type NoteRemark struct {
	Path   string // in the vault, with slashes
	Reason string // for a person
}

// ReplicatedNote is a note as the source of a memory for another store.
type ReplicatedNote struct {
	NoteEdit
	Edited bool   // a person edited it since it was written; false when unknown
	Memory Memory // as far as the note has it; its times may be zero
	// Links are the relations with a verdict that the note shows, to memories that have a note here.
	Links []NoteLink
}

// NoteFields are the fields of a memory that an edit of its note can change.
type NoteFields struct {
	Title      string
	Content    string
	Type       Type
	Scope      Scope
	TopicKey   string
	Tags       []string
	Importance float64
	Permanent  bool
}

// NoteFieldsOf returns the fields of m.
func NoteFieldsOf(m Memory) NoteFields {
	return NoteFields{Title: m.Title, Content: m.Content, Type: m.Type, Scope: m.Scope, TopicKey: m.TopicKey,
		Tags: m.Tags, Importance: m.Importance, Permanent: m.Permanent}
}

// NoteDigest has a number for each field of a note, in the order of NoteFieldNames, for comparison.
type NoteDigest [8]uint32

// NoteFieldNames returns the names of the fields of a note.
func NoteFieldNames() [8]string {
	return [8]string{"title", "content", "type", "scope", "topic", "tags", "importance", "permanent"}
}

// Digest returns the digest of the fields. Tags are a set, and an importance has the six digits that a note
// shows.
func (f NoteFields) Digest() NoteDigest {
	tags := slices.Sorted(slices.Values(f.Tags))
	permanent := ""
	if f.Permanent {
		permanent = "permanent"
	}
	var d NoteDigest
	for i, words := range [][]string{{f.Title}, {f.Content}, {string(f.Type)}, {string(f.Scope)}, {f.TopicKey}, tags,
		{strconv.FormatFloat(f.Importance, 'f', 6, 64)}, {permanent}} {
		h := fnv.New32a()
		for _, w := range words {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
		d[i] = h.Sum32()
	}
	return d
}

// Differs returns the names of the fields in which two digests differ.
func (d NoteDigest) Differs(o NoteDigest) []string {
	var names []string
	for i, name := range NoteFieldNames() {
		if d[i] != o[i] {
			names = append(names, name)
		}
	}
	return names
}

// MarshalText implements encoding.TextMarshaler: eight hex digits a field.
func (d NoteDigest) MarshalText() ([]byte, error) {
	var raw []byte
	for _, v := range d {
		raw = binary.BigEndian.AppendUint32(raw, v)
	}
	return hex.AppendEncode(nil, raw), nil
}

// UnmarshalText implements encoding.TextUnmarshaler; input not from MarshalText is CodeInvalid.
func (d *NoteDigest) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != 4*len(d) {
		return Errorf(CodeInvalid, "%q is not the digest of a note", text)
	}
	for i := range d {
		d[i] = binary.BigEndian.Uint32(raw[4*i:])
	}
	return nil
}
