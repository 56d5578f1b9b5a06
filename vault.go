package engram

import (
	"context"
	"encoding"
	"encoding/hex"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"
)

// Vault is a folder in which memories stand as notes: text files that people read and edit,
// one a memory, and some that lead to them. What in it Engram did not write is not touched.
type Vault interface {
	// Begin reads what was written into the folder before, and how it stands now. Errors
	// are CodeInvalid for a folder that cannot be a vault, CodeConflict for a list of what was
	// written of a newer version, CodeUnavailable where the disk refuses. Such a list that
	// cannot be read is made anew, and remarked upon.
	Begin(ctx context.Context, how VaultMode) (VaultNotes, error)
}

// VaultMode says what may be done with a vault.
type VaultMode struct {
	DryRun bool // nothing is written, though it is said what would be
	// Force writes notes that were edited or deleted in the vault, too; what was edited is
	// kept in a file beside.
	Force bool
}

// VaultNotes are the notes of a vault at work. They belong to one goroutine.
type VaultNotes interface {
	// Known lists the memories that have a note here, in the order of their IDs.
	Known() []ID
	// Named lists the memories that notes here name, in the order of their IDs: those of
	// Known, and those whose notes came by another way.
	Named() []ID
	// Replicated reads the note of a memory as what carries it to a store that does not have
	// it; told is false for a note that is not there or cannot be read.
	Replicated(id ID) (c ReplicatedNote, told bool, err error)
	// Place settles what the note of a memory is called: every memory whose note will be
	// put, or linked to, needs its place first.
	Place(p NotePlace)
	// Put writes the note of a memory where it is new or says something else.
	Put(n VaultNote) (NoteDone, error)
	// Remove takes the note of a memory away, which was forgotten.
	Remove(id ID) (NoteDone, error)
	// PutHubs writes the notes that lead to others, and takes those of the projects away
	// that are not among them any more; a project of "" in the list is one like others.
	PutHubs(hubs []Hub, projects []string) (HubsDone, error)
	// Dress sets up how the program that shows the vault draws its graph, where that is wanted.
	Dress() error
	// Edits are the notes that people edited, wrote or deleted since they were written.
	// Nothing else may be done with the notes before it ends but Settle and SetAside.
	Edits(ctx context.Context) iter.Seq2[NoteEdit, error]
	// Settle says that a memory has all that an edit says: the note stays as it is until
	// the memory says something else.
	Settle(e NoteEdit, id ID, base NoteDigest) error
	// SetAside renames a note that cannot be taken in, so that the next Put writes it anew,
	// and returns the name it has now.
	SetAside(e NoteEdit) (string, error)
	// Drop says that the note of a deleted memory need not be missed any more.
	Drop(e NoteEdit)
	// Remarks are what of the vault was passed over so far, in the order in which it was found:
	// what Engram may not follow, or cannot read, and is no note of a memory.
	Remarks() []NoteRemark
	// End keeps what was written, for the next time, and must be called.
	End() error
}

// NotePlace is what the name of a note comes from.
type NotePlace struct {
	ID      ID
	Project string
	Type    Type
	Title   string
}

// VaultNote is what the note of a memory says.
type VaultNote struct {
	Memory Memory
	Links  []NoteLink // in the order in which they are shown
	Hubs   []Hub      // that lead to it; their members do not matter
}

// NoteLink is a relation as the note of one of its memories shows it.
type NoteLink struct {
	Verb     Verb
	Outgoing bool // the memory of the note is the source
	Pending  bool // nobody has judged it yet
	ID       ID   // of the other memory
	Title    string
	Reason   string
}

// HubKind says what the memories of a hub have in common.
type HubKind string

// The kinds of hubs.
const (
	HubSession HubKind = "session"
	HubTopic   HubKind = "topic"   // the first part of their topic keys
	HubCluster HubKind = "cluster" // relations tie them all
)

// Hub is a note that leads to others.
type Hub struct {
	Kind    HubKind
	Key     string // names it among those of its kind, for ever
	Project string
	Title   string
	Text    string // what is said of it; may be ""
	Members []NotePlace
}

// Name is what a hub is called among all of a vault.
func (h Hub) Name() string { return string(h.Kind) + ":" + h.Key }

// NoteAct is what was done with a note.
type NoteAct string

// The acts.
const (
	NoteCreated NoteAct = "created"
	NoteUpdated NoteAct = "updated"
	NoteDeleted NoteAct = "deleted"
	NoteSkipped NoteAct = "skipped" // it says all this already
	NoteEdited  NoteAct = "edited"  // left alone: somebody edited it
	NoteMissing NoteAct = "missing" // left alone: somebody deleted it
)

// NoteDone is what was done with the note of a memory.
type NoteDone struct {
	Act   NoteAct
	Path  string // in the vault, with slashes
	Aside string // where what was edited is kept; "" when nothing was
}

// HubsDone is what was done with hubs.
type HubsDone struct {
	Standing int // how many there are now
	Written  int
	Deleted  int
	Edited   []string // paths of those that were left alone, because somebody edited them
	Aside    []string // where what was edited is kept, as of VaultMode.Force
}

// NoteEdit is what somebody did to a note.
type NoteEdit struct {
	Path    string
	Line    int        // of Flaw, from 1; 0 when it is not about one
	ID      ID         // "" when somebody wrote the note
	Project string     // of a new note: by its front matter, else by its folder
	Fields  NoteFields // what it says now
	// Base is what the note said when Engram wrote it; nil when that is not known.
	Base    *NoteDigest
	Deleted bool // somebody deleted it
	// Unended says that the line is gone which ends the memory: Fields may have the beginning
	// of its content alone.
	Unended bool
	Lacks   []string // fields that it does not tell: they stay as they are
	// Flaw is why it cannot be taken in: CodeInvalid, CodeUnavailable where the disk refuses,
	// CodeConflict for a merge that nobody finished; then Fields is what it says all the same.
	Flaw    error
	Ignored []string // what in it no edit can change, for a person
}

// NoteRemark tells what was passed over in a vault, and why.
type NoteRemark struct {
	Path   string // in the vault, with slashes
	Reason string // for a person
}

// ReplicatedNote is a note as what carries a memory from one store to another.
type ReplicatedNote struct {
	NoteEdit
	Edited bool   // somebody edited it since it was written; false where that is not known
	Memory Memory // as far as the note tells it; its times may be zero
	// Links are relations that the note shows, of memories that have a note here; those that
	// nobody judged are not among them.
	Links []NoteLink
}

// NoteFields is what the edit of a note can change of a memory.
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

// NoteFieldsOf is what a note says of m.
func NoteFieldsOf(m Memory) NoteFields {
	return NoteFields{Title: m.Title, Content: m.Content, Type: m.Type, Scope: m.Scope, TopicKey: m.TopicKey,
		Tags: m.Tags, Importance: m.Importance, Permanent: m.Permanent}
}

// NoteDigest is what each field of a note said, in the order of NoteFieldNames, as numbers
// that are compared.
type NoteDigest [8]uint32

// NoteFieldNames are the names of the fields of a note.
func NoteFieldNames() [8]string {
	return [8]string{"title", "content", "type", "scope", "topic", "tags", "importance", "permanent"}
}

// Digest is what the fields say. Tags are a set, and an importance has the six digits that
// a note shows.
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

// Differs names the fields in which two digests differ.
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
	var raw [4 * len(d)]byte
	for i, v := range d {
		raw[4*i], raw[4*i+1], raw[4*i+2], raw[4*i+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
	}
	return hex.AppendEncode(nil, raw[:]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler; what MarshalText did not write is
// CodeInvalid.
func (d *NoteDigest) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != 4*len(d) {
		return Errorf(CodeInvalid, "%q is no digest of a note", text)
	}
	for i := range d {
		d[i] = uint32(raw[4*i])<<24 | uint32(raw[4*i+1])<<16 | uint32(raw[4*i+2])<<8 | uint32(raw[4*i+3])
	}
	return nil
}

var (
	_ encoding.TextMarshaler   = NoteDigest{}
	_ encoding.TextUnmarshaler = (*NoteDigest)(nil)
)
