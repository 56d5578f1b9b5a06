package httpapi_test

import (
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func TestAnExportComesInElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, query string
		want        string // in the export
	}{
		{"plugins of the mem_* world get the object they know", "", `"observations": [`},
		{"the native form keeps everything", "?format=json", `"format": "engram"`},
		{"one project alone", "?project=shop", `"sync_id":"obs-`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, to := newAPI(t, httpapi.Options{}), newAPI(t, httpapi.Options{})
			load(t, from, [2]string{"POST /sessions", `{"id":"s1","project":"shop"}`},
				[2]string{"POST /observations", `{"session_id":"s1","project":"shop","title":"Auth model","content":"JWT, 15 minutes","type":"decision"}`},
				[2]string{"POST /prompts", `{"session_id":"s1","project":"shop","content":"why?"}`})
			out := ask(from, "GET", "/export"+tt.query, "")
			if out.Code != http.StatusOK || !strings.Contains(out.Body.String(), tt.want) {
				t.Fatalf("GET /export%s\n got %d %s\nwant %s in it", tt.query, out.Code, out.Body, tt.want)
			}
			if got := out.Header().Get("Content-Disposition"); got != "attachment; filename=engram-export.json" {
				t.Errorf("Content-Disposition %q", got)
			}
			for _, want := range []string{`{"sessions_imported":1,"observations_imported":1,"prompts_imported":1,`, `{"sessions_imported":0,"observations_imported":0,"prompts_imported":0,`} {
				in := ask(to, "POST", "/import", out.Body.String())
				if in.Code != http.StatusOK || !strings.HasPrefix(in.Body.String(), want) {
					t.Errorf("POST /import\n got %d %s\nwant %s…", in.Code, in.Body, want)
				}
			}
		})
	}
}

// packed is text as gzip has it.
func packed(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // into memory
	_ = z.Close()
	return b.String()
}

func TestAPackedFileComesIn(t *testing.T) {
	t.Parallel()
	w := ask(newAPI(t, httpapi.Options{}), "POST", "/import", packed(`{"format":"engram","version":1,"memories":[{"content":"packed up"}]}`))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"observations_imported":1`) {
		t.Errorf("got %d %s, want one memory", w.Code, w.Body)
	}
}

func TestImportsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, request, body string
		status              int
		want                string
	}{
		{"a blank project", "GET /export?project=+", "", 400, "project parameter must not be blank"},
		{"a format that does not exist", "GET /export?format=xml", "", 400, `format \"xml\" does not exist`},
		{"a project that does not exist", "GET /export?project=nowhere", "", 404, `project \"nowhere\" does not exist`},
		{"a mode that does not exist", "POST /import?mode=mix", `{}`, 400, `mode \"mix\" does not exist`},
		{"no export", "POST /import", `{"a":1}`, 400, "the file is not a known export"},
		{"a file that was cut off", "POST /import", `{"version":"0.1.0","sessions":[{"id":"s1"`, 400, "the file ends at byte"},
		{"a newer version", "POST /import", `{"format":"engram","version":9}`, 409, "version 9"},
		{"nothing at all", "POST /import", "", 400, "the file is empty"},
		{"a replacement with wrong items, each of which is told", "POST /import?mode=replace", `{"format":"engram","version":1,"memories":[{"title":"Empty"},{"content":"fine"},{"title":5,"content":"x"}]}`,
			400, `"rejected":[{"item":"memories[0]","id":"","reason":"content is empty"},{"item":"memories[2]","id":"","reason":"title cannot be a number"}]`},
		{"a packed file that was cut off", "POST /import", packed(`{"format":"engram","version":1}`)[:20], 400, "the packed file is truncated at byte 20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := newAPI(t, httpapi.Options{})
			method, target, _ := strings.Cut(tt.request, " ")
			w := ask(api, method, target, tt.body)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("%s %s\n got %d %s\nwant %d %s", tt.request, tt.body, w.Code, w.Body, tt.status, tt.want)
			}
			if method == "POST" && w.Header().Get("Content-Disposition") != "" {
				t.Errorf("%s is answered as a file", tt.request)
			}
		})
	}
}

func TestMovingNeedsTheToken(t *testing.T) {
	t.Parallel()
	api := newAPI(t, httpapi.Options{Token: func() string { return token }})
	for _, request := range [][2]string{{"GET", "/export"}, {"POST", "/import"}} {
		if w := ask(api, request[0], request[1], ""); w.Code != http.StatusUnauthorized {
			t.Errorf("%v without the token: got %d, want 401", request, w.Code)
		}
	}
}

// A file of 256 MiB is never read: its length says enough.
func TestAnImportHasALimit(t *testing.T) {
	t.Parallel()
	api := newAPI(t, httpapi.Options{})
	body := `{"version":"0.1.0","sessions":[` + strings.Repeat(" ", 5<<20) + `]}`
	if w := ask(api, "POST", "/import", body); w.Code != http.StatusOK {
		t.Errorf("5 MiB: got %d %s, want 200", w.Code, w.Body)
	}
	for _, row := range api.Routes() {
		if row.Path == "/import" && row.MaxBody != 256<<20 {
			t.Errorf("POST /import takes %d bytes, want 256 MiB", row.MaxBody)
		}
	}
}
