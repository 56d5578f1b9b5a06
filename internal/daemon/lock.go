package daemon

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/daemon/logfile"
)

// Lock is the right to be the server of a data directory. The system releases it when the process
// ends. A process takes it once and must not open the lock file elsewhere: on Unix, closing any
// handle of the file releases its locks.
type Lock struct {
	files  Files
	file   *os.File
	record Record
}

// errHeld means that another process holds the lock.
var errHeld = errors.New("another process holds the lock")

// Take takes the lock of a data directory, which it creates if it is missing. CodeConflict if
// another process holds it, CodeUnavailable if the file cannot be written. of describes the holder;
// Take fills in the remaining fields.
func Take(ctx context.Context, dir string, of Record) (*Lock, error) {
	l := &Lock{files: FilesIn(dir), record: of}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, logfile.Unwritable(dir, err)
	}
	f, err := os.OpenFile(l.files.Lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, logfile.Unwritable(l.files.Lock, err)
	}
	l.file = f
	switch err := lockFile(ctx, f); {
	case errors.Is(err, errHeld):
		return nil, errors.Join(engram.Errorf(engram.CodeConflict, "a server of this data directory is running already"), f.Close())
	case err != nil:
		return nil, errors.Join(logfile.Unwritable(l.files.Lock, err), f.Close())
	}
	l.record.PID, l.record.Machine = os.Getpid(), machineName()
	l.record.Key, l.record.Address, l.record.Listens = newKey(), "", ""
	// Replace the record of a previous server before it can be taken for ours.
	if err := errors.Join(f.Chmod(0o600), writeRecord(f, l.record), atomicfile.Write(l.files.PID, []byte(strconv.Itoa(l.record.PID)+"\n"), atomicfile.Options{Mode: 0o600, Alone: true, Hasty: true})); err != nil {
		return nil, errors.Join(logfile.Unwritable(dir, err), l.Release())
	}
	return l, nil
}

// Announce publishes the server's url for people and its address for Ask; "" disables Ask.
func (l *Lock) Announce(url, address string) error {
	l.record.Listens, l.record.Address = url, address
	if err := writeRecord(l.file, l.record); err != nil {
		return logfile.Unwritable(l.files.Lock, err)
	}
	return nil
}

// Record returns the holder's record.
func (l *Lock) Record() Record { return l.record }

// Release releases the lock and removes the file with the process number.
func (l *Lock) Release() error {
	gone := os.Remove(l.files.PID)
	if errors.Is(gone, os.ErrNotExist) {
		gone = nil
	}
	// Clear the record first: while the lock is held, no other process writes one.
	if err := errors.Join(gone, l.file.Truncate(0), l.file.Close()); err != nil {
		return fmt.Errorf("give up the lock of the server: %w", err)
	}
	return nil
}

// Holder is the holder of a data directory's lock.
type Holder struct {
	Record // zero if none is written yet
	// Process is the number to send signals to; 0 if unknown, because the process is in another
	// container or the system does not report it.
	Process int
}

// Here reports whether the holder can be asked from here: the record belongs to the process with
// the lock, on a system with the same loopback address. The record in a folder shared with a
// container or another machine has an address of theirs, where another program may listen here.
func (h Holder) Here() bool {
	return h.Process > 0 && h.Process == h.PID && h.Machine == machineName()
}

// Look returns the holder of a data directory's lock; held is false if it is free or there is no
// directory. It writes nothing. A process that holds the lock itself must not call it.
func Look(dir string) (h Holder, held bool, err error) {
	path := FilesIn(dir).Lock
	h.Process, held, err = lockHolder(path)
	if errors.Is(err, os.ErrNotExist) {
		return h, false, nil
	}
	if err != nil {
		return h, false, engram.Errorf(engram.CodeUnavailable, "%s cannot be read", path).WithCause(err)
	}
	if held {
		h.Record, _ = readRecord(path)
	}
	return h, held, nil
}

// LeftBehind returns the process number of a server that crashed, from the pid file, or 0.
func LeftBehind(dir string) int {
	data, err := os.ReadFile(FilesIn(dir).PID)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// Forget removes the pid file of a crashed server, unless one runs.
func Forget(dir string) error {
	if _, held, err := Look(dir); err != nil || held {
		return err
	}
	if err := os.Remove(FilesIn(dir).PID); err != nil && !errors.Is(err, os.ErrNotExist) {
		return logfile.Unwritable(FilesIn(dir).PID, err)
	}
	return nil
}

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

// machineName distinguishes systems with different loopback addresses: machines by their boot id,
// containers by their network. "" if the system hides it.
//
// Source: proc_sys_kernel(5), network_namespaces(7).
func machineName() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	network, errNetwork := os.Readlink("/proc/self/ns/net")
	if err != nil || errNetwork != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + network
}
