package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
)

func TestALanguageModelIsThereOnlyWhenNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []config.Config{{}, {LLMKey: "sk-1"}} {
		if x := extractorOf(c); x != nil {
			t.Errorf("%+v: got %v, want none", c, x)
		}
	}
	if x := extractorOf(config.Config{LLMModel: "qwen3"}); x == nil || x.Model() != "qwen3" {
		t.Errorf("a model: got %v", x)
	}
}

func TestTheLanguageModelOfTheSettingsIsAsked(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- r.Header.Get("Authorization") + " " + string(body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{\"title\":\"T\",\"content\":\"C\"}"}}]}`)
	}))
	defer s.Close()
	x := extractorOf(config.Config{LLMBaseURL: s.URL, LLMModel: "qwen3", LLMKey: "sk-1"})
	p, ok, err := x.Extract(t.Context(), []engram.Memory{{Content: "a"}, {Content: "b"}})
	if want := (engram.Pattern{Title: "T", Content: "C"}); err != nil || !ok || p != want {
		t.Fatalf("got %+v, %v, %v, want %+v", p, ok, err, want)
	}
	if got := <-asked; !strings.HasPrefix(got, "Bearer sk-1 ") || !strings.Contains(got, `"qwen3"`) {
		t.Errorf("asked with %s", got)
	}
}

func TestALanguageModelThatCannotBeIsSaidWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	x := extractorOf(config.Config{LLMBaseURL: "http://example.com/v1", LLMModel: "m", LLMKey: "hunter2"})
	if x == nil || x.Model() != "m" {
		t.Fatalf("got %v, want an extractor that says what is wrong", x)
	}
	_, ok, err := x.Extract(t.Context(), nil)
	if ok || engram.CodeOf(err) != engram.CodeInvalid || strings.Contains(err.Error()+engram.HintOf(err), "hunter2") {
		t.Errorf("got %v, %v, want invalid, without the key", ok, err)
	}
}
