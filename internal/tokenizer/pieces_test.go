package tokenizer

import (
	"encoding/json"
	"testing"
)

// Lists are read as encoding/json reads them, or refused.
func FuzzPieces(f *testing.F) {
	for _, list := range []string{`[]`, ` [ ["▁the" , -3.25 ],["\"\\",0],["\u2581",1e-3]]`, `[["a"]]`, `[["a",1,2]]`, `[[1,2]]`, `["a"]`, `{}`, `[["a]",1]]`, `[["a","b"]]`, `[[]]`, `[,["a",1]]`} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		var want [][2]any
		if !json.Valid([]byte(list)) {
			return
		}
		got, err := pieces([]byte(list))
		if err != nil {
			return
		}
		if err := json.Unmarshal([]byte(list), &want); err != nil || len(want) != len(got) {
			t.Fatalf("%s\n got: %v\nwant: %v, %v", list, got, want, err)
		}
		for i, p := range got {
			if want[i] != [2]any{p.text, p.score} {
				t.Fatalf("%s\n got: %v\nwant: %v", list, p, want[i])
			}
		}
	})
}
