package postgres_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
)

// acknowledged writes facts from several goroutines until stop, each again until it is taken, and returns those that
// were acknowledged.
func acknowledged(ctx context.Context, s engram.Store, prefix string, stop <-chan struct{}, each func(n int)) []string {
	var mu sync.Mutex
	var names []string
	var wg sync.WaitGroup
	for writer := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				name := fmt.Sprintf("%s-%d-%d", prefix, writer, n)
				if err := s.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, name, "v") }); err != nil {
					continue
				}
				mu.Lock()
				names = append(names, name)
				count := len(names)
				mu.Unlock()
				each(count)
			}
		})
	}
	wg.Wait()
	return names
}

// TestServerKilled kills the whole server in the middle of many writes, starts it again, and then fails over to a
// standby: whatever was acknowledged is there.
func TestServerKilled(t *testing.T) {
	primary := postgrestest.Start(t).NewOwn(t, 0)
	space := postgrestest.Space()
	standby := primary.Standby(t)
	s := open(t, primary.Server, space, func(o *postgres.Options) { o.URL = primary.URL(standby) })
	var taken []string
	during := func(prefix string, what func()) {
		stop, begun, once := make(chan struct{}), make(chan struct{}), sync.Once{}
		done := make(chan []string)
		go func() {
			done <- acknowledged(t.Context(), s, prefix, stop, func(n int) {
				if n == 40 {
					once.Do(func() { close(begun) })
				}
			})
		}()
		<-begun
		what()
		after := acknowledged(t.Context(), s, prefix+"-after", stop, func(n int) {
			if n == 20 {
				close(stop)
			}
		})
		taken = append(append(taken, after...), <-done...)
	}
	during("killed", func() { primary.Kill(t); primary.Start(t) })
	during("failed over", func() { primary.Kill(t); standby.Promote(t) })
	missing := 0
	err := s.View(t.Context(), func(r engram.Reader) error {
		for _, name := range taken {
			value, err := r.Fact(t.Context(), name)
			if err != nil {
				return err
			}
			if value == "" {
				missing++
			}
		}
		return nil
	})
	if err != nil || missing > 0 || len(taken) < 120 {
		t.Errorf("%d of %d acknowledged writes are missing, %v", missing, len(taken), err)
	}
}

// TestFullDisk fills a server whose files cannot grow beyond a size: a write that finds no room says so and leaves
// nothing, what was acknowledged is there, and with room writes go on. The limit is one of the process on its files,
// since an ordinary user can mount no small disk; the server gets the same short write.
func TestFullDisk(t *testing.T) {
	server := postgrestest.Start(t).NewOwn(t, 20<<10+1)
	ctx := t.Context()
	s := open(t, server.Server, postgrestest.Space(), func(o *postgres.Options) { o.URL = server.URL() })
	noise := make([]byte, 300<<10) // which does not compress
	put := func(n int) error {
		_, _ = rand.Read(noise)
		return s.Update(ctx, func(tx engram.Tx) error {
			if err := tx.PutProject(ctx, engram.Project{Name: fmt.Sprint("p", n)}); err != nil {
				return err
			}
			return tx.PutFact(ctx, fmt.Sprint("f", n), base64.StdEncoding.EncodeToString(noise))
		})
	}
	n, err := 0, error(nil)
	for ; err == nil && n < 200; n++ {
		err = put(n)
	}
	if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "no room") || engram.HintOf(err) == "" {
		t.Fatalf("after %d writes: %q, %v", n, engram.CodeOf(err), err)
	}
	there := func() (projects int, last string) {
		err := s.View(ctx, func(r engram.Reader) error {
			ps, err := r.Projects(ctx, false)
			if err != nil {
				return err
			}
			projects = len(ps)
			last, err = r.Fact(ctx, fmt.Sprint("f", projects-1))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return projects, last
	}
	if projects, last := there(); projects != n-1 || last == "" || n < 20 {
		t.Errorf("%d projects after %d writes, of which the last failed", projects, n)
	}
	server.SQL(t, server.URL(), "DELETE FROM facts WHERE key < 'f2'; VACUUM FULL facts")
	if err := put(n - 1); err != nil {
		t.Errorf("with room: %v", err)
	}
	if projects, _ := there(); projects != n {
		t.Errorf("%d projects, want %d", projects, n)
	}
}
