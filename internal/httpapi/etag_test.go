package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func TestWhatIsTheSameIsNotSentAgain(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	first := ask(h, "GET", "/memories", "")
	tag := first.Header().Get("ETag")
	if len(tag) < 10 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		t.Fatalf("GET /memories: got ETag %q, want a strong one", tag)
	}
	bare := strings.Trim(tag, `"`)
	for _, tt := range []struct {
		name, match string
		status      int
	}{
		{"the same tag", tag, 304},
		{"a weak tag", "W/" + tag, 304},
		{"one of several", `"x", ` + tag + `, "y"`, 304},
		{"any", "*", 304},
		{"what was kept compressed", `"` + bare + `-gzip"`, 304},
		{"another tag", `"x"`, 200},
		{"a tag without quotes", bare, 200},
		{"half a tag", tag[:8] + `"`, 200},
		{"nothing", "", 200},
		{"no tag at all", `",,;W/"`, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, method := range []string{"GET", "HEAD"} {
				w := ask(h, method, "/memories", "", "If-None-Match: "+tt.match)
				if w.Code != tt.status || w.Code == 304 && w.Body.Len() > 0 {
					t.Errorf("%s with If-None-Match %s: got %d %.80s, want %d", method, tt.match, w.Code, w.Body, tt.status)
				}
				if got := w.Header().Get("ETag"); got != tag {
					t.Errorf("%s with If-None-Match %s: got ETag %s, want %s", method, tt.match, got, tag)
				}
				if w.Header().Get("Cache-Control") != "private, no-cache" || w.Header().Get("Vary") != "Accept-Encoding" {
					t.Errorf("%s: got headers %v", method, w.Header())
				}
			}
		})
	}
	load(t, h, [2]string{"PATCH /memories/3", `{"title":"Other"}`})
	if w := ask(h, "GET", "/memories", "", "If-None-Match: "+tag); w.Code != 200 || w.Header().Get("ETag") == tag {
		t.Errorf("after a change: got %d with %s, want 200 with another tag", w.Code, w.Header().Get("ETag"))
	}
	for _, request := range [][2]string{{"GET", "/memories/99"}, {"POST", "/sessions"}, {"GET", "/nope"}} {
		body := ""
		if request[0] == "POST" {
			body = `{"id":"a","project":"b"}`
		}
		w := ask(h, request[0], request[1], body, "If-None-Match: *")
		if w.Code == 304 || w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got %d with ETag %q and Cache-Control %q, want none of it kept", request[0], request[1], w.Code, w.Header().Get("ETag"), w.Header().Get("Cache-Control"))
		}
	}
}

// A read for a session counts although its client has the answer already.
func TestWhatIsTheSameIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	for range 3 {
		ask(h, "GET", "/context?project=other&session_id=s1&again=true", "", "If-None-Match: *")
	}
	if got := strings.Count(ask(h, "GET", "/sessions/s1/uses", "").Body.String(), `"verb":"context"`); got != 3 {
		t.Errorf("got %d uses, want 3", got)
	}
}

func TestAnswersAreCompressedForWhoWantsThem(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	plain := ask(h, "GET", "/openapi.json", "")
	for _, tt := range []struct {
		accept string
		want   bool
	}{
		{"gzip", true}, {"GZIP", true}, {"x-gzip", true}, {"deflate, gzip;q=0.5", true}, {"*", true}, {"br, *;q=0.1", true}, {"gzip ; q=1.000", true},
		{"gzip, identity;q=0.5", true}, {"gzip;q=0, *", false}, {"*;q=0, gzip", true},
		{"", false}, {"br", false}, {"gzip;q=0", false}, {"gzip; q=0.000", false}, {"*;q=0", false}, {"identity", false}, {"identity, gzip;q=0.1", false},
		{"gzip;q=much", false}, {"gzip;q=2", false}, {"gzip;q=-1", false}, {"gzipped", false}, {";;,=,q", false},
	} {
		w := ask(h, "GET", "/openapi.json", "", "Accept-Encoding: "+tt.accept)
		zipped := w.Header().Get("Content-Encoding") == "gzip"
		if zipped != tt.want || w.Code != 200 {
			t.Errorf("Accept-Encoding %q: got %d, compressed %v, want %v", tt.accept, w.Code, zipped, tt.want)
			continue
		}
		body := w.Body.Bytes()
		if zipped {
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
			if w.Header().Get("ETag") == plain.Header().Get("ETag") {
				t.Errorf("Accept-Encoding %q: the compressed answer has the tag of the plain one", tt.accept)
			}
		}
		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("Accept-Encoding %q: got another answer of %d bytes", tt.accept, len(body))
		}
	}
	for target, status := range map[string]int{"/health": 200, "/memories/99": 404} {
		if w := ask(h, "GET", target, "", "Accept-Encoding: gzip"); w.Header().Get("Content-Encoding") != "" || w.Code != status {
			t.Errorf("GET %s: got %d, %q; small answers stay as they are", target, w.Code, w.Header().Get("Content-Encoding"))
		}
	}
}

func TestAnswersWithinTheMachineAreNotPacked(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{})
	resp, err := http.Get("http://" + addr + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if b, err := io.ReadAll(resp.Body); err != nil || resp.Uncompressed || !strings.HasPrefix(string(b), `{"components":`) {
		t.Errorf("got %d bytes, packed %v, %v", len(b), resp.Uncompressed, err)
	}
}

// BenchmarkGzip is what compression adds to an answer of 100 kB.
func BenchmarkGzip(b *testing.B) {
	h := newAPI(b, httpapi.Options{})
	for _, accept := range []string{"identity", "gzip"} {
		b.Run(accept, func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				w := ask(h, "GET", "/openapi.json", "", "Accept-Encoding: "+accept)
				size = w.Body.Len()
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
