package memory

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

//go:embed export.md
var exportProse string

// maxExport is the greatest export that is answered, in bytes: about 64,000 tokens, which is
// more than most conversations have room for.
const maxExport = 256 << 10

func (d *Dialect) exportTool() tool.Tool {
	return tool.New(tool.Def{Name: "memory_export", Title: "Export the project", Prose: exportProse, Effect: tool.Reads, Idempotent: true,
		Deferred: true, Profiles: []string{profile}, Shows: d.shown()}, d.export)
}

type exportArgs struct {
	Vectors bool   `json:"include_embeddings" doc:"much larger" default:"false"`
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

	file []byte
}

// MarshalJSON writes the export as it is.
func (x exported) MarshalJSON() ([]byte, error) { return x.file, nil }

// PlainText returns the export in its own order, in which readers need not hold it whole.
func (x exported) PlainText() (string, bool) { return string(x.file), true }

// errTooLarge ends an export that nobody could read.
var errTooLarge = errors.New("too large")

// bounded is a buffer of at most maxExport bytes.
type bounded struct{ bytes.Buffer }

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExport {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

func (d *Dialect) export(ctx context.Context, by tool.Caller, a exportArgs) (exported, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return exported{}, err
	}
	var file bounded
	_, err = d.as(by).Export(ctx, &file, engine.ExportInput{Project: at.Name, Vectors: a.Vectors, Progress: by.Progress.Of("exporting")})
	if errors.Is(err, errTooLarge) {
		return exported{}, engram.Errorf(engram.CodeInvalid, "the export of project %q is larger than %d KiB, too much for one answer", at.Name, maxExport>>10).
			WithHint("{export FILE --project %s} writes it into a file", at.Name)
	}
	if err != nil {
		return exported{}, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, file.Bytes()); err != nil {
		return exported{}, err
	}
	return exported{file: compact.Bytes()}, nil
}
