package config

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// DefaultSpace is the space that a database server is asked for where none is set.
const DefaultSpace = "00000000-0000-4000-8000-000000000000"

// fileStore is the value of store for a file.
const fileStore = "file"

// OnServer reports whether the memories are in a space of a database server, not in the file DBPath.
func (c Config) OnServer() bool { return c.Store != "" }

// Place says where the memories are: the path of the file, or server, database and space without a password.
func (c Config) Place() string {
	if !c.OnServer() {
		return c.DBPath
	}
	return PlaceOf(c.Store, c.Space)
}

// PlaceOf names a space of a database server without a password.
func PlaceOf(store, space string) string {
	u, err := url.Parse(store)
	if err != nil { // setStore has refused it
		return "postgres, space " + space
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil && u.User.Username() != "" {
		shown.User = url.User(u.User.Username())
	}
	kept := url.Values{}
	for _, name := range []string{"host", "port", "search_path"} { // others may hold a password
		if v := u.Query().Get(name); v != "" {
			kept.Set(name, v)
		}
	}
	shown.RawQuery = kept.Encode()
	return shown.String() + ", space " + space
}

// setStore accepts an address of Postgres. What it says of a wrong one does not repeat it, since it may have a
// password.
func setStore(c *Config, _ paths, v string) error {
	c.Store = strings.TrimSpace(v)
	if c.Store == fileStore {
		c.Store = ""
	}
	if c.Store == "" {
		return nil
	}
	if u, err := url.Parse(c.Store); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || strings.ContainsFunc(c.Store, func(r rune) bool { return r <= ' ' }) {
		return errors.New("it is neither `file` nor an address like postgres://USER@HOST:5432/DATABASE; a special character in a password is written as %40, for example")
	}
	return nil
}

func setSpace(c *Config, _ paths, v string) error {
	if c.Space = strings.ToLower(strings.TrimSpace(v)); c.Space != DefaultSpace && !regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(c.Space) {
		return errors.New("it is not a UUID, as uuidgen makes one")
	}
	return nil
}

// MayStore returns CodeForbidden if Offline is set and the memories are on another machine.
func (c Config) MayStore() error {
	if !c.Offline || !c.OnServer() {
		return nil
	}
	u, err := url.Parse(c.Store)
	if err != nil {
		return nil
	}
	host := u.Hostname()
	if also := u.Query().Get("host"); also != "" {
		host = also
	}
	if host == "" || strings.HasPrefix(host, "/") || Loopback(host) { // without a host it is a socket
		return nil
	}
	return offline("the database of the memories is not on this machine (%s)", host)
}

// WithStore returns the same settings for another store, which is the file for "file". The error, CodeInvalid, does
// not repeat the address.
func (c Config) WithStore(store, space string) (Config, error) {
	err := setStore(&c, paths{}, store)
	if err == nil && space != "" {
		err = setSpace(&c, paths{}, space)
	}
	if err != nil {
		return c, engram.Errorf(engram.CodeInvalid, "this is no store: %v", err).WithHint("file, or postgres://USER@HOST:5432/DATABASE; the space is a UUID")
	}
	return c, nil
}
