package enginetest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
)

// Exported returns the export of an engine.
func Exported(t testing.TB, e *engine.Engine, in exchange.ExportInput) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := e.Export(t.Context(), &b, in); err != nil {
		t.Fatalf("export %+v: %v", in, err)
	}
	return b.String()
}

// Imported imports the text of a file.
func Imported(t testing.TB, e *engine.Engine, file string, in exchange.ImportInput) exchange.Imported {
	t.Helper()
	res, err := e.Import(t.Context(), strings.NewReader(file), in)
	if err != nil {
		t.Fatalf("import %+v: %v", in, err)
	}
	return res
}

// NativeFile is a native file of these items.
func NativeFile(sections string) string { return `{"format":"engram","version":1,` + sections + `}` }

// ID1 and the others are ids of records that no store has made.
const (
	ID1 = "mem_00000000000000000000000001"
	ID2 = "mem_00000000000000000000000002"
	ID3 = "mem_00000000000000000000000003"
)

// Undone undoes an operation and returns the number of the undo.
func Undone(t *testing.T, e *engine.Engine, op int64) int64 {
	t.Helper()
	u, err := e.Undo(t.Context(), undo.UndoInput{Op: op})
	if err != nil {
		t.Fatalf("undo %d: %v", op, err)
	}
	return u.Op
}
