package app_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
)

func TestASwitchIsSeenByEveryProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := newApp(t, dir), newApp(t, dir)
	if one.Off("") || one.Off("shop") {
		t.Error("got off, where nobody said anything")
	}
	if _, _, err := one.SwitchOff(t.Context(), []string{"Shop"}); err != nil {
		t.Fatal(err)
	}
	if two.Off("") || !two.Off("shop") || two.Off("bank") {
		t.Errorf("one project: got %+v", two.OffState())
	}
	if _, _, err := two.SwitchOff(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if !one.Off("") || !one.Off("bank") {
		t.Errorf("everything: got %+v", one.OffState())
	}
	if _, after, err := one.SwitchOn(t.Context(), nil); err != nil || !after.Off("shop") || two.Off("bank") {
		t.Errorf("on: got %+v, error %v, want shop alone off", after, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "engram.db")); !os.IsNotExist(err) {
		t.Errorf("a switch made a database: %v", err)
	}
}

// An agent whose server runs already is told at its next call.
func TestAServerThatRunsIsSwitchedOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newApp(t, dir)
	save(t, a, "Chose Postgres because of pgvector")
	ask := func() string {
		var out bytes.Buffer
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mem_search","arguments":{"query":"postgres","all_projects":true}}}
`)
		if err := a.ServeMCP(t.Context(), in, &out, ""); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := ask(); !strings.Contains(got, "pgvector") || !strings.Contains(got, "SEARCH / RECALL") {
		t.Errorf("while on: got %s, want the memory, and the protocol before it", got)
	}
	if _, _, err := newApp(t, dir).SwitchOff(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := ask(); strings.Contains(got, "pgvector") || !strings.Contains(got, "switched off") {
		t.Errorf("while off: got %s, want that it is off", got)
	}
}

func TestOfManySwitchesAtOnceNoneIsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		a := newApp(t, dir)
		all.Go(func() {
			if _, _, err := a.SwitchOff(t.Context(), []string{fmt.Sprint("p", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := newApp(t, dir).OffState().Names(); len(got) != 8 {
		t.Errorf("got %q off, want all eight", got)
	}
}

func TestASwitchDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "off.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if held, err := daemon.TryLock(f); err != nil || !held {
		t.Fatalf("lock: %v, %v", held, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := newApp(t, dir).SwitchOff(ctx, nil); err == nil {
		t.Error("got nil, want that it was given up")
	}
	if _, _, err := newApp(t, dir).SwitchOff(t.Context(), nil); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	if newApp(t, dir).Off("") {
		t.Error("got off, which nobody was told")
	}
}
