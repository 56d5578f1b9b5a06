// Package providertest is a server of models for tests, with the protocols that internal/embedding/provider speaks:
// Ollama's, OpenAI's, and two of rerankers. Its vectors count words, and know that a doctor is a physician. It listens on
// the loopback address alone, and can be stopped, started again and made to misbehave.
package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Server is a server of one model. It is safe for concurrent use.
type Server struct {
	mu       sync.Mutex
	address  string
	listener net.Listener
	server   *http.Server
	model    Model
	fault    http.HandlerFunc
	asked    []Request
	texts    int
}

// Model is what a Server has.
type Model struct {
	Name       string
	Digest     string // "" gives none
	Dimensions int    // of its vectors
	Longest    int    // bytes of a text that it reads; longer ones are refused. 0 is without a limit
	Key        string // that it asks for; "" for none
}

// Request is what a Server was asked.
type Request struct {
	Path, Key string
	Texts     []string
}

// Start returns a Server that listens on a free port.
func Start(m Model) (*Server, error) {
	s := &Server{model: m, address: "127.0.0.1:0"}
	return s, s.Resume()
}

// URL is the server's address.
func (s *Server) URL() string { return "http://" + s.address }

// Stop closes the server and its connections.
func (s *Server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return nil
	}
	err := s.server.Close()
	s.server = nil
	return err
}

// Resume listens again, on the port of before.
func (s *Server) Resume() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener, err = net.Listen("tcp", s.address); err != nil {
		return err
	}
	s.address = s.listener.Addr().String()
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve)}
	go s.server.Serve(s.listener) //nolint:errcheck // it ends by Stop
	return nil
}

// Fail lets f answer what has texts; nil ends that.
func (s *Server) Fail(f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Have changes the model.
func (s *Server) Have(m Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = m
}

// Asked returns what the server was asked since the last call, and forgets it.
func (s *Server) Asked() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// Texts is the number of texts that were embedded or ranked.
func (s *Server) Texts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts
}

// question is any request of the protocols.
type question struct {
	Model     string
	Input     []string
	Prompt    string
	Query     string
	Documents []string
	Texts     []string
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	var q question
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &q) != nil {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body)) // for a fault
	}
	texts := slices.Concat(q.Input, q.Documents, q.Texts)
	if q.Prompt != "" {
		texts = []string{q.Prompt}
	}
	s.mu.Lock()
	m, fault := s.model, s.fault
	s.asked = append(s.asked, Request{Path: r.URL.Path, Key: r.Header.Get("Authorization"), Texts: texts})
	s.mu.Unlock()
	switch {
	case r.Method == http.MethodPost && fault != nil:
		fault(w, r)
	case m.Key != "" && r.Header.Get("Authorization") != "Bearer "+m.Key:
		Answer(w, http.StatusUnauthorized, `{"error":{"message":"bad key `+r.Header.Get("Authorization")+`"}}`)
	case r.URL.Path == "/api/tags":
		Answer(w, http.StatusOK, map[string]any{"models": []any{map[string]any{"name": m.Name + ":latest", "digest": m.Digest}}})
	case r.Method == http.MethodGet:
		http.NotFound(w, r)
	case q.Model != "" && strings.TrimSuffix(q.Model, ":latest") != m.Name:
		Answer(w, http.StatusNotFound, map[string]any{"error": fmt.Sprintf("model %q not found, try pulling it first", q.Model)})
	case slices.ContainsFunc(texts, func(t string) bool { return m.Longest > 0 && len(t) > m.Longest }):
		Answer(w, http.StatusBadRequest, map[string]any{"error": "the input length exceeds the context length"})
	default:
		s.answer(w, r, m, q, texts)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, m Model, q question, texts []string) {
	s.mu.Lock()
	s.texts += len(texts)
	s.mu.Unlock()
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = m.Vector(text)
	}
	switch r.URL.Path {
	case "/api/embed":
		Answer(w, http.StatusOK, map[string]any{"model": m.Name, "embeddings": vectors, "total_duration": 14143917, "load_duration": 1019500})
	case "/v1/embeddings":
		data := make([]any, len(vectors))
		for i, v := range vectors { // in disorder, as servers with several workers have it
			data[len(data)-1-i] = map[string]any{"object": "embedding", "index": i, "embedding": v}
		}
		Answer(w, http.StatusOK, map[string]any{"object": "list", "model": m.Name, "data": data, "usage": map[string]int{"prompt_tokens": 8}})
	case "/v1/rerank":
		results := make([]any, len(texts))
		for i, text := range texts {
			results[len(results)-1-i] = map[string]any{"index": i, "relevance_score": m.Score(q.Query, text)}
		}
		Answer(w, http.StatusOK, map[string]any{"results": results})
	default:
		http.NotFound(w, r)
	}
}

// Answer writes a status and a value as JSON; a string is written as it is.
func Answer(w http.ResponseWriter, status int, v any) {
	b, ok := v.(string)
	if !ok {
		text, err := json.Marshal(v)
		if err != nil {
			status, text = http.StatusInternalServerError, nil
		}
		b = string(text)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, b)
}

// Vector counts the words of a text. Its length is not 1.
func (m Model) Vector(text string) []float32 {
	v := make([]float32, m.Dimensions)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if word == "doctor" {
			word = "physician"
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(m.Digest + word)) // a hash does not fail
		v[int(h.Sum32())%m.Dimensions] += 2
	}
	if slices.Max(v) == 0 {
		v[0] = 1
	}
	return v
}

// Score is how much two texts have in common.
func (m Model) Score(query, text string) (score float64) {
	a, b := m.Vector(query), m.Vector(text)
	for i := range a {
		score += float64(a[i] * b[i])
	}
	return score
}

// Model returns the model.
func (s *Server) Model() Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}
