package gitchunks_test

import (
	"bytes"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// FuzzRead: for any chunk, reading ends with records or errors, and what was read can be written
// and read again.
func FuzzRead(f *testing.F) {
	own, err := gitchunks.WritePlain(engram.Batch{By: "ana", At: at(1)}, []engram.Record{memory(1, "a"),
		{Erased: &engram.Erased{Entity: engram.EntityPrompt, ID: "prompt-1", At: 7}}, {Tombstone: true, Session: &engram.Session{ID: "s"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte(`{"sessions":null,"observations":[{"content":"a","id":1}],"prompts":[{}],"mutations":[{"entity":"relation","op":"upsert","payload":"{\"relation\":\"related\"}"}]}`))
	f.Add([]byte(`{"mutations":[{"entity":"session","op":"delete","payload":{"id":"a"}}],"projects":[{"name":"a"}]}`))
	f.Fuzz(func(t *testing.T, plain []byte) {
		records, err := gitchunks.ReadPlain(bytes.Clone(plain), "shop")
		if err != nil {
			if code := engram.CodeOf(err); code != engram.CodeInvalid && code != engram.CodeConflict {
				t.Fatalf("read %q: %s %v, want invalid or conflict", plain, code, err)
			}
			return
		}
		var fine []engram.Record
		for _, rec := range records {
			if rec.Flaw == nil {
				fine = append(fine, rec)
			} else if engram.CodeOf(rec.Flaw) != engram.CodeInvalid || rec.Item == "" {
				t.Fatalf("read %q: %s: %v, want what is wrong with an item", plain, rec.Item, rec.Flaw)
			}
		}
		once, err := gitchunks.WritePlain(engram.Batch{}, fine)
		if err != nil {
			t.Fatalf("what was read from %q cannot be written: %v", plain, err)
		}
		again, err := gitchunks.ReadPlain(bytes.Clone(once), "")
		if err != nil || len(again) != len(fine) {
			t.Fatalf("what was read from %q and written comes back as %d records, %v; want %d\n%s", plain, len(again), err, len(fine), once)
		}
		if twice, err := gitchunks.WritePlain(engram.Batch{}, again); err != nil || !bytes.Equal(twice, once) {
			t.Fatalf("what was read from %q\n got %s, %v\nwant %s", plain, twice, err, once)
		}
	})
}

// FuzzManifest: any manifest gives a valid one, which stays as it is.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"version":1,"chunks":[{"id":"0123abcd","created_by":"a","created_at":"2026-01-02T03:04:05Z"}]}`))
	f.Add([]byte("<<<<<<< a\n{\"id\":\"0123abcd\"}\n=======\n{{}"))
	f.Add([]byte("{\"version\":1,\"chunks\":[\n{\"id\":\"0123abcd\",\"created_by\":\"a } {\"}\n{\"id\":\"0123abce\",\"id\":\"0123abcf\"},\n]}\n"))
	f.Add([]byte("{\n  \"version\": 1,\n  \"chunks\": [\n    {\n      \"id\": \"0123abcd\",\n      \"id\": \"0123abce\",\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, twice, err := gitchunks.ManifestTwice(text)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("made of %q\n got %s, %v\nwant %s", text, twice, err, once)
		}
		idsOf(t, string(once))
	})
}
