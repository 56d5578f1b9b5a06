package gitchunks_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// zeros is the beginning of a gzip of so many mebibytes of zeros behind some text. The packed form
// repeats after the first two, so a bomb is cheap to make. It has no end: a reader without limits
// reads too much.
func zeros(t testing.TB, before string, mebibytes int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text []byte) []byte {
		start := b.Len()
		if _, err := z.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()[start:]
	}
	block := make([]byte, 1<<20)
	put([]byte(before))
	put(block)
	again := bytes.Clone(put(block))
	return append(b.Bytes(), bytes.Repeat(again, mebibytes-2)...)
}

func TestChunksThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const id = "0123abcd"
	good := `{"sessions":null,"observations":[{"sync_id":"obs-1","content":"a"}],"prompts":null}`
	packed := zipped(t, []byte(good))
	noise := make([]byte, 17<<20)
	for _, tt := range []struct {
		name  string
		bytes []byte // as on disk; nil: plain under its own ID
		plain string
		code  engram.Code
		want  string
	}{
		{"nothing", []byte{}, "", engram.CodeInvalid, "it was cut off"},
		{"no gzip", []byte("a memory in plain words"), "", engram.CodeInvalid, "cannot unpack it"},
		{"a wrong hash", packed, "", engram.CodeInvalid, "not what its name says: its content is that of " + idOf([]byte(good))},
		{"cut off", packed[:len(packed)/2], "", engram.CodeInvalid, "it was cut off"},
		{"cut off in the checksum", packed[:len(packed)-3], "", engram.CodeInvalid, "it was cut off"},
		{"a checksum that is wrong", append(slices.Clone(packed[:len(packed)-8]), 0, 0, 0, 0, 0, 0, 0, 0), "", engram.CodeInvalid, "cannot unpack it"},
		{"something behind it", append(slices.Clone(packed), "more"...), "", engram.CodeInvalid, "4 bytes follow"},
		{"several members", append(slices.Clone(packed), packed...), "", engram.CodeInvalid, "bytes follow"},
		{"zeros behind a chunk", zeros(t, good, 20), "", engram.CodeInvalid, "more than 200 times"},
		{"a file that is too large", noise, "", engram.CodeInvalid, "larger than 16 MiB"},
		{"no JSON", nil, "hello", engram.CodeInvalid, "it is not JSON"},
		{"JSON Lines", nil, good + "\n" + good, engram.CodeInvalid, "it is not JSON"},
		{"a NUL", nil, "{\"sessions\":null,\"observations\":[\x00]}", engram.CodeInvalid, "it is not JSON"},
		{"broken letters", nil, "{\"sessions\":[{\"id\":\"\xe9\"}]}", engram.CodeInvalid, "not valid UTF-8"},
		{"a text", nil, `"memory"`, engram.CodeInvalid, "not an object"},
		{"null", nil, `null`, engram.CodeInvalid, "not an object"},
		{"an object of something else", nil, `{"name":"x"}`, engram.CodeInvalid, "none of the lists"},
		{"a list twice", nil, `{"observations":[],"observations":[{"content":"b"}]}`, engram.CodeInvalid, `"observations" twice`},
		{"a list twice, spelt otherwise", nil, `{"observations":[],"observation\u0073":[]}`, engram.CodeInvalid, `"observations" twice`},
		{"a list that is an object", nil, `{"observations":{}}`, engram.CodeInvalid, "observations is not a list"},
		{"more items than any push has", nil, `{"observations":[` + strings.Repeat("1,", 100_001) + `1]}`, engram.CodeInvalid, "more than 100000"},
		{"fields without end", nil, `{` + manyFields(1001) + `"observations":[]}`, engram.CodeInvalid, "not an object"},
		{"nested without end", nil, `{"observations":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, engram.CodeInvalid, "it is not JSON"},
		{"a head that is a text", nil, `{"engram":"x","observations":[]}`, engram.CodeInvalid, "it is a string"},
		{"a newer version", nil, `{"engram":{"version":2},"observations":[]}`, engram.CodeConflict, "version 2 of the format"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			called := id
			if tt.bytes != nil {
				lay(t, dir, id, tt.bytes)
			} else {
				called = layPlain(t, dir, tt.plain)
			}
			r := open(t, gitchunks.Options{Dir: dir})
			records, err := readAll(t, r, called)
			if engram.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.want) || !strings.Contains(fmt.Sprint(err), called) || len(records) > 0 {
				t.Errorf("read\n got %d records, %s %v\nwant %s %q with the name of the chunk", len(records), engram.CodeOf(err), err, tt.code, tt.want)
			}
			if batches, err := r.Batches(t.Context()); err != nil || len(batches) != 1 || batches[0].ID != called {
				t.Errorf("batches: got %+v, %v; want that it is told", batches, err)
			}
			if err := r.Settle(t.Context()); err != nil {
				t.Errorf("settle: %v", err)
			}
		})
	}
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"f%d":0,`, i)
	}
	return b.String()
}

// An invalid item is reported by its place, and the rest is read.
func TestItemsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, item, want string }{
		{"a number", `7`, "not an object"},
		{"a list", `[]`, "not an object"},
		{"a title that is a number", `{"title":7}`, "title cannot be a number"},
		{"no time", `{"created_at":"soon"}`, "is not a time"},
		{"a name twice", `{"content":"a","content":"b"}`, `it has "content" twice`},
		{"a name twice, spelt otherwise", `{"content":"a","c\u006fntent":"b"}`, `it has "content" twice`},
		{"a name twice, below", `{"content":"a","engram":{"lineage":{"base":"","base":""}}}`, `it has "base" twice`},
		{"a name twice among many", `{` + manyFields(50) + `"f3":1}`, `it has "f3" twice`},
		{"a NUL", `{"content":"a\u0000b"}`, "a NUL"},
		{"nested too deep", `{"metadata":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "nested more than 1000 deep"},
		{"more values than a memory has", `{"tags":[` + strings.Repeat(`"",`, 300_000) + `""]}`, "more than 200000 values"},
		{"a field of Engram's that is a text", `{"content":"a","engram":"x"}`, "it is a string"},
		{"an invalid lineage", `{"content":"a","engram":{"lineage":{"base":"yesterday"}}}`, `"yesterday" is not a version stamp`},
		{"a revision that is a text", `{"content":"a","engram":{"revisions":["x"]}}`, "revisions cannot be a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			id := layPlain(t, dir, `{"sessions":null,"observations":[{"content":"before"},`+tt.item+`,{"content":"behind"}],"prompts":null}`)
			records, err := readAll(t, open(t, gitchunks.Options{Dir: dir}), id)
			if err != nil || len(records) != 3 || records[0].Flaw != nil || records[2].Flaw != nil {
				t.Fatalf("read: got %d records, %v; want three, of which two are fine", len(records), err)
			}
			if bad := records[1]; bad.Item != "observations[1]" || engram.CodeOf(bad.Flaw) != engram.CodeInvalid || !strings.Contains(bad.Flaw.Error(), tt.want) {
				t.Errorf("%.100s\n got %s: %v\nwant observations[1]: %s", tt.item, bad.Item, bad.Flaw, tt.want)
			}
		})
	}
}

func TestMutationsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, mutation, want string }{
		{"a number", `7`, "not an object"},
		{"an entity that is a number", `{"entity":7}`, "entity cannot be a number"},
		{"no payload", `{"entity":"session","op":"upsert"}`, "payload: it is not JSON"},
		{"a payload that is no JSON", `{"entity":"session","op":"upsert","payload":"x"}`, "payload: it is not JSON"},
		{"a payload that says a thing twice", `{"entity":"session","op":"upsert","payload":"{\"id\":\"a\",\"id\":\"b\"}"}`, `payload: it has "id" twice`},
		{"a payload that is a list", `{"entity":"session","op":"upsert","payload":[]}`, "not an object"},
		{"a relation that is a list", `{"entity":"relation","op":"upsert","payload":[],"engram":{}}`, "not an object"},
		{"a confidence that is a text", `{"entity":"relation","op":"upsert","payload":{"confidence":"high"}}`, "confidence cannot be a string"},
		{"an unknown thing", `{"entity":"user","op":"upsert","payload":{}}`, `unknown entity "user"`},
		{"an unknown thing that is gone", `{"entity":"user","op":"delete","payload":{}}`, `unknown entity "user"`},
		{"an unknown thing of Engram's", `{"entity":"user","op":"delete","payload":{},"engram":{}}`, `unknown entity "user"`},
		{"an erasure of what cannot be erased", `{"entity":"prompt","op":"delete","payload":{"hard_delete":true},"engram":{"kind":"project","id":"a"}}`, `unknown erased entity "project"`},
		{"a farewell that is a text", `{"entity":"prompt","op":"delete","payload":{"deleted":"yes"},"engram":{}}`, "deleted cannot be a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			id := layPlain(t, dir, `{"sessions":null,"mutations":[`+tt.mutation+`]}`)
			records, err := readAll(t, open(t, gitchunks.Options{Dir: dir}), id)
			if err != nil || len(records) != 1 || records[0].Item != "mutations[0]" || engram.CodeOf(records[0].Flaw) != engram.CodeInvalid || !strings.Contains(records[0].Flaw.Error(), tt.want) {
				t.Errorf("%s\n got %+v, %v\nwant a flaw: %s", tt.mutation, records, err, tt.want)
			}
		})
	}
}

// Metadata is a person's own and may have a NUL; the engine checks it.
func TestMetadataMaySayAnything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id := layPlain(t, dir, `{"observations":[{"content":"a\\u0000","engram":{"id":"mem_1","metadata":{"k":["\u0000"],"l":{"m":"\u0000"}}}}]}`)
	records, err := readAll(t, open(t, gitchunks.Options{Dir: dir}), id)
	if err != nil || len(records) != 1 || records[0].Flaw != nil || records[0].Memory.Memory.ID != "mem_1" {
		t.Errorf("got %+v, %v; want a memory", records, err)
	}
}

// Files that are not chunks are reported, not read.
func TestOtherThingsAmongTheChunks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	b := keep(t, r, engram.Batch{At: at(1)}, memory(1, "a"))
	for _, name := range []string{"README.md", "ABCDEF01.jsonl.gz", "abcdef0.jsonl.gz", "abcdef012.jsonl.gz", "abcdef01.jsonl", "abcdefgh.jsonl.gz", ".tmp-0011223344556677"} {
		if err := os.WriteFile(filepath.Join(dir, ".engram", "chunks", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	batches, err := r.Batches(t.Context())
	if err != nil || len(batches) != 1 || batches[0] != b {
		t.Errorf("batches: got %+v, %v; want %+v alone", batches, err, b)
	}
	notes, err := r.Notes(t.Context())
	if err != nil || len(notes) != 6 || notes[0].Item != "ABCDEF01.jsonl.gz" || notes[0].Reason == "" {
		t.Errorf("notes: got %+v, %v; want one for each but for what is being written", notes, err)
	}
}

func link(t testing.TB, to, from string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(from), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, from); err != nil {
		t.Fatal(err)
	}
}

// A link could lead to a file of the reader, or redirect a write.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	id := layPlain(t, outside, `{"sessions":null,"observations":[{"content":"a"}]}`)
	real := filepath.Join(outside, ".engram")
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := listing(t, outside)
	for _, tt := range []struct {
		name string
		lay  func(dir string)
		code engram.Code // of Read
		rest engram.Code // of Batches, Write and Settle
	}{
		{"the folder", func(dir string) { link(t, real, filepath.Join(dir, ".engram")) }, engram.CodeForbidden, engram.CodeForbidden},
		{"the folder of chunks", func(dir string) {
			link(t, filepath.Join(real, "chunks"), filepath.Join(dir, ".engram", "chunks"))
		}, engram.CodeForbidden, engram.CodeForbidden},
		{"a folder that stays inside", func(dir string) {
			layPlain(t, filepath.Join(dir, "sub"), `{"sessions":null,"observations":[{"content":"a"}]}`)
			link(t, "sub/.engram", filepath.Join(dir, ".engram"))
		}, engram.CodeForbidden, engram.CodeForbidden},
		{"a chunk", func(dir string) {
			link(t, filepath.Join(real, "chunks", id+".jsonl.gz"), filepath.Join(dir, ".engram", "chunks", id+".jsonl.gz"))
		}, engram.CodeForbidden, ""},
		{"a chunk that is a folder", func(dir string) {
			if err := os.MkdirAll(filepath.Join(dir, ".engram", "chunks", id+".jsonl.gz"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, engram.CodeForbidden, ""},
		{"the manifest", func(dir string) { link(t, secret, filepath.Join(dir, ".engram", "manifest.json")) }, engram.CodeNotFound, engram.CodeForbidden},
		{"the recipients", func(dir string) { link(t, secret, filepath.Join(dir, ".engram", "recipients.txt")) }, engram.CodeNotFound, ""},
		{"what git has to know", func(dir string) { link(t, secret, filepath.Join(dir, ".engram", ".gitattributes")) }, engram.CodeNotFound, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.lay(dir)
			r := open(t, gitchunks.Options{Dir: dir})
			if _, err := readAll(t, r, id); engram.CodeOf(err) != tt.code {
				t.Errorf("read: got %v, want %s", err, tt.code)
			}
			_, err := r.Batches(t.Context())
			if tt.name == "the manifest" { // which lies beside no chunk
				err = nil
			} else if engram.CodeOf(err) != tt.rest {
				t.Errorf("batches: got %v, want %q", err, tt.rest)
			}
			_, err = r.Write(t.Context(), engram.Batch{At: at(1)}, []engram.Record{memory(1, "a")})
			if want := tt.rest; tt.name == "the recipients" && engram.CodeOf(err) != engram.CodeForbidden || tt.name != "the recipients" && engram.CodeOf(err) != want {
				t.Errorf("write: got %v, want %q", err, want)
			}
			if err := r.Settle(t.Context()); engram.CodeOf(err) != tt.rest {
				t.Errorf("settle: got %v, want %q", err, tt.rest)
			}
			if after := listing(t, outside); after != before {
				t.Errorf("outside there is now\n%s\nwant\n%s", after, before)
			}
		})
	}
}

// listing returns the content of a folder, with sizes.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size := info.Size()
			if d.IsDir() {
				size = 0
			}
			fmt.Fprintf(&b, "%s %d\n", path, size)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Input made to exhaust a reader's memory does not: neither zeros, nor JSON of which every byte
// becomes many.
func TestAHostileChunkTakesLittleMemory(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lay    func(dir string) string
		most   uint64 // bytes of heap
		code   engram.Code
		flawed bool
	}{
		{"a gigabyte of zeros", func(dir string) string { lay(t, dir, "0123abcd", zeros(t, "", 1<<10)); return "0123abcd" }, 8 << 20, engram.CodeInvalid, false},
		{"zeros that are JSON", func(dir string) string {
			return layPlain(t, dir, `{"observations":[`+strings.Repeat("0,", 60_000)+`0]}`)
		}, 40 << 20, "", true},
		{"lists within lists", func(dir string) string {
			return layPlain(t, dir, `{"observations":[{"content":"a","engram":{"metadata":{"a":[`+strings.Repeat("[],", 90_000)+`0]}}}]}`)
		}, 40 << 20, "", false},
		{"lists within lists, too many", func(dir string) string {
			return layPlain(t, dir, `{"observations":[{"content":"a","engram":{"metadata":{"a":[`+strings.Repeat("[],", 1_500_000)+`0]}}}]}`)
		}, 24 << 20, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			id := tt.lay(dir)
			r := open(t, gitchunks.Options{Dir: dir})
			var records []engram.Record
			var err error
			if peak := peakOf(func() { records, err = readAll(t, r, id) }); peak > tt.most {
				t.Errorf("reading took %d MiB, want at most %d", peak>>20, tt.most>>20)
			}
			if err != nil && !strings.Contains(err.Error(), "unpacks to more than 64 MiB") {
				t.Errorf("got %v, want that it is too large", err)
			}
			if engram.CodeOf(err) != tt.code || err == nil && (len(records) == 0 || tt.flawed != (records[0].Flaw != nil)) {
				t.Errorf("got %d records, %v; want %q, flawed %v", len(records), err, tt.code, tt.flawed)
			}
		})
	}
}

// peakOf returns by how much the heap grew while f ran, sampled every millisecond.
func peakOf(f func()) (grown uint64) {
	read := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, done, peak := read(), make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				peak <- max(most, read())
				return
			case <-tick.C:
				most = max(most, read())
			}
		}
	}()
	f()
	close(done)
	most := <-peak
	return most - min(before, most)
}
