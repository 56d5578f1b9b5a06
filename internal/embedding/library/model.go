package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/embedding/transformer"
	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// A handle opens an installed model when it is first used, and keeps it open.
type handle struct {
	library Library
	lock    Lock

	mu   sync.Mutex
	open *transformer.Model
}

// get returns the open model. A failure is not remembered: the next call tries again.
func (h *handle) get() (*transformer.Model, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open != nil {
		return h.open, nil
	}
	if h.lock.Within() {
		m, err := h.library.openWithin()
		h.open = m
		return m, err
	}
	dir := filepath.Join(h.library.Dir, h.lock.Name)
	for _, f := range h.lock.Files {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil || info.Size() != f.Size {
			return nil, engram.Errorf(engram.CodeUnavailable, "the model's %s is not what was installed", f.Path).
				WithHint("verify the model; remove it and add it again").WithCause(err)
		}
	}
	m, err := transformer.Open(dir, transformer.Options{Limit: h.lock.Tokens, Pooling: encoder.Pooling(h.lock.Pooling), Source: h.lock.source(),
		Options: encoder.Options{Threads: h.library.Threads, Narrow: h.lock.Precision == Narrow, Checked: true}})
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "the model %s cannot be opened", h.lock.Name).WithCause(err)
	}
	if h.open = m; h.lock.Precision == Narrow && !m.Packed() {
		_ = h.lock.pack(dir, m) // the next process makes them again
	}
	return m, nil
}

// Close closes the model if it is open.
func (h *handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open == nil {
		return nil
	}
	err := h.open.Close()
	h.open = nil
	return err
}

// An Embedder embeds by an installed model, which it opens when it is first used. Close ends that.
type Embedder struct {
	handle
	entry    Entry
	prefixes prefix.Set
}

// Embedder returns an installed embedding model, with the marks that were fitted to the user's memories if there are any; CodeNotFound where it is not installed, CodeInvalid for a reranker.
func (l Library) Embedder(name string) (*Embedder, error) {
	lock, err := l.Info(name)
	switch {
	case err != nil:
		return nil, err
	case lock.Reranker:
		return nil, engram.Errorf(engram.CodeInvalid, "the model %s is a reranker, and cannot embed", lock.Name)
	}
	e := &Embedder{handle: handle{library: l, lock: lock}, entry: lock.entry(), prefixes: lock.Before().With(l.Prefixes)}
	// Damaged marks are as if there were none: the next calibration replaces them.
	if m, ok, err := l.Marks(e.Model().Fingerprint); ok && err == nil {
		e.entry.marks = m.Apply(e.entry.marks)
	}
	return e, nil
}

// Model describes the vectors. The fingerprint has everything that changes them.
func (e *Embedder) Model() engram.Model {
	m := e.entry.marks
	m.Name, m.Dimensions = e.lock.Name, e.lock.Dimensions
	m.Fingerprint = fmt.Sprintf("%s@%s/%s/%s/%d%s", e.lock.Name, e.lock.weights(), e.lock.Precision, e.lock.Pooling, e.lock.Tokens, e.prefixes.Mark())
	return m
}

// Embed returns one vector per text, with those of its passages behind it for a memory. A blank text has no meaning, and
// the zero vector.
func (e *Embedder) Embed(ctx context.Context, texts []string, role engram.Role) ([][]float32, error) {
	var said []string
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			said = append(said, text)
		}
	}
	var vectors [][]float32
	if len(said) > 0 {
		m, err := e.get()
		if err != nil {
			return nil, err
		}
		most := 0
		if role == engram.RoleMemory {
			most = vector.MostPassages
		}
		if vectors, err = m.EmbedPassages(ctx, e.prefixes[role], said, most); err != nil {
			return nil, err
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			out[i] = make([]float32, e.lock.Dimensions)
			continue
		}
		out[i], vectors = vectors[0], vectors[1:]
	}
	return out, nil
}

// A Reranker reranks by an installed model, which it opens when it is first used. Close ends that.
type Reranker struct{ handle }

// Reranker returns an installed reranker; CodeNotFound where it is not installed, CodeInvalid for a model that embeds.
func (l Library) Reranker(name string) (*Reranker, error) {
	lock, err := l.Info(name)
	switch {
	case err != nil:
		return nil, err
	case !lock.Reranker:
		return nil, engram.Errorf(engram.CodeInvalid, "the model %s embeds, and cannot rerank", lock.Name)
	}
	return &Reranker{handle{library: l, lock: lock}}, nil
}

// Name is the model's name.
func (r *Reranker) Name() string { return r.lock.Name }

// Rerank returns a score from 0 to 1 for each text, in order.
func (r *Reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	m, err := r.get()
	if err != nil {
		return nil, err
	}
	return m.Rerank(ctx, query, texts)
}
