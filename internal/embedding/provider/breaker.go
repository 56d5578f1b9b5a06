package provider

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/endpoint"
)

// Bounds of the time for which a server that is down is not asked: it doubles with each failure.
const (
	leastRest = 30 * time.Second
	mostRest  = 5 * time.Minute
)

// breaker keeps questions from waiting for a server that is down. Its state is in a file, since most processes ask one
// question; without one it is the process's own.
type breaker struct {
	path string
	now  func() time.Time

	mu       sync.Mutex
	failures int       // since the last answer
	at       time.Time // of the last one
}

// rests returns for how long the server is not to be asked; 0 if it may.
func (b *breaker) rests() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	if b.failures == 0 {
		return 0
	}
	rest, now := mostRest, b.now()
	if b.failures < 5 {
		rest = leastRest << (b.failures - 1)
	}
	if b.at.After(now) {
		return 0 // the clock was set back
	}
	return max(0, rest-now.Sub(b.at))
}

// read takes over what other processes know.
func (b *breaker) read() {
	if b.path == "" {
		return
	}
	b.failures = 0
	text, err := os.ReadFile(b.path)
	var n int
	var ms int64
	if err != nil || len(text) > 100 {
		return
	}
	if _, err := fmt.Sscan(string(text), &n, &ms); err == nil && n > 0 && n < 1000 {
		b.failures, b.at = n, time.UnixMilli(ms)
	}
}

// note records how a call ended. Refusals and calls that were called off say nothing of the server's health.
func (b *breaker) note(ctx context.Context, err error) {
	if s := endpoint.RefusalOf(err); ctx.Err() != nil || s != nil && s.Code < 500 && s.Code != 429 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	if err == nil && b.failures == 0 {
		return
	}
	b.failures, b.at = b.failures+1, b.now()
	if err == nil {
		b.failures = 0
	}
	if b.path == "" {
		return
	}
	// A file that cannot be written costs other processes their wait.
	if b.failures == 0 {
		_ = os.Remove(b.path)
	} else {
		_ = os.WriteFile(b.path, fmt.Append(nil, b.failures, " ", b.at.UnixMilli(), "\n"), 0o600)
	}
}

// open is the error while the server rests; nil if it does not.
func (b *breaker) open(what string) error {
	rest := b.rests()
	if rest == 0 {
		return nil
	}
	return engram.Errorf(engram.CodeUnavailable, "the %s did not answer lately", what).
		WithHint("check that its server is running; it is asked again in %v", rest.Round(time.Second))
}
