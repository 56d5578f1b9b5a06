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

// Record is what a server tells about itself, for whoever may read its data directory.
type Record struct {
	PID        int       `json:"pid"`     // among the processes of Machine
	Machine    string    `json:"machine"` // machineName where it runs
	Address    string    `json:"address"` // host:port to ask it at, of the loopback; "" while it is starting, and when it cannot be asked
	Listens    string    `json:"listens"` // http://host:port as it was told to listen
	Key        string    `json:"key"`     // shows that who asks may read this record; another one for each run
	Version    string    `json:"version"` // of the program
	Build      string    `json:"build"`   // tells programs of one version apart
	Database   string    `json:"database"`
	StartedAt  time.Time `json:"started_at"`
	Background bool      `json:"background"` // nobody watches it in a terminal
	Log        string    `json:"log"`        // file it logs to; "" is standard error
	// Flags are those that the server was given and another one in its place should be.
	Flags map[string]string `json:"flags,omitempty"`
}

// maxRecord is more than a record has, in bytes.
const maxRecord = 64 << 10

// newKey returns 32 random bytes as text.
func newKey() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// readRecord reads the record in a lock file; ok is false where there is none, or half
// of one.
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

// writeRecord replaces what is in f. Nothing reads a record that is not whole.
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
