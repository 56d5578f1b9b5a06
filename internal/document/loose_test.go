package document_test

import (
	"encoding/json"
	"testing"

	"github.com/alanbuscaglia/engram/internal/document"
)

func TestWhatStandsInQuotesIsMeant(t *testing.T) {
	for in, want := range map[string]string{
		`"12"`: `12`, `" -1.5e3 "`: `-1.5e3`, `"true"`: `true`, `"False"`: `false`, `12`: `12`, `true`: `true`,
		`"twelve"`: `"twelve"`, `""`: `""`, `"null"`: `"null"`, `"12 13"`: `"12 13"`, `"0x10"`: `"0x10"`, `"NaN"`: `"NaN"`, `"[1]"`: `"[1]"`,
		`{}`: `{}`, `null`: `null`, `"1`: `"1`,
	} {
		if got := document.Unquoted(json.RawMessage(in)); string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestListsAreTakenInEachForm(t *testing.T) {
	for in, want := range map[string]string{
		`["a","b"]`: `["a","b"]`, `"a, b,,"`: `["a","b"]`, `"a"`: `["a"]`, `"[\"a, b\", \"c\"]"`: `["a, b","c"]`, `"[1,2]"`: `[1,2]`, `[]`: `[]`, `" "`: `[]`,
		`"[a]"`: `["[a]"]`, `"<é>"`: `["<é>"]`,
	} {
		items, ok := document.Items(json.RawMessage(in))
		var got, wanted []any
		b, err := json.Marshal(items)
		if err != nil || json.Unmarshal(b, &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil {
			t.Fatalf("%s: %s, %v", in, b, err)
		}
		again, err := json.Marshal(got)
		if wanted, err := json.Marshal(wanted); !ok || err != nil || string(again) != string(wanted) {
			t.Errorf("%s: got %s, %v, want %s (%v)", in, again, ok, want, err)
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, in := range []string{`{}`, `5`, `true`, `null`} {
		if items, ok := document.Items(json.RawMessage(in)); ok {
			t.Errorf("%s is no list: got %s", in, items)
		}
	}
}

// The result of loose reading is always JSON.
func FuzzLoose(f *testing.F) {
	for _, s := range []string{`"12"`, `"a,b"`, `"[1,[2]]"`, `["x"]`, `"\ud800,"`, `"tRue"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		if got := document.Unquoted(raw); !json.Valid(got) {
			t.Errorf("%s: unquoted is %s", raw, got)
		}
		items, _ := document.Items(raw)
		for _, item := range items {
			if !json.Valid(item) {
				t.Errorf("%s: an item is %s", raw, item)
			}
		}
	})
}
