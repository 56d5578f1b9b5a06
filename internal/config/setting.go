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
	"unicode/utf8"

	// The zones are built in: a bare container has no zone files, and ENGRAM_TIMEZONE
	// must not fail there.
	_ "time/tzdata"

	"github.com/alanbuscaglia/engram"
)

const (
	defaultHost = "127.0.0.1"
	defaultPort = "7437"
)

// setting is one key: where it may come from and how its text becomes a value.
type setting struct {
	key string   // in config.toml; the flag is the same with dashes
	env []string // the first that is set and not empty counts
	// preset is the default as text. The paths have none here: they depend on each other.
	preset string
	// set stores the value. Its error is a bare sentence; the caller says where the value stood.
	set func(c *Config, p paths, value string) error
}

// paths is what relative paths and ~ are resolved against.
type paths struct {
	home string // "" when unknown
	dir  string // absolute
}

// settings lists every key, in the order `config list` will show them.
func settings() []setting {
	return []setting{
		{key: keyDataDir, env: []string{"ENGRAM_DATA_DIR"}, set: func(c *Config, p paths, v string) (err error) {
			c.DataDir, err = p.abs(v)
			return err
		}},
		{key: "db_path", env: []string{"ENGRAM_DB_PATH"}, set: func(c *Config, p paths, v string) (err error) {
			c.DBPath, err = p.abs(v)
			return err
		}},
		{key: "host", env: []string{"ENGRAM_HOST", "ENGRAM_HTTP_HOST"}, preset: defaultHost, set: setHost},
		{key: "port", env: []string{"ENGRAM_PORT", "ENGRAM_HTTP_PORT"}, preset: defaultPort, set: setPort},
		{key: "project", env: []string{"ENGRAM_PROJECT"}, set: func(c *Config, _ paths, v string) error {
			c.Project = strings.TrimSpace(v)
			if len(c.Project) > engram.MaxName || !utf8.ValidString(c.Project) {
				return fmt.Errorf("%.40q is not a project name; use at most %d bytes of UTF-8", c.Project, engram.MaxName)
			}
			return nil
		}},
		{key: "http_token", env: []string{"ENGRAM_HTTP_TOKEN"}, set: func(c *Config, _ paths, v string) error {
			c.HTTPToken = strings.TrimSpace(v)
			return nil
		}},
		{key: "embedding_model", env: []string{"ENGRAM_EMBEDDING_MODEL"}, preset: BuiltIn, set: setEmbeddingModel},
		{key: "llm_base_url", env: []string{"ENGRAM_LLM_BASE_URL"}, set: setLLMBaseURL},
		{key: "llm_model", env: []string{"ENGRAM_LLM_MODEL"}, set: func(c *Config, _ paths, v string) error {
			c.LLMModel = strings.TrimSpace(v)
			return nil
		}},
		{key: "llm_key", env: []string{"ENGRAM_LLM_API_KEY"}, set: func(c *Config, _ paths, v string) error {
			c.LLMKey = strings.TrimSpace(v)
			return nil
		}},
		{key: "decay_policy", env: []string{"ENGRAM_DECAY_POLICY"}, preset: string(engram.CurveImportance), set: setDecayPolicy},
		{key: "decay_rate", env: []string{"ENGRAM_DECAY_RATE"}, set: setDecayRate},
		{key: "decay_max_access_boost", env: []string{"ENGRAM_DECAY_MAX_ACCESS_BOOST"}, preset: "2", set: setDecayBoost},
		{key: "decay_types", env: []string{"ENGRAM_DECAY_TYPES"}, set: setDecayTypes},
		{key: "journal_days", env: []string{"ENGRAM_JOURNAL_DAYS"}, preset: "730", set: setJournalDays},
		{key: "review_months", env: []string{"ENGRAM_REVIEW_MONTHS"}, set: setReviewMonths},
		{key: "sleep_at", env: []string{"ENGRAM_SLEEP_AT"}, set: setSleepAt},
		{key: "agent_cli", env: []string{"ENGRAM_AGENT_CLI"}, set: setAgentCLI},
		{key: "timezone", env: []string{"ENGRAM_TIMEZONE"}, preset: "Local", set: setZone},
	}
}

// keyDataDir is named because the file that holds the others lies in it.
const keyDataDir = "data_dir"

func setHost(c *Config, _ paths, v string) error {
	c.Host = strings.Trim(strings.TrimSpace(v), "[]")
	if net.ParseIP(c.Host) == nil && strings.ContainsAny(c.Host, ":/ \t") {
		return fmt.Errorf("%q is not a host name or an address; give the port separately", v)
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
		return 0, fmt.Errorf("%q is not a port; use a number from 0 to 65535", s)
	}
	return int(n), nil
}

// The embedding models that need nothing else.
const (
	BuiltIn = "builtin" // the one in the program
	NoModel = "none"    // finding by words alone
)

func setEmbeddingModel(c *Config, _ paths, v string) error {
	switch v = strings.ToLower(strings.TrimSpace(v)); v {
	case BuiltIn, "built-in", "built in":
		c.EmbeddingModel = BuiltIn
	case NoModel:
		c.EmbeddingModel = NoModel
	default:
		return fmt.Errorf("%q is not an embedding model; use %s or %s", v, BuiltIn, NoModel)
	}
	return nil
}

func setAgentCLI(c *Config, _ paths, v string) error {
	switch v = strings.ToLower(strings.TrimSpace(v)); v {
	case "", "claude", "opencode":
		c.AgentCLI = v
		return nil
	}
	return fmt.Errorf("%q is no agent that could judge; use claude or opencode", v)
}

// setLLMBaseURL never repeats the value: a person may have written a password into it.
func setLLMBaseURL(c *Config, _ paths, v string) error {
	c.LLMBaseURL = strings.TrimSpace(v)
	if c.LLMBaseURL == "" {
		return nil // the default, which is no language model
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

func setZone(c *Config, _ paths, v string) error {
	zone, err := time.LoadLocation(strings.TrimSpace(v))
	if err != nil {
		return fmt.Errorf("%q is not a time zone; use a name such as Europe/Berlin or UTC", v)
	}
	c.Timezone = zone
	return nil
}

// abs expands a leading ~ and makes path absolute.
func (p paths) abs(path string) (string, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return "", fmt.Errorf("%q is not a path", path)
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

// maxJournalDays is a hundred years.
const maxJournalDays = 36500

func setJournalDays(c *Config, _ paths, v string) error {
	days, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil || days < 0 || days > maxJournalDays {
		return fmt.Errorf("%q is not a number of days; use a whole number from 0, which keeps everything, to %d", v, maxJournalDays)
	}
	c.JournalDays = days
	return nil
}
