// Package config turns flags, the environment and config.toml into one Config, and remembers the
// origin of each value. It is the only package that reads settings from outside.
//
// Precedence is flag, environment, file, default. An invalid flag is an error. An invalid value in
// the environment or the file is skipped with a Remark, because a server or a hook may not need it.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Config has every setting in force.
type Config struct {
	DataDir   string // absolute; database and config.toml live here. Default ~/.engram
	DBPath    string // absolute; the SQLite file. Default engram.db in DataDir
	Store     string // address of Postgres, which may have a password; "" (the default) is the file. See Place
	Space     string // UUID of the space there. Default DefaultSpace
	Host      string // address the server listens on, without a port. Default 127.0.0.1
	Port      int    // 0 to 65535; 0 takes any free port. Default 7437
	Project   string // project of every call without one; "" (the default) is detected from the folder
	HTTPToken string // bearer token for routes that destroy or export; "" (the default) requires none
	// Metrics enables Prometheus at /metrics of servers. Default false.
	Metrics bool
	// Offline forbids that anything leaves this machine; see MayAsk and MayRun.
	Offline bool
	// EmbeddingModel is BuiltIn (the default), NoModel, the name of an installed model, or a model at a server (ServedOf).
	EmbeddingModel string
	// EmbeddingQueryPrefix and EmbeddingMemoryPrefix go before texts for EmbeddingModel: "" for what the model is known to
	// want, NoModel for nothing.
	EmbeddingQueryPrefix, EmbeddingMemoryPrefix string

	RerankModel  string // NoModel, the name of an installed model, or a model at a server
	EmbeddingKey string // bearer token for those servers, never shown; "" (the default) for none
	// ModelMirror is the hub that `model pull` downloads from, and ModelToken the bearer token for it, never shown; "" (the
	// default) for the public hub and for none.
	ModelMirror, ModelToken string
	// Aliases are groups of words that a search takes as the same, besides the built-in ones; nil for none.
	Aliases [][]string
	// LLMBaseURL and LLMModel name the language model that sleep asks for patterns; LLM reports
	// whether there is one. An empty address is LM Studio on this machine, an empty model the one
	// loaded there.
	LLMBaseURL string
	LLMModel   string
	LLMKey     string // bearer token for that server, never shown; "" (the default) for none
	// AgentCLI is the agent whose command line judges pairs of memories in a semantic scan: claude
	// or opencode; "" (the default) for none.
	AgentCLI string
	// Decay is how strength fades: curve (default importance), rate (0 for the curve's own) and the
	// largest factor of use. TypeDecay overrides it by type; nil for none.
	Decay     engram.Decay
	TypeDecay map[engram.Type]engram.Decay
	// ReviewMonths is the number of months until memories of a type are due for review; 0 and
	// missing types never are. The default is lifecycle's.
	ReviewMonths map[engram.Type]int
	// JournalDays is how long journal entries are kept; 0 is forever. Default 730.
	JournalDays int
	// SleepAt is when servers consolidate memories every night; nil (the default) is never.
	SleepAt *TimeOfDay
	// AutoExtract lets hooks keep the learnings that an agent lists at its end. Default true.
	AutoExtract bool
	// ImportAtStart lets hooks import new chunks from .engram of the repository at the start of a
	// session. Default true.
	ImportAtStart bool
	// HookWithin is the time limit of a hook. Default 150 ms.
	HookWithin time.Duration
	// TUITheme is the theme of the terminal UI, and TUIKeys what it changes in its keys, as keymap.Parse reads it. Default
	// auto, and "" for nothing.
	TUITheme, TUIKeys string
	Timezone          *time.Location // for times shown to people, not for stored ones. Default the system's

	// Path is the configuration file, existing or not; absolute.
	Path string
	// Origins has the origin of every key (data_dir, port, …).
	Origins map[string]Origin
	// Remarks are notes for a person, in the order of the settings; nil for none.
	Remarks []Remark
}

// Remark is a note about one setting for a person.
type Remark struct {
	Key     string // "" for the file as a whole
	Origin  Origin // where the value is
	Text    string // one sentence, without secret values
	Ignored bool   // the value is not in force
	Instead string // the value in force; "" for an unknown key. For a file, the values not at their default
}

// String formats a remark as one line.
func (r Remark) String() string {
	switch {
	case r.Key == "":
		return r.Text + " (the file is ignored; using the defaults" + r.Instead + ")"
	case r.Instead != "":
		return fmt.Sprintf("%s (%s): %s; in force is %s", r.Key, r.Origin, r.Text, r.Instead)
	case !r.Ignored:
		return fmt.Sprintf("%s (%s): %s", r.Key, r.Origin, r.Text)
	}
	return r.Text + " (ignored)"
}

// Ignored returns the remarks about values that are not in force.
func (c Config) Ignored() []Remark {
	return slices.DeleteFunc(slices.Clone(c.Remarks), func(r Remark) bool { return !r.Ignored })
}

// doubted returns the value of an unset setting: preset, or the cautious value, with a remark, if
// the file may have set it in a way that is unreadable.
func (c Config) doubted(set setting, preset string) string {
	for i := range c.Remarks {
		r := &c.Remarks[i]
		switch {
		case r.Key == set.Name:
			preset = cmp.Or(set.cautious, preset)
			r.Instead = cmp.Or(preset, set.Default)
		case r.Key == "" && set.cautious != "":
			preset = set.cautious
			r.Instead += ", " + set.Name + " " + preset
		}
	}
	return preset
}

// keepAtHome replaces a host that other machines reach by the loopback address if there is no
// token. A flag is left for Address to reject.
func (c *Config) keepAtHome() {
	from := c.Origins[keyHost]
	if _, err := c.Address(); err == nil || from.Source == SourceFlag {
		return
	}
	c.Remarks = append(c.Remarks, Remark{Key: keyHost, Origin: from, Ignored: true, Instead: defaultHost,
		Text: fmt.Sprintf("%s can be reached by other machines, and http_token (ENGRAM_HTTP_TOKEN) is not set", c.Host)})
	c.Host, c.Origins[keyHost] = defaultHost, Origin{Source: SourceDefault}
}

// serverVariables belong to replication servers of earlier designs.
func serverVariables() []string {
	return []string{"ENGRAM_CLOUD_SERVER", "ENGRAM_CLOUD_TOKEN", "ENGRAM_CLOUD_AUTOSYNC", "ENGRAM_CLOUD_SYNC", "ENGRAM_CLOUD_HOST",
		"ENGRAM_CLOUD_ALLOWED_PROJECTS", "ENGRAM_CLOUD_MAX_PUSH_BYTES", "ENGRAM_CLOUD_INSECURE_NO_AUTH", "ENGRAM_JWT_SECRET", "ENGRAM_DATABASE_URL"}
}

// noServer adds a remark if variables name a replication server, which this program does not have:
// their owner would think that memories are replicated.
func (c *Config) noServer(env func(string) (string, bool)) {
	set := slices.DeleteFunc(serverVariables(), func(name string) bool {
		v, ok := env(name)
		return !ok || strings.TrimSpace(v) == ""
	})
	if len(set) > 0 {
		c.Remarks = append(c.Remarks, Remark{Key: "cloud", Origin: Origin{SourceEnv, strings.Join(set, ", ")}, Ignored: true,
			Text: "there is no server to replicate with", Instead: "engram sync, by hand and by way of git"})
	}
}

// Source is a kind of origin.
type Source string

// The sources, strongest first.
const (
	SourceFlag    Source = "flag"
	SourceEnv     Source = "environment"
	SourceFile    Source = "file"
	SourceDefault Source = "default"
)

// Origin is where a value came from.
type Origin struct {
	Source Source
	Name   string // the flag (--port), variable (ENGRAM_PORT) or path of the file; "" for a default
}

// String returns "flag --port", "environment ENGRAM_PORT", "file /…/config.toml" or "default".
func (o Origin) String() string {
	if o.Name == "" {
		return string(o.Source)
	}
	return string(o.Source) + " " + o.Name
}

// FileName is the name of the configuration file in the data directory.
const FileName = "config.toml"

// File is the path of the configuration file, existing or not.
func (c Config) File() string { return filepath.Join(c.DataDir, FileName) }

// Address is the host and port to listen on. A host that other machines can reach is CodeForbidden
// without a token: anyone on the network could read and change the memories.
func (c Config) Address() (string, error) {
	if !Loopback(c.Host) && c.HTTPToken == "" {
		return "", engram.Errorf(engram.CodeForbidden, "refusing to listen on %s without a token", c.Host).
			WithHint("set ENGRAM_HTTP_TOKEN, or keep the default host %s", defaultHost)
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)), nil
}

// Loopback reports whether only this machine reaches host.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Environment looks a variable up in the environment of the process.
func Environment(name string) (string, bool) { return os.LookupEnv(name) }

// LLM reports whether a language model may be asked: only if its address or name is set. A key
// alone is not enough.
func (c Config) LLM() bool { return c.LLMBaseURL != "" || c.LLMModel != "" }

// NoColor reports whether the environment asks for plain text.
//
// Source: https://no-color.org — NO_COLOR counts if it is present and not empty.
func NoColor(env func(string) (string, bool)) bool {
	v, _ := env("NO_COLOR")
	term, _ := env("TERM")
	return v != "" || term == "dumb"
}

func setDecayPolicy(c *Config, _ paths, v string) error {
	c.Decay.Curve = engram.Curve(strings.ToLower(strings.TrimSpace(v)))
	return sentence(c.Decay.Validate())
}

func setDecayRate(c *Config, _ paths, v string) (err error) {
	if v = strings.TrimSpace(v); v == "" {
		return nil // the curve's own
	}
	if c.Decay.Rate, err = positive(v); err != nil {
		return err
	}
	if meant := engram.CurveOf(c.Decay.Rate); meant != c.Decay.Curve && c.Origins[keyDecayPolicy].Source == SourceDefault {
		c.Decay.Curve = meant
		c.Remarks = append(c.Remarks, Remark{Text: v + " without decay_policy is the factor left after a day, so the geometric curve is in force; set decay_policy to change that"})
	}
	return sentence(c.Decay.Validate())
}

func setDecayBoost(c *Config, _ paths, v string) (err error) {
	if c.Decay.MaxBoost, err = positive(v); err != nil {
		return fmt.Errorf("%w; use one from 1 to 1000", err)
	}
	return sentence(c.Decay.Validate())
}

// setDecayTypes reads decays of single types: "fact=geometric:0.97, reflex=ebbinghaus". It comes
// last, because the factor of use is the same for all.
func setDecayTypes(c *Config, _ paths, v string) error {
	return eachType(v, "fact=geometric:0.97, reflex=ebbinghaus:60", func(t engram.Type, value string) error {
		curve, rate, rated := strings.Cut(value, ":")
		d := engram.Decay{Curve: engram.Curve(strings.ToLower(strings.TrimSpace(curve))), MaxBoost: c.Decay.MaxBoost}
		if d.Curve == "" {
			return fmt.Errorf("%s has no curve; use importance, geometric or ebbinghaus", t)
		}
		if rated {
			var err error
			if d.Rate, err = positive(rate); err != nil {
				return err
			}
		}
		if c.TypeDecay == nil {
			c.TypeDecay = map[engram.Type]engram.Decay{}
		}
		c.TypeDecay[t] = d
		return sentence(d.Validate())
	})
}

// maxReviewMonths is a hundred years.
const maxReviewMonths = 1200

// setReviewMonths reads the months until types are due for review; 0 is never, other types keep
// their default.
func setReviewMonths(c *Config, _ paths, v string) error {
	c.ReviewMonths = defaultReviewMonths()
	return eachType(v, "decision=6, policy=12, preference=3", func(t engram.Type, value string) error {
		months, err := strconv.Atoi(value)
		if err != nil || months < 0 || months > maxReviewMonths {
			return fmt.Errorf("%q is not a number of months for %s; use a whole number from 0, which is never, to %d", value, t, maxReviewMonths)
		}
		c.ReviewMonths[t] = months
		return nil
	})
}

func defaultReviewMonths() map[engram.Type]int { return lifecycle.DefaultPolicy().ReviewMonths }

// reviewMonthsText formats months for setReviewMonths.
func reviewMonthsText(months map[engram.Type]int) string {
	return typesText(months, func(n int) string { return strconv.Itoa(n) })
}

// decayTypesText formats decays for setDecayTypes.
func decayTypesText(c Config) string {
	return typesText(c.TypeDecay, func(d engram.Decay) string {
		if d.Rate == 0 {
			return string(d.Curve)
		}
		return string(d.Curve) + ":" + numberText(d.Rate)
	})
}

func typesText[V any](values map[engram.Type]V, text func(V) string) string {
	var entries []string
	for _, t := range slices.Sorted(maps.Keys(values)) {
		entries = append(entries, string(t)+"="+text(values[t]))
	}
	return strings.Join(entries, ", ")
}

// eachType reads a list "type=value, type=value"; like is an example for errors.
func eachType(list, like string, each func(engram.Type, string) error) error {
	var seen []engram.Type
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, value, found := strings.Cut(entry, "=")
		t := engram.Type(strings.ToLower(strings.TrimSpace(name)))
		if !found || t == "" {
			return fmt.Errorf("%.60q does not name a type and its value; one list is like %q", entry, like)
		}
		if slices.Contains(seen, t) {
			return fmt.Errorf("%s is there twice", t)
		}
		seen = append(seen, t)
		if err := each(t, strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}

// positive reads a number above 0.
func positive(v string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%.40q is not a number above 0", v)
	}
	return n, nil
}

// sentence joins the message and the hint of an error.
func sentence(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*engram.Error](err)
	switch {
	case !ok:
		return err
	case e.Hint == "":
		return errors.New(e.Msg)
	}
	return errors.New(e.Msg + "; " + e.Hint)
}

// TimeOfDay is a wall clock time in Config.Timezone.
type TimeOfDay struct {
	Hour   int // 0 to 23
	Minute int // 0 to 59
}

// LastBefore returns the latest such time not after now, in now's zone. On a day when the clock
// skips it, it is an hour later.
func (t TimeOfDay) LastBefore(now time.Time) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour, t.Minute, 0, 0, now.Location())
	if at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()-1, t.Hour, t.Minute, 0, 0, now.Location())
	}
	return at
}

func setSleepAt(c *Config, _ paths, v string) error {
	c.SleepAt = nil
	v = strings.ToLower(strings.TrimSpace(v))
	if v == "" || v == "off" {
		return nil
	}
	at, err := time.Parse("15:04", v)
	if err != nil {
		return fmt.Errorf("%.20q is not a time of day; use one like 03:00, or off", v)
	}
	c.SleepAt = &TimeOfDay{Hour: at.Hour(), Minute: at.Minute()}
	return nil
}

func sleepAtText(c Config) string {
	if c.SleepAt == nil {
		return "off"
	}
	return fmt.Sprintf("%02d:%02d", c.SleepAt.Hour, c.SleepAt.Minute)
}
