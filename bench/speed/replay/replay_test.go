package replay

import (
	"reflect"
	"testing"
)

func TestArgumentsAreThoseThatSQLiteFilledIn(t *testing.T) {
	for _, tt := range []struct {
		sql, expanded string
		want          []any
	}{
		{"SELECT 1", "SELECT 1", nil},
		{"SELECT ?, ? FROM t", "SELECT -12, 'it''s ? here' FROM t", []any{int64(-12), "it's ? here"}},
		{"SELECT ?2 + ?1, '?', ?2", "SELECT 1.5 + NULL, '?', 1.5", []any{nil, 1.5}},
		{"VALUES (?,?,?)", "VALUES (x'00ff',1e+20,'')", []any{[]byte{0, 255}, 1e20, ""}},
		{"SELECT ?3, ?", "SELECT 7, 8", []any{nil, nil, int64(7), int64(8)}},
	} {
		got, err := Arguments(tt.sql, tt.expanded)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, %v, want %v", tt.expanded, got, err, tt.want)
		}
	}
	for _, wrong := range [][2]string{{"SELECT ?", "SELECT 'open"}, {"SELECT ? FROM a", "SELECT 1 FROM b"}, {"SELECT ?", "UPDATE 1"}, {"SELECT ?", "SELECT x'0'"}} {
		if got, err := Arguments(wrong[0], wrong[1]); err == nil {
			t.Errorf("%s: got %v, want an error", wrong[1], got)
		}
	}
}

func TestStatementsAreReadAsTheyWereWritten(t *testing.T) {
	want := []Statement{{SQL: "BEGIN"}, {SQL: "SELECT ?,\n?,?,?,?", Args: []any{nil, int64(-1), 0.1, "text", []byte{0x1e, 0x1f}}, Rows: 3}}
	if got, err := Parse(string(Format(want))); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := Parse(""); err != nil || got != nil {
		t.Errorf("of nothing: got %v, %v", got, err)
	}
	for _, wrong := range []string{"x\x1fBEGIN\x1e", "1\x1e", "1\x1fSELECT ?\x1fiten\x1e", "1\x1fSELECT ?\x1f\x1e"} {
		if got, err := Parse(wrong); err == nil {
			t.Errorf("%q: got %v, want an error", wrong, got)
		}
	}
}
