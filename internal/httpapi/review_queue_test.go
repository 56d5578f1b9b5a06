package httpapi_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func TestAnErrorSaysWhatWasDecidedBeforeIt(t *testing.T) {
	for _, tt := range []struct {
		names string
		want  string // in the answer
	}{
		{`["3","w999"]`, "done before that: 3"},
		{`["3","2","no name"]`, "done before that: 3, 2"},
	} {
		h := newAPI(t, httpapi.Options{})
		stocked(t, h)
		w := ask(h, "POST", "/review/refuse", `{"names":`+tt.names+`}`)
		if w.Code < 400 || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("refuse %s: got %d %s, want an error with %q", tt.names, w.Code, w.Body, tt.want)
		}
	}
}
