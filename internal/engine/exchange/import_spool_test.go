package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

// filled sets every field that is kept to a distinct value, so that a field that is added to records and not kept
// shows.
func filled(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Date(2026, 1, 2, 3, 4, 5, *n*int(time.Millisecond), time.UTC)
		return
	case *engram.VersionStamp:
		*x = engram.VersionStamp{At: engram.Clock(*n), Device: fmt.Sprint("device", *n)}
		return
	case *map[string]any:
		*x = map[string]any{"key": "value", "list": []any{1.5, true, nil}}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Tag.Get("json") == "-" || f.Type.Name() == "error" {
				continue
			}
			filled(t, v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		filled(t, v.Index(0), n)
		filled(t, v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			value := reflect.New(v.Type().Elem()).Elem()
			filled(t, value, n)
			v.SetMapIndex(reflect.ValueOf(fmt.Sprint("k", *n)).Convert(v.Type().Key()), value)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text\x00%d ü", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-int64(*n) << 40)
	case reflect.Float64, reflect.Float32:
		v.SetFloat(float64(*n) / 7)
	default:
		t.Fatalf("%s: a kind of value that no record had", v.Type())
	}
}

func TestARecordComesBackAsItWasKept(t *testing.T) {
	full, n := Incoming{}, 0
	filled(t, reflect.ValueOf(&full).Elem(), &n)
	cases := map[string]Incoming{
		"all that a record can hold":  full,
		"nothing":                     {},
		"a memory with nothing in it": {Record: engram.Record{Memory: &engram.MemoryRecord{}, Causal: &engram.CausalMetadata{}}},
		"lists without members are not nil": {Record: engram.Record{Memory: &engram.MemoryRecord{Memory: engram.Memory{Tags: []string{},
			Metadata: map[string]any{}}, Revisions: []engram.Revision{}}, Causal: &engram.CausalMetadata{Sets: map[string]engram.Dots{"a": {}, "b": nil}}}},
	}
	for name, want := range cases {
		line, err := json.Marshal(want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got Incoming
		if err := json.Unmarshal(line, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}

func TestKeptAndSpooledRecordsComeInTheirOrder(t *testing.T) {
	const all = 5*BatchSize + 7
	for _, kept := range []int{0, 1, BatchSize, 3*BatchSize + 5, all} {
		w, err := new(Porter).newSpool()
		if err != nil {
			t.Fatal(err)
		}
		for n := range all {
			if n == kept {
				w.kept = mostKept
			}
			if err := w.add(Incoming{Record: engram.Record{Item: fmt.Sprint(n)}}); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(slices.Concat(w.first...)); n != kept {
			t.Errorf("%d records are kept, want %d", n, kept)
		}
		next := 0
		nothing := func(context.Context, []Incoming) (func() computed, error) {
			return func() computed { return computed{} }, nil
		}
		err = w.each(t.Context(), nothing, func(b spooledBatch) error {
			for _, r := range b.records {
				if r.Item != fmt.Sprint(next) {
					t.Fatalf("record %q comes as number %d", r.Item, next)
				}
				next++
			}
			return b.err
		})
		if err != nil || next != all {
			t.Errorf("with %d kept: %d of %d records come, %v", kept, next, all, err)
		}
	}
}
