package provider

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/endpoint"
)

// openai is the API of OpenAI, which most servers of models have.
//
// Source: https://platform.openai.com/docs/api-reference/embeddings
type openai struct {
	server *endpoint.Client
	model  string
	places calls
}

func newOpenAI(server *endpoint.Client, model string) *openai {
	o := &openai{server: server, model: model, places: calls{all: []call{{path: "/embeddings"}}}}
	if !hasPath(server.Base()) {
		o.places.all = []call{{path: "/v1/embeddings"}, {path: "/embeddings"}}
	}
	return o
}

// ofCall returns a configured address without the operation: documentation often shows the whole.
func ofCall(base string, operations ...string) string {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	for _, operation := range operations {
		base = strings.TrimSuffix(base, operation)
	}
	return base
}

func (o *openai) embed(ctx context.Context, texts []string, how endpoint.Call) (vs [][]float32, err error) {
	if how.Body, err = json.Marshal(map[string]any{"model": o.model, "input": texts, "encoding_format": "float"}); err != nil {
		return nil, err
	}
	return vs, o.places.first(func(at call) error {
		how.Path = at.path
		answer, err := o.server.Do(ctx, how)
		if err != nil {
			return err
		}
		var doc struct{ Data json.RawMessage }
		if err := json.Unmarshal(answer, &doc); err != nil {
			return wrong(o.server, err)
		}
		vs = make([][]float32, len(texts))
		taken := make([]bool, len(texts))
		return wrong(o.server, each(doc.Data, len(texts), func(i int, element json.RawMessage) error {
			var one struct {
				Index     *int
				Embedding json.RawMessage
			}
			if err := json.Unmarshal(element, &one); err != nil {
				return err
			}
			i, err := placed(one.Index, i, taken)
			if err != nil {
				return err
			}
			vs[i], err = numbers(one.Embedding)
			return err
		}))
	})
}

// version is unknown: servers have the model's name alone.
func (o *openai) version(context.Context, time.Duration) (string, error) { return "", nil }
