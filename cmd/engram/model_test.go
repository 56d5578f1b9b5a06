package main

import (
	"errors"
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
	ts.Check(writeModel(ts.MkAbs(args[0]), shape))
}

func writeModel(folder string, shape encodertest.Shape) error {
	for name, b := range encodertest.New(shape, 1).Files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b, 0o600)); err != nil {
			return err
		}
	}
	return nil
}
