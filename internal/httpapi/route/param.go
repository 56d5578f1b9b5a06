package route

import "github.com/alanbuscaglia/engram/internal/document"

// Param is a parameter in the query of a route. Handlers take default and bounds from it, and so does the
// OpenAPI document.
type Param struct {
	Name     string
	Doc      string
	Kind     Kind
	Enum     []string // the allowed values; empty for any
	Default  any      // counts when the parameter is absent; nil for none
	Min, Max *float64
	Required bool
	// Lax makes bad values count as the default, and values above Max as Max, instead of being errors.
	Lax bool
	// exact makes values above Max an error; otherwise they count as Max.
	Exact bool
}

// Kind is the type of a parameter.
type Kind string

// The kinds of parameters.
const (
	KindText   Kind = "string"
	KindWhole  Kind = "integer"
	KindNumber Kind = "number"
	KindFlag   Kind = "boolean"
	KindList   Kind = "array"  // of texts: repeated, or separated by commas
	KindTime   Kind = "time"   // an age, a day or a time
	KindObject Kind = "object" // as JSON, or member by member: name.key=value
)

// Words is a text, or one of enum.
func Words(name, doc string, enum ...string) Param {
	return Param{Name: name, Doc: doc, Kind: KindText, Enum: enum}
}

// Listed is a list of texts.
func Listed(name, doc string) Param { return Param{Name: name, Doc: doc, Kind: KindList} }

// Flag is true or false, the default.
func Flag(name, doc string) Param {
	return Param{Name: name, Doc: doc, Kind: KindFlag, Default: false}
}

// Moment is a time.
func Moment(name, doc string) Param { return Param{Name: name, Doc: doc, Kind: KindTime} }

// Share is a number from 0 to 1.
func Share(name, doc string) Param {
	return Param{Name: name, Doc: doc, Kind: KindNumber, Min: new(0.0), Max: new(1.0)}
}

// Whole is a number from least to most; larger ones count as most.
func Whole(name, doc string, def, least, most int) Param {
	return Param{Name: name, Doc: doc, Kind: KindWhole, Default: def, Min: new(float64(least)), Max: new(float64(most))}
}

// Needed makes p required.
func (p Param) Needed() Param { p.Required = true; return p }

// Leniently makes bad values of p count as the default.
func (p Param) Leniently() Param { p.Lax = true; return p }

// Bounded makes values above Max an error.
func (p Param) Bounded() Param { p.Exact = true; return p }

// Like replaces the description of p.
func (p Param) Like(doc string) Param { p.Doc = doc; return p }

// Unset removes the default.
func (p Param) Unset() Param { p.Default = nil; return p }

// Texts converts named texts.
func Texts[T ~string](list ...T) []string {
	return document.Each(list, func(s T) string { return string(s) })
}
