package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// stores makes and keeps stores of the corpus in a folder.
type stores struct {
	folder string // of what is kept from run to run
	report func(string, ...any)
}

// of returns the folder of a store of the corpus's first memories, made by the build unless one with its schema is kept.
// Who writes to it works on a copy.
func (s stores) of(ctx context.Context, b build, size int) (string, error) {
	schema, err := schemaOf(ctx, b)
	if err != nil {
		return "", err
	}
	return s.kept(fmt.Sprintf("engram-%d-%s", size, schema), func(dir string) error {
		var took time.Duration
		// Several files, so that the import of a million needs no more memory than that of a hundred thousand.
		for from := 0; from < size; from += 100_000 {
			export := filepath.Join(dir, "export.json")
			if err := exportTo(export, corpus(from, min(from+100_000, size))); err != nil {
				return err
			}
			_, cpu, err := output(b.command(ctx, dir, "import", export), "")
			if err := errors.Join(err, os.Remove(export)); err != nil {
				return err
			}
			took += cpu
		}
		s.report("made a store of %d with %s: %.1f s of CPU\n", size, b.name, took.Seconds())
		return nil
	})
}

// kept returns a folder with that name, filled by fill if it is not there.
func (s stores) kept(name string, fill func(dir string) error) (string, error) {
	dir := filepath.Join(s.folder, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	making := dir + ".new"
	if err := errors.Join(os.RemoveAll(making), os.MkdirAll(making, 0o700)); err != nil {
		return "", err
	}
	if err := fill(making); err != nil {
		return "", fmt.Errorf("make %s: %w", name, err)
	}
	return dir, os.Rename(making, dir)
}

// schemaOf returns a name for the schema that a build gives to a new store: stores of another are not for it, or are
// changed when it opens them.
func schemaOf(ctx context.Context, b build) (name string, err error) {
	dir, err := os.MkdirTemp("", "engram-speed-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, _, err := output(b.command(ctx, dir, "save", "A title", "A text"), ""); err != nil {
		return "", err
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "engram.db"))
	if err != nil {
		return "", err
	}
	defer db.Close()
	var schema string
	if err := db.QueryRow("SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_master ORDER BY name)").Scan(&schema); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(schema)))[:8], nil
}

// copyOf copies the files of a store into a new folder below work.
func copyOf(store, work string) (string, error) {
	dir, err := os.MkdirTemp(work, "store-")
	if err != nil {
		return "", err
	}
	files, err := os.ReadDir(store)
	for _, f := range files {
		if err == nil && f.Type().IsRegular() {
			err = copyFile(filepath.Join(store, f.Name()), filepath.Join(dir, f.Name()))
		}
	}
	return dir, err
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}
