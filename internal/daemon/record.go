package daemon

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// Record describes a server to those who may read its data directory.
type Record struct {
	PID        int       `json:"pid"`     // on Machine
	Machine    string    `json:"machine"` // machineName of its system
	Address    string    `json:"address"` // host:port on loopback for Ask; "" while it starts, and if it cannot be asked
	Listens    string    `json:"listens"` // http://host:port as configured
	Key        string    `json:"key"`     // random per run; proves that a client may read this record
	Version    string    `json:"version"` // of the program
	Build      string    `json:"build"`   // distinguishes programs of the same version
	Database   string    `json:"database"`
	StartedAt  time.Time `json:"started_at"`
	Background bool      `json:"background"` // it runs detached from a terminal
	Log        string    `json:"log"`        // its log file; "" is standard error
	// Flags of its command, for a server that replaces it.
	Flags map[string]string `json:"flags,omitempty"`
}

// maxRecord is more than any record has, in bytes.
const maxRecord = 64 << 10

func newKey() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// readRecord reads the record in a lock file; ok is false if it is missing or incomplete.
func readRecord(path string) (r Record, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return r, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err != nil {
		return r, false
	}
	return r, json.Unmarshal(bytes.TrimSpace(data), &r) == nil && r.PID > 0
}

// writeRecord replaces the contents of f. Readers ignore incomplete records.
func writeRecord(f *os.File, r Record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the record: %w", err)
	}
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	if _, err := f.WriteAt(append(data, '\n'), 0); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return nil
}
