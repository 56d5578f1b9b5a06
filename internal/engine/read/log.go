package read

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/engine/view"
)

// LogInput filters the log. The zero value selects the latest operations everywhere.
type LogInput struct {
	Project   string
	Ref       *engram.Ref // operations that touched this memory, even if forgotten
	Actor     string      // "cli", "mcp:claude-code", or "mcp" for all its clients
	Operation string
	Since     time.Time
	Until     time.Time
	Page      engram.Page // of operations; limit 0 is 20, at most 1000
}

// Limits of the entries read, and of the items named, of one operation: sleep may have touched every memory.
const (
	logItems   = 10
	logEntries = 200
)

// Log returns the latest operations, newest first, and the time since which the journal is complete: zero if it
// always was.
func (d *Reader) Log(ctx context.Context, in LogInput) (entries []engram.LogEntry, begins time.Time, err error) {
	page, err := screen.PageOf(in.Page, 20)
	if err != nil {
		return nil, begins, err
	}
	f := engram.JournalFilter{Project: screen.NormalProject(in.Project), Actor: screen.Line(in.Actor), Operation: screen.Line(in.Operation), Since: in.Since, Until: in.Until}
	err = d.ledger.View(ctx, func(r engram.Reader) error {
		if in.Ref != nil {
			m, err := r.Memory(ctx, screen.NormalRef(*in.Ref))
			if err != nil {
				return err
			}
			f.Entity, f.Key, f.Project = engram.EntityMemory, ledger.Key(m.Num), ""
		}
		ops, err := r.Operations(ctx, f, page)
		if err != nil {
			return err
		}
		for _, op := range ops {
			entry, err := d.logEntry(ctx, r, op)
			if err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		begins, err = engram.JournalBegins(ctx, r)
		return err
	})
	return entries, begins, err
}

func (d *Reader) logEntry(ctx context.Context, r engram.Reader, op engram.Operation) (engram.LogEntry, error) {
	entry := engram.LogEntry{Operation: op, More: max(0, op.Entries-logEntries)}
	mutations, err := engram.FirstEntries(ctx, r, op, logEntries)
	if err != nil {
		return entry, err
	}
	at := map[[2]string]int{}
	ofMemory := false
	var nums []int64
	for _, m := range mutations {
		if entry.Reason == "" || m.Entity == engram.EntityMemory && !ofMemory {
			entry.Reason = m.Reason // not the reason for creating the project
		}
		ofMemory = ofMemory || m.Entity == engram.EntityMemory
		thing := [2]string{string(m.Entity), m.Key}
		i, known := at[thing]
		if !known {
			if len(entry.Items) == logItems {
				at[thing] = -1
				entry.More++
				continue
			}
			i = len(entry.Items)
			at[thing] = i
			entry.Items = append(entry.Items, engram.LogItem{Entity: m.Entity, Key: m.Key, Created: m.Was == nil})
			if num, err := strconv.ParseInt(m.Key, 10, 64); err == nil && m.Entity == engram.EntityMemory {
				nums = append(nums, num)
			}
		}
		if i >= 0 {
			entry.Items[i].Fields = withFields(entry.Items[i].Fields, m.Was)
		}
	}
	entry.Reason, _ = d.screen.Scanner().Clean(entry.Reason)
	ms, err := r.Memories(ctx, nums)
	if err != nil {
		return entry, err
	}
	if err := d.screen.RedactForDisplay(ctx, r, ms); err != nil {
		return entry, err
	}
	for _, m := range ms {
		if i := at[[2]string{string(engram.EntityMemory), ledger.Key(m.Num)}]; i >= 0 {
			entry.Items[i].ID, entry.Items[i].Title = m.ID, m.Title
		}
	}
	if entry.Final, err = final(ctx, r, entry); err != nil {
		return entry, err
	}
	return entry, nameRelations(ctx, r, entry)
}

// final reports whether undo surely cannot revert an operation: it erased, or everything it touched was erased
// since.
func final(ctx context.Context, r engram.Reader, entry engram.LogEntry) (bool, error) {
	if undo.Erases(entry.Name) {
		return true, nil
	}
	if entry.More > 0 || len(entry.Items) == 0 {
		return false, nil
	}
	for _, item := range entry.Items {
		later, err := r.Mutations(ctx, engram.JournalSpan{Entity: item.Entity, Key: item.Key}, engram.Page{Limit: mostVerdicts})
		if err != nil {
			return false, err
		}
		if !slices.ContainsFunc(later, func(m engram.Mutation) bool { return m.Op > entry.Op && undo.Erases(m.Operation) }) {
			return false, nil
		}
	}
	return true, nil
}

// nameRelations sets the titles of relations and marks erased memories.
func nameRelations(ctx context.Context, r engram.Reader, entry engram.LogEntry) error {
	for i, item := range entry.Items {
		switch {
		case item.Entity == engram.EntityMemory && undo.Erases(entry.Name):
			entry.Items[i].Created, entry.Items[i].Fields = false, []string{"erased"}
		case item.Entity == engram.EntityRelation:
			num, err := strconv.ParseInt(item.Key, 10, 64)
			if err != nil {
				return fmt.Errorf("journal of operation %d: %w", entry.Op, err)
			}
			rel, err := r.Relation(ctx, engram.RelationRef{Num: num})
			if engram.CodeOf(err) == engram.CodeNotFound {
				continue // erased with a memory
			}
			if err != nil {
				return err
			}
			if err := asLeft(ctx, r, &rel, entry.Op); err != nil {
				return err
			}
			entry.Items[i].Title = fmt.Sprintf("#%d %s #%d", rel.Source, rel.Verb, rel.Target)
		}
	}
	return nil
}

// mostVerdicts limits the later journal entries read to reconstruct a relation.
const mostVerdicts = 200

// asLeft reverts a relation to its state right after an operation.
func asLeft(ctx context.Context, r engram.Reader, rel *engram.Relation, op int64) error {
	entries, err := r.Mutations(ctx, engram.JournalSpan{Entity: engram.EntityRelation, Key: ledger.Key(rel.Num)}, engram.Page{Limit: mostVerdicts})
	if err != nil {
		return err
	}
	for _, e := range entries { // latest first
		if e.Seq <= op || e.Op <= op {
			break
		}
		if err := ledger.TableOf(rel).TakeBack(e); err != nil {
			return err
		}
	}
	return nil
}

// neverJSON is the zero time as JSON.
const neverJSON = `"0001-01-01T00:00:00Z"`

// ofVerdict reports whether a field only details a judgment, which verb and status already show.
func ofVerdict(field string) bool {
	return field == "actor" || field == "actor_kind" || field == "confidence" || field == "model"
}

// withFields adds the fields of an entry, except counters that change with every write.
func withFields(fields []string, was json.RawMessage) []string {
	var old map[string]json.RawMessage
	if was == nil || json.Unmarshal(was, &old) != nil {
		return fields
	}
	if to, moved := old["to"]; moved && old["from"] != nil {
		return append(fields, "moved to "+strings.Trim(string(to), `"`))
	}
	if waited, decided := old[ledger.PendingField]; decided {
		if string(waited) == `"`+string(engram.DeferredDecided)+`"` {
			return append(fields, "waits again")
		}
		return append(fields, "decided")
	}
	if old["root"] != nil && old["created_at"] != nil {
		return append(fields, "removed") // a removed project is journaled whole
	}
	for name, value := range old {
		switch name {
		case view.TextField:
			name = "text"
		case "deleted_at", "removed_at":
			name = "brought back"
			if string(value) == neverJSON {
				name = "taken away"
			}
		}
		if !undo.Bookkeeping(name) && !ofVerdict(name) && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}

// MaxBehind is how many missed operations a watcher receives one by one. A longer gap is reported as a whole,
// so that the watcher reloads.
const MaxBehind = 500

// WatchInput selects what to watch.
type WatchInput struct {
	Project string // "" is every project
	// After is the operation to start after; nil starts now.
	After *int64
	// Wait returns when it is time to look again; its error ends the watch. No transaction is open meanwhile.
	Wait func(context.Context) error
}

// Watched is one event of a watch.
type Watched struct {
	Entry engram.LogEntry
	// Begun is the first event: all operations after Entry.Op follow. Entry has nothing else.
	Begun bool
	// Missed says that operations up to Entry.Op are skipped: there were more than MaxBehind, the journal was
	// compacted, or it is another journal than that of WatchInput.After. Entry has nothing else.
	Missed bool
}

// Watch reports each operation by any process in order, until ctx ends, Wait or report returns an error, or the
// store cannot be read, and returns that error. A slow report delays nothing else: later operations are read
// from the journal when it returns.
func (d *Reader) Watch(ctx context.Context, in WatchInput, report func(Watched) error) error {
	w := watch{reader: d, project: screen.NormalProject(in.Project)}
	if in.After != nil {
		w.after, w.resumed = *in.After, true
	}
	for {
		news, err := w.look(ctx)
		if err != nil {
			return err
		}
		for _, n := range news {
			if err := report(n); err != nil {
				return err
			}
		}
		if err := in.Wait(ctx); err != nil {
			return err
		}
	}
}

// watch is the position of a watcher.
type watch struct {
	reader  *Reader
	project string
	after   int64 // Seq of the last reported entry
	begun   bool
	resumed bool // after came from the caller and is not checked yet
}

// look reads new operations. With an unchanged journal it reads one row.
func (w *watch) look(ctx context.Context) (news []Watched, err error) {
	err = w.reader.ledger.View(ctx, func(r engram.Reader) error {
		last, err := r.Replica().Head(ctx)
		if err != nil {
			return err
		}
		if !w.begun {
			w.begun = true
			if !w.resumed {
				w.after = last.Seq
			}
			news = []Watched{at(w.after, Watched{Begun: true})}
		}
		if last.Seq < w.after { // the journal of another or a restored database
			w.after, w.resumed = last.Seq, false
			news = append(news, at(last.Seq, Watched{Missed: true}))
			return nil
		}
		if last.Seq == w.after {
			w.resumed = false
			return nil
		}
		more, err := w.since(ctx, r)
		w.after, w.resumed, news = last.Seq, false, append(news, more...)
		return err
	})
	return news, err
}

// since reads the operations after the last reported one, oldest first.
func (w *watch) since(ctx context.Context, r engram.Reader) ([]Watched, error) {
	ops, err := r.Operations(ctx, engram.JournalFilter{Project: w.project, After: w.after}, engram.Page{Limit: MaxBehind + 1})
	if err != nil {
		return nil, err
	}
	missed := int64(0)
	if len(ops) > MaxBehind {
		ops, missed = ops[:MaxBehind], ops[MaxBehind].Op
	} else if w.resumed {
		if missed, err = w.compacted(ctx, r); err != nil {
			return nil, err
		}
	}
	var news []Watched
	if missed > 0 {
		news = append(news, at(missed, Watched{Missed: true}))
	}
	for _, op := range slices.Backward(ops) {
		entry, err := w.reader.logEntry(ctx, r, op)
		if err != nil {
			return nil, err
		}
		news = append(news, Watched{Entry: entry})
	}
	return news, nil
}

// at sets the operation number of an event.
func at(op int64, n Watched) Watched {
	n.Entry.Op = op
	return n
}

// compacted returns the last operation that the journal lost after the watch's position; 0 if it lost none.
func (w *watch) compacted(ctx context.Context, r engram.Reader) (int64, error) {
	begins, err := engram.JournalBegins(ctx, r)
	if err != nil || begins.IsZero() {
		return 0, err
	}
	first, err := r.Operations(ctx, engram.JournalFilter{OldestFirst: true}, engram.Page{Limit: 1})
	if err != nil || len(first) == 0 || first[0].Op <= w.after+1 {
		return 0, err
	}
	return first[0].Op - 1, nil
}
