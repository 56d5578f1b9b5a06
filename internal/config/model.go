package config

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Models that need nothing else.
const (
	BuiltIn = "builtin"        // the embedding model in the program
	Encoder = "engram-encoder" // one that reads whole texts, in the program too
	NoModel = "none"           // search by words alone; no reranking
)

// Models is the folder of the installed models.
func (c Config) Models() string { return filepath.Join(c.DataDir, "models") }

func setEmbeddingModel(c *Config, _ paths, v string) error {
	switch strings.ToLower(strings.TrimSpace(v)) {
	case BuiltIn, "built-in", "built in":
		c.EmbeddingModel = BuiltIn
		return nil
	case Encoder:
		c.EmbeddingModel = Encoder
		return nil
	}
	if served, ok, err := ServedOf(v); ok {
		c.EmbeddingModel = served.String()
		return err
	}
	name, err := c.installed(v)
	if err != nil {
		return fmt.Errorf("%w: use %s, %s or %s, or install one with engram model pull NAME or engram model add FOLDER", err, BuiltIn, Encoder, NoModel)
	}
	c.EmbeddingModel = name
	return nil
}

// WithEmbeddingModel returns the configuration with another embedding model, named as in settings; an error that says what
// to name instead for one that is not installed.
func (c Config) WithEmbeddingModel(v string) (Config, error) {
	err := setEmbeddingModel(&c, paths{}, v)
	return c, err
}

func setRerankModel(c *Config, _ paths, v string) error {
	if served, ok, err := ServedOf(v); ok {
		if c.RerankModel = served.String(); served.API == ollama {
			return errors.New("ollama cannot rerank; use openai:MODEL@URL, of a server with /rerank")
		}
		return err
	}
	name, err := c.installed(v)
	if err != nil {
		return fmt.Errorf("%w: use %s, or install one with engram model pull NAME or engram model add FOLDER", err, NoModel)
	}
	c.RerankModel = name
	return nil
}

// mostPrefix is the longest text in bytes that may go before others.
const mostPrefix = 300

func setPrefix(field func(*Config) *string) func(*Config, paths, string) error {
	return func(c *Config, _ paths, v string) error {
		if v = strings.TrimSpace(v); len(v) > mostPrefix {
			return fmt.Errorf("it has %d bytes, and at most %d are possible", len(v), mostPrefix)
		}
		*field(c) = v
		return nil
	}
}

// installed returns the name of the installed model that v names, whose repository's owner may stand before it;
// NoModel for that.
func (c *Config) installed(v string) (string, error) {
	v = strings.TrimSpace(v)
	if strings.EqualFold(v, NoModel) {
		return NoModel, nil
	}
	folders, err := os.ReadDir(c.Models())
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	for _, f := range folders {
		if f.IsDir() && !strings.HasPrefix(f.Name(), ".") && strings.EqualFold(f.Name(), path.Base(v)) {
			return f.Name(), nil
		}
	}
	return "", fmt.Errorf("no model %.60q is installed", v)
}
