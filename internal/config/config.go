// Package config turns flags, the environment and config.toml into one Config, and
// remembers where each value came from. It is the only place that reads settings
// from outside: everything else is handed a Config.
//
// The order is flag, environment, file, default. A key nobody knows and a value that
// does not fit are errors that name the nearest good one; nothing is ever ignored.
package config

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
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
	// HookWithin is how long a hook works before it lets the agent go on. Default 150 ms.
	HookWithin time.Duration
	Timezone   *time.Location // for times shown to people, never for stored ones. Default the system's

	// Path is the configuration file that was read, or would have been; absolute.
	Path string
	// Origins says for each key (data_dir, port, …) where its value came from. It has
	// every key.
	Origins map[string]Origin
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

// Address is the host and port to listen on. A host that other machines can reach
// is an *engram.Error of CodeForbidden unless a token is set: without one, anybody
// on the network could read and change the memories.
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
