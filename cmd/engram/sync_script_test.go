package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// chunk FILE REPOSITORY [ID] packs a file as a chunk of a repository, named by its content or by ID. $CHUNK
// is set to the name.
func putChunk(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: chunk file repository [id]")
	}
	text := []byte(ts.ReadFile(args[0]))
	sum := sha256.Sum256(text)
	id := hex.EncodeToString(sum[:4])
	if len(args) > 2 {
		id = args[2]
	}
	writeChunk(ts, args[1], id, packed(ts, text))
}

// bomb REPOSITORY ID writes a chunk of some kilobytes that decompresses to a gigabyte of zeros.
func putBomb(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: bomb repository id")
	}
	// A gzip file of several members decompresses to all of them in turn.
	writeChunk(ts, args[0], args[1], bytes.Repeat(packed(ts, make([]byte, 16<<20)), 64))
}

func packed(ts *testscript.TestScript, text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	ts.Check(err)
	ts.Check(z.Close())
	return b.Bytes()
}

func writeChunk(ts *testscript.TestScript, repository, id string, data []byte) {
	folder := filepath.Join(ts.MkAbs(repository), ".engram", "chunks")
	ts.Check(os.MkdirAll(folder, 0o755))
	ts.Check(os.WriteFile(filepath.Join(folder, id+".jsonl.gz"), data, 0o644))
	ts.Setenv("CHUNK", id)
}

// recipient NAME FLAG… creates a key, or finds the existing one, and sets a variable to its public part.
func recipient(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("engram", append([]string{"sync", "keygen", "--json"}, args[1:]...)...))
	var key struct{ Recipient string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &key))
	ts.Setenv(args[0], key.Recipient)
}

// spoil FOLDER overwrites every chunk of a folder.
func spoil(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: spoil folder")
	}
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.gz"))
	ts.Check(err)
	for _, path := range files {
		ts.Check(os.WriteFile(path, []byte("no chunk"), 0o600))
	}
}
