package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func BenchmarkSave(b *testing.B) {
	h := newAPI(b, httpapi.Options{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		body := fmt.Sprintf(`{"session_id":"s","project":"p","type":"decision","title":"Decision %d","content":"We decided %d to keep the cookie."}`, i, i)
		if w := ask(h, "POST", "/observations", body); w.Code != 201 {
			b.Fatalf("POST /observations: got %d %s", w.Code, w.Body)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	h := newAPI(b, httpapi.Options{})
	words := []string{"cookie", "token", "cache", "index", "queue", "login", "retry", "schema", "render", "worker"}
	for i := range 1000 {
		body := fmt.Sprintf(`{"session_id":"s","project":"p","title":"Note %d","content":"The %s of the %s waits for the %s."}`,
			i, words[i%10], words[i/10%10], words[i/100%10])
		load(b, h, [2]string{"POST /observations", body})
	}
	b.ReportAllocs()
	for b.Loop() {
		if w := ask(h, "GET", "/search?q=why+does+the+login+queue+wait&project=p", ""); w.Code != 200 {
			b.Fatalf("GET /search: got %d %s", w.Code, w.Body)
		}
	}
}

// BenchmarkChain is what the frontend adds to a verb: guard, routing, encoding.
func BenchmarkChain(b *testing.B) {
	h := newAPI(b, httpapi.Options{Token: func() string { return token }})
	b.ReportAllocs()
	for b.Loop() {
		if w := ask(h, "GET", "/health", ""); w.Code != 200 {
			b.Fatalf("GET /health: got %d %s", w.Code, w.Body)
		}
	}
}
