package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// marksFile has the marks that were fitted, by the fingerprints of models. Without it, those of the catalogue apply.
const marksFile = "marks.json"

// mostMarks is the size in bytes of a file of some thousand models.
const mostMarks = 1 << 20

// Marks are what cosines of a model mean for the user's own memories; engram.Model describes them.
type Marks struct {
	Related   float64   `json:"related"`
	Duplicate float64   `json:"duplicate"`
	Noise     float64   `json:"noise,omitempty"` // it and Answer are 0 where they were not fitted
	Answer    float64   `json:"answer,omitempty"`
	Memories  int       `json:"memories"` // that they were fitted to
	Fitted    time.Time `json:"fitted"`
}

// sound reports whether m can be marks.
func (m Marks) sound() bool {
	return 0 < m.Related && m.Related <= m.Duplicate && m.Duplicate <= 1 &&
		(m.Noise == 0 && m.Answer == 0 || -1 <= m.Noise && m.Noise < m.Answer && m.Answer <= 1)
}

// Apply returns a model with marks instead of its own.
func (m Marks) Apply(to engram.Model) engram.Model {
	to.Related, to.Duplicate = m.Related, m.Duplicate
	if m.Answer > m.Noise {
		to.Noise, to.Answer = m.Noise, m.Answer
	}
	return to
}

// Marks returns the fitted marks of a model; ok is false without any. CodeInvalid for a damaged file.
func (l Library) Marks(fingerprint string) (m Marks, ok bool, err error) {
	all, err := l.marks()
	m, ok = all[fingerprint]
	return m, ok, err
}

// FittedTo returns the fitted marks of the models of a name at a server, whose fingerprints are known when it answers.
// Damaged ones are as if there were none.
func (l Library) FittedTo(name string) map[string]Marks {
	all, _ := l.marks() // the next calibration replaces them
	maps.DeleteFunc(all, func(fingerprint string, _ Marks) bool { return !strings.HasPrefix(fingerprint, name+"@") })
	return all
}

func (l Library) marks() (map[string]Marks, error) {
	path := filepath.Join(l.Dir, marksFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var b []byte
	if err == nil && info.Size() <= mostMarks {
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the thresholds of models: %w", err)
	}
	all, err := parseMarks(b)
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "the file %s is damaged", path).WithHint("remove it, and run {eval --calibrate}").WithCause(err)
	}
	return all, nil
}

// parseMarks reads a file of marks.
func parseMarks(b []byte) (map[string]Marks, error) {
	var all map[string]Marks
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	for name, m := range all {
		if !m.sound() {
			return nil, fmt.Errorf("those of %.100q are out of range or order", name)
		}
	}
	return all, nil
}

// SetMarks keeps the fitted marks of a model. A damaged file is replaced.
func (l Library) SetMarks(fingerprint string, m Marks) error {
	if !m.sound() {
		return engram.Errorf(engram.CodeInternal, "the thresholds %+v are out of range or order", m)
	}
	all, err := l.marks()
	if err != nil || all == nil {
		all = map[string]Marks{}
	}
	all[fingerprint] = m
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return fmt.Errorf("create the folder of models: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(l.Dir, marksFile), append(b, '\n'), atomicfile.Options{}); err != nil {
		return fmt.Errorf("write the thresholds of models: %w", err)
	}
	return nil
}
