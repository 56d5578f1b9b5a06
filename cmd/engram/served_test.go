package main

import (
	"net/http"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/alanbuscaglia/engram/internal/embedding/provider/providertest"
)

// served WHAT VARIABLE acts on a server of the model bge-m3, whose address the variable has: start, stop, resume, hang (it
// answers nothing), fail (with status 500), answer (again), replace (by another model of the name), or asked N (how many
// texts it was sent since the last time).
func served(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: served start|stop|resume|hang|fail|answer|replace|asked VARIABLE [N]")
	}
	all := ts.Value(servedKey{}).(map[string]*providertest.Server)
	s := all[args[1]]
	if s == nil {
		var err error
		s, err = providertest.Start(providertest.Model{Name: "bge-m3", Digest: "sha256:111111111111", Dimensions: 512})
		ts.Check(err)
		ts.Defer(func() { _ = s.Stop() })
		all[args[1]] = s
		ts.Setenv(args[1], s.URL())
	}
	switch args[0] {
	case "start", "answer":
		s.Fail(nil)
	case "stop":
		ts.Check(s.Stop())
	case "resume":
		ts.Check(s.Resume())
	case "hang":
		s.Fail(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	case "fail":
		s.Fail(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	case "replace":
		s.Have(providertest.Model{Name: "bge-m3", Digest: "sha256:222222222222", Dimensions: 256})
	case "asked":
		n := 0
		for _, r := range s.Asked() {
			n += len(r.Texts)
		}
		if want, err := strconv.Atoi(args[2]); err != nil || n != want {
			ts.Fatalf("the server was sent %d texts, want %s", n, args[2])
		}
	default:
		ts.Fatalf("unknown: %s", args[0])
	}
}

// servedKey has the servers of a script, by variable.
type servedKey struct{}
