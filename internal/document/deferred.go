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

// Pending is a record from another store, or a proposal, that is not applied yet.
type Pending struct {
	Num     int64  `json:"num"`     // number for sync accept and sync drop
	Kind    string `json:"kind"`    // memory, session, prompt, relation or erased
	ID      string `json:"id"`      // id of the record
	SyncID  string `json:"sync_id"` // "" if it has none
	Project string `json:"project"`
	Title   string `json:"title"`   // of a memory; else a summary of the record
	Content string `json:"content"` // of a memory, a prompt, or the summary of a session
	// More has every other text that would be imported with it.
	More    []PendingText `json:"more"`
	Why     string        `json:"why"`    // missing, clock, review or proposal
	Reason  string        `json:"reason"` // for a person
	Chunk   string        `json:"chunk"`  // chunk that contains it
	By      string        `json:"by"`     // author of the chunk; "" if unknown
	Source  string        `json:"source"` // source of a proposal: claude-code, codex, opencode, git; else ""
	Place   string        `json:"place"`  // session or commit of a proposal; else ""
	At      Timestamp     `json:"at"`     // when the source of a proposal was written; else null
	Tries   int           `json:"tries"`  // number of attempts to apply it
	FirstAt Timestamp     `json:"first_at"`
	LastAt  Timestamp     `json:"last_at"`
}

// PendingOf returns the document of d.
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

// deadTries is the number of attempts after which the mem_* dialect calls a missing reference dead. It is
// retried all the same.
const deadTries = 5

// DeferredStatus returns the status in the mem_* dialect: deferred or dead.
func DeferredStatus(d engram.Deferred) string {
	if d.Why == engram.DeferredMissing && d.Tries >= deadTries {
		return "dead"
	}
	return "deferred"
}

// DeferredRow is a pending item in the mem_* dialect.
type DeferredRow struct {
	Num           int64     `json:"num"`          // number for sync accept and sync drop
	SyncID        string    `json:"sync_id"`      // its id if it has no sync id
	Entity        string    `json:"entity"`       // memory, session, prompt, relation or erased
	Payload       Pending   `json:"payload"`      // the pending item
	ApplyStatus   string    `json:"apply_status"` // deferred or dead
	RetryCount    int       `json:"retry_count"`  // number of attempts to apply it
	LastError     string    `json:"last_error"`   // why it is pending
	LastAttempted Timestamp `json:"last_attempted_at"`
	FirstSeen     Timestamp `json:"first_seen_at"`
}

// DeferredRowOf returns the row of d.
func DeferredRowOf(d engram.Deferred) DeferredRow {
	doc := PendingOf(d)
	return DeferredRow{d.Num, cmp.Or(doc.SyncID, doc.ID), doc.Kind, doc, DeferredStatus(d), d.Tries, d.Reason, doc.LastAt, doc.FirstAt}
}

// PendingText is one more text of a pending item.
type PendingText struct {
	What string `json:"what"` // summary, tags, metadata, text 1 before, evidence and the like
	Text string `json:"text"`
}

// PendingTool is the label of the name of a memory's tool.
const PendingTool = "tool name"

// moreOf returns all texts of a record besides title and content, so that a person can read everything before
// accepting it.
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
			b, _ := json.Marshal(m.Metadata) // cannot fail, since it was decoded from JSON
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

// tagsOf returns the tags of a memory, including those that only its causal metadata has.
func tagsOf(r engram.Record) []string {
	all := slices.Clone(r.Memory.Memory.Tags)
	if r.Causal != nil {
		all = append(all, slices.Collect(maps.Keys(r.Causal.Sets))...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Imported is the result of an import.
type Imported struct {
	Format    string       `json:"format"`   // detected format: json, mem, graph, or the system of a migration
	Project   string       `json:"project"`  // project of the file; "" for every project, or if the file does not name one
	Mode      string       `json:"mode"`     // merge or replace
	DryRun    bool         `json:"dry_run"`  // nothing was changed
	Op        int64        `json:"op"`       // operation to undo; 0 if nothing was changed
	Backup    string       `json:"backup"`   // copy of the database from before; "" if none was made
	Projects  Tally        `json:"projects"` // counts, as in the following fields
	Sessions  Tally        `json:"sessions"`
	Prompts   Tally        `json:"prompts"`
	Memories  Tally        `json:"memories"` // includes items that could not be read at all
	Relations Tally        `json:"relations"`
	Erased    Tally        `json:"erased"`    // erasures
	Forgets   []Forgets    `json:"forgets"`   // of a replacement: memories forgotten, by project
	Elsewhere int          `json:"elsewhere"` // items skipped because a replacement covers only another project
	Pending   int          `json:"waiting"`   // imported memories that are flagged as instruction-like and pending review
	Rejected  []ImportNote `json:"rejected"`  // at most a thousand
	Notes     []ImportNote `json:"notes"`     // items imported with changes; at most a thousand
}

// Forgets is the number of memories that a replacement forgets in a project.
type Forgets struct {
	Project  string `json:"project"`
	Memories int    `json:"memories"`
}

// Tally counts items of one kind by result.
type Tally struct {
	Added     int `json:"added"`     // new
	Changed   int `json:"changed"`   // differed from the existing record
	Unchanged int `json:"unchanged"` // equal to the existing record, or older
	Forgotten int `json:"forgotten"` // unchanged ones that were forgotten or deleted here, and stay so
	Rejected  int `json:"rejected"`  // not imported
	Removed   int `json:"gone"`      // forgotten because a replacing file does not contain them
}

// ImportNote is a remark on an item of a file.
type ImportNote struct {
	Item   string `json:"item"` // its place: memories[12], counted from 0
	ID     string `json:"id"`   // "" if it has none
	Reason string `json:"reason"`
}

// ImportNoteOf returns the document of n.
func ImportNoteOf(n engram.ImportNote) ImportNote { return ImportNote{n.Item, n.Name, n.Reason} }

// ImportedOf returns the document of i.
func ImportedOf(i engram.Imported, dryRun bool) Imported {
	tally := func(t engram.ImportTally) Tally { return Tally(t) }
	return Imported{Format: i.From.Format, Project: i.From.Project, Mode: string(i.Mode), DryRun: dryRun, Op: i.Op, Backup: i.Backup,
		Projects: tally(i.Projects), Sessions: tally(i.Sessions), Prompts: tally(i.Prompts), Memories: tally(i.Memories),
		Relations: tally(i.Relations), Erased: tally(i.Erased), Forgets: Each(i.Forgets, func(f engram.ProjectMemories) Forgets { return Forgets(f) }),
		Elsewhere: i.Elsewhere, Pending: i.Pending, Rejected: Each(i.Rejected, ImportNoteOf), Notes: Each(i.Notes, ImportNoteOf)}
}
