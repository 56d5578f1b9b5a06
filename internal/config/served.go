package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// The protocols of servers of models.
const (
	ollama = "ollama"
	openai = "openai"
)

// Served is a model at a server.
type Served struct {
	API   string // ollama or openai
	Model string // its name at the server
	URL   string // "" is the protocol's default, on this machine
}

// ServedOf reads ollama:MODEL@URL or openai:MODEL@URL, whose @URL may be missing; ok is false for a value that names no
// server. The error does not repeat the address, which may contain a password.
func ServedOf(value string) (s Served, ok bool, err error) {
	api, model, _ := strings.Cut(strings.TrimSpace(value), ":")
	if s.API = strings.ToLower(api); s.API != ollama && s.API != openai {
		return Served{}, false, nil
	}
	if s.Model = model; strings.Contains(model, "@") {
		for _, scheme := range []string{"@http://", "@https://"} {
			if at := strings.Index(model, scheme); at >= 0 {
				s.Model, s.URL = model[:at], model[at+1:]
			}
		}
		if s.URL == "" {
			return s, true, fmt.Errorf("what follows @ is not an address of http or https; one is like %s:MODEL@http://localhost:1234/v1", s.API)
		}
	}
	if s.Model = strings.TrimSpace(s.Model); s.Model == "" {
		return s, true, fmt.Errorf("%s: names no model; one is like %s:bge-m3", s.API, s.API)
	}
	if s.URL == "" {
		return s, true, nil
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Hostname() == "":
		return s, true, errors.New("that is not an address of http or https; one is like http://localhost:1234/v1")
	case u.User != nil:
		return s, true, errors.New("the address holds a user or a password; give a key as ENGRAM_EMBEDDING_API_KEY")
	case u.RawQuery != "" || u.Fragment != "":
		return s, true, errors.New("the address has a query or a fragment")
	}
	return s, true, nil
}

// String writes it as ServedOf reads it.
func (s Served) String() string {
	if s.URL == "" {
		return s.API + ":" + s.Model
	}
	return s.API + ":" + s.Model + "@" + s.URL
}

// Elsewhere reports whether it is on another machine.
func (s Served) Elsewhere() bool { return s.URL != "" && !Loopback(hostOf(s.URL)) }

// MaySend returns CodeForbidden if Offline is set and the model is not on this machine.
func (c Config) MaySend(s Served) error {
	if !c.Offline || !s.Elsewhere() {
		return nil
	}
	return offline("the model %s is not on this machine (%s)", s.Model, hostOf(s.URL))
}
