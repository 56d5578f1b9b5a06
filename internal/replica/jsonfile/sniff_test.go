package jsonfile_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
)

// utf16Of encodes a text with two bytes per letter.
func utf16Of(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func TestAFileOfAnotherKindIsRefusedByItsName(t *testing.T) {
	t.Parallel()
	const native = `{"format":"engram","version":1,"memories":[{"content":"über"}]}`
	for _, tt := range []struct {
		name, file string
		code       engram.Code
		says, hint string
	}{
		{"a database", "SQLite format 3\x00\x10\x00\x01\x01", engram.CodeInvalid, "SQLite database", "migrate --from SYSTEM FILE"},
		{"a page with front matter", "---\ntitle: x\n---\n# A page\n", engram.CodeInvalid, "Markdown", "migrate --from markdown FILE"},
		{"a page that begins with a list", "\n- a\n- b\n", engram.CodeInvalid, "Markdown", "migrate --from markdown FILE"},
		{"a graph, an entity a line", `{"type":"entity","name":"x","entityType":"y","observations":["z"]}` + "\n{}", engram.CodeInvalid, "an object per line", "migrate --from mcp-memory FILE"},
		{"a graph that begins with a relation", `{"type":"relation","from":"x","to":"y","relationType":"z"}` + "\n{}", engram.CodeInvalid, "an object per line", "migrate --from mcp-memory FILE"},
		{"memories, one a line", `{"content":"x"}` + "\n" + `{"content":"y"}`, engram.CodeInvalid, "an object per line", "ingest FILE"},
		{"a list of memories", `[{"content":"x"}]`, engram.CodeInvalid, "a list", "ingest FILE"},
		{"UTF-16 with a mark", "\xff\xfe" + utf16Of(native, binary.LittleEndian), engram.CodeInvalid, "UTF-16,", "iconv -f UTF-16 "},
		{"UTF-16 without one", utf16Of(native, binary.LittleEndian), engram.CodeInvalid, "UTF-16LE", "iconv -f UTF-16LE "},
		{"UTF-16 from a large machine", utf16Of(native, binary.BigEndian), engram.CodeInvalid, "UTF-16BE", "iconv -f UTF-16BE "},
		{"Latin-1", strings.ReplaceAll(native, "ü", "\xfc"), engram.CodeInvalid, "not valid UTF-8 at byte 55", "WINDOWS-1252"},
		{"version 0", `{"format":"engram","version":0,"memories":[]}`, engram.CodeInvalid, "version 0", "a whole number from 1"},
		{"a version in quotes", `{"format":"engram","version":"1","memories":[]}`, engram.CodeInvalid, `version "1"`, "without quotes"},
		{"no version", `{"format":"engram","memories":[]}`, engram.CodeInvalid, "lacks the version", "before the lists"},
		{"a newer version", `{"format":"engram","version":2,"program":"v9.1","memories":[]}`, engram.CodeConflict, "version 2 of the format, by engram v9.1, and this program reads up to 1", "newer one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, records, err := jsonfile.Native{}.Read(strings.NewReader(tt.file))
			if err == nil {
				for _, bad := range records {
					err = bad
				}
			}
			if engram.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) || !strings.Contains(engram.HintOf(err), tt.hint) {
				t.Errorf("got %v (%s), hint %q; want %s, %q and the hint %q", err, engram.CodeOf(err), engram.HintOf(err), tt.code, tt.says, tt.hint)
			}
		})
	}
}
