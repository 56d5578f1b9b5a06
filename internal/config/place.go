package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	// Embed the zones: a bare container has no zone files, and ENGRAM_TIMEZONE must work there.
	_ "time/tzdata"
)

// maxPath is the longest path on Linux, in bytes.
const maxPath = 4096

// abs expands a leading ~ and makes path absolute.
func (p paths) abs(path string) (string, error) {
	if strings.IndexByte(path, 0) >= 0 || len(path) > maxPath {
		return "", fmt.Errorf("%.60q is not a path", path)
	}
	if path == "~" || strings.HasPrefix(path, "~/") {
		if p.home == "" {
			return "", fmt.Errorf("the home directory is unknown, so %q cannot be found; give an absolute path", path)
		}
		return filepath.Join(p.home, path[1:]), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Join(p.dir, path), nil
}

// maxHost is the longest host name, in bytes.
//
// Source: RFC 1035, section 2.3.4.
const maxHost = 253

func setHost(c *Config, _ paths, v string) error {
	c.Host = strings.Trim(strings.TrimSpace(v), "[]")
	if net.ParseIP(c.Host) == nil && (len(c.Host) > maxHost || strings.ContainsAny(c.Host, ":/ ") || strings.ContainsFunc(c.Host, unicode.IsControl)) {
		return fmt.Errorf("%.60q is not a host name or an address; give the port separately", v)
	}
	return nil
}

func setPort(c *Config, _ paths, v string) error {
	n, err := ParsePort(v)
	c.Port = n
	return err
}

// ParsePort reads a port: a number from 0 to 65535.
func ParsePort(s string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%.60q is not a port; use a number from 0 to 65535", s)
	}
	return int(n), nil
}

func setZone(c *Config, _ paths, v string) error {
	zone, err := time.LoadLocation(strings.TrimSpace(v))
	if err != nil {
		return fmt.Errorf("%.60q is not a time zone; use a name such as Europe/Berlin or UTC", v)
	}
	c.Timezone = zone
	return nil
}

// Models that need nothing else.
const (
	BuiltIn = "builtin" // the embedding model in the program
	NoModel = "none"    // search by words alone; no reranking
)

func setEmbeddingModel(c *Config, _ paths, v string) error {
	switch strings.ToLower(strings.TrimSpace(v)) {
	case BuiltIn, "built-in", "built in":
		c.EmbeddingModel = BuiltIn
	case NoModel:
		c.EmbeddingModel = NoModel
	default:
		return fmt.Errorf("%.60q is not an embedding model of this program; use %s or %s", v, BuiltIn, NoModel)
	}
	return nil
}

func setRerankModel(c *Config, _ paths, v string) error {
	if c.RerankModel = strings.ToLower(strings.TrimSpace(v)); c.RerankModel != NoModel {
		return fmt.Errorf("%.60q is not a reranking model: no such model exists yet; use %s", v, NoModel)
	}
	return nil
}

func setAgentCLI(c *Config, _ paths, v string) error {
	switch v = strings.ToLower(strings.TrimSpace(v)); v {
	case "", "claude", "opencode":
		c.AgentCLI = v
		return nil
	}
	return fmt.Errorf("%.60q cannot judge; use claude or opencode", v)
}

// setLLMBaseURL never repeats the value: it may contain a password.
func setLLMBaseURL(c *Config, _ paths, v string) error {
	c.LLMBaseURL = strings.TrimSpace(v)
	if c.LLMBaseURL == "" {
		return nil // the default: no language model
	}
	u, err := url.Parse(c.LLMBaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errors.New("that is not an address of http or https; one is like http://localhost:1234/v1")
	}
	if u.User != nil {
		return errors.New("the address holds a user or a password; give a key as llm_key (ENGRAM_LLM_API_KEY)")
	}
	return nil
}

// hostOf returns the host of an address accepted by setLLMBaseURL.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
