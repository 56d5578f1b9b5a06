// Package hubtest is a hub of models on this machine, for tests: the answers of a real one, for one repository, with
// faults. Weights are stored elsewhere, as large files of a real hub are: a request for them is redirected to another
// host, which takes ranges.
package hubtest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Commit is the commit of the repository.
const Commit = "0123456789abcdef0123456789abcdef01234567"

// A Hub is a hub. Its fields may be changed between requests, under Lock.
type Hub struct {
	sync.Mutex
	Repository string            // owner/name
	Files      map[string][]byte // by path
	Sizes      map[string]int64  // that it announces; of others the right ones
	Token      string            // that the hub wants; "" for none
	Status     int               // of each answer; 0 for what is right
	CutAfter   int               // bytes of the weights after which the connection is closed; 0 for none
	Hold       bool              // it stays open instead, and brings nothing more
	Corrupt    bool              // the weights are others than is announced
	Asked      []string          // requests: method, host (hub or store), path, and what range they want

	hub, store *httptest.Server
}

// Start runs a hub.
func Start(repository string, files map[string][]byte) *Hub {
	h := &Hub{Repository: repository, Files: files}
	h.store = httptest.NewServer(http.HandlerFunc(h.serveWeights))
	h.hub = httptest.NewServer(http.HandlerFunc(h.serve))
	return h
}

// Close stops it.
func (h *Hub) Close() {
	h.hub.CloseClientConnections()
	h.store.CloseClientConnections()
	h.hub.Close()
	h.store.Close()
}

// Address is where the hub is.
func (h *Hub) Address() string { return h.hub.URL }

// Requests returns what was asked for since the call before.
func (h *Hub) Requests() []string {
	h.Lock()
	defer h.Unlock()
	asked := h.Asked
	h.Asked = nil
	return asked
}

func large(path string) bool { return strings.HasSuffix(path, ".safetensors") }

func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	h.Lock()
	defer h.Unlock()
	h.Asked = append(h.Asked, "hub "+r.URL.Path)
	api, root := "/api/models/"+h.Repository, "/"+h.Repository+"/resolve/"+Commit+"/"
	path, file := strings.CutPrefix(r.URL.Path, root)
	switch {
	case h.Status != 0:
		w.WriteHeader(h.Status)
	case h.Token != "" && r.Header.Get("Authorization") != "Bearer "+h.Token:
		w.Header().Set("X-Error-Code", "GatedRepo")
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasPrefix(r.URL.Path, api+"/revision/"):
		fmt.Fprintf(w, `{"sha":%q,"tags":["license:mit"]}`, Commit)
	case r.URL.Path == api+"/tree/"+Commit:
		_ = json.NewEncoder(w).Encode(h.tree())
	case file && h.Files[path] != nil && large(path):
		w.Header().Set("X-Linked-Etag", fmt.Sprintf(`"%x"`, sha256.Sum256(h.Files[path])))
		http.Redirect(w, r, h.store.URL+"/"+path, http.StatusFound)
	case file && h.Files[path] != nil:
		_, _ = w.Write(h.Files[path])
	default:
		w.Header().Set("X-Error-Code", "RepoNotFound")
		w.WriteHeader(http.StatusUnauthorized)
	}
}

// tree lists the files as a hub does.
func (h *Hub) tree() (all []map[string]any) {
	for path, b := range h.Files {
		e := map[string]any{"type": "file", "path": path, "size": len(b), "oid": fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(b), b)))}
		if size, other := h.Sizes[path]; other {
			e["size"] = size
		}
		if large(path) {
			e["lfs"] = map[string]any{"oid": fmt.Sprintf("%x", sha256.Sum256(b)), "size": len(b), "pointerSize": 130}
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b map[string]any) int { return strings.Compare(a["path"].(string), b["path"].(string)) })
	return all
}

func (h *Hub) serveWeights(w http.ResponseWriter, r *http.Request) {
	h.Lock()
	b := h.Files[strings.TrimPrefix(r.URL.Path, "/")]
	h.Asked = append(h.Asked, strings.TrimSpace("store "+r.URL.Path+" "+r.Header.Get("Range")))
	if r.Header.Get("Authorization") != "" {
		h.Asked = append(h.Asked, "store got a token")
	}
	cut := &cutting{w, h.CutAfter, nil}
	if h.Hold {
		cut.until = r.Context().Done()
	}
	if h.Corrupt {
		b = append([]byte("x"), b[1:]...)
	}
	h.Unlock()
	w.Header().Set("ETag", `"weights"`)
	if cut.left > 0 {
		w = cut
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// cutting closes the connection after some bytes, and once until is closed, unless it is nil.
type cutting struct {
	http.ResponseWriter
	left  int
	until <-chan struct{}
}

// Write implements io.Writer.
func (c *cutting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b[:min(len(b), c.left)])
	if c.left -= n; err != nil || n == len(b) {
		return n, err
	}
	control := http.NewResponseController(c.ResponseWriter)
	if err := control.Flush(); err != nil {
		return n, err
	}
	if c.until != nil {
		<-c.until
		return n, io.ErrShortWrite
	}
	conn, _, err := control.Hijack()
	if err != nil {
		return n, err
	}
	return n, errors.Join(conn.Close(), io.ErrShortWrite)
}
