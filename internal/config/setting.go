package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	// Embed the zones: a bare container has no zone files, and ENGRAM_TIMEZONE must work there.
	_ "time/tzdata"
	"unicode"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/alias"
	"github.com/alanbuscaglia/engram/internal/project"
)

const (
	defaultHost = "127.0.0.1"
	defaultPort = "7437"
)

// Kind is the kind of a value, and so how config.toml spells it.
type Kind string

// The kinds. In the file a Number and a Switch are bare, the others quoted.
const (
	Text   Kind = "text"
	Number Kind = "number"
	Switch Kind = "switch" // true or false
)

// Key describes one setting.
type Key struct {
	Name string   // in config.toml; letters and _
	Env  []string // environment variables; the first that is set and not empty counts
	Flag string   // "--port of serve"; "" for none
	Kind Kind
	// Default is the value without configuration, or a description of a computed one, such as "the
	// system's".
	Default string
	Unit    string // of a number: "days"; "" for none
	Range   string // valid values: "0 to 65535"; every number has one
	About   string // Markdown; links are relative to docs/
	Like    string // an example value
	Secret  bool   // never show its value
	InFile  bool   // allowed in config.toml
}

// setting is a key with its reading and writing.
type setting struct {
	Key
	// preset is the default as text; empty for paths, which depend on each other.
	preset string
	// cautious replaces an unreadable value if the default could leave the machine, forget or store
	// something against the person's will. "" means the next candidate.
	cautious string
	// set stores the value. Its error is a bare sentence; the caller adds the origin.
	set func(c *Config, p paths, value string) error
	// get returns the value in force as set accepts it; "" for none.
	get func(c Config) string
	// outside says why the key cannot be in the file; "" if it can.
	outside string
	// One of these returns the field of a plain value, from which set and get are made.
	text, path func(*Config) *string
	on         func(*Config) *bool
}

// fields makes set and get for a plain value.
func (s *setting) fields() {
	switch {
	case s.text != nil:
		s.set = func(c *Config, _ paths, v string) error {
			*s.text(c) = strings.TrimSpace(v)
			return nil
		}
		s.get = func(c Config) string { return *s.text(&c) }
	case s.path != nil:
		s.set = func(c *Config, p paths, v string) (err error) {
			*s.path(c), err = p.abs(v)
			return err
		}
		s.get = func(c Config) string { return *s.path(&c) }
	case s.on != nil:
		s.set = func(c *Config, _ paths, v string) error { return setSwitch(s.on(c), v) }
		s.get = func(c Config) string { return strconv.FormatBool(*s.on(&c)) }
	}
}

// paths resolves relative paths and ~.
type paths struct {
	home string // "" if unknown
	dir  string // absolute
}

// Keys used in code.
const (
	keyDataDir     = "data_dir" // folder of the file with the others
	keyDBPath      = "db_path"
	keyStore       = "store"
	keySpace       = "space"
	keyHost        = "host"
	keyDecayPolicy = "decay_policy"
)

// Keys returns all settings, in the order of `engram config list`.
func Keys() []Key {
	all := settings()
	keys := make([]Key, len(all))
	for i, s := range all {
		keys[i] = s.Key
	}
	return keys
}

// settings lists every key. Each is read after those above it.
func settings() []setting {
	all := slices.Concat(places(), serving(), models(), lives(), looks())
	for i := range all {
		s := &all[i]
		s.fields()
		s.InFile = s.outside == ""
		s.Kind, s.Default = cmp.Or(s.Kind, Text), cmp.Or(s.Default, s.preset)
	}
	return all
}

func places() []setting {
	return []setting{
		{Key: Key{Name: keyDataDir, Env: []string{"ENGRAM_DATA_DIR"}, Flag: "--data-dir", Default: "~/.engram", Like: "~/memories",
			About: "folder of the database, of `config.toml` and of backups"}, outside: "it is the folder of the file",
			path: func(c *Config) *string { return &c.DataDir }},
		{Key: Key{Name: keyDBPath, Env: []string{"ENGRAM_DB_PATH"}, Default: "`engram.db` in the data directory", Like: "~/memories/engram.db",
			About: "the SQLite file; in `config.toml` a relative path is relative to the data directory, in the environment to the working directory"},
			path: func(c *Config) *string { return &c.DBPath }},
		{Key: Key{Name: keyStore, Env: []string{"ENGRAM_STORE"}, Like: "postgres://USER@HOST:5432/DATABASE", Secret: true, Range: "`file`, or an address of Postgres 15 or later",
			About: "where the memories are: the file, or a space of a [Postgres database](postgres.md)"}, preset: fileStore,
			set: setStore, get: func(c Config) string { return cmp.Or(c.Store, fileStore) }},
		{Key: Key{Name: keySpace, Env: []string{"ENGRAM_SPACE"}, Like: "5f0c3f4e-5d0a-4b8e-9a39-0c1d2e3f4a5b", Range: "a UUID",
			About: "the space in that database"}, preset: DefaultSpace,
			set: setSpace, get: func(c Config) string { return c.Space }},
		{Key: Key{Name: "project", Env: []string{"ENGRAM_PROJECT"}, Flag: "--project", Default: "from the folder", Like: "shop",
			Range: fmt.Sprintf("at most %d bytes", engram.MaxName), About: "the project of every call that names none"},
			set: setProject, get: func(c Config) string { return c.Project }},
		{Key: Key{Name: "timezone", Env: []string{"ENGRAM_TIMEZONE"}, Default: "the system's", Like: "Europe/Berlin", Range: "a name of the IANA zones, or `UTC`",
			About: "time zone of displayed times and of `sleep_at`; times are stored in UTC"}, preset: "Local",
			set: setZone, get: func(c Config) string { return c.Timezone.String() }},
	}
}

func serving() []setting {
	return []setting{
		{Key: Key{Name: keyHost, Env: []string{"ENGRAM_HOST", "ENGRAM_HTTP_HOST"}, Flag: "--host of serve", Like: defaultHost, Range: "a host name or an address, without a port",
			About: "where `serve` listens; an address that other machines can reach needs `http_token`"}, preset: defaultHost,
			set: setHost, get: func(c Config) string { return c.Host }},
		{Key: Key{Name: "port", Env: []string{"ENGRAM_PORT", "ENGRAM_HTTP_PORT"}, Flag: "--port of serve", Kind: Number, Like: "7438", Range: "0 to 65535; 0 takes a free one",
			About: "where `serve` listens", Unit: "TCP port"}, preset: defaultPort,
			set: setPort, get: func(c Config) string { return strconv.Itoa(c.Port) }},
		{Key: Key{Name: "http_token", Env: []string{"ENGRAM_HTTP_TOKEN"}, Default: "none", Like: "a-long-random-word", Secret: true,
			About: "bearer token of the [HTTP routes](http.md) that change, delete or export"},
			text: func(c *Config) *string { return &c.HTTPToken }},
		{Key: Key{Name: "metrics", Env: []string{"ENGRAM_METRICS"}, Flag: "--metrics of serve", Kind: Switch, Like: "true",
			About: "`serve` answers Prometheus at [`GET /metrics`](http.md#metrics)"}, preset: "false",
			on: func(c *Config) *bool { return &c.Metrics }},
		{Key: Key{Name: "offline", Env: []string{"ENGRAM_OFFLINE"}, Kind: Switch, Like: "true",
			About: "nothing may leave this machine: a language model that is not on it, agents' command lines and downloads of models are refused"}, preset: "false", cautious: "true",
			on: func(c *Config) *bool { return &c.Offline }},
	}
}

func models() []setting {
	return []setting{
		{Key: Key{Name: "embedding_model", Env: []string{"ENGRAM_EMBEDDING_MODEL"}, Like: NoModel, Range: "`builtin`, `engram-encoder`, `none`, an installed model, `ollama:MODEL@URL` or `openai:MODEL@URL`",
			About: "what [finds by meaning](cli.md#finding); `none`: words alone"}, preset: BuiltIn,
			set: setEmbeddingModel, get: func(c Config) string { return c.EmbeddingModel }},
		{Key: Key{Name: "embedding_query_prefix", Env: []string{"ENGRAM_EMBEDDING_QUERY_PREFIX"}, Default: "the model's", Like: "query:", Range: "`none`, or text; a blank follows",
			About: "stands before questions to it ([models](cli.md#models))"},
			set: setPrefix(func(c *Config) *string { return &c.EmbeddingQueryPrefix }), get: func(c Config) string { return c.EmbeddingQueryPrefix }},
		{Key: Key{Name: "embedding_memory_prefix", Env: []string{"ENGRAM_EMBEDDING_MEMORY_PREFIX"}, Default: "the model's", Like: "passage:", Range: "the same",
			About: "stands before memories; a change makes their vectors anew"},
			set: setPrefix(func(c *Config) *string { return &c.EmbeddingMemoryPrefix }), get: func(c Config) string { return c.EmbeddingMemoryPrefix }},
		{Key: Key{Name: "rerank_model", Env: []string{"ENGRAM_RERANK_MODEL"}, Like: NoModel, Range: "`none`, an installed reranker or `openai:MODEL@URL`",
			About: "model that ranks results again for `--rerank`"}, preset: NoModel,
			set: setRerankModel, get: func(c Config) string { return c.RerankModel }},
		{Key: Key{Name: "embedding_key", Env: []string{"ENGRAM_EMBEDDING_API_KEY"}, Default: "none", Like: "a-key", Secret: true,
			About: "key of the [servers](cli.md#models) of these models; sent by https or to this machine only"}, outside: "it is a secret",
			text: func(c *Config) *string { return &c.EmbeddingKey }},
		{Key: Key{Name: "model_mirror", Env: []string{"ENGRAM_MODEL_MIRROR", "HF_ENDPOINT"}, Default: "the public hub", Like: "https://mirror.example.com", Range: "an https address",
			About: "hub that [`model pull`](cli.md#models) downloads from"},
			text: func(c *Config) *string { return &c.ModelMirror }},
		{Key: Key{Name: "model_token", Env: []string{"HF_TOKEN"}, Default: "none", Like: "a-token", Secret: true,
			About: "its token, for models with a licence to accept; sent to that hub only"},
			text: func(c *Config) *string { return &c.ModelToken }},
		{Key: Key{Name: "aliases", Env: []string{"ENGRAM_ALIASES"}, Default: "none", Like: "fe=frontend, wm=warehouse",
			Range: "`WORD=WORD`, separated by commas", About: "words that [search](cli.md#finding) takes as the same, besides the built-in ones"},
			set: setAliases, get: func(c Config) string { return alias.Format(c.Aliases) }},
		{Key: Key{Name: "llm_base_url", Env: []string{"ENGRAM_LLM_BASE_URL"}, Default: "none", Like: "http://localhost:1234/v1", Range: "an address of http or https",
			About: "server of a [language model](cli.md#finding) that `sleep` may ask for patterns (OpenAI's chat completions)"},
			set: setLLMBaseURL, get: func(c Config) string { return c.LLMBaseURL }},
		{Key: Key{Name: "llm_model", Env: []string{"ENGRAM_LLM_MODEL"}, Default: "none", Like: "qwen3",
			About: "name of the model on that server; if llm_base_url is not set, the server is `http://localhost:1234/v1`"},
			text: func(c *Config) *string { return &c.LLMModel }},
		{Key: Key{Name: "llm_key", Env: []string{"ENGRAM_LLM_API_KEY"}, Default: "none", Like: "a-key", Secret: true,
			About: "its key; sent by https or to this machine only"},
			text: func(c *Config) *string { return &c.LLMKey }},
		{Key: Key{Name: "agent_cli", Env: []string{"ENGRAM_AGENT_CLI"}, Default: "none", Like: "claude", Range: "`claude` or `opencode`",
			About: "agent that judges pairs for [`conflicts scan --semantic`](cli.md#contradictions)"},
			set: setAgentCLI, get: func(c Config) string { return c.AgentCLI }},
	}
}

func lives() []setting {
	return []setting{
		{Key: Key{Name: keyDecayPolicy, Env: []string{"ENGRAM_DECAY_POLICY"}, Like: "geometric", Range: "`importance`, `geometric` or `ebbinghaus`",
			About: "the curve by which [strength fades](cli.md#strength)"}, preset: string(engram.CurveImportance),
			set: setDecayPolicy, get: func(c Config) string { return string(c.Decay.Curve) }},
		{Key: Key{Name: "decay_rate", Env: []string{"ENGRAM_DECAY_RATE"}, Kind: Number, Default: "the curve's own: 0.01, 0.95 or 30", Like: "0.02",
			Unit:  "the curve's own",
			Range: "importance: above 0 to 10; geometric: above 0 to 1; ebbinghaus: above 0 to 100000", About: "the curve's rate; importance: loss a day; geometric: what is left after a day; ebbinghaus: days"},
			set: setDecayRate, get: func(c Config) string { return numberText(c.Decay.Rate) }},
		{Key: Key{Name: "decay_max_access_boost", Env: []string{"ENGRAM_DECAY_MAX_ACCESS_BOOST"}, Kind: Number, Like: "3", Unit: "factor", Range: "1 to 1000",
			About: "geometric curve: maximum factor that use can add"}, preset: "2",
			set: setDecayBoost, get: func(c Config) string { return numberText(c.Decay.MaxBoost) }},
		{Key: Key{Name: "decay_types", Env: []string{"ENGRAM_DECAY_TYPES"}, Default: "none", Like: "fact=geometric:0.97, reflex=ebbinghaus:60", Range: "`TYPE=CURVE` or `TYPE=CURVE:RATE`, separated by commas",
			About: "types with a curve of their own; rates as in `decay_rate`"},
			set: setDecayTypes, get: decayTypesText},
		{Key: Key{Name: "journal_days", Env: []string{"ENGRAM_JOURNAL_DAYS"}, Kind: Number, Like: "365", Unit: "days", Range: fmt.Sprintf("0 to %d; 0 is forever", maxJournalDays),
			About: "how long the journal is kept, for [undo and the past](cli.md#undo-and-the-past)"}, preset: "730", cautious: "0",
			set: setJournalDays, get: func(c Config) string { return strconv.Itoa(c.JournalDays) }},
		{Key: Key{Name: "review_months", Env: []string{"ENGRAM_REVIEW_MONTHS"}, Default: reviewMonthsText(defaultReviewMonths()), Like: "decision=3, bugfix=1", Unit: "months",
			Range: fmt.Sprintf("`TYPE=MONTHS`, separated by commas; 0 to %d, 0 is never", maxReviewMonths),
			About: "after how many months memories of a type fall due for [review](cli.md#review); types that are not named keep their default"},
			set: setReviewMonths, get: func(c Config) string { return reviewMonthsText(c.ReviewMonths) }},
		{Key: Key{Name: "sleep_at", Env: []string{"ENGRAM_SLEEP_AT"}, Default: "off", Like: "03:00", Unit: "time of day", Range: "00:00 to 23:59, or `off`",
			About: "when servers [consolidate](cli.md#sleep) memories, every night"},
			set: setSleepAt, get: sleepAtText},
		{Key: Key{Name: "plugin_auto_extract", Env: []string{"ENGRAM_PLUGIN_AUTO_EXTRACT"}, Kind: Switch, Like: "false",
			About: "[hooks](hooks.md) keep the learnings that an agent lists when it stops"}, preset: "true", cautious: "false",
			on: func(c *Config) *bool { return &c.AutoExtract }},
		{Key: Key{Name: "import_at_start", Env: []string{"ENGRAM_IMPORT_AT_START"}, Kind: Switch, Like: "false",
			About: "[hooks](hooks.md#what-a-pull-brought) import new chunks from the repository's `.engram` when a session starts"}, preset: "true",
			on: func(c *Config) *bool { return &c.ImportAtStart }},
		{Key: Key{Name: "hook_within", Env: []string{"ENGRAM_HOOK_WITHIN"}, Kind: Number, Like: "500", Unit: "milliseconds", Range: fmt.Sprintf("%d to %d", minHookWithin, maxHookWithin),
			About: "time limit of a [hook](hooks.md); the next one does the rest"}, preset: "150",
			set: setHookWithin, get: func(c Config) string { return strconv.FormatInt(c.HookWithin.Milliseconds(), 10) }},
	}
}

func setProject(c *Config, _ paths, v string) error {
	c.Project = strings.TrimSpace(v)
	if err := project.CheckText(c.Project); err != nil {
		return sentence(err)
	}
	if c.Project != "" && project.Check(c.Project) != nil {
		c.Remarks = append(c.Remarks, Remark{Text: fmt.Sprintf("%.40q looks like a path and is only used if a project of that name exists; otherwise the folder decides", c.Project)})
	}
	return nil
}

// setSwitch reads a boolean in the spellings of shells and files.
func setSwitch(into *bool, v string) error {
	switch strings.ToLower(strings.TrimSpace(v)) {
	case "true", "1", "yes", "on":
		*into = true
	case "false", "0", "no", "off":
		*into = false
	default:
		return fmt.Errorf("%.20q is not true or false", v)
	}
	return nil
}

// numberText formats a number as short as possible; "" for 0.
func numberText(n float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// Bounds of hook_within, in milliseconds: agents cancel hooks after some seconds or a minute.
const (
	minHookWithin = 20
	maxHookWithin = 60_000
)

func setHookWithin(c *Config, _ paths, v string) error {
	ms, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil || ms < minHookWithin || ms > maxHookWithin {
		return fmt.Errorf("%.40q is not a number of milliseconds; use a whole number from %d to %d", v, minHookWithin, maxHookWithin)
	}
	c.HookWithin = time.Duration(ms) * time.Millisecond
	return nil
}

// maxJournalDays is a hundred years.
const maxJournalDays = 36500

func setJournalDays(c *Config, _ paths, v string) error {
	days, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil || days < 0 || days > maxJournalDays {
		return fmt.Errorf("%.40q is not a number of days; use a whole number from 0, which keeps everything, to %d", v, maxJournalDays)
	}
	c.JournalDays = days
	return nil
}

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

func setAliases(c *Config, _ paths, v string) (err error) {
	c.Aliases, err = alias.Parse(v)
	return err
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
