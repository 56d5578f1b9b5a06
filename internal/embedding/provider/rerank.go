package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/endpoint"
)

// maxReranked is the most bytes of a text that a reranker reads.
const maxReranked = 8 << 10

// Reranker is an engram.Reranker at a server: llama.cpp, vLLM, Infinity and others in Jina's form, or TEI. Close ends it.
//
// Source: https://jina.ai/reranker, https://huggingface.github.io/text-embeddings-inference
type Reranker struct {
	o       Options
	server  *endpoint.Client
	breaker breaker
	places  calls
}

// NewReranker returns a Reranker without connecting. CodeInvalid for an address or a key that cannot be used, and for
// Ollama, which has no operation for it.
func NewReranker(o Options) (*Reranker, error) {
	if o.API != OpenAI {
		return nil, engram.Errorf(engram.CodeInvalid, "%s cannot rerank", o.API).WithHint("use openai:MODEL@URL, of a server with /rerank")
	}
	o.URL = ofCall(o.URL, "/rerank")
	server, err := o.client(rerankingModel, "rerank_model")
	if err != nil {
		return nil, err
	}
	r := &Reranker{o: o, server: server, breaker: breaker{path: o.State, now: o.Now}}
	if !hasPath(server.Base()) {
		r.places.all = append(r.places.all, call{path: "/v1/rerank"})
	}
	r.places.all = append(r.places.all, call{path: "/rerank"}, call{path: "/rerank", other: true})
	return r, nil
}

// Close closes connections.
func (r *Reranker) Close() error { return r.server.Close() }

// Name is the model's, with the protocol.
func (r *Reranker) Name() string { return r.o.Name() }

// Rerank returns a score for each text, in order. It is not tried while the server is taken to be down. Errors are
// CodeUnavailable, or ctx's own when that has ended.
func (r *Reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if err := r.breaker.open(rerankingModel); err != nil {
		return nil, err
	}
	cut := make([]string, len(texts))
	for i, text := range texts {
		cut[i] = r.o.sent(text, maxReranked)
	}
	query = r.o.sent(query, maxReranked)
	limit, short := within(ctx, r.o.Now(), cmp.Or(r.o.Batch, 30*time.Second))
	scores := make([]float64, len(texts))
	err := r.places.first(func(at call) error {
		// TEI has the second form.
		body := map[string]any{"model": r.o.Model, "query": query, "documents": cut, "top_n": len(cut)}
		if at.other {
			body = map[string]any{"query": query, "texts": cut, "raw_scores": false, "truncate": true}
		}
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		answer, err := r.server.Do(ctx, endpoint.Call{Path: at.path, Body: b, Tries: 1, Within: limit})
		if err != nil {
			return err
		}
		if err := read(answer, scores); err != nil {
			return r.server.Unavailable("gave an answer that cannot be used", "use a model that reranks, and an address of its API").WithCause(err)
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !short || err == nil {
		r.breaker.note(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	return scores, nil
}

// read sets the scores that an answer has: a list, or an object with one.
func read(answer []byte, scores []float64) error {
	list := json.RawMessage(bytes.TrimSpace(answer))
	if len(list) > 0 && list[0] == '{' {
		var doc struct{ Results json.RawMessage }
		if err := json.Unmarshal(list, &doc); err != nil {
			return err
		}
		list = doc.Results
	}
	taken := make([]bool, len(scores))
	return each(list, len(scores), func(i int, element json.RawMessage) error {
		var one struct {
			Index     *int
			Score     *float64
			Relevance *float64 `json:"relevance_score"`
		}
		if err := json.Unmarshal(element, &one); err != nil {
			return err
		}
		score := cmp.Or(one.Relevance, one.Score)
		if one.Index == nil || score == nil || math.IsNaN(*score) || math.IsInf(*score, 0) {
			return errors.New("a result of the answer has no index or no score")
		}
		at, err := placed(one.Index, i, taken)
		if err != nil {
			return err
		}
		scores[at] = *score
		return nil
	})
}
