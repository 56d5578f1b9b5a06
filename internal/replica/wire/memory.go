package wire

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

// memoryItem is a memory as a native item, complete: an addressable memoryShape.
type memoryItem struct{ reflect.Value }

// memoryShape is the struct of a native item: the fields of engram.Memory in their order, then revisions, vectors and
// Trail. Fractions are pointers, since one that is not there need not be zero.
var memoryShape = func() reflect.Type {
	always := []string{"id", "sync_id", "project", "scope", "type", "title", "content"}
	types := map[reflect.Type]reflect.Type{reflect.TypeFor[time.Time](): reflect.TypeFor[Time](),
		reflect.TypeFor[[]engram.Anchor](): reflect.TypeFor[Anchors](), reflect.TypeFor[float64](): reflect.TypeFor[*float64]()}
	var shape []reflect.StructField
	for i, f := range engram.Fields[engram.Memory]() {
		tag, typ := f.Name+",omitempty,omitzero", reflect.TypeOf(f.Value(&engram.Memory{}))
		if slices.Contains(always, f.Name) {
			tag = f.Name
		}
		shape = append(shape, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: cmp.Or(types[typ], typ), Tag: reflect.StructTag(`json:"` + tag + `"`)})
	}
	more := reflect.TypeFor[struct {
		Revisions []Revision `json:"revisions,omitempty"`
		Vectors   Vectors    `json:"vectors,omitempty"`
		Trail
	}]()
	return reflect.StructOf(append(shape, more.Field(0), more.Field(1), more.Field(2)))
}()

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

// bytesPerNumber is the size of a 32-bit float.
const bytesPerNumber = 4

// more returns what follows the fields of the noun.
func (n memoryItem) more() (*[]Revision, *Vectors, *Trail) {
	at := func(i int) any { return n.Field(n.NumField() - i).Addr().Interface() }
	return at(3).(*[]Revision), at(2).(*Vectors), at(1).(*Trail)
}

func memoryOf(r engram.MemoryRecord, t Trail) any {
	n := memoryItem{reflect.New(memoryShape).Elem()}
	for i, f := range engram.Fields[engram.Memory]() {
		from := f.Of(&r.Memory)
		switch to := n.Field(i).Addr().Interface().(type) {
		case *Time:
			to.Time = *from.(*time.Time)
		case **float64:
			*to = from.(*float64)
		case *Anchors:
			*to = r.Memory.Anchors
		default:
			n.Field(i).Set(reflect.ValueOf(from).Elem())
		}
	}
	revisions, vectors, trail := n.more()
	for _, v := range r.Revisions {
		*revisions = append(*revisions, Revision{v.Number, v.Type, v.Title, v.Content, At(v.WrittenAt), At(v.ReplacedAt), v.Reason, v.Stamp})
	}
	for _, v := range r.Vectors {
		*vectors = append(*vectors, Vector{v.Model, floats(v.Values)})
	}
	*trail = t
	return n.Addr().Interface()
}

func (n memoryItem) record() engram.Record {
	r := &engram.MemoryRecord{Memory: engram.Memory{Importance: engram.DefaultImportance, Strength: 1}}
	for i, f := range engram.Fields[engram.Memory]() {
		to := f.Of(&r.Memory)
		switch from := n.Field(i).Addr().Interface().(type) {
		case *Time:
			*to.(*time.Time) = from.Time
		case **float64:
			*to.(*float64) = Or(*from, *to.(*float64))
		case *Anchors:
			r.Memory.Anchors = *from
		default:
			reflect.ValueOf(to).Elem().Set(n.Field(i))
		}
	}
	revisions, vectors, trail := n.more()
	for _, v := range *revisions {
		r.Revisions = append(r.Revisions, engram.Revision{Number: v.Number, Type: v.Type, Title: v.Title, Content: v.Content,
			WrittenAt: v.WrittenAt.Time, ReplacedAt: v.ReplacedAt.Time, Reason: v.Reason, Stamp: v.Stamp})
	}
	for _, v := range *vectors {
		r.Vectors = append(r.Vectors, engram.FingerprintedRow{Model: v.Model, Values: numbers(v.Values)})
	}
	return with(*trail, engram.Record{Memory: r})
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
