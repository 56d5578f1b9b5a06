package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMeasuresTheBuiltProgram builds the program and lets it answer a label set of
// four memories through each face. Every question has one answer and shares words
// with it alone, so anything but perfect is a fault of the program or of this one.
func TestMeasuresTheBuiltProgram(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "engram")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/alanbuscaglia/engram/cmd/engram").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	dir := t.TempDir()
	writeSet(t, filepath.Join(dir, "small"))
	writeSet(t, filepath.Join(dir, "other"))
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"over HTTP", nil},
		{"over MCP", []string{"-mcp"}},
		{"with a store for each set", []string{"-apart"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			args := append([]string{"-bin", binary, "-dir", dir, "-sets", "small,other"}, tt.args...)
			if err := run(t.Context(), args, &out); err != nil {
				t.Fatalf("run %q: %v", args, err)
			}
			for _, set := range []string{"small", "other"} {
				want := fmt.Sprintf("%-12s %6d %6d   %6.3f %6.3f %6.3f %6.1f%%", set, 4, 3, 1.0, 1.0, 1.0, 0.0)
				if !strings.Contains(out.String(), want) {
					t.Errorf("run %q\n got: %s\nwant a line with: %s", args, &out, want)
				}
			}
		})
	}
}

func TestSaysWhyNothingWasMeasured(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-dir", missing}, &out); err != nil || !strings.Contains(out.String(), missing) {
		t.Errorf("run without label sets\n got: %q, %v\nwant: the folder, and no error", &out, err)
	}
	if err := run(t.Context(), []string{"-dir", t.TempDir(), "-sets", "unknown"}, &out); err == nil || !strings.Contains(err.Error(), "unknown/corpus.jsonl") {
		t.Errorf("run with an unknown set\n got: %v\nwant: an error that names its file", err)
	}
}

func writeSet(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"corpus.jsonl": `{"id":"d1","title":"Token lifetime","text":"Access tokens expire after fifteen minutes.","group":"shop"}
{"id":"d2","text":"Invoices are numbered per country.","group":"shop"}
{"id":"d3","text":"Invoices are numbered per country.","group":"shop"}
{"id":"d4","title":"Queue","text":"Jobs are retried five times.","group":"worker"}
`,
		"queries.jsonl": `{"id":"q1","text":"when do access tokens expire?","group":"shop"}
{"id":"q2","text":"how are invoices numbered","group":"shop"}
{"id":"q3","text":"how often are jobs retried","group":"worker"}
`,
		// d3 repeats d2, so both stand under one number.
		"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq2\td3\t1\nq3\td4\t1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
