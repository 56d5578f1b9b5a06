package sqlite

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// instant scans milliseconds since 1970 into a time, NULL into the zero time.
type instant struct{ t *time.Time }

// Scan reads a column.
func (i instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*i.t = time.Time{}
	case int64:
		*i.t = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("a time is %T", v)
	}
	return nil
}

// texts scans a JSON array of strings; an empty one leaves nil.
type texts struct{ s *[]string }

// Scan reads a column.
func (x texts) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a list of texts is %T", v)
	}
	if s == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(s), x.s)
}

// millis is the column value of a time: NULL for the zero time.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// orNull is the column value of a text that is often empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// orZero is the column value of a number that is often 0.
func orZero(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// jsonNums writes numbers as a JSON array, for json_each: one statement for any
// number of them.
func jsonNums(nums []int64) string {
	b := []byte{'['}
	for i, n := range nums {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}
