package httpapi_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func TestTheDescriptionTellsTheEnginesDefaultStrength(t *testing.T) {
	t.Parallel()
	doc := told(ask(newAPI(t, httpapi.Options{}), "GET", "/openapi.json", ""))
	field := regexp.MustCompile(`(?s)"min_strength":\s*\{[^}]*leave out what has faded below[^}]*\}`).FindString(doc)
	if !regexp.MustCompile(`"default":\s*` + regexp.QuoteMeta(fmt.Sprint(read.LeastStrength)) + `\b`).MatchString(field) {
		t.Errorf("min_strength of POST /recall: got %q, want the default %v", field, read.LeastStrength)
	}
}
