package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func TestBeyondTheLoopbackReadingNeedsTheToken(t *testing.T) {
	t.Parallel()
	a := httpapi.New(httpapi.Options{Engine: enginetest.New(t), Exposed: true, Token: func() string { return "right" }})
	for _, tt := range []struct {
		path, token string
		want        int
	}{
		{"/health", "", http.StatusOK},
		{"/search?q=x", "", http.StatusUnauthorized},
		{"/context", "wrong", http.StatusUnauthorized},
		{"/context", "right", http.StatusOK},
		{"/stats", "", http.StatusUnauthorized},
		{"/nowhere", "", http.StatusUnauthorized},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost:7437"+tt.path, nil)
		if tt.token != "" {
			r.Header.Set("Authorization", "Bearer "+tt.token)
		}
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("GET %s with token %q: got %d, want %d", tt.path, tt.token, w.Code, tt.want)
		}
	}
}
