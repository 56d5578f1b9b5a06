package trial

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// Config is a way of asking: options of a search, over those that are its defaults.
// The zero value is the defaults.
type Config struct {
	text    string
	options []option
}

type option struct{ name, value string }

// ParseConfig reads options: name=value by commas, a name alone is yes. Names are the fields of
// engine.SearchInput in lower case that hold a word, number or switch. CodeInvalid for an unknown name,
// one given twice or a value of the wrong kind; the engine checks words when it is asked.
func ParseConfig(s string) (Config, error) {
	c := Config{text: strings.TrimSpace(s)}
	for _, part := range strings.Split(s, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, given := strings.Cut(part, "=")
		if !given {
			value = "true"
		}
		o := option{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)}
		if slices.ContainsFunc(c.options, func(p option) bool { return p.name == o.name }) {
			return Config{}, engram.Errorf(engram.CodeInvalid, "the search option %q is given twice", o.name)
		}
		c.options = append(c.options, o)
	}
	return c, c.apply(&engine.SearchInput{})
}

// String is the options as they were given, "default" for none.
func (c Config) String() string {
	if len(c.options) == 0 {
		return "default"
	}
	return c.text
}

// apply sets the options in in.
func (c Config) apply(in *engine.SearchInput) error {
	fields := optionFields(in)
	for _, o := range c.options {
		f, ok := fields[o.name]
		if !ok {
			return engram.Errorf(engram.CodeInvalid, "there is no search option %q", o.name).
				WithHint("options are: %s", strings.Join(Options(), ", "))
		}
		if err := set(f, o.value); err != nil {
			return engram.Errorf(engram.CodeInvalid, "search option %s: %v", o.name, err)
		}
	}
	return nil
}

// Options lists the names of the options of a search, in the order of the fields.
func Options() []string {
	var names []string
	t := reflect.TypeFor[engine.SearchInput]()
	for i := range t.NumField() {
		if isOption(t.Field(i)) {
			names = append(names, strings.ToLower(t.Field(i).Name))
		}
	}
	return names
}

// optionFields are the fields of in by the names of their options. They are found by
// reflection so that an option of Search is one here from the day it exists.
func optionFields(in *engine.SearchInput) map[string]reflect.Value {
	v := reflect.ValueOf(in).Elem()
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		if f := v.Type().Field(i); isOption(f) {
			fields[strings.ToLower(f.Name)] = v.Field(i)
		}
	}
	return fields
}

// isOption reports a field that says how to search: what is asked, where and for how
// many is the same in every configuration.
func isOption(f reflect.StructField) bool {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Float64:
		return f.IsExported() && f.Name != "Query" && f.Name != "Limit"
	}
	return false
}

// set reads value into f, which isOption has passed.
func set(f reflect.Value, value string) error {
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	switch f.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is not true or false", value)
		}
		f.SetBool(b)
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", value)
		}
		f.SetInt(int64(n))
	case reflect.Float64:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", value)
		}
		f.SetFloat(x)
	default:
		f.SetString(value)
	}
	return nil
}
