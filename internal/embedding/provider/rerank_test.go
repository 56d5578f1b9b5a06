package provider_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/provider"
	"github.com/alanbuscaglia/engram/internal/embedding/provider/providertest"
)

func TestRerankers(t *testing.T) {
	texts := []string{"the doctor came", "office plants", "a physician"}
	s := start(t, providertest.Model{Dimensions: 256})
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"Jina's form", nil},
		{"TEI", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.URL.Path != "/rerank":
				http.NotFound(w, r)
			case !strings.Contains(string(body), `"texts"`):
				providertest.Answer(w, 422, `{"error":"missing field texts"}`)
			default:
				providertest.Answer(w, 200, `[{"index":2,"score":0.9},{"index":0,"score":0.8},{"index":1,"score":0.1}]`)
			}
		}},
	} {
		s.Fail(tt.answer)
		r, err := provider.NewReranker(options(provider.OpenAI, s.URL()))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			scores, err := r.Rerank(t.Context(), "physician", texts)
			if err != nil || len(scores) != 3 || scores[1] >= scores[0] || scores[1] >= scores[2] {
				t.Errorf("%s: got %v, %v", tt.name, scores, err)
			}
		}
		if r.Name() != "openai:bge-m3" {
			t.Errorf("name %q", r.Name())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, body := range []string{`[]`, `{}`, `{"results":[{"index":0,"score":1}]}`, `[{"index":0,"score":1},{"index":0,"score":1},{"index":1,"score":1}]`,
		`[{"index":0},{"index":1},{"index":2}]`, `[{"score":1},{"score":1},{"score":1}]`, `[{"index":0,"score":1e999},{"index":1,"score":1},{"index":2,"score":1}]`, `x`} {
		s.Fail(func(w http.ResponseWriter, _ *http.Request) { providertest.Answer(w, 200, body) })
		r, err := provider.NewReranker(options(provider.OpenAI, s.URL()))
		if err != nil {
			t.Fatal(err)
		}
		if scores, err := r.Rerank(t.Context(), "physician", texts); scores != nil || engram.CodeOf(err) != engram.CodeUnavailable || engram.HintOf(err) == "" {
			t.Errorf("%s: got %v, %v", body, scores, err)
		}
		s.Asked()
		if _, err := r.Rerank(t.Context(), "physician", texts); err == nil || len(s.Asked()) > 0 {
			t.Errorf("%s: it was asked again: %v", body, err)
		}
	}
}
