package sqlrow

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// ScanInto returns what reads rows with the number of T, if it has one, its fields and more columns. column wraps the
// pointer to a field in what reads its column; it may return it as it is. Every row is read into noun, because pointers
// to all fields for each row would cost a tenth of the time.
func ScanInto[T any](noun *T, fields []engram.Field[T], column func(pointer any) any, more ...any) func(Scanner) (T, error) {
	into := make([]any, 0, 1+len(fields)+len(more))
	if num := reflect.ValueOf(noun).Elem().FieldByName("Num"); num.IsValid() {
		into = append(into, num.Addr().Interface())
	}
	for _, f := range fields {
		into = append(into, column(f.Of(noun)))
	}
	into = append(into, more...)
	return func(s Scanner) (T, error) {
		*noun = *new(T)
		err := s.Scan(into...)
		return *noun, err
	}
}

// WrittenFields has the fields that a memory may change in its row.
var WrittenFields = sync.OnceValue(func() []engram.Field[engram.Memory] {
	return slices.DeleteFunc(slices.Clone(engram.Fields[engram.Memory]()), func(f engram.Field[engram.Memory]) bool {
		return f.Name == "id" || f.Name == "sync_id" || f.Name == "tags"
	})
})

// AppendWritten appends the column values of WrittenFields; project and session are the numbers of m's.
func AppendWritten(values []any, m *engram.Memory, project, session int64) ([]any, error) {
	for _, f := range WrittenFields() {
		var value any
		var err error
		switch v := f.Of(m).(type) {
		case *time.Time:
			value = Millis(*v)
		case *map[string]any:
			value, err = JSONOrNull(*v, len(*v))
		case *[]engram.Anchor:
			value, err = JSONOrNull(*v, len(*v))
		default:
			value = f.Value(m)
		}
		if err != nil {
			return nil, engram.Errorf(engram.CodeInvalid, "%s is not JSON", f.Name).WithCause(err)
		}
		switch f.Name {
		case "project":
			value = project
		case "session_id":
			value = session
		case "topic_key", "tool_name", "summary":
			value = OrNull(value.(string))
		}
		values = append(values, value)
	}
	return values, nil
}
