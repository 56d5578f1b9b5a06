package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/hub"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// A part in memory.
type part struct {
	bytes.Buffer
	tag  string
	tags []string // with which it was begun
	fail error
}

func (p *part) Len() int64  { return int64(p.Buffer.Len()) }
func (p *part) Tag() string { return p.tag }
func (p *part) Begin(tag string) error {
	p.Reset()
	p.tag, p.tags = tag, append(p.tags, tag)
	return nil
}

func (p *part) Write(b []byte) (int, error) {
	if p.fail != nil {
		return 0, p.fail
	}
	return p.Buffer.Write(b)
}

// A log of the requests that a server had.
type log struct {
	mu   sync.Mutex
	all  []*http.Request
	next http.HandlerFunc
}

func (l *log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.all = append(l.all, r)
	l.mu.Unlock()
	l.next(w, r)
}

// serve runs a hub on this machine.
func serve(t *testing.T, h http.HandlerFunc) (*log, string) {
	t.Helper()
	l := &log{next: h}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	return l, s.URL
}

func client(t *testing.T, o hub.Options) *hub.Client {
	t.Helper()
	if o.Pause == 0 {
		o.Pause = time.Microsecond
	}
	c, err := hub.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func check(t *testing.T, err error, code engram.Code, says ...string) {
	t.Helper()
	if engram.CodeOf(err) != code {
		t.Errorf("got %v (%q), want the code %q", err, engram.CodeOf(err), code)
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error()+" "+engram.HintOf(err), s) {
			t.Errorf("got %v (hint %s), want it to say %q", err, engram.HintOf(err), s)
		}
	}
}

var content = bytes.Repeat([]byte("0123456789abcdef"), 4000)

func file() hub.File { return hub.File{Path: "1_Pooling/the file.bin", Size: int64(len(content))} }

func download(t *testing.T, c *hub.Client, to *part) error {
	t.Helper()
	return c.Download(t.Context(), "o/m", commit, file(), to)
}

func TestAnAddressIsSafe(t *testing.T) {
	for address, ok := range map[string]bool{
		"": true, "https://hub.test": true, "https://hub.test/path/": true, "http://127.0.0.1:1": true, "http://localhost:8080/x": true, "http://[::1]:1": true,
		"http://hub.test": false, "hub.test": false, "ftp://hub.test": false, "https://": false, "https://me:pw@hub.test": false, "https://hub.test?x=1": false,
		"https://hub.test#x": false, "file:///etc": false, "http://127.0.0.1.hub.test": false, "://": false,
	} {
		if _, err := hub.New(hub.Options{Endpoint: address}); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		} else if err != nil {
			check(t, err, engram.CodeInvalid, "https")
		}
	}
	_, err := hub.New(hub.Options{Token: "a\nb"})
	check(t, err, engram.CodeInvalid, "HF_TOKEN")
}

func TestSnapshot(t *testing.T) {
	l, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/tree/") {
			io.WriteString(w, `[{"type":"directory","path":"onnx","oid":"x"},{"type":"file","path":"config.json","size":3,"oid":"`+commit+`"},
				{"type":"file","path":"onnx/model","size":130,"oid":"`+commit+`","lfs":{"oid":"`+strings.Repeat("ab", 32)+`","size":5000000000,"pointerSize":130}}]`)
			return
		}
		io.WriteString(w, `{"id":"o/m","sha":"`+commit+`","tags":["license:mit","region:us"],"gated":false}`)
	})
	c := client(t, hub.Options{Endpoint: address + "/mirror/", Token: "secret"})
	got, err := c.Snapshot(t.Context(), "o/m", "refs/pr/38")
	if err != nil {
		t.Fatal(err)
	}
	want := []hub.File{{Path: "config.json", Size: 3, SHA1: commit}, {Path: "onnx/model", Size: 5000000000, SHA256: strings.Repeat("ab", 32)}}
	if got.Commit != commit || got.License != "mit" || !slices.Equal(got.Files, want) {
		t.Errorf("got %+v", got)
	}
	for i, path := range []string{"/mirror/api/models/o/m/revision/refs%2Fpr%2F38", "/mirror/api/models/o/m/tree/" + commit + "?recursive=true"} {
		if r := l.all[i]; r.RequestURI != path || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("asked for %s with %v, want %s", r.RequestURI, r.Header, path)
		}
	}
	if _, err := c.Snapshot(t.Context(), "o/m", strings.Repeat("f", 40)); err == nil {
		t.Error("another commit than was asked for")
	}
	for _, name := range []string{"", "m", "o/", "/m", "o/m/x", "o/..", "../m", "o/m?x", "-o/m"} {
		_, err := c.Snapshot(t.Context(), name, "main")
		check(t, err, engram.CodeInvalid, "use one like")
	}
}

func TestOddAnswers(t *testing.T) {
	for _, answer := range []string{"", "<html>", "[]", `{"sha":"main"}`, `{"sha":"` + strings.ToUpper(commit) + `"}`, strings.Repeat(" ", 9<<20)} {
		_, address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
		_, err := client(t, hub.Options{Endpoint: address}).Snapshot(t.Context(), "o/m", "main")
		check(t, err, engram.CodeUnavailable, "cannot be read")
	}
}

// The token is for the hub, not for the host that it redirects to.
func TestTheTokenStaysWithTheHub(t *testing.T) {
	elsewhere, other := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(content) })
	home, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("again") {
			http.Redirect(w, r, other+"/signed?x=1", http.StatusFound)
			return
		}
		http.Redirect(w, r, "/moved?again", http.StatusTemporaryRedirect)
	})
	to := &part{}
	if err := download(t, client(t, hub.Options{Endpoint: address, Token: "secret"}), to); err != nil || !bytes.Equal(to.Bytes(), content) {
		t.Fatalf("%d bytes, %v", to.Len(), err)
	}
	for _, r := range home.all {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("the hub was asked for %s without the token", r.RequestURI)
		}
	}
	if r := elsewhere.all[0]; r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" || len(home.all) != 2 {
		t.Errorf("the other host was asked with %v", r.Header)
	}
	if want := "/o/m/resolve/" + commit + "/1_Pooling/the%20file.bin"; home.all[0].RequestURI != want {
		t.Errorf("asked for %s, want %s", home.all[0].RequestURI, want)
	}
}

// A transport that answers without a network.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func answer(r *http.Request, code int, body io.Reader, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(body), ContentLength: -1, Request: r}
}

func TestRedirectsAreSafe(t *testing.T) {
	for to, ok := range map[string]bool{
		"https://cdn.test/x": true, "http://cdn.test/x": false, "http://127.0.0.1:1/x": false, "https://localhost/x": false, "file:///etc/passwd": false, "ftp://cdn.test/x": false,
	} {
		c := client(t, hub.Options{Endpoint: "https://hub.test", Transport: answers(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "hub.test" {
				return answer(r, http.StatusFound, strings.NewReader(""), "Location", to), nil
			}
			return answer(r, http.StatusOK, bytes.NewReader(content)), nil
		})})
		if err := download(t, c, &part{}); ok && err != nil {
			t.Errorf("%s: %v", to, err)
		} else if !ok {
			check(t, err, engram.CodeForbidden, "redirects to")
		}
	}
	l, address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	check(t, download(t, client(t, hub.Options{Endpoint: address}), &part{}), engram.CodeUnavailable, "more than 10 times")
	if len(l.all) > 11 {
		t.Errorf("%d requests", len(l.all))
	}
}

// cut sends a part of the content, and closes the connection.
func cut(w http.ResponseWriter, from, to int) {
	w.Header().Set("Content-Length", fmt.Sprint(len(content)-from))
	w.Header().Set("ETag", `"v1"`)
	if from > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
	}
	w.Write(content[from:to])
	if to < len(content) {
		panic(http.ErrAbortHandler)
	}
}

func TestACutDownloadContinues(t *testing.T) {
	var asked []string
	_, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Range")+" "+r.Header.Get("If-Range"))
		var from int
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		cut(w, from, min(from+30000, len(content)))
	})
	to := &part{}
	if err := download(t, client(t, hub.Options{Endpoint: address}), to); err != nil || !bytes.Equal(to.Bytes(), content) {
		t.Fatalf("%d bytes, %v", to.Len(), err)
	}
	want := []string{" ", `bytes=30000- "v1"`, `bytes=60000- "v1"`}
	if !slices.Equal(asked, want) || !slices.Equal(to.tags, []string{`"v1"`}) {
		t.Errorf("asked for %q, begun with %q; want %q", asked, to.tags, want)
	}
	// What is whole is not asked for.
	if err := download(t, client(t, hub.Options{Endpoint: address}), to); err != nil || len(asked) != 3 {
		t.Errorf("asked %d times, %v", len(asked), err)
	}
}

func TestWhatCannotBeContinuedBeginsAgain(t *testing.T) {
	for _, tt := range []struct {
		name, tag string
		have      []byte
		answer    func(w http.ResponseWriter)
	}{
		{"the hub has another version", `"v0"`, []byte("xxx"), func(w http.ResponseWriter) { w.Header().Set("ETag", `"v1"`) }},
		{"the tag is weak", `W/"v1"`, content[:3], nil},
		{"without a tag", "", content[:3], nil},
		{"more than there is", `"v1"`, append([]byte("x"), content...), nil},
		{"416", `"v1"`, content[:3], func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) }},
		{"another range", `"v1"`, content[:3], func(w http.ResponseWriter) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
		}},
		{"a part of another whole", `"v1"`, content[:3], func(w http.ResponseWriter) {
			w.Header().Set("Content-Range", "bytes 3-9/10")
			w.WriteHeader(http.StatusPartialContent)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") != "" {
					tt.answer(w)
				}
				w.Write(content)
			})
			to := &part{tag: tt.tag}
			to.Buffer.Write(tt.have)
			if err := download(t, client(t, hub.Options{Endpoint: address}), to); err != nil || !bytes.Equal(to.Bytes(), content) || len(to.tags) == 0 {
				t.Errorf("%d bytes, begun with %q, %v", to.Len(), to.tags, err)
			}
		})
	}
}

func TestAnotherSizeIsRefused(t *testing.T) {
	for _, sent := range [][]byte{content[1:], append([]byte("x"), content...)} {
		for _, length := range []bool{true, false} {
			l, address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if !length {
					w.(http.Flusher).Flush() // no Content-Length
				}
				w.Write(sent)
			})
			err := download(t, client(t, hub.Options{Endpoint: address}), &part{})
			if err == nil || len(l.all) > 1 && len(sent) > len(content) {
				t.Errorf("%d bytes for %d: %v after %d requests", len(sent), len(content), err, len(l.all))
			}
			check(t, err, engram.CodeUnavailable)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		status   int
		header   string // of X-Error-Code, or Retry-After
		code     engram.Code
		says     string
		requests int
	}{
		{401, "", engram.CodeForbidden, "HF_TOKEN", 1},
		{401, "RepoNotFound", engram.CodeNotFound, "the model hub has no", 1},
		{403, "GatedRepo", engram.CodeForbidden, "accept the licence", 1},
		{404, "", engram.CodeNotFound, "the model hub has no", 1},
		{400, "", engram.CodeUnavailable, "400", 1},
		{429, "", engram.CodeUnavailable, "later", 5},
		{429, "3600", engram.CodeUnavailable, "later", 1},
		{500, "", engram.CodeUnavailable, "fails (500)", 5},
		{503, "", engram.CodeUnavailable, "fails (503)", 5},
		{304, "", engram.CodeUnavailable, "304", 1},
	} {
		l, address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Error-Code", tt.header)
			if tt.status == 429 {
				w.Header().Set("Retry-After", tt.header)
			}
			w.WriteHeader(tt.status)
		})
		c := client(t, hub.Options{Endpoint: address})
		check(t, download(t, c, &part{}), tt.code, tt.says)
		if len(l.all) != tt.requests {
			t.Errorf("%d: %d requests, want %d", tt.status, len(l.all), tt.requests)
		}
		_, err := c.Snapshot(t.Context(), "o/m", "main")
		check(t, err, tt.code, tt.says)
	}
}

func TestWithoutANetworkThereIsOneTry(t *testing.T) {
	n := 0
	c := client(t, hub.Options{Transport: answers(func(*http.Request) (*http.Response, error) {
		n++
		return nil, errors.New("no such host")
	})})
	_, err := c.Snapshot(t.Context(), "o/m", "main")
	check(t, err, engram.CodeUnavailable, "cannot reach the model hub huggingface.co: no such host", "HF_ENDPOINT", "engram model add FOLDER")
	if n != 1 {
		t.Errorf("%d tries", n)
	}
}

func TestAFullDiskEndsADownload(t *testing.T) {
	l, address := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(content) })
	full := errors.New("no space left")
	if err := download(t, client(t, hub.Options{Endpoint: address}), &part{fail: full}); !errors.Is(err, full) || len(l.all) != 1 {
		t.Errorf("%v after %d requests", err, len(l.all))
	}
}

// quiet is a body that brings some bytes, and then nothing until its request ends.
type quiet struct {
	io.Reader
	ctx context.Context
}

func (q quiet) Read(b []byte) (int, error) {
	if n, err := q.Reader.Read(b); err == nil {
		return n, nil
	}
	<-q.ctx.Done()
	return 0, q.ctx.Err()
}

func TestWaiting(t *testing.T) {
	for _, tt := range []struct {
		name        string
		refuse      func(*http.Request) *http.Response
		least, most time.Duration // of four waits, or of one
	}{
		{"longer from try to try", func(r *http.Request) *http.Response { return answer(r, 503, strings.NewReader("")) }, 7500 * time.Millisecond, 22500 * time.Millisecond},
		{"as long as the hub asks", func(r *http.Request) *http.Response {
			return answer(r, 429, strings.NewReader(""), "Retry-After", "60")
		}, 4 * time.Minute, 4 * time.Minute},
		{"until the hub asks", func(r *http.Request) *http.Response {
			return answer(r, 503, strings.NewReader(""), "Date", "Fri, 27 Nov 2026 10:00:00 GMT", "Retry-After", "Fri, 27 Nov 2026 10:01:00 GMT")
		}, 4 * time.Minute, 4 * time.Minute},
		{"without bytes", func(r *http.Request) *http.Response {
			return answer(r, 200, quiet{bytes.NewReader(content[:10]), r.Context()})
		}, 157500 * time.Millisecond, 172500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, tries := time.Now(), 0
				c, err := hub.New(hub.Options{Endpoint: "https://hub.test", Transport: answers(func(r *http.Request) (*http.Response, error) {
					tries++
					return tt.refuse(r), nil
				})})
				if err != nil {
					t.Fatal(err)
				}
				check(t, download(t, c, &part{}), engram.CodeUnavailable)
				if took := time.Since(begun); tries != 5 || took < tt.least || took > tt.most {
					t.Errorf("%d tries in %v, want 5 in %v to %v", tries, took, tt.least, tt.most)
				}
			})
		})
	}
}

// A slow download does not stall, and one that is cut again and again ends well while it gains.
func TestPatience(t *testing.T) {
	const size = 40 << 20
	synctest.Test(t, func(t *testing.T) {
		begun, tries := time.Now(), 0
		c, err := hub.New(hub.Options{Endpoint: "https://hub.test", Transport: answers(func(r *http.Request) (*http.Response, error) {
			tries++
			var from int64
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
			slow := &slowly{min(2<<20, size-from), r.Context()}
			if from == 0 {
				return answer(r, 200, slow, "ETag", `"v"`), nil
			}
			return answer(r, 206, slow, "Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, size-1, size)), nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		to := &part{}
		if err := c.Download(t.Context(), "o/m", commit, hub.File{Path: "x", Size: size}, to); err != nil || to.Len() != size || tries != 20 {
			t.Errorf("%d bytes in %d tries, %v", to.Len(), tries, err)
		}
		if took := time.Since(begun); took < 40*20*time.Second {
			t.Errorf("the test itself is wrong: it took %v", took)
		}
	})
}

// slowly brings 256 KiB in twenty seconds.
type slowly struct {
	n   int64
	ctx context.Context
}

func (s *slowly) Read(b []byte) (int, error) {
	if s.n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	<-time.After(20 * time.Second)
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n := min(int64(len(b)), s.n)
	s.n -= n
	return int(n), nil
}

func TestAnEndedContextEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		c, err := hub.New(hub.Options{Endpoint: "https://hub.test", Transport: answers(func(r *http.Request) (*http.Response, error) {
			return answer(r, 503, strings.NewReader("")), nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Download(ctx, "o/m", commit, file(), &part{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
