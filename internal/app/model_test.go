package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
)

// Fitted thresholds are in force in processes that start afterwards, and a server does not search for those with others.
func TestFittedThresholdsAreInForce(t *testing.T) {
	dir := t.TempDir()
	for name, b := range encodertest.New(encodertest.Tiny(), 1).Files {
		path := filepath.Join(dir, "download", "tiny", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := loaded(t, map[string]string{"data_dir": dir, "timezone": "UTC"})
	if _, err := ModelsOf(c).Add(t.Context(), AddModel{Folder: filepath.Join(dir, "download", "tiny")}); err != nil {
		t.Fatal(err)
	}
	c.EmbeddingModel = "tiny"
	a := New(Options{Config: c, Actor: "test", Version: "1"})
	t.Cleanup(func() { a.Close() })
	before := a.asked
	if err := a.Fit(ModelMarks{Related: 0.4, Duplicate: 0.8, Noise: 0.1, Answer: 0.3, Memories: 60}); err != nil {
		t.Fatal(err)
	}
	_, after := embeddersOf(c)
	if b, m := before.Model(), after.Model(); b.Related <= 1 || m.Related != 0.4 || m.Duplicate != 0.8 || m.Noise != 0.1 || m.Answer != 0.3 || m.Fingerprint != b.Fingerprint {
		t.Errorf("before %+v, after %+v", b, m)
	}
	if marksOf(before) == marksOf(after) || marksOf(after) != marksOf(New(a.opts).inForce()) {
		t.Error("a server would search for a process with other thresholds, or not for one with the same")
	}
	if closer, ok := after.(io.Closer); !ok || closer.Close() != nil {
		t.Error("a model with thresholds cannot be closed")
	}
	if err := os.WriteFile(filepath.Join(c.Models(), "marks.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, damaged := embeddersOf(c)
	if m := damaged.Model(); m.Related <= 1 || !strings.HasPrefix(m.Fingerprint, "tiny@") {
		t.Errorf("with a damaged file: %+v", m)
	}
}
