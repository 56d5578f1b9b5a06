package config

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/text"
)

// FileOf returns the configuration file that Load would read, without reading it, so that an
// invalid file can be repaired. Errors are those of Load for the data directory.
func FileOf(s Sources) (string, error) {
	if s.File != "" {
		return s.File, nil
	}
	p, err := s.paths()
	if err != nil {
		return "", err
	}
	all := settings()
	ev := evaluation{paths: p, lookup: func(set setting) []candidate { return s.lookup(set, nil, "") }}
	c := Config{Origins: map[string]Origin{}}
	if err := ev.apply(&c, all[0]); err != nil {
		return "", err
	}
	return c.File(), nil
}

// Set writes one value to the configuration file at path, creating it readable by the user alone;
// changed is false if it had that value. CodeInvalid for an unknown key or an invalid value,
// CodeUnavailable for a file that cannot be read or written.
func Set(path, key, value string) (changed bool, err error) {
	k, err := Named(key)
	if err != nil {
		return false, err
	}
	if !k.InFile {
		return false, engram.Errorf(engram.CodeInvalid, "%s cannot be set in %s", key, FileName).WithHint("set %s instead", k.Env[0])
	}
	if err := checkValue(k, value); err != nil {
		return false, err
	}
	return rewrite(path, func(file []byte) ([]byte, error) {
		out, err := edit(file, key, spell(k, value))
		if err != nil {
			return nil, err
		}
		return out, stillGood(path, file, out, key)
	})
}

// Unset removes a key, also an unknown one, from the configuration file at path; changed is false
// if it was not there. It does not remove tables. Errors are those of Set.
func Unset(path, key string) (changed bool, err error) {
	return rewrite(path, func(file []byte) ([]byte, error) {
		keys, err := readKeys(file)
		if _, there := keys[key]; err == nil && !there {
			if _, err := Named(key); err != nil {
				return nil, err
			}
			return file, nil
		}
		out, err := edit(file, key, "")
		if err != nil {
			return nil, err
		}
		return out, stillGood(path, file, out, key)
	})
}

// stillGood rejects a change that leaves key invalid or makes another key invalid. An invalid file
// may be repaired step by step.
func stillGood(path string, was, now []byte, key string) error {
	before, err := wrongs(path, was)
	if err != nil {
		return err
	}
	after, err := wrongs(path, now)
	if err != nil {
		return err
	}
	if err := after[key]; err != nil {
		return engram.Errorf(engram.CodeInvalid, "%s: %v", key, err).WithHint("nothing was changed")
	}
	for _, other := range slices.Sorted(maps.Keys(after)) {
		if before[other] == nil {
			return engram.Errorf(engram.CodeInvalid, "this change makes %s invalid: %s: %v", filepath.Base(path), other, after[other]).
				WithHint("nothing was changed")
		}
	}
	return nil
}

// wrongs returns the errors in a file, by key. Each value is validated together with the valid ones
// and the defaults of the others.
func wrongs(path string, file []byte) (map[string]error, error) {
	keys, err := readKeys(file)
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "the configuration file is not valid TOML: %v", err).WithHint("repair it in an editor first")
	}
	wrong, values, all := map[string]error{}, map[string]string{}, settings()
	for key, value := range keys {
		text, err := textOf(key, value, path, all)
		if err != nil {
			wrong[key] = err
			continue
		}
		values[key] = text
	}
	for {
		err := evaluateText(path, values, all)
		if err == nil {
			return wrong, nil
		}
		bad, ok := errors.AsType[*badValue](err)
		if !ok {
			return nil, err
		}
		if _, there := values[bad.key]; !there {
			return nil, err
		}
		wrong[bad.key] = bad.err
		delete(values, bad.key)
	}
}

// evaluateText reads settings from the values of one file. Any home will do: it does not affect
// validity.
func evaluateText(path string, values map[string]string, all []setting) error {
	root := filepath.Dir(path)
	ev := evaluation{paths: paths{home: root, dir: root}, strict: true, lookup: func(set setting) []candidate {
		if set.Name == keyDataDir {
			return []candidate{{root, Origin{}}}
		}
		return Sources{}.lookup(set, values, path)
	}}
	_, err := ev.run(all)
	return err
}

// rewrite changes a file atomically and keeps a link a link.
func rewrite(path string, change func([]byte) ([]byte, error)) (changed bool, err error) {
	const tries = 5
	for range tries {
		file, err := readThere(path)
		if err != nil {
			return false, err
		}
		out, err := change(file)
		if err != nil || bytes.Equal(file, out) {
			return false, err
		}
		// Another process may have changed it meanwhile: read it again.
		if again, err := readThere(path); err != nil || !bytes.Equal(again, file) {
			continue
		}
		if err := replace(path, out); err != nil {
			return false, engram.Errorf(engram.CodeUnavailable, "cannot write %s", path).
				WithHint("check that its folder is writable; nothing has changed").WithCause(err)
		}
		return true, nil
	}
	return false, engram.Errorf(engram.CodeUnavailable, "another program keeps changing %s", path).WithHint("try again")
}

// readThere reads a file; a missing one is empty.
func readThere(path string) ([]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(path, err)
	}
	return file, nil
}

// replace writes a file readable by the user alone: it may hold a token.
func replace(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, text, atomicfile.Options{Mode: 0o600})
}

// Value is one setting in force.
type Value struct {
	Key
	Text   string // as `config set` accepts it; "" for none and for a secret
	Set    bool   // there is a value, possibly the default
	Origin Origin
}

// Values returns all settings in force, in the order of Keys.
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

// Named returns the key of that name. CodeInvalid, with the nearest name, for an unknown one.
func Named(name string) (Key, error) {
	all := settings()
	for _, s := range all {
		if s.Name == name {
			return s.Key, nil
		}
	}
	return Key{}, unknownKey(name, "", all)
}

// Hides returns the set variable of key that overrides the file; "" for none.
func (k Key) Hides(env func(string) (string, bool)) string {
	for _, name := range k.Env {
		if v, ok := env(name); ok && strings.TrimSpace(v) != "" {
			return name
		}
	}
	return ""
}

// Variables returns the names of the process's environment variables.
func Variables() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}

// Stray is a variable that looks like a setting but is not one.
type Stray struct {
	Name string
	Near string // the variable probably meant; "" for none
}

// Strays returns the unknown variables that begin with ENGRAM_, by name. They are not errors:
// another version or a plugin may read them.
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

// String describes it to a person.
func (s Stray) String() string {
	if s.Near == "" {
		return s.Name + " is unknown and ignored; see engram config list"
	}
	return s.Name + " is unknown and ignored; did you mean " + s.Near + "?"
}

// MayAsk returns CodeForbidden if Offline is set and the configured language model is not on this
// machine.
func (c Config) MayAsk() error {
	if !c.Offline || c.LLMBaseURL == "" || Loopback(hostOf(c.LLMBaseURL)) {
		return nil // the default address is on this machine
	}
	return offline("the language model is not on this machine (%s)", hostOf(c.LLMBaseURL))
}

// MayRun returns CodeForbidden if Offline is set and an agent is configured: it sends its input on.
func (c Config) MayRun() error {
	if !c.Offline || c.AgentCLI == "" {
		return nil
	}
	return offline("%s sends its input to the provider of its model", c.AgentCLI)
}

// MayPull returns CodeForbidden if models may not be downloaded: Offline is set, or HF_HUB_OFFLINE as other programs
// understand it.
func (c Config) MayPull(env func(string) (string, bool)) error {
	if c.Offline {
		return offline("models are downloaded from another machine")
	}
	var on bool
	if v, _ := env("HF_HUB_OFFLINE"); setSwitch(&on, v) == nil && on {
		return engram.Errorf(engram.CodeForbidden, "HF_HUB_OFFLINE is set, and models are downloaded from another machine").
			WithHint("unset HF_HUB_OFFLINE, or copy the model's folder here and run {model add FOLDER}")
	}
	return nil
}

func offline(format string, args ...any) error {
	return engram.Errorf(engram.CodeForbidden, "offline is set, and "+format, args...).
		WithHint("use {config unset offline} (or ENGRAM_OFFLINE) to allow it")
}
