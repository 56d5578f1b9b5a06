package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
)

// readAll returns the items of an input, a line each.
func readAll(in io.Reader) (string, error) {
	var b strings.Builder
	d := newDrafts(in)
	for {
		batch, err := d.next(3)
		if err != nil || len(batch) == 0 {
			return b.String(), err
		}
		for _, item := range batch {
			if item.err != nil {
				fmt.Fprintf(&b, "%d:%d %s\n", item.place, item.line, command.MessageOf(item.err))
			} else {
				fmt.Fprintf(&b, "%d:%d = %s\n", item.place, item.line, item.draft.Content)
			}
		}
	}
}

func TestWhatIngestReads(t *testing.T) {
	deep := func(n int) string {
		return `{"content":"a","metadata":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + "}"
	}
	for _, tt := range []struct{ name, in, want string }{
		{"nothing is no memory", "", ""},
		{"white space is none either", " \r\n\t\n", ""},
		{"a list", `[{"content":"a"}, {"content":"b"}]`, "1:1 = a\n2:1 = b\n"},
		{"an empty list", "[ ]\n", ""},
		{"one object a line", "{\"content\":\"a\"}\n\n{\"content\":\"b\"}\n", "1:1 = a\n2:3 = b\n"},
		{"lines of Windows", "{\"content\":\"a\"}\r\n{\"content\":\"b\"}\r\n", "1:1 = a\n2:2 = b\n"},
		{"a mark of the byte order, at the beginning and where files were put together", "\ufeff{\"content\":\"a\"}\n\ufeff{\"content\":\"b\"}", "1:1 = a\n2:2 = b\n"},
		{"objects over several lines", "{\n  \"content\": \"a\",\n  \"metadata\": {\n    \"k\": [\n      {\n      }\n    ]\n  }\n}\n{\"content\":\"b\"}", "1:1 = a\n2:10 = b\n"},
		{"objects that follow each other on one line", `{"content":"a"}{"content":"b"}`, "1:1 = a\n2:1 = b\n"},
		{"braces and quotes within a text", `{"content":"} ] \" { \\"}`, "1:1 = } ] \" { \\\n"},
		{"a line that is cut off within a text leaves the next alone", "{\"content\":\"a\n{\"content\":\"b\"}", "1:1 it is incomplete: its line ends inside it\n2:2 = b\n"},
		{"a line that is cut off between fields leaves the next alone", "{\"content\":\"a\",\n{\"content\":\"b\"}", "1:1 it is incomplete: its line ends inside it\n2:2 = b\n"},
		{"the last line may be cut off", "{\"content\":\"a\"}\n{\"content\":\"b", "1:1 = a\n2:2 it is incomplete: the text ends inside it\n"},
		{"a list that is cut off between items", `[{"content":"a"},`, "1:1 = a\n2:1 the list does not end; the file may be incomplete\n"},
		{"a list that is cut off within one", "[{\"content\":\"a\"},\n{\"content\":", "1:1 = a\n2:2 it is incomplete: the text ends inside it\n"},
		{"a list with a text that breaks off", "[{\"content\":\"a\n\"},{\"content\":\"b\"}]", "1:1 the text is not valid JSON here: a line break inside a string\n"},
		{"a list without a comma", `[{"content":"a"} {"content":"b"}]`, "1:1 = a\n2:1 the text is not valid JSON here: a comma is missing\n"},
		{"something behind a list", "[{\"content\":\"a\"}]\n{\"content\":\"b\"}", "1:1 = a\n2:2 there is text after the end of the list\n"},
		{"other values than objects", "5\n\"x\"\nnull\n[1]\ntrue", "1:1 it is not an object but a number\n2:2 it is not an object but a string\n3:3 it is not an object but a null\n4:4 it is not an object but a list\n5:5 it is not an object but a bool\n"},
		{"such values in a list", `[5, "a,]", {"content":"b"}]`, "1:1 it is not an object but a number\n2:1 it is not an object but a string\n3:1 = b\n"},
		{"words that are no JSON", "hello, world\n{\"content\":\"b\"}", "1:1 the text is not valid JSON here\n2:2 = b\n"},
		{"a field field that occurs twice", `{"content":"a","Content":"b"}`, "1:1 field content occurs twice\n"},
		{"a field of another name", `{"contents":"a"}`, "1:1 unknown field \"contents\"\n"},
		{"a field of another kind", `{"content":5}`, "1:1 content cannot be a number\n"},
		{"bytes that are no UTF-8", "{\"content\":\"\xff\"}\n{\"content\":\"b\"}", "1:1 the text is not valid UTF-8\n2:2 = b\n"},
		{"a depth that somebody may mean", deep(50), "1:1 = a\n"},
		{"a depth that nobody means", deep(200_000) + "\n{\"content\":\"b\"}", "1:1 its lists and objects are nested more than 1000 deep\n2:2 = b\n"},
		{"a line without end", `{"content":"` + strings.Repeat("x", maxIngestItem) + "\"}\n{\"content\":\"b\"}", "1:1 it is longer than 8 MiB\n2:2 = b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readAll(strings.NewReader(tt.in))
			// What JSON's own reader adds to "no JSON" is its business.
			if err != nil || got != tt.want {
				t.Errorf("%.200q\n got %q, %v\nwant %q", tt.in, got, err, tt.want)
			}
		})
	}
}

// endless is an input of so many lines, made while it is read.
type endless struct {
	lines, n int
	rest     []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.n == e.lines {
			return 0, io.EOF
		}
		e.n++
		e.rest = fmt.Appendf(nil, "{\"title\":\"Number %d\",\"content\":\"%s\"}\n", e.n, strings.Repeat("word ", 60))
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// 30,000 lines are read in the room of a batch: what is allocated is given back, and no
// buffer grows with the input.
func TestManyLinesAreReadInTheRoomOfABatch(t *testing.T) {
	d := newDrafts(&endless{lines: 30_000})
	count, most := 0, 0
	for {
		batch, err := d.next(100)
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 {
			break
		}
		count += len(batch)
		most = max(most, cap(d.split.item))
	}
	if count != 30_000 || most > 4<<10 {
		t.Errorf("got %d memories and a buffer of %d bytes, want 30000 and one of a line", count, most)
	}
}

func FuzzIngest(f *testing.F) {
	for _, in := range []string{`[{"content":"a"},{"content":"b"}]`, "{\"content\":\"a\"}\n{\"content\":\"b\n{}", "\ufeff[1,\"\\\"\",{}]", "[{\"a\":[{\n{", "{\"content\":\"x\",\"content\":\"y\"}\x00", "\xef\xbb"} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := readAll(bytes.NewReader(in))
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		// However the bytes arrive, the same is read.
		if drop, err := readAll(&dribble{in}); err != nil || drop != whole {
			t.Errorf("%q\n got %q byte by byte (%v)\nwant %q", in, drop, err, whole)
		}
		if _, err := draftOf(in); err == nil && !bytes.ContainsRune(in, '\n') && !strings.Contains(whole, "= ") {
			t.Errorf("%q is a memory by itself\n got %q", in, whole)
		}
	})
}

// dribble gives a byte at a time.
type dribble struct{ rest []byte }

func (d *dribble) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(1, len(p))], d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func BenchmarkIngestRead(b *testing.B) {
	for b.Loop() {
		d := newDrafts(&endless{lines: 1000})
		for {
			batch, err := d.next(100)
			if err != nil {
				b.Fatal(err)
			}
			if len(batch) == 0 {
				break
			}
		}
	}
}

func TestAnIngestThatEndsAfterABatchDoesNotSayThatNothingChanged(t *testing.T) {
	d := newIngestedDoc(false)
	d.Saved["inserted"] = 100
	full := engram.Errorf(engram.CodeUnavailable, "the disk is full").WithHint("make room and try again; nothing was changed")
	told, ok := errors.AsType[*engram.Error](d.failed(full))
	if !ok || !strings.Contains(told.Msg, "100 memories were saved, then") || told.Hint != "make room and try again; the others were not saved" {
		t.Errorf("%v with hint %q, want what was saved and that the others were not", told, told.Hint)
	}
}
