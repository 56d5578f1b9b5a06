package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/embedding/provider/providertest"
)

// A process that is killed while it embeds loses its batch, no more. The next goes on where it was, while searches use the
// old vectors; in the end every memory has a vector.
func TestAKilledReembedGoesOn(t *testing.T) {
	const memories, batch = 400, 64
	s, err := providertest.Start(providertest.Model{Name: "bge-m3", Dimensions: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	dir := t.TempDir()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "engram", append(args, "--data-dir", filepath.Join(dir, "data"))...)
		cmd.Env, cmd.Dir = append(os.Environ(), "HOME="+dir, "ENGRAM_EMBEDDING_MODEL=ollama:bge-m3@"+s.URL()), dir
		return cmd
	}
	answer := func(args ...string) (out string, doc map[string]any) {
		t.Helper()
		b, err := command(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, b)
		}
		_ = json.Unmarshal(b, &doc) // nil for what is no JSON
		return string(b), doc
	}
	var lines strings.Builder
	for i := range memories {
		fmt.Fprintf(&lines, "{\"title\":\"Valve %d\",\"content\":\"Valve number %d of the boiler was greased.\"}\n", i, i)
	}
	save := command("ingest", "--project", "demo")
	save.Stdin = strings.NewReader(lines.String())
	if out, err := save.CombinedOutput(); err != nil || !strings.Contains(string(out), fmt.Sprintf("%d inserted", memories)) {
		t.Fatalf("save: %v\n%s", err, out)
	}

	const kills = 3
	for round := range kills {
		var n int
		requested := make(chan struct{})
		s.Fail(func(w http.ResponseWriter, r *http.Request) {
			if n++; n > 4 { // a batch is written, and half of another is embedded
				if n == 5 {
					close(requested)
				}
				<-r.Context().Done()
				return
			}
			var q struct{ Input []string }
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
				t.Error(err)
			}
			vectors := make([][]float32, len(q.Input))
			for i, text := range q.Input {
				vectors[i] = s.Model().Vector(text)
			}
			providertest.Answer(w, http.StatusOK, map[string]any{"embeddings": vectors})
		})
		cmd := command("reembed")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-requested:
		case err := <-ended:
			t.Fatalf("the process ended before it was killed: %v", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		s.Fail(nil)
		if out, _ := answer("search", "valve 7 greased", "--project", "demo"); !strings.Contains(out, "Found") || round == 0 && strings.Contains(out, "warning") {
			t.Errorf("after kill %d: %s", round, out)
		}
	}
	s.Asked()
	_, doc := answer("reembed", "--json")
	left, _ := doc["embedded"].(float64)
	if left != memories-kills*batch {
		t.Errorf("%v embedded at last, want %d", left, memories-kills*batch)
	}
	_, doc = answer("reembed", "--json")
	if doc["embedded"] != 0.0 || doc["memories"] != float64(memories) {
		t.Errorf("once more: %v", doc)
	}
	if _, doc = answer("doctor", "--json", "--check", "vectors_in_step"); doc["status"] != "ok" {
		t.Errorf("doctor: %v", doc)
	}
}
