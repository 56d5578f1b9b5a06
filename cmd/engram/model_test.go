package main

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
)

// madeModel FOLDER [reranker] writes the files of a small model of random weights.
func madeModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: madeModel folder [reranker]")
	}
	shape := encodertest.Tiny()
	shape.Classifier = len(args) > 1
	for name, b := range encodertest.New(shape, 1).Files {
		path := ts.MkAbs(filepath.Join(args[0], filepath.FromSlash(name)))
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
		ts.Check(os.WriteFile(path, b, 0o600))
	}
}
