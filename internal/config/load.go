package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Sources are the places to read from. The zero value gives the defaults of a
// machine without a home directory, which is an error.
type Sources struct {
	// Flags holds the flags that were given, by key (data_dir, port, …).
	Flags map[string]string
	// Env looks a variable up, as os.LookupEnv does. Nil is an empty environment.
	Env func(string) (string, bool)
	// File is the configuration file; "" is config.toml in the data directory. A file
	// that does not exist is an empty one.
	File string
	// Dir is what relative paths of flags and the environment are relative to; "" is the
	// working directory. Those of the file are relative to the data directory.
	Dir string
}

// Load reads every setting. Errors are *engram.Error: CodeInvalid for a key nobody
// knows and a value that does not fit, CodeUnavailable when the file cannot be read.
// It writes nothing and makes no directory.
func Load(s Sources) (Config, error) {
	if s.Env == nil {
		s.Env = func(string) (string, bool) { return "", false }
	}
	all := settings()
	if err := checkFlags(s.Flags, all); err != nil {
		return Config{}, err
	}
	p, err := s.paths()
	if err != nil {
		return Config{}, err
	}
	path := s.File
	var file map[string]string // read as soon as the data directory is known, which is the first key
	var c Config
	c, err = evaluate(all, p, func(set setting) (string, Origin) { return s.lookup(set, file, path) }, func(dir string) error {
		if path == "" {
			path = filepath.Join(dir, FileName)
		}
		file, err = readFile(path, all)
		return err
	})
	if err != nil {
		return Config{}, err
	}
	c.Path = path
	return c, nil
}

// evaluate sets every key to what lookup has for it, or its default. With the data
// directory known it calls each of located.
func evaluate(all []setting, p paths, lookup func(setting) (string, Origin), located ...func(dir string) error) (Config, error) {
	c := Config{Origins: make(map[string]Origin, len(all))}
	for _, set := range all {
		value, from := lookup(set)
		if value == "" {
			var err error
			if value, err = set.fallback(c, p); err != nil {
				return Config{}, err
			}
		}
		at := p
		if from.Source == SourceFile {
			// A file means the same wherever one stands, so what is relative in it is
			// relative to the folder that it belongs to.
			at.dir = c.DataDir
		}
		if err := set.set(&c, at, value); err != nil {
			bad := &badValue{set.Name, err}
			return Config{}, engram.Errorf(engram.CodeInvalid, "%s (%s)", set.Name, from).
				WithHint("correct it, or remove it to use the default").WithCause(bad)
		}
		c.Origins[set.Name] = from
		if set.Name != keyDataDir {
			continue
		}
		for _, fn := range located {
			if err := fn(c.DataDir); err != nil {
				return Config{}, err
			}
		}
	}
	return c, nil
}

// badValue is a value that does not fit its key.
type badValue struct {
	key string
	err error
}

// Error says what is wrong.
func (b *badValue) Error() string { return b.err.Error() }

// lookup returns the value of the strongest source that has one; "" and
// SourceDefault when none has.
func (s Sources) lookup(set setting, file map[string]string, path string) (string, Origin) {
	if v, ok := s.Flags[set.Name]; ok {
		return v, Origin{SourceFlag, "--" + strings.ReplaceAll(set.Name, "_", "-")}
	}
	for _, name := range set.Env {
		// An empty variable is how shells and service files spell "not set".
		if v, ok := s.Env(name); ok && strings.TrimSpace(v) != "" {
			return v, Origin{SourceEnv, name}
		}
	}
	if v := file[set.Name]; strings.TrimSpace(v) != "" {
		return v, Origin{SourceFile, path}
	}
	return "", Origin{Source: SourceDefault}
}

// fallback is the default, as text.
func (set setting) fallback(c Config, p paths) (string, error) {
	switch set.Name {
	case keyDataDir:
		if p.home == "" {
			return "", engram.Errorf(engram.CodeInvalid, "the home directory is unknown").
				WithHint("set HOME, or ENGRAM_DATA_DIR, or give --data-dir")
		}
		return filepath.Join(p.home, ".engram"), nil
	case keyDBPath:
		return filepath.Join(c.DataDir, "engram.db"), nil
	}
	return set.preset, nil
}

func (s Sources) paths() (paths, error) {
	home, _ := s.Env("HOME")
	if home == "" {
		home, _ = s.Env("USERPROFILE") // Windows
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return paths{}, engram.Errorf(engram.CodeUnavailable, "the working directory is gone").WithCause(err)
	}
	return paths{home: home, dir: dir}, nil
}

func checkFlags(flags map[string]string, all []setting) error {
	for key, value := range flags {
		if !slices.ContainsFunc(all, func(s setting) bool { return s.Name == key }) {
			return unknownKey(key, "flags", all)
		}
		if strings.TrimSpace(value) == "" {
			return engram.Errorf(engram.CodeInvalid, "--%s needs a value", strings.ReplaceAll(key, "_", "-"))
		}
	}
	return nil
}

// readFile returns the keys of a configuration file as text. A file that is not
// there costs one system call and no parser.
func readFile(path string, all []setting) (map[string]string, error) {
	data, err := os.ReadFile(path)
	// A data directory that is itself a file is for the store to explain: version,
	// config and help must work without one.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return parse(data, path, all)
}

func unreadable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be read", path).
		WithHint("let this user read it and its folder, or name another folder: --data-dir or ENGRAM_DATA_DIR").WithCause(err)
}

// parse reads TOML. Every key must be known and hold a string, a number or a boolean.
func parse(data []byte, path string, all []setting) (map[string]string, error) {
	var raw map[string]any
	if err := toml.Unmarshal(data, &raw); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "%s is not valid TOML: %v", path, err).
			WithHint(`each line is like  port = 7437  or  project = "shop"`)
	}
	out := make(map[string]string, len(raw))
	for key, value := range raw {
		text, err := textOf(key, value, path, all)
		if err != nil {
			return nil, err
		}
		out[key] = text
	}
	return out, nil
}

// textOf is one value of a file as text, or what is wrong with its key or its kind.
func textOf(key string, value any, path string, all []setting) (string, error) {
	if key == keyDataDir {
		return "", engram.Errorf(engram.CodeInvalid, "data_dir stands in %s, which lies in the data directory", path).
			WithHint("set ENGRAM_DATA_DIR or give --data-dir instead")
	}
	if !slices.ContainsFunc(all, func(s setting) bool { return s.Name == key }) {
		return "", unknownKey(key, path, all)
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", engram.Errorf(engram.CodeInvalid, "%s in %s is neither text nor a number nor true or false", key, path).
		WithHint(`write it like  %s = "…"`, key)
}

func unknownKey(key, where string, all []setting) error {
	keys := make([]string, len(all))
	for i, s := range all {
		keys[i] = s.Name
	}
	if where != "" {
		where = " in " + where
	}
	err := engram.Errorf(engram.CodeInvalid, "unknown key %q%s", key, where)
	if near := text.Nearest(key, keys); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("known keys: %s", strings.Join(keys, ", "))
}
