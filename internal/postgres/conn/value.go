package conn

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Instant reads milliseconds since 1970 into a time, NULL into the zero time.
type Instant struct{ Time *time.Time }

// ScanInt64 implements pgtype.Int64Scanner.
func (i Instant) ScanInt64(v pgtype.Int8) error {
	*i.Time = time.Time{}
	if v.Valid {
		*i.Time = time.UnixMilli(v.Int64).UTC()
	}
	return nil
}

// Given reads a text; NULL is "".
type Given struct{ Text *string }

// ScanText implements pgtype.TextScanner.
func (g Given) ScanText(v pgtype.Text) error {
	*g.Text = v.String
	return nil
}

// Number reads a number; NULL is 0.
type Number struct{ N *int64 }

// ScanInt64 implements pgtype.Int64Scanner.
func (n Number) ScanInt64(v pgtype.Int8) error {
	*n.N = v.Int64
	return nil
}

// JSON reads JSON from a text; NULL and an empty list leave the zero value.
type JSON struct{ Value any }

// ScanText implements pgtype.TextScanner.
func (j JSON) ScanText(v pgtype.Text) error {
	if v.String == "" || v.String == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(v.String), j.Value)
}
