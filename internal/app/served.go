package app

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/embedding/library"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/embedding/provider"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// A served is a model at a server, with the marks that were fitted to it.
type served struct {
	*provider.Embedder
	fitted map[string]library.Marks // by fingerprint
}

// servedEmbedder returns a model at a server, which gets prefixes before texts.
func servedEmbedder(c config.Config, s config.Served, prefixes prefix.Set) (engram.Embedder, error) {
	o, err := servedOptions(c, s)
	if err != nil {
		return nil, err
	}
	fitted := ModelsOf(c).FittedTo(o.Name())
	o.Prefixes, o.Marks = prefixes, library.Known(s.Model)
	o.Fitted = func(m engram.Model) engram.Model {
		if marks, ok := fitted[m.Fingerprint]; ok {
			return marks.Apply(m)
		}
		return m
	}
	e, err := provider.New(o)
	if err != nil {
		return nil, err
	}
	return &served{e, fitted}, nil
}

// servedReranker returns a reranker at a server.
func servedReranker(c config.Config, s config.Served) (engram.Reranker, error) {
	o, err := servedOptions(c, s)
	if err != nil {
		return nil, err
	}
	return provider.NewReranker(o)
}

func servedOptions(c config.Config, s config.Served) (provider.Options, error) {
	if err := c.MaySend(s); err != nil {
		return provider.Options{}, err
	}
	place := fnv.New64a()
	_, _ = place.Write([]byte(s.String())) // a hash does not fail
	o := provider.Options{API: provider.API(s.API), Model: s.Model, URL: s.URL, Key: c.EmbeddingKey, Now: time.Now,
		State: filepath.Join(c.DataDir, fmt.Sprintf(".model-down-%016x", place.Sum64()))}
	if s.Elsewhere() {
		o.Clean = func(text string) string { // a secret may be kept here, not sent there
			clean, _ := secret.Shared().Clean(text)
			return clean
		}
	}
	return o, nil
}

// formerOf returns the embedder of stored vectors of another model than the configured one: an installed model, or one at
// the configured server. Questions go to no other server, since that is no longer configured. It is nil beside the
// built-in model alone, which is complete as soon as memories are saved.
func formerOf(c config.Config, asked engram.Embedder, others *formers) func(engram.Model) engram.Embedder {
	if asked == nil {
		return nil
	}
	here, isServed, _ := config.ServedOf(c.EmbeddingModel)
	return func(m engram.Model) engram.Embedder {
		return others.get(m.Fingerprint, func() engram.Embedder {
			if there, ok, err := config.ServedOf(m.Name); ok {
				if there.URL = here.URL; !isServed || err != nil || there.API != here.API {
					return nil
				}
				for _, prefixes := range []prefix.Set{prefix.Of(there.Model).With(prefixesOf(c)), prefix.Of(there.Model), nil} {
					if !prefixes.Fits(m.Fingerprint) {
						continue
					}
					if e, err := servedEmbedder(c, there, prefixes); err == nil {
						return e
					}
				}
				return nil
			}
			e, err := ModelsOf(c).Embedder(m.Name)
			if err != nil || e.Model().Fingerprint != m.Fingerprint {
				return nil
			}
			return e
		})
	}
}

// formers are the embedders of former models that were asked for, by fingerprint; nil for one that cannot be.
type formers struct {
	mu  sync.Mutex
	all map[string]engram.Embedder
}

func (f *formers) get(fingerprint string, open func() engram.Embedder) engram.Embedder {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, known := f.all[fingerprint]
	if !known {
		if f.all == nil {
			f.all = map[string]engram.Embedder{}
		}
		e = open()
		f.all[fingerprint] = e
	}
	return e
}

// Close closes those that have files or connections open.
func (f *formers) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, e := range f.all {
		if c, ok := e.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
