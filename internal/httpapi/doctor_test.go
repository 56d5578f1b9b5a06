package httpapi_test

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// The report is the answer, whatever it says; what is refused is a project that cannot
// be told.
func TestDoctorSaysWhichProjectItCannotTell(t *testing.T) {
	t.Parallel()
	several, broken := t.TempDir(), t.TempDir()
	for _, dir := range []string{"till", "shop"} {
		if out, err := exec.Command("git", "init", "-q", filepath.Join(several, dir)).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v\n%s", err, out)
		}
	}
	if err := os.Mkdir(filepath.Join(broken, ".engram"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, ".engram", "config.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newAPI(t, httpapi.Options{Dir: "/nowhere"})
	for _, tt := range []struct {
		name, target string
		status       int
		code, report string
	}{
		{"an ambiguous folder", "/doctor?cwd=" + url.QueryEscape(several), 400, "ambiguous_project", ""},
		{"a folder with a broken configuration", "/doctor?cwd=" + url.QueryEscape(broken), 400, "project_detection_failed", ""},
		{"a project nobody knows", "/doctor?project=nope", 404, "unknown_project", ""},
		{"the server's own folder", "/doctor?check=disk_space", 200, "", "ok"},
		{"a check nobody knows", "/doctor?check=nope", 200, "", "error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(h, "GET", tt.target, "")
			var got struct{ Error, Code, Status string }
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatalf("GET %s: %s: %v", tt.target, w.Body, err)
			}
			if w.Code != tt.status || got.Code != tt.code || got.Status != tt.report || (got.Error == "") != (tt.code == "") {
				t.Errorf("GET %s: got %d %s; want %d, code %q, report %q", tt.target, w.Code, w.Body, tt.status, tt.code, tt.report)
			}
		})
	}
}
