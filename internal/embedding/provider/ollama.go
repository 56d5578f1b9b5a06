package provider

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/endpoint"
)

// ollama is the protocol of Ollama.
//
// Source: https://github.com/ollama/ollama/blob/main/docs/api.md
type ollama struct {
	server *endpoint.Client
	model  string
	places calls
}

func newOllama(server *endpoint.Client, model string) *ollama {
	return &ollama{server: server, model: model, places: calls{all: []call{{path: "/api/embed"}, {path: "/api/embeddings", other: true}}}}
}

func (o *ollama) embed(ctx context.Context, texts []string, how endpoint.Call) (vs [][]float32, err error) {
	return vs, o.places.first(func(at call) (err error) {
		how.Path = at.path
		if at.other {
			vs, err = o.embedSingly(ctx, texts, how)
			return err
		}
		if how.Body, err = json.Marshal(map[string]any{"model": o.model, "input": texts, "truncate": true}); err != nil {
			return err
		}
		vs = make([][]float32, len(texts))
		answer, err := o.ask(ctx, how)
		if err != nil {
			return err
		}
		var doc struct{ Embeddings json.RawMessage }
		if err := json.Unmarshal(answer, &doc); err != nil {
			return wrong(o.server, err)
		}
		return wrong(o.server, each(doc.Embeddings, len(texts), func(i int, list json.RawMessage) (err error) {
			vs[i], err = numbers(list)
			return err
		}))
	})
}

// embedSingly is for servers from before /api/embed.
func (o *ollama) embedSingly(ctx context.Context, texts []string, how endpoint.Call) (vs [][]float32, err error) {
	for _, text := range texts {
		if how.Body, err = json.Marshal(map[string]any{"model": o.model, "prompt": text}); err != nil {
			return nil, err
		}
		answer, err := o.ask(ctx, how)
		if err != nil {
			return nil, err
		}
		var doc struct{ Embedding json.RawMessage }
		if err := json.Unmarshal(answer, &doc); err != nil {
			return nil, wrong(o.server, err)
		}
		v, err := numbers(doc.Embedding)
		if err != nil {
			return nil, wrong(o.server, err)
		}
		vs = append(vs, v)
	}
	return vs, nil
}

// ask adds to the refusal of a model that the server does not have what to do about it. An old server refuses the
// operation in plain text.
func (o *ollama) ask(ctx context.Context, how endpoint.Call) ([]byte, error) {
	answer, err := o.server.Do(ctx, how)
	if s := endpoint.RefusalOf(err); s != nil && s.Code == 404 && json.Valid(s.Body) {
		// No Status as cause: the other operation would not have the model either.
		return nil, o.server.Unavailable("is not at its server", "run ollama pull "+engram.Quoted(o.model)).WithCause(&missing{s})
	}
	return answer, err
}

// missing is the cause of an error about a model that a server does not have.
type missing struct{ was *endpoint.Status }

func (m *missing) Error() string { return m.was.Error() }

// version is the beginning of the model's digest; "" if the server gives none.
func (o *ollama) version(ctx context.Context, within time.Duration) (string, error) {
	answer, err := o.server.Do(ctx, endpoint.Call{Path: "/api/tags", Tries: 1, Within: within})
	if isAbsent(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var doc struct {
		Models []struct{ Name, Model, Digest string }
	}
	if err := json.Unmarshal(answer, &doc); err != nil {
		return "", wrong(o.server, err)
	}
	for _, m := range doc.Models {
		for _, name := range []string{m.Name, m.Model} {
			if strings.TrimSuffix(name, ":latest") == strings.TrimSuffix(o.model, ":latest") {
				digest := strings.TrimPrefix(m.Digest, "sha256:")
				return digest[:min(12, len(digest))], nil
			}
		}
	}
	return "", nil
}
