package exchange_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// An export of a used store matches the schema: with causal metadata, versions, vectors, forgotten and erased things.
func TestAnExportIsAsTheSchemaSays(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	save := func(title, content string) engram.Memory {
		t.Helper()
		got, err := e.Save(t.Context(), remember.SaveInput{Project: "shop", Title: title, Content: content, Tags: []string{"auth"}, TopicKey: "architecture/" + title})
		if err != nil {
			t.Fatal(err)
		}
		return got.Memory
	}
	save("auth", "JWT, 15 minutes")
	kept := save("auth", "JWT, 5 minutes")
	gone := save("pool", "20 connections")
	if _, err := e.Forget(t.Context(), engram.ByNum(gone.Num)); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := e.Export(t.Context(), &b, exchange.ExportInput{Vectors: true}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../replica/jsonfile/export.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	var file any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b.String()), &file); err != nil {
		t.Fatal(err)
	}
	if r, err := schema.Resolve(nil); err != nil {
		t.Error(err)
	} else if err := r.Validate(file); err != nil {
		t.Errorf("%v\n%s", err, b.String())
	}
	for _, part := range []string{`"lineage":{"base":"`, `"parts":{`, `"revisions":[{`, `"stamp":"`, `"vectors":[{`, `"deleted_at":"`, string(kept.ID)} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("the export has no %s:\n%s", part, b.String())
		}
	}
}
