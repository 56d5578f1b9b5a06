package conn

import (
	"encoding/json"
	"fmt"
	"time"
)

// Instant scans milliseconds since 1970 into a time, NULL into the zero time.
type Instant struct{ Time *time.Time }

// Scan reads a column.
func (i Instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*i.Time = time.Time{}
	case int64:
		*i.Time = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("a time is %T", v)
	}
	return nil
}

// JSON scans JSON; NULL and an empty list leave the zero value.
type JSON struct{ Value any }

// Scan reads a column.
func (j JSON) Scan(v any) error {
	s, is := v.(string)
	if !is && v != nil {
		return fmt.Errorf("JSON is %T", v)
	}
	if s == "" || s == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(s), j.Value)
}

// Given scans a text; NULL leaves "".
type Given struct{ Text *string }

// Scan reads a column.
func (g Given) Scan(v any) error {
	s, is := v.(string)
	if !is && v != nil {
		return fmt.Errorf("a text is %T", v)
	}
	*g.Text = s
	return nil
}
