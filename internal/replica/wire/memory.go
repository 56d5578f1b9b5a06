package wire

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The structs of native items. That of a memory has revisions and vectors too.
var (
	projectShape = sync.OnceValue(func() reflect.Type { return shapeOf[engram.Project](struct{ Trail }{}) })
	sessionShape = sync.OnceValue(func() reflect.Type { return shapeOf[engram.Session](struct{ Trail }{}) })
	promptShape  = sync.OnceValue(func() reflect.Type { return shapeOf[engram.Prompt](struct{ Trail }{}) })
	memoryShape  = sync.OnceValue(func() reflect.Type {
		return shapeOf[engram.Memory](struct {
			Revisions []Revision `json:"revisions,omitempty"`
			Vectors   Vectors    `json:"vectors,omitempty"`
			Trail
		}{})
	})
)

// fieldsOf returns the fields of a native item: those of T but the folder of a project, which is local to a machine.
func fieldsOf[T any]() []engram.Field[T] {
	all := engram.Fields[T]()
	if local := slices.IndexFunc(all, func(f engram.Field[T]) bool { return f.Name == "root" }); local >= 0 {
		return slices.Concat(all[:local], all[local+1:])
	}
	return all
}

// shapeOf returns the struct of a native item: the fields of T in their order, then those of more. Fractions are
// pointers, since one that is not there need not be zero.
func shapeOf[T any](more any) reflect.Type {
	always := []string{"id", "sync_id", "name", "project", "scope", "type", "title", "content"}
	types := map[reflect.Type]reflect.Type{reflect.TypeFor[time.Time](): reflect.TypeFor[Time](),
		reflect.TypeFor[[]engram.Anchor](): reflect.TypeFor[Anchors](), reflect.TypeFor[float64](): reflect.TypeFor[*float64]()}
	var shape []reflect.StructField
	for i, f := range fieldsOf[T]() {
		tag, typ := f.Name+",omitempty,omitzero", reflect.TypeOf(f.Value(new(T)))
		if slices.Contains(always, f.Name) {
			tag = f.Name
		}
		shape = append(shape, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: cmp.Or(types[typ], typ), Tag: reflect.StructTag(`json:"` + tag + `"`)})
	}
	for i := range reflect.TypeOf(more).NumField() {
		shape = append(shape, reflect.TypeOf(more).Field(i))
	}
	return reflect.StructOf(shape)
}

// itemOf returns noun as a native item of a shape.
func itemOf[T any](shape reflect.Type, noun *T, t Trail) reflect.Value {
	n := reflect.New(shape).Elem()
	for i, f := range fieldsOf[T]() {
		from := f.Of(noun)
		switch to := n.Field(i).Addr().Interface().(type) {
		case *Time:
			to.Time = *from.(*time.Time)
		case **float64:
			*to = from.(*float64)
		default:
			n.Field(i).Set(reflect.ValueOf(from).Elem().Convert(n.Field(i).Type()))
		}
	}
	*last[Trail](n, 1) = t
	return n
}

// last returns a pointer to the i-th last field of a native item.
func last[F any](n reflect.Value, i int) *F { return n.Field(n.NumField() - i).Addr().Interface().(*F) }

// decodeItem decodes layers of a native item into noun, which r has, and then calls more with the item.
func decodeItem[T any](shape reflect.Type, noun *T, r engram.Record, layers [][]byte, more ...func(reflect.Value)) (engram.Record, error) {
	n := reflect.New(shape).Elem()
	return decodeInto(n.Addr().Interface(), func() engram.Record {
		for i, f := range fieldsOf[T]() {
			to := f.Of(noun)
			switch from := n.Field(i).Addr().Interface().(type) {
			case *Time:
				*to.(*time.Time) = from.Time
			case **float64:
				*to.(*float64) = Or(*from, *to.(*float64))
			default:
				to := reflect.ValueOf(to).Elem()
				to.Set(n.Field(i).Convert(to.Type()))
			}
		}
		for _, read := range more {
			read(n)
		}
		return with(*last[Trail](n, 1), r)
	}, layers)
}

// Revision is an earlier text of a memory.
type Revision struct {
	Number     int                 `json:"number"`
	Type       engram.Type         `json:"type"`
	Title      string              `json:"title"`
	Content    string              `json:"content"`
	WrittenAt  Time                `json:"written_at,omitzero"`
	ReplacedAt Time                `json:"replaced_at,omitzero"`
	Reason     string              `json:"reason,omitempty"`
	Stamp      engram.VersionStamp `json:"stamp,omitzero"` // the write that made it
}

// Vector is a vector of a memory: 32-bit floats, little-endian, in base64.
type Vector struct {
	Model  string `json:"model"`
	Values []byte `json:"values"`
}

// Vectors can be computed again, so a malformed one does not invalidate the memory: it is read
// without numbers.
type Vectors []Vector

// Anchors are those of a memory, as engram.Anchor is written. Malformed ones are dropped: they do
// not invalidate the memory.
type Anchors []engram.Anchor

// UnmarshalJSON implements json.Unmarshaler; it accepts any JSON.
func (a *Anchors) UnmarshalJSON(b []byte) error {
	var items []json.RawMessage
	*a = nil
	if json.Unmarshal(b, &items) != nil {
		return nil
	}
	for _, item := range items {
		var one engram.Anchor
		if json.Unmarshal(item, &one) == nil {
			*a = append(*a, one)
		}
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler; it accepts any JSON.
func (v *Vectors) UnmarshalJSON(b []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(b, &items) != nil {
		items = []json.RawMessage{b}
	}
	*v = nil
	for _, item := range items {
		var one Vector
		if json.Unmarshal(item, &one) != nil || len(one.Values)%bytesPerNumber != 0 {
			one.Values = nil
		}
		*v = append(*v, one)
	}
	return nil
}

const bytesPerNumber = 4

func memoryOf(r engram.MemoryRecord, t Trail) any {
	n := itemOf(memoryShape(), &r.Memory, t)
	revisions, vectors := last[[]Revision](n, 3), last[Vectors](n, 2)
	for _, v := range r.Revisions {
		*revisions = append(*revisions, Revision{v.Number, v.Type, v.Title, v.Content, At(v.WrittenAt), At(v.ReplacedAt), v.Reason, v.Stamp})
	}
	for _, v := range r.Vectors {
		*vectors = append(*vectors, Vector{v.Model, floats(v.Values)})
	}
	return n.Addr().Interface()
}

func decodeMemory(layers [][]byte) (engram.Record, error) {
	r := &engram.MemoryRecord{Memory: engram.Memory{Importance: engram.DefaultImportance, Strength: 1}}
	return decodeItem(memoryShape(), &r.Memory, engram.Record{Memory: r}, layers, func(n reflect.Value) {
		for _, v := range *last[[]Revision](n, 3) {
			r.Revisions = append(r.Revisions, engram.Revision{Number: v.Number, Type: v.Type, Title: v.Title, Content: v.Content,
				WrittenAt: v.WrittenAt.Time, ReplacedAt: v.ReplacedAt.Time, Reason: v.Reason, Stamp: v.Stamp})
		}
		for _, v := range *last[Vectors](n, 2) {
			r.Vectors = append(r.Vectors, engram.FingerprintedRow{Model: v.Model, Values: numbers(v.Values)})
		}
	})
}

// floats encodes a vector.
func floats(values []float32) []byte {
	b := make([]byte, 0, bytesPerNumber*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// numbers decodes a vector.
func numbers(b []byte) []float32 {
	values := make([]float32, len(b)/bytesPerNumber)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[bytesPerNumber*i:]))
	}
	return values
}
