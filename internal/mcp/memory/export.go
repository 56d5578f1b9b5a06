package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// exportBytes is how long a page is, in bytes, about: 16,000 tokens, for which most conversations
// have room.
const exportBytes = 64 << 10

type exportArgs struct {
	Vectors bool   `json:"include_embeddings" doc:"much larger" default:"false"`
	Cursor  string `json:"cursor" doc:"next_cursor of the page before; none for the first"`
	Project string `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

// exported is the export object itself, as memory_import takes it; the fields say in the
// schema what is in it.
type exported struct {
	Format   string           `json:"format"`
	Version  int              `json:"version"`
	Project  string           `json:"project"`
	Memories []map[string]any `json:"memories"`
	Related  []map[string]any `json:"relations"`
	Next     string           `json:"next_cursor,omitempty" doc:"there are more pages: call again with it"`

	file []byte
}

// MarshalJSON writes the export as it is.
func (x exported) MarshalJSON() ([]byte, error) { return x.file, nil }

// PlainText returns the export in its own order, in which readers need not hold it whole.
func (x exported) PlainText() (string, bool) { return string(x.file), true }

func (d *Dialect) export(ctx context.Context, by tool.Caller, a exportArgs) (exported, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return exported{}, err
	}
	var file, compact bytes.Buffer
	page, err := d.as(by).ExportPage(ctx, &file, engine.ExportPageInput{After: a.Cursor, Most: exportBytes,
		ExportInput: engine.ExportInput{Format: engine.PlainFormat, Project: at.Name, Vectors: a.Vectors, Progress: by.Progress.Of("exporting")}})
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

// The fields that say which page of an export an object is: where it began, and where the next
// one does.
const (
	cursorField = "cursor"
	nextField   = "next_cursor"
)
