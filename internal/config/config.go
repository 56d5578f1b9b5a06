// Package config turns flags, the environment and config.toml into one Config, and
// remembers where each value came from. It is the only place that reads settings
// from outside: everything else is handed a Config.
//
// The order is flag, environment, file, default. A flag that does not fit is an error. A
// value of the environment or the file that does not fit stops nothing, least of all a
// server or a hook that does not need it: the next in line counts, and a Remark says so.
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

// Config is every setting in force.
type Config struct {
	DataDir   string // absolute; database and config.toml live here. Default ~/.engram
	DBPath    string // absolute; the SQLite file. Default engram.db in DataDir
	Host      string // address the server listens on, without a port. Default 127.0.0.1
	Port      int    // 0 to 65535; 0 takes any free port. Default 7437
	Project   string // project of every call that names none; "" (the default) is detected from the folder
	HTTPToken string // bearer token of the HTTP routes that destroy or export; "" (the default) asks for none
	// Metrics says whether servers answer Prometheus at /metrics. Default false.
	Metrics bool
	// Offline says that nothing may leave this machine; LeavesBy tells what would.
	Offline bool
	// EmbeddingModel is BuiltIn (the default) or NoModel.
	EmbeddingModel string
	RerankModel    string // NoModel
	// LLMBaseURL and LLMModel name the language model that sleep asks for patterns; LLM
	// says whether there is one. "" (the default) for the address is LM Studio on this
	// machine, for the model whichever is loaded there.
	LLMBaseURL string
	LLMModel   string
	LLMKey     string // bearer token of that model's server, never shown; "" (the default) sends none
	// AgentCLI is the agent whose command line judges pairs of memories when a scan is told
	// to ask it: claude or opencode; "" (the default) is none.
	AgentCLI string
	// Decay is how strength fades: its curve (importance by default), its rate (0 is the
	// curve's own) and the most that use multiplies by. TypeDecay has the types that fade
	// otherwise; nil for none.
	Decay     engram.Decay
	TypeDecay map[engram.Type]engram.Decay
	// ReviewMonths says after how many months memories of a type fall due for review; 0 and
	// types that are not in it never do. The default is lifecycle's.
	ReviewMonths map[engram.Type]int
	// JournalDays is for how long entries of the journal are kept; 0 is for ever. Default
	// 730: two years.
	JournalDays int
	// SleepAt is when servers consolidate memories, every night; nil (the default) is never.
	SleepAt *TimeOfDay
	// AutoExtract says that hooks keep what an agent lists as learned when it stops. Default true.
	AutoExtract bool
	// ImportAtStart says that hooks bring in at the start of a session what lies new in .engram of the
	// repository. Default true.
	ImportAtStart bool
	// HookWithin is how long a hook works before it lets the agent go on. Default 150 ms.
	HookWithin time.Duration
	Timezone   *time.Location // for times shown to people, never for stored ones. Default the system's

	// Path is the configuration file that was read, or would have been; absolute.
	Path string
	// Origins says for each key (data_dir, port, …) where its value came from. It has
	// every key.
	Origins map[string]Origin
	// Remarks is what a person should know about the settings, in the order in which they are
	// read; nil for nothing.
	Remarks []Remark
}

// Remark is what a person should know about one setting.
type Remark struct {
	Key     string // "" is the file as a whole
	Origin  Origin // where the value stands
	Text    string // one sentence, without the value of a secret
	Ignored bool   // the value does not count
	Instead string // what counts in its place; "" for a key that is not one. Of a file, what is not at its default
}

// String says it to a person in one line.
func (r Remark) String() string {
	switch {
	case r.Key == "":
		return r.Text + " (nothing in it counts; in force are the defaults" + r.Instead + ")"
	case r.Instead != "":
		return fmt.Sprintf("%s (%s): %s; in force is %s", r.Key, r.Origin, r.Text, r.Instead)
	case !r.Ignored:
		return fmt.Sprintf("%s (%s): %s", r.Key, r.Origin, r.Text)
	}
	return r.Text + " (it does not count)"
}

// Ignored are the remarks about values that do not count.
func (c Config) Ignored() []Remark {
	return slices.DeleteFunc(slices.Clone(c.Remarks), func(r Remark) bool { return !r.Ignored })
}

// doubted is the value of a setting that is not set: preset, or the cautious value, with a remark,
// where the file may have set it in a way that cannot be understood.
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

// keepAtHome has the server listen on the loopback address where the settings name one that
// other machines reach, and no token. A flag is left for Address to refuse.
func (c *Config) keepAtHome() {
	from := c.Origins[keyHost]
	if _, err := c.Address(); err == nil || from.Source == SourceFlag {
		return
	}
	c.Remarks = append(c.Remarks, Remark{Key: keyHost, Origin: from, Ignored: true, Instead: defaultHost,
		Text: fmt.Sprintf("%s can be reached by other machines, and http_token (ENGRAM_HTTP_TOKEN) is not set", c.Host)})
	c.Host, c.Origins[keyHost] = defaultHost, Origin{Source: SourceDefault}
}

// serverVariables are what earlier designs print for a server that stores replicate with.
func serverVariables() []string {
	return []string{"ENGRAM_CLOUD_SERVER", "ENGRAM_CLOUD_TOKEN", "ENGRAM_CLOUD_AUTOSYNC", "ENGRAM_CLOUD_SYNC", "ENGRAM_CLOUD_HOST",
		"ENGRAM_CLOUD_ALLOWED_PROJECTS", "ENGRAM_CLOUD_MAX_PUSH_BYTES", "ENGRAM_CLOUD_INSECURE_NO_AUTH", "ENGRAM_JWT_SECRET", "ENGRAM_DATABASE_URL"}
}

// noServer remarks that variables ask for a server which this program does not have: who has
// set them takes the memories for replicated.
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

// Source is a kind of place that settings come from.
type Source string

// The sources, the strongest first.
const (
	SourceFlag    Source = "flag"
	SourceEnv     Source = "environment"
	SourceFile    Source = "file"
	SourceDefault Source = "default"
)

// Origin is where one value came from.
type Origin struct {
	Source Source
	Name   string // the flag (--port), the variable (ENGRAM_PORT) or the path of the file; "" for a default
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

// File is the path of the configuration file, whether or not it exists.
func (c Config) File() string { return filepath.Join(c.DataDir, FileName) }

// Address is the host and port to listen on. Without a token, a host that other machines can reach is
// CodeForbidden: anybody on the network could read and change the memories.
func (c Config) Address() (string, error) {
	if !Loopback(c.Host) && c.HTTPToken == "" {
		return "", engram.Errorf(engram.CodeForbidden, "refusing to listen on %s without a token", c.Host).
			WithHint("set ENGRAM_HTTP_TOKEN, or keep the default host %s", defaultHost)
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)), nil
}

// Loopback reports whether host is reachable from this machine alone.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Environment looks a variable up in the environment of the process.
func Environment(name string) (string, bool) { return os.LookupEnv(name) }

// LLM reports whether a language model may be asked: only when a person has named its
// address or its name. A key alone names none.
func (c Config) LLM() bool { return c.LLMBaseURL != "" || c.LLMModel != "" }

// NoColor reports whether the environment asks for plain text.
//
// Source: https://no-color.org — NO_COLOR counts when it is present and not empty.
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
		c.Remarks = append(c.Remarks, Remark{Text: v + " without decay_policy is the factor that is left after a day, so the geometric curve is in force; set decay_policy to say otherwise"})
	}
	return sentence(c.Decay.Validate())
}

func setDecayBoost(c *Config, _ paths, v string) (err error) {
	if c.Decay.MaxBoost, err = positive(v); err != nil {
		return fmt.Errorf("%w; use one from 1 to 1000", err)
	}
	return sentence(c.Decay.Validate())
}

// setDecayTypes reads ways to fade of single types: "fact=geometric:0.97, reflex=ebbinghaus".
// It comes after the rest of the decay: how much use multiplies by is the same for all.
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

// maxReviewMonths is a hundred years: later dates are no dates.
const maxReviewMonths = 1200

// setReviewMonths reads after how many months a type falls due for review; a type that is
// not named keeps its default, 0 is never.
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

// reviewMonthsText spells months as setReviewMonths reads them, by type.
func reviewMonthsText(months map[engram.Type]int) string {
	return typesText(months, func(n int) string { return strconv.Itoa(n) })
}

// decayTypesText spells the types that fade otherwise as setDecayTypes reads them.
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

// eachType reads a list of types with a value each, "type=value, type=value"; like is one
// such list, for hints.
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
			return fmt.Errorf("%s stands there twice", t)
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

// sentence makes one of what is wrong and what would be right.
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

// TimeOfDay is a time by the clock on the wall, in Config.Timezone.
type TimeOfDay struct {
	Hour   int // 0 to 23
	Minute int // 0 to 59
}

// LastBefore is when it last was that time, at now or before; in now's zone. A day on
// which the clock skips that time has it an hour later.
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
