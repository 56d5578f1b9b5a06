package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// exportBytes is the approximate size of a page in bytes: 16,000 tokens, for which most conversations have
// room.
const exportBytes = 64 << 10

type exportArgs struct {
	Vectors bool   `json:"include_embeddings" doc:"much larger" default:"false"`
	Cursor  string `json:"cursor" doc:"next_cursor of the page before; none for the first"`
	Project string `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

// exported is the export object itself, as memory_import takes it; the fields describe it in the schema.
type exported struct {
	Format   string           `json:"format"`
	Version  int              `json:"version"`
	Project  string           `json:"project"`
	Memories []map[string]any `json:"memories"`
	Related  []map[string]any `json:"relations"`
	Next     string           `json:"next_cursor,omitempty" doc:"there are more pages: call again with it"`

	file []byte
}

// MarshalJSON writes the export unchanged.
func (x exported) MarshalJSON() ([]byte, error) { return x.file, nil }

// PlainText returns the export in its own order, in which readers can stream it.
func (x exported) PlainText() (string, bool) { return string(x.file), true }

func (d *Dialect) export(ctx context.Context, by tool.Caller, a exportArgs) (exported, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return exported{}, err
	}
	var file, compact bytes.Buffer
	page, err := d.As(by).ExportPage(ctx, &file, exchange.ExportPageInput{After: a.Cursor, Most: exportBytes,
		ExportInput: exchange.ExportInput{Format: exchange.PlainFormat, Project: at.Name, Vectors: a.Vectors, Progress: by.Progress.Of("exporting")}})
	if err != nil {
		return exported{}, err
	}
	if err := json.Compact(&compact, file.Bytes()); err != nil {
		return exported{}, err
	}
	whole := compact.Bytes()
	for _, field := range []struct {
		name  string
		value any
		has   bool
	}{{cursorField, a.Cursor, a.Cursor != ""}, {nextField, page.Next, page.Next != ""}, {"without_versions", page.Left, len(page.Left) > 0}} {
		if !field.has {
			continue
		}
		value, err := json.Marshal(field.value)
		if err != nil {
			return exported{}, err
		}
		whole = slices.Concat(whole[:len(whole)-1], []byte(`,"`+field.name+`":`), value, []byte("}"))
	}
	return exported{file: whole}, nil
}

// The fields that say which page of an export an object is: its start, and the start of the next one.
const (
	cursorField = "cursor"
	nextField   = "next_cursor"
)

type importArgs struct {
	Data    json.RawMessage `json:"data" doc:"the object of memory_export" required:"true"`
	Mode    string          `json:"mode" doc:"replace: delete memories that are not in the object" enum:"merge,replace" default:"merge"`
	Forget  int             `json:"may_forget" doc:"for replace: how many memories the user agreed to forget" default:"0" min:"0"`
	Project string          `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

type imported struct {
	Mode      string         `json:"mode"`
	Memories  document.Tally `json:"memories"`
	Relations document.Tally `json:"relationships" schema:"-"`
	Backup    string         `json:"backup,omitempty" schema:"-"` // the copy of the database from before
	Warnings  []string       `json:"warnings"`                    // what was rejected, and why
}

// PlainText reports the counts.
func (i imported) PlainText() (string, bool) {
	report := func(t document.Tally, what string) string {
		return fmt.Sprintf("%d %s added, %d changed, %d unchanged, %d rejected, %d removed", t.Added, what, t.Changed, t.Unchanged, t.Rejected, t.Removed)
	}
	text := report(i.Memories, "memories") + "\n" + report(i.Relations, "relationships")
	if i.Backup != "" {
		text += "\nBackup: " + i.Backup
	}
	return withWarnings(text, i.Warnings), true
}

// mostWarnings limits how many rejected items are named.
const mostWarnings = 20

func (d *Dialect) importData(ctx context.Context, by tool.Caller, a importArgs) (imported, error) {
	at, err := d.writing(ctx, a.Project)
	if err != nil {
		return imported{}, err
	}
	if exchange.ImportMode(a.Mode) == exchange.ImportReplace && isPage(a.Data) {
		return imported{}, engram.Errorf(engram.CodeInvalid, "cannot replace from one page of an export: the other pages would be forgotten").
			WithHint("import each page with mode merge")
	}
	res, err := d.As(by).Import(ctx, bytes.NewReader(headFirst(a.Data)), exchange.ImportInput{Mode: exchange.ImportMode(a.Mode), Project: at.Name, MayForget: &a.Forget,
		Progress: by.Progress.Of("importing")})
	if err != nil && len(res.Forgets) > 0 {
		return imported{}, engram.Errorf(engram.CodeOf(err), "%v", err).
			WithHint("nothing was replaced; ask the user, then call it again with may_forget=%d", res.Memories.Removed)
	}
	if err != nil {
		return imported{}, withItems(err, itemsOf(res.Rejected))
	}
	items := itemsOf(slices.Concat(res.Rejected, res.Notes))
	if res.Pending > 0 {
		items = append(items, fmt.Sprintf("%d of them are flagged as instruction-like, and are not injected until a person approves them (engram review)", res.Pending))
	}
	return imported{string(res.Mode), document.Tally(res.Memories), document.Tally(res.Relations), res.Backup, warnings([]string{at.Warning}, items)}, nil
}

// isPage reports whether an object is one of several pages of an export.
func isPage(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return false
	}
	return fields[cursorField] != nil || fields[nextField] != nil
}

// itemsOf lists what was rejected or changed, an item a line, up to mostWarnings.
func itemsOf(notes []engram.ImportNote) (items []string) {
	for i, n := range notes {
		if i == mostWarnings {
			return append(items, fmt.Sprintf("and %d more", len(notes)-mostWarnings))
		}
		items = append(items, fmt.Sprintf("%s %s: %s", n.Item, n.Name, n.Reason))
	}
	return items
}

// withItems adds every item to err, where it names only the first.
func withItems(err error, items []string) error {
	refused, ok := errors.AsType[*engram.Error](err)
	if !ok || len(items) < 2 {
		return err
	}
	return engram.Errorf(refused.Code, "%s\n%s", refused.Msg, strings.Join(items, "\n")).WithHintOf(refused).WithCause(refused.Err)
}

// headFirst puts the fields of an export object into the order in which a file is read; agents and JSON
// libraries use any order.
func headFirst(data json.RawMessage) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return data // the import reports what is wrong
	}
	order := func(name string) int {
		lists := []string{"projects", "sessions", "deleted_sessions", "memories", "observations", "prompts", "deleted_prompts", "relations", "relationships"}
		switch {
		case fields[name][0] != '[':
			return -1
		case slices.Contains(lists, name):
			return slices.Index(lists, name)
		}
		return len(lists)
	}
	names := slices.SortedFunc(maps.Keys(fields), func(a, b string) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b))
	})
	var b bytes.Buffer
	for i, name := range names {
		b.WriteByte("{,"[min(i, 1)])
		key, _ := json.Marshal(name) // a string is always JSON
		b.Write(key)
		b.WriteByte(':')
		b.Write(fields[name])
	}
	if len(names) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes()
}
