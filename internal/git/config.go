package git

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// configFile holds the project name of a repository.
	configFile = ".engram/config.json"
	maxConfig  = 64 << 10
)

// config is the project name in a configuration, or what is wrong with it; empty without one.
type config struct{ dir, name, wrong string }

// findConfig returns the nearest configuration from dir up to root; only dir's own if root is "".
func findConfig(dir, root string) config {
	for {
		text, wrong, found := readConfig(dir)
		if found {
			c := config{dir: dir, wrong: wrong}
			if wrong == "" {
				c.name, c.wrong = parseConfig(text)
			}
			return c
		}
		parent := filepath.Dir(dir)
		if root == "" || dir == root || parent == dir {
			return config{}
		}
		dir = parent
	}
}

// readConfig reads the configuration in dir. It refuses links out of dir: a repository must not
// decide which other files are read on this machine.
func readConfig(dir string) (text []byte, wrong string, found bool) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", false
	}
	defer folder.Close()
	if at, err := folder.Lstat(filepath.Dir(configFile)); err == nil && at.Mode()&fs.ModeSymlink != 0 {
		return nil, "", false // anyone with push access could add this link: ignore it without an error
	}
	info, err := folder.Stat(configFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, "", false
	case err != nil:
		return nil, configFile + " cannot be read", true
	case !info.Mode().IsRegular(): // opening a pipe would block
		return nil, configFile + " is not a file", true
	}
	file, _, err := openRegularIn(folder, configFile, info)
	if err != nil {
		return nil, configFile + " cannot be read", true
	}
	defer file.Close()
	text, err = io.ReadAll(io.LimitReader(file, maxConfig+1))
	switch {
	case err != nil:
		return nil, configFile + " cannot be read", true
	case len(text) > maxConfig:
		return nil, configFile + " is larger than 64 KiB", true
	}
	return text, "", true
}

// parseConfig returns the configured name, or what is wrong, without quoting the text.
func parseConfig(text []byte) (name, wrong string) {
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	var c struct {
		ProjectName string `json:"project_name"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return "", configFile + ` is not JSON of the form {"project_name": "NAME"}`
	}
	if strings.TrimSpace(c.ProjectName) == "" {
		return "", configFile + " has no project_name"
	}
	return c.ProjectName, ""
}
