package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Pending is something that came from another store and waits.
type Pending struct {
	Num     int64  `json:"num"`     // what sync accept and sync drop take
	Kind    string `json:"kind"`    // memory, session, prompt, relation or erased
	ID      string `json:"id"`      // of the thing
	SyncID  string `json:"sync_id"` // "" where it has none
	Project string `json:"project"`
	Title   string `json:"title"`   // of a memory; else what the thing says in short
	Content string `json:"content"` // of a memory, a prompt, or the summary of a session
	// More has every other text that would come in with it.
	More    []PendingText `json:"more"`
	Why     string        `json:"why"`    // missing, clock, review or proposal
	Reason  string        `json:"reason"` // for a person
	Chunk   string        `json:"chunk"`  // that it came with
	By      string        `json:"by"`     // who wrote that; "" when nobody said
	Source  string        `json:"source"` // by whom a proposal was written: claude-code, codex, opencode, git; else ""
	Place   string        `json:"place"`  // the session or the commit that it was found in; "" of none
	At      Timestamp     `json:"at"`     // when that was written; null of what is no proposal
	Tries   int           `json:"tries"`  // how often it was tried
	FirstAt Timestamp     `json:"first_at"`
	LastAt  Timestamp     `json:"last_at"`
}

// PendingOf is the document of d.
func PendingOf(d engram.Deferred) Pending {
	doc := Pending{More: moreOf(d.Record), Num: d.Num, Kind: string(d.Record.Entity()), Project: d.Project, Why: string(d.Why), Reason: d.Reason, Chunk: d.Batch, By: d.By,
		Tries: d.Tries, FirstAt: Timestamp(d.FirstAt), LastAt: Timestamp(d.LastAt)}
	if m := d.Record.Memory; d.Why == engram.DeferredProposal && m != nil {
		source, place, _ := strings.Cut(strings.TrimPrefix(d.Batch, "backfill:"), ":")
		doc.Source, doc.Place, doc.At = source, place, Timestamp(m.Memory.CreatedAt)
	}
	switch r := d.Record; {
	case r.Memory != nil && r.Tombstone:
		m := r.Memory.Memory
		doc.ID, doc.SyncID = string(m.ID), m.SyncID
		doc.Title = "memory " + cmp.Or(doc.ID, doc.SyncID) + " left project " + m.Project
	case r.Session != nil && r.Tombstone:
		doc.ID, doc.Title = r.Session.ID, "session "+r.Session.ID+" was deleted"
	case r.Memory != nil:
		m := r.Memory.Memory
		doc.ID, doc.SyncID, doc.Title, doc.Content = string(m.ID), m.SyncID, m.Title, m.Content
	case r.Session != nil:
		doc.ID, doc.Title, doc.Content = r.Session.ID, "session "+r.Session.ID, r.Session.Summary
	case r.Prompt != nil:
		doc.ID, doc.SyncID, doc.Content = r.Prompt.SyncID, r.Prompt.SyncID, r.Prompt.Content
	case r.Relation != nil:
		rel := r.Relation
		doc.ID, doc.SyncID, doc.Content = rel.Relation.ID, rel.Relation.ID, rel.Relation.Reason
		doc.Title = rel.Source.String() + " " + string(rel.Relation.Verb) + " " + rel.Target.String()
	case r.Erased != nil:
		doc.Kind, doc.ID, doc.SyncID = string(engram.EntityErased), r.Erased.ID, cmp.Or(r.Erased.SyncID, r.Erased.ID)
		doc.Title = string(r.Erased.Entity) + " " + r.Erased.ID + " was erased"
	}
	return doc
}

// deadTries is after how many tries the mem_* dialect calls it dead what refers to nothing
// that came. It is tried again all the same.
const deadTries = 5

// DeferredStatus is what the mem_* dialect calls the state of something that waits: deferred
// or dead.
func DeferredStatus(d engram.Deferred) string {
	if d.Why == engram.DeferredMissing && d.Tries >= deadTries {
		return "dead"
	}
	return "deferred"
}

// DeferredRow is something that waits as the mem_* dialect tells it.
type DeferredRow struct {
	Num           int64     `json:"num"`          // what sync accept and sync drop take
	SyncID        string    `json:"sync_id"`      // its id where it has no sync id
	Entity        string    `json:"entity"`       // memory, session, prompt, relation or erased
	Payload       Pending   `json:"payload"`      // what waits
	ApplyStatus   string    `json:"apply_status"` // deferred or dead
	RetryCount    int       `json:"retry_count"`  // how often it was tried
	LastError     string    `json:"last_error"`   // why it waits
	LastAttempted Timestamp `json:"last_attempted_at"`
	FirstSeen     Timestamp `json:"first_seen_at"`
}

// DeferredRowOf is the row of d.
func DeferredRowOf(d engram.Deferred) DeferredRow {
	doc := PendingOf(d)
	return DeferredRow{d.Num, cmp.Or(doc.SyncID, doc.ID), doc.Kind, doc, DeferredStatus(d), d.Tries, d.Reason, doc.LastAt, doc.FirstAt}
}

// PendingText is one more text of something that waits.
type PendingText struct {
	What string `json:"what"` // summary, tags, metadata, text 1 before, evidence and the like
	Text string `json:"text"`
}

// PendingTool is what the name of the tool is called that a memory was taken from.
const PendingTool = "tool name"

// moreOf are the texts that would come in with a record, but for its title and content:
// whoever takes it in is to have seen them all.
func moreOf(r engram.Record) []PendingText {
	more := []PendingText{}
	put := func(what, text string) {
		if text != "" {
			more = append(more, PendingText{what, text})
		}
	}
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		put("summary", m.Summary)
		put("topic", m.TopicKey)
		put(PendingTool, m.ToolName)
		put("tags", strings.Join(tagsOf(r), ", "))
		if len(m.Metadata) > 0 {
			b, _ := json.Marshal(m.Metadata) // it came out of JSON
			put("metadata", string(b))
		}
		for _, a := range m.Anchors {
			put("anchor", a.Repository+" "+a.Path)
		}
		for i, rev := range r.Memory.Revisions {
			put(fmt.Sprintf("text %d before", i+1), strings.TrimSpace(rev.Title+"\n"+rev.Content))
		}
	case r.Session != nil:
		put("folder", r.Session.Directory)
	case r.Relation != nil:
		rel := r.Relation.Relation
		put("evidence", rel.Evidence)
		put("by", strings.TrimSpace(rel.Actor+" "+rel.ActorKind+" "+rel.Model))
	}
	return more
}

// tagsOf are the tags of a memory, with those that only its lineage has.
func tagsOf(r engram.Record) []string {
	all := slices.Clone(r.Memory.Memory.Tags)
	if r.Causal != nil {
		all = append(all, slices.Collect(maps.Keys(r.Causal.Sets))...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Imported is what an import did.
type Imported struct {
	Format    string       `json:"format"`   // what the file was found to be: json, mem, graph, or the system that migrate names
	Project   string       `json:"project"`  // the one that it was taken from; "" for every one, or when it does not say
	Mode      string       `json:"mode"`     // merge or replace
	DryRun    bool         `json:"dry_run"`  // nothing was changed
	Op        int64        `json:"op"`       // what undo takes back; 0 when nothing was changed
	Backup    string       `json:"backup"`   // the copy of the database from before; "" when none was made
	Projects  Tally        `json:"projects"` // what became of those in the file, as in all that follows
	Sessions  Tally        `json:"sessions"`
	Prompts   Tally        `json:"prompts"`
	Memories  Tally        `json:"memories"` // also of what could not be read and stands in no list of these
	Relations Tally        `json:"relations"`
	Erased    Tally        `json:"erased"`    // things that were erased elsewhere
	Forgets   []Forgets    `json:"forgets"`   // of a replacement: how many memories of which projects
	Elsewhere int          `json:"elsewhere"` // things of the file that were passed over: of other projects than the one that is replaced
	Pending   int          `json:"waiting"`   // memories that were written and wait for a person: they read like orders to an agent
	Rejected  []ImportNote `json:"rejected"`  // the first thousand
	Notes     []ImportNote `json:"notes"`     // of what came in otherwise than it stood there; the first thousand
}

// Forgets is how many memories of a project a replacement forgets.
type Forgets struct {
	Project  string `json:"project"`
	Memories int    `json:"memories"`
}

// Tally counts the things of one kind in a file by what became of them.
type Tally struct {
	Added     int `json:"added"`     // were not here
	Changed   int `json:"changed"`   // were here otherwise
	Unchanged int `json:"unchanged"` // were here as they are in the file, or later
	Forgotten int `json:"forgotten"` // of these, were forgotten or deleted here since, and stay so
	Rejected  int `json:"rejected"`  // did not come in
	Removed   int `json:"gone"`      // were not in a file that replaced what there was, and are forgotten
}

// ImportNote is about one item of a file.
type ImportNote struct {
	Item   string `json:"item"` // where it stands: memories[12], counted from 0
	ID     string `json:"id"`   // "" when it has none
	Reason string `json:"reason"`
}

// ImportNoteOf returns the document of n.
func ImportNoteOf(n engram.ImportNote) ImportNote { return ImportNote{n.Item, n.Name, n.Reason} }

// ImportedOf is the document of i.
func ImportedOf(i engram.Imported, dryRun bool) Imported {
	tally := func(t engram.ImportTally) Tally { return Tally(t) }
	return Imported{Format: i.From.Format, Project: i.From.Project, Mode: string(i.Mode), DryRun: dryRun, Op: i.Op, Backup: i.Backup,
		Projects: tally(i.Projects), Sessions: tally(i.Sessions), Prompts: tally(i.Prompts), Memories: tally(i.Memories),
		Relations: tally(i.Relations), Erased: tally(i.Erased), Forgets: Each(i.Forgets, func(f engram.ProjectMemories) Forgets { return Forgets(f) }),
		Elsewhere: i.Elsewhere, Pending: i.Pending, Rejected: Each(i.Rejected, ImportNoteOf), Notes: Each(i.Notes, ImportNoteOf)}
}
