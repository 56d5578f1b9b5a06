package config

import (
	"os"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Value is one setting in force.
type Value struct {
	Key
	Text   string // as `config set` takes it; "" for none, and for a secret
	Set    bool   // there is a value, though it may be the default
	Origin Origin
}

// Values are all settings in force, in the order of Keys.
func (c Config) Values() []Value {
	all := settings()
	values := make([]Value, len(all))
	for i, s := range all {
		v := Value{Key: s.Key, Text: s.get(c), Origin: c.Origins[s.Name]}
		v.Set = v.Text != ""
		if s.Secret {
			v.Text = ""
		}
		values[i] = v
	}
	return values
}

// Named returns the key of that name; one that nobody knows is CodeInvalid and names
// the nearest.
func Named(name string) (Key, error) {
	all := settings()
	for _, s := range all {
		if s.Name == name {
			return s.Key, nil
		}
	}
	return Key{}, unknownKey(name, "", all)
}

// Hides returns the variable of key that is set, and so goes before the file; "" when
// none is.
func (k Key) Hides(env func(string) (string, bool)) string {
	for _, name := range k.Env {
		if v, ok := env(name); ok && strings.TrimSpace(v) != "" {
			return name
		}
	}
	return ""
}

// Variables returns the names of the variables in the environment of the process.
func Variables() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}

// Stray is a variable that looks like a setting, and that nobody reads.
type Stray struct {
	Name string
	Near string // the variable that was meant, perhaps; "" when none is near
}

// Strays returns those of the variables that begin with ENGRAM_ and are not known, by
// name. They are no error: another version, or a plugin, may read them.
func Strays(variables []string) []Stray {
	known := serverVariables()
	for _, k := range Keys() {
		known = append(known, k.Env...)
	}
	var strays []Stray
	for _, name := range variables {
		if strings.HasPrefix(name, "ENGRAM_") && !slices.Contains(known, name) {
			strays = append(strays, Stray{name, text.Nearest(name, known)})
		}
	}
	slices.SortFunc(strays, func(a, b Stray) int { return strings.Compare(a.Name, b.Name) })
	return strays
}

// String says it to a person.
func (s Stray) String() string {
	if s.Near == "" {
		return s.Name + " is not known, and nobody reads it; engram config list names what is"
	}
	return s.Name + " is not known, and nobody reads it; did you mean " + s.Near + "?"
}

// MayAsk says whether the language model of the settings may be asked: an *engram.Error
// of CodeForbidden when Offline and it is not on this machine.
func (c Config) MayAsk() error {
	if !c.Offline || c.LLMBaseURL == "" || Loopback(hostOf(c.LLMBaseURL)) {
		return nil // without an address it is LM Studio on this machine
	}
	return offline("the language model is not on this machine (%s)", hostOf(c.LLMBaseURL))
}

// MayRun says whether the agent of the settings may be run: an *engram.Error of
// CodeForbidden when Offline, because it hands on what it is given.
func (c Config) MayRun() error {
	if !c.Offline || c.AgentCLI == "" {
		return nil
	}
	return offline("%s hands what it is given to whoever runs its model", c.AgentCLI)
}

func offline(format string, args ...any) error {
	return engram.Errorf(engram.CodeForbidden, "offline is set, and "+format, args...).
		WithHint("{config unset offline} (or ENGRAM_OFFLINE) lets it go out")
}
