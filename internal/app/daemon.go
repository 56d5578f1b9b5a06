package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// ClaimInput is what others are told of a server.
type ClaimInput struct {
	Background bool              // nobody watches it in a terminal
	Log        string            // file it logs to; "" for standard error
	Flags      map[string]string // of the command, that another server in its place is to be given
}

// Claim makes this App the server of its data directory, by which commands find it, until
// it is closed. Where another process is, the error is CodeConflict, and the App may serve
// all the same, unknown to them.
func (a *App) Claim(ctx context.Context, in ClaimInput) error {
	lock, err := daemon.Take(ctx, a.opts.Config.DataDir, daemon.Record{
		Version: a.opts.Version, Build: build(), Database: a.opts.Config.DBPath, StartedAt: time.Now().UTC().Truncate(time.Millisecond),
		Background: in.Background, Log: in.Log, Flags: in.Flags,
	})
	if err != nil {
		return err
	}
	a.lock = lock
	return nil
}

// build tells apart programs of one version, such as two that were built from source: by
// the size and the time of the program's file, "" where it cannot be told.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x-%x", info.Size(), info.ModTime().UnixNano())
}

// announce lets commands find the server at an address, and returns what answers them;
// nil where the App did not claim its directory. stop ends the server.
func (a *App) announce(at net.Addr, stop func()) (http.Handler, error) {
	if a.lock == nil {
		return nil, nil
	}
	opened, err := os.Stat(a.opts.Config.DBPath)
	if err != nil {
		opened = nil // then no search is answered
	}
	verbs := map[string]daemon.Verb{
		daemon.VerbStatus: a.answerStatus,
		daemon.VerbStop: func(context.Context, []byte) (any, error) {
			stop()
			return struct{}{}, nil
		},
		daemon.VerbSearch: func(ctx context.Context, in []byte) (any, error) { return a.answerSearch(ctx, opened, in) },
	}
	handler := daemon.Handler(a.lock.Record().Key, verbs)
	return handler, a.lock.Announce("http://"+at.String(), daemon.AskAt(at))
}

// counted is the answer of VerbStatus.
type counted struct {
	Memories int `json:"memories"`
}

func (a *App) answerStatus(ctx context.Context, _ []byte) (any, error) {
	s, err := a.Engine.Stats(ctx, "")
	return counted{s.Memories}, err
}

// warmSearch is what VerbSearch is asked.
type warmSearch struct {
	Settings string             `json:"settings"`
	In       engine.SearchInput `json:"in"`
}

// answerSearch searches for a command as that would itself: with the same settings, in the
// same file, and with nothing of what an engine remembers for a while of how a store
// leans, for a process of its own would not remember it. It is counted there.
func (a *App) answerSearch(ctx context.Context, opened os.FileInfo, in []byte) (any, error) {
	var q warmSearch
	if err := json.Unmarshal(in, &q); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "that is no search")
	}
	if q.Settings != settingsOf(a.opts.Config, time.Now()) {
		return nil, engram.Errorf(engram.CodeConflict, "the server has other settings")
	}
	now, err := os.Stat(a.opts.Config.DBPath)
	if err != nil || opened == nil || !os.SameFile(opened, now) {
		return nil, engram.Errorf(engram.CodeConflict, "the server has another file open")
	}
	return engine.New(a.engineOptions(a.store, time.Now)).Search(ctx, q.In)
}

// settingsOf are the settings that a search may depend on, in a form to compare: all but
// those that only say where to serve, how to write or what to ask of others.
func settingsOf(c config.Config, now time.Time) string {
	zone := ""
	if c.Timezone != nil {
		// Two processes may mean different zones by "Local".
		for _, month := range []time.Month{time.January, time.July, now.Month()} {
			zone += time.Date(now.Year(), month, 1, 0, 0, 0, 0, c.Timezone).Format(" MST-07:00")
		}
		zone = c.Timezone.String() + zone
	}
	c.Timezone, c.Origins, c.SleepAt, c.Host, c.Port, c.HTTPToken, c.Project = nil, nil, nil, "", 0, "", ""
	c.LLMBaseURL, c.LLMModel, c.LLMKey, c.AgentCLI, c.JournalDays = "", "", "", "", 0
	c.Path, c.Metrics, c.Offline = "", false, false
	c.DataDir = "" // that of the lock; it may be spelled in two ways
	text, err := json.Marshal(c)
	if err != nil {
		return "" // never equal: asked and asking both say so
	}
	return string(text) + zone
}
