package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alanbuscaglia/engram"
)

// FileOf is the configuration file that Load would read, without reading it: a file that
// is wrong must be found to be mended. Errors are those of Load for the data directory.
func FileOf(s Sources) (string, error) {
	if s.File != "" {
		return s.File, nil
	}
	if s.Env == nil {
		s.Env = func(string) (string, bool) { return "", false }
	}
	p, err := s.paths()
	if err != nil {
		return "", err
	}
	all := settings()
	value, from := s.lookup(all[0], nil, "")
	var c Config
	if value == "" {
		if value, err = all[0].fallback(c, p); err != nil {
			return "", err
		}
	}
	if err := all[0].set(&c, p, value); err != nil {
		return "", engram.Errorf(engram.CodeInvalid, "%s (%s): %v", all[0].Name, from, err)
	}
	return c.File(), nil
}

// Set writes one value into the configuration file at path, and makes the file, readable
// by the user alone, when there is none. Only the characters of the value change. A key
// that nobody knows, a value that does not fit, and one that does not go with the rest
// of the file, are CodeInvalid; a file that cannot be read or written is CodeUnavailable.
// changed is false when the file said so already.
func Set(path, key, value string) (changed bool, err error) {
	k, err := Named(key)
	if err != nil {
		return false, err
	}
	if !k.InFile {
		return false, engram.Errorf(engram.CodeInvalid, "%s cannot stand in %s, which lies in it", key, FileName).WithHint("set %s instead", k.Env[0])
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

// Unset takes a key out of the configuration file at path, also one that nobody knows;
// errors are those of Set. changed is false when it was not there.
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

// stillGood refuses a change by which a file that could be loaded no longer could. One
// that was wrong before may be mended step by step, but not with another wrong value.
func stillGood(path string, was, now []byte, key string) error {
	_, err := loadText(path, now)
	if err == nil {
		return nil
	}
	if bad, ok := errors.AsType[*badValue](err); ok && bad.key == key {
		return engram.Errorf(engram.CodeInvalid, "%s: %v", key, bad.err).WithHint("nothing was changed")
	}
	if _, before := loadText(path, was); before != nil {
		return nil
	}
	return engram.Errorf(engram.CodeInvalid, "with that, %s would no longer do: %v", filepath.Base(path), err).WithHint("nothing was changed")
}

// loadText reads settings from a file of this text alone. Home is any: what ~ means does
// not decide whether a value fits.
func loadText(path string, file []byte) (Config, error) {
	all := settings()
	values, err := parse(file, path, all)
	if err != nil {
		return Config{}, err
	}
	root := filepath.Dir(path)
	return evaluate(all, paths{home: root, dir: root}, func(set setting) (string, Origin) {
		if set.Name == keyDataDir {
			return root, Origin{}
		}
		return Sources{Env: func(string) (string, bool) { return "", false }}.lookup(set, values, path)
	})
}

// rewrite replaces a file by what change makes of it, at once: it is written beside and
// renamed, so that nobody ever reads half of it. A link stays one.
func rewrite(path string, change func([]byte) ([]byte, error)) (changed bool, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
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
		// Somebody else may have changed it meanwhile: then it is read again.
		if again, err := readThere(path); err != nil || !bytes.Equal(again, file) {
			continue
		}
		if err := replace(path, out); err != nil {
			return false, engram.Errorf(engram.CodeUnavailable, "%s cannot be written", path).
				WithHint("check that its folder can be written to; nothing was changed").WithCause(err)
		}
		return true, nil
	}
	return false, engram.Errorf(engram.CodeUnavailable, "%s is changed by somebody else, again and again", path).WithHint("try again")
}

// readThere reads a file; one that is not there is empty.
func readThere(path string) ([]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeUnavailable, "%s cannot be read", path).WithCause(err)
	}
	return file, nil
}

func replace(path string, text []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+FileName+"-*") // mode 0600: it may hold a token
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync() // a name that points to nothing after a power cut would be worse than the old file
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write beside: %w", err)
	}
	return os.Rename(f.Name(), path)
}
