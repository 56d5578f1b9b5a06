package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// Sources are the places to read from. The zero value gives the defaults of a machine without a
// home directory, which is an error.
type Sources struct {
	// Flags are the given flags, by key (data_dir, port, …).
	Flags map[string]string
	// Env looks a variable up, like os.LookupEnv; nil is an empty environment.
	Env func(string) (string, bool)
	// File is the configuration file; "" is config.toml in the data directory. A missing file is an
	// empty one.
	File string
	// Dir resolves relative paths of flags and the environment; "" is the working directory. Paths
	// in the file are relative to the data directory.
	Dir string
}

// Load reads every setting. Bad values and keys of the environment or the file are skipped with a
// Remark. CodeInvalid for a bad flag and for an unknown data directory, because memories must not
// be stored elsewhere. It writes nothing.
func Load(s Sources) (Config, error) {
	all := settings()
	if err := checkFlags(s.Flags, all); err != nil {
		return Config{}, err
	}
	p, err := s.paths()
	if err != nil {
		return Config{}, err
	}
	path := s.File
	var file map[string]string // read once the data directory is known, which is the first key
	ev := evaluation{paths: p, lookup: func(set setting) []candidate { return s.lookup(set, file, path) }}
	ev.located = func(c *Config) {
		path = cmp.Or(path, c.File())
		file, c.Remarks = readFile(path, all)
	}
	c, err := ev.run(all)
	if err != nil {
		return Config{}, err
	}
	c.Path = path
	c.keepAtHome()
	c.noServer(s.env)
	return c, nil
}

func (s Sources) env(name string) (string, bool) {
	if s.Env == nil {
		return "", false
	}
	return s.Env(name)
}

// candidate is a possible value of a setting, and its origin.
type candidate struct {
	value string
	from  Origin
}

// evaluation sets every key to its first valid candidate, or its default.
type evaluation struct {
	paths   paths
	lookup  func(setting) []candidate // strongest first
	located func(*Config)             // called once the data directory is known; may be nil
	strict  bool                      // every candidate must be valid
}

func (ev evaluation) run(all []setting) (Config, error) {
	c := Config{Origins: make(map[string]Origin, len(all))}
	for _, set := range all {
		if err := ev.apply(&c, set); err != nil {
			return Config{}, err
		}
		if set.Name == keyDataDir && ev.located != nil {
			ev.located(&c)
		}
	}
	return c, nil
}

func (ev evaluation) apply(c *Config, set setting) error {
	candidates := ev.lookup(set)
	value, err := set.fallback(*c, ev.paths)
	if err != nil && len(candidates) == 0 {
		return err
	}
	if len(candidates) == 0 {
		value = c.doubted(set, value)
	}
	candidates = append(candidates, candidate{value, Origin{Source: SourceDefault}})
	for i := 0; i < len(candidates); i++ {
		try, from := *c, candidates[i].from
		at := ev.paths
		if from.Source == SourceFile {
			// Relative paths in a file are relative to the folder it belongs to, wherever the
			// program runs.
			at.dir = c.DataDir
		}
		err := set.set(&try, at, candidates[i].value)
		if err == nil {
			for j := len(c.Remarks); j < len(try.Remarks); j++ {
				try.Remarks[j].Key, try.Remarks[j].Origin = set.Name, from
			}
			*c = try
			c.Origins[set.Name] = from
			return nil
		}
		bad := &badValue{set.Name, err}
		if ev.strict || from.Source == SourceFlag || from.Source == SourceDefault || slices.Contains([]string{keyDataDir, keyDBPath, keyStore, keySpace}, set.Name) {
			return engram.Errorf(engram.CodeInvalid, "%s (%s)", set.Name, from).
				WithHint("correct it, or remove it to use the default").WithCause(bad)
		}
		next := candidates[i+1]
		if set.cautious != "" {
			next = candidate{set.cautious, Origin{Source: SourceDefault}}
			candidates = append(candidates[:i+1], next)
		}
		c.Remarks = append(c.Remarks, Remark{Key: set.Name, Origin: from, Text: err.Error(), Ignored: true, Instead: set.instead(next)})
	}
	return nil
}

// instead describes the value in force instead of an invalid one.
func (set setting) instead(next candidate) string {
	switch {
	case next.from.Source != SourceDefault:
		return "that of the " + next.from.String()
	case next.value == "":
		return set.Default
	}
	return next.value
}

type badValue struct {
	key string
	err error
}

// Error returns the reason.
func (b *badValue) Error() string { return b.err.Error() }

// lookup returns the values of a setting in the sources, strongest first; nil for none.
func (s Sources) lookup(set setting, file map[string]string, path string) (found []candidate) {
	if v, ok := s.Flags[set.Name]; ok {
		found = append(found, candidate{v, Origin{SourceFlag, "--" + strings.ReplaceAll(set.Name, "_", "-")}})
	}
	for _, name := range set.Env {
		// Shells and service files use an empty variable for "not set".
		if v, ok := s.env(name); ok && strings.TrimSpace(v) != "" {
			found = append(found, candidate{v, Origin{SourceEnv, name}})
		}
	}
	if v := file[set.Name]; strings.TrimSpace(v) != "" {
		found = append(found, candidate{v, Origin{SourceFile, path}})
	}
	return found
}

// fallback returns the default as text.
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
	home, _ := s.env("HOME")
	if home == "" {
		home, _ = s.env("USERPROFILE") // Windows
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

// readFile returns the keys of a configuration file as text, and remarks about unreadable ones. A
// missing file costs one system call.
func readFile(path string, all []setting) (map[string]string, []Remark) {
	from := Origin{SourceFile, path}
	data, err := os.ReadFile(path)
	// The store reports a data directory that is a file: version, config and help must work without
	// one.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, []Remark{{Origin: from, Text: sentence(unreadable(path, err)).Error(), Ignored: true}}
	}
	var raw map[string]any
	if err := toml.Unmarshal(data, &raw); err != nil {
		return nil, []Remark{{Origin: from, Text: fmt.Sprintf("%s is not valid TOML: %v", path, err), Ignored: true}}
	}
	out := make(map[string]string, len(raw))
	var remarks []Remark
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		text, err := textOf(key, raw[key], path, all)
		if err != nil {
			remarks = append(remarks, Remark{Key: key, Origin: from, Text: sentence(err).Error(), Ignored: true})
			continue
		}
		out[key] = text
	}
	return out, remarks
}

func unreadable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot read %s", path).
		WithHint("make it and its folder readable, or name another folder: --data-dir or ENGRAM_DATA_DIR").WithCause(err)
}

// textOf returns one value of a file as text, or why its key or kind is wrong.
func textOf(key string, value any, path string, all []setting) (string, error) {
	at := slices.IndexFunc(all, func(s setting) bool { return s.Name == key })
	if at < 0 {
		return "", unknownKey(key, path, all)
	}
	if !all[at].InFile {
		return "", engram.Errorf(engram.CodeInvalid, "%s cannot be in %s: %s", key, path, all[at].outside).WithHint("set %s instead", all[at].Env[0])
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
	return "", engram.Errorf(engram.CodeInvalid, "%s in %s is not text, a number, true or false", key, path).
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
