package enginetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// emptyStore returns the file of an empty store of a device of its own.
func emptyStore() ([]byte, error) {
	file, err := created()
	if err != nil {
		return nil, err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return bytes.Replace(file.content, []byte(file.device), []byte(hex.EncodeToString(id[:])), 1), nil
}

// storeFile is a closed store.
type storeFile struct {
	content []byte
	device  string // its random name, which occurs once in content
}

// created is the store from which emptyStore copies.
var created = sync.OnceValues(func() (f storeFile, err error) {
	dir, err := os.MkdirTemp("", "enginetest-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "engram.db")
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Now: Start})
	if err != nil {
		return f, err
	}
	err = s.View(context.Background(), func(r engram.Reader) (err error) {
		f.device, err = r.Fact(context.Background(), "device")
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		return f, err
	}
	if f.content, err = os.ReadFile(path); err != nil {
		return f, err
	}
	if n := bytes.Count(f.content, []byte(f.device)); n != 1 {
		return f, fmt.Errorf("the device %q occurs %d times in a new store", f.device, n)
	}
	return f, nil
})
