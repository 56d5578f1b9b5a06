package app

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
)

func TestOfflineNobodyElsewhereIsAsked(t *testing.T) {
	t.Parallel()
	x := extractorOf(config.Config{Offline: true, LLMBaseURL: "https://api.example.com/v1", LLMModel: "m"})
	if x == nil || x.Model() != "m" {
		t.Fatalf("a language model elsewhere: got %v, want one that says why not", x)
	}
	if _, ok, err := x.Extract(t.Context(), nil); ok || engram.CodeOf(err) != engram.CodeForbidden {
		t.Errorf("a language model elsewhere: got %v, %v, want forbidden", ok, err)
	}
	j := judgeOf(config.Config{Offline: true, AgentCLI: "claude"})
	if j == nil || j.Name() != "claude" {
		t.Fatalf("an agent: got %v, want one that says why not", j)
	}
	if _, err := j.Judge(t.Context(), engram.Memory{}, engram.Memory{}); engram.CodeOf(err) != engram.CodeForbidden {
		t.Errorf("an agent: got %v, want forbidden", err)
	}
}

func TestOfflineALanguageModelOnThisMachineIsAsked(t *testing.T) {
	t.Parallel()
	asked := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer s.Close()
	x := extractorOf(config.Config{Offline: true, LLMBaseURL: s.URL})
	_, _, err := x.Extract(t.Context(), []engram.Memory{{Content: "a"}, {Content: "b"}})
	if !asked || engram.CodeOf(err) == engram.CodeForbidden {
		t.Errorf("asked: %v, %v; want it to be asked", asked, err)
	}
}
